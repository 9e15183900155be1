"""Reads the files of other people's data sets.

An odd file is an error with its place, never an empty import.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeVar

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.files.times import read_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

_Parsed = TypeVar("_Parsed")
# float() reads 1_000 and digits of other scripts, which are damage and no measurement.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Entry:
    """One object or row of a source file; *place* is its ``file:line`` or ``file[index]``."""

    place: str
    fields: Mapping[str, object]

    def text(self, key: str) -> str:
        """Return the text of *key*. Raises: RcabenchError: if there is none."""
        value = self._field(key)
        return value if isinstance(value, str) else self._refuse(key, value, "a text")

    def texts(self, key: str) -> list[str]:
        """Return the list of texts of *key*. Raises: RcabenchError: if it is no such list."""
        value = self._field(key)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
        return self._refuse(key, value, "a list of texts")

    def time(self, key: str) -> datetime:
        """Return the RFC 3339 time of *key* in UTC. Raises: RcabenchError: if it is none."""
        try:
            return read_time(self.text(key))
        except ValueError as error:
            raise RcabenchError(f"{self.place}: {key}: {error}") from error

    def number(self, key: str) -> float:
        """Return the finite number of *key*. Raises: RcabenchError: if it is none."""
        value = self._field(key)
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            return value
        return self._refuse(key, value, "a finite number")

    def entries(self, key: str) -> tuple[Entry, ...]:
        """Return the objects in the list of *key*, none where there is no such field."""
        return _entries(self.fields.get(key, []), f"{self.place}: {key}")

    def entry(self, key: str) -> Entry:
        """Return the object of *key*. Raises: RcabenchError: if it is none."""
        return _object(self._field(key), f"{self.place}: {key}")

    def rest(self, *taken: str) -> str:
        """Return every field but those *taken* as ``key=value`` text, so that nothing gets lost."""
        left = ((key, value) for key, value in self.fields.items() if key not in taken)
        return " ".join(f"{key}={_shown(value)}" for key, value in left if value is not None)

    def _field(self, key: str) -> object:
        if key in self.fields:
            return self.fields[key]
        there = ", ".join(self.fields) or "nothing"
        raise RcabenchError(
            f"{self.place}: no {key!r}, only {there}; "
            "if this is an error reply that was saved in its place, fetch the file again"
        )

    def _refuse(self, key: str, value: object, wanted: str) -> NoReturn:
        raise RcabenchError(
            f"{self.place}: {key}: expected {wanted}, found {str(value)[:80]!r}; correct the file"
        )


def read_object(path: Path) -> Entry:
    """Return the one JSON object in *path*. Raises: RcabenchError: if there is anything else."""
    return _object(parse_file(path, _from_json), str(path))


def read_list(path: Path) -> tuple[Entry, ...]:
    """Return the objects of the JSON list in *path*. Raises: RcabenchError: if it is none."""
    return _entries(parse_file(path, _from_json), str(path))


def read_lines(path: Path) -> tuple[Entry, ...]:
    """Return the objects in *path*, one a line. Raises: RcabenchError: if a line is none."""
    # Only \n ends a line: str.splitlines would cut at a U+2028 inside a message.
    lines = enumerate(parse_file(path, str).split("\n"), 1)
    return tuple(
        _object(_parse(line, _from_json, f"{path}:{number}"), f"{path}:{number}")
        for number, line in lines
        if line.strip()
    )


def read_table(path: Path, *columns: str) -> tuple[Entry, ...]:
    """Return the rows of the CSV file *path*, which must have exactly these *columns*.

    Raises: RcabenchError: if its head or a row has others.
    """
    rows = parse_file(path, lambda text: list(csv.reader(io.StringIO(text), strict=True)))
    if not rows or rows[0] != [*columns]:
        head = ",".join(rows[0])[:80] if rows else "nothing"
        wanted = ",".join(columns)
        raise RcabenchError(
            f"{path}:1: expected the columns {wanted}, found {head}; fetch the file again"
        )
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(columns):
            what = f"{len(row)} values for {len(columns)} columns"
            raise RcabenchError(f"{path}:{number}: {what}; correct the row")
    return tuple(
        Entry(f"{path}:{number}", dict(zip(columns, row, strict=True)))
        for number, row in enumerate(rows[1:], 2)
    )


def parse_file(path: Path, parse: Callable[[str], _Parsed]) -> _Parsed:
    """Return what *parse* makes of the UTF-8 text of *path*, without its byte order mark.

    Raises: RcabenchError: if the file cannot be read, or *parse* raises a ValueError.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RcabenchError(
            f"{path}: cannot be read ({error.strerror}); give a complete copy of the data set"
        ) from error
    return _parse(content, lambda raw: parse(raw.decode("utf-8-sig")), str(path))


def one_line(text: str) -> str:
    """Return *text* with its line ends and control characters written as JSON escapes."""
    return _CONTROL.sub(lambda found: json.dumps(found.group())[1:-1], text)


_Raw = TypeVar("_Raw", str, bytes)


def _parse(raw: _Raw, parse: Callable[[_Raw], _Parsed], place: str) -> _Parsed:
    try:
        return parse(raw)
    except (ValueError, RecursionError, csv.Error) as error:
        raise RcabenchError(
            f"{place}: cannot be parsed ({error}); it is cut off or damaged, fetch it again"
        ) from error


def _from_json(text: str) -> object:
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _entries(value: object, place: str) -> tuple[Entry, ...]:
    if not isinstance(value, list):
        raise RcabenchError(
            f"{place}: expected a list, found {_shown(value)[:80]}; "
            "if this is an error reply that was saved in its place, fetch the file again"
        )
    return tuple(_object(item, f"{place}[{index}]") for index, item in enumerate(value))


def _object(value: object, place: str) -> Entry:
    if not isinstance(value, dict):
        found = _shown(value)[:80]
        raise RcabenchError(f"{place}: expected an object, found {found}; correct the file")
    return Entry(place, value)


def _shown(value: object) -> str:
    if isinstance(value, str) and value and not re.search(r'[\s"=]', value):
        return one_line(value)
    return one_line(json.dumps(value, ensure_ascii=False))
