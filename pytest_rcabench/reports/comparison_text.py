"""A comparison in words: lines for a terminal, and Markdown for a pull request."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pytest_rcabench.reports.comparison import about
from pytest_rcabench.reports.failure import HEADLINES, explain, fault_of, issues_of
from pytest_rcabench.reports.figures import counted, percent
from pytest_rcabench.reports.grid import MARKS
from pytest_rcabench.reports.markdown import LONGEST
from pytest_rcabench.reports.markdown_text import block, inline, table
from pytest_rcabench.reports.safe_text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_rcabench.domain.run import Cell
    from pytest_rcabench.reports.comparison import BaseColumn, Comparison, Family
    from pytest_rcabench.reports.pairing import Pair

_MOST_LISTED = 10
_MOST_ITEMS = 100
_LONGEST_ANSWER = 160
_LONGEST_LINE = 400


def comparison_lines(comparison: Comparison) -> list[str]:
    """Return *comparison* for a terminal: the ten worst changes, and the verdict last."""
    lines = [_baseline_line(one, comparison.run.started) for one in comparison.baseline]
    lines += _listed("scored again", comparison.rescored)
    lines += _listed("left out", comparison.left_out)
    lines += [_family_line(family) for family in comparison.families]
    changes = comparison.changes
    if changes:
        lines.append("changed, worst first:")
    for pair in changes[:_MOST_LISTED]:
        before, after = telling_cells(pair)
        lines.append(f"  {pair.name}: {_marks(pair.base)} -> {_marks(pair.new)}")
        lines += [f"    then: {_answer(before)}", f"    now: {_answer(after)}"]
    if len(changes) > _MOST_LISTED:
        lines.append(f"  and {len(changes) - _MOST_LISTED} more")
    lines += [f"warning: {warning}" for warning in comparison.warnings]
    lines += [f"red: {reason}" for reason in comparison.reasons]
    lines.append(verdict_line(comparison))
    return [_indented(line) for line in lines]


def verdict_line(comparison: Comparison) -> str:
    """Return the gate's decision in one line, with the first reason where it is red."""
    if not comparison.is_red:
        return f"gate: green ({comparison.verdict})"
    first, *others = comparison.reasons
    more = f" (and {len(others)} more)" if others else ""
    return one_line(f"gate: red ({comparison.verdict}): {first}{more}", _LONGEST_LINE)


def render_comparison(comparison: Comparison, longest: int = LONGEST) -> str:
    """Return *comparison* as Markdown: the verdict, every change, and what it was held against.

    Each change comes with both answers, worst first, as long as *longest* bytes have room.
    """
    head = ["# Against the baseline", "", f"**{inline(verdict_line(comparison))}**", ""]
    head += [*_items(comparison.reasons), *_items(comparison.warnings)]
    if comparison.families:
        columns = ("Column", "Incidents", "n", "Base", "New", "Verdict", "p")
        head += table(columns, [_family_row(family) for family in comparison.families])
    head += ["## What changed, worst first", ""]
    foot = ["## What it was held against", ""]
    foot += _items([_baseline_line(one, comparison.run.started) for one in comparison.baseline])
    for title, sentences in (
        ("Left out", comparison.left_out),
        ("Verdicts that today's scorer and rubrics change", comparison.rescored),
    ):
        if sentences:
            more = len(sentences) - _MOST_ITEMS
            shown = [*sentences[:_MOST_ITEMS], *([f"and {more} more"] if more > 0 else [])]
            foot += [f"## {title}", "", *_items(shown)]
    room = longest - len("\n".join((*head, *foot)).encode())
    return "\n".join((*head, *_changes(comparison.changes, room), *foot))


def telling_cells(pair: Pair) -> tuple[Cell, Cell]:
    """Return one cell of each side that shows the change best: a right one and a wrong one."""
    order = list(HEADLINES)  # from pass to wrong
    first, last = (min, max) if pair.drop > 0 else (max, min)
    return (
        first(pair.base, key=lambda cell: order.index(cell.verdict)),
        last(pair.new, key=lambda cell: order.index(cell.verdict)),
    )


