"""Nodes of an incident file -> plain values, as ``schema/incident.json`` wants them.

Editors read the same schema, so what they accept and what we accept cannot part. A general
validator would not do: here text stays as written where text is wanted, every problem has its line
and column, and what is wrong in one place hides nothing that is wrong in another. Only the keywords
that the schema uses are known.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_rcabench.domain.errors import Problem
from pytest_rcabench.files.scalars import Schema, did_you_mean, read_scalar, shown
from pytest_rcabench.files.yaml_nodes import (
    CONTROL_CHARACTERS,
    Mapping,
    Node,
    Refused,
    Scalar,
    Sequence,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

Values: TypeAlias = dict[str, Any]
Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]

_SHOWN_ITEMS = 3
_SHOWN_TEXT = 400
_TEXT_REMEDY = "quote a text that holds ': ' or starts with - [ { and write lines in a block (|)"


class _Broken:
    """Stands for a value that could not be read; the reason is reported."""


BROKEN = _Broken()


def incident_json_schema() -> Schema:
    """Return the JSON Schema of an incident file."""
    text = resources.files("pytest_rcabench").joinpath("schema/incident.json").read_text("utf-8")
    schema: Schema = json.loads(text)
    return schema


class TooManyProblems(Exception):  # noqa: N818 - ends the reading of a hopeless file
    """So much is wrong that the rest would help nobody."""


@dataclass(slots=True)
class Document:
    """The nodes of one file and what is wrong with them, up to *most_problems*."""

    path: str
    most_problems: float = math.inf
    root: Node = field(default_factory=lambda: Refused(1, 1))
    problems: list[Problem] = field(default_factory=list)

    def report(self, line: int, column: int, where: str, what: str) -> None:
        """Take down one problem, in characters that a terminal can show.

        Raises:
            TooManyProblems: if it is the last that is wanted.
        """
        is_last = len(self.problems) + 1 >= self.most_problems
        what = printable(what) + (" (and more is wrong: correct this first)" if is_last else "")
        self.problems.append(Problem(self.path, line, column, printable(where), what))
        if is_last:
            raise TooManyProblems

    def report_at(self, path: Path, what: str, *, key: bool = False) -> None:
        """Take down one problem with the node at *path*, or with its *key*."""
        node = self.key(*path) if key else self.node(path)
        self.report(node.line, node.column, spell(path), what)

    def key(self, *path: Step) -> Node:
        """Return the key at the end of *path*, or the node where there is none."""
        parent, node = self.node(path[:-1]), self.node(path)
        return parent.keys.get(str(path[-1]), node) if isinstance(parent, Mapping) else node

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
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def printable(text: str) -> str:
    """Return *text* in one line that a terminal can show, cut where nobody reads on."""
    text = text if len(text) <= _SHOWN_TEXT else text[:_SHOWN_TEXT] + "…"
    text = text.replace("\n", "\\n").replace("\t", "\\t")
    return CONTROL_CHARACTERS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def check_document(document: Document, schema: Schema) -> Values:
    """Return the values of *document* that *schema* allows; all others become problems."""
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
        read = {"object": self._object, "array": self._array}.get(str(schema.get("type")))
        return (read or self._scalar)(node, schema, path)

    def _resolved(self, schema: Schema) -> Schema:
        if reference := schema.get("$ref"):
            return self._definitions[reference.removeprefix("#/$defs/")]
        return schema

    def _fail(self, path: Path, what: str) -> _Broken:
        self._document.report_at(path, what)
        return BROKEN

    def _object(self, node: Node, schema: Schema, path: Path) -> Values | _Broken:
        properties = schema["properties"]
        if not isinstance(node, Mapping):
            keys = ", ".join(schema["required"] or properties)
            return self._fail(path, f"is a {_noun(node)}, not a mapping; it needs the keys {keys}")
        for key in schema["required"]:
            if key not in node.entries:
                meaning = properties[key].get("description") or "write it"
                meaning = meaning[0].lower() + meaning[1:].removesuffix(".")
                self._document.report_at((*path, key), f"is missing; {meaning}")
        values = {}
        for key, inner in node.entries.items():
            if key in properties:
                values[key] = self.check(inner, properties[key], (*path, key))
            else:
                remedy = did_you_mean(key, properties) or f"known here: {', '.join(properties)}"
                self._document.report_at((*path, key), f"is no known key; {remedy}", key=True)
        return {key: value for key, value in values.items() if value is not BROKEN}

    def _array(self, node: Node, schema: Schema, path: Path) -> list[Any] | _Broken:
        if not isinstance(node, Sequence):
            what = f"is a {_noun(node)}, not a list; write [ ] around it or - before it"
            return self._fail(path, what)
        least = schema.get("minItems", 0)
        if len(node.items) < least:
            return self._fail(path, f"has {len(node.items)} entries; write {least} or more")
        values: list[Any] = []
        broken = 0
        for index, item in enumerate(node.items):
            if broken == _SHOWN_ITEMS:
                self._fail((*path, index), "the rest of this list was not read; correct the above")
                break
            values.append(self.check(item, schema["items"], (*path, index)))
            broken += values[-1] is BROKEN
        if schema.get("uniqueItems"):
            self._refuse_twice(values, path)
        return values

    def _scalar(self, node: Node, schema: Schema, path: Path) -> object:
        if not isinstance(node, Scalar):
            return self._fail(path, f"is a {_noun(node)}, not a text; {_TEXT_REMEDY}")
        try:
            return read_scalar(node, schema)
        except ValueError as error:
            return self._fail(path, str(error))

    def _refuse_twice(self, values: list[Any], path: Path) -> None:
        seen = set()
        for index, value in enumerate(values):
            if value is not BROKEN and value in seen:
                self._fail((*path, index), f"{value!r} stands twice; delete one")
            seen.add(value)

    def _branch(self, node: Node, branches: Iterable[Schema], path: Path) -> Schema | None:
        """Return the branch that is meant: by the key ``type``, else by the shape of the node."""
        known = {}
        for branch in map(self._resolved, branches):
            if "properties" in branch:
                known[branch["properties"]["type"]["const"]] = branch
            elif (branch["type"] == "array") == isinstance(node, Sequence):
                return branch
        if not isinstance(node, Mapping):
            self._fail(path, f"is a {_noun(node)}, not a mapping; it needs the keys type and time")
            return None
        kind = node.entries.get("type")
        if isinstance(kind, Scalar) and kind.text in known:
            return known[kind.text]
        text = kind.text if isinstance(kind, Scalar) else ""
        remedy = did_you_mean(text, known) or f"write one of {', '.join(known)}"
        self._fail((*path, "type"), f"{shown(text)} is no type of change; {remedy}")
        return None


def _noun(node: Node) -> str:
    return {Scalar: "text", Sequence: "list"}.get(type(node), "mapping")
