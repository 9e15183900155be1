"""The figures below the grid."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import unmeasured_cell
from pytest_rcabench.reports.foot import (
    build_feet,
    detail_lines,
    interval_text,
    rate_and_interval,
    rate_text,
)
from pytest_rcabench.reports.grid import NO_CELL
from pytest_rcabench.reports.rates import Rate
from pytest_rcabench.reports.statistics import Interval
from pytest_rcabench.reports.summary import summarize

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results


@pytest.mark.parametrize(
    ("rate", "short", "whole"),
    [
        (Rate(0, 0), "", NO_CELL),
        (Rate(3, 4, 0, 2, Interval(0.26, 0.96)), "3/4", "3/4 (26\u201396 %)"),
        (
            Rate(3, 4, 1, 2, Interval(0.26, 0.96)),
            "3/4 +1⚠",
            "3/4; 3\u20134 of 5 with 1 unmeasured (26\u201396 %)",
        ),
        (Rate(0, 0, 2), "0/0 +2⚠", "0/0; 0\u20132 of 2 with 2 unmeasured"),
    ],
)
def test_a_rate_shows_its_interval_and_what_is_missing(rate: Rate, short: str, whole: str) -> None:
    """Missing answers stand beside every rate, and nothing measured has no interval."""
    assert rate_text(rate) == short
    assert rate_and_interval(rate) == whole
    assert interval_text(Rate(0, 0, 2)) == ""


def test_sets_twins_and_rubrics_have_figures_of_their_own(run: Results) -> None:
    """Held-out figures come first; tuned ones, which are no evidence, last."""
    assert [foot.about for foot in build_feet(run)] == [
        "held-out",
        "held-out, graded by commit alone",
        "held-out twins",
        "tuned",
    ]


def test_figures_are_aligned_with_the_columns_of_all_runs(run: Results) -> None:
    """A column that was not asked has a hole, and not its neighbour's figure."""
    other = replace(
        run, columns=run.columns[1:], cells=tuple(c for c in run.cells if c.key.column != "gemini")
    )
    graded_by_commit = build_feet(run, other)[1].figures[0]

    assert graded_by_commit.name == "all checks"
    assert graded_by_commit.texts == ("", "0/1", "0/1")


def test_a_price_that_nobody_knows_is_no_figure(run: Results) -> None:
    """A run without prices has no line of unknowns; beside a model it says unknown."""
    free = replace(run, cells=tuple(c for c in run.cells if c.key.column == "heuristic"))

    assert "mean cost" not in [figure.name for figure in build_feet(free)[0].figures]
    costs = {figure.name: figure.texts for figure in build_feet(run)[0].figures}["mean cost"]
    assert costs == ("$0.0015", "unknown")


def test_who_was_not_asked_has_no_price_to_know(run: Results) -> None:
    """The heuristic, which runs in the test and makes no request, is free and not unknown."""
    cells = tuple(replace(c, attempts=()) if c.key.column == "heuristic" else c for c in run.cells)
    figures = build_feet(replace(run, cells=cells))[0].figures

    assert {figure.name: figure.texts for figure in figures}["mean cost"] == ("$0.0015", "")


def test_points_name_the_control_that_they_are_over(run: Results) -> None:
    """And where no control passes anything there is nothing to be over."""
    names = [figure.name for foot in build_feet(run) for figure in foot.figures]

    assert names.count("points over silent") == 1
    assert not any(
        "over" in name
        for foot in build_feet(replace(run, controls=()))
        for name in [figure.name for figure in foot.figures]
    )


def test_details_tell_of_rounds_kinds_and_alarms(run: Results) -> None:
    """What stands behind the grid can be read with -v."""
    text = "\n".join(detail_lines(summarize(run)[0]))

    assert "2 incidents, 2 rounds" in text
    assert "by kind: bad deploy 1/2 (" in text
    assert "false alarms 0/2 (" in text
    assert "pass@2 2/2 (" in text
    assert "pass^2 1/2 (" in text
    assert "flaky: 1 of 2 incidents: connection-leak (100 %)" in text
    assert "best naive control: silent 1/2; lift +25 points" in text
    assert "cost in all: $0.0060" in text


def test_nothing_measured_has_no_details_made_up(run: Results) -> None:
    """No rule of three, no lift, no price come from nothing."""
    cells = tuple(unmeasured_cell(cell.key, "network", "gone") for cell in run.cells)
    text = "\n".join(detail_lines(summarize(replace(run, cells=cells))[0]))

    assert "nan" not in text.lower()
    for absent in ("rule of three", "lift", "cost", "flaky"):
        assert absent not in text
