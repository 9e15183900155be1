"""The log streams of an incident file -> log records, and the lines that cannot be used."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_rcabench.domain.incident import LogRecord, Window
from pytest_rcabench.files.incident_rules import entries, is_written
from pytest_rcabench.files.log_formats import FORMATS, LogFormat, ParsedStream, parse_stream
from pytest_rcabench.files.yaml_nodes import Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rcabench.files.incident_document import Document, Path, Values

_SHOWN_LINES = 3
# Lines are read even when the window cannot be; a leap year knows every day.
_ANY_WINDOW = Window(datetime(2000, 1, 1, tzinfo=UTC), datetime(2000, 12, 31, tzinfo=UTC))


def read_logs(document: Document, values: Values, file_lines: list[str]) -> Iterator[LogRecord]:
    """Yield the records of all streams, and report the lines that make no sense.

    *file_lines* [n] is the text of the file, for the column at which a line starts.
    """
    for index, stream in entries(values, "logs"):
        path = ("logs", index)
        text = document.node((*path, "lines"))
        layout = FORMATS.get(stream.get("format", ""))
        if layout is None or "lines" not in stream or not isinstance(text, Scalar):
            continue
        if text.style == ">":
            document.report_at((*path, "lines"), "> joins lines; start the block with |")
        elif _has_the_zone_it_needs(document, layout, path):
            parsed, wrong = _parse(stream, layout, values)
            _report_lines(document, path, text, wrong, file_lines)
            yield from (record._replace(stream=index) for record in parsed.records)


def _has_the_zone_it_needs(document: Document, layout: LogFormat, path: Path) -> bool:
    has_zone = is_written(document, *path, "zone")
    if layout.needs_zone and not has_zone:
        what = f'is missing; {layout.name} prints none, so write its clock\'s, such as "+00:00"'
        document.report_at((*path, "zone"), what)
    elif has_zone and not layout.needs_zone:
        what = f"{layout.name} prints its own zone; delete this"
        document.report_at((*path, "zone"), what, key=True)
    return layout.needs_zone == has_zone


def _parse(
    stream: dict[str, Any], layout: LogFormat, values: Values
) -> tuple[ParsedStream, list[tuple[int, str]]]:
    given = values.get("window", {})
    window = Window(**given) if {"start", "end"} <= given.keys() else _ANY_WINDOW
    parsed = parse_stream(
        stream["lines"],
        layout,
        window=window,
        # A zone that cannot be read is reported; any other one shows what else is wrong.
        zone=stream.get("zone", UTC) if layout.needs_zone else None,
        service=stream.get("service", ""),
        host=stream.get("host", ""),
    )
    wrong = list(parsed.wrong)
    if window is not _ANY_WINDOW and ("zone" in stream or not layout.needs_zone):
        wrong += [
            (number, "the time is outside the window; move the line or the window")
            for number, record in zip(parsed.first_lines, parsed.records, strict=True)
            if not window.start <= record.time <= window.end
        ]
    return parsed, sorted(wrong)


def _report_lines(
    document: Document,
    path: Path,
    text: Scalar,
    wrong: list[tuple[int, str]],
    file_lines: list[str],
) -> None:
    """Report the first lines of a stream that cannot be used, and how many more there are."""
    written = text.text.split("\n")
    for count, (number, what) in enumerate(wrong[:_SHOWN_LINES], 1):
        line, column = text.line, text.column
        if text.style == "|":
            line += 1 + number
            column = file_lines[line - 1].find(written[number]) + 1
        more = len(wrong) - count if count == _SHOWN_LINES else 0
        shown = f"{what} ({more} more such lines follow)" if more else what
        document.report(line, column, f"logs[{path[1]}].lines", shown)
