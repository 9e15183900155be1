"""What answers without understanding must not come near the truth."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.incident import Change, Fault, Healthy, Incident
from pytest_rcabench.lint import control_gate
from pytest_rcabench.lint.control_gate import Trial

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def with_truth(incident: Incident, **changes: Any) -> Incident:  # noqa: ANN401 - any field
    """Return *incident* with another truth."""
    assert isinstance(incident.truth, Fault)
    return replace(incident, truth=replace(incident.truth, **changes))


def trial(incident: Incident, name: str) -> Trial:
    """Return what the control *name* got on *incident*."""
    return next(t for t in control_gate.try_controls(incident) if t.control == name)


def solved(incident: Incident) -> list[str]:
    """Return what is said of controls that solve *incident*."""
    found = control_gate.solves(incident, control_gate.try_controls(incident))
    return [finding.what for finding in found]


def came_near(incident: Incident) -> list[str]:
    """Return what is said of controls that come near to the truth of *incident*."""
    found = control_gate.comes_near(incident, control_gate.try_controls(incident))
    return [finding.what for finding in found]


def test_a_trial_says_what_was_right(fair: Incident) -> None:
    """The newest commit is another, the oldest is of the right service."""
    assert trial(fair, "newest-1") == Trial("newest-1", "wrong")
    assert trial(fair, "oldest-1") == Trial("oldest-1", "wrong", service=True)
    assert trial(fair, "oldest-2") == Trial("oldest-2", "wrong", True, True, True)  # noqa: FBT003 - all of it


def test_a_window_that_takes_understanding_is_clean(fair: Incident) -> None:
    """The ranks between the ends of an order cannot know where the culprit stands."""
    fair = replace(fair, evidence=replace(fair.evidence, changes=_without_tell(fair)))

    assert (solved(fair), came_near(fair)) == ([], [])


def test_a_title_that_is_the_cause_is_solved(fair: Incident) -> None:
    """The culprit's own subject meets the rubric."""
    loose = with_truth(fair, cause=(("check",), ("coupons",)), must_not=())
    (what,) = solved(loose)

    assert what.startswith("solved without understanding, by ")
    assert "latest-deploy" not in what  # a deploy without a message says its version only
    assert "oldest-2" in what


def test_an_echo_in_turn_can_solve_a_window(fair: Incident) -> None:
    """Some record at WARN or worse is an accepted cause, and nobody is at fault."""
    told = with_truth(fair, cause=(("30000",), ("ms",)), commits=())

    assert "echo in turn" in solved(told)[0]


def test_service_and_commit_without_the_cause_are_too_near(fair: Incident) -> None:
    """The only deploy rolls out the culprit."""
    (what,) = came_near(fair)

    assert "latest-deploy" in what
    assert what.startswith("service and commit are right by ")


def test_without_a_culprit_the_service_makes_a_window_easy(fair: Incident) -> None:
    """That is a label, and no error of the window."""
    blameless = with_truth(fair, commits=())
    trials = control_gate.try_controls(blameless)

    assert came_near(blameless) == []
    assert control_gate.is_easy(blameless, trials)
    assert not control_gate.is_easy(fair, control_gate.try_controls(fair))


def test_a_healthy_window_is_tried_on_its_silence(fair: Incident) -> None:
    """It has neither service nor commit."""
    healthy = replace(fair, truth=Healthy())

    assert trial(healthy, "silent") == Trial("silent", "pass")
    assert (solved(healthy), came_near(healthy)) == ([], [])


def found_in_set(
    incidents: Sequence[Incident], trials: Mapping[str, tuple[Trial, ...]]
) -> list[str]:
    """Return what is said of *trials* over *incidents*, without remedies."""
    found = control_gate.set_findings(trials, {i.id: i for i in incidents})
    return [re.sub(r" \(.*\)|;.*", "", finding.what) for _, finding in found]


def windows(incident: Incident, count: int) -> list[Incident]:
    """Return *count* windows like *incident*."""
    return [replace(incident, id=f"i{n}") for n in range(count)]


