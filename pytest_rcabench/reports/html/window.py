"""A window as plain JSON for the page: what is drawn and searched, and what was planted in it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import Fault, evidence_to_json, format_time

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from pytest_rcabench.domain.incident import JSON, Change, Distractor, Evidence, Incident

_MILLISECOND = 3


def window_to_json(incident: Incident) -> dict[str, JSON]:
    """Return the window of *incident* for the page, its truth included.

    Times are seconds from the window's start; ``logs`` [n] is sorted by time, each record as
    [time, service, host, level, message, numbers of the distractors that it belongs to], with
    service, host and level as places in ``names``.
    """
    evidence = incident.evidence
    start = evidence.window.start
    # Records and series have a shorter form of their own.
    plain = evidence_to_json(replace(evidence, logs=(), metrics=()))
    names, logs = _logs(evidence, incident.distractors)
    return {
        "start": format_time(start),
        "length": _seconds(evidence.window.end, start),
        "names": names,
        "logs": logs,
        "metrics": [
            {
                "name": series.name,
                "service": series.service,
                "unit": series.unit,
                "start": _seconds(series.start, start),
                "step": series.step_s,
                "values": list(series.values),
            }
            for series in evidence.metrics
        ],
        "changes": _with_times(plain["changes"], evidence.changes, start, incident),
        "alerts": [
            {
                "at": _seconds(alert.time, start),
                "service": alert.service,
                "metric": alert.metric,
                "summary": alert.summary,
            }
            for alert in evidence.alerts
        ],
        "traces": plain["traces"],
        "truth": _truth(incident),
        "distractors": [
            {"why": one.why, "commit": one.commit, "noise": one.noise, "match": one.match}
            for one in incident.distractors
        ],
    }


def _seconds(time: datetime, start: datetime) -> float:
    return round((time - start).total_seconds(), _MILLISECOND)


def _logs(evidence: Evidence, distractors: Sequence[Distractor]) -> tuple[list[JSON], list[JSON]]:
    """Return the names that records share, and the records."""
    start = evidence.window.start
    noises = [
        (number, re.compile(one.match)) for number, one in enumerate(distractors, 1) if one.noise
    ]
    names: dict[str, int] = {}
    logs: list[JSON] = []
    for record in sorted(evidence.logs, key=lambda record: record.time):
        numbers: list[JSON] = [
            number for number, pattern in noises if pattern.search(record.message)
        ]
        shared = (record.service, record.host, record.level)
        places = [names.setdefault(name, len(names)) for name in shared]
        logs.append([_seconds(record.time, start), *places, record.message, numbers])
    return list(names), logs


def _with_times(
    plain: JSON, changes: Sequence[Change], start: datetime, incident: Incident
) -> list[JSON]:
    """Return the changes by time, each with what the truth says of it."""
    assert isinstance(plain, list)  # noqa: S101 - evidence_to_json made it
    shown: list[JSON] = []
    pairs = zip(plain, changes, strict=True)
    for entry, change in sorted(pairs, key=lambda pair: pair[1].time):
        assert isinstance(entry, dict)  # noqa: S101 - the same
        shown.append({**entry, "at": _seconds(change.time, start), **_role(change, incident)})
    return shown


def _role(change: Change, incident: Incident) -> dict[str, JSON]:
    truth = incident.truth
    if change.sha and isinstance(truth, Fault):
        if change.sha in truth.commits:
            return {"role": "culprit"}
        if change.sha in truth.contributing:
            return {"role": "contributing"}
    for number, one in enumerate(incident.distractors, 1):
        if change.sha and one.commit == change.sha:
            return {"role": f"distractor {number}", "why": one.why}
    return {"role": ""}


def _truth(incident: Incident) -> dict[str, JSON] | None:
    truth = incident.truth
    if not isinstance(truth, Fault):
        return None
    return {
        "service": truth.service,
        "also_ok": list(truth.also_ok),
        "victims": list(truth.victims),
        "onset": _seconds(truth.onset, incident.evidence.window.start),
        "cause": [list(group) for group in truth.cause],
        "must_not": list(truth.must_not),
        "commits": list(truth.commits),
        "graded": list(truth.graded),
    }
