"""Who quotes the truth is found out, and nobody else is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.cli import main
from pytest_rcabench.domain.run import (
    ColumnInfo,
    GitState,
    Results,
    RunInfo,
    RunKey,
    incident_info,
    measured_cell,
)
from pytest_rcabench.domain.scoring import score, scorer_digest
from pytest_rcabench.engine.protocols import Analyzer, analyze
from pytest_rcabench.engine.systems.controls import CONTROLS, control
from pytest_rcabench.engine.systems.heuristic import Heuristic
from pytest_rcabench.files.incident_set import shipped_incidents
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.files.results import write_results

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rcabench.domain.incident import Incident


@pytest.fixture(scope="module")
def incidents() -> list[Incident]:
    """Return shipped incidents: two faults, one of them a twin, and a quiet window."""
    names = ("feature-flag-rollout", "connection-leak-idle-timeout", "traffic-spike-absorbed")
    files = {file.stem: file for file in shipped_incidents().rglob("*.yaml")}
    return [read_incident(files[name]) for name in names]


def _ask(path: Path, incidents: list[Incident], systems: dict[str, Analyzer]) -> Path:
    """Write the answers of *systems* to all *incidents* to *path*."""
    cells = []
    for incident in incidents:
        for name, system in systems.items():
            analysis = analyze(system, incident, 1)
            key = RunKey(incident.id, name, 1)
            cells.append(measured_cell(key, analysis, score(analysis, incident)))
    infos = tuple(incident_info(incident, incident.place.path) for incident in incidents)
    columns = tuple(ColumnInfo(name, "control") for name in systems)
    run = RunInfo("one", "a", "b", GitState(), (), "0")
    results = Results(run, scorer_digest(), "", columns, infos, tuple(cells))
    write_results(path, results)
    return path


def test_the_oracle_is_found_out(
    incidents: list[Incident], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says the rubric of every fault; on a healthy window it says nothing."""
    path = _ask(tmp_path / "oracle.json", incidents, {"oracle": control("oracle")})
    faulty = [incident.id for incident in incidents if not incident.is_healthy]

    assert main(["canary", str(path)]) == 1
    *quotes, count, public = capsys.readouterr().out.splitlines()
    assert [quote.partition("::")[0] for quote in quotes] == sorted(faulty)
    assert all("::oracle::r1: quotes the rubric: " in quote for quote in quotes)
    assert count == (
        f"{len(faulty)} of {len(incidents)} answers quote what stands in an incident's file alone"
    )
    assert public.startswith("truth public since an unknown day")


def test_nobody_who_only_read_the_evidence_is_accused(
    incidents: list[Incident], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the heuristic nor a control, one of which says fifty phrases of the trade."""
    naive: dict[str, Analyzer] = {name: control(name) for name in CONTROLS if name != "oracle"}
    path = _ask(tmp_path / "naive.json", incidents, {"heuristic": Heuristic(), **naive})

    assert main(["canary", str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"0 of {len(incidents) * 13} answers quote ")


def test_a_planted_canary_is_found_in_a_record(
    incidents: list[Incident], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the reply as it came, whatever became of it."""
    path = _ask(tmp_path / "silent.json", incidents[:1], {"silent": control("silent")})
    text = path.read_text("utf-8").replace('"reply": "', f'"reply": "{incidents[0].canary} ', 1)
    path.write_text(text, encoding="utf-8")

    assert main(["canary", str(path)]) == 1
    assert f"quotes the canary of {incidents[0].id}" in capsys.readouterr().out


def test_results_of_unknown_incidents_cannot_be_searched(
    incidents: list[Incident], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that says what to do, exit status 2."""
    path = _ask(tmp_path / "silent.json", incidents[:1], {"silent": control("silent")})
    (tmp_path / "empty").mkdir()

    assert main(["canary", str(path), "--incidents", str(tmp_path / "empty")]) == 2
    assert "no such incident here; name the folder" in capsys.readouterr().err
