"""24 incidents that nobody here wrote reproduce their authors' figures."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from pytest_rcabench.domain.incident import Fault, Incident
from pytest_rcabench.domain.scoring import score
from pytest_rcabench.engine.protocols import analyze
from pytest_rcabench.engine.systems.controls import control
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.importers import ImportReport, import_rootcausebench
from pytest_rcabench.lint.rules import lint_paths

BESIDE_THE_CHECKOUT = Path(__file__).parents[2] / "../shared/data/rootcausebench"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> ImportReport:
    """Return the report of importing the real data, or skip where there is none."""
    source = Path(os.environ.get("RCABENCH_ROOTCAUSEBENCH") or BESIDE_THE_CHECKOUT)
    if not source.exists():
        pytest.skip(f"RootCauseBench data not found at {source}: set RCABENCH_ROOTCAUSEBENCH")
    return import_rootcausebench(source, tmp_path_factory.mktemp("rootcausebench"))


@pytest.fixture(scope="module")
def incidents(report: ImportReport) -> list[Incident]:
    """Return the incidents as they are read from the files that were written."""
    return [read_incident(imported.path) for imported in report.incidents]


def test_the_data_is_a_published_commit(incidents: list[Incident]) -> None:
    """The figures below belong to data that is named."""
    assert {"470c2ba33cf1707070348428cbc7204747c2adfd"} == {
        incident.source.commit for incident in incidents
    }


def test_there_are_17_with_a_culprit_and_7_without(incidents: list[Incident]) -> None:
    """Every incident of the data set is imported, and none is a healthy window."""
    culprits = [
        len(incident.truth.commits) for incident in incidents if isinstance(incident.truth, Fault)
    ]

    assert sorted(culprits) == [0] * 7 + [1] * 17


def test_nothing_is_lost(incidents: list[Incident]) -> None:
    """The counts of the source files: records, samples, commits, deploys, flags and spans."""
    every = [incident.evidence for incident in incidents]
    changes = Counter(change.type for evidence in every for change in evidence.changes)
    samples = [
        value
        for evidence in every
        for series in evidence.metrics
        for value in series.values
        if value is not None
    ]

    assert sum(len(evidence.logs) for evidence in every) == 2939
    assert len(samples) == 16623 + 10
    assert (changes["commit"], changes["deploy"], changes["flag"]) == (715, 77, 37)
    assert sum(len(evidence.traces) for evidence in every) == 226
    assert sum(len(evidence.alerts) for evidence in every) == 24


def test_the_files_lint_clean(report: ImportReport) -> None:
    """What is said of them is said in notes."""
    linted = lint_paths([report.incidents[0].path.parent])

    assert (linted.files, linted.errors) == (24, ())


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("latest-commit", 0),
        ("silent", 7),
        ("latest-deploy", 1),
        ("alert-service-deploy", 5),
        ("first-deploy", 13),
        ("longest-diff", 11),
        ("oracle", 24),
    ],
)
def test_a_control_is_right_as_often_as_published(
    incidents: list[Incident], name: str, right: int
) -> None:
    """The first four figures are the authors' own, the next two counted on their raw files."""
    answerer = control(name)
    marks = [score(analyze(answerer, incident, 1), incident).mark for incident in incidents]

    assert right == marks.count("pass")
