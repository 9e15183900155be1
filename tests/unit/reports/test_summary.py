"""Counts of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.analysis import Usage
from pytest_rcabench.reports.summary import Rate, summarize, summary_to_json

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results


def test_a_rate_always_shows_its_bounds() -> None:
    """Missing answers are never silently green, nor silently red."""
    assert str(Rate(27, 30)) == "27/30"
    assert str(Rate(27, 30, 3)) == "27/30; 27\u201330 of 33 with 3 unmeasured"
    assert str(Rate(0, 0, 3)) == "0/0; 0\u20133 of 3 with 3 unmeasured"


def test_a_rate_of_nothing_has_no_fraction() -> None:
    """Nothing measured is not zero."""
    assert Rate(0, 0, 3).fraction is None
    assert Rate(1, 4).fraction == pytest.approx(0.25)


def test_sets_and_rubrics_are_never_pooled(run: Results) -> None:
    """A tuned result is no evidence, and a lighter rubric is another test."""
    groups = [(one.column, one.set, one.graded) for one in summarize(run)]
    full = ("service", "cause", "commit")

    assert groups == [
        ("gemini", "held_out", full),
        ("gemini", "tuned", full),
        ("heuristic", "held_out", full),
        ("heuristic", "held_out", ("commit",)),
        ("heuristic", "tuned", full),
    ]


def test_half_counts_for_the_root_cause_and_not_for_all_checks(run: Results) -> None:
    """The held-out cells of the first column are pass, half, wrong, pass, and two silences."""
    gemini = summarize(run)[0]

    assert (gemini.passed, gemini.half, gemini.wrong) == (4, 1, 1)
    assert gemini.root_cause == Rate(3, 4)
    assert gemini.all_checks == Rate(4, 6)
    assert gemini.healthy == Rate(2, 2)
    assert dict(gemini.by_kind) == {
        "bad_deploy": Rate(1, 2),
        "configuration": Rate(1, 2),
        "healthy": Rate(2, 2),
    }


def test_a_missing_answer_is_in_no_denominator(run: Results) -> None:
    """One of two tuned cells has no answer, so one was measured."""
    tuned = summarize(run)[1]

    assert (tuned.measured, tuned.unmeasured) == (1, 1)
    assert tuned.all_checks == Rate(1, 1, 1)


def test_a_column_without_any_answer_has_no_figures(run: Results) -> None:
    """No latency, no cost and no lift come from nothing."""
    cells = tuple(
        replace(cell, verdict="unmeasured", analysis=None, error={"reason": "network"})
        for cell in run.cells
    )
    summary = summarize(replace(run, cells=cells))[0]

    assert summary.median_latency_s is None
    assert summary.mean_cost_usd is None
    assert summary.lift is None


def test_an_unknown_price_makes_the_mean_unknown(run: Results) -> None:
    """A mean over the cells with a price would pass for the price of all."""
    gemini = summarize(run)[0]
    first = next(cell for cell in run.cells if cell.key.incident == "connection-leak")
    cells = tuple(replace(cell, usage=Usage()) if cell is first else cell for cell in run.cells)

    assert gemini.mean_cost_usd == pytest.approx(0.0015)
    assert summarize(replace(run, cells=cells))[0].mean_cost_usd is None


def test_the_best_control_is_never_the_oracle(run: Results) -> None:
    """What answers from the truth is no rival; among the naive ones the best counts."""
    gemini = summarize(run)[0]

    assert (gemini.control, gemini.control_rate) == ("silent", Rate(1, 3))
    assert gemini.lift == pytest.approx(4 / 6 - 1 / 3)


def test_a_run_without_controls_has_no_lift(run: Results) -> None:
    """Nothing is compared with nothing."""
    summary = summarize(replace(run, controls=()))[0]

    assert (summary.control, summary.lift) == ("", None)


def test_an_empty_run_has_no_lines(run: Results) -> None:
    """No cell, no summary."""
    assert summarize(replace(run, cells=())) == ()


def test_the_summary_of_a_results_file_holds_the_same_counts(run: Results) -> None:
    """Readers of the JSON need not count again."""
    first = summary_to_json(summarize(run))[0]

    assert isinstance(first, dict)
    assert first["all_checks"] == {"hits": 4, "measured": 6, "unmeasured": 0}
    assert first["best_control"] == {"name": "silent", "hits": 1, "measured": 3, "unmeasured": 0}
