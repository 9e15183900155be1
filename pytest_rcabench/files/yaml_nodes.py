"""YAML text -> nodes that keep every scalar as it was written and know where it stands.

YAML's own idea of types is not used: a sha never becomes a number, nor a date a datetime. What two
YAML tools could read differently (anchors, tags, merge keys, tabs, double keys) is refused, and so
is what could exhaust a machine. The parser's events are read instead of its tree, because depth and
aliases can then be refused before anything is built from them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Event: TypeAlias = (
        Any  # the stubs know neither which events have an anchor nor that all have marks
    )
    Report: TypeAlias = Callable[[int, int, str, str], None]

MAX_BYTES = 16 * 1024 * 1024
_MAX_DEPTH = 24
_SHOWN_CHARACTERS = 3
CONTROL_CHARACTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]"
)
# Source: the types of YAML 1.1, https://yaml.org/type/
_NO_TEXT = re.compile(r"(?i)y|n|yes|no|on|off|true|false|null|~|[-+.]?[0-9].*")
_BLOCK_HEAD = re.compile("[|>](?:[1-9]?[-+]?|[-+][1-9])(?: +(?:#.*)?)?")
# What both parsers say of a key that stands too far left or right; a colon in a text looks alike.
_MISPLACED = (
    "did not find expected key",
    "did not find expected '-' indicator",
    "expected <block end>",
    "mapping values are not allowed",
)
_QUOTE = "if it is text, quote it or put it into a block (|)"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text as it was written; *style* is YAML's: ``|``, ``>``, a quote, or empty."""

    text: str
    style: str
    line: int
    column: int

    @property
    def is_plain(self) -> bool:
        """Whether it stands without quotes and in no block."""
        return not self.style

    @property
    def is_null(self) -> bool:
        """Whether it says that there is nothing: an unquoted null or ~, or nothing at all."""
        return self.is_plain and self.text in {"", "~", "null", "Null", "NULL"}


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
    r"""Return the text of a file, its lines ended by ``\n`` alone, or None if it is no text.

    Another character stands in for one that is reported, so that reading can go on.
    """
    if len(content) > MAX_BYTES:
        report(1, 1, "", f"the file is larger than {MAX_BYTES >> 20} MiB; cut its window down")
        return None
    if isinstance(content, bytes):
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            report(1, 1, "", "the file is UTF-16; save it as UTF-8")
            return None
        content = _decode_utf8(content, report)
    text = content.removeprefix("\ufeff").replace("\r\n", "\n")
    found = list(CONTROL_CHARACTERS.finditer(text))
    for number, character in enumerate(found[:_SHOWN_CHARACTERS], 1):
        code = ord(character.group())
        what = f'the character U+{code:04X} stands here; in a text between " write it \\u{code:04x}'
        if number == _SHOWN_CHARACTERS < len(found):
            what += f" ({len(found) - number} more such characters follow)"
        report(*_place(text[: character.start()]), "", what)
    return CONTROL_CHARACTERS.sub("?", text) if found else text


def _decode_utf8(content: bytes, report: Report) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _place(content[: error.start].decode("utf-8"))
        what = f"the byte 0x{content[error.start]:02x} is no UTF-8; save the file as UTF-8"
        report(line, column, "", what)
        return content.decode("utf-8", errors="replace")


def _place(text_before: str) -> tuple[int, int]:
    return text_before.count("\n") + 1, len(text_before) - text_before.rfind("\n")


def read_nodes(text: str, report: Report, *, pure_python: bool = False) -> Node | None:
    """Return the one document of *text*, or None if it has none that can be read.

    *pure_python* reads without libyaml, which gives the same nodes and is many times slower.
    """
    fast = None if pure_python else getattr(yaml, "CSafeLoader", None)
    return _Reader(text, yaml.parse(text, Loader=fast or yaml.SafeLoader), report).document()


class _TooDeep(Exception):  # noqa: N818 - ends the reading of a file and is seen by nobody
    """Reading on could exhaust the stack."""