@pytest.mark.parametrize(("right", "told"), [(2, 0), (3, 1)])
@pytest.mark.parametrize("part", ["service", "commit"])
def test_a_third_of_the_windows_is_the_limit(
    fair: Incident, part: str, right: int, told: int
) -> None:
    """Two of six are a third, three are too many."""
    six = windows(fair, 6)
    trials = {
        incident.id: (Trial("most-metrics", "wrong", **{part: n < right}),)
        for n, incident in enumerate(six)
    }
    expected = [f"the {part} is right in 3 of 6 windows by most-metrics"][:told]

    assert found_in_set(six, trials) == expected
    assert found_in_set(six[:5], trials) == []


def test_controls_that_are_right_together_are_told_together(fair: Incident) -> None:
    """One rule under two names is one thing to repair."""
    six = windows(fair, 6)
    both = {
        i.id: tuple(Trial(name, "wrong", service=True) for name in ("longest-diff", "most-removed"))
        for i in six
    }

    assert found_in_set(six, both) == [
        "the service is right in 6 of 6 windows by longest-diff, most-removed"
    ]


def test_a_place_inside_an_order_is_judged_by_its_commits(fair: Incident) -> None:
    """Of a hundred places, some always name the service that most commits are about."""
    six = windows(fair, 6)
    inside = {i.id: (Trial("newest-3", "wrong", service=True, commit=True),) for i in six}
    echoes = {i.id: (Trial("echo in turn", "wrong", service=True, commit=True),) for i in six}

    assert found_in_set(six, inside) == ["the commit is right in 6 of 6 windows by newest-3"]
    assert found_in_set(six, echoes) == []


def test_easy_windows_are_at_most_half_of_those_without_a_culprit(fair: Incident) -> None:
    """Two of two are too many."""
    six = windows(fair, 4) + windows(with_truth(fair, commits=()), 6)[4:]
    near = {i.id: (Trial("most-metrics", "wrong", near=True),) for i in six}
    half = {**near, "i4": ()}

    assert found_in_set(six, near) == ["2 of 2 windows without a culprit are easy"]
    assert found_in_set(six, half) == []


@pytest.mark.parametrize("name", ["no-error-is-healthy", "no-alert-is-healthy"])
def test_silence_must_not_be_told_by_silence(fair: Incident, name: str) -> None:
    """Half of the healthy windows may be quiet."""
    eight = windows(fair, 6) + windows(replace(fair, truth=Healthy()), 8)[6:]
    quiet = {i.id: (Trial(name, "pass" if i.is_healthy else "wrong"),) for i in eight}
    half = {**quiet, "i7": (Trial(name, "wrong"),)}

    assert found_in_set(eight, quiet) == [f"control:{name} passes 2 of 2 healthy windows"]
    assert found_in_set(eight, half) == []


def test_the_table_has_a_line_a_window(fair: Incident) -> None:
    """Faulty ones only, and what was right most often."""
    blameless = replace(with_truth(fair, commits=()), id="nil")
    healthy = replace(fair, truth=Healthy(), id="healthy")
    imported = replace(with_truth(fair, graded=("commit",)), id="imported")
    every = {i.id: i for i in (fair, blameless, healthy, imported)}
    trials = {
        name: (
            Trial("most-metrics", "wrong", service=True, near=name == "nil"),
            Trial("newest-3", "wrong", service=True, commit=True, near=True),
            Trial("longest-diff", "wrong", commit=True),
        )
        for name in every
    }

    assert control_gate.controls_table(trials, every) == (
        "leak: service by most-metrics; commit by longest-diff; all but the cause by none",
        "nil (easy): service by most-metrics; no commit to name; all but the cause by most-metrics",
        "imported: commit by longest-diff; all but the cause by none",
        "service right in most of 3 faulty windows: most-metrics 3",
        "commit right in most of 3 faulty windows: longest-diff 3",
    )


def _without_tell(incident: Incident) -> tuple[Change, ...]:
    """Return the changes of *incident* without the rollout and the diff that stand out."""
    old, culprit, _, innocent = incident.evidence.changes
    return (
        replace(old, diff="+" * 200 + "\n-a\n-b", message="m" * 60, files=("a.yaml", "b", "c")),
        replace(culprit, files=("a.py", "b.py")),
        replace(innocent, service="orders", files=("c.yaml",), message="New"),
    )
