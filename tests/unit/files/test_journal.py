"""The run record while a run goes on."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.run import RunKey, unmeasured_cell
from pytest_rcabench.files.journal import JOURNAL_NAME, new_run_id, open_run, read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rcabench.domain.run import Cell

KEY = RunKey("connection-leak", "gemini", 1)


def _cell(key: RunKey = KEY, detail: str = "429") -> Cell:
    return unmeasured_cell(key, "rate limit", detail)


@pytest.fixture
def journal_path(tmp_path: Path) -> Path:
    """Return a journal with a header, one question and one answer."""
    journal = open_run(tmp_path, run_id="one", header={"schema": "s"})
    journal.started(KEY, "d1")
    journal.answered(_cell(), "d1")
    journal.close()
    return tmp_path / "runs" / "one" / JOURNAL_NAME


def test_a_journal_comes_back_as_it_was_written(journal_path: Path) -> None:
    """Header, questions with their digests, and answers are all there, and nothing is torn."""
    record = read_journal(journal_path)

    assert record.header["schema"] == "s"
    assert [(one.key, one.request) for one in record.started] == [(KEY, "d1")]
    assert record.answered == (_cell(),)
    assert not record.is_torn


def test_a_record_folder_ignores_itself_for_git(journal_path: Path) -> None:
    """Nobody commits a run record by accident."""
    assert (journal_path.parents[2] / ".gitignore").read_text() == "*\n"


def test_every_line_is_in_the_file_before_the_call_returns(tmp_path: Path) -> None:
    """A program that dies after an answer loses nothing of it."""
    journal = open_run(tmp_path, run_id="one", header={})
    journal.answered(_cell())
    found = read_journal(journal.path)
    journal.close()

    assert found.answered == (_cell(),)


@pytest.mark.parametrize("kept", [1, 20, -1])
def test_a_torn_last_line_is_left_out_and_told(journal_path: Path, kept: int) -> None:
    """A crash in the middle of a write costs that one line."""
    lines = journal_path.read_bytes().splitlines(keepends=True)
    journal_path.write_bytes(b"".join(lines[:-1]) + lines[-1][:kept])
    record = read_journal(journal_path)

    assert record.is_torn
    assert record.answered == ()
    assert [(one.key, one.request) for one in record.started] == [(KEY, "d1")]


@pytest.mark.parametrize(
    "damage",
    [b'{"event": "answ\n', b"[]\n", b"\n", b'{"event": "run"}\n', b'{"event": "started"}\n'],
)
def test_damage_that_is_not_at_the_end_names_its_line(journal_path: Path, damage: bytes) -> None:
    """A record that somebody edited badly is refused, with the line to look at."""
    lines = journal_path.read_bytes().splitlines(keepends=True)
    journal_path.write_bytes(lines[0] + damage + lines[2])

    with pytest.raises(RecordError, match=rf"{JOURNAL_NAME}:2: is no line .*; restore the file"):
        read_journal(journal_path)


@pytest.mark.parametrize("content", [b"", b'{"event": "ru'])
def test_a_journal_without_a_header_holds_no_run(tmp_path: Path, content: bytes) -> None:
    """A run that died before its first line is told apart from an empty one."""
    path = tmp_path / JOURNAL_NAME
    path.write_bytes(content)

    with pytest.raises(RecordError, match="the first line is missing"):
        read_journal(path)


def test_a_missing_journal_says_what_to_name(tmp_path: Path) -> None:
    """The message holds the path and what would do."""
    with pytest.raises(RecordError, match=r"cannot be read: .*; name a run's folder"):
        read_journal(tmp_path / "none.jsonl")


def test_a_second_writer_of_a_run_is_refused(tmp_path: Path) -> None:
    """Two processes never write one journal; the lock is free again after the first closes."""
    journal = open_run(tmp_path, run_id="one", header={})
    with pytest.raises(RecordError, match="another process is writing this run"):
        open_run(tmp_path, run_id="one", header={})
    journal.close()

    with pytest.raises(RecordError, match="is there already"):
        open_run(tmp_path, run_id="one", header={})


def test_closing_twice_is_harmless(tmp_path: Path) -> None:
    """Whoever ends a run need not know whether somebody else did."""
    journal = open_run(tmp_path, run_id="one", header={})
    journal.close()
    journal.close()

    assert read_journal(journal.path).answered == ()


def test_threads_do_not_mix_their_lines(tmp_path: Path) -> None:
    """Eight threads with long lines leave whole lines only."""
    journal = open_run(tmp_path, run_id="one", header={})
    cells = [_cell(RunKey("a", "b", number), "x" * 20_000) for number in range(1, 65)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(journal.answered, cells))
    journal.close()

    assert sorted(read_journal(journal.path).answered, key=lambda cell: cell.key) == cells


def test_half_a_surrogate_pair_survives(tmp_path: Path) -> None:
    """What a program answered comes back as it was, even where it is no valid text."""
    journal = open_run(tmp_path, run_id="one", header={})
    journal.answered(_cell(detail="\ud83d ü \u2028"))
    journal.close()

    assert read_journal(journal.path).answered == (_cell(detail="\ud83d ü \u2028"),)


def test_the_disk_is_synced_at_most_once_a_second(tmp_path: Path) -> None:
    """The clock that is passed in decides; a fast run does not wait for the disk at every line."""
    seconds = iter([0.0, 0.5, 0.6, 1.2, 1.3, 1.4])
    journal = open_run(tmp_path, run_id="one", header={}, clock=lambda: next(seconds))
    journal.started(KEY, "")  # 0.6: too early; the header asked at 0.5
    journal.started(KEY, "")  # 1.2: syncs, and reads the clock once more
    journal.started(KEY, "")  # 1.4: too early
    journal.close()

    assert list(seconds) == []


@contextmanager
def _full_disk() -> Iterator[None]:
    """Let no file of this process grow beyond 2,000 bytes, which is a disk that is full.

    A fixture would still hold when pytest prints the outcome, and pytest may print to a file.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_told_and_leaves_a_sound_journal(tmp_path: Path) -> None:
    """A half line is taken back, so that later answers can be read; no further call may start."""
    with _full_disk():
        journal = open_run(tmp_path, run_id="one", header={})
        with pytest.raises(RecordError, match=r"journal\.jsonl: cannot be written: .*--rca-record"):
            journal.answered(_cell(detail="x" * 5000))
        with pytest.raises(RecordError, match="cannot be written"):
            journal.started(KEY, "d1")
        journal.answered(_cell())
        journal.close()
    record = read_journal(journal.path)

    assert record.started == ()
    assert record.answered == (_cell(),)
    assert not record.is_torn


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file in the way of the record folder is an error with its path."""
    (tmp_path / "record").write_text("")

    with pytest.raises(RecordError, match=r"cannot be written: Not a directory; make room, or"):
        open_run(tmp_path / "record", run_id="one", header={})


def test_a_killed_writer_leaves_its_lines_and_frees_the_lock(tmp_path: Path) -> None:
    """After kill -9 every line that was written is there."""
    program = (
        "import os, pathlib, signal, sys\n"
        "from pytest_rcabench.domain.run import RunKey, unmeasured_cell\n"
        "from pytest_rcabench.files.journal import open_run\n"
        "journal = open_run(pathlib.Path(sys.argv[1]), run_id='one', header={})\n"
        "key = RunKey('connection-leak', 'gemini', 1)\n"
        "journal.answered(unmeasured_cell(key, 'rate limit', '429'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path], check=False)
    record = read_journal(tmp_path / "runs" / "one" / JOURNAL_NAME)

    assert record.answered == (_cell(),)
    with pytest.raises(RecordError, match="is there already"):
        open_run(tmp_path, run_id="one", header={})


def test_run_ids_sort_by_time() -> None:
    """The newest run of a folder is the last one by name."""
    times = [
        datetime(2026, 11, 30, 9, 59, 59, 999_000, tzinfo=UTC),
        datetime(2026, 11, 30, 10, tzinfo=UTC),
    ]
    ids = [
        new_run_id(time, randomness)
        for time, randomness in zip(times, (b"\xff\0", b"\0\1"), strict=True)
    ]

    assert ids == ["20261130T095959999Z-ff00", "20261130T100000000Z-0001"]
    assert ids == sorted(ids)


def test_each_line_is_one_json_object(journal_path: Path) -> None:
    """Anybody can read the journal with nothing but a JSON parser."""
    events = [json.loads(line)["event"] for line in journal_path.read_text().splitlines()]

    assert events == ["run", "started", "answered"]
