"""Which verdicts may stand beside each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_rcabench.domain.run import (
    Cell,
    ColumnInfo,
    GitState,
    IncidentInfo,
    Results,
    RunInfo,
    RunKey,
    Word,
)
from pytest_rcabench.reports.comparable import common_lines, different_evidence, not_comparable


def _run(label: str, **words: tuple[Word, ...]) -> Results:
    """Return a run of the column ``sut`` that got *words* [rounds] for each incident."""
    return Results(
        run=RunInfo(label, label, label, GitState(), (), "0"),
        scorer_digest="5" * 64,
        prompt_digest="",
        columns=(ColumnInfo("sut", "command", "", label),),
        incidents=tuple(
            IncidentInfo(name, name, "capacity", "held_out", "easy", "", (), "e", "t", "p")
            for name in words
        ),
        cells=tuple(
            Cell(RunKey(name, "sut", number), word)
            for name, rounds in words.items()
            for number, word in enumerate(rounds, 1)
        ),
    )


OLD = _run("1.2.8", leak=("pass", "half"), skew=("wrong", "wrong"))
NEW = _run("1.2.10", leak=("pass",))


def test_runs_of_one_scorer_and_one_set_are_comparable() -> None:
    """One run always is."""
    assert not_comparable(OLD) == not_comparable(OLD, NEW) == ""


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (
            replace(NEW, scorer_digest="6" * 64),
            (
                "scored by different scorers (555555555555, 666666666666): nothing is compared or "
                "pooled before `rcabench rescore RESULTS --out PATH` scored each run with one"
            ),
        ),
        (
            replace(NEW, incidents=(replace(NEW.incidents[0], truth_digest="u"),)),
            (
                "scored by different truths of leak: nothing is compared or pooled before "
                "`rcabench rescore RESULTS --out PATH` scored each run by one"
            ),
        ),
    ],
)
def test_what_was_judged_otherwise_is_not_compared(other: Results, reason: str) -> None:
    """One line says why and what to do, and no rate is made of both."""
    assert not_comparable(OLD, other) == reason
    assert common_lines(OLD, other) == ()


def test_columns_are_compared_on_what_all_of_them_answered() -> None:
    """Moving a failure out makes the later column no better than the older one."""
    assert common_lines(OLD, NEW) == (
        (
            "all checks on the held-out incidents that every column answered (1): "
            "sut 1.2.8 1/2 · sut 1.2.10 1/1"
        ),
    )


def test_answers_to_other_evidence_are_not_compared() -> None:
    """What stays can be compared; what was edited since cannot."""
    later = _run("1.2.10", leak=("pass",), skew=("pass",))
    leak, skew = later.incidents
    edited = replace(later, incidents=(leak, replace(skew, evidence_digest="f")))

    assert different_evidence(OLD, later) == []
    assert different_evidence(OLD, edited) == ["skew"]
    assert not_comparable(OLD, edited) == ""
    assert common_lines(OLD, edited) == common_lines(OLD, NEW)


@pytest.mark.parametrize("change", [{"set": "tuned"}, {"twin_of": "leak"}, {"graded": ("commit",)}])
def test_what_is_not_in_the_headline_is_not_common(change: dict[str, object]) -> None:
    """A moved incident that runs on as a tuned one is no common incident."""
    tuned = _run("1.2.10", leak=("pass",), skew=("pass",))
    leak, skew = tuned.incidents
    later = replace(tuned, incidents=(leak, replace(skew, **change)))  # type: ignore[arg-type]

    assert common_lines(OLD, later) == common_lines(OLD, NEW)


def test_an_incident_without_an_answer_is_not_common() -> None:
    """A column that was down is compared on what it answered."""
    [line] = common_lines(OLD, _run("1.2.10", leak=("pass",), skew=("unmeasured",)))

    assert line.endswith("sut 1.2.8 1/2 · sut 1.2.10 1/1")


def test_columns_of_the_same_incidents_need_no_line() -> None:
    """Their rates are on common incidents already, and so are those of one column."""
    assert common_lines(OLD, replace(OLD)) == common_lines(OLD) == ()
    assert common_lines(OLD, _run("1.2.10", pool=("pass",))) == ()
