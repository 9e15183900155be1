"""Mutants are made from the truth, and a rubric or scorer that is wrong lets one live."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from pytest_rcabench.domain.incident import Fault, Healthy, Incident
from pytest_rcabench.lint.mutants import Mutant, mutants, survivors, told

WORDS = "pool leak retry back-off rebalance clock skew replicas rewrite flag quota password disk"
PHRASES = tuple(WORDS.split())


def marks(incident: Incident, phrases: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the mark that each mutant of *incident* deserves, by name."""
    return {mutant.name: mutant.mark for mutant in mutants(incident, phrases)}


def with_truth(incident: Incident, **changes: Any) -> Incident:  # noqa: ANN401 - any field
    """Return *incident* with another truth."""
    assert isinstance(incident.truth, Fault)
    return replace(incident, truth=replace(incident.truth, **changes))


def test_every_mutant_of_a_sound_incident_is_killed(fair: Incident) -> None:
    """Among them each verdict there is."""
    count, alive = survivors(fair, PHRASES)

    assert (count > 60, alive) == (True, ())
    assert set(Counter(marks(fair).values())) == {"pass", "half", "wrong"}


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("oracle", "pass"),
        ("innocent blame, warning", "half"),
        ("innocent blame, info", "half"),
        ("three more warnings", "half"),
        ("wrong service: edge", "wrong"),
        ("victim on top: edge", "wrong"),
        ("no commit", "wrong"),
        ("right prefix, invented tail", "wrong"),
        ("ambiguous prefix", "wrong"),
        ("every commit", "wrong"),
        ("alert as cause: edge answers 5xx", "wrong"),
        ("denied before", "wrong"),
        ("denied after", "wrong"),
        ("hedged", "wrong"),
        ("all phrases from 0 by ', '", "wrong"),
        ("info only", "wrong"),
        ("empty", "wrong"),
        ("right issue ranked second", "wrong"),
        ("in other words: never closed", "pass"),
        ("right, and: pool is too small", "wrong"),
    ],
)
def test_each_promised_mutant_is_made(fair: Incident, name: str, mark: str) -> None:
    """With the verdict that it deserves."""
    assert marks(fair, PHRASES)[name] == mark


def test_a_window_without_a_culprit_has_no_mutants_of_its_sha(fair: Incident) -> None:
    """There any commit is wrong, and text that is no sha blames nobody."""
    blameless = with_truth(fair, commits=(), contributing=())
    made = marks(blameless)

    assert survivors(blameless) == (len(made), ())
    assert "ambiguous prefix" not in made
    assert made["no sha at all"] == "pass"


def test_a_healthy_window_deserves_silence(fair: Incident) -> None:
    """A note is allowed, and a note that blames costs half."""
    healthy = replace(fair, truth=Healthy())
    made = marks(healthy)

    assert survivors(healthy) == (len(made), ())
    assert (made["silence"], made["blame in an info"]) == ("pass", "half")


def test_only_what_is_graded_is_mutated(fair: Incident) -> None:
    """An import that grades the commit alone has no mutants of service and cause."""
    graded = with_truth(fair, graded=("commit",), cause=(), must_not=())
    made = marks(graded)

    assert survivors(graded) == (len(made), ())
    assert not [name for name in made if "service" in name or "denied" in name]


def test_what_contributed_may_be_blamed_too(fair: Incident) -> None:
    """Dormant code is no innocent."""
    sha = fair.evidence.changes[0].sha
    contributing = with_truth(fair, contributing=(sha,))

    assert marks(contributing)[f"contributing too: {sha}"] == "pass"
    assert survivors(contributing)[1] == ()


def test_a_loose_rubric_lets_a_symptom_live(fair: Incident) -> None:
    """The finding says what the mutant got, what it deserves, and why."""
    loose = with_truth(fair, cause=(("upstream",), ("timed out",)))
    (alive,) = [s for s in survivors(loose)[1] if s.name.endswith("upstream 32 timed out")]

    assert (alive.deserves, alive.got) == ("wrong", "pass")
    assert "is pass and deserves wrong (service: expected orders" in told(alive).what


def test_a_phrase_that_can_never_be_met_is_found(fair: Incident) -> None:
    """It stands in the rubric and helps nobody."""
    dead = with_truth(fair, cause=(("pool",), ("leak*", "drips, drops")))

    assert [s.name for s in survivors(dead)[1]] == ["in other words: drips, drops"]


def test_few_phrases_may_be_an_answer(fair: Incident) -> None:
    """So a small set has no cause that says everything."""
    made = marks(fair, PHRASES[:4])

    assert not [name for name in made if name.startswith("all phrases")]


def test_mutants_have_different_names(fair: Incident) -> None:
    """A name finds its mutant."""
    names = Counter(mutant.name for mutant in mutants(fair, PHRASES))

    assert names.most_common(1)[0][1] == 1
    assert isinstance(next(mutants(fair)), Mutant)
