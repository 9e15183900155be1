"""What a system said of an incident when it first met it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_rcabench.domain.first_contact import contacts_in, earliest, system_of
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

GEMINI = ColumnInfo("gemini", "gemini", "gemini-3.6-flash", "1.2.8")


def _run(started: str, *columns: ColumnInfo, **words: tuple[Word, ...]) -> Results:
    """Return a run in which each column got *words* [rounds] for each incident."""
    return Results(
        run=RunInfo(f"run-{started}", started, started, GitState(), (), "0"),
        scorer_digest="s",
        prompt_digest="",
        columns=columns,
        incidents=tuple(
            IncidentInfo(name, name, "capacity", "held_out", "easy", "", ("cause",), "e", "t", "p")
            for name in words
        ),
        cells=tuple(
            Cell(RunKey(name, column.name, number), word)
            for column in columns
            for name, rounds in words.items()
            for number, word in enumerate(rounds, 1)
        ),
    )


@pytest.mark.parametrize(
    ("column", "system"),
    [
        (GEMINI, "gemini"),
        (ColumnInfo("mine", "gemini", "another model"), "gemini"),
        (ColumnInfo("mine", "command"), "mine"),
        (ColumnInfo("mine", "https"), "mine"),
        (ColumnInfo("mine", "our-hook"), "our-hook"),
        (ColumnInfo("oracle", "control"), ""),
    ],
)
def test_a_system_is_its_provider_or_the_name_of_its_column(
    column: ColumnInfo, system: str
) -> None:
    """A new version, label or model is no new system; a control is none."""
    assert system_of(column) == system


def test_the_first_run_of_an_incident_counts_whatever_came_later() -> None:
    """A later version does better, and nothing of that is first contact."""
    first = _run("1", GEMINI, leak=("wrong", "half"))
    second = _run("2", replace(GEMINI, label="1.2.10"), leak=("pass",), skew=("pass",))
    contacts = earliest([*contacts_in(second), *contacts_in(first)])

    assert [(one.incident, one.column, one.verdicts) for one in contacts] == [
        ("leak", "gemini 1.2.8", ("wrong", "half")),
        ("skew", "gemini 1.2.10", ("pass",)),
    ]


def test_of_one_run_the_first_column_counts() -> None:
    """Which of two columns was asked first is not known; which was named first is."""
    run = _run("1", GEMINI, replace(GEMINI, name="again", label=""), leak=("pass",))

    assert [contact.column for contact in contacts_in(run)] == ["gemini 1.2.8"]


def test_each_system_has_a_first_contact_of_its_own() -> None:
    """What one was told by a failure, another was not."""
    run = _run("1", GEMINI, ColumnInfo("sut", "command"), leak=("pass",))

    assert [contact.system for contact in contacts_in(run)] == ["gemini", "sut"]


def test_a_column_without_an_answer_is_no_contact() -> None:
    """Nothing was measured, and a control learns nothing."""
    nothing = _run("1", GEMINI, leak=("unmeasured",))
    partly = _run("2", GEMINI, leak=("unmeasured", "pass"))

    assert contacts_in(nothing) == ()
    assert contacts_in(_run("1", ColumnInfo("oracle", "control"), leak=("pass",))) == ()
    assert [contact.verdicts for contact in contacts_in(partly)] == [("unmeasured", "pass")]
