"""The regression gate of a run: red, green and undecided, whoever runs the items."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.cli import main
from pytest_rcabench.files.incident_writer import render_incident
from tests.acceptance.conftest import SYSTEM as SCRIPT
from tests.conftest import incident_document

if TYPE_CHECKING:
    from tests.acceptance.conftest import Bench

# Right everywhere but on the windows that RCA_WRONG names, where it names the wrong service, and
# without an answer on those of RCA_AWAY.
SYSTEM = """
import json, os
from pytest_rcabench import Unmeasured, read_answer

class System:
    is_free = True
    def analyze(self, evidence):
        wanted = evidence.logs[0].message.split()[-1]
        if wanted in os.environ.get("RCA_AWAY", "").split():
            raise Unmeasured("quota", "none is left")
        service = "web" if wanted in os.environ.get("RCA_WRONG", "").split() else "orders-api"
        issue = {"title": "Connections are never closed", "severity": "error", "service": service,
                 "cause": "a connection leak on the error path",
                 "commits": [evidence.changes[0].sha]}
        return read_answer(json.dumps({"issues": [issue]}))

def pytest_rca_analyzer(config, spec):
    return System() if spec == "system" else None
"""
NAMES = tuple(f"i{number}" for number in range(11))


@pytest.fixture(scope="module")
def perfect(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a results file of twelve perfect rounds on eleven incidents, and their record."""
    folder = tmp_path_factory.mktemp("perfect")
    (folder / "conftest.py").write_text(SYSTEM, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\ntestpaths = incidents\n", encoding="utf-8")
    (folder / "incidents").mkdir()
    for name in NAMES:
        document = incident_document(name, says=f"wanted: {name}")
        text = render_incident(document, schema_path="incident.json")
        (folder / "incidents" / f"{name}.yaml").write_text(text, encoding="utf-8")
    options = "--rca-provider=sut=system", "--rca-repeat=12", "--rca-json=base.json"
    subprocess.run([sys.executable, "-m", "pytest", *options], cwd=folder, check=True)
    return folder


@pytest.fixture
def gated(bench: Bench, perfect: Path) -> Bench:
    """Return a project of eleven incidents with a baseline of twelve perfect rounds."""
    shutil.copytree(perfect, bench.path, dirs_exist_ok=True)
    return bench


def _gate(bench: Bench, *more: str) -> pytest.RunResult:
    return bench.run("--rca-provider=sut=system", "--rca-baseline=base.json", *more)


@pytest.mark.parametrize("how", [("-p", "no:xdist"), ("-n2",)], ids=["serial", "xdist"])
def test_a_run_is_red_green_or_undecided(
    gated: Bench, how: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No item fails, and the exit status is the gate's; where it is red the last line says why."""
    green = _gate(gated, "--rca-repeat=3", *how)
    monkeypatch.setenv("RCA_WRONG", "i4")
    undecided = _gate(gated, "--rca-repeat=1", *how)
    red = _gate(gated, "--rca-repeat=3", "--rca-markdown=report.md", *how)

    assert (green.ret, undecided.ret, red.ret) == (0, 0, 1)
    green.stdout.fnmatch_lines(["*score 100 % -> 100 %: no worse*", "gate: green (no worse)"])
    undecided.stdout.fnmatch_lines(
        [
            "warning: i4::sut passed in all 12 rounds of the baseline and in none of 1 now; *",
            "warning: sut, faulty held-out, 11 incidents: *",
            "gate: green (undecided)",
        ]
    )
    red.stdout.fnmatch_lines(["red: i4::sut passed in all 12 rounds of the baseline and in none*"])
    assert red.outlines[-1].startswith("rca: gate: red (regressed): sut, faulty held-out, 11 ")
    assert red.parseoutcomes() == {"passed": 30, "wrong": 3}
    report = (gated.path / "report.md").read_text(encoding="utf-8")
    assert "# Against the baseline" in report
    assert "### i4::sut: ✓✓✓✓✓✓✓✓✓✓✓✓ → ✗✗✗" in report


def test_missing_answers_do_not_pass_for_a_green_gate(
    gated: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unmeasured item is skipped, and two of eleven are too many."""
    monkeypatch.setenv("RCA_AWAY", "i4 i5")
    result = _gate(gated)

    assert result.ret == 1
    assert result.parseoutcomes() == {"passed": 9, "unmeasured": 2}
    assert "more than a tenth" in result.outlines[-1]


@pytest.mark.parametrize(
    ("choice", "status", "outcome"), [("wrong", 1, "failed"), ("never", 0, "wrong")]
)
def test_only_never_opens_the_gate(
    gated: Bench, choice: str, status: int, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another --rca-fail-on fails items, too; with never a red gate is shown and fails nothing."""
    monkeypatch.setenv("RCA_WRONG", " ".join(NAMES))
    result = _gate(gated, f"--rca-fail-on={choice}")

    assert result.ret == status
    assert result.parseoutcomes() == {outcome: 11}
    result.stdout.fnmatch_lines(["gate: red (regressed): sut, faulty held-out, 11 incidents: *"])
    assert result.outlines[-1].startswith("rca: gate: red") is bool(status)


def test_a_record_is_a_baseline_and_compare_says_what_the_run_said(
    gated: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run at hand is no part of its own baseline, and its lines can be had again."""
    run = gated.run("--rca-provider=sut=system", "--rca-baseline=.rcabench", "--rca-json=new.json")
    monkeypatch.chdir(gated.path)
    capsys.readouterr()
    status = main(["compare", "base.json", "new.json"])

    assert (run.ret, status) == (0, 0)
    run.stdout.fnmatch_lines(["baseline of sut: 1 run, 12 rounds, *"])
    assert capsys.readouterr().out.strip() in str(run.stdout)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--rca-baseline=gone.json"], "*gone.json: no such file; name a file written by*"),
        (["--rca-baseline="], "*the baseline names no file; name results files or a folder*"),
        (
            ["--rca-fail-on=regression"],
            "*--rca-fail-on=regression has nothing to hold this run against; name earlier*",
        ),
    ],
    ids=["missing", "blank", "none"],
)
def test_a_gate_without_a_baseline_is_refused(bench: Bench, options: list[str], says: str) -> None:
    """One line before anything is asked."""
    bench.windows("one")
    result = bench.ask(*options)

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {says}"])
    assert bench.asked() == []


def test_a_baseline_of_verdicts_alone_is_refused_before_the_run(gated: Bench) -> None:
    """Nothing is paid for what could never be compared."""
    results = gated.results("base.json")
    for cell in results["cells"]:
        cell |= {"analysis": None, "reply": ""}
    (gated.path / "base.json").write_text(json.dumps(results), encoding="utf-8")

    result = _gate(gated)

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: run *: has verdicts without answers, *"])
    assert len(list((gated.path / ".rcabench/runs").iterdir())) == 1  # that of the baseline


def test_the_commands_of_the_how_to_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A baseline is kept, a run is held against it, and compared again, as the page says."""
    page = Path(__file__).parents[2] / "docs/how-to/gate-a-pull-request.md"
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    bench.windows("one", "two")
    agent = bench.path / "agent"
    agent.write_text(f"#!{sys.executable} -S\n{SCRIPT}", encoding="utf-8")
    agent.chmod(0o755)
    commands = re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    statuses = [
        subprocess.run(["bash", "-c", command], cwd=bench.path, check=False).returncode
        for command in commands
    ]

    assert statuses == [0, 0, 0]
    assert "# Against the baseline" in (bench.path / "changes.md").read_text(encoding="utf-8")
