"""Rates over cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import Cell, RunKey, unmeasured_cell
from pytest_rcabench.reports.rates import (
    Rate,
    false_alarm_rate,
    flaky_incidents,
    innocent_blame_rate,
    k_round_rates,
    pair_rate,
    rate_of,
    verdict_rate,
)
from pytest_rcabench.reports.statistics import wilson

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Word

WORDS: dict[str, Word] = {"✓": "pass", "½": "half", "✗": "wrong"}


def _cells(**marks: str) -> list[Cell]:
    """Return cells by incident, one a mark of the grid; they came without checks."""
    return [
        Cell(RunKey(incident, "a", number), WORDS[mark])
        if mark in WORDS
        else unmeasured_cell(RunKey(incident, "a", number), "network", "")
        for incident, words in marks.items()
        for number, mark in enumerate(words, 1)
    ]


def _checked(name: str, verdict: Word, *, passed: bool | None) -> Cell:
    check: dict[str, JSON] = {"name": "innocent", "passed": passed, "detail": ""}
    return Cell(RunKey(name, "a", 1), verdict, checks=(check,))


def test_a_rate_always_shows_its_bounds() -> None:
    """Missing answers are never silently green, nor silently red."""
    assert str(Rate(27, 30)) == "27/30"
    assert str(Rate(27, 30, 3)) == "27/30; 27\u201330 of 33 with 3 unmeasured"
    assert str(Rate(0, 0, 3)) == "0/0; 0\u20133 of 3 with 3 unmeasured"


def test_a_rate_of_nothing_has_no_fraction_and_no_interval() -> None:
    """Nothing measured is not zero."""
    rate = rate_of([("a", None)])

    assert (rate.fraction, rate.interval, rate.incidents) == (None, None, 0)
    assert rate.rule_of_three is None
    assert Rate(1, 4).fraction == pytest.approx(0.25)


def test_a_rate_counts_cells_and_incidents() -> None:
    """Six cells of three incidents, one of which has no answer at all."""
    rate = verdict_rate(_cells(a="✓½", b="✗✓", c="⚠⚠"), {"pass"})

    assert (rate.hits, rate.measured, rate.unmeasured, rate.incidents) == (2, 4, 2, 2)


def test_the_interval_of_a_perfect_rate_is_that_of_its_incidents() -> None:
    """Three rounds of eleven incidents are eleven draws."""
    rate = verdict_rate(_cells(**{f"i{number}": "✓✓✓" for number in range(11)}), {"pass"})

    assert rate.interval == wilson(11, 11)
    assert rate.rule_of_three == pytest.approx(3 / 11)


def test_the_rule_of_three_speaks_of_what_never_happened() -> None:
    """All hits bound the misses, no hit bounds the hits, and one of each bounds nothing."""
    assert verdict_rate(_cells(a="✗", b="✗", c="✗", d="✗"), {"pass"}).rule_of_three == 3 / 4
    assert verdict_rate(_cells(a="✓", b="✗"), {"pass"}).rule_of_three is None


def test_an_unreadable_answer_on_a_healthy_window_is_no_alarm() -> None:
    """It is wrong, and yet nobody was woken."""
    broken = Cell(RunKey("b", "a", 1), "wrong", fault="not_json")
    rate = false_alarm_rate([*_cells(a="✗½✓⚠"), broken])

    assert (rate.hits, rate.measured, rate.unmeasured) == (1, 4, 1)


def test_blame_is_read_from_its_check() -> None:
    """A wrong answer may blame the right commit, and a half mark may be for too many alarms."""
    cells = [
        _checked("a", "half", passed=False),
        _checked("b", "half", passed=True),
        _checked("c", "wrong", passed=False),
        Cell(RunKey("d", "a", 1), "wrong", fault="not_json"),
    ]

    assert str(innocent_blame_rate(cells)) == "2/4"


def test_blame_is_unknown_where_a_verdict_came_without_checks() -> None:
    """To count those that passed alone would make every such column innocent."""
    assert str(innocent_blame_rate(_cells(a="✓✓½✗"))) == "0/0; 0\u20134 of 4 with 4 unmeasured"


def test_chances_over_k_rounds_count_incidents() -> None:
    """One always passes, one sometimes, one never, and of one a round is missing."""
    some, every = k_round_rates(_cells(a="✓✓", b="½✓", c="✗½", d="✓⚠"), 2)

    assert str(some) == "2/3; 2\u20133 of 4 with 1 unmeasured"
    assert str(every) == "1/3; 1\u20132 of 4 with 1 unmeasured"


def test_flaky_incidents_come_worst_first() -> None:
    """Two different verdicts of two differ surely, and of three in two pairs of three."""
    flaky, repeated = flaky_incidents(_cells(a="✓✓½", b="½✗", c="✓✓✓", d="✓⚠", e="⚠⚠"))

    assert dict(flaky) == pytest.approx({"b": 1.0, "a": 2 / 3})
    assert [name for name, _ in flaky] == ["b", "a"]
    assert repeated == 3


def test_a_pair_needs_both_in_the_same_round() -> None:
    """Right in round 1 and its twin in round 2 is a coin that fell both ways."""
    others = {(cell.key.incident, cell.key.round): cell for cell in _cells(a="✓✓✗⚠")}
    rate = pair_rate(_cells(twin="✓✗✓✓✓"), others, {"twin": "a"})

    assert str(rate) == "1/3; 1\u20132 of 4 with 1 unmeasured"


def test_twins_of_one_incident_are_one_cluster() -> None:
    """They share half of every pair, so two of them are no two draws."""
    others = {(cell.key.incident, cell.key.round): cell for cell in _cells(a="✓")}
    rate = pair_rate(_cells(one="✓", two="✓"), others, {"one": "a", "two": "a"})

    assert (rate.hits, rate.measured, rate.incidents) == (2, 2, 1)
