"""Why a cell got its verdict, in a few lines for a test report."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pytest_rcabench.reports.safe_text import one_line

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Cell, Word

HEADLINES: dict[Word, str] = {
    "pass": "all checks passed",
    "half": "right root cause, but another check failed",
    "wrong": "wrong",
    "unmeasured": "unmeasured",
}
NO_ANSWER = "of the answer only the verdict was kept"
_LONGEST_LINE = 300
_MOST_ISSUES = 3


def explain(cell: Cell, verbosity: int = 0) -> str:
    """Return why *cell* got its verdict: the failed checks, and what was answered.

    At most twelve lines; with a *verbosity* above 0 all checks and all issues.
    """
    if cell.error is not None:
        detail = f": {cell.error['detail']}" if cell.error.get("detail") else ""
        return one_line(f"unmeasured: {cell.error.get('reason', 'unknown')}{detail}", _LONGEST_LINE)
    lines = [HEADLINES[cell.verdict]]
    if fault := fault_of(cell):
        lines = [f"wrong: the answer cannot be read: {fault}"]
    lines += [
        f"{check['name']}{_STATES[cast('bool | None', check['passed'])]}: {check['detail']}"
        for check in cell.checks
        if check["passed"] is False or verbosity > 0
    ]
    if cell.right_cause_ranked is not None and cell.right_cause_ranked > 1:
        lines.append(f"the right root cause stood at place {cell.right_cause_ranked}")
    issues = issues_of(cell)
    shown = len(issues) if verbosity > 0 else _MOST_ISSUES
    for issue in issues[:shown]:
        lines.append(
            f"answered [{issue.get('severity')}] {issue.get('service')}: {issue.get('title')}; "
            f"{issue.get('cause')}"
        )
    if len(issues) > shown:
        lines.append(f"and {len(issues) - shown} more issues")
    if cell.is_verdict_only:
        lines.append(NO_ANSWER)
    elif not issues and not cell.fault:
        lines.append("answered: no issues")
    return "\n".join(one_line(line, _LONGEST_LINE) for line in lines)


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


_STATES: dict[bool | None, str] = {True: " passed", False: "", None: " not judged"}
