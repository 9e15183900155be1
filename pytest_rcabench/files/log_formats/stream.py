"""What a log layout is, and how a stream of lines becomes records.

The layouts themselves stand in ``layouts.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.domain.incident import LogRecord
from pytest_rcabench.files.times import to_utc

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping
    from datetime import datetime, timezone

    from pytest_rcabench.domain.incident import Window

_WORDS = {
    "DEBUG": "TRACE DEBUG DEBUG1 DEBUG2 DEBUG3 DEBUG4 DEBUG5",
    "INFO": "INFO NOTICE LOG NORMAL",
    "WARN": "WARN WARNING",
    "ERROR": "ERROR ERR SEVERE",
    "FATAL": "FATAL CRIT CRITICAL ALERT EMERG PANIC",
}
LEVELS: Mapping[str, str] = {
    word: level for level, words in _WORDS.items() for word in words.split()
}


class LogLine(NamedTuple):
    """One line taken apart: *time* as printed, *level* folded, and *message*, all the rest.

    A line that *continues* belongs to the record before it although it has a time of its own.
    """

    time: str
    level: str
    message: str
    continues: bool = False


def _iso_time(text: str, zone: timezone | None, _window: Window) -> datetime:
    return to_utc(text, zone)


@dataclass(frozen=True, slots=True)
class LogFormat:
    """One layout; *example* is a line of it.

    *pattern* has the groups time, level, before and message; the last two are kept as the message.
    *needs_zone* says that the layout prints no zone. *levels* folds what the level group finds, in
    capitals; lines of a level in *joined* continue the record before them.
    """

    name: str
    pattern: re.Pattern[str]
    example: str
    needs_zone: bool = False
    levels: Mapping[str, str] = field(default_factory=lambda: LEVELS)
    joined: frozenset[str] = frozenset()
    read_time: Callable[[str, timezone | None, Window], datetime] = _iso_time

    def parse(self, line: str) -> LogLine | None:
        """Return *line* taken apart, or None where it is not written in this layout."""
        found = self.pattern.fullmatch(line)
        if not found:
            return None
        time, level, before, message = found.group("time", "level", "before", "message")
        if level in self.joined:
            return LogLine(time, "", line[found.end("time") :].lstrip(), continues=True)
        folded = self.levels.get(level.upper(), "") if level else ""
        return LogLine(time, folded, before + (message or ""))


@dataclass(frozen=True, slots=True)
class ParsedStream:
    """The *records* of a stream in the order of its lines, and where they came from.

    *first_lines* [n]: the line, counted from 0, on which each record starts. *continued*: the lines
    that went to the record before them. *wrong*: the lines that cannot be used, and why.
    """

    records: tuple[LogRecord, ...]
    first_lines: tuple[int, ...]
    continued: tuple[int, ...]
    wrong: tuple[tuple[int, str], ...]


def parse_stream(
    lines: str,
    layout: LogFormat,
    *,
    window: Window,
    zone: timezone | None = None,
    service: str = "",
    host: str = "",
) -> ParsedStream:
    """Return the records of the text *lines*, which are in *layout*, in their order.

    *zone* is the UTC offset of a layout that prints none; *window* gives a year where none is
    printed. Empty lines at the end are no part of a record.
    """
    starts: list[tuple[int, LogRecord]] = []
    more: dict[int, list[str]] = {}
    continued: list[int] = []
    wrong: list[tuple[int, str]] = []
    for number, line in enumerate(lines.rstrip("\n").split("\n")):
        parsed = layout.parse(line)
        if parsed is not None and not parsed.continues:
            try:
                time = layout.read_time(parsed.time, zone, window)
            except ValueError as error:
                wrong.append((number, str(error)))
            else:
                starts.append(
                    (number, LogRecord(time, service, host, parsed.level, parsed.message))
                )
        elif starts:
            more.setdefault(starts[-1][0], []).append(parsed.message if parsed else line)
            continued.append(number)
        elif not wrong:
            what = f"the first line is not in the layout {layout.name}; write it like"
            wrong.append((number, f"{what}: {layout.example}"))
    records = (
        record._replace(message="\n".join([record.message, *more[number]]))
        if number in more
        else record
        for number, record in starts
    )
    first_lines = tuple(number for number, _ in starts)
    return ParsedStream(tuple(records), first_lines, tuple(continued), tuple(wrong))
