"""The grid of incidents and columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.reports.grid import NO_CELL, build_grid, render_grid
from pytest_rcabench.reports.safe_text import columns_of

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results


def test_rows_are_held_out_then_tuned_then_twins(run: Results) -> None:
    """Evidence comes first, what was tuned on after it, and twins last."""
    rows = [(row.section, row.incident.id) for row in build_grid(run).rows]

    assert rows == [
        ("held out", "connection-leak"),
        ("held out", "payment-cascade"),
        ("held out", "traffic-spike-absorbed"),
        ("tuned", "clock-skew"),
        ("twins", "connection-leak-twin"),
    ]


def test_each_round_has_its_mark(run: Results) -> None:
    """One mark a round, a dash where a column has no cell."""
    marks = {row.incident.id: row.marks for row in build_grid(run).rows}

    assert marks["connection-leak"] == ("✓½", "✗")
    assert marks["clock-skew"] == ("✓⚠", "✗")
    assert marks["payment-cascade"] == (NO_CELL, "✗")


def test_a_missing_round_leaves_a_hole(run: Results) -> None:
    """The mark of round 2 never slides into the place of round 1."""
    cells = tuple(
        cell for cell in run.cells if (cell.key.incident, cell.key.round) != ("connection-leak", 1)
    )
    marks = {row.incident.id: row.marks for row in build_grid(replace(run, cells=cells)).rows}

    assert marks["connection-leak"] == (f"{NO_CELL}½", NO_CELL)


def test_a_head_names_label_and_rounds(run: Results) -> None:
    """Rounds are told only where there are several."""
    assert build_grid(run).heads == ("Gemini 1.2.10 · rounds 1\u20132", "heuristic")


def test_runs_stand_side_by_side(run: Results) -> None:
    """An incident of two runs is one row; one that a run lacks shows a dash there."""
    other = replace(
        run,
        incidents=run.incidents[1:],
        cells=tuple(cell for cell in run.cells if cell.key.incident != "clock-skew"),
    )
    grid = build_grid(run, other)

    assert len(grid.heads) == 4
    assert len(grid.rows) == 5
    assert grid.rows[3].marks == ("✓⚠", "✗", NO_CELL, NO_CELL)


@pytest.mark.parametrize("width", [60, 70, 80, 200])
def test_no_line_is_wider_than_the_terminal(run: Results, width: int) -> None:
    """Columns that do not fit follow in a block below."""
    lines = [text for text, _ in render_grid(build_grid(run, run), width=width)]

    assert max(map(columns_of, lines)) <= width
    assert "".join(lines).count("heuristic") == 2


def test_heads_take_two_lines_before_columns_move_below(run: Results) -> None:
    """Four columns that would need 118 places fit into 108."""
    lines = [text for text, _ in render_grid(build_grid(run, run), width=108)]

    assert lines[0].split() == ["Gemini", "1.2.10", "heuristic"] * 2
    assert lines[1].split() == ["rounds", "1\u20132"] * 2


def test_a_very_narrow_terminal_still_shows_every_column(run: Results) -> None:
    """Where nothing fits, a column takes what it must."""
    lines = render_grid(build_grid(run), width=10)

    assert sum(row is not None for _, row in lines) == 2 * len(run.incidents)


def test_wide_characters_keep_the_columns_straight(run: Results) -> None:
    """A label in Chinese takes two places a character."""
    columns = (replace(run.columns[0], label="事故"), run.columns[1])
    lines = [text for text, _ in render_grid(build_grid(replace(run, columns=columns)), width=100)]
    head, first = lines[0], lines[2]

    assert columns_of(head[: head.index("heuristic")]) == columns_of(first[: first.rindex("✗")])
