"""One scalar of an incident file -> the text, number, switch or time that the schema wants."""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_rcabench.files.times import read_offset, read_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_rcabench.files.yaml_nodes import Scalar

Schema: TypeAlias = dict[str, Any]

_SHOWN_CHARACTERS = 60
# Source: RFC 8259, section 6. No number of a metric is longer than this.
_NUMBER = re.compile(r"(?=.{1,40}$)-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


def read_scalar(node: Scalar, schema: Schema) -> object:
    """Return the value of *node*: the text as written wherever *schema* allows a text.

    Raises:
        ValueError: if it is not what *schema* wants, in words for the author of the file.
    """
    kind = schema.get("type", "string")
    kinds = [kind] if isinstance(kind, str) else kind
    if node.is_null:
        if "null" in kinds:
            return None
        raise ValueError('is empty; delete the key, or quote it ("", "null") if that is the text')
    if "string" in kinds:
        return _read_text(node.text, schema)
    if "boolean" in kinds:
        if not node.is_plain or node.text not in {"true", "false"}:
            raise ValueError(f"{shown(node.text)} is no switch; write true or false")
        return node.text == "true"
    remedy = "; null is a gap" if "null" in kinds else ""
    if not node.is_plain or not _NUMBER.fullmatch(node.text):
        raise ValueError(f"{shown(node.text)} is no number; write it as in JSON, unquoted{remedy}")
    return _in_range(float(node.text), schema)


def _in_range(value: float, schema: Schema) -> float:
    if not math.isfinite(value):
        raise ValueError("is larger than any number here; write a finite one")
    if value <= schema.get("exclusiveMinimum", -math.inf):
        raise ValueError(f"{value} is too small; write more than {schema['exclusiveMinimum']}")
    if value < schema.get("minimum", -math.inf):
        raise ValueError(f"{value} is too small; write {schema['minimum']} or more")
    if value > schema.get("maximum", math.inf):
        raise ValueError(f"{value} is too large; write {schema['maximum']} or less")
    return value


def _read_text(text: str, schema: Schema) -> object:
    if _NO_TEXT.search(text):
        raise ValueError("holds a NUL or half a surrogate pair; delete it")
    if "const" in schema and text != schema["const"]:
        wanted = schema["const"]
        raise ValueError(f"{shown(text)} is not read by this version; write {wanted} or upgrade")
    if "enum" in schema and text not in schema["enum"]:
        remedy = did_you_mean(text, schema["enum"]) or f"write one of {', '.join(schema['enum'])}"
        raise ValueError(f"{shown(text)} is not known; {remedy}")
    if "pattern" in schema and not re.fullmatch(schema["pattern"], text):
        raise ValueError(f"{shown(text)} {schema['patternErrorMessage']}")
    read = _FORMATS.get(schema.get("format", ""))
    return read(text) if read else text


def _read_regex(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        remedy = "escape what is meant as text"
        raise ValueError(f"{shown(text)} is no regular expression ({error}); {remedy}") from None
    return text


_FORMATS: Mapping[str, Callable[[str], object]] = {
    "date-time": read_time,
    "utc-offset": read_offset,
    "regex": _read_regex,
}


def did_you_mean(text: str, known: Iterable[str]) -> str:
    """Return a question after the one of *known* that *text* nearly is, or an empty text."""
    folded = text[:_SHOWN_CHARACTERS].casefold()
    tries = (folded, folded.replace("-", "_").replace(" ", "_"), folded.replace("_", "-"))
    close = next((found[0] for word in tries if (found := get_close_matches(word, known, 1))), "")
    return f"did you mean {close}?" if close else ""


def shown(text: str) -> str:
    """Return *text* quoted, and cut where it is long."""
    return repr(text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…")
