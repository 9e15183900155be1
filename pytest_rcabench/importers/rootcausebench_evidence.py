"""The evidence of a RootCauseBench incident, put into the words of an incident file."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from math import gcd
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.domain.incident import format_time
from pytest_rcabench.importers.source_files import (
    Entry,
    one_line,
    read_lines,
    read_list,
    read_object,
    read_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

Document: TypeAlias = "dict[str, object]"

_UNITS: Mapping[str, str] = MappingProxyType(
    {
        "per_sec": "1/s",
        "per_second": "1/s",
        "rps": "1/s",
        "lps": "1/s",
        "per_min": "1/min",
        "ms": "ms",
        "seconds": "s",
        "pct": "percent",
        "ratio": "ratio",
        "mb": "MB",
        "gib": "GiB",
        "cores": "cores",
    }
)
_UNIT = re.compile(rf"(?<![a-z])({'|'.join(_UNITS)})(?![a-z])")
_MICROSECOND = timedelta(microseconds=1)
_ALARMING = frozenset({"WARN", "ERROR", "FATAL"})
_MOST_STEPS = 100_000
_SHA_DIGITS = 40


class Telemetry(NamedTuple):
    """The evidence in the words of an incident file, beside what had to be altered."""

    window: Document
    logs: list[Document]
    metrics: list[Document]
    changes: list[Document]
    alerts: list[Document]
    traces: list[Document]
    onset: datetime
    altered: tuple[str, ...]


class _Sample(NamedTuple):
    time: datetime
    value: float | None


def read_telemetry(folder: Path) -> Telemetry:
    """Return the evidence in *folder*, an incident's ``environment/data``.

    Raises: RcabenchError: if a file is missing or damaged.
    """
    alert = read_object(folder / "alert.json")
    logs = read_lines(folder / "logs.ndjson")
    if not logs:
        raise RcabenchError(f"{folder / 'logs.ndjson'}: holds no record; fetch the file again")
    patterns = read_list(folder / "patterns.json")
    feed = folder / "status_feed.json"
    status = [read_object(feed)] if feed.exists() else []
    series = _series(folder / "metrics.csv", status)
    traces, joined = _traces(read_list(folder / "traces.json"))
    changes, cut = _changes(folder / "context")
    changes += (event for entry in status for event in _events(entry))
    metrics = [_spaced(folder, *name, samples) for name, samples in series.items()]
    stamped = [alert.time("fired_at"), *(log.time("timestamp") for log in logs)]
    return Telemetry(
        window=_window(stamped, series.values(), traces, changes),
        logs=_streams(logs),
        metrics=metrics,
        changes=changes,
        alerts=[_alert(alert)],
        traces=traces,
        onset=_onset(alert, logs),
        altered=_altered(
            {
                'spans with the trace id "same", joined to the trace listed before them': joined,
                "shas longer than 40 digits, cut to 40": cut,
                "steps of metric series without a number, left as gaps": sum(map(_gaps, metrics)),
                "log patterns, left out": len(patterns),
            }
        ),
    )


def _altered(counts: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(f"{what}: {count}" for what, count in counts.items() if count)


def _gaps(series: Document) -> int:
    return cast("list[float | None]", series["values"]).count(None)


def _onset(alert: Entry, logs: Iterable[Entry]) -> datetime:
    """The first record at WARN or worse, or the alert where none is earlier."""
    alarming = (log for log in logs if log.text("severity_text") in _ALARMING)
    return min([alert.time("fired_at"), *(log.time("timestamp") for log in alarming)])


def _window(
    alerts_and_logs: Iterable[datetime],
    series: Iterable[Iterable[_Sample]],
    traces: Iterable[Document],
    changes: Iterable[Document],
) -> Document:
    """From the first telemetry on, for changes may be older, to the last of everything."""
    seen = [*alerts_and_logs, *(sample.time for samples in series for sample in samples)]
    seen += (datetime.fromisoformat(str(span["start"])) for span in traces)
    changed = (datetime.fromisoformat(str(change["time"])) for change in changes)
    return {"start": format_time(min(seen)), "end": format_time(max(*seen, *changed))}


def _streams(logs: Iterable[Entry]) -> list[Document]:
    lines: dict[str, list[str]] = defaultdict(list)
    for log in logs:
        # The stamp stays as it is written, for a service's clock is evidence too.
        shown = [log.text("timestamp"), log.text("severity_text"), one_line(log.text("msg"))]
        extra = log.rest("timestamp", "service", "severity_text", "msg")
        lines[log.text("service")].append(" ".join(filter(None, [*shown, extra])) + "\n")
    return [
        {"service": service, "format": "plain", "lines": "".join(records)}
        for service, records in lines.items()
    ]


def _series(path: Path, status: Iterable[Entry]) -> dict[tuple[str, str], list[_Sample]]:
    series: dict[tuple[str, str], list[_Sample]] = defaultdict(list)
    for row in read_table(path, "timestamp", "service", "metric", "value"):
        is_gap = row.text("value").lower() in {"", "nan"}
        sample = _Sample(row.time("timestamp"), None if is_gap else row.number("value"))
        series[row.text("service"), row.text("metric")].append(sample)
    for feed in status:
        for entry in feed.entries("api_error_rate_pct"):
            sample = _Sample(entry.time("timestamp"), entry.number("value"))
            series[entry.text("endpoint"), "api_error_rate_pct"].append(sample)
    return series


def _spaced(folder: Path, service: str, name: str, samples: Sequence[_Sample]) -> Document:
    """An uneven series stands on the widest grid that meets all of its samples, with gaps."""
    by_time = dict(samples)
    if len(by_time) < len(samples):
        what = f"{service} {name}: two values for one time"
        raise RcabenchError(f"{folder}: {what}; keep the right one")
    start = min(by_time)
    offsets = [(time - start) // _MICROSECOND for time in by_time]
    step = gcd(*offsets) or 60_000_000
    if max(offsets) // step > _MOST_STEPS:
        what = f"{service} {name}: its times meet no common grid"
        raise RcabenchError(f"{folder}: {what}; thin out the file")
    values: list[float | None] = [None] * (max(offsets) // step + 1)
    for offset, value in zip(offsets, by_time.values(), strict=True):
        values[offset // step] = value
    unit = _UNIT.search(name)
    return {
        "name": name,
        "service": service,
        **({"unit": _UNITS[unit[1]]} if unit else {}),
        "start": format_time(start),
        "step_s": step // 1_000_000 if step % 1_000_000 == 0 else step / 1_000_000,
        "values": values,
    }


def _changes(folder: Path) -> tuple[list[Document], int]:
    """The changes in file order: a shortcut of the data set, which must stay visible."""
    commits = read_list(folder / "commits.json")
    deploys = read_list(folder / "deploys.json")
    flags = read_list(folder / "flags.json")
    long = {commit.text("sha") for commit in commits if len(commit.text("sha")) > _SHA_DIGITS}
    return [*map(_commit, commits), *map(_deploy, deploys), *map(_flag, flags)], len(long)


def sha(text: str, place: str) -> str:
    """Return the first 40 digits of *text*, for two commits of the data set have a digit too many.

    Raises: RcabenchError: if *text* is no sha.
    """
    if re.fullmatch("[0-9a-f]{40,64}", text):
        return text[:_SHA_DIGITS]
    raise RcabenchError(f"{place}: {text[:80]!r} is not 40 hex digits; correct the file")


def _commit(commit: Entry) -> Document:
    document: Document = {
        "type": "commit",
        "sha": sha(commit.text("sha"), commit.place),
        "time": format_time(commit.time("timestamp")),
        "author": commit.text("author"),
        "message": commit.text("message"),
        "files": commit.texts("files_changed"),
    }
    if commit.fields.get("diff") is not None:
        document["diff"] = commit.text("diff")
    return document


def _deploy(deploy: Entry) -> Document:
    return {
        "type": "deploy",
        "sha": sha(deploy.text("commit_sha"), deploy.place),
        "time": format_time(deploy.time("timestamp")),
        "service": deploy.text("service"),
        "version": deploy.text("version"),
    }


def _flag(flag: Entry) -> Document:
    before, arrow, after = flag.text("change").partition("->")
    if not arrow:
        raise RcabenchError(
            f"{flag.place}: change: expected before->after, found {before!r}; correct the file"
        )
    return {
        "type": "flag",
        "time": format_time(flag.time("timestamp")),
        "service": flag.text("service"),
        "key": flag.text("flag"),
        "before": before,
        "after": after,
        "author": flag.text("actor"),
    }


def _events(feed: Entry) -> Iterator[Document]:
    """What a status page said: events, incidents with their updates, and its state when fetched."""
    for entry in feed.entries("events"):
        yield _event(feed, entry, "timestamp" if "timestamp" in entry.fields else "started_at")
    for incident in feed.entries("incidents"):
        yield _event(feed, incident, "started_at")
        for update in incident.entries("updates"):
            yield _event(feed, update, "timestamp")
    for component in feed.entries("components"):
        snapshot = {**component.fields, "fetched_at": feed.text("fetched_at")}
        yield _event(feed, Entry(component.place, snapshot), "fetched_at")


def _event(feed: Entry, entry: Entry, time_key: str) -> Document:
    page = ("component", "provider", "source", "region")
    owner = next((feed.text(key) for key in page if key in feed.fields), "status page")
    known = ("events", "components", "incidents", "api_error_rate_pct", "fetched_at")
    return {
        "type": "event",
        "time": format_time(entry.time(time_key)),
        "service": entry.text("service") if "service" in entry.fields else owner,
        "message": f"{entry.rest('service', 'updates', time_key)} ({feed.rest(*known)})",
    }


def _alert(alert: Entry) -> Document:
    known = ("service", "metric", "fired_at", "summary")
    return {
        "time": format_time(alert.time("fired_at")),
        "service": alert.text("service"),
        "metric": alert.text("metric"),
        "summary": f"{alert.text('summary')} ({alert.rest(*known)})",
    }


def _traces(spans: Iterable[Entry]) -> tuple[list[Document], int]:
    documents: list[Document] = []
    joined: Counter[str] = Counter()
    trace_id = ""
    for span in spans:
        told = span.text("trace_id")
        if told == "same" and trace_id:
            joined[trace_id] += 1
        else:
            trace_id = told
        documents.append(_span(span, trace_id))
    return documents, joined.total()


def _span(span: Entry, trace_id: str) -> Document:
    known = ("trace_id", "span_id", "parent_id", "service", "name", "start", "duration_ms")
    extra = span.rest(*known, "status", "error")
    document: Document = {
        "trace_id": trace_id,
        "span_id": span.text("span_id"),
        "parent_id": span.fields.get("parent_id") or "",
        "service": span.text("service"),
        "name": " ".join(filter(None, [span.text("name"), extra])),
        "start": format_time(span.time("start")),
        "duration_ms": span.number("duration_ms"),
        "status": span.text("status"),
    }
    if "error" in span.fields:
        document["error"] = span.text("error")
    return document
