"""A rubric is held against its own examples."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pytest_rcabench.domain.incident import (
    Evidence,
    Examples,
    Fault,
    Healthy,
    Incident,
    Truth,
    Window,
)
from pytest_rcabench.lint.rubric_examples import check_examples

NOON = datetime(2026, 10, 7, 12, tzinfo=UTC)
FAULT = Fault("orders-api", NOON, cause=(("pool",), ("leak*",)), must_not=("pool is too small",))


def incident(truth: Truth, right: tuple[str, ...], wrong: tuple[str, ...]) -> Incident:
    """Return an incident with these examples."""
    evidence = Evidence(Window(NOON, NOON), (), (), ())
    examples = Examples(right, wrong)
    return Incident("leak", "Leak", "bad_deploy", "easy", evidence, truth, examples=examples)


def test_examples_that_get_their_label_are_no_problem() -> None:
    """A sound rubric has nothing to say."""
    sound = incident(FAULT, ("the pool leaks",), ("no pool leak", "the pool is too small"))

    assert check_examples(sound) == ()


def test_each_example_that_is_misjudged_is_named() -> None:
    """The line says which example, what was made of it and why."""
    problems = check_examples(incident(FAULT, ("it leaks",), ("fine", "a pool leak")))

    remedy = "mend the rubric or the example"
    assert problems == (
        f"examples.right[0]: 'it leaks' is not accepted: the text says none of: pool; {remedy}",
        f"examples.wrong[1]: 'a pool leak' is accepted: the text claims 'pool' + 'leak'; {remedy}",
    )


@pytest.mark.parametrize("truth", [Healthy(), replace(FAULT, graded=("commit",))])
def test_a_window_whose_cause_is_not_graded_has_no_rubric(truth: Truth) -> None:
    """Healthy windows and imports are left alone."""
    assert check_examples(incident(truth, ("it leaks",), ())) == ()
