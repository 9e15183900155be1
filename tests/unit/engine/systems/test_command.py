"""A program under test: what it is given, what is taken from it, and how it can fail."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pytest_rcabench.domain.errors import OptionError, Unmeasured
from pytest_rcabench.domain.incident import Evidence, LogRecord, Window
from pytest_rcabench.engine.protocols import Analyzer
from pytest_rcabench.engine.systems.command import CommandSystem

START = datetime(2026, 10, 7, 13, tzinfo=UTC)
LINE = LogRecord(START, "orders", "orders-1", "ERROR", "lookup failed: Zeitüberschreitung " * 20)
EVIDENCE = Evidence(Window(START, START + timedelta(hours=1)), (LINE,) * 500, (), ())
ENVIRON = {**os.environ, "PLANTED_TOKEN": "planted-secret"}


def program(code: str, *, timeout_s: float = 30.0) -> CommandSystem:
    """Return a system that runs *code* with this Python."""
    cmdline = shlex.join([sys.executable, "-c", code])
    return CommandSystem(cmdline, ENVIRON, timeout_s=timeout_s)


def fault(code: str, *, timeout_s: float = 30.0) -> tuple[str, str]:
    """Return name and detail of the fault that *code* makes."""
    analysis = program(code, timeout_s=timeout_s).analyze(EVIDENCE)
    assert analysis.fault is not None
    return analysis.fault.name, analysis.fault.detail


def test_a_program_gets_the_evidence_and_its_answer_is_read() -> None:
    """Evidence JSON goes in, answer JSON comes out, and the environment is passed on."""
    code = """
import json, os, sys
evidence = json.load(sys.stdin)
print(json.dumps({"issues": [{"title": "t", "severity": "error", "service": "orders",
    "cause": evidence["schema"] + os.environ["PLANTED_TOKEN"][:7], "commits": [],
    "ruled_out": [], "evidence": [], "reasoning": evidence["logs"][0]["message"]}]}))
"""
    analysis = program(code).analyze(EVIDENCE)

    assert analysis.fault is None
    assert analysis.issues[0].cause == "rcabench-evidence/1planted"
    assert analysis.issues[0].reasoning == LINE.message
    assert [attempt.outcome for attempt in analysis.attempts] == ["ok"]


@pytest.mark.parametrize(
    "code", ["print('{\"issues\": []}')", "import os; os.close(0); print('{\"issues\": []}')"]
)
def test_a_program_need_not_read_its_input(code: str) -> None:
    """An answer counts even when the evidence was left in the pipe."""
    analysis = program(code).analyze(EVIDENCE)

    assert analysis.fault is None
    assert json.loads(analysis.reply) == {"issues": []}


def test_a_byte_order_mark_before_the_answer_is_no_fault() -> None:
    """Some shells write one."""
    code = "import sys; sys.stdout.buffer.write(b'\\xef\\xbb\\xbf{\"issues\": []}')"

    assert program(code).analyze(EVIDENCE).fault is None


def test_a_crash_is_a_fault_that_keeps_status_and_stderr() -> None:
    """An answer written before the crash does not count."""
    code = "import sys; print('{\"issues\": []}'); sys.exit('boom planted-secret')"
    analysis = program(code).analyze(EVIDENCE)

    assert analysis.fault is not None
    assert analysis.fault.name == "crashed"
    assert analysis.fault.detail == "exit 1; stderr ends: boom [redacted]"
    assert analysis.reply == ""
    assert analysis.attempts[0].outcome == "exit 1"


def test_a_signal_is_a_crash() -> None:
    """The number of the signal is told."""
    assert fault("import os; os.kill(os.getpid(), 11)") == ("crashed", "signal 11")


def test_of_a_long_stderr_the_end_is_kept() -> None:
    """What is shown is bounded, and the last line is in it."""
    name, detail = fault("import sys; sys.stderr.write('noise\\n' * 100_000); sys.exit('the end')")

    assert name == "crashed"
    assert detail.endswith("the end")
    assert len(detail) < 3000


def is_running(pid: int) -> bool:
    """Return whether the process *pid* still runs, which a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in ("Z", "X")


def ends(pid: int) -> bool:
    """Return whether *pid* ends within ten seconds."""
    for _ in range(200):
        if not is_running(pid):
            return True
        time.sleep(0.05)
    return False


SPAWN = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({path!r}, "w").write(str(child.pid))
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc to see processes")
def test_the_deadline_ends_the_program_and_its_children(tmp_path: Path) -> None:
    """The fault is `deadline`, and no grandchild lives on."""
    path = tmp_path / "pid"
    code = SPAWN.format(path=str(path)) + "time.sleep(600)"

    assert fault(code, timeout_s=1.5)[0] == "deadline"
    assert ends(int(path.read_text(encoding="ascii")))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc to see processes")
