"""The gate's rules on points."""

from __future__ import annotations

from itertools import combinations, product
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


@pytest.mark.parametrize(
    "pools",
    [
        [(2, 2, 2, 2, 0, 0)] * 3,
        [(2, 2, 2, 2, 0, 0, 0), (2, 2, 2, 2, 2, 0, 0)],
        [(2, 2, 2, 1, 0, 0, 0), (2, 1, 1, 0)],
    ],
)
def test_an_unchanged_system_is_red_in_four_of_a_hundred_draws_at_most(
    pools: list[tuple[int, ...]],
) -> None:
    """Of all ways in which the rounds could have fallen, over two families, so few are red."""
    ways = [
        [Rounds(*_parted(pool, drawn)) for drawn in combinations(range(len(pool)), len(pool) // 2)]
        for pool in pools
    ]
    draws = list(product(*ways))
    red = sum(
        any(one.verdict == "regressed" for one in judge([draw[:1], draw[1:]])) for draw in draws
    )

    assert 0 < red / len(draws) <= 0.04


@pytest.mark.parametrize(("base", "new"), [(5, 5), (12, 3), (12, 4), (12, 5), (9, 3)])
def test_no_difficulty_makes_a_death_by_chance_likely(base: int, new: int) -> None:
    """Where a death counts alone, all incidents together die by chance once in a hundred runs."""
    rounds = Rounds((2,) * base, (0,) * new)
    most = max(number for number in range(400) if is_death_certain(rounds, number))
    chances = [(p / 1000) ** base * (1 - p / 1000) ** new for p in range(1001)]

    assert most > 0
    assert 0.005 < most * max(chances) <= 0.01


def _parted(pool: tuple[int, ...], drawn: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    new = tuple(pool[place] for place in drawn)
    return tuple(point for place, point in enumerate(pool) if place not in drawn), new
