"""What a reader must know beside the figures: what is missing, what moved, and what limits them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_rcabench.reports.comparable import different_evidence, not_comparable
from pytest_rcabench.reports.contamination import contamination_line
from pytest_rcabench.reports.failure import headline
from pytest_rcabench.reports.figures import counted
from pytest_rcabench.reports.proof import UNPUBLISHED, proof_line
from pytest_rcabench.reports.safe_text import one_line

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results

# More missing answers than this, as a share of the planned cells, and the run says nothing about
# anybody.
MOST_MISSING = 0.1
_MOST_REASONS = 10
_ON_INTERVALS = (
    "intervals are at 95 %, by Wilson's method; rounds of one incident that agree count as one, "
    "so few incidents leave wide ones"
)


def too_few(measured: int, planned: int) -> str:
    """Return why so few *measured* of the *planned* cells say nothing, or nothing."""
    if not measured:
        return "nothing was measured"
    if (missing := planned - measured) > planned * MOST_MISSING:
        return f"{missing} of {planned} planned cells are missing or unmeasured, more than a tenth"
    return ""


def warning_lines(results: Results) -> list[str]:
    """Return what keeps the figures from being whole: missing answers, and an unfinished run."""
    missing = sum(not cell.is_measured for cell in results.cells)
    lines = []
    if missing:
        lines.append(f"unmeasured: {missing} of {counted(len(results.cells), 'cell')}")
    if not results.complete:
        lines.append("the run is not complete: planned cells are missing")
    return lines


def reason_lines(results: Results) -> list[str]:
    """Return why cells are unmeasured, the most frequent reason first, ten at most."""
    reasons = Counter(
        f"{cell.key.column}: {headline(cell).removeprefix('unmeasured: ')}"
        for cell in results.cells
        if not cell.is_measured
    )
    often = reasons.most_common(_MOST_REASONS)
    lines = [f"{count} × {one_line(reason)}" for reason, count in often]  # noqa: RUF001 - times
    more = len(reasons) - len(often)
    return [*lines, f"and {counted(more, 'more reason')}"] if more else lines


def comparison_warnings(*runs: Results) -> list[str]:
    """Return why verdicts of *runs* cannot be held against each other, a sentence each."""
    lines = []
    if reason := not_comparable(*runs):
        lines.append(f"these runs were {reason}")
    if names := different_evidence(*runs):
        lines.append(
            f"these runs were shown different evidence of {', '.join(names)}: not compared there"
        )
    return lines


def move_lines(*runs: Results) -> list[str]:
    """Return a footnote for the dashes of each incident that was moved, oldest first."""
    moves = sorted({(m.date, m.incident): m for run in runs for m in run.moves}.items())
    return [
        one_line(
            f"– {move.incident} moved to the tuned set on {move.date}: {move.because}; "
            f"it led to {move.change}" + (f" (commit {move.commit[:12]})" if move.commit else ""),
            1000,
        )
        for _, move in moves
    ]


def limits_line(results: Results) -> str:
    """Return the sentence that keeps a reader from making too much of the figures."""
    asked = {cell.key.incident for cell in results.cells}
    healthy = sum(one.kind == "healthy" and one.id in asked for one in results.incidents)
    return (
        f"n = {counted(len(asked), 'incident')}, {healthy} of them healthy; those shipped with "
        "this tool were written by the authors of this tool"
    )


def limits(results: Results) -> list[str]:
    """Return all that limits the figures of a run, a sentence each: for a report on paper."""
    return [
        limits_line(results),
        f"{proof_line(results)}; {UNPUBLISHED}",
        contamination_line(results),
        _models_line(results),
        _ON_INTERVALS,
    ]


def _models_line(results: Results) -> str:
    models = [f"{column.name} is {column.model}" for column in results.columns if column.model]
    return one_line(f"models: {', '.join(models)}" if models else "no model was asked")
