"""Incidents in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.engine.shelf import Shelf
from pytest_rcabench.files.incident_yaml import read_incident

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_file_is_read_once_until_it_is_put_away(
    tmp_path: Path, write_incident: Callable[..., Path]
) -> None:
    """The same incident comes back; after it was put away, the file is read again."""
    path = write_incident(tmp_path, "leak")
    shelf = Shelf(read_incident)

    first = shelf.take(path)
    write_incident(tmp_path, "leak", title="Another title")
    assert shelf.take(path) is first
    shelf.put_away(path)
    shelf.put_away(path)
    assert shelf.take(path).title == "Another title"
