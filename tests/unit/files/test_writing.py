"""Files written in one step."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.files.writing import refuse_unwritable, write_whole

if TYPE_CHECKING:
    from pathlib import Path


def test_text_is_written_as_it_is_and_folders_are_made(tmp_path: Path) -> None:
    """UTF-8 and newlines on every system, in a folder that need not exist."""
    path = tmp_path / "a" / "b.md"
    write_whole(path, "½\n")
    write_whole(path, "✓\n")

    assert path.read_bytes() == "✓\n".encode()
    assert [file.name for file in path.parent.iterdir()] == ["b.md"]


def test_a_failure_keeps_the_old_file_and_leaves_no_litter(tmp_path: Path) -> None:
    """Text that cannot be written is noticed before anything is replaced."""
    path = tmp_path / "b.md"
    write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud83d")

    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["b.md"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """/dev/stdout and its like work as a path."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=write_whole, args=(path, "text"))
    writer.start()
    with path.open() as pipe:
        text = pipe.read()
    writer.join()

    assert text == "text"


def test_a_refusal_names_the_path(tmp_path: Path) -> None:
    """The message says what to do."""
    with pytest.raises(RecordError, match=f"{tmp_path}: cannot be written: .*; make room or"):
        write_whole(tmp_path, "x")


@pytest.mark.parametrize(("name", "reason"), [("", "is a folder"), ("file/a.md", "is no folder")])
def test_what_cannot_be_written_is_known_before(tmp_path: Path, name: str, reason: str) -> None:
    """A folder, or a file where a folder would have to be; a new folder is none of these."""
    (tmp_path / "file").write_text("")

    refuse_unwritable(tmp_path / "new" / "a.md")
    with pytest.raises(RecordError, match=reason):
        refuse_unwritable(tmp_path / name)