def test_a_child_left_behind_is_ended_and_the_answer_counts(tmp_path: Path) -> None:
    """A background child that holds stdout open delays nothing."""
    path = tmp_path / "pid"
    code = SPAWN.format(path=str(path)) + "print('{\"issues\": []}')"
    analysis = program(code, timeout_s=60).analyze(EVIDENCE)

    assert analysis.fault is None
    assert ends(int(path.read_text(encoding="ascii")))


def test_an_endless_answer_is_cut_off() -> None:
    """Nine mebibytes are too much, and the program is ended at once."""
    code = "import sys\nwhile True: sys.stdout.write('x' * 65536)"

    assert fault(code)[0] == "oversize"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("print('no JSON')", "not_json"),
        ("pass", "empty"),
        ("import sys; sys.stdout.buffer.write(b'{\"issues\": [\\xff]}')", "not_json"),
    ],
)
def test_an_unreadable_answer_is_the_programs_fault(code: str, name: str) -> None:
    """No JSON, nothing at all, and another encoding."""
    assert fault(code)[0] == name


def test_an_answer_that_speaks_of_unmeasured_things_is_an_answer() -> None:
    """Only in the place of an answer does the word decline."""
    code = 'print(\'{"issues": [], "unmeasured": "latency"}\')'

    assert program(code).analyze(EVIDENCE).issues == ()


@pytest.mark.parametrize("start", ["", '{"unmeasured": '])
def test_absurd_nesting_is_a_fault_like_any_other(start: str) -> None:
    """A hundred thousand brackets must not break the reader."""
    assert fault(f"print({start!r} + '[' * 100_000)")[0] in {"not_json", "invalid"}


@pytest.mark.parametrize(
    ("code", "detail"),
    [
        (
            "import sys; sys.stderr.write('no quota planted-secret'); sys.exit(75)",
            "no quota [redacted]",
        ),
        ("import sys; sys.exit(75)", "exit status 75"),
        ('print(\'{"unmeasured": "no licence"}\')', "no licence"),
        ('import sys; print(\'{"unmeasured": "no licence"}\'); sys.exit(3)', "no licence"),
    ],
)
def test_a_program_may_decline(code: str, detail: str) -> None:
    """Exit status 75, or `unmeasured` in place of an answer, also from a program that fails."""
    with pytest.raises(Unmeasured) as caught:
        program(code).analyze(EVIDENCE)

    assert (caught.value.reason, caught.value.detail) == ("declined", detail)


def test_a_missing_program_is_told_before_the_run() -> None:
    """`check` names it; no window is lost to it."""
    with pytest.raises(OptionError, match="no-such-program-here: no such program"):
        CommandSystem("no-such-program-here --flag", ENVIRON).check()


def test_a_file_that_may_not_be_run_is_no_missing_program(tmp_path: Path) -> None:
    """Its path is right, so that writing it again would not help."""
    script = tmp_path / "analyser.py"
    script.write_text("pass\n")

    with pytest.raises(OptionError, match=r"analyser\.py: is not executable; chmod \+x"):
        CommandSystem(str(script), ENVIRON).check()


def test_a_program_on_the_path_is_found() -> None:
    """`check` says nothing."""
    program("pass").check()


def test_a_program_that_vanished_leaves_the_window_unmeasured() -> None:
    """It is not the system's fault."""
    with pytest.raises(Unmeasured, match="set-up"):
        CommandSystem("no-such-program-here", ENVIRON).analyze(EVIDENCE)


@pytest.mark.parametrize("cmdline", ["", "   ", "python 'unclosed"])
def test_a_command_line_that_makes_no_sense_is_refused(cmdline: str) -> None:
    """One line says what to write."""
    with pytest.raises(OptionError, match="command:"):
        CommandSystem(cmdline, ENVIRON)


def test_no_shell_reads_the_command_line(tmp_path: Path) -> None:
    """A semicolon and a redirection are mere arguments."""
    code = "import json, sys; print(json.dumps({'unmeasured': ' '.join(sys.argv[1:])}))"
    cmdline = f"{shlex.join([sys.executable, '-c', code])} ; echo $HOME > {tmp_path}/made"

    with pytest.raises(Unmeasured, match=re.escape("; echo $HOME >")):
        CommandSystem(cmdline, ENVIRON).analyze(EVIDENCE)
    assert list(tmp_path.iterdir()) == []


def test_a_program_is_asked_unless_told_to_be_free() -> None:
    """By default the one process that knows limits runs it."""
    asked, free = CommandSystem("x", ENVIRON), CommandSystem("x", ENVIRON, is_free=True)

    assert isinstance(asked, Analyzer)
    assert (asked.is_free, free.is_free) == (False, True)
