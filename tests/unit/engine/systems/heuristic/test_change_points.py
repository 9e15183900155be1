"""A series that leaves its past is found, and one that keeps to it is not."""

from __future__ import annotations

import pytest

from pytest_rcabench.engine.systems.heuristic.change_points import find_shift, find_surge

EVEN = [1.0] * 60


def test_events_that_begin_are_a_surge_from_their_first_bin() -> None:
    """Nothing before, two a bin after."""
    surge = find_surge([bin_ for bin_ in range(40, 60) for _ in range(2)], EVEN)

    assert surge is not None
    assert (surge.at, surge.before, surge.after) == (40, 0, 40)
    assert surge.score > 40


@pytest.mark.parametrize(
    "bins",
    [
        list(range(60)),
        [bin_ for bin_ in range(0, 60, 15) for _ in range(20)],
        list(range(0, 60, 7)),
        [5, 31, 44],
    ],
    ids=["steady", "every quarter of an hour", "now and then", "three in all"],
)
def test_events_that_keep_to_their_own_past_are_no_surge(bins: list[int]) -> None:
    """Steady noise, noise in bursts and rare noise score next to nothing."""
    surge = find_surge(bins, EVEN)

    assert surge is None or surge.score < 4


def test_events_that_grow_with_the_traffic_are_no_surge() -> None:
    """Three times the work brings three times the warnings."""
    bins = [bin_ for bin_ in range(60) for _ in range(6 if bin_ >= 30 else 2)]
    grown = find_surge(bins, [3.0 if bin_ >= 30 else 1.0 for bin_ in range(60)])
    alone = find_surge(bins, EVEN)

    assert grown is None or grown.score < 1
    assert alone is not None
    assert alone.score > 20


def test_one_burst_weighs_less_than_a_lasting_surge() -> None:
    """Twenty events in one bin, against one in each of twenty."""
    burst = find_surge([50] * 20, EVEN)
    lasting = find_surge([*range(40, 60)], EVEN)

    assert burst is not None
    assert lasting is not None
    assert burst.score < lasting.score


NOISE = [10 + (i * 7 % 5) / 5 for i in range(60)]


@pytest.mark.parametrize(
    ("values", "at"),
    [
        (NOISE[:40] + [value + 20 for value in NOISE[40:]], 40),
        (NOISE[:40] + [value - 9 for value in NOISE[40:]], 40),
        (NOISE[:30] + [10 + 2.0 * i for i in range(30)], 31),
        ([None, *NOISE[1:20], None, *NOISE[21:45], *[50.0] * 15], 45),
        ([100.0 + 2 * i for i in range(40)] + [180.0 + 40 * i for i in range(20)], 41),
    ],
    ids=["up", "down", "ramp", "gaps", "counter"],
)
def test_samples_that_leave_their_past_are_a_shift(values: list[float | None], at: int) -> None:
    """A step, a fall, a ramp, a series with gaps, and a counter that grows faster."""
    shift = find_shift(values)

    assert shift is not None
    assert abs(shift.at - at) <= 1


@pytest.mark.parametrize(
    "values",
    [
        NOISE,
        [5.0] * 60,
        [*NOISE[:40], 500.0, *NOISE[41:]],
        [100.0 + 2 * i for i in range(60)],
        [None] * 60,
        [1.0, 9.0, 1.0],
        [],
    ],
    ids=["noise", "constant", "one spike", "steady counter", "only gaps", "too short", "empty"],
)
def test_samples_that_keep_to_their_past_are_no_shift(values: list[float | None]) -> None:
    """One spike is no shift, and a counter that grows as ever is none either."""
    assert find_shift(values) is None
