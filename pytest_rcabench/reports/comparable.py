"""Whether verdicts of several runs may stand beside each other, and on which incidents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import ROOT_CAUSE_CHECKS
from pytest_rcabench.reports.rates import verdict_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rcabench.domain.run import Cell, IncidentInfo, Results


def not_comparable(*runs: Results) -> str:
    """Return why verdicts of *runs* may not be compared or pooled, and what to do; else nothing.

    All must be by one scorer and one truth of each incident.
    """
    scorers = sorted({run.scorer_digest[:12] for run in runs})
    remedy = "nothing is compared or pooled before `rcabench rescore RESULTS --out PATH` scored "
    if len(scorers) > 1:
        return f"scored by different scorers ({', '.join(scorers)}): {remedy}each run with one"
    if names := _differing(runs, "truth_digest"):
        return f"scored by different truths of {', '.join(names)}: {remedy}each run by one"
    return ""


def different_evidence(*runs: Results) -> list[str]:
    """Return the incidents of which *runs* were shown different evidence, by id in order.

    Their answers are never compared.
    """
    return _differing(runs, "evidence_digest")


def common_lines(*runs: Results) -> tuple[str, ...]:
    """Return the rates of the columns on the held-out incidents that each of them answered.

    Nothing, where all answered the same ones. What moved away in one column makes no other look
    better. Twins, and incidents that are not graded by all checks, are left out.
    """
    columns = [
        (column.title, _answered(run, column.name)) for run in runs for column in run.columns
    ]
    columns = [(title, answered) for title, answered in columns if answered]
    incidents = [set(answered) for _, answered in columns]
    common = set.intersection(*incidents) if incidents else set()
    common -= set(different_evidence(*runs))
    if not common or not_comparable(*runs) or all(found == common for found in incidents):
        return ()
    rates = [
        f"{title} {verdict_rate((cell for name in common for cell in answered[name]), {'pass'})}"
        for title, answered in columns
    ]
    return (
        f"all checks on the held-out incidents that every column answered ({len(common)}): "
        + " · ".join(rates),
    )


def _differing(runs: Sequence[Results], digest: str) -> list[str]:
    seen: dict[str, set[str]] = {}
    for run in runs:
        for incident in run.incidents:
            seen.setdefault(incident.id, set()).add(getattr(incident, digest))
    return sorted(name for name, digests in seen.items() if len(digests) > 1)


def _answered(run: Results, column: str) -> dict[str, list[Cell]]:
    """Return the cells of *column* by incident, of those that were answered at least once."""
    counted = {incident.id for incident in run.incidents if _counts(incident)}
    found: dict[str, list[Cell]] = {}
    for cell in run.cells:
        if cell.key.column == column and cell.key.incident in counted:
            found.setdefault(cell.key.incident, []).append(cell)
    return {name: cells for name, cells in found.items() if any(cell.is_measured for cell in cells)}


def _counts(incident: IncidentInfo) -> bool:
    is_whole = not incident.graded or incident.graded == ROOT_CAUSE_CHECKS
    return incident.set == "held_out" and not incident.twin_of and is_whole
