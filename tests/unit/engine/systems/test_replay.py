"""Answers out of a record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.analysis import Analysis, AnswerFault, Attempt, Issue, Severity, Usage
from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.errors import OptionError, Unmeasured
from pytest_rcabench.domain.run import (
    ColumnInfo,
    GitState,
    Results,
    RunInfo,
    RunKey,
    incident_info,
    measured_cell,
    unmeasured_cell,
)
from pytest_rcabench.domain.scoring import score
from pytest_rcabench.engine.protocols import analyze
from pytest_rcabench.engine.systems.replay import Replay
from pytest_rcabench.files.incident_yaml import read_incident

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rcabench.domain.incident import Incident

READ = replace(
    read_answer('{"issues": [{"title": "t", "severity": "error", "service": "s", "cause": "c"}]}'),
    attempts=(Attempt(1.5, "ok"),),
    usage=Usage(10, 20, 0.01),
)
IN_PYTHON = Analysis(issues=(Issue("t", Severity.ERROR, "s", "c"),), notes=("no reply",))
CRASHED = Analysis(fault=AnswerFault("crashed", "exit 1"), attempts=(Attempt(0.5, "exit 1"),))
REFUSED = Analysis(fault=AnswerFault("refused", "safety"), reply='{"issues": []}')


@pytest.fixture
def incident(tmp_path: Path, write_incident: Callable[..., Path]) -> Incident:
    """Return a small incident."""
    return read_incident(write_incident(tmp_path, "leak"))


@pytest.fixture
def results(incident: Incident) -> Results:
    """Return a run of four answers and one that is missing."""
    answers = enumerate((READ, IN_PYTHON, CRASHED, REFUSED), start=1)
    return Results(
        run=RunInfo("id", "", "", GitState(), (), ""),
        scorer_digest="",
        prompt_digest="",
        columns=(ColumnInfo("sut", "mine"),),
        incidents=(incident_info(incident, "leak.yaml"),),
        cells=(
            *(
                measured_cell(RunKey("leak", "sut", number), answer, score(answer, incident))
                for number, answer in answers
            ),
            unmeasured_cell(RunKey("leak", "sut", 5), "quota", "tomorrow"),
        ),
    )


def test_an_answer_comes_back_as_it_was(incident: Incident, results: Results) -> None:
    """Read from its reply, or as it was kept where no reply can show it; a fault stays a fault."""
    replay = Replay(results, "sut")

    answers = [analyze(replay, incident, number) for number in (1, 2, 3, 4)]

    assert answers == [READ, IN_PYTHON, CRASHED, REFUSED]


def test_a_verdict_without_its_answer_is_unmeasured(incident: Incident, results: Results) -> None:
    """A transcribed verdict holds nothing that could be scored."""
    cells = tuple(replace(cell, analysis=None, reply="") for cell in results.cells)

    with pytest.raises(Unmeasured, match="not recorded: of this answer only the verdict was kept"):
        analyze(Replay(replace(results, cells=cells), "sut"), incident, 1)


def test_what_is_not_in_the_record_is_unmeasured(incident: Incident, results: Results) -> None:
    """A missing answer, another round, another incident and other evidence."""
    replay = Replay(results, "sut")
    changed = replace(incident, evidence=replace(incident.evidence, logs=()))

    for asked, number, said in (
        (incident, 5, "not recorded: it had no answer then: quota"),
        (incident, 6, "not recorded: the record holds no answer"),
        (replace(incident, id="other"), 1, "not recorded: the record holds no answer"),
        (changed, 1, "not recorded: the evidence of this incident changed"),
    ):
        with pytest.raises(Unmeasured, match=said):
            analyze(replay, asked, number)


def test_a_replay_cannot_answer_for_evidence_alone(incident: Incident, results: Results) -> None:
    """An answer belongs to a round."""
    with pytest.raises(OptionError, match="hand it both"):
        Replay(results, "sut").analyze(incident.evidence)
