"""What goes wrong costs what it must and no more, and a run that measured nothing is not green."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Bench

DIES = """
import os

class Dies:
    is_free = True

    def analyze(self, evidence):
        if "kill" in evidence.logs[0].message:
            os._exit(3)
        from pytest_rcabench import Analysis
        return Analysis()

def pytest_rca_analyzer(config, spec):
    return Dies() if spec == "dies" else None
"""

REPEATS = """
def pytest_addoption(parser):
    parser.addoption("--count", type=int, default=1)
    parser.addoption("--force-flaky", action="store_true")
"""


@pytest.mark.parametrize("more", [["-p", "no:xdist"], ["-n2"]])
def test_a_failure_is_told_once_however_verbose(bench: Bench, more: list[str]) -> None:
    """Pytest's own section tells why; the short summary one line; the grid comes last."""
    bench.incident("leak", "wrong")
    bench.incident("half-leak", "half")

    result = bench.ask("-vv", *more)
    text = result.stdout.str()

    assert text.count("slow style sheets") == 1
    assert text.count("innocent: expected no innocent commit blamed") == 1
    result.stdout.fnmatch_lines(["WRONG *leak.yaml::sut::r1 - wrong: service"])
    assert text.index("short test summary info") < text.index("root-cause analysis")


def test_what_pytest_does_not_tell_is_told_with_v(bench: Bench) -> None:
    """With --rca-fail-on=never nothing fails, and the reasons stand above the grid."""
    bench.incident("leak", "wrong")

    quiet, told = bench.ask("--rca-fail-on=never"), bench.ask("--rca-fail-on=never", "-v")

    assert "service: expected orders-api" not in quiet.stdout.str()
    told.stdout.fnmatch_lines(["leak::sut::r1", "  wrong: service"], consecutive=True)


