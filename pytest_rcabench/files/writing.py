"""Writes a report or results file in one step, so that nobody ever reads half of one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write_whole(path: Path, text: str | Iterable[str]) -> None:
    """Write *text* (or its pieces) to *path*, making its folders, in one step.

    A file that was there stays until all is written.

    Raises: RecordError: if the disk refuses.
    """
    # A pipe or a terminal (/dev/stdout) cannot be replaced.
    is_replaced = path.is_file() or not path.exists()
    target = path.with_name(f".{path.name}.{os.getpid()}") if is_replaced else path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with target.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines([text] if isinstance(text, str) else text)
            if is_replaced:
                target.replace(path)
        finally:
            if is_replaced:
                target.unlink(missing_ok=True)
    except OSError as error:
        raise RecordError(
            f"{path}: cannot be written: {error.strerror}; make room or choose another path"
        ) from error


def refuse_unwritable(path: Path) -> None:
    """Let a file be written to *path* later, or say now why it cannot be.

    Raises: RecordError: if *path* is a folder, or the nearest folder that exists lets nobody write.
    """
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    reason = ""
    if path.is_dir():
        reason = "it is a folder"
    elif not folder.is_dir():
        reason = f"{folder} is no folder"
    elif not os.access(path if path.exists() else folder, os.W_OK):
        reason = "permission denied"
    if reason:
        raise RecordError(f"{path}: cannot be written: {reason}; choose another path")
