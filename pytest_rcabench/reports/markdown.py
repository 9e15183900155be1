"""The Markdown report of one run or several: counts, the grid, and every failure in full.

Whatever a model, a log or a user wrote is escaped: none of it becomes markup, link or mention.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from pytest_rcabench.reports.failure import HEADLINES, NO_ANSWER, fault_of, issues_of
from pytest_rcabench.reports.findings import findings
from pytest_rcabench.reports.grid import LEGEND, MARKS, build_grid
from pytest_rcabench.reports.safe_text import cut, one_line, printable
from pytest_rcabench.reports.summary import summarize
from pytest_rcabench.reports.terminal import limits_line, set_and_checks, warning_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Cell, Results
    from pytest_rcabench.reports.rates import Rate

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
# An empty comment keeps GitHub from making mentions, references and links, and shows nothing.
_LINKING = re.compile(r"(@|#(?=\d)|:(?=//)|www(?=\.))")
_BACKTICKS = re.compile(r"`+")
_DIFFERENT_SCORERS = (
    "**These runs were scored by different scorers: do not compare their verdicts before "
    "`rcabench rescore` has scored them with one.**"
)
_LONGEST_TEXT = 4000
_LINE = 100


def render_markdown(*runs: Results) -> str:
    """Return the report on *runs*, side by side in one grid; no failure is left out."""
    lines = ["# Root-cause benchmark", ""]
    for run in runs:
        lines += _about(run)
    if len({run.scorer_digest for run in runs}) > 1:
        lines += [_DIFFERENT_SCORERS, ""]
    if changed := _different_incidents(runs):
        lines += [f"**These runs saw different versions of: {inline(', '.join(changed))}**", ""]
    lines += ["## Summary", "", *_summary_table(runs)]
    lines += ["## Every incident, every round", "", *grid_table(*runs)]
    lines += ["## What failed", ""]
    lines += [*(f"- {inline(sentence, _LONGEST_TEXT)}" for sentence in findings(*runs)), ""]
    failures = [text for run in runs for text in _failures(run)]
    lines += failures
    for run in runs:
        lines += [*_unmeasured(run), *_controls(run)]
    lines += ["## Limits", ""]
    lines += [f"- {inline(limits_line(run))}" for run in runs]
    return "\n".join(lines) + "\n"


def inline(text: str, limit: int = 300) -> str:
    """Return *text* as one line of Markdown that shows as it is written, cut at *limit*."""
    escaped = _SPECIAL.sub(r"\\\1", html.escape(one_line(text, limit), quote=False))
    return _LINKING.sub(r"\1<!-- -->", escaped)


def block(text: str) -> str:
    """Return *text* as a fenced block that nothing in it can close, wrapped and cut where long."""
    shown = printable(text)
    wrapped = [part for line in shown.split("\n") for part in _wrapped(line)]
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *wrapped, fence])


def _wrapped(line: str) -> list[str]:
    if len(line) <= _LINE:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, _LINE, subsequent_indent=indent, break_on_hyphens=False)


def _about(run: Results) -> list[str]:
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
    about = f"Run {run.run.id}: {'; '.join(filter(None, parts))}."
    return [inline(about), "", *(f"**{inline(line)}**\n" for line in warning_lines(run))]


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    rule = "|---" * (len(list(head))) + "|"
    return [lines[0], rule, *lines[1:], ""]


def _different_incidents(runs: Sequence[Results]) -> list[str]:
    seen: dict[str, set[tuple[str, str]]] = {}
    for run in runs:
        for incident in run.incidents:
            digests = (incident.evidence_digest, incident.truth_digest)
            seen.setdefault(incident.id, set()).add(digests)
    return sorted(name for name, digests in seen.items() if len(digests) > 1)


def _heads(run: Results) -> dict[str, str]:
    return {column.name: inline(column.title) for column in run.columns}


def _summary_table(runs: Sequence[Results]) -> list[str]:
    head = ["Column", "Set", "Root cause", "All checks", "Healthy", "Mean cost", "Median latency"]
    rows = [
        [
            _heads(run)[one.column],
            inline(set_and_checks(one)),
            _rate(one.root_cause),
            _rate(one.all_checks),
            _rate(one.healthy),
            "unknown" if one.mean_cost_usd is None else f"${one.mean_cost_usd:.4f}",
            "–" if one.median_latency_s is None else f"{one.median_latency_s:.2f} s",
            f"{inline(one.control)} {one.control_rate}" if one.control else "–",
            ", ".join(f"{inline(kind.replace('_', ' '))} {rate}" for kind, rate in one.by_kind),
        ]
        for run in runs
        for one in summarize(run)
    ]
    return _table([*head, "Best naive control", "All checks by kind"], rows)


def _rate(rate: Rate) -> str:
    return str(rate) if rate.measured or rate.unmeasured else "–"


def grid_table(*runs: Results) -> list[str]:
    """Return the lines of the grid of *runs*, with its legend."""
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
    heads = [inline(head) for head in grid.heads]
    return [*_table(["Incident", "Kind", "Set", *heads], rows), LEGEND, ""]


def _failures(run: Results) -> Iterator[str]:
    titles = {incident.id: inline(incident.title) for incident in run.incidents}
    heads = _heads(run)
    for cell in run.cells:
        if cell.verdict in {"half", "wrong"}:
            key = cell.key
            yield f"### {MARKS[cell.verdict]} {titles[key.incident]}"
            yield ""
            yield (
                f"{inline(key.incident)} · {heads[key.column]} · round {key.round}: "
                f"{HEADLINES[cell.verdict]}"
            )
            yield ""
            reasons = _reasons(cell)
            yield from ([*reasons, ""] if reasons else [])
            yield block(_answer(cell))
            yield ""


def _reasons(cell: Cell) -> list[str]:
    lines = [
        f"- **{inline(str(check['name']))}** failed: {inline(str(check['detail']))}"
        for check in cell.checks
        if check["passed"] is False
    ]
    if cell.right_cause_ranked is not None and cell.right_cause_ranked > 1:
        lines.append(f"- The right root cause stood at place {cell.right_cause_ranked}.")
    return lines


def _answer(cell: Cell) -> str:
    if cell.is_verdict_only:
        return NO_ANSWER
    if cell.fault:
        reply = cut(cell.reply, _LONGEST_TEXT) or "(nothing)"
        fault = one_line(fault_of(cell), _LONGEST_TEXT)
        return f"The answer cannot be read: {fault}\nThe reply was:\n{reply}"
    lines = [
        line for number, issue in enumerate(issues_of(cell), 1) for line in _issue(number, issue)
    ]
    notes = (cell.analysis or {}).get("notes")
    if isinstance(notes, list):
        lines += [f"note: {one_line(str(note), _LONGEST_TEXT)}" for note in notes]
    return "\n".join(lines) or "No issues."


def _issue(number: int, issue: dict[str, JSON]) -> Iterator[str]:
    texts = {
        name: one_line(str(text), _LONGEST_TEXT)
        for name, text in issue.items()
        if isinstance(text, str)
    }
    yield (f"{number}. [{texts.get('severity')}] {texts.get('service')}: {texts.get('title')}")
    yield f"   cause: {texts.get('cause')}"
    for name in ("commits", "ruled_out", "evidence"):
        entries = issue.get(name)
        if isinstance(entries, list) and entries:
            yield f"   {name.replace('_', ' ')}:"
            for entry in entries:
                yield f"   - {one_line(str(entry), _LONGEST_TEXT)}"
    if texts.get("reasoning"):
        yield f"   reasoning: {texts['reasoning']}"


def _unmeasured(run: Results) -> list[str]:
    rows = [
        [
            inline(cell.key.incident),
            inline(cell.key.column),
            str(cell.key.round),
            inline(str((cell.error or {}).get("reason", "unknown"))),
            inline(str((cell.error or {}).get("detail", ""))),
        ]
        for cell in run.cells
        if not cell.is_measured
    ]
    if not rows:
        return []
    head = ["Incident", "Column", "Round", "Reason", "Detail"]
    return ["## Unmeasured", "", *_table(head, rows)]


def _controls(run: Results) -> list[str]:
    counts: dict[str, Counter[str]] = {}
    for verdict in run.controls:
        counts.setdefault(verdict.control, Counter())[verdict.verdict] += 1
    if not counts:
        return []
    rows = [
        [inline(name), *(str(found[word]) for word in ("pass", "half", "wrong"))]
        for name, found in sorted(counts.items())
    ]
    return ["## Naive controls", "", *_table(["Control", "✓", "½", "✗"], rows)]
