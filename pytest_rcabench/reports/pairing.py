"""Two sides of a comparison brought together: the same evidence, scored again by one scorer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import evidence_digest
from pytest_rcabench.reports.exact_test import PASS_POINTS, Rounds
from pytest_rcabench.reports.rescoring import rescore

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.run import Cell, IncidentInfo, Results, Word

_POINTS: dict[Word, int] = {"pass": PASS_POINTS, "half": 1, "wrong": 0}


@dataclass(frozen=True, slots=True)
class Pair:
    """The measured cells of one incident in one column on both sides, at least one on each."""

    incident: IncidentInfo
    column: str
    base: tuple[Cell, ...]
    new: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """Incident and column as in a node id."""
        return f"{self.incident.id}::{self.column}"

    @property
    def rounds(self) -> Rounds:
        """The points of both sides."""
        return Rounds(
            tuple(_POINTS[cell.verdict] for cell in self.base),
            tuple(_POINTS[cell.verdict] for cell in self.new),
        )

    @property
    def drop(self) -> float:
        """By how much the mean score in [0, 1] fell, negative where it rose."""
        return (fmean(self.rounds.base) - fmean(self.rounds.new)) / PASS_POINTS


@dataclass(frozen=True, slots=True)
class Paired:
    """What can be compared: *pairs*, and *new* as it is scored now.

    *left_out* says of each incident that has no pair why, *rescored* which verdicts were others.
    """

    pairs: tuple[Pair, ...]
    new: Results
    left_out: tuple[str, ...]
    rescored: tuple[str, ...]


def pair_up(
    base: Mapping[str, Sequence[Results]], new: Results, incidents: Mapping[str, Incident]
) -> Paired:
    """Return *new* beside the runs of *base*, by column, scored again as *incidents* say now.

    An answer to other evidence than today's cannot be scored by today's truth, and is left out.
    """
    digests = {name: evidence_digest(incident.evidence) for name, incident in incidents.items()}
    scored: dict[str, Results] = {}
    rescored: list[str] = []
    left_out: dict[str, str] = {}
    for run in (new, *(run for runs in base.values() for run in runs)):
        if run.run.id not in scored:
            strangers = _strangers(run, digests)
            left_out |= strangers
            known = tuple(cell for cell in run.cells if cell.key.incident not in strangers)
            scored[run.run.id], changes = rescore(replace(run, cells=known), incidents)
            rescored += [f"run {run.run.id}: {change}" for change in changes]
    after = scored[new.run.id]
    pairs: list[Pair] = []
    unpaired: list[str] = []
    for column, runs in base.items():
        before = _cells(column, *(scored[run.run.id] for run in runs))
        sides = before, _cells(column, after)
        pairs += _pairs(column, after.incidents, *sides)
        unpaired += _unpaired(column, *sides, explained=left_out)
    return Paired(tuple(pairs), after, (*left_out.values(), *unpaired), tuple(rescored))


def _strangers(run: Results, digests: Mapping[str, str]) -> dict[str, str]:
    """Return a sentence for each incident of *run* whose evidence is not that of today."""
    found = {}
    for info in run.incidents:
        if info.id not in digests:
            found[info.id] = f"{info.id}: its file is not here; name the folder that holds it"
        elif digests[info.id] != info.evidence_digest:
            found[info.id] = f"{info.id}: its evidence changed since run {run.run.id}"
    return found


def _cells(column: str, *runs: Results) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {}
    for run in runs:
        for cell in run.cells:
            if cell.key.column == column:
                found.setdefault(cell.key.incident, []).append(cell)
    return found


def _pairs(
    column: str,
    incidents: Sequence[IncidentInfo],
    base: Mapping[str, Sequence[Cell]],
    new: Mapping[str, Sequence[Cell]],
) -> Iterator[Pair]:
    for incident in incidents:
        before, after = (
            tuple(cell for cell in side.get(incident.id, ()) if cell.is_measured)
            for side in (base, new)
        )
        if before and after:
            yield Pair(incident, column, before, after)


def _unpaired(
    column: str,
    base: Mapping[str, Sequence[Cell]],
    new: Mapping[str, Sequence[Cell]],
    *,
    explained: Container[str],
) -> Iterator[str]:
    for incident in sorted(base.keys() | new.keys()):
        for side, where in ((base, "baseline"), (new, "new run")):
            cells = side.get(incident, ())
            if any(cell.is_measured for cell in cells):
                continue
            if cells:
                yield f"{incident}::{column}: nothing was measured in the {where}"
            elif incident not in explained:
                yield f"{incident}::{column}: is not in the {where}"
