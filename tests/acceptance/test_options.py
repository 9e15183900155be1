"""Options and their ini twins: read once, before anything is collected or asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Bench

ANALYZER = """
import os
from pytest_rcabench import Analysis, Issue, Severity, Unmeasured

class Mine:
    def __init__(self, spec):
        self.spec = spec
        self.is_free = "free" in spec

    def analyze(self, evidence):
        with open("asked.log", "a") as log:
            log.write(f"{self.spec} {os.getpid()}\\n")
        if "declines" in self.spec:
            raise Unmeasured("quota", "come back tomorrow")
        if "breaks" in self.spec:
            return {}["answer"]
        if "text" in self.spec:
            return "all is well"
        if "surrogate" in self.spec:
            return Analysis(issues=(Issue("\\ud800", Severity.ERROR, "orders-api", "\\udfff"),))
        if "dies" in self.spec and "-0" in evidence.logs[0].message:
            os._exit(3)
        return Analysis(notes=("quiet",))

def pytest_rca_analyzer(config, spec):
    return Mine(spec) if spec.startswith("mine") else None
"""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ["--rca-provider=heurist"],
            "*'heurist': unknown provider; known: heuristic, *did you mean 'heuristic'?",
        ),
        (["--rca-provider=control:orcle"], "*orcle*oracle*"),
        (
            ["--rca-provider=control:oracle,oracle=control:silent"],
            "*two columns are called 'oracle'*",
        ),
        (["--rca-provider="], "*names no provider; known: heuristic*"),
        (["--rca-provider=http://localhost/x"], "*needs a name*NAME=http://localhost/x"),
        (["--rca-provider=x=command:no-such-program --flag"], "*no-such-program*"),
        (["--rca-provider=x=command:"], "*names no program*"),
        (["--rca-repeat=0"], "*--rca-repeat=0 is not a whole number from 1 on"),
        (["--rca-concurrency=many"], "*--rca-concurrency=many is not a whole number*"),
        (["--rca-timeout=nan"], "*--rca-timeout=nan is not a number of seconds*"),
        (["--rca-column=heuristic: speed=3"], "*unknown setting 'speed'; known: *"),
        (["--rca-column=oracle: label=x"], "*no such column; the columns are heuristic"),
        (["--rca-column=heuristic"], '*is not "NAME: key=value*'),
        (["--rca-fail-on=regression"], "*regression*baseline*"),
        (["--rca-replay=nothing.json"], "*nothing.json: no such file*"),
    ],
)
def test_a_mistake_is_one_line_before_collection(bench: Bench, args: list[str], said: str) -> None:
    """Exit status 4, no traceback, nothing collected."""
    bench.incident("leak")

    result = bench.run(*args)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    lines = [line for line in result.errlines if line.strip()]
    assert len(lines) == 1
    result.stderr.fnmatch_lines([f"ERROR: {said}"])


def test_a_mistake_is_told_once_with_workers_and_in_the_ini_file(bench: Bench) -> None:
    """The controller stops before it starts a worker; an ini value is checked as a flag is."""
    bench.incident("leak")
    result = bench.run("--rca-provider=heurist", "-n2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (result.stdout.str() + result.stderr.str()).count("unknown provider") == 1

    bench.path.joinpath("pytest.ini").write_text("[pytest]\nrca_fail_on = hlaf\n")
    result = bench.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*rca_fail_on = hlaf*half, wrong, regression, never*"])


def test_every_ini_twin_is_its_flag(bench: Bench) -> None:
    """What the ini file says holds, from the root on, until a flag says otherwise."""
    bench.incident("leak", folder="incidents/tuned")
    bench.incident("other")
    bench.path.joinpath("pytest.ini").write_text(
        """[pytest]
testpaths = incidents
rca_provider =
    control:oracle,control:silent
    sut=control:echo
rca_repeat = 2
rca_set = tuned
rca_column =
    sut: label=Echo 1.2
