"""FROZEN with the scorer: reply text -> Analysis; what is not certain is a fault, never a guess."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from pytest_rcabench.domain.analysis import Analysis, AnswerFault, Issue, Severity, Usage

if TYPE_CHECKING:
    from pytest_rcabench.domain.analysis import FaultName

MAX_CHARS = 1_000_000
MAX_DEPTH = 32

SEVERITY_WORDS: dict[str, Severity] = {
    word: severity
    for severity, words in {
        Severity.CRITICAL: "critical fatal sev0 sev1 p0 p1",
        Severity.ERROR: "error high sev2 p2",
        Severity.WARNING: "warning warn medium sev3 p3",
        Severity.INFO: "info informational notice low sev4 p4",
    }.items()
    for word in words.split()
}

_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_FENCE = "```"
_WRITTEN_ELSE = re.compile(r"[\s_-]+")
_MAX_TOKENS_DIGITS = 15

_Parsed: TypeAlias = "bool | str | list[_Parsed] | dict[str, _Parsed] | None"


class _Number(str):
    """A JSON number as it was written, because a sha such as 1234567 or 12e4567 is no number."""

    __slots__ = ()


class _Unreadable(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, name: FaultName, detail: str) -> None:
        super().__init__(detail)
        self.fault = AnswerFault(name, detail)


def read_answer(reply: str) -> Analysis:
    """Return the analysis that *reply* holds, or one whose fault says why it cannot be read.

    Never raises. What had to be mended is listed in *repairs*; the reply is kept as it came, but
    for lone surrogates, which no file and no wire can hold.
    """
    repairs: list[str] = []
    kept = _SURROGATE.sub("\ufffd", reply)
    if kept != reply:
        repairs.append("surrogate replaced")
    try:
        return _Reader(repairs).read(kept)
    except _Unreadable as unreadable:
        return Analysis(fault=unreadable.fault, repairs=tuple(repairs), reply=kept)


class _Reader:
    """One reading of one reply; *repairs* collects what had to be mended, each thing once."""

    def __init__(self, repairs: list[str]) -> None:
        self._repairs = repairs

    def read(self, reply: str) -> Analysis:
        document = self._parse(self._unwrap(reply))
        if not isinstance(document, dict) or "issues" not in document:
            kind = "an object without `issues`" if isinstance(document, dict) else _kind(document)
            _refuse("the answer", f'is {kind}; answer {{"issues": [...]}}, empty when all is well')
        issues = _as_list(document["issues"], "issues")
        return Analysis(
            issues=tuple(self._issue(issue, f"issues[{i}]") for i, issue in enumerate(issues)),
            notes=self._texts(document, "notes", "notes"),
            usage=self._usage(document.get("usage")),
            repairs=tuple(self._repairs),
            reply=reply,
        )

    def _unwrap(self, reply: str) -> str:
        """Return the JSON text of *reply*: all of it, or its one fenced block."""
        if len(reply) > MAX_CHARS:
            raise _Unreadable("oversize", f"{len(reply)} characters; at most {MAX_CHARS} are read")
        text = reply.strip()
        if text.startswith("\ufeff"):
            self._mended("byte order mark removed")
            text = text.lstrip("\ufeff").lstrip()
        if not text:
            raise _Unreadable("empty", "the reply holds no text")
        if text.startswith(("{", "[")) or _FENCE not in text:
            return text
        # From the first fence to the last: a second block in between makes it no JSON.
        self._mended("fenced JSON")
        fenced = text[text.find(_FENCE) + len(_FENCE) : text.rfind(_FENCE)].strip()
        return fenced[4:] if fenced[:4].lower() == "json" else fenced

    def _parse(self, text: str) -> _Parsed:
        depth = 0
        for token in _STRING_OR_BRACKET.finditer(text):
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
            if depth > MAX_DEPTH:
                _refuse("the answer", f"is nested deeper than {MAX_DEPTH} levels")
        try:
            parsed: _Parsed = json.loads(
                text,
                parse_int=_Number,
                parse_float=_Number,
                parse_constant=_no_such_number,
                object_pairs_hook=_unique_keys,
            )
        except json.JSONDecodeError as error:
            start = text[:60]
            detail = f"{error.msg} at line {error.lineno} column {error.colno}; it begins {start!r}"
            raise _Unreadable("not_json", detail) from None
        return parsed

    def _issue(self, value: _Parsed, where: str) -> Issue:
        if not isinstance(value, dict):
            _refuse(where, f"is {_kind(value)}, not an object")
        for name in ("title", "severity", "service", "cause"):
            if name not in value:
                _refuse(f"{where}.{name}", "is missing")
        return Issue(
            title=self._text(value["title"], f"{where}.title"),
            severity=self._severity(value["severity"], f"{where}.severity"),
            service=self._text(value["service"], f"{where}.service"),
            cause=self._text(value["cause"], f"{where}.cause"),
            commits=self._texts(value, "commits", f"{where}.commits"),
            ruled_out=self._texts(value, "ruled_out", f"{where}.ruled_out"),
            evidence=self._texts(value, "evidence", f"{where}.evidence"),
            reasoning=self._text(value.get("reasoning") or "", f"{where}.reasoning"),
        )

    def _severity(self, value: _Parsed, where: str) -> Severity:
        word = self._text(value, where)
        folded = _WRITTEN_ELSE.sub("", word.casefold())
        if folded not in SEVERITY_WORDS:
            known = ", ".join(severity.word for severity in Severity)
            also = ", ".join(w for w, s in SEVERITY_WORDS.items() if w != s.word)
            _refuse(where, f"{word!r} is no severity; use {known} (also read: {also})")
        severity = SEVERITY_WORDS[folded]
        if word != severity.word:
            self._mended(f"severity {word!r} read as {severity.word}")
        return severity

    def _texts(self, owner: dict[str, _Parsed], name: str, where: str) -> tuple[str, ...]:
        value = owner.get(name)
        if value is None:
            return ()
        items = _as_list(value, where)
        return tuple(self._text(item, f"{where}[{i}]") for i, item in enumerate(items))

    def _text(self, value: _Parsed, where: str) -> str:
        if not isinstance(value, str):
            _refuse(where, f"is {_kind(value)}, not a text")
        if isinstance(value, _Number):
            self._mended(f"{where}: number {value} read as text")
        if _SURROGATE.search(value):
            self._mended("surrogate replaced")
            value = _SURROGATE.sub("\ufffd", value)
        return str(value)

    def _usage(self, value: _Parsed) -> Usage:
        """Return what is readable of a usage; no verdict hangs on the rest."""
        if value is None:
            return Usage()
        if not isinstance(value, dict):
            self._mended("unreadable usage left out")
            return Usage()
        numbers = {key: self._amount(value.get(key)) for key in Usage.__dataclass_fields__}
        input_tokens, output_tokens = numbers["input_tokens"], numbers["output_tokens"]
        return Usage(
            None if input_tokens is None else int(input_tokens),
            None if output_tokens is None else int(output_tokens),
            numbers["cost_usd"],
        )

    def _amount(self, value: _Parsed) -> float | None:
        if value is None:
            return None
        # 1e999 is infinite; beyond the bound a float no longer counts tokens one by one.
        if not isinstance(value, _Number) or not 0 <= float(value) < 10**_MAX_TOKENS_DIGITS:
            self._mended("unreadable usage left out")
            return None
        return float(value)

    def _mended(self, repair: str) -> None:
        if repair not in self._repairs:
            self._repairs.append(repair)


def _refuse(where: str, what: str) -> NoReturn:
    raise _Unreadable("invalid", f"{where}: {what}" if where != "the answer" else f"{where} {what}")


def _as_list(value: _Parsed, where: str) -> list[_Parsed]:
    if not isinstance(value, list):
        _refuse(where, f"is {_kind(value)}, not a list")
    return value


def _no_such_number(word: str) -> NoReturn:
    raise _Unreadable("not_json", f"{word} is no JSON")


def _unique_keys(pairs: list[tuple[str, _Parsed]]) -> dict[str, _Parsed]:
    document = dict(pairs)
    if len(document) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        _refuse("the answer", f"has the key {twice!r} twice in one object")
    return document


def _kind(value: _Parsed) -> str:
    if value is None:
        return "null"
    if isinstance(value, _Number):
        return "a number"
    names = {bool: "a boolean", str: "a text", list: "a list", dict: "an object"}
    return names[type(value)]