def test_a_terminal_that_prints_ascii_gets_nothing_else(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pytest would print a text with one other character as escapes, line feeds included."""
    bench.incident("leak", "wrong")
    bench.incident("half-leak", "half")
    bench.incident("lost", "unmeasured")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")

    text = bench.ask().stdout.str()

    assert text.isascii()
    assert "\\u" not in text
    assert "\\n" not in text
    assert "1 x sut: " in text


@pytest.mark.parametrize("more", [["-p", "no:xdist"], ["-n2"]])
def test_a_run_that_measured_too_little_is_red(bench: Bench, more: list[str]) -> None:
    """Where pytest says 0 the plugin says 1, and why on the last line."""
    bench.incident("lost", "unmeasured")
    result = bench.ask("--rca-fail-on=never", *more)
    assert result.ret == 1
    assert _last_line(result) == "rca: nothing was measured"

    for number in range(9):
        bench.incident(f"leak-{number}")
    result = bench.ask("--rca-fail-on=never", *more)
    assert result.ret == 0  # one in ten

    bench.incident("lost-too", "unmeasured")
    result = bench.ask("--rca-fail-on=never", *more)
    assert result.ret == 1
    said = "rca: 2 of 11 planned cells are missing or unmeasured, more than a tenth"
    assert said == _last_line(result)


def test_a_worker_that_dies_costs_its_item_only(bench: Bench) -> None:
    """pytest-xdist starts another worker; the other cells are there, this one is unmeasured."""
    for number in range(5):
        bench.incident(f"calm-{number}", healthy=True)
    bench.incident("killer", "kill", healthy=True)
    bench.pytester.makeconftest(DIES)

    result = bench.run("--rca-provider=dies", "-n2", "--rca-json=results.json")

    assert result.ret == 1
    verdicts = bench.verdicts()
    assert verdicts.pop("killer::dies::r1") == "unmeasured"
    assert set(verdicts.values()) == {"pass"}
    assert len(verdicts) == 5


def test_a_report_that_cannot_travel_is_not_a_green_run(bench: Bench) -> None:
    """An Enum in a report breaks pytest-xdist; the items without a report make the run red."""
    for number in range(4):
        bench.incident(f"calm-{number}", healthy=True)
    bench.pytester.makeconftest(
        """
        import enum, pytest
        Colour = enum.Enum("Colour", "RED")

        @pytest.fixture(autouse=True)
        def _property(record_property):
            record_property("colour", Colour.RED)
        """
    )

    result = bench.run("--rca-provider=control:silent", "-n2", "--rca-json=results.json")

    assert result.ret != 0
    assert bench.results()["complete"] is False


@pytest.mark.parametrize(
    ("flags", "ini", "named"),
    [
        (["--reruns=2"], "", "--reruns"),
        (["--reruns=2", "-n2"], "", "--reruns"),
        ([], "reruns = 2", "--reruns"),
        (["--count=3"], "", "--count"),
        (["--force-flaky"], "", "--force-flaky"),
        (["-n2", "--dist=each"], "", "--dist=each"),
    ],
)
def test_asking_again_until_it_passes_is_refused(
    bench: Bench, flags: list[str], ini: str, named: str
) -> None:
    """That would be no measurement; nothing is asked."""
    if "reruns" in named:
        pytest.importorskip("pytest_rerunfailures")
    bench.incident("leak")
    bench.path.joinpath("pytest.ini").write_text(f"[pytest]\ntestpaths = incidents\n{ini}\n")
    others = ["-p", "no:flaky", "-p", "no:repeat"]  # their options stand in the conftest
    if "reruns" not in named:
        bench.pytester.makeconftest(REPEATS)

    result = bench.ask(*others, *flags)

    assert result.ret not in {0, pytest.ExitCode.INTERNAL_ERROR}
    assert f"{named} does not go with incidents" in result.stdout.str()
    assert bench.asked() == []


def test_a_flaky_mark_is_refused(bench: Bench) -> None:
    """A conftest that marks every test flaky makes an incident fail and ask nobody."""
    bench.incident("leak")
    bench.pytester.makeconftest(
        """
        import pytest
        def pytest_configure(config):
            config.addinivalue_line("markers", "flaky: again")
        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.flaky(reruns=2))
        """
    )

    result = bench.ask("-p", "no:flaky")

    assert result.ret == 1
    assert "a flaky mark does not go with incidents" in result.stdout.str()
    assert bench.asked() == []


@pytest.mark.parametrize("more", [["-n0"], ["-n2"]])
def test_a_record_that_cannot_be_written_is_told_before_anybody_is_asked(
    bench: Bench, more: list[str]
) -> None:
    """One line, serial and with workers."""
    bench.incident("leak")
    (bench.path / "taken").write_text("a file")

    result = bench.ask("--rca-record=taken", "--rca-fail-on=never", *more)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *choose another folder with --rca-record"])
    assert bench.asked() == []


@pytest.mark.parametrize("more", [["-p", "no:xdist"], ["-n2"]])
def test_an_interrupt_ends_the_run_and_keeps_what_was_answered(
    bench: Bench, more: list[str]
) -> None:
    """Ctrl-C while a system is slow: the run ends in seconds and writes its results."""
    bench.incident("a-fast")
    bench.incident("b-slow", "slow")
    bench.incident("c-slow", "slow")

    status, _ = _interrupt(bench, "--rca-json=results.json", *more)

    assert status == pytest.ExitCode.INTERRUPTED
    assert bench.verdicts()["a-fast::sut::r1"] == "pass"
    assert "wrong" not in bench.verdicts().values()  # a system that we cut short did not fail
    assert bench.results()["complete"] is False


def test_an_interrupt_ends_the_programs_that_were_asked(bench: Bench) -> None:
    """Nothing of a run outlives it."""
    bench.incident("slow", "slow")

    _, pid = _interrupt(bench)

    assert not _is_alive(pid)


def _interrupt(bench: Bench, *args: str) -> tuple[int, int]:
    """Return the exit status of a run that Ctrl-C ended, and the process id of the slow system."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", bench.system, *args],
        cwd=bench.path,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    pid = _wait_for(bench.path / "slow.pid")
    os.killpg(process.pid, signal.SIGINT)
    return process.wait(timeout=30), pid


def _wait_for(path: Path) -> int:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if path.exists() and (text := path.read_text()):
            return int(text)
        time.sleep(0.05)
    pytest.fail("the system was never asked")


def _is_alive(pid: int) -> bool:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True


def _last_line(result: pytest.RunResult) -> str:
    return next(line for line in reversed(result.outlines) if line.strip())
