"""A window for the page: everything to draw, by time, with what the truth says of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.incident import Distractor, Fault, LogRecord, MetricSeries
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.reports.html.window import window_to_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rcabench.domain.incident import Incident

INNOCENT = "beef1e0" + "0" * 33


@pytest.fixture
def incident(tmp_path: Path, write_incident: Callable[..., Path]) -> Incident:
    """Return a small faulty incident with both kinds of distractor."""
    found = read_incident(write_incident(tmp_path, "leak"))
    noise = Distractor(why="old", noise="failures", match="order 3[12] failed")
    innocent = Distractor(why="colours only", commit=INNOCENT)
    return replace(found, distractors=(innocent, noise))


def shown(incident: Incident) -> Any:  # noqa: ANN401 - JSON
    """Return what the page gets of *incident*."""
    return window_to_json(incident)


def test_times_are_seconds_from_the_start(incident: Incident) -> None:
    """Before the window they are negative."""
    window = shown(incident)

    assert (window["start"], window["length"]) == ("2026-10-07T13:00:00Z", 3600)
    assert [change["at"] for change in window["changes"]] == [-591, -531]
    assert window["truth"]["onset"] == 31 * 60


def test_records_stand_by_time_with_shared_names(incident: Incident) -> None:
    """Streams are mixed as a reader wants them; names are written once."""
    early = LogRecord(incident.evidence.window.start, "web", "web-1", "INFO", "first")
    evidence = replace(incident.evidence, logs=(*incident.evidence.logs, early))
    window = shown(replace(incident, evidence=evidence))
    time, service, host, level, message, _ = window["logs"][0]

    assert (time, message) == (0, "first")
    assert [window["names"][place] for place in (service, host, level)] == ["web", "web-1", "INFO"]
    assert len(window["names"]) == len(set(window["names"]))


def test_noise_is_known_by_its_number(incident: Incident) -> None:
    """The second distractor is the noise; two lines are of it."""
    numbers = [record[5] for record in shown(incident)["logs"]]

    assert numbers == [[], [2], [2], [], [], []]


def test_a_change_is_culprit_distractor_contributing_or_nothing(incident: Incident) -> None:
    """A distractor says why it misleads; an innocent that nobody planted has no role."""
    culprit, innocent = incident.evidence.changes
    truth = incident.truth
    assert isinstance(truth, Fault)
    dormant = replace(culprit, sha="d" * 40)
    other = replace(culprit, sha="e" * 40)
    evidence = replace(incident.evidence, changes=(other, dormant, innocent, culprit))
    truth = replace(truth, contributing=(dormant.sha,))
    changes = shown(replace(incident, evidence=evidence, truth=truth))["changes"]

    assert [change["role"] for change in changes] == ["", "contributing", "culprit", "distractor 1"]
    assert changes[3]["why"] == "colours only"


def test_gaps_of_a_metric_stay_gaps(incident: Incident) -> None:
    """They are drawn as gaps, and a series may begin before the window."""
    start = incident.evidence.window.start - timedelta(seconds=60)
    series = MetricSeries("busy", "web", "threads", start, 30.0, (1.0, None, 3.0))
    evidence = replace(incident.evidence, metrics=(series,))
    (metric,) = shown(replace(incident, evidence=evidence))["metrics"]

    assert (metric["start"], metric["step"], metric["values"]) == (-60, 30.0, [1.0, None, 3.0])


def test_a_healthy_window_has_no_truth_to_tell(
    tmp_path: Path, write_incident: Callable[..., Path]
) -> None:
    """There is no onset and no culprit."""
    window = shown(read_incident(write_incident(tmp_path, "calm", healthy=True)))

    assert window["truth"] is None
    assert {change["role"] for change in window["changes"]} == {""}
