"""A run that was killed goes on where it was: no answer is asked for twice, and none is lost."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.conftest import Bench
    from tests.wires.fake import FakeWires

CLAUDE = "--rca-provider=claude=claude:fake-sonnet"
NAMES = [f"window-{number}" for number in range(6)]
ROUNDS = 3
ARGS = (CLAUDE, f"--rca-repeat={ROUNDS}", "--rca-concurrency=4", "--rca-json=results.json")


@pytest.fixture
def slow(models: Bench, wires: FakeWires, right_answer: str) -> Bench:
    """Return a project of eighteen cells, each of which takes a moment."""
    models.windows(*NAMES)
    wires.play({"text": right_answer, "latency_s": 0.2})
    return models


@pytest.mark.parametrize(
    ("more", "victim", "calls"),
    [
        (["-n0"], "controller", 1),
        (["-n0"], "controller", 11),
        (["-n2"], "controller", 6),
        (["-n2"], "controller", 15),
        (["-n2"], "worker", 8),
    ],
)
def test_a_killed_run_goes_on_and_asks_for_no_answer_twice(
    slow: Bench, wires: FakeWires, more: list[str], victim: str, calls: int
) -> None:
    """As the server counts; calls without an answer are asked again, and their number is said."""
    run = slow.start(*ARGS, *more)
    wait_until(lambda: len(wires.seen) >= calls)
    time.sleep(random.random() / 4)  # noqa: S311 - any moment will do
    os.kill(run.pid if victim == "controller" else worker_of(run.pid), signal.SIGKILL)
    run.communicate()
    before = slow.journal()
    answered = Counter(e["cell"]["incident"] for e in before if e["event"] == "answered")
    started = sum(event["event"] == "started" for event in before)
    wires.seen.clear()

    result = slow.run(*ARGS, "--rca-resume", *more)

    assert {name: ROUNDS - answered[name] for name in NAMES} == {
        name: wires.asked(f"wanted: {name}") for name in NAMES
    }
    assert result.ret == 0
    assert set(slow.verdicts().values()) == {"pass"}
    assert slow.results()["complete"]
    kept = f"*{sum(answered.values())} of {ROUNDS * len(NAMES)} answers are kept"
    if lost := started - sum(answered.values()):
        kept += f"; {lost} more were asked for and never came, and may have been billed"
    result.stdout.fnmatch_lines([kept])


def test_a_resumed_run_has_the_results_of_an_unbroken_one(slow: Bench, wires: FakeWires) -> None:
    """But for times; and once it is complete, another resume asks nothing."""
    run = slow.start(*ARGS)
    wait_until(lambda: len(wires.seen) >= 7)
    run.kill()
    run.communicate()
    slow.run(*ARGS, "--rca-resume")
    resumed = timeless(slow.results())
    wires.seen.clear()

    again = slow.run(*ARGS, "--rca-resume", "-n2")
    assert again.ret == 0
    assert wires.seen == []
    assert timeless(slow.results()) == resumed

    slow.run(*ARGS, "--rca-record=elsewhere")
    assert timeless(slow.results()) == resumed


@pytest.mark.parametrize("more", [["-n0"], ["-n2"]], ids=["serial", "n2"])
def test_what_differs_from_the_run_to_go_on_with_is_said(
    models: Bench, wires: FakeWires, more: list[str]
) -> None:
    """A setting, a window and its rounds; nobody is asked, and the record stays as it was."""
    models.windows("first")
    result = models.run(CLAUDE, "--rca-resume", *more)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *holds no run; leave out --rca-resume to start one"])

    models.run(CLAUDE)
    before = models.journal()
    wires.seen.clear()
    models.incident("first", "first", kind="infrastructure")
    models.windows("second")
    result = models.run(
        CLAUDE, "--rca-column=claude: max_tokens=99", "--rca-repeat=2", "--rca-resume", *more
    )

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = (
        "it lacks the incidents second; the incidents first changed since; the column claude had "
        "max_tokens=16384 and not 99; it has 1 rounds and not 2; repeat its command"
    )
    result.stderr.fnmatch_lines([f"ERROR: *: {said}*"])
    assert wires.seen == []
    assert models.journal() == before


def test_two_runs_at_once_never_mix(slow: Bench, wires: FakeWires) -> None:
    """Each has its folder and its lock; a resume passes over what is still being written."""
    first, second = slow.start(*ARGS), slow.start(*ARGS)
    wait_until(lambda: len(list((slow.path / ".rcabench/runs").glob("*/journal.jsonl"))) == 2)
    resumed = slow.run(*ARGS, "--rca-resume")
    for run in (first, second):
        run.communicate()

    assert resumed.ret == pytest.ExitCode.USAGE_ERROR
    resumed.stderr.fnmatch_lines(["ERROR: *another process is writing this run*"])
    assert len(wires.seen) == 2 * ROUNDS * len(NAMES)
    journals = list((slow.path / ".rcabench/runs").glob("*/journal.jsonl"))
    assert [path.read_text().count('"event":"answered"') for path in journals] == [18, 18]


@pytest.mark.parametrize("more", [["-n0"], ["-n2"]], ids=["serial", "n2"])
def test_a_full_disk_stops_before_the_next_call(
    slow: Bench, wires: FakeWires, more: list[str]
) -> None:
    """The call whose answer could not be kept is the last; the run is red and says why."""
    slow.pytester.makeconftest(
        """
        import resource

        def pytest_report_collectionfinish():
            resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, resource.RLIM_INFINITY))
        """
        if more == ["-n0"]
        else """
        import os, resource

        def pytest_configure_node():
            resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, resource.RLIM_INFINITY))
        """
    )

    result = slow.run(CLAUDE, f"--rca-repeat={ROUNDS}", "--rca-concurrency=1", "-s", *more)

    answered = sum(event["event"] == "answered" for event in slow.journal())
    assert 0 < answered < ROUNDS * len(NAMES)
    assert len(wires.seen) <= answered + 1
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "make room" in result.stdout.str()


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until *is_so* returns True, a minute at most."""
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.02)


def worker_of(pid: int) -> int:
    """Return a worker process of the controller *pid*."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()[0])


def timeless(results: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Return *results* without what tells when they were found."""
    for name in ("id", "started", "finished", "argv"):
        del results["run"][name]
    return _without(results, "latency")


def _without(value: Any, word: str) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _without(inner, word) for name, inner in value.items() if word not in name}
    return [_without(inner, word) for inner in value] if isinstance(value, list) else value
