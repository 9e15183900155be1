"""The record of a run while it goes on: an append-only journal of JSON lines, one writer."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from pytest_rcabench.domain.cell_json import cell_from_json, cell_to_json
from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.incident import format_time
from pytest_rcabench.domain.run import Cell, RunKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rcabench.domain.incident import JSON

JOURNAL_NAME = "journal.jsonl"
_SYNC_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Started:
    """A call for a cell: the digest of its request, and when it went out, in RFC 3339 UTC.

    *most* is what it can cost at most in US dollars, None where nobody knows.
    """

    key: RunKey
    request: str
    at: str
    most: float | None = None


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """What a journal holds, in the order written.

    *started* [n] are the calls that went out, several of them for one cell where it was asked
    again, and some without an answer. *is_torn* says that the last line was cut off, as a crash
    leaves it; that line is not among the rest.
    """

    header: dict[str, JSON]
    started: tuple[Started, ...]
    answered: tuple[Cell, ...]
    is_torn: bool


class Journal:
    """The open journal of one run; every line is with the operating system before a method returns.

    Threads may share it. A crash of the program loses no line, a power cut those of a second. Once
    the disk has refused a line, no further call may start: its short line may still find room where
    the answer would not.
    `open_run` and `continue_run` are the ways to get one.
    """

    def __init__(self, path: Path, descriptor: int, lock: int, clock: Callable[[], float]) -> None:
        self.path = path
        self._descriptor = descriptor
        self._lock = lock
        self._clock = clock
        self._synced_at = clock()
        self._refusal: RecordError | None = None
        self._one_at_a_time = threading.Lock()

    def started(self, key: RunKey, request_digest: str, most: float | None = None) -> None:
        """Note a call for *key* that is about to go out, and the most US dollars that it can cost.

        Raises: RecordError: if the disk refuses, or has refused anything before.
        """
        if self._refusal:
            raise self._refusal
        self._append(
            {
                "event": "started",
                "incident": key.incident,
                "column": key.column,
                "round": key.round,
                "request": request_digest,
                "most_usd": most,
                "at": format_time(datetime.now(UTC)),
            }
        )

    def answered(self, cell: Cell, request_digest: str = "") -> None:
        """Keep *cell*. Raises: RecordError: if the disk refuses."""
        self._append({"event": "answered", "request": request_digest, "cell": cell_to_json(cell)})

    def close(self) -> None:
        """Bring everything to the disk and let go of the lock; closing twice is harmless."""
        with self._one_at_a_time:
            if self._descriptor < 0:
                return
            try:
                os.fsync(self._descriptor)
            except OSError as error:
                raise _refused(self.path, error) from error
            finally:
                os.close(self._descriptor)
                os.close(self._lock)
                self._descriptor = self._lock = -1

    def _append(self, event: dict[str, JSON]) -> None:
        line = (json.dumps(event, separators=(",", ":"), allow_nan=False) + "\n").encode()
        with self._one_at_a_time:
            written = 0
            try:
                while written < len(line):
                    written += os.write(self._descriptor, line[written:])
                if self._clock() - self._synced_at >= _SYNC_EVERY_S:
                    os.fsync(self._descriptor)
                    self._synced_at = self._clock()
            except OSError as error:
                # Half a line with others behind it, once there is room again, spoils the file.
                if 0 < written < len(line):
                    with contextlib.suppress(OSError):
                        end = os.fstat(self._descriptor).st_size
                        os.ftruncate(self._descriptor, end - written)
                self._refusal = _refused(self.path, error)
                raise self._refusal from error


def new_run_id(now: datetime, randomness: bytes) -> str:
    """Return an id that sorts by *now* (aware UTC), as in ``20261130T101502123Z-3f9a1c``."""
    return f"{now:%Y%m%dT%H%M%S}{now.microsecond // 1000:03}Z-{randomness.hex()}"


def open_run(
    directory: Path,
    *,
    run_id: str,
    header: dict[str, JSON],
    clock: Callable[[], float] = time.monotonic,
) -> Journal:
    """Return the journal of a new run under *directory*, with *header* as its first line.

    *clock* counts seconds and decides only when to sync.

    Raises: RecordError: if the run exists, another process writes it, or the disk refuses.
    """
    run = directory / "runs" / run_id
    path = run / JOURNAL_NAME
    try:
        run.mkdir(parents=True, exist_ok=True)
        ignore = directory / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
        lock = _lock(run)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            descriptor = os.open(path, flags, 0o644)
        except OSError:
            os.close(lock)
            raise
    except FileExistsError as error:
        raise RecordError(
            f"{error.filename}: is there already; choose another folder with --rca-record"
        ) from error
    except OSError as error:
        raise _refused(path, error) from error
    journal = Journal(path, descriptor, lock, clock)
    journal._append({"event": "run", **header})  # noqa: SLF001 - the header is no event that a caller may write
    return journal


def continue_run(path: Path, *, clock: Callable[[], float] = time.monotonic) -> Journal:
    """Return the journal at *path*, open for more; a torn last line is cut off.

    Raises: RecordError: if another process writes it, or the disk refuses.
    """
    try:
        lock = _lock(path.parent)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
            whole = path.read_bytes().rfind(b"\n") + 1
            os.ftruncate(descriptor, whole)
        except OSError:
            os.close(lock)
            raise
    except OSError as error:
        raise _refused(path, error) from error
    return Journal(path, descriptor, lock, clock)


def read_journal(path: Path) -> JournalRecord:
    """Return what the journal at *path* holds; a torn last line is left out and flagged.

    Raises: RecordError: if the file cannot be read, or a line that is not the last is damaged.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RecordError(
            f"{path}: cannot be read: {error.strerror}; name a run's folder or its {JOURNAL_NAME}"
        ) from error
    lines = raw.split(b"\n")
    is_torn = bool(lines.pop())
    header: dict[str, JSON] = {}
    started: list[Started] = []
    answered: list[Cell] = []
    for number, line in enumerate(lines, start=1):
        try:
            event = json.loads(line)
            if (event["event"] == "run") != (number == 1):
                raise KeyError("event")  # noqa: TRY301 - told below like any other damage
            if event["event"] == "started":
                key = RunKey(event["incident"], event["column"], event["round"])
                most = event.get("most_usd")  # not there in a record of an earlier version
                started.append(Started(key, event["request"], event["at"], most))
            elif event["event"] == "answered":
                answered.append(cell_from_json(event["cell"]))
            elif event["event"] == "run":
                header = cast("dict[str, JSON]", event)
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(
                f"{path}:{number}: is no line of a run's journal; restore the file, or delete this "
                "line to go on without that answer"
            ) from error
    if not header:
        raise RecordError(f"{path}: holds no run: the first line is missing; name another run")
    return JournalRecord(header, tuple(started), tuple(answered), is_torn)


def _lock(run: Path) -> int:
    path = run / "lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise RecordError(
            f"{path}: another process is writing this run; wait for it, or choose another folder "
            "with --rca-record"
        ) from error
    return descriptor


def _refused(path: Path, error: OSError) -> RecordError:
    return RecordError(
        f"{path}: cannot be written: {error.strerror}; make room, or choose another folder "
        "with --rca-record"
    )
