"""The exact test of the gate, held against counting every draw there is."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_rcabench.reports.exact_test import ExactTest, Rounds, exact_test, is_at_most, tarone

POINTS = st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple)


def _by_counting(incidents: list[Rounds]) -> ExactTest:
    """Return the chances by listing which rounds of each incident could have been the new ones."""
    sums = [
        [sum(drawn) for drawn in combinations(one.base + one.new, len(one.new))]
        for one in incidents
    ]
    observed = sum(sum(one.new) for one in incidents)
    totals = [sum(draw) for draw in product(*sums)]
    return ExactTest(
        *(
            float(Fraction(sum(map(is_meant, totals)), len(totals)))
            for is_meant in (
                lambda total: total <= observed,
                lambda total: total >= observed,
                lambda total: total == min(totals),
                lambda total: total == max(totals),
            )
        )
    )


@settings(deadline=None, max_examples=60)
@given(st.lists(st.builds(Rounds, POINTS, POINTS), min_size=1, max_size=2))
def test_the_chances_are_those_of_counting_every_draw(incidents: list[Rounds]) -> None:
    """Nothing is approximated."""
    counted, computed = _by_counting(incidents), exact_test(incidents)

    for name in ("worse", "better", "least_worse", "least_better"):
        assert getattr(counted, name) == pytest.approx(getattr(computed, name), rel=1e-12)


@pytest.mark.parametrize(("lost", "won"), [(5, 0), (5, 1), (8, 2), (3, 3)])
def test_one_round_on_each_side_is_mcnemar(lost: int, won: int) -> None:
    """Of the incidents that changed, as many or more are lost with the chance of a fair coin."""
    incidents = [Rounds((2,), (0,))] * lost + [Rounds((0,), (2,))] * won
    unchanged = [Rounds((2,), (2,)), Rounds((0,), (0,))] * 10

    tail = sum(comb(lost + won, number) for number in range(lost, lost + won + 1))
    assert exact_test(incidents + unchanged).worse == pytest.approx(tail / 2 ** (lost + won))


def test_better_is_the_mirror_of_worse() -> None:
    """Exchanging right and wrong exchanges the two sides."""
    incidents = [Rounds((2, 2, 1), (0, 1)), Rounds((0, 2), (2, 2, 2))]
    mirrored = [
        Rounds(*(tuple(2 - point for point in side) for side in (one.base, one.new)))
        for one in incidents
    ]
    plain, mirror = exact_test(incidents), exact_test(mirrored)

    assert plain.worse == pytest.approx(mirror.better)
    assert plain.least_worse == pytest.approx(mirror.least_better)


def test_incidents_that_never_vary_say_nothing() -> None:
    """Where all rounds are alike every draw is, and no outcome could be significant."""
    assert exact_test([Rounds((2,) * 12, (2,) * 3)] * 60) == ExactTest(1.0, 1.0, 1.0, 1.0)


def test_many_incidents_and_rounds_stay_a_chance() -> None:
    """Nothing overflows, and no sum passes 1."""
    incidents = [Rounds((0, 1, 2) * 4, (2, 1, 0))] * 200
    found = exact_test(incidents)

    assert 0.5 < found.worse <= 1
    assert 0.5 < found.better <= 1


@pytest.mark.parametrize(
    ("least", "divisor"),
    [
        ([], 1),
        ([1.0, 1.0], 1),
        ([0.001, 1.0, 0.05], 1),
        ([0.03, 0.03], 2),
        ([0.001, 0.03, 0.03], 2),
        ([0.001] * 6, 6),
    ],
)
def test_a_test_that_cannot_be_significant_costs_nothing(least: list[float], divisor: int) -> None:
    """The level is shared by those alone that could reach their share of it."""
    assert divisor == tarone(least, 0.04)


def test_a_chance_at_the_level_counts_however_it_was_summed() -> None:
    """One new round of 25 that is the only wrong one has a chance of exactly 4 %."""
    assert is_at_most(exact_test([Rounds((2,) * 24, (0,))]).worse, 0.04)
    assert is_at_most(0.1 + 0.2, 0.3)
    assert not is_at_most(0.3001, 0.3)
