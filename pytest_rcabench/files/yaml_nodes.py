"""YAML text -> nodes that keep every scalar as it was written and know where it stands.

YAML's own idea of types is not used: a sha never becomes a number, nor a date a datetime. Whatever two YAML
tools could read differently (anchors, tags, merge keys, tabs, double keys) is refused, and so is what could
exhaust a machine. Sources: YAML 1.1 and the difference between PyYAML's two parsers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    Event: TypeAlias = yaml.events.Event

MAX_BYTES = 16 * 1024 * 1024
_MAX_DEPTH = 24
_SHOWN = 3
_REFUSED_CHARACTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]"
)
_READ_AS_NO_TEXT = re.compile(r"(?i)y|n|yes|no|on|off|true|false|null|~|[-+.]?[0-9].*")
_QUOTE = "quote it, or put it into a block (|)"


class Report(Protocol):
    """Take down one problem at a line and column that count from 1."""

    def __call__(self, line: int, column: int, where: str, what: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text as written; *plain* means that it stands without quotes, *style* is YAML's (``|``, ``>``, quotes)."""

    text: str
    style: str
    line: int
    column: int

    @property
    def plain(self) -> bool:
        """Whether it stands without quotes and in no block."""
        return not self.style

    @property
    def is_null(self) -> bool:
        """Whether it says that there is nothing: an unquoted null, ~ or no text at all."""
        return self.plain and self.text in {"", "~", "null", "Null", "NULL"}


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    line: int
    column: int
    items: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mapping:
    """Nodes by key, in the order of the file, and the *keys* with their places."""

    line: int
    column: int
    entries: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """A node that cannot be used; the reason is reported already."""

    line: int
    column: int


Node: TypeAlias = Scalar | Sequence | Mapping | Refused


def decode(content: bytes | str, report: Report) -> str | None:
    """Return the text of a file with ``\\n`` as its only line end and no byte-order mark, or None."""
    if len(content) > MAX_BYTES:
        report(1, 1, "", f"the file is larger than {MAX_BYTES >> 20} MiB; cut its window down")
        return None
    if isinstance(content, bytes):
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            before = content[: error.start]
            line = before.count(b"\n") + 1
            column = error.start - (before.rfind(b"\n") + 1) + 1
            byte = content[error.start]
            report(line, column, "", f"the byte 0x{byte:02x} is no UTF-8; save the file as UTF-8")
            return None
    else:
        text = content
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return text if _has_only_printable(text, report) else None


def _has_only_printable(text: str, report: Report) -> bool:
    count = 0
    line, line_start, scanned = 1, 0, 0
    for found in _REFUSED_CHARACTERS.finditer(text):
        count += 1
        if count <= _SHOWN:
            line += text.count("\n", scanned, found.start())
            line_start = text.rfind("\n", 0, found.start()) + 1
            scanned = found.start()
            code = ord(found.group())
            remedy = f'delete it, or write it as \\u{code:04x} in a text between " quotes'
            report(
                line,
                found.start() - line_start + 1,
                "",
                f"the character U+{code:04X} is not allowed; {remedy}",
            )
    if count > _SHOWN:
        report(
            line,
            found.start() - line_start + 1,
            "",
            f"{count - _SHOWN} more such characters follow",
        )
    return count == 0


def read_nodes(text: str, report: Report, *, pure_python: bool = False) -> Node | None:
    """Return the one document of *text*, or None if it has none that can be read.

    *pure_python* reads without libyaml, which gives the same nodes and is many times slower.
    """
    fast = None if pure_python else getattr(yaml, "CSafeLoader", None)
    events = yaml.parse(text, Loader=fast or yaml.SafeLoader)
    return _Reader(text, events, report).document()


class _Stop(Exception):  # noqa: N818 - ends the reading of a file, and is no error that anybody sees
    """Reading on would be dangerous or pointless."""


