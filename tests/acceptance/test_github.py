"""A job of GitHub Actions shows what a run found: in its log, its summary and its outputs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Bench

PLAIN = [("serial", []), ("xdist", ["-n2"]), ("no xdist", ["-p", "no:xdist"])]
OUTPUT = re.compile(r"(\w+)<<(.*)\n((?:.*\n)*?)\2\n")
COMMAND = re.compile(r"\s*::|.*##\[")


@pytest.fixture
def job(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return a project that runs inside a step of a job."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(bench.path))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(bench.path / "summary.md"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(bench.path / "outputs"))
    return bench


@pytest.mark.parametrize("more", [args for _, args in PLAIN], ids=[name for name, _ in PLAIN])
def test_a_job_is_shown_what_failed_and_where(job: Bench, more: list[str]) -> None:
    """Annotations stand on the truth's line, the summary begins with the grid, outputs are set."""
    job.windows("half", "pass", "wrong")

    result = job.ask("--rca-fail-on=half", *more)

    assert result.ret == 1
    shown = _commands(result)
    assert [line.split("::")[1].split(",title=")[1] for line in shown] == [
        "wrong%3A wrong",
        "half%3A half",
    ]
    for name, line in zip(("wrong", "half"), shown, strict=True):
        text = (job.path / f"incidents/{name}.yaml").read_text().splitlines()
        number = text.index("expected:") + 1
        assert line.startswith(f"::error file=incidents/{name}.yaml,line={number},")
    assert "::sut, round 1: wrong: service%0A" in shown[0]
    assert "innocent" in shown[1]
    summary = (job.path / "summary.md").read_text()
    assert summary.startswith("## rcabench: failed\n\n| Incident |")
    assert _outputs(job.path / "outputs") == {
        "verdict": "failed",
        "pass_rate": "0.3333",
        "cost": "unknown",
    }


def test_a_green_run_has_no_errors(job: Bench) -> None:
    """What does not fail the run is a warning; what the step said before stays."""
    job.windows("wrong", "pass")
    (job.path / "summary.md").write_text("before\n")
    (job.path / "outputs").write_text("cost<<x\nbefore\nx\n")

    result = job.ask("--rca-fail-on=never")

    assert result.ret == 0
    (line,) = _commands(result)
    assert line.startswith("::warning file=incidents/wrong.yaml,")
    assert _outputs(job.path / "outputs")["verdict"] == "passed"
    assert (job.path / "summary.md").read_text().startswith("before\n## rcabench: passed")


def test_a_reason_that_no_item_has_is_an_error_of_its_own(job: Bench) -> None:
    """Where nothing was measured, no item failed and the run did."""
    job.windows("unmeasured")

    result = job.ask("--rca-fail-on=never")

    assert result.ret == 1
    first, second = _commands(result)
    assert first == "::error title=rcabench::nothing was measured"
    assert second.startswith("::warning file=incidents/unmeasured.yaml,")
    assert result.outlines[-1] == "rca: nothing was measured"
    assert _outputs(job.path / "outputs") == {
        "verdict": "unmeasured",
        "pass_rate": "",
        "cost": "0.0000",
    }


def test_a_summary_that_cannot_be_written_is_told_and_changes_no_verdict(
    job: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run was paid for."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job.path / "no/such/folder"))
    job.windows("pass")

    result = job.ask()

    assert result.ret == 0
    result.stdout.fnmatch_lines(["rca: */no/such/folder: cannot be written: *"])


def test_outside_of_a_job_nothing_is_told(bench: Bench) -> None:
    """The log of a desk has no commands."""
    bench.windows("wrong")

    assert _commands(bench.ask()) == []


def test_no_answer_speaks_as_a_command(job: Bench) -> None:
    """A runner obeys `::` at the start of a line and `##[` anywhere: one could silence the log."""
    job.windows("wrong")
    spoken = "::stop-commands::x\\n::error::no ##[stop-commands]x"
    script = job.path / "system.py"
    issue = {"title": spoken, "severity": "error", "service": spoken, "cause": spoken}
    script.write_text(f"print({json.dumps(json.dumps({'issues': [issue], 'notes': [spoken]}))})")

    result = job.ask("--rca-fail-on=half", "-vv")

    lines = [line for line in result.outlines + result.errlines if COMMAND.match(line)]
    assert lines == _commands(result)
    assert len(lines) == 1
    assert lines[0].startswith("::error file=incidents/wrong.yaml,")


def _commands(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("::")]


def _outputs(path: Path) -> dict[str, str]:
    """Return what a runner reads from the outputs file at *path*."""
    return {name: value.removesuffix("\n") for name, _, value in OUTPUT.findall(path.read_text())}
