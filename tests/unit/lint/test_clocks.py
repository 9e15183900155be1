"""Times fit together."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.incident import Fault, Healthy, Incident, MetricSeries
from pytest_rcabench.lint import clocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_rcabench.lint.finding import Finding

START = datetime(2026, 10, 7, 13, tzinfo=UTC)
RULES = (
    clocks.metrics_stay_in_the_window,
    clocks.counters_count,
    clocks.causes_come_before_effects,
    clocks.lead_in_is_long,
)


def with_series(incident: Incident, *series: MetricSeries) -> Incident:
    """Return *incident* with these series."""
    return replace(incident, evidence=replace(incident.evidence, metrics=series))


def counter(name: str, *values: float | None) -> MetricSeries:
    """Return a series of *values*, one a minute."""
    return MetricSeries(name, "edge", "", START, 60, values)


def with_onset(incident: Incident, minutes: float) -> Incident:
    """Return *incident* with the onset *minutes* into the window."""
    assert isinstance(incident.truth, Fault)
    onset = START + timedelta(minutes=minutes)
    return replace(incident, truth=replace(incident.truth, onset=onset))


@pytest.mark.parametrize("rule", RULES)
def test_fair_times_are_clean(
    fair: Incident, rule: Callable[[Incident], Iterable[Finding]]
) -> None:
    """On a faulty window as on a healthy one."""
    assert list(rule(fair)) == []
    assert list(rule(replace(fair, truth=Healthy()))) == []


@pytest.mark.parametrize(("offset", "samples"), [(-1, 3), (0, 62), (59, 3)])
def test_a_sample_outside_the_window_is_an_error(fair: Incident, offset: int, samples: int) -> None:
    """At either end."""
    start = START + timedelta(minutes=offset)
    series = MetricSeries("up", "edge", "", start, 60, (1.0,) * samples)

    assert len(list(clocks.metrics_stay_in_the_window(with_series(fair, series)))) == 1


@pytest.mark.parametrize(
    "series",
    [
        (counter("http_requests_total", 50, 51, 49),),
        (counter('http_requests_total{code="5xx"}', 90, None, 40),),
        (counter("latency_bucket", 50, 45),),
        (counter("gc_pause_seconds_count", 50, 45), counter("gc_pause_seconds_sum", 1, 2)),
    ],
)
def test_a_counter_that_falls_is_an_error(fair: Incident, series: tuple[MetricSeries, ...]) -> None:
    """Not by a little, and not across a gap."""
    assert len(list(clocks.counters_count(with_series(fair, *series)))) == 1


@pytest.mark.parametrize(
    "series",
    [
        counter("http_requests_total", 50, 51, 0, 4),
        counter("http_requests_total", 900, 80),
        counter("restarts_total", 4, 3),
        counter("queue_message_count", 50, 45),
        counter("pool_active", 50, 45),
    ],
)
def test_restarts_and_gauges_may_fall(fair: Incident, series: MetricSeries) -> None:
    """A restart leads to zero or nearly so, and a gauge may be called a count."""
    assert list(clocks.counters_count(with_series(fair, series))) == []


def test_a_culprit_is_older_than_its_effect(fair: Incident) -> None:
    """Its commit, and the first rollout of it."""
    late = with_onset(fair, -25)

    assert [finding.where for finding in clocks.causes_come_before_effects(late)] == [
        ("changes", 1, "time"),
        ("expected", "onset"),
    ]
    assert [
        finding.where for finding in clocks.causes_come_before_effects(with_onset(fair, 2))
    ] == [("expected", "onset")]


def test_a_third_of_the_window_is_healthy(fair: Incident) -> None:
    """A third is enough, and less is not."""
    assert list(clocks.lead_in_is_long(with_onset(fair, 20))) == []
    assert len(list(clocks.lead_in_is_long(with_onset(fair, 19)))) == 1
