"""What is planted to mislead can do so, and is innocent."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.incident import Change, Distractor, Fault, Healthy, Incident
from pytest_rcabench.lint import distractors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_rcabench.lint.finding import Finding

RULES = (
    distractors.noises_began_before_onset,
    distractors.noises_keep_their_rate,
    distractors.distractors_are_plausible,
    distractors.an_innocent_is_nearer_to_onset,
    distractors.something_complains_before_onset,
)


def with_noise(incident: Incident, match: str) -> Incident:
    """Return *incident* with one distractor, a noise."""
    return replace(incident, distractors=(Distractor("why", noise="noise", match=match),))


def with_changes(incident: Incident, *changes: Change) -> Incident:
    """Return *incident* with these changes."""
    return replace(incident, evidence=replace(incident.evidence, changes=changes))


@pytest.mark.parametrize("rule", RULES)
def test_fair_distractors_are_clean(
    fair: Incident, rule: Callable[[Incident], Iterable[Finding]]
) -> None:
    """On a faulty window as on a healthy one."""
    assert list(rule(fair)) == []
    assert list(rule(replace(fair, truth=Healthy()))) == []


def test_a_symptom_is_no_old_noise(fair: Incident) -> None:
    """It begins with the fault, and its rate says so too."""
    symptom = with_noise(fair, "upstream .* timed out")

    assert len(list(distractors.noises_began_before_onset(symptom))) == 1
    (finding,) = distractors.noises_keep_their_rate(symptom)
    assert "28 of 28 such records come after the onset, where 14 would" in finding.what


@pytest.mark.parametrize(("first", "last"), [(1, 30), (31, 59)])
def test_a_noise_that_starts_or_stops_at_the_onset_is_an_error(
    fair: Incident, first: int, last: int
) -> None:
    """Whether it grows or dies away, it knows of the fault."""
    kept = tuple(
        record
        for record in fair.evidence.logs
        if record.service != "report" or first <= record.time.minute <= last
    )
    changed = replace(fair, evidence=replace(fair.evidence, logs=kept))
    found = list(distractors.noises_keep_their_rate(changed))

    assert len(found) == 1


def test_few_records_prove_no_change_of_rate(fair: Incident) -> None:
    """Two before and none after may be chance."""
    assert list(distractors.noises_keep_their_rate(with_noise(fair, r"slow page [13]$"))) == []


def test_a_commit_of_long_ago_misleads_nobody(fair: Incident) -> None:
    """A month is the limit."""
    old, culprit, deploy, innocent = fair.evidence.changes
    moved = replace(innocent, time=innocent.time - timedelta(days=31))
    (finding,) = distractors.distractors_are_plausible(
        with_changes(fair, old, culprit, deploy, moved)
    )

    assert "older than a month" in finding.what


def test_a_service_that_nobody_sees_misleads_nobody(fair: Incident) -> None:
    """Unless several changes are about it, as with a repository of manifests."""
    *others, innocent = fair.evidence.changes
    moved = replace(innocent, service="manifests")
    other = replace(innocent, service="manifests", sha="1" * 40)
    (finding,) = distractors.distractors_are_plausible(with_changes(fair, *others, moved))

    assert "manifests has neither logs nor metrics" in finding.what
    assert (
        list(distractors.distractors_are_plausible(with_changes(fair, *others, moved, other))) == []
    )


def test_the_newest_commit_before_the_onset_is_innocent(fair: Incident) -> None:
    """Else the one answer that needs no reading is right."""
    (finding,) = distractors.an_innocent_is_nearer_to_onset(
        with_changes(fair, *fair.evidence.changes[:3])
    )

    assert finding.where == ("expected", "commit")


def test_a_lead_in_without_a_complaint_is_told(fair: Incident) -> None:
    """A past in which all is silent makes every complaint look guilty."""
    assert isinstance(fair.truth, Fault)
    late = tuple(record for record in fair.evidence.logs if record.time >= fair.truth.onset)
    silent = replace(fair, evidence=replace(fair.evidence, logs=late))

    assert len(list(distractors.something_complains_before_onset(silent))) == 1
