"""The Markdown report of one run or several: figures, the grid, and every failure.

Whatever a model, a log or a user wrote is escaped: none of it becomes markup, link or mention.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_rcabench.reports.caveats import (
    comparison_warnings,
    limits,
    move_lines,
    warning_lines,
)
from pytest_rcabench.reports.figures import rounds_text
from pytest_rcabench.reports.findings import findings
from pytest_rcabench.reports.first_contact import held_out_lines
from pytest_rcabench.reports.foot import (
    build_feet,
    cost_text,
    detail_lines,
    latency_text,
    lift_text,
    rate_and_interval,
)
from pytest_rcabench.reports.grid import (
    LEGEND,
    NO_CELL,
    build_grid,
    column_names,
)
from pytest_rcabench.reports.markdown_failures import DETAILS, failure_lines
from pytest_rcabench.reports.markdown_text import inline, table
from pytest_rcabench.reports.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_rcabench.domain.run import Results

# What GitHub takes for a comment, counted in bytes to be safe.
LONGEST = 65_536


def render_markdown(*runs: Results, longest: int = LONGEST) -> str:
    """Return the report on *runs*, side by side in one grid.

    Where it would have more than *longest* bytes, answers are shortened and then left out, and
    rounds that failed alike are told together; but no failure is left out.
    """
    before = [*_head_lines(runs), *summary_table(*runs), *_details(runs)]
    before += [line for text in held_out_lines(*runs) for line in (inline(text, 1000), "")]
    before += ["## Every incident, every round", "", *grid_table(*runs), "## What failed", ""]
    before += [*(f"- {inline(sentence, 1000)}" for sentence in findings(*runs)), ""]
    after = [line for run in runs for line in (*_unmeasured(run), *_controls(run))]
    lines = dict.fromkeys(line for run in runs for line in limits(run))
    after += ["## Limits", "", *(f"- {inline(line)}" for line in lines)]
    room = longest - _size([*before, *after])
    for detail in DETAILS:
        note = [] if detail == DETAILS[0] else [_SHORTENED, ""]
        failures = _up_to(room - _size(note), failure_lines(runs, detail))
        if failures is not None:
            break
    else:
        failures = list(failure_lines(runs, DETAILS[-1]))
    return "\n".join([*before, *note, *failures, *after]) + "\n"


def summary_table(*runs: Results) -> list[str]:
    """Return the figures of every column and set, as a table."""
    head = ["Column", "Set", "Root cause", "All checks", "Healthy", "Mean cost", "Median latency"]
    rows = [
        [
            inline(names[one.column]),
            inline(one.about),
            _unbroken(rate_and_interval(one.root_cause)),
            _unbroken(rate_and_interval(one.all_checks)),
            _unbroken(rate_and_interval(one.healthy)),
            inline(cost_text(one)) or NO_CELL,
            inline(latency_text(one)) or NO_CELL,
            f"{inline(one.control)} {one.control_rate}" if one.control else NO_CELL,
            lift_text(one) or NO_CELL,
        ]
        for run, names in zip(runs, column_names(*runs), strict=True)
        for one in summarize(run)
    ]
    return table([*head, "Best naive control", "Points over it"], rows)


def _unbroken(text: str) -> str:
    return inline(text).replace(" %", "&nbsp;%")


def _details(runs: Sequence[Results]) -> list[str]:
    lines = ["<details><summary>By kind, over rounds, alarms, cost</summary>", ""]
    for run, names in zip(runs, column_names(*runs), strict=True):
        for one in summarize(run):
            lines += [f"**{inline(names[one.column])}, {inline(one.about)}**", ""]
            lines += [*(f"- {inline(line, 1000)}" for line in detail_lines(one)), ""]
    return [*lines, "</details>", ""]


def grid_table(*runs: Results) -> list[str]:
    """Return the grid of *runs* as a table with its figures, the legend and the footnotes."""
    grid = build_grid(*runs)
    rows = [
        [
            inline(row.incident.title),
            inline(row.incident.kind.replace("_", " ")),
            row.section,
            *row.marks,
        ]
        for row in grid.rows
    ]
    rows += [
        [f"**{figure.name}**", "", inline(foot.about), *map(_unbroken, figure.whole)]
        for foot in build_feet(*runs)
        if foot.is_headline  # the summary has the others
        for figure in foot.figures
    ]
    heads = [inline(head) for head in grid.heads]
    lines = [*table(["Incident", "Kind", "Set", *heads], rows), LEGEND, ""]
    for move in move_lines(*runs):
        lines += [inline(move, 1000), ""]
    return lines


_SHORTENED = (
    "Answers are shortened here so that the page stays small; the results file holds them whole."
)


def _head_lines(runs: Sequence[Results]) -> list[str]:
    lines = ["# Root-cause benchmark", ""]
    for run in runs:
        lines += [inline(_about(run), 500), ""]
        for warning in warning_lines(run):
            lines += [f"**{inline(warning)}**", ""]
    for warning in comparison_warnings(*runs):
        lines += [f"**{inline(warning)}**", ""]
    return [*lines, "## Summary", ""]


def _about(run: Results) -> str:
    git = run.run.git
    state = f"commit {git.head[:12]}" if git.head else "no commit known"
    if git.dirty:
        state += " with uncommitted changes"
    times = f"started {run.run.started}, finished {run.run.finished or 'not yet'}"
    made_by = {
        "pytest-rcabench": run.run.package,
        "scorer": run.scorer_digest[:12],
        "prompt": run.prompt_digest[:12],
    }
    # A table that was transcribed from a page has none of these.
    known = ", ".join(f"{name} {what}" for name, what in made_by.items() if what)
    parts = (times if run.run.started else "", state, known)
    return f"Run {run.run.id}: {'; '.join(filter(None, parts))}."


def _up_to(room: int, lines: Iterable[str]) -> list[str] | None:
    """Return *lines*, or None once they take more than *room* bytes."""
    taken = []
    for line in lines:
        room -= _size([line])
        if room < 0:
            return None
        taken.append(line)
    return taken


def _size(lines: Iterable[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _unmeasured(run: Results) -> list[str]:
    groups: dict[tuple[str, ...], dict[str, list[int]]] = {}
    for cell in run.cells:
        if cell.error is not None:
            why = (cell.error.get("reason", "unknown"), cell.error.get("detail", ""))
            group = groups.setdefault((cell.key.column, *map(str, why)), {})
            group.setdefault(cell.key.incident, []).append(cell.key.round)
    rows = [
        [
            *map(inline, group),
            "; ".join(f"{inline(name)} {rounds_text(n)}" for name, n in found.items()),
        ]
        for group, found in groups.items()
    ]
    head = ["Column", "Reason", "Detail", "Cells"]
    return ["## Unmeasured", "", *table(head, rows)] if rows else []


def _controls(run: Results) -> list[str]:
    counts: dict[str, Counter[str]] = {}
    for verdict in run.controls:
        counts.setdefault(verdict.control, Counter())[verdict.verdict] += 1
    rows = [
        [inline(name), *(str(found[word]) for word in ("pass", "half", "wrong"))]
        for name, found in sorted(counts.items())
    ]
    if not rows:
        return []
    fold = ["<details><summary>What each naive control gets on these incidents</summary>", ""]
    lines = [*fold, *table(["Control", "✓", "½", "✗"], rows), "</details>", ""]
    return ["## Naive controls", "", *lines]
