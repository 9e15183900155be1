"""What GitHub Actions is told of a run: annotations, outputs and the job's summary, as text.

Nothing here writes; `plugin/github.py` knows the files and variables of a job.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pytest_rcabench.reports.comparison_text import render_comparison
from pytest_rcabench.reports.failure import explain
from pytest_rcabench.reports.markdown import LONGEST, grid_table, render_markdown
from pytest_rcabench.reports.markdown_text import inline
from pytest_rcabench.reports.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pytest_rcabench.domain.run import Cell, Results, Word
    from pytest_rcabench.reports.comparison import Comparison

# Source: docs.github.com, "Workflow commands for GitHub Actions": 1 MiB a step, and "Limits": 10
# annotations of a kind a step.
LONGEST_SUMMARY = 1024 * 1024
MOST_ANNOTATIONS = 10

_FOLDED = "<details><summary>Report</summary>\n\n{}\n</details>\n"
_TOO_LONG = "**There is more than fits here: see the reports of this run.**\n"
_WORST_FIRST: tuple[Word, ...] = ("wrong", "half", "unmeasured", "pass")


def annotate(
    results: Results,
    place_of: Callable[[str], tuple[str, int]],
    *,
    failing: Collection[str],
    comparison: Comparison | None = None,
    reason: str = "",
) -> list[str]:
    """Return workflow commands for what failed, worst first, and one for how many more there are.

    First comes *reason*, why a run is red whose items are not. A column's rounds on an incident are
    one annotation: an error where a word of *failing* is among them, else a warning. With a
    *comparison* the rest is what got worse, and is to blame where there is a reason. *place_of*
    returns path and line of an incident.
    """
    changes = comparison.changes if comparison else ()
    drops = {(pair.incident.id, pair.column): pair.drop for pair in changes if pair.drop > 0}
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in results.cells:
        groups.setdefault((cell.key.incident, cell.key.column), []).append(cell)
    failed = []
    for key, cells in groups.items():
        cells.sort(key=lambda cell: (_WORST_FIRST.index(cell.verdict), cell.key.round))
        is_failing = any(cell.verdict in failing for cell in cells)
        if is_failing or (key in drops if comparison else cells[0].verdict != "pass"):
            is_error = is_failing or (key in drops and bool(reason))
            failed.append((not is_error, -drops.get(key, 0.0), key, cells))
    failed.sort(key=lambda one: (*one[:2], _WORST_FIRST.index(one[3][0].verdict)))
    lines = [command("error", reason, title="rcabench")] if reason else []
    shown = failed[: MOST_ANNOTATIONS - len(lines)]
    for is_warning, _, (incident, column), cells in shown:
        path, line = place_of(incident)
        counts = f"{column}: {_counts(cells)}\n" if len(cells) > 1 else ""
        lines.append(
            command(
                "warning" if is_warning else "error",
                f"{counts}{column}, round {cells[0].key.round}: {explain(cells[0])}",
                file=path,
                line=str(line),
                title=f"{incident}: {cells[0].verdict}",
            )
        )
    if more := len(failed) - len(shown):
        lines.append(command("notice", f"{more} more failed; the job's summary shows all"))
    return lines


def command(name: str, message: str, **properties: str) -> str:
    """Return a workflow command on one line that nothing in its texts can break out of.

    Source: docs.github.com, "Workflow commands for GitHub Actions".
    """
    shown = ",".join(
        f"{key}={_escaped(text).replace(':', '%3A').replace(',', '%2C')}"
        for key, text in properties.items()
    )
    return f"::{name}{' ' if shown else ''}{shown}::{_escaped(message)}"


def output_values(results: Results, verdict: str) -> dict[str, str]:
    """Return the outputs of a step: *verdict*, and pass rate and cost of *results*.

    The pass rate is that of all checks on held-out incidents without the twins, in [0, 1], of the
    column that did worst there; empty where nothing was measured. The cost in US dollars is
    ``unknown`` where an answer does not say.
    """
    summaries = [summary for summary in summarize(results) if summary.measured]
    rates = [
        summary.all_checks.hits / summary.measured
        for summary in summaries
        if summary.set == "held_out" and not summary.twins
    ]
    free = {one.name for one in results.columns if one.is_control or one.provider == "heuristic"}
    costs = [summary.total_cost_usd for summary in summaries if summary.column not in free]
    known = [cost for cost in costs if cost is not None]
    return {
        "verdict": verdict,
        "pass_rate": f"{min(rates):.4f}" if rates else "",
        "cost": f"{sum(known):.4f}" if len(known) == len(costs) else "unknown",
    }


def render_outputs(values: Mapping[str, str]) -> str:
    """Return *values* as lines for ``$GITHUB_OUTPUT``; a value may have several lines."""
    text = ""
    for name, value in values.items():
        # No value can hold the digest of itself.
        mark = f"end-{hashlib.sha256(value.encode()).hexdigest()}"
        text += f"{name}<<{mark}\n{value}\n{mark}\n"
    return text


def step_summary(
    results: Results,
    head: str,
    *,
    comparison: Comparison | None = None,
    limit: int = LONGEST_SUMMARY,
) -> str:
    """Return the job's summary in at most *limit* bytes of UTF-8: *head*, the grid, the rest.

    The rest is the *comparison*, and the whole report folded away. Of what does not fit, a sentence
    says where it is.
    """
    text = "\n".join([f"## rcabench: {inline(head)}", "", *grid_table(results), ""])
    if comparison:
        text = _longer(text, render_comparison(comparison), limit)
    room = limit - len(f"{text}{_FOLDED}{_TOO_LONG}".encode())
    report = render_markdown(results, longest=min(room, LONGEST))
    return _longer(text, _FOLDED.format(report), limit)


def _longer(text: str, part: str, limit: int) -> str:
    """Return *text* and *part*, or where they do not fit, a sentence instead."""
    for longer in (f"{text}{part}\n", f"{text}{_TOO_LONG}", _TOO_LONG):
        if len(longer.encode()) <= limit:
            return longer
    return ""


def _counts(cells: list[Cell]) -> str:
    """Return the verdicts of *cells* with their rounds, as ``wrong in rounds 1, 3``."""
    rounds: dict[str, list[str]] = {}
    for cell in cells:
        rounds.setdefault(cell.verdict, []).append(str(cell.key.round))
    return "; ".join(
        f"{verdict} in round{'s' * (len(numbers) > 1)} {', '.join(numbers)}"
        for verdict, numbers in rounds.items()
    )


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
