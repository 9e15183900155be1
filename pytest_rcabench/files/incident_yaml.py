"""The text of an incident file -> an Incident, or everything that is wrong with the file, each with its place."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rcabench.domain.errors import IncidentError, Problem
from pytest_rcabench.domain.incident import (
    ROOT_CAUSE_CHECKS,
    Alert,
    Change,
    Distractor,
    Evidence,
    Examples,
    Fault,
    Healthy,
    Incident,
    LogRecord,
    MetricSeries,
    Place,
    SaidInEvidence,
    SetName,
    Source,
    Span,
    Window,
)
from pytest_rcabench.files.diffs import touched_files
from pytest_rcabench.files.incident_document import Document, check_document, incident_json_schema
from pytest_rcabench.files.incident_rules import check_rules, culprits, entries
from pytest_rcabench.files.log_formats import FORMATS, ParsedStream, parse_stream
from pytest_rcabench.files.yaml_nodes import MAX_BYTES, Mapping, Scalar, decode, read_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN_LINES = 3
_TUNED = "tuned"
# Any window gives a time to the lines of a file whose own window cannot be read; a leap year knows all days.
_NO_WINDOW = Window(datetime(2000, 1, 1, tzinfo=UTC), datetime(2000, 12, 31, tzinfo=UTC))


def read_incident(path: Path, *, root: Path | None = None) -> Incident:
    """Return the incident in the file at *path*, which problems and reports name relative to *root*.

    It belongs to the tuned set when a folder above it, below *root*, is named ``tuned``.

    Raises:
        IncidentError: if the file cannot be used, with everything that is wrong with it.
    """
    shown, folders = path.as_posix(), path.absolute().parent.parts
    if root is not None and path.absolute().is_relative_to(root.absolute()):
        relative = path.absolute().relative_to(root.absolute())
        shown, folders = relative.as_posix(), relative.parent.parts
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        what = f"cannot be read: {error.strerror}; check the path and its permissions"
        raise IncidentError((Problem(shown, 1, 1, "", what),)) from error
    return read_incident_text(content, shown, "tuned" if _TUNED in folders else "held_out")


def read_incident_text(
    content: str | bytes, path: str, set_name: SetName = "held_out", *, pure_python: bool = False
) -> Incident:
    """Return the incident that *content* holds; *path* is what problems and the id are held against.

    *pure_python* reads YAML without libyaml, with the same outcome.

    Raises:
        IncidentError: if *content* cannot be used, with everything that is wrong with it.
    """
    document = Document(path)
    text = decode(content, document.report)
    root = None if text is None else read_nodes(text, document.report, pure_python=pure_python)
    if text is None or root is None:
        raise _error(document)
    document.root = root
    values = check_document(document, incident_json_schema())
    check_rules(document, values)
    window = _window(values)
    logs = tuple(_read_logs(document, values, window, text.split("\n")))
    if document.problems:
        raise _error(document)
    return _incident(document, values, window or _NO_WINDOW, logs, set_name)


def _error(document: Document) -> IncidentError:
    return IncidentError(tuple(sorted(set(document.problems))))


def _window(values: dict[str, Any]) -> Window | None:
    window = values.get("window", {})
    return Window(**window) if {"start", "end"} <= window.keys() else None


def _read_logs(
    document: Document, values: dict[str, Any], window: Window | None, lines: list[str]
) -> Iterable[LogRecord]:
    for index, stream in entries(values, "logs"):
        path = ("logs", index)
        node = document.node((*path, "lines"))
        if not {"format", "lines"} <= stream.keys() or not isinstance(node, Scalar):
            continue
        layout = FORMATS[stream["format"]]
        if node.style == ">":
            document.report_at(
                (*path, "lines"), "a folded text (>) joins lines; start the block with |"
            )
            continue
        has_zone = isinstance(parent := document.node(path), Mapping) and "zone" in parent.entries
        if layout.needs_zone != has_zone:
            document.report_at(
                (*path, "zone"),
                f'is missing; {layout.name} lines print no zone, so write theirs, such as "+00:00"'
                if layout.needs_zone
                else f"{layout.name} lines print their own zone; delete it",
                key=has_zone,
            )
            continue
        if has_zone and "zone" not in stream:
            continue
        parsed = parse_stream(
            stream["lines"],
            layout,
            window=window or _NO_WINDOW,
            zone=stream.get("zone"),
            service=stream.get("service", ""),
            host=stream.get("host", ""),
        )
        wrong = [*parsed.wrong, *(_outside(parsed, window) if window else ())]
        _report_lines(document, index, node, wrong, lines)
        yield from parsed.records


def _outside(parsed: ParsedStream, window: Window) -> Iterable[tuple[int, str]]:
    for number, record in zip(parsed.first_lines, parsed.records, strict=True):
        if not window.start <= record.time <= window.end:
            yield number, "the time is outside the window; move the line or the window"


def _report_lines(
    document: Document,
    index: int,
    node: Scalar,
    wrong: list[tuple[int, str]],
    lines: list[str],
) -> None:
    """Report the first few lines of a stream that cannot be used, and how many more there are."""
    written = node.text.split("\n")
    for number, what in sorted(wrong)[:_SHOWN_LINES]:
        line, column = node.line, node.column
        if node.style == "|":
            line = node.line + 1 + number
            column = max(lines[line - 1].find(written[number]), 0) + 1
        more = len(wrong) - _SHOWN_LINES
        if number == sorted(wrong)[:_SHOWN_LINES][-1][0] and more > 0:
            what = f"{what} ({more} more such lines follow)"
        document.report(line, column, f"logs[{index}].lines[{number}]", what)


def _incident(
    document: Document,
    values: dict[str, Any],
    window: Window,
    logs: tuple[LogRecord, ...],
    set_name: SetName,
) -> Incident:
    expected = values.get("expected")
    key = "kind" if expected is None else "expected"
    place = Place(
        document.path, document.root.keys[key].line if isinstance(document.root, Mapping) else 1
    )
    examples = values.get("examples", {})
    return Incident(
        id=values["id"],
        title=values["title"],
        kind=values["kind"],
        difficulty=values["difficulty"],
        evidence=Evidence(
            window=window,
            logs=logs,
            metrics=tuple(_metric(series) for series in values.get("metrics", ())),
            changes=tuple(_change(change) for change in values.get("changes", ())),
            alerts=tuple(Alert(**alert) for alert in values.get("alerts", ())),
            traces=tuple(
                Span(**{**span, "parent_id": span.get("parent_id") or ""})
                for span in values.get("traces", ())
            ),
        ),
        truth=Healthy() if expected is None else _fault(expected),
        canary=values.get("canary", ""),
        source=Source(**values.get("source", {})),
        distractors=tuple(Distractor(**entry) for entry in values.get("distractors", ())),
        said_in_evidence=tuple(
            SaidInEvidence(**entry) for entry in values.get("said_in_evidence", ())
        ),
        twin_of=values.get("twin_of", ""),
        must_pass=values.get("must_pass", False),
        examples=Examples(**{name: tuple(texts) for name, texts in examples.items()}),
        set=set_name,
        place=place,
    )


def _metric(series: dict[str, Any]) -> MetricSeries:
    return MetricSeries(**{"unit": "", **series, "values": tuple(series["values"])})


def _change(change: dict[str, Any]) -> Change:
    files = tuple(change["files"]) if "files" in change else touched_files(change.get("diff", ""))
    return Change(**{**change, "files": files})


def _fault(expected: dict[str, Any]) -> Fault:
    lists = {
        key: tuple(expected.get(key, ()))
        for key in ("also_ok", "victims", "must_not", "contributing")
    }
    return Fault(
        service=expected["service"],
        onset=expected["onset"],
        cause=tuple(tuple(group) for group in expected.get("cause", ())),
        commits=culprits(expected),
        graded=tuple(
            check
            for check in ROOT_CAUSE_CHECKS
            if check in expected.get("graded", ROOT_CAUSE_CHECKS)
        ),
        **lists,
    )
