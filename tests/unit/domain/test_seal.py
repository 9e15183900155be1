"""Whether published runs are what was sealed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_rcabench.domain.run import (
    ColumnInfo,
    GitState,
    IncidentInfo,
    Results,
    RunInfo,
    RunKey,
    unmeasured_cell,
)
from pytest_rcabench.domain.seal import Seal, differences

SEAL = Seal(
    date="2026-11-30T09:00:00Z",
    package="0",
    scorer="s",
    prompt="p",
    rounds=2,
    columns=(("a", "gemini", "g"), ("b", "claude", "c")),
    incidents=(("leak", "e", "t"),),
)


def _run(*columns: ColumnInfo, rounds: tuple[int, ...] = (1, 2)) -> Results:
    return Results(
        run=RunInfo("one", "a", "b", GitState(), (), "0"),
        scorer_digest="s",
        prompt_digest="p",
        columns=columns,
        incidents=(
            IncidentInfo(
                id="leak",
                title="",
                kind="bad_deploy",
                set="held_out",
                difficulty="easy",
                twin_of="",
                graded=(),
                evidence_digest="e",
                truth_digest="t",
                path="leak.yaml",
            ),
        ),
        cells=tuple(
            unmeasured_cell(RunKey("leak", column.name, number), "network", "")
            for column in columns
            for number in rounds
        ),
    )


A, B = ColumnInfo("a", "gemini", "g"), ColumnInfo("b", "claude", "c")
RUN = _run(A, B)


def test_exactly_what_was_sealed_is_fine_in_one_file_or_two() -> None:
    """A missing answer is there, and says so; columns may be published apart."""
    assert list(differences(SEAL, [RUN])) == []
    assert list(differences(SEAL, [_run(A), replace(_run(B), prompt_digest="")])) == []


@pytest.mark.parametrize(
    ("runs", "what"),
    [
        ([_run(A)], ["column b is missing", "2 of 4 sealed answers are missing: leak::b::r1, …"]),
        ([_run(A, B, rounds=(2,))], ["2 of 4 sealed answers are missing: leak::a::r1, …"]),
        ([_run(A, B, rounds=(1, 2, 3))], ["2 answers were not sealed: leak::a::r3, …"]),
        ([RUN, _run(A, rounds=(1,))], ["1 answers are there twice: leak::a::r1"]),
        ([_run(A, replace(B, model="d"))], ["column b is another one now"]),
        ([replace(RUN, scorer_digest="x")], ["scorer x was sealed as s"]),
        ([replace(RUN, prompt_digest="x")], ["prompt x was sealed as p"]),
        (
            [replace(RUN, incidents=(replace(RUN.incidents[0], truth_digest="x"),))],
            ["incident leak is another one now"],
        ),
    ],
)
def test_every_difference_is_named(runs: list[Results], what: list[str]) -> None:
    """Dropped, added, asked twice, or another one under the same name."""
    assert list(differences(SEAL, runs)) == what


def test_a_column_and_an_incident_that_were_not_sealed_are_named() -> None:
    """More than was said is as telling as less."""
    more = _run(A, B, ColumnInfo("c", "heuristic"))
    other = replace(more.incidents[0], id="other")

    assert list(differences(SEAL, [replace(more, incidents=(*more.incidents, other))])) == [
        "column c was not sealed",
        "incident other was not sealed",
        "2 answers were not sealed: leak::c::r1, …",
    ]