def _indented(line: str) -> str:
    """Return *line* fit to be printed; what files and models wrote is in it."""
    indent = len(line) - len(line.lstrip(" "))
    return " " * indent + one_line(line, _LONGEST_LINE)


def _listed(title: str, sentences: Sequence[str]) -> Iterator[str]:
    yield from (f"{title}: {sentence}" for sentence in sentences[:_MOST_LISTED])
    if len(sentences) > _MOST_LISTED:
        yield f"{title}: and {len(sentences) - _MOST_LISTED} more"


def _baseline_line(base: BaseColumn, now: str) -> str:
    dates = [run.started for run in base.runs]
    span = f"{dates[-1][:10]} to {dates[0][:10]}" if len(dates) > 1 else dates[0][:10]
    rounds = f"{counted(len(dates), 'run')}, {counted(base.rounds, 'round')}"
    return (
        f"baseline of {base.column}: {rounds}, {span}, "
        f"{_age(dates[0], now)}; answered by {', '.join(base.models)}"
    )


def _age(then: str, now: str) -> str:
    try:
        days = (datetime.fromisoformat(now) - datetime.fromisoformat(then)).days
    except (TypeError, ValueError):  # another tool's results, or a date without a zone
        return "of unknown age"
    return f"the newest {counted(days, 'day')} old"


def _family_line(family: Family) -> str:
    judgement = family.judgement
    return (
        f"{about(family)}: score {percent(judgement.base)} -> {percent(judgement.new)}: "
        f"{judgement.verdict} "
        f"(p = {judgement.chance:.2g})"
    )


def _family_row(family: Family) -> tuple[str, ...]:
    judgement = family.judgement
    return (
        inline(family.column),
        inline(family.name),
        str(judgement.incidents),
        percent(judgement.base),
        percent(judgement.new),
        judgement.verdict,
        f"{judgement.chance:.2g}",
    )


def _changes(pairs: Sequence[Pair], room: int) -> list[str]:
    lines, others = [], []
    for pair in pairs:
        change = _change(pair)
        room -= len("\n".join(change).encode()) + 1
        if room > 0:
            lines += change
        else:
            others.append(f"- {_title(pair)}")
    if others:
        lines += ["Without their answers, for which there is no room here:", "", *others, ""]
    return lines or ["Nothing.", ""]


def _change(pair: Pair) -> list[str]:
    lines = [f"### {_title(pair)}", ""]
    for when, cell in zip(("Then", "Now"), telling_cells(pair), strict=True):
        head = f"<details><summary>{when}, round {cell.key.round}: {HEADLINES[cell.verdict]}"
        lines += [f"{head}</summary>", "", block(explain(cell, verbosity=1)), "", "</details>", ""]
    return lines


def _title(pair: Pair) -> str:
    return f"{inline(pair.name)}: {_marks(pair.base)} → {_marks(pair.new)}"


def _items(sentences: Sequence[str]) -> list[str]:
    return [*(f"- {inline(sentence)}" for sentence in sentences), *([""] if sentences else [])]


def _marks(cells: Sequence[Cell]) -> str:
    return "".join(MARKS[cell.verdict] for cell in cells)


def _answer(cell: Cell) -> str:
    if cell.fault:
        return one_line(f"cannot be read: {fault_of(cell)}", _LONGEST_ANSWER)
    shown = [
        f"[{issue.get('severity')}] {issue.get('service')}: {issue.get('title')}"
        for issue in issues_of(cell)
    ]
    failed = ", ".join(str(check["name"]) for check in cell.checks if check["passed"] is False)
    answer = one_line("; ".join(shown) or "no issues", _LONGEST_ANSWER)
    return f"{answer} (failed: {failed})" if failed else answer
