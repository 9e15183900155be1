"""The regression gate of a run: its results held against those of --rca-baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.reports.comparison import compare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rcabench.domain.run import Results, RunKey
    from pytest_rcabench.engine.schedule import Planned
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
    incidents = {}
    for path in {planned.path for planned in plan.values()}:
        incident = run.shelf.take(path)
        incidents[incident.id] = incident
        run.shelf.put_away(path)
    return compare(run.settings.baseline, results, incidents)
