"""A seal: what a run will be, said before it, and whether published runs are what was said."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_rcabench.domain.run import Results


@dataclass(frozen=True, slots=True)
class Seal:
    """The plan of a run: every incident in every column, *rounds* times.

    *date* is RFC 3339 in UTC and *package* our version, both by the word of who sealed. *columns*
    [n] are (name, provider, model), *incidents* [n] (id, evidence digest, truth digest).
    """

    date: str
    package: str
    scorer: str
    prompt: str
    rounds: int
    columns: tuple[tuple[str, str, str], ...]
    incidents: tuple[tuple[str, str, str], ...]


def differences(seal: Seal, runs: Sequence[Results]) -> Iterator[str]:
    """Yield in what *runs*, taken together, are not exactly what *seal* says.

    The prompt counts where a run used it. A cell without an answer is there; an absent one is not.
    """
    for run in runs:
        if run.scorer_digest != seal.scorer:
            yield f"scorer {run.scorer_digest[:12]} was sealed as {seal.scorer[:12]}"
        if run.prompt_digest not in {"", seal.prompt}:
            yield f"prompt {run.prompt_digest[:12]} was sealed as {seal.prompt[:12]}"
    yield from _entries(
        "column",
        seal.columns,
        {(column.name, column.provider, column.model) for run in runs for column in run.columns},
    )
    yield from _entries(
        "incident",
        seal.incidents,
        {
            (incident.id, incident.evidence_digest, incident.truth_digest)
            for run in runs
            for incident in run.incidents
        },
    )
    sealed = {
        (incident[0], column[0], number)
        for incident in seal.incidents
        for column in seal.columns
        for number in range(1, seal.rounds + 1)
    }
    found = Counter(
        (cell.key.incident, cell.key.column, cell.key.round) for run in runs for cell in run.cells
    )
    if missing := sorted(sealed - found.keys()):
        yield f"{len(missing)} of {len(sealed)} sealed answers are missing: {_some(missing)}"
    if more := sorted(found.keys() - sealed):
        yield f"{len(more)} answers were not sealed: {_some(more)}"
    if twice := sorted(key for key, count in found.items() if count > 1):
        yield f"{len(twice)} answers are there twice: {_some(twice)}"


def _entries(
    what: str, sealed: Sequence[tuple[str, str, str]], found: set[tuple[str, str, str]]
) -> Iterator[str]:
    have, want = {entry[0] for entry in found}, {entry[0] for entry in sealed}
    for entry in sorted(set(sealed) - found):
        yield f"{what} {entry[0]} {'is another one now' if entry[0] in have else 'is missing'}"
    for name in sorted(have - want):
        yield f"{what} {name} was not sealed"


def _some(keys: Sequence[tuple[str, str, int]]) -> str:
    incident, column, number = keys[0]
    return f"{incident}::{column}::r{number}{', …' if len(keys) > 1 else ''}"
