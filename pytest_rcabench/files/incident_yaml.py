"""An incident file -> an Incident, or everything that is wrong with the file, each with its place.

The steps: bytes -> nodes (`yaml_nodes`) -> values that the schema allows (`incident_document`),
which must not contradict each other (`incident_rules`) -> log records (`incident_logs`) -> the
domain's types, here.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

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
from pytest_rcabench.files.incident_document import (
    Document,
    TooManyProblems,
    Values,
    check_document,
    incident_json_schema,
)
from pytest_rcabench.files.incident_logs import read_logs
from pytest_rcabench.files.incident_rules import check_rules
from pytest_rcabench.files.yaml_nodes import MAX_BYTES, Mapping, Node, Scalar, decode, read_nodes

if TYPE_CHECKING:
    from pathlib import Path

_MOST_PROBLEMS = 100  # more would help nobody, and a hostile file could have millions
_ANOTHER_VERSION = re.compile("rcabench/(?:[2-9]|[1-9][0-9]+)")


def read_incident(path: Path, *, root: Path | None = None) -> Incident:
    """Return the incident in the file at *path*, which problems and reports name from *root* on.

    It is of the tuned set when a folder above it (and below *root*) is named ``tuned``.

    Raises:
        IncidentError: if the file cannot be used, with everything that is wrong with it.
    """
    shown, place = path, path.absolute()
    if root is not None and place.is_relative_to(root.absolute()):
        shown = place = place.relative_to(root.absolute())
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        what = f"the file cannot be read ({error.strerror}); check its path and permissions"
        raise IncidentError((Problem(shown.as_posix(), 1, 1, "", what),)) from error
    set_name: SetName = "tuned" if "tuned" in place.parts[:-1] else "held_out"
    return read_incident_text(content, shown.as_posix(), set_name)


def read_incident_text(
    content: str | bytes,
    path: str,
    set_name: SetName = "held_out",
    *,
    pure_python: bool = False,
) -> Incident:
    """Return the incident that *content* holds; *path* is named in problems and gives the id.

    *pure_python* reads YAML without libyaml, with the same outcome.

    Raises:
        IncidentError: if *content* cannot be used, with everything that is wrong with it.
    """
    document = Document(path, _MOST_PROBLEMS)
    values: Values = {}
    logs: tuple[LogRecord, ...] = ()
    with suppress(TooManyProblems):  # the last problem says so
        values, logs = _read(document, content, pure_python=pure_python)
    if document.problems:
        raise IncidentError(tuple(sorted(set(document.problems))))
    return _incident(document, values, logs, set_name)


def _read(
    document: Document, content: str | bytes, *, pure_python: bool
) -> tuple[Values, tuple[LogRecord, ...]]:
    text = decode(content, document.report)
    root = None if text is None else read_nodes(text, document.report, pure_python=pure_python)
    if text is None or root is None:
        return {}, ()
    document.root = root
    if _is_of_another_version(root):
        what = "this version reads rcabench/1; upgrade pytest-rcabench"
        document.report_at(("schema",), what)
        return {}, ()
    values = check_document(document, incident_json_schema())
    check_rules(document, values)
    return values, tuple(read_logs(document, values, text.split("\n")))


def _is_of_another_version(root: Node) -> bool:
    schema = root.entries.get("schema") if isinstance(root, Mapping) else None
    return isinstance(schema, Scalar) and bool(_ANOTHER_VERSION.fullmatch(schema.text))


def _incident(
    document: Document, values: Values, logs: tuple[LogRecord, ...], set_name: SetName
) -> Incident:
    expected = values.get("expected")
    truth_at = document.key("kind" if expected is None else "expected")
    evidence = Evidence(
        window=Window(**values["window"]),
        logs=logs,
        metrics=tuple(_metric(series) for series in values.get("metrics", ())),
        changes=tuple(_change(change) for change in values.get("changes", ())),
        alerts=tuple(Alert(**alert) for alert in values.get("alerts", ())),
        traces=tuple(_span(span) for span in values.get("traces", ())),
    )
    examples = {name: tuple(causes) for name, causes in values.get("examples", {}).items()}
    return Incident(
        id=values["id"],
        title=values["title"],
        kind=values["kind"],
        difficulty=values["difficulty"],
        evidence=evidence,
        truth=Healthy() if expected is None else _fault(expected),
        canary=values.get("canary", ""),
        source=Source(**values.get("source", {})),
        distractors=tuple(Distractor(**entry) for entry in values.get("distractors", ())),
        said_in_evidence=tuple(
            SaidInEvidence(**entry) for entry in values.get("said_in_evidence", ())
        ),
        twin_of=values.get("twin_of", ""),
        must_pass=values.get("must_pass", False),
        examples=Examples(**examples),
        set=set_name,
        place=Place(document.path, truth_at.line),
    )


def _metric(series: Values) -> MetricSeries:
    return MetricSeries(**{"unit": "", **series, "values": tuple(series["values"])})


def _change(change: Values) -> Change:
    files = change.get("files") or touched_files(change.get("diff", ""))
    return Change(**{**change, "files": tuple(files)})


def _span(span: Values) -> Span:
    return Span(**{**span, "parent_id": span.get("parent_id") or ""})


def _fault(expected: Values) -> Fault:
    commit = expected.get("commit", "none")
    commits = (commit,) if isinstance(commit, str) else tuple(commit)
    graded = expected.get("graded", ROOT_CAUSE_CHECKS)
    return Fault(
        service=expected["service"],
        onset=expected["onset"],
        cause=tuple(tuple(group) for group in expected.get("cause", ())),
        also_ok=tuple(expected.get("also_ok", ())),
        victims=tuple(expected.get("victims", ())),
        must_not=tuple(expected.get("must_not", ())),
        commits=() if commit == "none" else commits,
        contributing=tuple(expected.get("contributing", ())),
        graded=tuple(check for check in ROOT_CAUSE_CHECKS if check in graded),
    )
