"""Where incident files lie: the set that ships with this package, and those a run was made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import IncidentError, RcabenchError
from pytest_rcabench.files.copying import write_missing
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.files.moves import LEDGER_NAME, SET_FOLDERS, read_moves

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.run import Move

_PACKAGE = Path(__file__).parents[1]
_SCHEMA = _PACKAGE / "schema" / "incident.json"
_SCHEMA_HERE = b"$schema=../../pytest_rcabench/schema/incident.json"
_SCHEMA_THERE = b"$schema=../incident.json"


def shipped_incidents() -> Path:
    """Return the folder of the shipped incident set, which holds ``held_out`` and maybe ``tuned``.

    It lies in an installed package, or beside the package in a checkout.

    Raises: RcabenchError: if the installation holds neither.
    """
    for folder in (_PACKAGE / "incident_set", _PACKAGE.parent / "incidents"):
        if (folder / SET_FOLDERS[0]).is_dir():
            return folder
    raise RcabenchError(
        f"{_PACKAGE / 'incident_set'}: the shipped incidents are missing; install "
        "pytest-rcabench again"
    )


def copy_incidents(target: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Copy the shipped set into *target*; return the files written, and those that differ and stay.

    The schema that editors read comes with it. An incident that moved in *target* stays moved.

    Raises: RcabenchError: if the disk refuses.
    """
    source = shipped_incidents()
    contents = {target / _SCHEMA.name: _SCHEMA.read_bytes()}
    for file in sorted(file for name in SET_FOLDERS for file in (source / name).glob("*.yaml")):
        places = [target / file.relative_to(source), *(target / s / file.name for s in SET_FOLDERS)]
        place = next(filter(Path.exists, places), places[0])
        contents[place] = file.read_bytes().replace(_SCHEMA_HERE, _SCHEMA_THERE)
    ledger = source / LEDGER_NAME
    if ledger.exists() and not _holds(target / LEDGER_NAME, read_moves(ledger)):
        contents[target / LEDGER_NAME] = ledger.read_bytes()
    return write_missing(contents)


def _holds(ledger: Path, moves: Sequence[Move]) -> bool:
    """Return whether *ledger* tells of all *moves*, and maybe of more."""
    try:
        return ledger.exists() and {*moves} <= {*read_moves(ledger)}
    except IncidentError:
        return False


def find_incidents(wanted: Mapping[str, str], folders: Sequence[Path]) -> dict[str, Incident]:
    """Return those incidents of *wanted* (id -> path at the time of the run) that are found, by id.

    They are looked for in *folders*; without any, at their own paths and then in the shipped set.

    Raises: RcabenchError: if one of *folders* is none, or a file that was found cannot be read.
    """
    for folder in folders:
        if not folder.is_dir():
            raise RcabenchError(f"{folder}: no such folder; name one that holds incident files")
    paths = {} if folders else {name: Path(path) for name, path in wanted.items()}
    missing = {name for name in wanted if name not in paths or not paths[name].is_file()}
    for folder in folders or ([shipped_incidents()] if missing else []):
        for file in sorted(folder.rglob("*.y*ml")):
            if file.stem in missing:
                missing.remove(file.stem)
                paths[file.stem] = file
    return {name: read_incident(path) for name, path in paths.items() if name not in missing}