class _Reader:
    def __init__(self, text: str, events: Iterator[Event], report: Report) -> None:
        self._text = text
        self._events = events
        self._report = report
        self._end_of_last = 0
        self._last_line_reported = 0
        self._has_tabs = "\t" in text
        self._brackets = 0

    def document(self) -> Node | None:
        """Return the first document and report any other."""
        root: Node | None = None
        try:
            for event in self._events:
                if not isinstance(event, yaml.DocumentStartEvent):
                    continue
                if root is not None:
                    self._problem(event, "", "a second document starts; write one incident a file")
                    break
                root = self._node(self._next(), "", 0)
        except yaml.MarkedYAMLError as error:
            self._syntax(error)
            return None
        except _TooDeep:
            return None
        if root is None:
            self._report(1, 1, "", "the file is empty; write an incident or delete it")
        return root

    def _syntax(self, error: yaml.MarkedYAMLError) -> None:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if line == self._last_line_reported:
            return  # the parser stumbles over what is reported already: an alias that was none, say
        problem = error.problem or error.context or "this is no YAML"
        remedy = (
            "quote a text that holds ': ' or ' #' or starts with one of * & ! [ { % @ ` or put it "
            "into a block (|, or |2 where its first line starts with blanks)"
        )
        if "\\t" in problem or "tab" in problem:
            remedy = "indent and part with blanks, never with tabs"
        elif any(sign in problem for sign in _MISPLACED):
            remedy = f"indent it like the keys beside it, or {remedy}"
        self._report(line, column, "", f"{problem}; {remedy}")

    def _problem(self, event: Event, where: str, what: str) -> None:
        self._last_line_reported = event.start_mark.line + 1
        self._report(self._last_line_reported, event.start_mark.column + 1, where, what)

    def _next(self) -> Event:
        event = next(self._events)
        self._refuse_what_one_parser_takes(event)
        self._end_of_last = event.end_mark.index
        self._brackets += (getattr(event, "flow_style", None) is True) - self._closes(event)
        return event

    def _closes(self, event: Event) -> bool:
        ends = isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent))
        return ends and self._text[event.start_mark.index : event.end_mark.index] in {"]", "}"}

    def _refuse_what_one_parser_takes(self, event: Event) -> None:
        gap = self._text[self._end_of_last : event.start_mark.index] if self._has_tabs else ""
        if "\t" in gap and "\t" in re.sub("#.*", "", gap):
            self._tab_after(self._end_of_last, "a tab stands here; indent and part with blanks")
        if getattr(event, "style", None) in {"|", ">"}:
            self._refuse_block(event)
        elif self._brackets and not getattr(event, "style", "'") and "?" in event.value:
            self._problem(event, "", "a text with ? stands in brackets; quote it")

    def _refuse_block(self, event: Event) -> None:
        start = event.start_mark.index
        head = self._text[start : self._text.find("\n", start)]
        if not _BLOCK_HEAD.fullmatch(head):
            self._problem(event, "", "a block starts with | and nothing else in its line")
        elif event.value.lstrip("\n").startswith("\t") and not re.search("[1-9]", head[:3]):
            self._tab_after(start, "the first line of this block starts with a tab; write |2")

    def _tab_after(self, start: int, what: str) -> None:
        line, column = _place(self._text[: self._text.index("\t", start)])
        self._last_line_reported = line
        self._report(line, column, "", what)

    def _node(self, event: Event, where: str, depth: int) -> Node:
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if isinstance(event, yaml.AliasEvent):
            self._problem(event, where, f"the alias *{event.anchor} is refused; {_QUOTE}")
            return Refused(line, column)
        if depth > _MAX_DEPTH:
            self._problem(event, "", f"this is nested more than {_MAX_DEPTH} deep; no incident is")
            raise _TooDeep
        if event.anchor is not None:
            self._problem(event, where, f"the anchor &{event.anchor} is refused; {_QUOTE}")
        if event.tag is not None:
            self._problem(event, where, f"the tag {event.tag} is refused; {_QUOTE}")
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(event.value, event.style or "", line, column)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(Mapping(line, column), where, depth + 1)
        items: list[Node] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            items.append(self._node(event, f"{where}[{len(items)}]", depth + 1))
        return Sequence(line, column, items)

    def _mapping(self, mapping: Mapping, where: str, depth: int) -> Mapping:
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._node(event, where, depth)
            text = key.text if isinstance(key, Scalar) else "?"
            inner = f"{where}.{text}" if where else text
            end_of_key = self._end_of_last
            value_event = self._next()
            touches = value_event.start_mark.index == end_of_key + 1 < value_event.end_mark.index
            value = self._node(value_event, inner, depth)
            if touches and isinstance(key, Scalar) and key.is_plain:
                self._problem(event, inner, "the value touches the colon; part them with a blank")
            if what := _wrong_with_key(key, mapping):
                self._problem(event, inner, what)
            elif isinstance(key, Scalar):
                mapping.keys[text] = key
                mapping.entries[text] = value
        return mapping


def _wrong_with_key(key: Node, mapping: Mapping) -> str:
    if not isinstance(key, Scalar):
        return "a key is no text; write a name"
    if key.text in mapping.keys:
        first = mapping.keys[key.text].line
        return f"this key stands twice, first in line {first}; keep one of them"
    if key.is_plain and key.text == "<<":
        return "merge keys are refused; write the keys out"
    if key.is_plain and _NO_TEXT.fullmatch(key.text):
        return f"YAML reads an unquoted {key.text} as no text; quote the key or spell it right"
    return ""
