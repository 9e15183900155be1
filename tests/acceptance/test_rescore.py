"""Kept answers give the same verdicts again, and no others are ever pooled with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.cli import main
from pytest_rcabench.domain.incident import evidence_digest, truth_digest
from pytest_rcabench.domain.scoring import scorer_digest
from pytest_rcabench.engine.prompt import prompt_digest
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.files.package import package_digest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Bench

ANSWERS = ("half", "pass", "silent", "unmeasured", "wrong")


@pytest.fixture
def asked(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return a project whose system was asked about every answer that it has, and go there."""
    for answer in ANSWERS:
        bench.incident(answer, answer)
    bench.ask("--rca-json=results.json")
    monkeypatch.chdir(bench.path)
    return bench


def _report(*paths: str) -> str:
    assert main(["report", *paths, "--markdown", "report.md"]) == 0
    return Path("report.md").read_text(encoding="utf-8")


def test_nothing_changes_while_scorer_and_incidents_stay(
    asked: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """The new file is the old one byte for byte, whatever was answered, and so is its report."""
    assert main(["rescore", "results.json", "--out", "again.json"]) == 0
    assert capsys.readouterr().out == "0 of 4 verdicts changed\n"

    assert Path("again.json").read_bytes() == Path("results.json").read_bytes()
    assert _report("again.json") == _report("results.json")
    (record,) = (asked.path / ".rcabench/runs").iterdir()
    assert _report(str(record)) == _report("results.json")


def test_one_character_of_a_rubric_is_a_diff_and_ends_all_pooling(
    asked: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Verdicts by two truths stand beside each other, and no rate is made of both."""
    incident = asked.path / "incidents" / "half.yaml"
    text = incident.read_text(encoding="utf-8")
    incident.write_text(text.replace('"connection*"', '"connections*"', 1), encoding="utf-8")

    assert main(["rescore", "results.json", "--out", "again.json"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "half: this incident changed since the run: its truth",
        "0 of 4 verdicts changed",
    ]
    incident.write_text(text.replace('"connection*"', '"konnection*"', 1), encoding="utf-8")
    assert main(["rescore", "results.json", "--out", "again.json"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "half: this incident changed since the run: its truth",
        "half::sut::r1: half -> wrong",
        "1 of 4 verdicts changed",
    ]

    both = _report("results.json", "again.json")
    refusal = (
        "**these runs were scored by different truths of half: nothing is compared or pooled "
        "before `rcabench rescore RESULTS --out PATH` scored each run by one**"
    )
    assert refusal in both.replace("\\`", "`")
    assert "every column answered" not in both
    assert "first contact" not in both
    assert asked.verdicts()["half::sut::r1"] == "half"


def test_runs_of_two_scorers_are_not_pooled_either(
    asked: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """The terminal says so, too."""
    text = Path("results.json").read_text(encoding="utf-8")
    old = text.replace(f'"digest": "{asked.results()["scorer"]["digest"]}"', '"digest": "0"')
    Path("old.json").write_text(old, encoding="utf-8")

    assert main(["report", "old.json", "results.json"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "these runs were scored by different scorers (0, e99ec2ce" in said
    assert "first contact" not in said


def test_each_cell_can_be_traced_to_all_that_made_it(models: Bench) -> None:
    """Incident, scorer, prompt, code and model by what cannot be renamed, in the file itself."""
    models.incident("leak")
    models.run("--rca-provider=claude:claude-fake", "--rca-json=results.json")
    results = models.results()
    (cell,) = results["cells"]
    (info,) = results["incidents"]
    incident = read_incident(models.path / "incidents" / "leak.yaml")

    assert cell["incident"] == info["id"]
    assert info["evidence_digest"] == evidence_digest(incident.evidence)
    assert info["truth_digest"] == truth_digest(incident)
    assert results["scorer"]["digest"] == scorer_digest()
    assert results["prompt"]["digest"] == prompt_digest()
    assert results["run"]["package_digest"] == package_digest()
    assert cell["model"] == "claude-fake-1"
