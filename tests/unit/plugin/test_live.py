"""How far a run is, in one line."""

from __future__ import annotations

from pytest_rcabench.domain.run import RunKey, unmeasured_cell
from pytest_rcabench.plugin.live import Estimate, progress


def test_the_rest_takes_as_long_as_the_answers_so_far() -> None:
    """Two of ten in 10 s: eight more in 40 s; kept answers took no time and do not count."""
    now = iter((100.0, 110.0))
    estimate = Estimate(lambda: next(now), kept=5)

    assert estimate.left_s(7, 15) == 40


def test_time_passes_while_no_answer_comes() -> None:
    """A run that waits for one slow answer is not said to take longer and longer."""
    now = iter((0.0, 10.0, 13.0, 99.0))
    estimate = Estimate(lambda: next(now), kept=0)
    left = [estimate.left_s(2, 4) for _ in range(3)]

    assert left == [10, 7, 0]


def test_nobody_knows_before_the_first_answer() -> None:
    """The line says nothing of the time left."""
    now = iter((0.0, 50.0))
    left_s = Estimate(lambda: next(now), kept=0).left_s(0, 4)

    assert progress((), 4, in_flight=2, waiting={}, money=(0.0, None), left_s=left_s) == (
        "rca 0/4 · 2 in flight"
    )


def test_the_line_says_what_there_is_and_what_is_left() -> None:
    """Marks, who waits and why, money of the ceiling, and time."""
    cells = [unmeasured_cell(RunKey("leak", "gemini", 1), "quota", "")]
    line = progress(
        cells, 4, in_flight=0, waiting={"gemini": "rpm=5"}, money=(0.5, 2.0), left_s=150.0
    )

    assert line == "rca 1/4 · ⚠1 · gemini waits: rpm=5 · $0.50 of $2.00 · about 2 min left"
