"""Times must fit together: metrics in the window, counters that count, causes before effects."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import Fault, format_time
from pytest_rcabench.lint.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rcabench.domain.incident import Incident, MetricSeries

# What a counter may show one scrape after a restart: a tenth of the value before, or a few.
_NEAR_ZERO = 0.1
_A_FEW = 3
_LABELS = re.compile(r"\{.*\}")


def metrics_stay_in_the_window(incident: Incident) -> Iterator[Finding]:
    """Every sample of every series is of a time in the window."""
    window = incident.evidence.window
    for index, series in enumerate(incident.evidence.metrics):
        last = series.start + timedelta(seconds=series.step_s) * (len(series.values) - 1)
        if not window.start <= series.start <= last <= window.end:
            span = f"{format_time(series.start)} to {format_time(last)}"
            what = f"{series.name} runs from {span}, beyond the window; cut it or shift its start"
            yield Finding(("metrics", index, "values"), what)


def counters_count(incident: Incident) -> Iterator[Finding]:
    """A counter never falls, unless a restart takes it to zero or nearly so."""
    metrics = incident.evidence.metrics
    names = {_LABELS.sub("", series.name) for series in metrics}
    for index, series in enumerate(metrics):
        if not _is_counter(series, names):
            continue
        values = [value for value in series.values if value is not None]
        for earlier, later in pairwise(values):
            if later < earlier and later > max(_NEAR_ZERO * earlier, _A_FEW):
                what = f"the counter {series.name} falls from {earlier:g} to {later:g}"
                remedy = "only a restart lowers one, to zero or nearly so"
                yield Finding(("metrics", index, "values"), f"{what}; {remedy}")
                break


def causes_come_before_effects(incident: Incident) -> Iterator[Finding]:
    """The culprit, what contributed, and a rollout of the culprit are older than the onset."""
    fault = incident.truth
    if not isinstance(fault, Fault):
        return
    for index, change in enumerate(incident.evidence.changes):
        guilty = change.sha and change.sha in fault.commits + fault.contributing
        if guilty and change.type == "commit" and change.time >= fault.onset:
            what = "is not before the onset, which it is said to cause; move one of them"
            yield Finding(("changes", index, "time"), what)
    rollouts = [
        change.time
        for change in incident.evidence.changes
        if change.type == "deploy" and change.sha in fault.commits
    ]
    if rollouts and min(rollouts) >= fault.onset:
        what = "is before the first rollout of the culprit; move one of them"
        yield Finding(("expected", "onset"), what)


def lead_in_is_long(incident: Incident) -> Iterator[Finding]:
    """At least a third of the window is healthy, so that there is a past to depart from."""
    if not isinstance(incident.truth, Fault):
        return
    window = incident.evidence.window
    share = (incident.truth.onset - window.start) / (window.end - window.start)
    if share < 1 / 3:
        what = f"only {share:.0%} of the window is before it; start the window earlier"
        yield Finding(("expected", "onset"), what)


def _is_counter(series: MetricSeries, names: set[str]) -> bool:
    name = _LABELS.sub("", series.name)
    if name.endswith(("_total", "_bucket")):
        return True
    # A gauge may be called *_count too; beside a *_sum it belongs to a summary.
    base, _, ending = name.rpartition("_")
    return ending in {"count", "sum"} and {f"{base}_count", f"{base}_sum"} <= names
