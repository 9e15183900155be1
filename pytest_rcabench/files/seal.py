"""Seals and what witnesses them, as small text files that anybody can read and hash."""

from __future__ import annotations

import hashlib
import shlex
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.seal import Seal
from pytest_rcabench.files.writing import write_whole

if TYPE_CHECKING:
    from pathlib import Path

SEAL_NAME = "rcabench.seal"
_SCHEMA = "rcabench-seal/1"
_HEAD = f"""\
# {_SCHEMA}
# What a run will be, said before it: every incident in every column, in so many rounds.
# Commit this file before the run; `rcabench verify --seal` holds the results against it.
"""
_SINGLE = ("date", "package", "scorer", "prompt", "rounds")
_MOST_BYTES = 1_000_000


def render_seal(seal: Seal) -> str:
    """Return the text of *seal*, one fact a line, its words quoted as in a shell."""
    facts = [
        *((name, str(getattr(seal, name))) for name in _SINGLE),
        *(("column", *column) for column in seal.columns),
        *(("incident", *incident) for incident in seal.incidents),
    ]
    return _HEAD + "".join(f"{shlex.join(fact)}\n" for fact in facts)


def read_seal(path: Path) -> Seal:
    """Return the seal at *path*. Raises: RecordError: if it is none."""
    return parse_seal(_bytes_of(path), str(path))


def parse_seal(content: bytes, place: str) -> Seal:
    """Return the seal in *content*; *place* names it in errors. Raises: RecordError: if none is."""
    text = content.decode("utf-8", "replace")
    if not text.startswith(f"# {_SCHEMA}\n"):
        raise RecordError(f"{place}: is no seal; name a file written by `rcabench seal`")
    single: dict[str, str] = {}
    lists: dict[str, list[tuple[str, str, str]]] = {"column": [], "incident": []}
    for number, line in enumerate(text.splitlines(), 1):
        match _words(line):
            case []:
                pass
            case [("column" | "incident") as name, one, two, three]:
                lists[name].append((one, two, three))
            case [name, value] if name in _SINGLE and name not in single:
                single[name] = value
            case _:
                raise _damaged(place, f"line {number} ({line:.60}) makes no sense")
    if missing := [name for name in _SINGLE if name not in single]:
        raise _damaged(place, f"{missing[0]} is missing")
    if not single["rounds"].isdecimal():
        raise _damaged(place, "rounds is no number")
    rounds = int(single.pop("rounds"))
    columns, incidents = tuple(lists["column"]), tuple(lists["incident"])
    return Seal(**single, rounds=rounds, columns=columns, incidents=incidents)


def seal_hash(path: Path) -> bytes:
    """Return the sha256 of the seal at *path*, which a time stamp is asked for, as 32 bytes."""
    return hashlib.sha256(_bytes_of(path)).digest()


def witnesses_of(seal: Path) -> tuple[tuple[str, str], ...]:
    """Return (hash, source) of each witness that was recorded for *seal*, in order."""
    path = _list_of(seal)
    if not path.exists():
        return ()
    lines = _bytes_of(path).decode("utf-8", "replace").splitlines()
    found = (line.partition("  ") for line in lines if line)
    return tuple((digest, source) for digest, _, source in found)


def record_witness(seal: Path, digest: str, source: str) -> Path:
    """Note the witness *source*, whose hash is *digest*; return the list, in sha256sum's form.

    Raises: RecordError: if the disk refuses.
    """
    entries = dict.fromkeys((*witnesses_of(seal), (digest, source)))
    write_whole(_list_of(seal), "".join(f"{digest}  {source}\n" for digest, source in entries))
    return _list_of(seal)


def _list_of(seal: Path) -> Path:
    return seal.with_name(f"{seal.name}.witnesses")


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}; check the path") from error


def _words(line: str) -> list[str] | None:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return None


def _damaged(place: str, what: str) -> RecordError:
    return RecordError(f"{place}: {what}; restore the file")
