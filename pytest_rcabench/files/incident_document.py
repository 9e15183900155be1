"""Nodes of an incident file -> plain values, checked against ``schema/incident.json``, which is the one source.

Editors read the same schema, so what an editor accepts and what we accept cannot part. The reader of the schema
knows the few keywords that ours uses. It is no general validator, and for three reasons: it takes text as it was
written where the schema wants text, it names line and column, and one mistake never hides another.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_rcabench.domain.errors import Problem
from pytest_rcabench.files.times import read_offset, read_time
from pytest_rcabench.files.yaml_nodes import Mapping, Node, Refused, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Schema: TypeAlias = dict[str, Any]
Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]

_SHOWN_CHARACTERS = 60
_SHOWN_ITEMS = 3
# Source: RFC 8259, section 6.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


class _Broken:
    """Stands for a value that could not be read; the reason is reported."""


BROKEN = _Broken()


def incident_json_schema() -> Schema:
    """Return the JSON Schema of an incident file."""
    text = resources.files("pytest_rcabench").joinpath("schema/incident.json").read_text("utf-8")
    schema: Schema = json.loads(text)
    return schema


@dataclass(slots=True)
class Document:
    """The nodes of one file and what is wrong with them."""

    path: str
    root: Node = field(default_factory=lambda: Refused(1, 1))
    problems: list[Problem] = field(default_factory=list)

    def report(self, line: int, column: int, where: str, what: str) -> None:
        """Take down one problem."""
        self.problems.append(Problem(self.path, line, column, where, what))

    def report_at(self, path: Path, what: str, *, key: bool = False) -> None:
        """Take down one problem with the node at *path*, or its nearest parent, or the last step's *key*."""
        node = self.node(path)
        if key and isinstance(parent := self.node(path[:-1]), Mapping):
            node = parent.keys.get(str(path[-1]), node)
        self.report(node.line, node.column, spell(path), what)

    def node(self, path: Path) -> Node:
        """Return the node at *path*, or its nearest parent."""
        node = self.root
        for step in path:
            inner: Node | None = None
            if isinstance(node, Mapping) and isinstance(step, str):
                inner = node.entries.get(step)
            elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
                inner = node.items[step]
            if inner is None:
                break
            node = inner
        return node


