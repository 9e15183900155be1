"""A run inside a job of GitHub Actions: its summary and outputs go where the job asks for them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RcabenchError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rcabench.domain.run import Results, RunKey
    from pytest_rcabench.engine.schedule import Planned
    from pytest_rcabench.plugin.run import Run
    from pytest_rcabench.reports.comparison import Comparison


def tell_github(
    results: Results,
    run: Run,
    *,
    plan: Mapping[RunKey, Planned],
    verdict: str,
    reason: str,
    comparison: Comparison | None = None,
) -> list[str]:
    """Append summary and outputs to the files of the job, and return lines for its log.

    *verdict* is passed or failed; that of a *comparison* says more, but no run that failed is said
    to be no worse. *reason* says why a run failed whose items did not. Outside GitHub Actions
    nothing happens.
    """
    summary_file = os.environ.get("GITHUB_STEP_SUMMARY")
    output_file = os.environ.get("GITHUB_OUTPUT")
    is_a_job = os.environ.get("GITHUB_ACTIONS") == "true"
    if not (summary_file or output_file or is_a_job):
        return []
    # Start-up time: a run that has nobody to tell must not pay for it.
    from pytest_rcabench.reports.github import (  # noqa: PLC0415
        LONGEST_SUMMARY,
        annotate,
        output_values,
        render_outputs,
        step_summary,
    )

    if not any(cell.is_measured for cell in results.cells):
        verdict = "unmeasured"
    elif comparison and (verdict == "passed" or comparison.verdict == "regressed"):
        verdict = comparison.verdict
    lines = []
    if summary_file:
        room = LONGEST_SUMMARY - _size(summary_file)
        summary = step_summary(results, reason or verdict, comparison=comparison, limit=room)
        lines += _append(summary_file, summary)
    if output_file:
        lines += _append(output_file, render_outputs(output_values(results, verdict)))
    if is_a_job:
        settings = run.settings
        paths = {key.incident: planned.path for key, planned in plan.items()}
        lines += annotate(
            results,
            lambda incident: _place(run, paths[incident]),
            failing={*settings.failing, *["unmeasured"] * settings.unmeasured_is_an_error},
            comparison=comparison,
            reason=reason,
        )
    return lines


def _place(run: Run, path: Path) -> tuple[str, int]:
    """Return *path* as it stands in the repository, and the line of the truth in it."""
    try:
        line = run.shelf.take(path).place.line
    except RcabenchError:  # it was changed or removed since
        line = 1
    root = Path(os.environ.get("GITHUB_WORKSPACE", ".")).resolve()
    path = path.resolve()
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix(), line


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def _append(path: str, text: str) -> list[str]:
    try:
        with Path(path).open("a", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        return [f"rca: {path}: cannot be written: {error.strerror}"]
    return []
