"""Figures as a person reads them."""

from __future__ import annotations

import pytest

from pytest_rcabench.reports.figures import counted, dollars_text, rounds_text, seconds_text


def test_one_is_no_plural() -> None:
    """Nobody reads "1 incidents"."""
    assert [counted(number, "cell") for number in (0, 1, 2, 1000)] == [
        "0 cells",
        "1 cell",
        "2 cells",
        "1,000 cells",
    ]


@pytest.mark.parametrize(
    ("rounds", "shown"),
    [
        ([2], "round 2"),
        ([1, 2, 3], "rounds 1\u20133"),
        ([3, 1, 5, 2], "rounds 1\u20133, 5"),
        ([1, 3], "rounds 1, 3"),
    ],
)
def test_neighbouring_rounds_are_drawn_together(rounds: list[int], shown: str) -> None:
    """Ten rounds take no more room than two."""
    assert rounds_text(rounds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "<1 ms"),
        (0.003, "3 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (2.5, "2.50 s"),
        (99.99, "99.99 s"),
        (123.4, "123 s"),
    ],
)
def test_a_short_time_is_not_zero_seconds(seconds: float, shown: str) -> None:
    """Each time has the unit that shows it."""
    assert seconds_text(seconds) == shown


@pytest.mark.parametrize(
    ("usd", "shown"), [(0, "$0.00"), (0.0015, "$0.0015"), (12.5, "$12.50"), (1234, "$1,234.00")]
)
def test_a_small_price_has_more_digits(usd: float, shown: str) -> None:
    """A tenth of a cent a call is not nothing."""
    assert dollars_text(usd) == shown
