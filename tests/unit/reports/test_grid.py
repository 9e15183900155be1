"""The grid of incidents and columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import Move
from pytest_rcabench.reports.grid import NO_CELL, build_grid, column_names

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results


def test_rows_are_held_out_then_twins_then_tuned(run: Results) -> None:
    """Evidence comes first, and what was tuned on, which is none, last."""
    rows = [(row.section, row.incident.id) for row in build_grid(run).rows]

    assert rows == [
        ("held out", "connection-leak"),
        ("held out", "payment-cascade"),
        ("held out", "traffic-spike-absorbed"),
        ("twins", "connection-leak-twin"),
        ("tuned", "clock-skew"),
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


@pytest.mark.parametrize(
    ("label", "head"),
    [("1.2.8", "gemini 1.2.8"), ("Gemini 1.2.8", "Gemini 1.2.8"), ("", "gemini")],
)
def test_a_head_names_label_and_rounds(run: Results, label: str, head: str) -> None:
    """A label that holds the name stands alone; rounds are told only where there are several."""
    columns = (replace(run.columns[0], label=label), run.columns[1])

    assert build_grid(replace(run, columns=columns)).heads == (
        f"{head} · rounds 1\u20132",
        "heuristic",
    )


def test_runs_stand_side_by_side(run: Results) -> None:
    """An incident of two runs is one row; one that a run lacks shows a dash there."""
    other = replace(
        run,
        incidents=tuple(one for one in run.incidents if one.id != "clock-skew"),
        cells=tuple(cell for cell in run.cells if cell.key.incident != "clock-skew"),
    )
    grid = build_grid(run, other)

    assert len(grid.heads) == 4
    assert [row.marks for row in grid.rows if row.incident.id == "clock-skew"] == [
        ("✓⚠", "✗", NO_CELL, NO_CELL)
    ]


def test_two_runs_of_one_system_are_told_apart_by_their_time(run: Results) -> None:
    """Yesterday's heuristic and today's have the same name."""
    later = replace(run, run=replace(run.run, started="2026-12-01T10:15:02Z"))
    first, second = column_names(run, later)

    assert first["heuristic"] == "heuristic · 2026-11-30 10:15"
    assert second["heuristic"] == "heuristic · 2026-12-01 10:15"


def test_runs_of_one_minute_are_told_apart_by_their_seconds(run: Results) -> None:
    """Whoever tries something out runs again at once."""
    later = replace(run, run=replace(run.run, started="2026-11-30T10:15:40Z"))
    names = [of["heuristic"] for of in column_names(run, later)]

    assert names == ["heuristic · 2026-11-30 10:15:02", "heuristic · 2026-11-30 10:15:40"]


def _moved(run: Results, name: str) -> Results:
    """Return a later run, for which incident *name* had moved to the tuned set."""
    return replace(
        run,
        incidents=tuple(
            replace(one, set="tuned") if one.id == name else one for one in run.incidents
        ),
        moves=(Move(name, "2026-11-29", "1.2.9", "hosts are shown now"),),
    )


def test_a_moved_incident_keeps_its_old_marks_and_shows_a_dash_after_the_move(
    run: Results,
) -> None:
    """Its tuned marks stand in a row of their own, never among the held-out ones."""
    rows = [
        (row.section, row.marks)
        for row in build_grid(run, _moved(run, "connection-leak")).rows
        if row.incident.id == "connection-leak"
    ]

    assert rows == [
        ("held out", ("✓½", "✗", NO_CELL, NO_CELL)),
        ("tuned", (NO_CELL, NO_CELL, "✓½", "✗")),
    ]
