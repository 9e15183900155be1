"""Verdicts derived again from kept replies."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.analysis import Analysis, AnswerFault, Attempt, Usage
from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.incident import (
    Change,
    Evidence,
    Fault,
    Incident,
    LogRecord,
    Window,
    truth_digest,
)
from pytest_rcabench.domain.run import (
    Cell,
    ColumnInfo,
    GitState,
    Results,
    RunInfo,
    RunKey,
    incident_info,
    measured_cell,
    unmeasured_cell,
)
from pytest_rcabench.domain.scoring import score, scorer_digest
from pytest_rcabench.files.results import write_results
from pytest_rcabench.reports.rescoring import changed_incidents, changed_since, rescore
from pytest_rcabench.reports.summary import summarize, summary_to_json

if TYPE_CHECKING:
    from pathlib import Path

SHA = "4f1c2d3e5b6a79880123456789abcdef01234567"
NOON = datetime(2026, 10, 7, 12, tzinfo=UTC)
ONE = NOON.replace(hour=13)
LEAK = Incident(
    id="leak",
    title="A leak",
    kind="bad_deploy",
    difficulty="easy",
    evidence=Evidence(
        Window(NOON, ONE),
        (LogRecord(NOON, "orders-api", "orders-1", "ERROR", "pool exhausted"),),
        (),
        (Change("commit", NOON, "orders-api", sha=SHA, message="Validate coupon"),),
    ),
    truth=Fault("orders-api", NOON, (("connection*",), ("leak*", "never closed")), commits=(SHA,)),
)
ANSWER = {
    "title": "Connection leak",
    "severity": "error",
    "service": "orders-api",
    "cause": "Connections are never closed.",
    "commits": [SHA],
}


def _cell(number: int, reply: str) -> Cell:
    analysis = replace(read_answer(reply), usage=Usage(10, 5, 0.01), attempts=(Attempt(1.5, "ok"),))
    return measured_cell(RunKey("leak", "gemini", number), analysis, score(analysis, LEAK))


def _results(*cells: Cell) -> Results:
    return Results(
        run=RunInfo("one", "a", "b", GitState(), (), "0"),
        scorer_digest=scorer_digest(),
        prompt_digest="",
        columns=(ColumnInfo("gemini", "gemini"),),
        incidents=(incident_info(LEAK, "leak.yaml"),),
        cells=cells,
    )


RIGHT = json.dumps({"issues": [ANSWER], "usage": {"input_tokens": 99}})
FENCED = f"```json\n{RIGHT}\n```"


def _every_cell() -> tuple[Cell, ...]:
    crash = Analysis(fault=AnswerFault("crashed", "exit 1"), reply='{"issues": []}')
    key = RunKey("leak", "gemini", 6)
    return (
        _cell(1, RIGHT),
        _cell(2, FENCED),
        _cell(3, '{"issues": []}'),
        _cell(4, "no idea \ud83d"),
        _cell(5, ""),
        measured_cell(key, crash, score(crash, LEAK)),
        unmeasured_cell(RunKey("leak", "gemini", 7), "rate limit", "429"),
    )


def test_a_verdict_without_its_answer_is_refused() -> None:
    """A verdict that was transcribed from a page stays what it is, and never passes for scored."""
    results = _results(Cell(RunKey("leak", "gemini", 1), "pass"))

    with pytest.raises(RecordError, match="leak::gemini::r1: of this answer only the verdict"):
        rescore(results, {"leak": LEAK})


def test_nothing_changes_when_nothing_changed(tmp_path: Path) -> None:
    """The same scorer and incidents give the same file, byte for byte, faults and all."""
    results = _results(*_every_cell())
    again, changes = rescore(results, {"leak": LEAK})
    for name, each in {"before": results, "after": again}.items():
        write_results(tmp_path / name, each, summary_to_json(summarize(each)))

    assert changes == ()
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
    assert [cell.verdict for cell in again.cells].count("pass") >= 1


def test_another_truth_changes_the_verdict_and_says_so() -> None:
    """The old verdict, the new one and the key stand in the line; price and time stay."""
    moved = replace(LEAK, truth=Fault("checkout-web", NOON, (("connection*",),)))
    results = _results(_cell(1, RIGHT))
    again, changes = rescore(results, {"leak": moved})

    assert list(map(str, changes)) == ["leak::gemini::r1: pass -> wrong"]
    assert again.cells[0].usage == Usage(10, 5, 0.01)
    assert again.cells[0].attempts == (Attempt(1.5, "ok"),)
    assert again.incidents[0].truth_digest == truth_digest(moved)


def test_a_verdict_of_an_older_scorer_is_replaced() -> None:
    """What an old scorer said counts for nothing; its digest is replaced with ours."""
    old = replace(_cell(1, RIGHT), verdict="half", checks=())
    again, changes = rescore(replace(_results(old), scorer_digest="old"), {"leak": LEAK})

    assert [change.after for change in changes] == ["pass"]
    assert again.scorer_digest == scorer_digest()
    assert again.cells[0].checks == _cell(1, RIGHT).checks


def test_an_answer_without_a_reply_is_scored_by_what_was_kept_of_it() -> None:
    """A system in Python answers with a value; a crash has no answer, but a verdict."""
    moved = replace(LEAK, truth=Fault("checkout-web", NOON, (("connection*",),)))
    crash = _every_cell()[5]
    again, changes = rescore(_results(replace(_cell(1, RIGHT), reply=""), crash), {"leak": moved})

    assert list(map(str, changes)) == ["leak::gemini::r1: pass -> wrong"]
    assert again.cells[1].fault == "crashed"
    assert len(again.cells[1].checks) == len(score(Analysis(), moved).checks)


def test_what_was_left_out_of_the_window_stays_told() -> None:
    """No reply shows what a system was not shown."""
    analysis = replace(read_answer(RIGHT), left_out=("2 diffs",))
    cell = measured_cell(RunKey("leak", "gemini", 1), analysis, score(analysis, LEAK))
    again, _ = rescore(_results(replace(cell, verdict="half")), {"leak": LEAK})

    assert again.cells == (cell,)


def test_a_missing_incident_is_named_with_a_remedy() -> None:
    """The reader learns which incident, and how to say where it is."""
    with pytest.raises(RecordError, match=r"leak: no such incident here; .*--incidents"):
        rescore(_results(_cell(1, RIGHT)), {})


def test_an_incident_that_only_has_missing_answers_is_not_needed() -> None:
    """Nothing was answered, so there is nothing to score."""
    results = _results(unmeasured_cell(RunKey("leak", "gemini", 1), "network", ""))

    assert rescore(results, {}) == (results, ())


def test_a_changed_incident_is_told_with_what_changed() -> None:
    """Evidence and truth are told apart; an unchanged or unknown incident is no news."""
    evidence = replace(LEAK.evidence, logs=())
    results = _results()

    assert changed_incidents(results, {"leak": LEAK}) == ()
    assert changed_incidents(results, {}) == ()
    assert changed_incidents(results, {"leak": replace(LEAK, evidence=evidence)}) == (
        "leak: this incident changed since the run: its evidence",
    )
    assert changed_incidents(
        results, {"leak": replace(LEAK, evidence=evidence, kind="capacity")}
    ) == ("leak: this incident changed since the run: its evidence and truth",)


def test_a_later_run_tells_what_changed_in_the_same_words() -> None:
    """A replay has no other source; an incident that is new in it is no change."""
    before = _results()
    [info] = before.incidents
    now = replace(info, evidence_digest="x", truth_digest="y")
    after = replace(before, incidents=(now, replace(info, id="new", truth_digest="z")))

    assert changed_since(before, before) == ()
    assert changed_since(before, after) == (
        "leak: this incident changed since the run: its evidence and truth",
    )
