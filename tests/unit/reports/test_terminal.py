"""The summary in a terminal; how it looks is in tests/golden."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rcabench.reports.terminal import render_terminal, warning_lines

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results


def test_rows_have_the_colour_of_their_worst_mark(run: Results) -> None:
    """Red, yellow or green can be seen from afar."""
    only = replace(run, cells=tuple(cell for cell in run.cells if cell.key.column == "gemini"))
    colours = {text.split("  ")[0]: markup for text, markup in render_terminal(only, width=100)}

    assert colours["connection-leak-twin"] == {"red": True}
    assert colours["connection-leak"] == {"yellow": True}
    assert colours["traffic-spike-absorbed"] == {"green": True}
    assert colours["payment-cascade       ".strip()] == {}


def test_very_quiet_leaves_out_the_grid_and_keeps_the_figures(run: Results) -> None:
    """With -qq the counts, the missing answers and the limits remain."""
    text = "\n".join(line for line, _ in render_terminal(run, width=100, verbosity=-2))

    assert "held out\n" not in text
    assert "all checks 3/4" in text
    assert "unmeasured: 1 of 12 cells: 1 rate limit" in text
    assert "limits: n = 5 incidents" in text


def test_verbose_says_why_each_cell_failed(run: Results) -> None:
    """Nobody has to open a file to see what went wrong."""
    text = "\n".join(line for line, _ in render_terminal(run, width=100, verbosity=1))
    failed = [cell.key for cell in run.cells if cell.verdict != "pass"]

    assert all(f"{key.incident}::{key.column}::r{key.round}" in text for key in failed)


def test_an_unfinished_run_says_so(run: Results) -> None:
    """An interrupted run never passes for a whole one."""
    assert "the run is not complete: planned cells are missing" in warning_lines(
        replace(run, complete=False)
    )


def test_ascii_means_ascii(run: Results) -> None:
    """A terminal without Unicode gets no character that it cannot print."""
    named = replace(run, columns=(replace(run.columns[0], label="größer"), run.columns[1]))
    text = "\n".join(line for line, _ in render_terminal(named, width=80, unicode=False))

    assert text.isascii()
    assert "gr??er" in text


def test_a_control_character_in_a_label_never_reaches_the_terminal(run: Results) -> None:
    """A hostile name cannot repaint the screen."""
    hostile = "a\x1b[2J\x07\u202eb"
    named = replace(run, columns=(replace(run.columns[0], label=hostile), run.columns[1]))
    text = "".join(line for line, _ in render_terminal(named, width=80, verbosity=1))

    assert "\x1b" not in text
    assert "\u202e" not in text
