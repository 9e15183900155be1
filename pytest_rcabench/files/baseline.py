"""The results files of a baseline: single ones, several, or all of a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.files.results import SCHEMA, read_results

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_rcabench.domain.run import Results

_HEAD = 1024


def read_baseline(texts: Iterable[str], folder: Path) -> tuple[Results, ...]:
    """Return the results that *texts* name, seen from *folder*.

    Each is a results file, a folder that holds some at any depth (a record, too), or several of
    these with commas between them.

    Raises: RecordError: if one of them is not there, cannot be read, or holds none.
    """
    texts = tuple(texts)
    if not all(text.strip(" ,") for text in texts):
        # A variable that a workflow forgot to set must not turn this folder into the baseline.
        raise RecordError("the baseline names no file; name results files or a folder of them")
    paths = [path for text in texts for path in _paths(text, folder)]
    return tuple(read_results(file) for path in paths for file in _files(path))


def _paths(text: str, folder: Path) -> list[Path]:
    whole = folder / text
    if whole.exists():  # a comma may be part of a name
        return [whole]
    return [folder / part.strip() for part in text.split(",") if part.strip()]


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    files = [file for file in sorted(path.rglob("*.json")) if _is_results(file)]
    if not files:
        raise RecordError(
            f"{path}: holds no results file; keep there what pytest --rca-json writes"
        )
    yield from files


def _is_results(file: Path) -> bool:
    """Whether *file* begins as results do; a broken one must be told, and not passed over."""
    try:
        with file.open("rb") as opened:
            return SCHEMA.encode() in opened.read(_HEAD)
    except OSError as error:
        raise RecordError(
            f"{file}: cannot be read: {error.strerror}; check the baseline"
        ) from error
