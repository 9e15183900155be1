"""What a log layout is, and how a stream of lines becomes records. The layouts themselves stand beside this."""

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

LEVELS: Mapping[str, str] = {
    word: level
    for level, words in {
        "DEBUG": "TRACE DEBUG DEBUG1 DEBUG2 DEBUG3 DEBUG4 DEBUG5",
        "INFO": "INFO NOTICE LOG NORMAL",
        "WARN": "WARN WARNING",
        "ERROR": "ERROR ERR SEVERE",
        "FATAL": "FATAL CRIT CRITICAL ALERT EMERG PANIC",
    }.items()
    for word in words.split()
}


class LogLine(NamedTuple):
    """One line taken apart: *time* as printed, *level* folded, and *message*, which is all the rest.

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
    """One layout: *pattern* has the groups time, level, before and message; before and message are shown.

    *needs_zone* says that the layout prints no zone. *levels* folds the words of the level group, which
    are looked up in capitals; lines of a level in *joined* continue the record before them.
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
        level = self.levels.get(level.upper(), "") if level else ""
        return LogLine(time, level, before + message)


@dataclass(frozen=True, slots=True)
class ParsedStream:
    """The *records* of a stream in file order, and where they came from.

    *first_lines* [n]: the line, counted from 0, on which each record starts. *continued*: the lines that did
    not parse and went to the record before them. *wrong*: lines that cannot be used, with the reason.
    """

    records: tuple[LogRecord, ...]
    first_lines: tuple[int, ...]
    continued: tuple[int, ...]
    wrong: tuple[tuple[int, str], ...]


def parse_stream(  # noqa: PLR0913 - a stream has these six properties in the file too
    lines: str,
    layout: LogFormat,
    *,
    window: Window,
    zone: timezone | None = None,
    service: str = "",
    host: str = "",
) -> ParsedStream:
    """Return the records of the text *lines*, written in *layout*, in the order in which they stand.

    *zone* is the UTC offset of a layout that prints none; *window* gives a year to one that prints none.
    """
    records: list[LogRecord] = []
    first_lines: list[int] = []
    continued: list[int] = []
    wrong: list[tuple[int, str]] = []
    more: list[str] = []

    def finish() -> None:
        if more:
            last = records[-1]
            records[-1] = last._replace(message="\n".join([last.message, *more]))
            more.clear()

    for number, line in enumerate(lines.rstrip("\n").split("\n")):
        parsed = layout.parse(line)
        if parsed is None or parsed.continues:
            if not records and not wrong:
                wrong.append((number, _first_line_remedy(layout)))
            elif records:
                more.append(line if parsed is None else parsed.message)
                continued.append(number)
            continue
        try:
            time = layout.read_time(parsed.time, zone, window)
        except ValueError as error:
            wrong.append((number, str(error)))
            continue
        finish()
        records.append(LogRecord(time, service, host, parsed.level, parsed.message))
        first_lines.append(number)
    finish()
    return ParsedStream(tuple(records), tuple(first_lines), tuple(continued), tuple(wrong))


def _first_line_remedy(layout: LogFormat) -> str:
    return (
        f"the first line is not written as {layout.name}; such a line looks like: {layout.example}"
    )
