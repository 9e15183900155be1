"""Counts of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.analysis import Usage
from pytest_rcabench.domain.run import unmeasured_cell
from pytest_rcabench.reports.summary import summarize, summary_to_json

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results


def test_sets_rubrics_and_twins_are_never_pooled(run: Results) -> None:
    """A tuned result is no evidence, a lighter rubric another test, and a twin half a repeat."""
    groups = [(one.column, one.set, one.graded, one.twins) for one in summarize(run)]
    full = ("service", "cause", "commit")

    assert groups == [
        ("gemini", "held_out", full, False),
        ("gemini", "held_out", full, True),
        ("gemini", "tuned", full, False),
        ("heuristic", "held_out", full, False),
        ("heuristic", "held_out", ("commit",), False),
        ("heuristic", "tuned", full, False),
    ]


def test_half_counts_for_the_root_cause_and_not_for_all_checks(run: Results) -> None:
    """The held-out cells of the first column are pass and half, and two silences."""
    gemini = summarize(run)[0]

    assert (gemini.passed, gemini.half, gemini.wrong) == (3, 1, 0)
    assert (gemini.incidents, gemini.rounds, gemini.measured) == (2, 2, 4)
    assert str(gemini.root_cause) == "2/2"
    assert str(gemini.all_checks) == "3/4"
    assert str(gemini.healthy) == "2/2"
    assert str(gemini.false_alarms) == "0/2"
    assert str(gemini.innocent_blame) == "1/4"
    assert {kind: str(rate) for kind, rate in gemini.by_kind} == {
        "bad_deploy": "1/2",
        "healthy": "2/2",
    }


def test_rounds_that_disagree_are_told(run: Results) -> None:
    """Both incidents pass in some round, one in all, and the other is named."""
    gemini = summarize(run)[0]

    assert str(gemini.pass_at_k) == "2/2"
    assert str(gemini.pass_hat_k) == "1/2"
    assert (gemini.flaky, gemini.repeated) == ((("connection-leak", 1.0),), 2)


def test_twins_stand_on_their_own_with_their_pairs(run: Results) -> None:
    """The twin is wrong where its other is right, and right where that one is half."""
    twins = summarize(run)[1]

    assert str(twins.all_checks) == "1/2"
    assert str(twins.pairs) == "0/2"
    assert summarize(run)[0].pairs.measured == 0


def test_a_pair_that_lies_in_two_sets_is_none(run: Results) -> None:
    """What was tuned on would lend its twin a pass."""
    incidents = tuple(
        replace(one, set="tuned") if one.id == "connection-leak" else one for one in run.incidents
    )

    assert summarize(replace(run, incidents=incidents))[1].pairs.measured == 0


def test_a_missing_answer_is_in_no_denominator(run: Results) -> None:
    """One of two tuned cells has no answer, so one was measured, and no pair of rounds."""
    tuned = summarize(run)[2]

    assert (tuned.measured, tuned.unmeasured) == (1, 1)
    assert str(tuned.all_checks) == "1/1; 1\u20132 of 2 with 1 unmeasured"
    assert str(tuned.pass_hat_k) == "0/0; 0\u20131 of 1 with 1 unmeasured"


def test_blame_is_not_judged_where_the_commit_is_not_graded(run: Results) -> None:
    """An import without a rubric for the commit has no such rate, and none is missing."""
    incidents = tuple(replace(one, graded=("service",)) for one in run.incidents)
    blame = summarize(replace(run, incidents=incidents))[0].innocent_blame

    assert (blame.measured, blame.unmeasured) == (0, 0)


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


def test_an_analyser_that_nobody_asked_has_no_latency(run: Results) -> None:
    """The heuristic runs inside the test, untimed: a median of zeros would be a wrong figure."""
    cells = tuple(replace(cell, latency_s=0.0, attempts=()) for cell in run.cells)

    assert summarize(replace(run, cells=cells))[0].median_latency_s is None


def test_an_unknown_price_makes_mean_and_total_unknown(run: Results) -> None:
    """A mean over the cells with a price would pass for the price of all."""
    gemini = summarize(run)[0]
    first = next(cell for cell in run.cells if cell.key.incident == "connection-leak")
    cells = tuple(replace(cell, usage=Usage()) if cell is first else cell for cell in run.cells)

    assert gemini.mean_cost_usd == pytest.approx(0.0015)
    assert gemini.total_cost_usd == pytest.approx(0.006)
    assert summarize(replace(run, cells=cells))[0].mean_cost_usd is None
    assert summarize(replace(run, cells=cells))[0].total_cost_usd is None


def test_the_best_control_is_never_the_oracle(run: Results) -> None:
    """What answers from the truth is no rival; among the naive ones the best counts."""
    gemini = summarize(run)[0]

    assert (gemini.control, str(gemini.control_rate)) == ("silent", "1/2")
    assert gemini.lift == pytest.approx(3 / 4 - 1 / 2)


def test_controls_that_pass_nothing_are_no_measure(run: Results) -> None:
    """To lead what scores nothing is to say one's own rate twice."""
    tuned = summarize(run)[2]

    assert (tuned.control, str(tuned.control_rate), tuned.lift) == ("", "0/1", None)


def test_a_control_has_no_lift_over_controls(run: Results) -> None:
    """A column compared with itself says nothing."""
    columns = (replace(run.columns[0], provider="control"), run.columns[1])

    assert summarize(replace(run, columns=columns))[0].lift is None


def test_a_control_is_counted_on_measured_incidents_alone(run: Results) -> None:
    """It must not shine, or fail, where the column never answered."""
    cells = tuple(
        unmeasured_cell(cell.key, "network", "") if cell.key.incident == "connection-leak" else cell
        for cell in run.cells
    )

    assert str(summarize(replace(run, cells=cells))[0].control_rate) == "1/1"


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
    assert first["all_checks"] == {
        "hits": 3,
        "measured": 4,
        "unmeasured": 0,
        "incidents": 2,
        "interval": [0.256093, 0.963159],
        "rule_of_three": None,
    }
    assert first["healthy"] == {
        "hits": 2,
        "measured": 2,
        "unmeasured": 0,
        "incidents": 1,
        "interval": [0.206549, 1.0],
        "rule_of_three": 1.0,
    }
    assert first["flaky"] == {"connection-leak": 1.0}
    assert (first["total_cost_usd"], first["lift"]) == (0.006, 0.25)
