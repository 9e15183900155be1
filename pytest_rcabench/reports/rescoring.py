"""Verdicts derived again from kept replies: the same answers, today's scorer and incidents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.incident import evidence_digest, truth_digest
from pytest_rcabench.domain.run import kept_analysis, measured_cell
from pytest_rcabench.domain.scoring import score, scorer_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.run import Cell, IncidentInfo, Results, RunKey, Word


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A cell whose verdict is another one now."""

    key: RunKey
    before: Word
    after: Word

    def __str__(self) -> str:
        """Show the change as ``incident::column::r1: half -> pass``."""
        return f"{self.key}: {self.before} -> {self.after}"


def rescore(
    results: Results, incidents: Mapping[str, Incident]
) -> tuple[Results, tuple[VerdictChange, ...]]:
    """Return *results* with every verdict derived again, and the verdicts that changed.

    *incidents* holds at least those that were answered, by id. Missing answers stay as they are,
    and so does the evidence digest: it names what the systems were shown.

    Raises: RecordError: if an incident is not given, or of an answer only the verdict was kept.
    """
    cells = tuple(_rescore_cell(cell, incidents) for cell in results.cells)
    again = replace(
        results,
        scorer_digest=scorer_digest(),
        incidents=tuple(_with_truth(info, incidents) for info in results.incidents),
        cells=cells,
    )
    changes = tuple(
        VerdictChange(before.key, before.verdict, after.verdict)
        for before, after in zip(results.cells, cells, strict=True)
        if before.verdict != after.verdict
    )
    return again, changes


def changed_incidents(results: Results, incidents: Mapping[str, Incident]) -> tuple[str, ...]:
    """Return a sentence for each of *incidents*, by id, that is not what it was in the run."""
    return _changes(
        results,
        {
            name: (evidence_digest(incident.evidence), truth_digest(incident))
            for name, incident in incidents.items()
        },
    )


def changed_since(before: Results, now: Results) -> tuple[str, ...]:
    """Return a sentence for each incident of *now* that is not what it was in the run *before*."""
    return _changes(
        before, {info.id: (info.evidence_digest, info.truth_digest) for info in now.incidents}
    )


def _changes(results: Results, now: Mapping[str, tuple[str, str]]) -> tuple[str, ...]:
    sentences = []
    for info in results.incidents:
        evidence, truth = now.get(info.id, (info.evidence_digest, info.truth_digest))
        parts = {"evidence": evidence != info.evidence_digest, "truth": truth != info.truth_digest}
        if changed := " and ".join(part for part, is_changed in parts.items() if is_changed):
            sentences.append(f"{info.id}: this incident changed since the run: its {changed}")
    return tuple(sentences)


def _rescore_cell(cell: Cell, incidents: Mapping[str, Incident]) -> Cell:
    if not cell.is_measured:
        return cell
    key, analysis = cell.key, kept_analysis(cell)
    if key.incident not in incidents:
        raise RecordError(
            f"{key.incident}: no such incident here; name the folder that holds it with --incidents"
        )
    verdict = score(analysis, incidents[key.incident])
    again = replace(measured_cell(key, analysis, verdict), latency_s=cell.latency_s)
    # A repair was noted when the reply came in, and the kept reply may be free of what it mended.
    return cell if replace(again, analysis=cell.analysis) == cell else again


def _with_truth(info: IncidentInfo, incidents: Mapping[str, Incident]) -> IncidentInfo:
    incident = incidents.get(info.id)
    if incident is None:
        return info
    return replace(
        info, kind=incident.kind, graded=incident.graded, truth_digest=truth_digest(incident)
    )