rca_concurrency = 1
rca_timeout = 5
rca_record = kept
rca_fail_on = wrong
"""
    )

    result = bench.run("--rca-json=results.json")

    assert result.ret == 1
    names = ("oracle", "silent", "sut")
    assert {f"leak::{name}::r{n}" for name in names for n in (1, 2)} == set(bench.verdicts())
    assert [column["label"] for column in bench.results()["columns"]] == ["", "", "Echo 1.2"]
    assert (bench.path / "kept/runs").is_dir()

    flags = ("--rca-provider=control:oracle", "--rca-repeat=1", "--rca-set=all", "--rca-record=x")
    bench.run(*flags, "--rca-fail-on=never", "--rca-json=results.json").assert_outcomes(passed=2)
    assert {"leak::oracle::r1", "other::oracle::r1"} == set(bench.verdicts())
    assert (bench.path / "x/runs").is_dir()


def test_a_label_stands_in_the_column_head(bench: Bench) -> None:
    """--rca-label names the version of the system under test."""
    bench.incident("leak", healthy=True)

    result = bench.run("--rca-provider=mine=control:silent", "--rca-label=Gemini 1.2.10")

    result.stdout.fnmatch_lines(["*Gemini 1.2.10*"])


@pytest.mark.parametrize("more", [[], ["-n2"]])
def test_an_analyser_of_a_hook_is_a_column(bench: Bench, more: list[str]) -> None:
    """Free ones run where the item runs, asked ones in one process; a bug is a missing answer."""
    for number in range(4):
        bench.incident(f"calm-{number}", healthy=True)
    bench.pytester.makeconftest(ANALYZER)
    specs = ("mine", "mine:free", "mine:declines", "mine:breaks", "mine:text", "mine:surrogate")
    providers = [f"--rca-provider={spec.replace(':', '-')}={spec}" for spec in specs]

    result = bench.run(*providers, "--rca-json=results.json", *more)

    assert result.ret == 1
    log = [line.split() for line in (bench.path / "asked.log").read_text().splitlines()]
    assert len(log) == 4 * len(specs)
    asked_in = {pid for spec, pid in log if "free" not in spec}
    assert len(asked_in) == 1
    free_in = {pid for spec, pid in log if "free" in spec}
    assert asked_in.isdisjoint(free_in) == bool(more)
    cells = {cell["column"]: cell for cell in bench.results()["cells"]}
    assert (cells["mine"]["verdict"], cells["mine-free"]["verdict"]) == ("pass", "pass")
    assert cells["mine-declines"]["error"] == {"reason": "quota", "detail": "come back tomorrow"}
    assert cells["mine-breaks"]["error"]["reason"] == "analyser error"
    assert "KeyError: 'answer' (conftest.py:" in cells["mine-breaks"]["error"]["detail"]
    assert cells["mine-text"]["error"]["reason"] == "analyser error"
    assert cells["mine-surrogate"]["verdict"] == "wrong"
    result.stdout.fnmatch_lines(
        ["  4 ? mine-breaks: analyser error: KeyError: 'answer' (conftest.py:*"]
    )


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_asked(bench: Bench) -> None:
    """One line that names path and reason; nobody was asked."""
    bench.incident("one")
    (bench.path / "taken").write_text("")

    result = bench.ask("--rca-markdown=taken/report.md")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *taken/report.md: cannot be written: *is no folder*"])
    assert bench.asked() == []


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("rca_repeat", "0", "--rca-repeat=0 is not *"),
        ("rca_provider", "nobody", "--rca-provider 'nobody': unknown provider*"),
        ("rca_provider", "Mine=heuristic", "--rca-provider: 'Mine' cannot name a column*"),
        ("rca_column", "heuristic", "--rca-column 'heuristic' is not *"),
    ],
)
def test_a_mistake_in_the_ini_file_names_its_key(
    bench: Bench, key: str, value: str, told: str
) -> None:
    """The flag, which nobody typed, stands behind the key."""
    bench.incident("one")

    result = bench.run("-o", f"{key}={value}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {key} in the ini file: {told}"])
