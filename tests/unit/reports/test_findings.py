"""Sentences on what failed, derived from results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rcabench.domain.run import Move, unmeasured_cell
from pytest_rcabench.reports.findings import findings

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results


def test_every_column_and_set_has_its_sentence(run: Results) -> None:
    """Faulty and healthy windows apart, with blame, rounds that disagree and missing answers."""
    assert "\n".join(findings(run)) == (
        "Gemini 1.2.10: 2 runs on 1 faulty window: 1 with the right root cause failed another "
        "check; 2 runs on 1 healthy window: none failed; 1 run blamed an innocent commit; the "
        "rounds of 1 incident disagree: connection-leak.\n"
        "Gemini 1.2.10, held-out twins: 2 runs on 1 faulty window: 1 had a wrong root cause; the "
        "rounds of 1 incident disagree: connection-leak-twin.\n"
        "Gemini 1.2.10, tuned: all checks passed in every answered round on 1 incident (1 run); 1 "
        "run without an answer.\n"
        "heuristic: 1 run on 1 faulty window: 1 had a wrong root cause; 1 run on 1 healthy window: "
        "1 raised an alarm.\n"
        "heuristic, held-out, graded by commit alone: 1 run on 1 faulty window: 1 had a wrong root "
        "cause.\n"
        "heuristic, tuned: 1 run on 1 faulty window: 1 had a wrong root cause."
    )


def test_a_column_without_answers_passes_nothing(run: Results) -> None:
    """All unmeasured is not all right."""
    cells = tuple(unmeasured_cell(cell.key, "network", "") for cell in run.cells[-1:])

    assert findings(replace(run, cells=cells)) == (
        "heuristic: nothing was measured; 1 run without an answer.",
    )


def test_columns_of_one_name_are_told_apart_by_their_runs(run: Results) -> None:
    """Who reads "agent" twice must know which run it was, as in the heads of the grid."""
    later = replace(run, run=replace(run.run, started="2026-12-01T03:00:00Z"))
    sentences = findings(run, later)

    assert len(set(sentences)) == len(sentences)
    assert any("2026-12-01 03:00: " in sentence for sentence in sentences)


def test_moves_are_counted_once(run: Results) -> None:
    """Two runs that know of the same move tell of one."""
    moved = replace(run, cells=(), moves=(Move("clock-skew", "2026-12-01", "1.2.10", "it led"),))

    assert findings(moved, moved) == (
        "1 incident led to a change and moved to the tuned set: clock-skew.",
    )


def test_an_empty_run_says_nothing(run: Results) -> None:
    """No cell, no sentence."""
    assert findings(replace(run, cells=())) == ()