def spell(path: Path) -> str:
    """Return *path* as people write it: ``changes[1].sha``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(
        "."
    )


def check_document(document: Document, schema: Schema) -> dict[str, Any]:
    """Return the values of *document* that *schema* allows; whatever else there is becomes a problem."""
    values = _Checker(document, schema["$defs"]).check(document.root, schema, ())
    return values if isinstance(values, dict) else {}


class _Checker:
    def __init__(self, document: Document, definitions: dict[str, Schema]) -> None:
        self._document = document
        self._definitions = definitions

    def check(self, node: Node, schema: Schema, path: Path) -> Any:  # noqa: ANN401 - as many types as the schema has
        """Return the value of *node*, BROKEN where it is not what *schema* wants."""
        schema = self._resolved(schema)
        if isinstance(node, Refused):
            return BROKEN
        if "oneOf" in schema and "type" not in schema:
            branch = self._branch(node, schema["oneOf"], path)
            return BROKEN if branch is None else self.check(node, branch, path)
        kind = schema.get("type", "string")
        if kind == "object":
            return self._object(node, schema, path)
        if kind == "array":
            return self._array(node, schema, path)
        if not isinstance(node, Scalar):
            return self._fail(
                path,
                f"is a {_noun(node)}, not a text; quote a text that holds ': ' or starts with - [ {{",
            )
        try:
            return _scalar(node, schema, kind)
        except ValueError as error:
            return self._fail(path, str(error))

    def _resolved(self, schema: Schema) -> Schema:
        if reference := schema.get("$ref"):
            return self._definitions[reference.removeprefix("#/$defs/")]
        return schema

    def _fail(self, path: Path, what: str) -> _Broken:
        self._document.report_at(path, what)
        return BROKEN

    def _object(self, node: Node, schema: Schema, path: Path) -> Any:  # noqa: ANN401
        if not isinstance(node, Mapping):
            return self._fail(
                path, f"is a {_noun(node)}, not a mapping; it needs {_listed(schema['required'])}"
            )
        properties = schema["properties"]
        for key in node.entries.keys() - properties.keys():
            remedy = _did_you_mean(key, properties) or f"known here: {', '.join(properties)}"
            self._document.report_at((*path, key), f"is no known key; {remedy}", key=True)
        for key in schema["required"]:
            if key not in node.entries:
                what = self._resolved(properties[key])
                meaning = properties[key].get("description") or what.get("description", "")
                self._document.report_at(
                    (*path, key), f"is missing; {meaning[:1].lower()}{meaning[1:].rstrip('.')}"
                )
        values = {
            key: self.check(inner, properties[key], (*path, key))
            for key, inner in node.entries.items()
            if key in properties
        }
        return {key: value for key, value in values.items() if value is not BROKEN}

    def _array(self, node: Node, schema: Schema, path: Path) -> Any:  # noqa: ANN401
        if not isinstance(node, Sequence):
            return self._fail(
                path, f"is a {_noun(node)}, not a list; write [ ] around it or - before it"
            )
        if len(node.items) < schema.get("minItems", 0):
            return self._fail(
                path, f"has {len(node.items)} entries and needs {schema['minItems']} or more"
            )
        reported = len(self._document.problems)
        values = []
        for index, item in enumerate(node.items):
            values.append(self.check(item, schema["items"], (*path, index)))
            if schema.get("uniqueItems") and values[-1] is not BROKEN and values[-1] in values[:-1]:
                self._fail((*path, index), f"{values[-1]!r} stands twice; delete one")
        broken = [value for value in values if value is BROKEN]
        if len(broken) > _SHOWN_ITEMS and len(self._document.problems) == reported + len(broken):
            del self._document.problems[reported + _SHOWN_ITEMS :]
            self._fail(
                (*path, len(values) - 1),
                f"{len(broken) - _SHOWN_ITEMS} more such entries are in this list",
            )
        return values

    def _branch(self, node: Node, branches: Iterable[Schema], path: Path) -> Schema | None:
        """Return the branch meant: by the key ``type`` where they have one, else by the shape of the node."""
        known = {}
        for branch in map(self._resolved, branches):
            if "properties" in branch:
                known[branch["properties"]["type"]["const"]] = branch
            elif (branch["type"] == "array") == isinstance(node, Sequence):
                return branch
        if not isinstance(node, Mapping):
            self._fail(path, f"is a {_noun(node)}, not a mapping; it needs a type and a time")
            return None
        kind = node.entries.get("type")
        if not isinstance(kind, Scalar) or kind.text not in known:
            shown = f"{kind.text!r} is" if isinstance(kind, Scalar) else "is missing or"
            hint = _did_you_mean(kind.text, known) if isinstance(kind, Scalar) else ""
            self._fail(
                (*path, "type"), f"{shown} none of {', '.join(known)}; {hint or 'choose one'}"
            )
            return None
        return known[kind.text]


def _scalar(
    node: Scalar, schema: Schema, kind: str | list[str]
) -> str | float | bool | None | object:
    kinds = [kind] if isinstance(kind, str) else kind
    text = node.text
    if node.is_null:
        if "null" in kinds:
            return None
        raise ValueError(
            'is empty; delete the key, or write "" or "null" in quotes if that is the text'
        )
    if "string" in kinds:
        return _text(text, schema)
    if "boolean" in kinds:
        if not node.plain or text not in {"true", "false"}:
            raise ValueError(f"{_shown(text)} is no switch; write true or false")
        return text == "true"
    if not node.plain or not _NUMBER.fullmatch(text) or not math.isfinite(value := float(text)):
        gap = "; null is a gap" if "null" in kinds else ""
        raise ValueError(
            f"{_shown(text)} is no number; write it as JSON does, unquoted, finite, such as 0.25{gap}"
        )
    if not (schema.get("minimum", value) <= value <= schema.get("maximum", value)):
        raise ValueError(
            f"{text} is out of range; allowed is {schema.get('minimum', 0)} to {schema['maximum']}"
        )
    if value <= schema.get("exclusiveMinimum", -math.inf):
        raise ValueError(
            f"{text} is out of range; it must be more than {schema['exclusiveMinimum']}"
        )
    return value


def _text(text: str, schema: Schema) -> object:
    if "\x00" in text or re.search("[\ud800-\udfff]", text):
        raise ValueError("holds a NUL or half a surrogate pair, which no log can show; delete it")
    if "const" in schema and text != schema["const"]:
        raise ValueError(f"{_shown(text)} is not read here; this version reads {schema['const']}")
    if "enum" in schema and text not in schema["enum"]:
        remedy = _did_you_mean(text, schema["enum"]) or "choose one"
        raise ValueError(f"{_shown(text)} is none of {', '.join(schema['enum'])}; {remedy}")
    if "pattern" in schema and not re.fullmatch(schema["pattern"], text):
        raise ValueError(f"{_shown(text)} {schema['patternErrorMessage']}")
    read = _FORMATS.get(schema.get("format", ""))
    return read(text) if read else text


def _regex(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(
            f"{_shown(text)} is no regular expression: {error}; escape what is meant as text"
        ) from None
    return text


_FORMATS: dict[str, Callable[[str], object]] = {
    "date-time": read_time,
    "utc-offset": read_offset,
    "regex": _regex,
}


def _did_you_mean(text: str, known: Iterable[str]) -> str:
    folded = text.casefold().replace("-", "_").replace(" ", "_")
    close = get_close_matches(folded, known, n=1) or get_close_matches(text, known, n=1)
    return f"did you mean {close[0]}?" if close else ""


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…")


def _noun(node: Node) -> str:
    return {Scalar: "text", Sequence: "list"}.get(type(node), "mapping")


def _listed(words: list[str]) -> str:
    return ", ".join(words) or "its keys"
