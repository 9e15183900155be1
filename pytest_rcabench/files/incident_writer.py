"""A plain incident document -> the YAML text that a person would have written.

No YAML library writes tabs, carriage returns and leading blanks inside a block the way logs and
diffs need them, so the layout is ours; every scalar that is not a block is written as JSON, which
YAML reads as it stands.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pytest_rcabench.files.yaml_nodes import CONTROL_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCHEMA_LINE = "# yaml-language-server: $schema={}\n"
_WIDTH = 110
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_READ_AS_SOMETHING_ELSE = re.compile(r"(?i)y|n|yes|no|on|off|true|false|null|none|nan|inf")


def render_incident(document: Mapping[str, object], *, schema_path: str) -> str:
    """Return *document* (the contract's shape) as YAML text, with *schema_path* in its first line.

    Editors read that line.
    """
    return SCHEMA_LINE.format(schema_path) + render_document(document)


def render_document(document: Mapping[str, object]) -> str:
    """Return *document*, made of plain dicts, lists and scalars, as YAML text.

    Keys keep their order, and strings of several lines become blocks. Reading the text back gives
    the same document, but for half a surrogate pair, which YAML cannot say and which becomes
    U+FFFD.
    """
    out: list[str] = []
    for key, value in document.items():
        if isinstance(value, (list, dict)) and value and key not in {"source", "window"}:
            out.append("\n")
        _write_entry(out, key, value, "")
    return "".join(out)


def _write_entry(out: list[str], key: str, value: object, indent: str) -> None:
    head = f"{indent}{_scalar(key)}:"
    if isinstance(value, str) and _is_block(value):
        out.append(f"{head} {_block(value, indent + '  ')}")
    elif not isinstance(value, (dict, list)) or not value or _fits(value, len(head) + 1):
        out.append(f"{head} {_flow(value)}\n")
    elif isinstance(value, dict):
        out.append(f"{head}\n")
        _write_mapping(out, value, indent + "  ")
    elif all(item is None or isinstance(item, (int, float)) for item in value):
        out.append(f"{head}\n{indent}  [{_wrapped(value, indent + '   ')}]\n")
    else:
        out.append(f"{head}\n")
        _write_list(out, value, indent + "  ")


def _write_mapping(out: list[str], value: Mapping[str, object], indent: str) -> None:
    for key, item in value.items():
        _write_entry(out, key, item, indent)


def _write_list(out: list[str], items: Sequence[object], indent: str) -> None:
    for item in items:
        if isinstance(item, str) and _is_block(item):
            out.append(f"{indent}- {_block(item, indent + '  ')}")
        elif isinstance(item, dict) and item and not _fits(item, len(indent) + 2):
            nested: list[str] = []
            _write_mapping(nested, item, indent + "  ")
            nested[0] = f"{indent}- " + nested[0][len(indent) + 2 :]
            out += nested
        else:
            out.append(f"{indent}- {_flow(item)}\n")


def _fits(value: object, taken: int) -> bool:
    return not _holds_block(value) and taken + len(_flow(value)) <= _WIDTH


def _holds_block(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds_block(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_block(item) for item in value)
    return isinstance(value, str) and _is_block(value)


def _is_block(text: str) -> bool:
    # Blank lines at the end would run into the blank line that parts two sections.
    ends_in_blank = text.endswith("\n\n")
    return (
        "\n" in text
        and not ends_in_blank
        and bool(text.strip())
        # A block cannot hold these, nor line ends that YAML folds or drops.
        and not CONTROL_CHARACTERS.search(text)
    )


def _block(text: str, indent: str) -> str:
    body = text.removesuffix("\n")
    chomp = "-" if body == text else ""
    # Needed where the first line with text starts with a blank: a stack trace, a diff's context.
    leads_with_blank = body.lstrip("\n")[:1] in {" ", "\t"} or body.startswith("\n")
    hint = "2" if leads_with_blank else ""
    lines = (f"{indent}{line}\n" if line else "\n" for line in body.split("\n"))
    return f"|{hint}{chomp}\n" + "".join(lines)


def _flow(value: object) -> str:
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{_scalar(key)}: {_flow(item)}" for key, item in value.items()) + "}"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _scalar(value)


def _scalar(value: object) -> str:
    if (
        isinstance(value, str)
        and _PLAIN.fullmatch(value)
        and not _READ_AS_SOMETHING_ELSE.fullmatch(value)
    ):
        return value
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if isinstance(value, float) and "." not in text:
        text = text.replace("e", ".0e")  # without a point YAML 1.1 takes 1e-05 for a text
    return CONTROL_CHARACTERS.sub(lambda found: _escaped(found.group()), text)


def _escaped(character: str) -> str:
    return "\\ufffd" if "\ud800" <= character <= "\udfff" else f"\\u{ord(character):04x}"


def _wrapped(values: Sequence[object], indent: str) -> str:
    lines, line = [], ""
    for text in (_scalar(value) for value in values):
        if line and len(indent) + len(line) + len(text) + 3 > _WIDTH:
            lines.append(line + ",")
            line = text
        else:
            line = f"{line}, {text}" if line else text
    return f"\n{indent}".join([*lines, line])
