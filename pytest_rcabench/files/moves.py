"""The ledger of moves, ``moves.yaml`` beside the sets: what left the held-out set, when and why.

The commit of a move cannot stand in the file that it commits; git says which it is.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_rcabench.domain.errors import IncidentError, Problem, RcabenchError
from pytest_rcabench.domain.run import Move
from pytest_rcabench.files.git import ask_git
from pytest_rcabench.files.incident_document import Document, check_document
from pytest_rcabench.files.incident_writer import render_document
from pytest_rcabench.files.writing import write_whole
from pytest_rcabench.files.yaml_nodes import decode, read_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LEDGER_NAME = "moves.yaml"
SET_FOLDERS = ("held_out", "tuned")

_NAME = "rcabench-moves/1"
_ENTRY = {
    "incident": {
        "description": "Name the incident that moved, by its id.",
        "pattern": "[a-z0-9]+(?:-[a-z0-9]+)*",
        "patternErrorMessage": "is no id; write lower-case letters and digits with - between them",
    },
    "date": {
        "description": "Write the day of the move, like 2026-12-03.",
        "pattern": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
        "patternErrorMessage": "is no day; write it like 2026-12-03",
    },
    "change": {
        "description": "Name the commit, address or version of the product that it led to.",
        "pattern": r"\S+",
        "patternErrorMessage": "is no commit, address or version; write one without blanks",
    },
    "because": {
        "description": "Write down why it is no longer held out.",
        "pattern": r"(?s).*\S.*",
        "patternErrorMessage": "is no reason; write down why it is no longer held out",
    },
}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["schema", "moves"],
    "properties": {
        "schema": {"const": _NAME, "description": f"Write {_NAME}."},
        "moves": {
            "type": "array",
            "description": "List the moves, or write [] where there is none.",
            "items": {"type": "object", "required": list(_ENTRY), "properties": _ENTRY},
        },
    },
    "$defs": {},
}
_HEAD = """\
# Incidents that led to a change of the product and left the held-out set; none comes back.
# Written by `rcabench move`, checked by `rcabench lint`.
"""


def ledger_of(incident: Path) -> Path:
    """Return where the ledger for the file *incident* lies: beside the folder of its set.

    A file in neither folder has it beside itself.
    """
    for folder in incident.parents:
        if folder.name in SET_FOLDERS:
            return folder.parent / LEDGER_NAME
    return incident.parent / LEDGER_NAME


def read_moves(path: Path) -> tuple[Move, ...]:
    """Return the moves in the ledger at *path*, in its order; none where there is no such file.

    Raises: IncidentError: if it cannot be used, with everything that is wrong with it.
    """
    return read_ledger(path)[0] if path.exists() else ()


def read_ledger(path: Path) -> tuple[tuple[Move, ...], Document]:
    """Return the moves in the ledger at *path*, and its nodes, which know where each stands.

    Raises: IncidentError: if it cannot be used, with everything that is wrong with it.
    """
    document = Document(path.as_posix())
    try:
        text = decode(path.read_bytes(), document.report)
    except OSError as error:
        what = f"the file cannot be read ({error.strerror}); check its path and permissions"
        raise IncidentError((Problem(path.as_posix(), 1, 1, "", what),)) from error
    root = None if text is None else read_nodes(text, document.report)
    entries = []
    if root is not None:
        document.root = root
        values = check_document(document, _SCHEMA)
        entries = [entry for entry in values.get("moves", ()) if isinstance(entry, dict)]
        _check(document, entries)
    if document.problems:
        raise IncidentError(tuple(sorted(set(document.problems))))
    return tuple(Move(**entry) for entry in entries), document


def moves_beside(incidents: Iterable[Path]) -> tuple[Move, ...]:
    """Return what the ledgers beside the files *incidents* tell, and of each move its commit.

    Raises: IncidentError: if one of them cannot be used.
    """
    found: list[Move] = []
    for ledger in sorted({ledger_of(incident) for incident in incidents}):
        if moves := read_moves(ledger):
            commits = commits_of_moves(ledger)
            found += [replace(move, commit=commits.get(move.incident, "")) for move in moves]
    return tuple(found)


def write_moves(path: Path, moves: Iterable[Move]) -> None:
    """Write the ledger of *moves* to *path*. Raises: RecordError: if the disk refuses."""
    entries = [{name: getattr(move, name) for name in _ENTRY} for move in moves]
    write_whole(path, _HEAD + render_document({"schema": _NAME, "moves": entries}))


def commits_of_moves(ledger: Path) -> dict[str, str]:
    """Return the commit that first brought each incident into the tuned set beside *ledger*, by id.

    It is empty where git cannot say; the oldest commit of a shallow clone would seem to bring all.
    """
    ask = ("log", "--reverse", "--no-renames", "--diff-filter=A", "--name-only", "--format=/%H")
    commits: dict[str, str] = {}
    try:
        if ask_git(ledger.parent, "rev-parse", "--is-shallow-repository").strip() == b"true":
            return {}
        listing = os.fsdecode(ask_git(ledger.parent, *ask, "--", SET_FOLDERS[1]))
    except RcabenchError:
        return {}
    commit = ""
    for line in listing.splitlines():
        if line.startswith("/"):
            commit = line[1:]
        elif line:
            commits.setdefault(PurePosixPath(line).stem, commit)
    return commits


def move_incident(file: Path, move: Move) -> Path:
    """Move the held-out incident *file* to the tuned set, note *move*, and return the new path.

    Git is told of both and commits neither.

    Raises: RcabenchError: if git does not know the file as it is, or the disk refuses.
    """
    ledger = ledger_of(file)
    moves = read_moves(ledger)
    if ask_git(ledger.parent, "diff", "--name-only", "HEAD", "--", str(file.absolute())):
        raise RcabenchError(
            f"{file}: is not as it was committed; commit it first, and then move it"
        )
    sets = {name: ledger.parent / name for name in SET_FOLDERS}
    is_in_set = file.is_relative_to(sets["held_out"])
    target = sets["tuned"] / (file.relative_to(sets["held_out"]) if is_in_set else file.name)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RcabenchError(f"{target.parent}: cannot be made: {error.strerror}") from error
    try:
        ask_git(ledger.parent, "mv", "--", str(file.absolute()), str(target.absolute()))
    except RcabenchError as error:
        raise RcabenchError(f"{error}; a move is a commit, so commit the incident first") from error
    write_moves(ledger, (*moves, move))
    ask_git(ledger.parent, "add", "--", LEDGER_NAME)
    return target


def _check(document: Document, entries: list[dict[str, str]]) -> None:
    seen: dict[str, int] = {}
    for number, entry in enumerate(entries):
        try:
            date.fromisoformat(entry.get("date", "2000-01-01"))
        except ValueError:
            what = f"{entry['date']!r} is a day that does not exist; correct it"
            document.report_at(("moves", number, "date"), what)
        name = entry.get("incident", "")
        if name and seen.setdefault(name, number) != number:
            what = f"{name} moved already, see moves[{seen[name]}]; delete one of the two"
            document.report_at(("moves", number, "incident"), what)
