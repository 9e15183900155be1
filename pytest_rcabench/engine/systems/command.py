"""A system under test as a program: evidence on its stdin, the answer on its stdout."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_rcabench.domain.errors import OptionError, Unmeasured
from pytest_rcabench.engine.redaction import redact
from pytest_rcabench.engine.systems.replies import (
    MAX_REPLY_BYTES,
    encode_evidence,
    failed,
    take_reply,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from io import BufferedReader, BufferedWriter

    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import Evidence

_DECLINED = 75  # EX_TEMPFAIL of sysexits.h: try again later
_STDERR_BYTES = 16384
_STDERR_SHOWN = 2000
_CHUNK_BYTES = 65536
_GRACE_S = 1.0


class CommandSystem:
    """Runs a program once for each window, without a shell.

    *environ* is the program's environment, and tells which texts are secret. *timeout_s* is the
    time from its start to its end; whatever it started is ended with it, by its process group.
    """

    def __init__(
        self,
        cmdline: str,
        environ: Mapping[str, str],
        *,
        timeout_s: float = 300.0,
        is_free: bool = False,
    ) -> None:
        """Split *cmdline* as a shell would. Raises: OptionError: if it cannot be split."""
        try:
            self._argv = tuple(shlex.split(cmdline))
        except ValueError as error:
            shown = redact(cmdline, environ)
            raise OptionError(f"command:{shown}: {error}; close the quotation") from error
        if not self._argv:
            raise OptionError("command: names no program; write command:PROGRAM ARGUMENTS")
        self._environ = dict(environ)
        self._timeout_s = timeout_s
        self._running: set[subprocess.Popen[bytes]] = set()
        self.is_free = is_free

    def check(self) -> None:
        """Look for the program. Raises: OptionError: if it is not there or may not be run."""
        program = self._argv[0]
        if shutil.which(program, path=self._environ.get("PATH")) is None:
            why = "no such program; write its path, or mend PATH"
            path = Path(program)
            if path.name != program and path.is_file():
                why = "is not executable; chmod +x it, or name its interpreter before it"
            raise OptionError(f"command:{redact(program, self._environ)}: {why}")

    def analyze(self, evidence: Evidence) -> Analysis:
        """Return what the program answers for *evidence*.

        Raises: Unmeasured: if it cannot be started, ends with 75 or says ``{"unmeasured": …}``.
        """
        sent = encode_evidence(evidence)
        started = time.monotonic()
        process = self._start()
        self._running.add(process)
        stdout = _Reader(cast("BufferedReader", process.stdout), lambda: _kill(process))
        stderr = _Reader(cast("BufferedReader", process.stderr), None)
        feeder = threading.Thread(target=_feed, args=(process.stdin, sent), daemon=True)
        feeder.start()
        try:
            status: int | None = process.wait(self._timeout_s)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            # Also when it ended by itself: a child it left behind would hold our pipes open.
            _kill(process)
            process.wait()
            self._running.discard(process)
        latency_s = time.monotonic() - started
        for thread in (feeder, stdout.thread, stderr.thread):
            # A grandchild in a session of its own outlives the group; it must not hold us.
            thread.join(_GRACE_S)
        return self._judge(status, stdout, stderr.tail, latency_s)

    def close(self) -> None:
        """End what is still running: nothing of a run outlives it."""
        for process in tuple(self._running):
            _kill(process)

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environ,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise Unmeasured(
                "set-up", redact(f"{self._argv[0]}: {error}", self._environ)
            ) from error

    def _judge(
        self, status: int | None, stdout: _Reader, complaint: bytes, latency_s: float
    ) -> Analysis:
        # Redacted before it is cut, or half of a secret could stand at the cut.
        said = redact(complaint.decode("utf-8", "replace"), self._environ).strip()[-_STDERR_SHOWN:]
        after = f"; stderr ends: {said}" if said else ""
        if stdout.is_oversize:
            detail = f"more than {MAX_REPLY_BYTES} bytes on stdout{after}"
            return failed("oversize", detail, latency_s)
        if status is None:
            detail = f"no end after {self._timeout_s:g} s{after}"
            return failed("deadline", detail, latency_s)
        if status == _DECLINED:
            raise Unmeasured("declined", said or f"exit status {_DECLINED}")
        body = b"".join(stdout.chunks)
        if status == 0:
            return take_reply(body, latency_s, self._environ)
        if b'"unmeasured"' in body:
            # Only to let it decline: an answer from a program that failed is not taken.
            take_reply(body, latency_s, self._environ)
        outcome = f"exit {status}" if status > 0 else f"signal {-status}"
        return failed("crashed", f"{outcome}{after}", latency_s, outcome)


class _Reader:
    """Reads a pipe to its end in a thread, and keeps its tail, or all of it up to the bound."""

    def __init__(self, pipe: BufferedReader, on_oversize: Callable[[], None] | None) -> None:
        self.chunks: list[bytes] = []
        self.tail = b""
        self.is_oversize = False
        self._pipe = pipe
        self._on_oversize = on_oversize
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        size = 0
        with self._pipe as pipe:
            while chunk := pipe.read1(_CHUNK_BYTES):
                size += len(chunk)
                if self._on_oversize is None:
                    self.tail = (self.tail + chunk)[-_STDERR_BYTES:]
                elif size <= MAX_REPLY_BYTES:
                    self.chunks.append(chunk)
                elif not self.is_oversize:
                    self.is_oversize = True
                    self._on_oversize()


def _feed(pipe: BufferedWriter, sent: bytes) -> None:
    # A program that answers without reading closes the pipe under our hands, which is its right.
    with contextlib.suppress(OSError, ValueError), pipe:
        pipe.write(sent)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
