"""``rcabench move``: an incident that led to a change of the product leaves the held-out set."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.cli.status import FINE
from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.domain.run import Move
from pytest_rcabench.files.incident_names import looks_like_incident
from pytest_rcabench.files.moves import SET_FOLDERS, ledger_of, move_incident, read_moves

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("incident", metavar="ID", help="the incident that led to a change")
    parser.add_argument(
        "--because", required=True, metavar="TEXT", help="why it is held out no more"
    )
    parser.add_argument(
        "--change",
        required=True,
        metavar="SHA|URL|VERSION",
        help="the change of the product that it led to",
    )
    parser.add_argument(
        "--incidents",
        type=Path,
        default=Path("incidents"),
        metavar="DIR",
        help="where its file is; default: incidents",
    )


def run(given: argparse.Namespace) -> int:
    """Move the file, note why, and propose the commit. Raises: RcabenchError: if it cannot move."""
    because = " ".join(given.because.split())
    if not because:
        raise OptionError("move: --because says nothing; write why it is no longer held out")
    if not given.change or given.change.split() != [given.change]:
        raise OptionError(
            f"move: --change {given.change!r} is no commit, address or version; write one without "
            "blanks"
        )
    file = _held_out(given.incident, given.incidents)
    day = datetime.now(UTC).date().isoformat()
    target = move_incident(file, Move(given.incident, day, given.change, because))
    ledger = ledger_of(file)
    subject, body = (
        f"Move {given.incident} to the tuned set",
        f"It led to {given.change}: {because}",
    )
    print(f"{file} is {target} now, and {ledger} says why")
    print("Commit this and nothing else, so that the move can be seen by itself:\n")
    paths = (file.as_posix(), target.as_posix(), ledger.as_posix())
    print("    " + shlex.join(["git", "commit", "-m", subject, "-m", body, "--", *paths]))
    return FINE


def _held_out(name: str, folder: Path) -> Path:
    """Return the file of the incident *name*. Raises: RcabenchError: if it cannot move."""
    files = [file for file in folder.rglob("*.y*ml") if file.stem == name]
    found = [file for file in sorted(files) if looks_like_incident(file)]
    if not found:
        raise OptionError(f"move: no incident {name} in {folder}; name its folder: --incidents")
    file, *others = found
    if others:
        shown = ", ".join(map(str, found))
        raise OptionError(f"move: {name} is there more than once: {shown}; keep one of them")
    ledger = ledger_of(file)
    for move in read_moves(ledger):
        if move.incident == name:
            raise OptionError(f"move: {name} moved on {move.date} already; no incident moves twice")
    if file.is_relative_to(ledger.parent / SET_FOLDERS[1]):
        raise OptionError(
            f"move: {file} is tuned already; move it back, and then with this command"
        )
    return file
