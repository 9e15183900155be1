"""First contact: what each system said of an incident when it first met it.

A system under test is changed for what it failed at, and an incident that led to a change leaves
the held-out set. What was said before anybody could have changed anything stays, wherever the
incident moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_rcabench.domain.run import ColumnInfo, Results, Word

# One provider stands for any program or service; what its column is called tells them apart.
_ANY_SYSTEM = frozenset({"command", "http", "https"})


@dataclass(frozen=True, slots=True)
class FirstContact:
    """The verdicts of a *system* [rounds] in the first column of it that ran an incident.

    *set*, *graded* and *truth_digest* are those of the incident in that run, which *started* then;
    *column* is the head of the column.
    """

    incident: str
    set: str
    graded: tuple[str, ...]
    twin_of: str
    truth_digest: str
    system: str
    column: str
    run: str
    started: str
    scorer_digest: str
    verdicts: tuple[Word, ...]


def system_of(column: ColumnInfo) -> str:
    """Return which system *column* is a version of, whatever its label and model; "" for controls.

    That is its provider, and the name of the column where it is a program or service.
    """
    if column.is_control:
        return ""
    return column.name if column.provider in _ANY_SYSTEM else column.provider


def contacts_in(results: Results) -> tuple[FirstContact, ...]:
    """Return what the systems of *results* said of each incident, if anything was measured."""
    incidents = {incident.id: incident for incident in results.incidents}
    verdicts: dict[tuple[str, str], list[Word]] = {}
    for cell in sorted(results.cells, key=lambda cell: cell.key):
        verdicts.setdefault((cell.key.column, cell.key.incident), []).append(cell.verdict)
    found = []
    for column in results.columns:
        for name, incident in incidents.items():
            words = verdicts.get((column.name, name), [])
            if system_of(column) and set(words) - {"unmeasured"}:
                found.append(
                    FirstContact(
                        incident=name,
                        set=incident.set,
                        graded=incident.graded,
                        twin_of=incident.twin_of,
                        truth_digest=incident.truth_digest,
                        system=system_of(column),
                        column=column.title,
                        run=results.run.id,
                        started=results.run.started,
                        scorer_digest=results.scorer_digest,
                        verdicts=tuple(words),
                    )
                )
    return earliest(found)


def earliest(contacts: Iterable[FirstContact]) -> tuple[FirstContact, ...]:
    """Return of *contacts* the first of each system with each incident, by system and incident.

    Of several columns of one run that is the one that was named first.
    """
    first: dict[tuple[str, str], FirstContact] = {}
    for contact in contacts:
        key = contact.system, contact.incident
        known = first.setdefault(key, contact)
        if (contact.started, contact.run) < (known.started, known.run):
            first[key] = contact
    return tuple(first[key] for key in sorted(first))
