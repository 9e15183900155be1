"""What no move of an incident can make better."""

from __future__ import annotations

from dataclasses import replace

from pytest_rcabench.domain.first_contact import contacts_in
from pytest_rcabench.domain.run import (
    Cell,
    ColumnInfo,
    GitState,
    IncidentInfo,
    Move,
    Results,
    RunInfo,
    RunKey,
    Word,
)
from pytest_rcabench.reports.comparable import common_lines
from pytest_rcabench.reports.first_contact import first_contact_lines, held_out_lines

MOVE = Move("skew", "2026-12-03", "1.2.10", "the prompt shows hosts", "c0ffee0" * 5 + "00000")


def _run(label: str, moves: tuple[Move, ...] = (), **words: tuple[Word, ...]) -> Results:
    """Return a run of the column ``sut`` that got *words* [rounds] for each incident."""
    moved = {move.incident for move in moves}
    return Results(
        run=RunInfo(label, label, label, GitState(), (), "0"),
        scorer_digest="5" * 64,
        prompt_digest="",
        columns=(ColumnInfo("sut", "command", "", label),),
        incidents=tuple(
            IncidentInfo(
                name,
                name,
                "capacity",
                "tuned" if name in moved else "held_out",
                "easy",
                "",
                ("service", "cause", "commit"),
                "e",
                "t",
                "p",
            )
            for name in words
        ),
        cells=tuple(
            Cell(RunKey(name, "sut", number), word)
            for name, rounds in words.items()
            for number, word in enumerate(rounds, 1)
        ),
        moves=moves,
    )


OLD = _run("1.2.8", leak=("pass", "half"), skew=("wrong", "wrong"))
NEW = _run("1.2.9", (MOVE,), leak=("pass",), skew=("pass",), pool=("half",))


def test_a_moved_incident_stays_in_the_rate_of_first_contact() -> None:
    """It failed when it was met; neither the move nor its later pass changes that."""
    expected = (
        "first contact of sut with held-out incidents: all checks 1/5 (1 of them tuned now)",
    )
    later = replace(NEW, first_contact=contacts_in(OLD))

    assert first_contact_lines(OLD, NEW) == first_contact_lines(NEW, OLD) == expected
    assert first_contact_lines(later) == expected


def test_who_meets_an_incident_for_the_first_time_has_no_other_rate() -> None:
    """Its own rate is that of first contact; one sentence says so for all who are new."""
    other = replace(OLD, columns=(ColumnInfo("new", "gemini"),), cells=())
    cells = tuple(replace(one, key=replace(one.key, column="new")) for one in OLD.cells)

    assert first_contact_lines(OLD, replace(other, cells=cells)) == (
        "first contact of sut, gemini: no earlier answer is known",
    )
    assert first_contact_lines(other) == first_contact_lines() == ()


def test_what_was_tuned_when_it_was_met_is_not_counted() -> None:
    """Without the older run nobody can show that it was ever held out."""
    older = _run("1.2.8", pool=("wrong",))

    assert first_contact_lines(older, NEW) == (
        "first contact of sut with held-out incidents: all checks 1/2",
    )


def test_twins_and_other_rubrics_stand_apart() -> None:
    """As everywhere else."""
    leak, skew = OLD.incidents
    run = replace(OLD, incidents=(replace(leak, twin_of="skew"), replace(skew, graded=("commit",))))

    assert first_contact_lines(NEW, run) == (
        "first contact of sut with held-out incidents: all checks 0/1",
        "first contact of sut with held-out twins: all checks 1/2",
        (
            "first contact of sut with held-out incidents, graded by commit alone: all checks 0/2 "
            "(1 of them tuned now)"
        ),
    )


def test_verdicts_of_another_scorer_are_left_out() -> None:
    """In what the record remembers; runs of different scorers have no rate in common at all."""
    old = replace(OLD, scorer_digest="6" * 64)
    later = replace(NEW, first_contact=contacts_in(old))

    assert first_contact_lines(later) == (
        (
            "first contact of sut with held-out incidents: all checks 0/1 (2 scored by another "
            "scorer left out)"
        ),
    )
    assert first_contact_lines(old, NEW) == ()


def test_an_answer_that_never_came_leaves_the_rate_open() -> None:
    """It is no miss, and no hit either."""
    run = _run("1", leak=("unmeasured", "pass"))

    assert first_contact_lines(run, NEW)[0].endswith("1/2; 1–2 of 3 with 1 unmeasured")


def test_common_incidents_are_told_with_first_contacts() -> None:
    """Both stand beside the held-out rates of a report."""
    first, common = held_out_lines(OLD, NEW)

    assert (first,) == first_contact_lines(OLD, NEW)
    assert (common,) == common_lines(OLD, NEW)
