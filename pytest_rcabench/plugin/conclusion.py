"""What a finished run comes to: whether it measured enough, and is no worse than its baseline.

What compares runs is imported where there is a baseline; the others must not pay for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.reports.caveats import too_few

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pytest_rcabench.domain.run import Results, RunKey
    from pytest_rcabench.engine.schedule import Planned
    from pytest_rcabench.plugin.ledger import Ledger
    from pytest_rcabench.plugin.run import Run
    from pytest_rcabench.reports.comparison import Comparison


def hold_against_baseline(
    results: Results, run: Run, plan: Mapping[RunKey, Planned]
) -> Comparison | None:
    """Return what became of *results* since the baseline; None where there is none.

    Raises: RcabenchError: if an incident of *plan* cannot be read any more.
    """
    if not run.settings.baseline:
        return None
    from pytest_rcabench.reports.comparison import compare  # noqa: PLC0415 - start-up time

    incidents = {}
    for path in {planned.path for planned in plan.values()}:
        incident = run.shelf.take(path)
        incidents[incident.id] = incident
        run.shelf.put_away(path)
    return compare(run.settings.baseline, results, incidents)


def worse(comparison: Comparison | None, fail_on: str) -> str:
    """Return why a run is worse than its baseline, or nothing."""
    if fail_on == "never" or comparison is None or not comparison.is_red:
        return ""
    from pytest_rcabench.reports.comparison_text import verdict_line  # noqa: PLC0415 - start-up time

    return verdict_line(comparison)


def too_little(ledger: Ledger, seen: Collection[str]) -> str:
    """Return why a run that pytest calls green is not, or nothing; *seen* are reported node ids."""
    planned = len(ledger.plan)
    if not planned:
        return ""
    if unseen := {one.node_id for one in ledger.plan.values()}.difference(seen):
        return f"{len(unseen)} of {planned} planned items came back without a report"
    return too_few(sum(cell.is_measured for cell in ledger.cells), planned)
