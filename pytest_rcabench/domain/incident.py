"""An incident as a value: the evidence that is shown, and the truth that never is.

The two are different types on purpose: whoever answers gets `Evidence` and cannot reach the truth
by accident.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal[
    "bad_deploy",
    "configuration",
    "infrastructure",
    "dependency",
    "capacity",
    "security",
    "healthy",
]
Difficulty: TypeAlias = Literal["easy", "medium", "hard"]
SetName: TypeAlias = Literal["held_out", "tuned"]
ChangeType: TypeAlias = Literal["commit", "deploy", "flag", "config", "secret", "scale", "event"]
CheckName: TypeAlias = Literal["service", "cause", "commit", "innocent", "alarms", "quiet"]
JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"

ROOT_CAUSE_CHECKS: tuple[CheckName, ...] = ("service", "cause", "commit")


@dataclass(frozen=True, slots=True)
class Window:
    """The time that the evidence covers, aware UTC, start before end."""

    start: datetime
    end: datetime


class LogRecord(NamedTuple):
    """One log record as its service stamped it.

    *time* is aware UTC by the stream's own clock, which may be wrong. *level* is DEBUG, INFO, WARN,
    ERROR or FATAL, or empty where the layout prints none. *message* is all of the record but its
    time and level, continuation lines included. *stream* tells apart the streams of a window, which
    may share service and host; it is no part of what is shown. A tuple and no dataclass: a window
    has thousands.
    """

    time: datetime
    service: str
    host: str
    level: str
    message: str
    stream: int = 0


@dataclass(frozen=True, slots=True)
class MetricSeries:
    """Evenly spaced samples: *values* [n] every *step_s* seconds from *start* on; None is a gap."""

    name: str
    service: str
    unit: str
    start: datetime
    step_s: float
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that somebody or something changed; it says nothing about guilt.

    *sha* is 40 hex digits for a commit, may be given for a deploy, and is empty else. *key*,
    *before* and *after* say what a flag, config, secret or scale change turned into what; a text
    that does not apply is empty.
    """

    type: ChangeType
    time: datetime
    service: str = ""
    host: str = ""
    author: str = ""
    sha: str = ""
    version: str = ""
    key: str = ""
    before: str = ""
    after: str = ""
    message: str = ""
    files: tuple[str, ...] = ()
    diff: str = ""


@dataclass(frozen=True, slots=True)
class Alert:
    """A monitor that fired."""

    time: datetime
    service: str
    metric: str
    summary: str


@dataclass(frozen=True, slots=True)
class Span:
    """One span of a distributed trace; *parent_id* is empty for a root."""

    trace_id: str
    span_id: str
    parent_id: str
    service: str
    name: str
    start: datetime
    duration_ms: float
    status: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that an analyser is shown, and nothing else.

    *logs* [n] stand stream by stream in the order in which they were written, which is not always
    the order of their times; *changes* [n] stand in the order of the file.
    """

    window: Window
    logs: tuple[LogRecord, ...]
    metrics: tuple[MetricSeries, ...]
    changes: tuple[Change, ...]
    alerts: tuple[Alert, ...] = ()
    traces: tuple[Span, ...] = ()

    @property
    def shas(self) -> frozenset[str]:
        """The distinct shas of the window's changes."""
        return frozenset(change.sha for change in self.changes if change.sha)


@dataclass(frozen=True, slots=True)
class Fault:
    """The truth of a window in which something is wrong.

    *cause* [groups][phrases]: every group must be met by one of its phrases. *commits*: any one of
    them is right; empty means that no commit is at fault. *graded* lists the root-cause checks that
    count.
    """

    service: str
    onset: datetime
    cause: tuple[tuple[str, ...], ...] = ()
    also_ok: tuple[str, ...] = ()
    victims: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    contributing: tuple[str, ...] = ()
    graded: tuple[CheckName, ...] = ROOT_CAUSE_CHECKS


@dataclass(frozen=True, slots=True)
class Healthy:
    """The truth of a window in which nothing is wrong: silence is right."""


Truth: TypeAlias = Fault | Healthy


