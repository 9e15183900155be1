"""Shipped files, copied to where a user can change them; what is there is never overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RcabenchError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write_missing(contents: Mapping[Path, bytes]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Write those files that are missing; return them, and those that differ and stay.

    Raises: RcabenchError: if the disk refuses.
    """
    written, kept = [], []
    try:
        for path, content in contents.items():
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                written.append(path)
            elif path.read_bytes() != content:
                kept.append(path)
    except OSError as error:
        raise RcabenchError(
            f"{error.filename}: cannot be copied: {error.strerror}; choose another folder"
        ) from error
    return tuple(written), tuple(kept)
