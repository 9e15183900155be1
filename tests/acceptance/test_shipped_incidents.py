"""The shipped incidents are fair, and the pages about them are true."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_rcabench.domain.incident import Incident, evidence_to_json
from pytest_rcabench.files.incident_set import shipped_incidents
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.lint.pages import pages
from pytest_rcabench.lint.rules import LintReport, lint_paths

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "reference" / "incidents"
FILES = sorted(
    file for name in ("held_out", "tuned") for file in (shipped_incidents() / name).glob("*.yaml")
)
PUBLISHED = frozenset(
    {
        "connection-leak",
        "retry-storm",
        "kafka-rebalance-loop",
        "clock-skew",
        "autoscaler-cap",
        "table-rewrite-migration",
        "feature-flag-rollout",
        "carrier-rate-limit",
        "traffic-spike-absorbed",
        "smtp-password-rotated",
        "es-disk-watermark",
    }
)


@pytest.fixture(scope="module")
def incidents() -> list[Incident]:
    """Return the shipped incidents."""
    return [read_incident(file) for file in FILES]


@pytest.fixture(scope="module")
def report() -> LintReport:
    """Return what the lint says of the shipped set."""
    return lint_paths([shipped_incidents()])


def test_the_lint_finds_no_error(report: LintReport) -> None:
    """Nothing in the set gives the truth away, contradicts itself or is solved by a trick."""
    assert [str(error) for error in report.errors] == []


def test_the_lint_has_nothing_to_note(report: LintReport) -> None:
    """What an own incident may lack, ours have."""
    assert [str(note) for note in report.notes] == []


def test_every_mutant_is_killed(report: LintReport) -> None:
    """The scorer gives each the verdict that it deserves."""
    assert report.mutants > 2000
    assert report.killed == report.mutants


def test_the_set_is_complete(incidents: list[Incident]) -> None:
    """The eleven published windows, five twins of them, and four healthy ones in all."""
    ids = {incident.id for incident in incidents}
    twins = [incident for incident in incidents if incident.twin_of in PUBLISHED]

    assert ids >= PUBLISHED
    assert len(twins) >= 5
    assert sum(incident.is_healthy for incident in incidents) >= 4


def test_what_an_analyser_gets_says_nothing_of_the_file(incidents: list[Incident]) -> None:
    """Neither title, canary and file name, nor what the file says of truth and distractors."""
    for incident in incidents:
        shown = json.dumps(evidence_to_json(incident.evidence), ensure_ascii=False)
        notes = [distractor.why for distractor in incident.distractors]
        notes += [said.why for said in incident.said_in_evidence]
        notes += incident.examples.right
        secrets = [incident.title, incident.canary, f"{incident.id}.yaml", "rcabench canary"]

        assert [secret for secret in secrets if secret.casefold() in shown.casefold()] == []
        assert [note for note in notes if len(note) > 40 and note in shown] == []


def test_comments_of_a_file_never_reach_an_analyser(tmp_path: Path) -> None:
    """What a file says after a # is for its authors."""
    source = FILES[0].read_text(encoding="utf-8")
    path = tmp_path / FILES[0].name
    path.write_text(source.replace("\nkind:", "  # the pool leaks\nkind:"), encoding="utf-8")

    assert "the pool leaks" in path.read_text(encoding="utf-8")
    assert read_incident(path).evidence == read_incident(FILES[0]).evidence


def test_each_incident_has_its_page(incidents: list[Incident]) -> None:
    """To renew them: python -m pytest_rcabench.lint.pages incidents docs/reference/incidents."""
    made = pages(incidents)

    assert {file.name: file.read_text("utf-8") for file in PAGES.glob("*.md")} == made
