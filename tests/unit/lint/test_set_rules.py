"""Across incidents, nothing about a culprit is always the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.incident import Change, Fault, Healthy, Incident, Source
from pytest_rcabench.lint.set_rules import (
    culprits_have_no_usual_rank,
    healthy_windows_complain_too,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def with_culprit(incident: Incident, number: int, place: int, count: int = 7) -> Incident:
    """Return *incident* with *count* commits, of which the one at *place* is at fault.

    In each order but that of time and list the commits stand shuffled by *number*.
    """
    fault = incident.truth
    assert isinstance(fault, Fault)
    commits = tuple(
        Change(
            "commit",
            fault.onset - timedelta(minutes=20 - n),
            sha=f"{number:x}{n:x}" * 20,
            message="m" * (1 + n * 3 * (number + 1) % count),
            diff="d" * (1 + (n * 5 + number) % count),
            files=("f",) * (1 + (n * 2 + number * 3) % count),
        )
        for n in range(count)
    )
    return replace(
        incident,
        id=f"i{number}",
        evidence=replace(incident.evidence, changes=commits),
        truth=replace(fault, commits=(commits[place].sha,)),
    )


def ranks(incidents: Sequence[Incident]) -> list[str]:
    """Return what is said of the ranks, each without its remedy."""
    return [
        finding.what.partition(" (")[0]
        for _, finding in culprits_have_no_usual_rank(tuple(incidents))
    ]


def test_culprits_all_over_the_place_are_clean(fair: Incident) -> None:
    """Seven windows, and each place once."""
    assert ranks([with_culprit(fair, n, n) for n in range(7)]) == []


def test_a_usual_place_is_an_error(fair: Incident) -> None:
    """It is told of both orders that show it, from both ends."""
    told = ranks([with_culprit(fair, n, 2) for n in range(6)])

    assert {
        "rank 5 of newest is the culprit in 6 of 6 windows",
        "rank 3 of oldest is the culprit in 6 of 6 windows",
        "rank 5 of last listed is the culprit in 6 of 6 windows",
        "rank 3 of first listed is the culprit in 6 of 6 windows",
    } <= set(told)


@pytest.mark.parametrize(
    ("order", "make_largest"),
    [
        ("longest-diff", lambda change: replace(change, diff="d" * 99)),
        ("longest-message", lambda change: replace(change, message="m" * 99)),
        ("most-files", lambda change: replace(change, files=("f",) * 99)),
    ],
)
def test_a_usual_size_is_an_error(
    fair: Incident, order: str, make_largest: Callable[[Change], Change]
) -> None:
    """The culprit is the largest in every window, wherever it stands."""
    incidents = []
    for n in range(6):
        incident = with_culprit(fair, n, n)
        changes = list(incident.evidence.changes)
        changes[n] = make_largest(changes[n])
        incidents.append(
            replace(incident, evidence=replace(incident.evidence, changes=tuple(changes)))
        )

    assert f"rank 1 of {order} is the culprit in 6 of 6 windows" in ranks(incidents)


def test_equals_share_their_ranks(fair: Incident) -> None:
    """Where all commits touch as many files, their number tells nothing."""
    incidents = []
    for n in range(6):
        incident = with_culprit(fair, n, n)
        changes = tuple(replace(change, files=("f",)) for change in incident.evidence.changes)
        incidents.append(replace(incident, evidence=replace(incident.evidence, changes=changes)))

    assert not [what for what in ranks(incidents) if "files" in what]


def test_commits_after_the_onset_have_no_rank_in_time(fair: Incident) -> None:
    """Whoever knows the onset leaves them out."""
    incidents = []
    for n in range(6):
        incident = with_culprit(fair, n, n)
        assert isinstance(incident.truth, Fault)
        onset = incident.evidence.changes[n].time + timedelta(seconds=1)
        incidents.append(replace(incident, truth=replace(incident.truth, onset=onset)))

    assert "rank 1 of newest is the culprit in 6 of 6 windows" in ranks(incidents)


def test_few_windows_are_no_set(fair: Incident) -> None:
    """Of five, two are too many already."""
    assert ranks([with_culprit(fair, n, 2) for n in range(5)]) == []


def test_imports_are_not_ours_to_change(fair: Incident) -> None:
    """Another's set is as it is."""
    source = Source("imported", "X")

    assert ranks([replace(with_culprit(fair, n, 2), source=source) for n in range(6)]) == []


def healthy(incident: Incident, *, keep: int = 60, alerts: bool = True) -> Incident:
    """Return a healthy window with the first *keep* records of *incident*."""
    evidence = replace(
        incident.evidence,
        logs=incident.evidence.logs[:keep],
        alerts=incident.evidence.alerts if alerts else (),
    )
    return replace(incident, truth=Healthy(), kind="healthy", evidence=evidence)


def test_healthy_windows_that_complain_as_faulty_ones_do_are_clean(fair: Incident) -> None:
    """One of two with an alert is enough."""
    windows = (*[fair] * 6, healthy(fair), healthy(fair, alerts=False))

    assert list(healthy_windows_complain_too(windows)) == []


def test_a_quiet_healthy_window_is_an_error(fair: Incident) -> None:
    """Thirty warnings and no error, where faulty windows have 28 errors."""
    found = [f.what for _, f in healthy_windows_complain_too((*[fair] * 6, healthy(fair, keep=30)))]

    assert found == [
        "30 records at WARN or worse, where faulty windows have 59 to 59; have as many",
        "0 records at ERROR or worse, where faulty windows have 28 to 28; have as many",
    ]


def test_healthy_windows_without_alerts_are_an_error(fair: Incident) -> None:
    """An alert must not be the sign of a fault."""
    windows = (*[fair] * 6, *[healthy(fair, alerts=False)] * 2, healthy(fair))
    ((_, finding),) = healthy_windows_complain_too(windows)

    assert finding.what == "2 of 3 healthy windows have no alert; let more have one"
