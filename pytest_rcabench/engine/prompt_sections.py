"""Alerts, changes, metrics and traces as text, whole or shortened."""

from __future__ import annotations

import math
from datetime import timedelta
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from pytest_rcabench.engine.prompt_text import Section, cut, cut_note, indented, inline, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from pytest_rcabench.domain.incident import Alert, Change, MetricSeries, Span
    from pytest_rcabench.engine.prompt_text import Clock

_SECOND = timedelta(seconds=1)
_ROW = 20  # values a line, so that the time of each can be read off
_AROUND = 5  # values shown on either side of a change point
_MOST_CHANGE_POINTS = 3
_LEAST_SHARE = 1 / 4  # of the greatest change; the rest is taken for noise


def alert_section(alerts: Sequence[Alert], clock: Clock, limit: int) -> Section:
    """Return the alerts, one a line of *limit* characters at most."""
    entries = (
        f"{clock(alert.time)} {inline(alert.service)} {inline(alert.metric)}: "
        f"{inline(alert.summary)}"
        for alert in alerts
    )
    return _section("Alerts", "alerts", entries, limit)


def change_section(
    changes: Sequence[Change], clock: Clock, limit: int, *, diff_limit: int
) -> Section:
    """Return the changes in the given order, each in *limit* characters, a diff in *diff_limit*."""
    section = _section("Changes", "changes", (_change(change, clock) for change in changes), limit)
    diffs = [cut(visible(change.diff).rstrip("\n"), diff_limit) for change in changes]
    return Section(
        section.title,
        tuple(
            f"{entry}\n    diff:\n    {indented(diff)}" if diff else entry
            for entry, (diff, _) in zip(section.entries, diffs, strict=True)
        ),
        section.left_out + cut_note([lost for _, lost in diffs], "diffs"),
    )


def _change(change: Change, clock: Clock) -> str:
    names = ("sha", "version", "service", "host", "author", "key", "before", "after")
    facts = [f"{name}={inline(getattr(change, name))}" for name in names if getattr(change, name)]
    parts = [" ".join((clock(change.time), change.type, *facts))]
    if change.message:
        parts.append(visible(change.message).rstrip("\n"))
    if change.files:
        parts.append("files: " + ", ".join(map(inline, change.files)))
    return indented("\n".join(parts))


def trace_section(spans: Sequence[Span], clock: Clock, limit: int) -> Section:
    """Return the spans in the given order, one a line of *limit* characters at most."""
    entries = (
        f"{clock(span.start)} {inline(span.service)} {inline(span.name)} "
        f"{span.duration_ms:g} ms {inline(span.status)}; {inline(span.trace_id)} "
        f"{inline(span.span_id)} {inline(span.parent_id) or '-'}"
        + (f"; {inline(span.error)}" if span.error else "")
        for span in spans
    )
    title = "Traces (start, service, operation, duration, status; trace, span and parent)"
    return _section(title, "spans", entries, limit)


def _section(title: str, what: str, entries: Iterable[str], limit: int) -> Section:
    """Return a section of *entries*, each in *limit* characters."""
    shown = [cut(entry, limit) for entry in entries]
    note = cut_note([lost for _, lost in shown], what)
    return Section(title, tuple(entry for entry, _ in shown), note)


def metric_section(
    metrics: Sequence[MetricSeries], clock: Clock, limit: int, *, is_whole: bool
) -> Section:
    """Return the series, every value or those around their change points, ``_`` for a gap.

    A name keeps *limit* characters.
    """
    entries: list[str] = []
    lost: list[int] = []
    ranged = 0
    for series in metrics:
        name, gone = cut(
            f"{inline(series.name)} service={inline(series.service)} unit={inline(series.unit)}",
            limit,
        )
        rows, hidden = _rows(series, clock, is_whole=is_whole)
        entries.append("\n    ".join((f"{name} every {series.step_s:g} s", *rows)))
        lost.append(gone)
        ranged += hidden
    total = sum(len(series.values) for series in metrics)
    note = f"{ranged:,} of {total:,} metric values, far from any change: each stretch as a range"
    return Section(
        "Metrics (each row begins with the time of its first value; _ is a gap)",
        tuple(entries),
        cut_note(lost, "names of metrics") + ((note,) if ranged else ()),
    )


def _rows(series: MetricSeries, clock: Clock, *, is_whole: bool) -> tuple[list[str], int]:
    """Return the rows of a series, and how many of its values they only give as a range."""
    values = series.values
    if len(set(values)) == 1:
        return [f"{clock(series.start)} {_number(values[0])}, all {len(values)} values"], 0
    rows: list[str] = []
    hidden = 0
    for first, end, is_shown in _stretches(values, is_whole=is_whole):
        if is_shown:
            for at in range(first, end, _ROW):
                shown = " ".join(map(_number, values[at : min(at + _ROW, end)]))
                rows.append(f"{clock(_time(series, at))} {shown}")
            continue
        extent = _extent([value for value in values[first:end] if value is not None])
        rows.append(f"{clock(_time(series, first))} [{end - first} values: {extent}]")
        hidden += end - first
    return rows, hidden


def _stretches(
    values: Sequence[float | None], *, is_whole: bool
) -> Iterator[tuple[int, int, bool]]:
    """Yield the parts of a series as first, end, and whether its values are shown one by one."""
    if is_whole or len(values) <= _ROW:
        yield 0, len(values), True
        return
    shown = [False] * len(values)
    for at in _change_points(values):
        for index in range(max(at - _AROUND, 0), min(at + _AROUND, len(values))):
            shown[index] = True
    edges = [at for at in range(1, len(values)) if shown[at] != shown[at - 1]]
    for first, end in pairwise([0, *edges, len(values)]):
        yield first, end, shown[first]


def _change_points(values: Sequence[float | None]) -> list[int]:
    """Return where the mean of the next few values differs most from that of the last few."""
    filled: list[float] = []
    for value in values:
        is_known = value is not None and math.isfinite(value)
        filled.append(value if value is not None and is_known else filled[-1] if filled else 0.0)
    steps = [0.0, *(later - earlier for earlier, later in pairwise(filled))]
    # A counter climbs all the time: what changes is how fast.
    if sum(step < 0 for step in steps) <= 1 and sum(step > 0 for step in steps) > len(steps) / 2:
        filled = steps
    sums = [0.0, *accumulate(filled)]
    jumps = {
        at: abs(sums[at + _AROUND] - 2 * sums[at] + sums[at - _AROUND])
        for at in range(_AROUND, len(filled) - _AROUND + 1)
    }
    least = max(jumps.values(), default=0.0) * _LEAST_SHARE
    found: list[int] = []
    for at in sorted(jumps, key=lambda at: -jumps[at]):
        is_apart = all(abs(at - other) >= 2 * _AROUND for other in found)
        if is_apart and len(found) < _MOST_CHANGE_POINTS and jumps[at] >= least > 0:
            found.append(at)
    return found


def _extent(known: Sequence[float]) -> str:
    if not known:
        return "gaps"
    ends = dict.fromkeys((_number(min(known)), _number(max(known))))
    return " to ".join(ends)


def _time(series: MetricSeries, index: int) -> datetime:
    return series.start + index * (series.step_s * _SECOND)


def _number(value: float | None) -> str:
    return "_" if value is None else repr(value).removesuffix(".0")
