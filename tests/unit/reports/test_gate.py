"""The gate's rules on points."""

from __future__ import annotations

from itertools import product
from math import isfinite

import pytest

from pytest_rcabench.reports.exact_test import Rounds
from pytest_rcabench.reports.gate import is_dead, is_death_certain, judge

STEADY = Rounds((2,) * 3, (2,) * 3)
DEAD = Rounds((2,) * 3, (0,) * 3)


def test_the_level_is_shared_by_families_that_could_be_significant() -> None:
    """Two that could be share it, and one whose rounds never vary takes no part."""
    moved = [DEAD] * 3

    (alone,) = judge([moved])
    beside, still = judge([moved, [STEADY]])
    first, second = judge([moved, moved])

    assert (alone.level, beside.level) == (0.04, 0.04)
    assert (first.level, second.level) == (0.02, 0.02)
    assert alone.verdict == beside.verdict == first.verdict == "regressed"
    assert not still.can_be_decided


def test_better_is_told_as_worse_is() -> None:
    """The same rounds, exchanged, are as much better as they were worse."""
    (judgement,) = judge([[Rounds(DEAD.new, DEAD.base)] * 3])

    assert judgement.verdict == "better"
    assert judgement.drop == -1


def test_no_worse_needs_enough_rounds() -> None:
    """Perfect on both sides, eleven incidents show no drop above 10 points only with 12 before."""
    (few,) = judge([[STEADY] * 11])
    (many,) = judge([[Rounds((2,) * 12, (2,) * 3)] * 11])

    assert few.verdict == "undecided"
    assert few.bound == pytest.approx(0.1339, abs=1e-4)
    assert many.verdict == "no worse"
    assert many.bound == pytest.approx(0.0986, abs=1e-4)


def test_the_smallest_visible_drop_shrinks_with_incidents_and_rounds() -> None:
    """One incident in one round shows nothing at all."""
    sizes = [(1, 1), (11, 3), (60, 3), (60, 5)]
    visible = [
        judge([[Rounds((2,) * rounds, (2,) * rounds)] * incidents])[0].visible
        for incidents, rounds in sizes
    ]

    assert visible == sorted(visible, reverse=True)
    assert visible[0] > 1
    assert visible[-1] < 0.1


def test_half_points_count_half() -> None:
    """An incident that falls from ✓ to ½ has lost half its score."""
    (judgement,) = judge([[Rounds((2, 2, 2), (1, 1, 1))] * 2])

    assert (judgement.base, judgement.new, judgement.drop) == (1.0, 0.5, 0.5)


def test_no_outcome_gives_anything_but_numbers() -> None:
    """Whatever two rounds hold on each side, every figure is finite."""
    for points in product((0, 1, 2), repeat=4):
        (judgement,) = judge([[Rounds(points[:2], points[2:])]])
        assert all(isfinite(x) for x in (judgement.bound, judgement.visible, judgement.chance))


@pytest.mark.parametrize(
    ("rounds", "dead"),
    [
        (DEAD, True),
        (Rounds((2,), (1,)), True),
        (Rounds((2, 1), (0,)), False),
        (Rounds((2, 2), (0, 2)), False),
        (STEADY, False),
    ],
)
def test_dead_is_all_right_before_and_nothing_right_now(rounds: Rounds, *, dead: bool) -> None:
    """A ½ is not all checks passed, on either side."""
    assert is_dead(rounds) is dead


@pytest.mark.parametrize(
    ("base", "new", "incidents", "certain"),
    [
        (3, 3, 1, False),
        (3, 3, 11, False),
        (5, 5, 10, True),
        (5, 5, 11, False),
        (12, 3, 11, True),
        (12, 3, 18, True),
        (12, 3, 19, False),
        (12, 5, 60, True),
    ],
)
def test_a_death_alone_is_red_where_chance_hardly_kills_any(
    base: int, new: int, incidents: int, *, certain: bool
) -> None:
    """How many incidents may be watched depends on the rounds of both sides."""
    rounds = Rounds((2,) * base, (0,) * new)

    assert is_death_certain(rounds, incidents) is certain
