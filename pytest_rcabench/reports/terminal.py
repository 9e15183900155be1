"""The summary at the end of a run in a terminal, as lines in pieces of one style each."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rcabench.reports.caveats import (
    comparison_warnings,
    limits_line,
    move_lines,
    reason_lines,
    warning_lines,
)
from pytest_rcabench.reports.contamination import contamination_line
from pytest_rcabench.reports.failure import explain
from pytest_rcabench.reports.findings import findings
from pytest_rcabench.reports.first_contact import held_out_lines
from pytest_rcabench.reports.foot import build_feet, detail_lines
from pytest_rcabench.reports.grid import LEGEND, build_grid, column_names
from pytest_rcabench.reports.grid_text import STYLES, Span, grid_lines
from pytest_rcabench.reports.proof import proof_line
from pytest_rcabench.reports.safe_text import in_ascii, printable
from pytest_rcabench.reports.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from pytest_rcabench.domain.run import Results, RunKey
    from pytest_rcabench.reports.grid_text import Line, Style

_NARROWEST = 20


def render_terminal(
    *runs: Results,
    width: int,
    unicode: bool = True,
    verbosity: int = 0,
    told: Container[RunKey] = (),
) -> list[Line]:
    """Return the lines of the summary of *runs*, side by side in one grid.

    With a *verbosity* of -1 legend and sentences are left out, and below it the incidents; from 1
    on each column has its details, and each cell that failed says why, unless *told* elsewhere.
    """
    lines = list(_lines(runs, width, verbosity, told))
    if unicode:
        return lines
    return [tuple(Span(in_ascii(span.text), span.style) for span in line) for line in lines]


def _lines(
    runs: Sequence[Results], width: int, verbosity: int, told: Container[RunKey]
) -> Iterator[Line]:
    if verbosity > 0:
        for run in runs:
            yield from _failures(run, width, verbosity, told)
    if feet := build_feet(*runs):
        if verbosity <= 0:
            feet = tuple(foot for foot in feet if foot.is_headline) or feet
        yield from grid_lines(build_grid(*runs), feet, width=width, has_rows=verbosity >= -1)
        yield from _prose([LEGEND] if verbosity >= 0 else [], width, "light")
    yield from _prose(move_lines(*runs), width, "light")
    yield ()
    yield from _prose(held_out_lines(*runs), width)
    if verbosity >= 0:
        told_of = runs if verbosity else [_without_controls(run) for run in runs]
        yield from _prose(findings(*told_of), width)
    if verbosity > 0:
        for run, names in zip(runs, column_names(*runs), strict=True):
            yield from _details(run, names, width)
    for run in runs:
        yield from _prose(warning_lines(run), width, "purple")
        yield from _prose((f"  {line}" for line in reason_lines(run)), width)
    yield from _prose(comparison_warnings(*runs), width, "yellow")
    limits = [f"limits: {limits_line(run)}" for run in runs]
    limits += map(contamination_line, runs)
    if verbosity >= 0:
        limits += map(proof_line, runs)
    yield from _prose(dict.fromkeys(limits), width, "light")  # what holds for all runs, once


def _without_controls(run: Results) -> Results:
    """Return *run* without the cells of naive controls, whose figures say enough of them."""
    names = {column.name for column in run.columns if not column.is_control}
    return replace(run, cells=tuple(cell for cell in run.cells if cell.key.column in names))


def _failures(run: Results, width: int, verbosity: int, told: Container[RunKey]) -> Iterator[Line]:
    for cell in run.cells:
        if cell.verdict in {"half", "wrong"} and cell.key not in told:
            first, *rest = explain(cell, verbosity).split("\n")
            yield (Span(str(cell.key), "bold"),)
            yield from _prose([f"  {first}"], width, STYLES[cell.verdict])
            yield from _prose((f"  {line}" for line in rest), width)
            yield ()


def _prose(texts: Iterable[str], width: int, style: Style = "") -> Iterator[Line]:
    """Yield *texts* wrapped to *width*, further lines further in."""
    for text in map(printable, texts):
        indent = " " * (len(text) - len(text.lstrip()))
        for line in textwrap.wrap(
            text.lstrip(),
            max(width, _NARROWEST),
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
            break_on_hyphens=False,
        ) or [""]:
            yield (Span(line, style),)


def _details(run: Results, names: Mapping[str, str], width: int) -> Iterator[Line]:
    for one in summarize(run):
        yield from _prose([f"{names[one.column]}, {one.about}"], width, "bold")
        yield from _prose((f"  {line}" for line in detail_lines(one)), width)
