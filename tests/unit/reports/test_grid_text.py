"""The grid as lines of text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.reports.foot import build_feet
from pytest_rcabench.reports.grid import build_grid
from pytest_rcabench.reports.grid_text import Span, grid_lines
from pytest_rcabench.reports.safe_text import columns_of

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results


def _lines(*runs: Results, width: int, has_rows: bool = True) -> list[str]:
    lines = grid_lines(build_grid(*runs), build_feet(*runs), width=width, has_rows=has_rows)
    return ["".join(span.text for span in line) for line in lines]


def _row(lines: list[str], name: str) -> str:
    return next(line for line in lines if line.startswith(f"{name} "))


@pytest.mark.parametrize("width", [48, 60, 70, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(run: Results, width: int) -> None:
    """Columns that do not fit follow in a block below, and none is lost."""
    lines = _lines(run, run, width=width)

    assert max(map(columns_of, lines)) <= width
    assert "".join(lines).count("heuristic") == 2
    assert not any(line.endswith(" ") for line in lines)


def test_the_kind_goes_before_a_head_is_cut(run: Results) -> None:
    """At 60 columns there are no kinds, and heads can be read."""
    wide, narrow = _lines(run, width=100), _lines(run, width=60)

    assert _row(wide, "connection-leak").split() == ["connection-leak", "bad", "deploy", "✓½", "✗"]
    assert _row(narrow, "connection-leak").split() == ["connection-leak", "✓½", "✗"]
    assert narrow[0].split() == ["Gemini", "1.2.10", "heuristic"]
    assert not any("…" in line for line in narrow)


def test_each_mark_has_its_own_colour(run: Results) -> None:
    """A row of one ✗ among ten ✓ is not red from end to end."""
    lines = grid_lines(build_grid(run), (), width=100)
    marked = {line[0].text.strip(): line[1:] for line in lines}

    assert marked["connection-leak         bad deploy"][:2] == (
        Span("✓", "green"),
        Span("½", "yellow"),
    )
    assert marked["connection-leak         bad deploy"][-1] == Span("✗", "red")
    assert Span("⚠", "purple") in marked["clock-skew              infrastructure"]
    assert marked["payment-cascade         dependency"][0] == Span("–", "light")


def test_figures_stand_below_their_columns_with_intervals(run: Results) -> None:
    """A rate is never without its bounds; where it is narrow they take a line of their own."""
    wide, narrow = _lines(run, width=100), _lines(run, width=50)

    assert "3/4 (26–96 %)" in _row(wide, "all checks")
    below = narrow[narrow.index(_row(narrow, "all checks")) + 1]
    assert "3/4 " in _row(narrow, "all checks")
    assert below.split() == ["95", "%", "interval", "26–96", "%", "0–66", "%"]


def test_the_figures_can_stand_alone(run: Results) -> None:
    """With -qq there is no row of an incident."""
    lines = _lines(run, width=100, has_rows=False)

    assert not any(line.startswith("connection-leak") for line in lines)
    assert _row(lines, "all checks")


def test_a_very_narrow_terminal_still_shows_every_column(run: Results) -> None:
    """Where nothing fits, a column takes what it must."""
    lines = _lines(run, width=10)

    assert sum(line.startswith("clock-skew") for line in lines) == 2


def test_wide_characters_keep_the_columns_straight(run: Results) -> None:
    """A label in Chinese takes two places a character."""
    columns = (replace(run.columns[0], label="事故"), run.columns[1])
    lines = _lines(replace(run, columns=columns), width=110)
    head, first = lines[0], _row(lines, "connection-leak")

    assert columns_of(head[: head.index("heuristic")]) == columns_of(first[: first.rindex("✗")])
