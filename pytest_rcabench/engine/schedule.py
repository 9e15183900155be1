"""Incidents x columns x rounds: the cells of a run in the one order that everything keeps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.domain.run import RunKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class Planned:
    """One cell that will be run, the incident file it is about, and the node id that reports it."""

    key: RunKey
    path: Path
    node_id: str
    is_asked: bool


def rounds_of(incident: str, column: str, rounds: int) -> Iterator[RunKey]:
    """Yield the keys of one incident in one column, round by round."""
    for number in range(1, rounds + 1):
        yield RunKey(incident, column, number)


def plan_to_json(plan: Iterable[Planned]) -> list[list[str | int | bool]]:
    """Return *plan* as plain lists, small enough to hand from a worker to the controller."""
    return [
        [one.key.incident, one.key.column, one.key.round, str(one.path), one.node_id, one.is_asked]
        for one in plan
    ]


def plan_from_json(rows: Iterable[tuple[str, str, int, str, str, bool]]) -> tuple[Planned, ...]:
    """Return the plan that `plan_to_json` wrote."""
    return tuple(
        Planned(RunKey(incident, column, number), Path(path), node_id, is_asked)
        for incident, column, number, path, node_id, is_asked in rows
    )
