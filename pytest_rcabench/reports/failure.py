"""Why a cell got its verdict: in a few lines for a test report, and the answer at length."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from pytest_rcabench.reports.figures import counted
from pytest_rcabench.reports.safe_text import cut, one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Cell, Word

HEADLINES: dict[Word, str] = {
    "pass": "all checks passed",
    "half": "right root cause, but another check failed",
    "wrong": "wrong",
    "unmeasured": "unmeasured",
}
NO_ANSWER = "of the answer only the verdict was kept"
# What a failed check means, for somebody who does not know its name.
IN_WORDS = {
    "service": "not the service at fault",
    "cause": "not the cause",
    "commit": "not the commit at fault",
    "innocent": "an innocent commit is blamed",
    "alarms": "too many alarms",
    "quiet": "an alarm although nothing is wrong",
}
_STATES: dict[bool | None, str] = {True: " passed", False: "", None: " not judged"}
_SEVERITIES: tuple[JSON, ...] = ("critical", "error", "warning", "info")
_NAMES = re.compile(r"expected (?P<first>.+?) or (?P<others>.+), got (?P<got>.*)")
_LONGEST_LINE = 300
_SHORT_LINE = 160
_LONGEST_TEXT = 4000
_MOST_NAMES = 2


def headline(cell: Cell) -> str:
    """Return the verdict of *cell* with the names of the checks that failed, or its fault."""
    if cell.error is not None:
        detail = f": {cell.error['detail']}" if cell.error.get("detail") else ""
        return one_line(f"unmeasured: {cell.error.get('reason', 'unknown')}{detail}", _LONGEST_LINE)
    if cell.fault:
        return one_line(f"wrong: the answer cannot be read: {fault_of(cell)}", _LONGEST_LINE)
    failed = ", ".join(str(check["name"]) for check in cell.checks if check["passed"] is False)
    return f"{HEADLINES[cell.verdict]}: {failed}" if failed else HEADLINES[cell.verdict]


def explain(cell: Cell, verbosity: int = 0) -> str:
    """Return why *cell* got its verdict, as long as *verbosity* says.

    Below 0 one line; at 0 at most nine short ones: the failed checks, and what the top issue says;
    at 1 all checks and all issues; from 2 on also reasoning, evidence and notes.
    """
    lines = [headline(cell)]
    if cell.error is not None or verbosity < 0:
        return lines[0]
    line_of = one_line if verbosity else _short_line
    lines += [line_of(line) for line in _check_lines(cell, verbosity)]
    if cell.right_cause_ranked is not None and cell.right_cause_ranked > 1:
        lines.append(f"the right root cause stood at place {cell.right_cause_ranked}")
    if verbosity > 1:
        return "\n".join([*lines, answer_text(cell)])
    issues = issues_of(cell)
    shown = [_told(issue) for issue in issues] if verbosity else [top_issue(cell)] * bool(issues)
    lines += [line_of(f"answered {said}") for said in shown]
    if more := len(issues) - len(shown):
        lines.append(f"and {counted(more, 'more issue')}")
    if cell.is_verdict_only:
        lines.append(NO_ANSWER)
    elif not issues and not cell.fault:
        lines.append("answered: no issues")
    return "\n".join(lines)


def fault_of(cell: Cell) -> str:
    """Return what kept the answer from being read, with its detail, or nothing."""
    about = (cell.analysis or {}).get("fault")
    detail = about.get("detail", "") if isinstance(about, dict) else ""
    return f"{cell.fault}: {detail}" if cell.fault and detail else cell.fault


def issues_of(cell: Cell) -> list[dict[str, JSON]]:
    """Return the issues of the answer, in the order given."""
    issues = (cell.analysis or {}).get("issues")
    return (
        [issue for issue in issues if isinstance(issue, dict)] if isinstance(issues, list) else []
    )


def top_issue(cell: Cell) -> str:
    """Return in one line what the issue says that was judged, or nothing where there is none."""
    issues = sorted(issues_of(cell), key=_rank)
    return _told(issues[0]) if issues else ""


def detail_of(check: dict[str, JSON]) -> str:
    """Return why *check* came out as it did, a long list of accepted names by its first."""
    detail = str(check["detail"])
    found = _NAMES.fullmatch(detail) if check["name"] == "service" else None
    if found is None:
        return detail
    others = found["others"].count(" or ") + 1
    if others < _MOST_NAMES:
        return detail
    return f"expected {found['first']} (or {others} other names of it), got {found['got']}"


def answer_text(cell: Cell, limit: int = _LONGEST_TEXT, most: int | None = None) -> str:
    """Return the answer: each text cut at *limit* characters, *most* entries of a list, or all.

    What is not shown is counted.
    """
    if cell.is_verdict_only:
        return NO_ANSWER
    if cell.fault:
        return f"The reply was:\n{cut(printable(cell.reply), limit) or '(nothing)'}"
    lines = [
        line
        for number, issue in enumerate(issues_of(cell), 1)
        for line in _issue(number, issue, limit, most)
    ]
    notes = (cell.analysis or {}).get("notes")
    if isinstance(notes, list):
        lines += [f"note: {note}" for note in _some(notes, limit, most)]
    return "\n".join(lines) or "No issues."


def _short_line(text: str) -> str:
    line = one_line(text, _LONGEST_TEXT)
    return line if len(line) <= _SHORT_LINE else f"{line[:_SHORT_LINE].rstrip()}…"


def _check_lines(cell: Cell, verbosity: int) -> Iterator[str]:
    # Where the answer cannot be read, every check says just that.
    for check in () if cell.fault else cell.checks:
        if check["passed"] is False or verbosity > 0:
            detail = check["detail"] if verbosity > 0 else detail_of(check)
            yield f"{check['name']}{_STATES[cast('bool | None', check['passed'])]}: {detail}"


def _rank(issue: dict[str, JSON]) -> int:
    severity = issue.get("severity")
    return _SEVERITIES.index(severity) if severity in _SEVERITIES else len(_SEVERITIES)


def _told(issue: dict[str, JSON]) -> str:
    title, cause = str(issue.get("title")), str(issue.get("cause"))
    said = cause if title in cause else title if cause in title else f"{title}; {cause}"
    return f"[{issue.get('severity')}] {issue.get('service')}: {said}"


def _issue(number: int, issue: dict[str, JSON], limit: int, most: int | None) -> Iterator[str]:
    texts = {name: one_line(text, limit) for name, text in issue.items() if isinstance(text, str)}
    yield f"{number}. [{texts.get('severity')}] {texts.get('service')}: {texts.get('title')}"
    if texts.get("cause") != texts.get("title"):
        yield f"   cause: {texts.get('cause')}"
    for name in ("commits", "ruled_out", "evidence"):
        entries = issue.get(name)
        if isinstance(entries, list) and entries:
            yield f"   {name.replace('_', ' ')}:"
            yield from (f"   - {entry}" for entry in _some(entries, limit, most))
    if texts.get("reasoning"):
        yield f"   reasoning: {texts['reasoning']}"


def _some(entries: list[JSON], limit: int, most: int | None) -> Iterator[str]:
    yield from (one_line(str(entry), limit) for entry in entries[:most])
    if most is not None and len(entries) > most:
        yield f"… and {len(entries) - most} more"
