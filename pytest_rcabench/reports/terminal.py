"""The summary at the end of a run in a terminal, as lines with the names of their colours."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_rcabench.reports.failure import explain
from pytest_rcabench.reports.grid import LEGEND, build_grid, render_grid
from pytest_rcabench.reports.safe_text import in_ascii, one_line
from pytest_rcabench.reports.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rcabench.domain.run import Results
    from pytest_rcabench.reports.grid import Row
    from pytest_rcabench.reports.summary import ColumnSummary


def render_terminal(
    results: Results, *, width: int, unicode: bool = True, verbosity: int = 0
) -> list[tuple[str, dict[str, bool]]]:
    """Return the lines of the summary, each with its markup as keywords (``{"green": True}``).

    Very quiet (*verbosity* below -1) leaves out the grid; verbose adds why each cell failed.
    """
    lines = list(_lines(results, width, verbosity))
    return lines if unicode else [(in_ascii(text), markup) for text, markup in lines]


def _lines(results: Results, width: int, verbosity: int) -> Iterator[tuple[str, dict[str, bool]]]:
    if verbosity >= -1 and results.cells:
        for text, row in render_grid(build_grid(results), width=width):
            yield text, _colour(row)
        yield LEGEND, {"light": True}
        yield "", {}
    if verbosity > 0:
        for cell in results.cells:
            if cell.verdict != "pass":
                key = cell.key
                yield f"{key.incident}::{key.column}::r{key.round}", {"bold": True}
                yield from ((f"  {line}", {}) for line in explain(cell).split("\n"))
        yield "", {}
    summaries = summarize(results)
    for summary in summaries:
        yield from ((line, {}) for line in column_lines(summary))
    yield from ((line, {"yellow": True}) for line in warning_lines(results))
    yield f"limits: {limits_line(results)}", {"light": True}


def column_lines(summary: ColumnSummary) -> list[str]:
    """Return what one column reached on one set: rates, kinds, price, and the best control."""
    head = f"{one_line(summary.column)}, {set_and_checks(summary)}"
    rates = [f"all checks {summary.all_checks}"]
    if summary.root_cause.measured + summary.root_cause.unmeasured:
        rates.insert(0, f"root cause {summary.root_cause}")
    if summary.healthy.measured + summary.healthy.unmeasured:
        rates.append(f"healthy {summary.healthy}")
    lines = [f"{head}: {' · '.join(rates)}"]
    lines.append(
        "  all checks by kind: "
        + " · ".join(f"{kind.replace('_', ' ')} {rate}" for kind, rate in summary.by_kind)
    )
    price = []
    if summary.mean_cost_usd is not None:
        price.append(f"mean cost ${summary.mean_cost_usd:.4f}")
    if summary.median_latency_s is not None:
        price.append(f"median latency {summary.median_latency_s:.2f} s")
    if summary.control:
        control = f"best naive control {summary.control} {summary.control_rate}"
        lift = summary.lift
        price.append(control if lift is None else f"{control}, lift {100 * lift:+.0f} points")
    if price:
        lines.append("  " + " · ".join(price))
    return lines


def set_and_checks(summary: ColumnSummary) -> str:
    """Return the set in words, and by what it is graded where that is not everything."""
    return summary.about


def warning_lines(results: Results) -> list[str]:
    """Return what keeps the figures from being whole: missing answers, and an unfinished run."""
    reasons = Counter(
        one_line(str((cell.error or {}).get("reason", "unknown")))
        for cell in results.cells
        if not cell.is_measured
    )
    lines = []
    if reasons:
        shown = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        lines.append(f"unmeasured: {sum(reasons.values())} of {len(results.cells)} cells: {shown}")
    if not results.complete:
        lines.append("the run is not complete: planned cells are missing")
    return lines


def limits_line(results: Results) -> str:
    """Return the sentence that keeps a reader from making too much of the figures."""
    asked = {cell.key.incident for cell in results.cells}
    healthy = sum(one.kind == "healthy" and one.id in asked for one in results.incidents)
    return (
        f"n = {len(asked)} incidents, {healthy} of them healthy; those shipped with this "
        "tool were written by the authors of this tool"
    )


def _colour(row: Row | None) -> dict[str, bool]:
    if row is None:
        return {"bold": True}
    words = {word for column in row.words for word in column if word}
    if "wrong" in words:
        return {"red": True}
    if words - {"pass"}:
        return {"yellow": True}
    return {"green": True} if words else {}