class _Reader:
    def __init__(self, text: str, events: Iterator[Event], report: Report) -> None:
        self._text = text
        self._events = events
        self._report = report
        self._end_of_last = 0
        self._last_problem_line = 0
        self._has_tabs = "\t" in text

    def document(self) -> Node | None:
        """Return the first document and report any other."""
        root: Node | None = None
        try:
            for event in self._events:
                if isinstance(event, yaml.DocumentStartEvent):
                    if root is not None:
                        self._problem(
                            event, "", "a second document starts here; write one incident a file"
                        )
                        return root
                    root = self._node(self._next(), "", 0)
        except yaml.MarkedYAMLError as error:
            self._syntax(error)
            return None
        except _Stop:
            return None
        if root is None:
            self._report(1, 1, "", "the file is empty; write an incident or delete it")
        return root

    def _syntax(self, error: yaml.MarkedYAMLError) -> None:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if line == self._last_problem_line:
            return  # an alias that was none, say: the parser stumbles over what is reported already
        problem = error.problem or error.context or "this is no YAML"
        if "\\t" in problem or "tab" in problem:
            remedy = "indent and part with blanks, never with tabs"
        else:
            remedy = (
                "quote a text that holds ': ' or ' #' or starts with one of * & ! [ { % @ `, or put it into a block "
                "(|; |2 where its first line starts with blanks)"
            )
        self._report(line, column, "", f"{problem}; {remedy}")

    def _problem(self, event: Event, where: str, what: str) -> None:
        self._last_problem_line = event.start_mark.line + 1
        self._report(self._last_problem_line, event.start_mark.column + 1, where, what)

    def _next(self) -> Event:
        event = next(self._events)
        if self._has_tabs:
            self._refuse_tab(event)
        return event

    def _refuse_tab(self, event: Event) -> None:
        # libyaml takes a tab between tokens and PyYAML's own parser does not.
        start = event.start_mark.index
        gap = self._text[self._end_of_last : start]
        if "\t" in gap and "\t" in re.sub("#.*", "", gap):
            self._problem(event, "", "a tab stands before this; indent and part with blanks")
        self._end_of_last = event.end_mark.index

    def _node(self, event: Event, where: str, depth: int) -> Node:
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if isinstance(event, yaml.AliasEvent):
            self._problem(
                event, where, f"the alias *{event.anchor} is refused; if it is text, {_QUOTE}"
            )
            return Refused(line, column)
        if depth > _MAX_DEPTH:
            self._problem(
                event,
                where.split("[0][0]")[0],
                f"this is nested more than {_MAX_DEPTH} deep; no incident is",
            )
            raise _Stop
        if event.anchor is not None:
            self._problem(
                event, where, f"the anchor &{event.anchor} is refused; if it is text, {_QUOTE}"
            )
        if event.tag is not None:
            self._problem(event, where, f"the tag {event.tag} is refused; if it is text, {_QUOTE}")
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(event.value, event.style or "", line, column)
        if isinstance(event, yaml.SequenceStartEvent):
            sequence = Sequence(line, column)
            while not isinstance(event := self._next(), yaml.SequenceEndEvent):
                sequence.items.append(
                    self._node(event, f"{where}[{len(sequence.items)}]", depth + 1)
                )
            return sequence
        return self._mapping(Mapping(line, column), where, depth)

    def _mapping(self, mapping: Mapping, where: str, depth: int) -> Mapping:
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._node(event, where, depth + 1)
            text = key.text if isinstance(key, Scalar) else "?"
            inner = f"{where}.{text}" if where else text
            value = self._node(self._next(), inner, depth + 1)
            if not isinstance(key, Scalar):
                self._problem(event, where, "a key is no plain text; quote it")
            elif text in mapping.keys:
                first = mapping.keys[text].line
                self._problem(
                    event, inner, f"this key stands twice, first in line {first}; keep one of them"
                )
            elif key.plain and text == "<<":
                self._problem(event, inner, "merge keys are refused; write the keys out")
            elif key.plain and _READ_AS_NO_TEXT.fullmatch(text):
                self._problem(
                    event,
                    inner,
                    f"YAML tools read the unquoted key {text} as no text; quote it or spell it right",
                )
            else:
                mapping.keys[text] = key
                mapping.entries[text] = value
        return mapping
