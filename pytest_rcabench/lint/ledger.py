"""The ledger of moves must tell where each incident stands: the tuned ones, and they alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import IncidentError, Problem
from pytest_rcabench.files.incident_document import Document
from pytest_rcabench.files.incident_names import looks_like_incident
from pytest_rcabench.files.moves import SET_FOLDERS, ledger_of, read_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rcabench.domain.run import Move

_HOW = '`git mv` it back and use `rcabench move {} --because "…" --change …`, or write the entry'


def ledger_problems(ledger: Path) -> Iterator[Problem]:
    """Yield what the ledger at *ledger*, and the files of the sets beside it, say otherwise."""
    document = Document(ledger.as_posix())
    moves: tuple[Move, ...] = ()
    if ledger.exists():
        try:
            moves, document = read_ledger(ledger)
        except IncidentError as error:
            yield from error.problems
            return
    held_out, tuned = _sets(ledger)
    for number, move in enumerate(moves):
        if move.incident in tuned:
            continue
        if where := held_out.get(move.incident):
            what = f"moved on {move.date} and is held out again, in {where.as_posix()}"
            what += "; no move has a way back: `git mv` it to the tuned set"
        else:
            what = "has no file in the tuned set; restore it, a figure may rest on it"
        document.report_at(("moves", number, "incident"), f"{move.incident} {what}")
    yield from document.problems
    for name in sorted(tuned.keys() - {move.incident for move in moves}):
        what = f"is tuned, and {ledger.as_posix()} does not say why; {_HOW.format(name)}"
        yield Problem(tuned[name].as_posix(), 1, 1, "", what)


def _sets(ledger: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    """Return the held-out and the tuned incident files that *ledger* is about, by id."""
    files = {*ledger.parent.glob("*.y*ml")}
    for name in SET_FOLDERS:
        files |= {*(ledger.parent / name).rglob("*.y*ml")}
    tuned = ledger.parent / SET_FOLDERS[1]
    held_out: dict[str, Path] = {}
    moved: dict[str, Path] = {}
    for file in sorted(files):
        if ledger_of(file) == ledger and looks_like_incident(file):
            (moved if file.is_relative_to(tuned) else held_out)[file.stem] = file
    return held_out, moved