@dataclass(frozen=True, slots=True)
class Distractor:
    """Something planted to mislead.

    Either an innocent *commit* (a sha), or a *noise* whose log lines *match* a regex.
    """

    why: str
    commit: str = ""
    noise: str = ""
    match: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where an incident comes from.

    It was ``written`` by us, or ``imported``, with name, URL, commit and licence of its origin.
    """

    origin: Literal["written", "imported"] = "written"
    name: str = ""
    url: str = ""
    commit: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class SaidInEvidence:
    """Words of the truth that the real software prints, so that the leak lint tolerates them."""

    phrase: str
    why: str


@dataclass(frozen=True, slots=True)
class Examples:
    """The rubric's own unit tests: causes that must be accepted and causes that must not."""

    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where an incident's truth stands, for reports that point at it; *line* counts from 1."""

    path: str = ""
    line: int = 1


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident: evidence, truth, and what readers and lints need to know about both."""

    id: str
    title: str
    kind: Kind
    difficulty: Difficulty
    evidence: Evidence
    truth: Truth
    canary: str = ""
    source: Source = Source()
    distractors: tuple[Distractor, ...] = ()
    said_in_evidence: tuple[SaidInEvidence, ...] = ()
    twin_of: str = ""
    must_pass: bool = False
    examples: Examples = Examples()
    set: SetName = "held_out"
    place: Place = field(default=Place(), compare=False)

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is wrong in this window."""
        return isinstance(self.truth, Healthy)

    @property
    def graded(self) -> tuple[CheckName, ...]:
        """The root-cause checks that count; a healthy window is graded on its silence alone."""
        return self.truth.graded if isinstance(self.truth, Fault) else ()


def format_time(time: datetime) -> str:
    """Return *time* as RFC 3339 in UTC, with digits of a second only where it has them."""
    text = time.astimezone(UTC).isoformat(timespec="auto" if time.microsecond else "seconds")
    return text.removesuffix("+00:00") + "Z"


def evidence_to_json(evidence: Evidence) -> dict[str, JSON]:
    """Return *evidence* as ``rcabench-evidence/1``, the shape that programs and services get."""
    return {
        "schema": "rcabench-evidence/1",
        "window": {
            "start": format_time(evidence.window.start),
            "end": format_time(evidence.window.end),
        },
        "logs": [
            {
                "time": format_time(record.time),
                "service": record.service,
                "host": record.host,
                "level": record.level,
                "message": record.message,
            }
            for record in evidence.logs
        ],
        "metrics": [
            {
                "name": series.name,
                "service": series.service,
                "unit": series.unit,
                "start": format_time(series.start),
                "step_s": series.step_s,
                "values": list(series.values),
            }
            for series in evidence.metrics
        ],
        "changes": [_change_to_json(change) for change in evidence.changes],
        "alerts": [
            {
                "time": format_time(alert.time),
                "service": alert.service,
                "metric": alert.metric,
                "summary": alert.summary,
            }
            for alert in evidence.alerts
        ],
        "traces": [
            {
                "trace_id": span.trace_id,
                "span_id": span.span_id,
                "parent_id": span.parent_id,
                "service": span.service,
                "name": span.name,
                "start": format_time(span.start),
                "duration_ms": span.duration_ms,
                "status": span.status,
                "error": span.error,
            }
            for span in evidence.traces
        ],
    }


def _change_to_json(change: Change) -> dict[str, JSON]:
    shown: dict[str, JSON] = {"type": change.type, "time": format_time(change.time)}
    for name in ("service", "host", "author", "sha", "version", "key", "before", "after"):
        if text := getattr(change, name):
            shown[name] = text
    shown["message"] = change.message
    if change.files:
        shown["files"] = list(change.files)
    if change.diff:
        shown["diff"] = change.diff
    return shown


def evidence_digest(evidence: Evidence) -> str:
    """Return the sha256 of the evidence, over its canonical JSON, as 64 hex digits."""
    return _digest(evidence_to_json(evidence))


def truth_digest(incident: Incident) -> str:
    """Return the sha256 of an incident's kind and truth, over canonical JSON, as 64 hex digits."""
    truth: dict[str, JSON] = {"kind": incident.kind}
    if isinstance(incident.truth, Fault):
        fault = incident.truth
        truth["expected"] = {
            "service": fault.service,
            "also_ok": list(fault.also_ok),
            "victims": list(fault.victims),
            "onset": format_time(fault.onset),
            "cause": [list(group) for group in fault.cause],
            "must_not": list(fault.must_not),
            "commits": list(fault.commits),
            "contributing": list(fault.contributing),
            "graded": list(fault.graded),
        }
    return _digest(truth)


def _digest(value: JSON) -> str:
    # surrogatepass: a lone surrogate in somebody's log must not make an incident impossible to
    # name.
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
