"""Which run is gone on with, and what its calls have cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.analysis import Attempt, Usage
from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.run import Cell, RunKey
from pytest_rcabench.files.journal import open_run, read_journal
from pytest_rcabench.files.resume import lost_calls, resume, spent_usd

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rcabench.files.journal import JournalRecord

KEY = RunKey("leak", "claude", 1)
HEADER: dict[str, Any] = {
    "columns": [{"name": "claude", "provider": "claude", "model": "sonnet"}],
    "incidents": [{"id": "leak", "evidence_digest": "e", "truth_digest": "t"}],
    "settings": {"claude": {"to": "https://one", "effort": ""}},
    "scorer": {"digest": "s"},
    "prompt": {"digest": "p"},
    "rounds": 3,
    "plan": "abc",
}


def cell(*outcomes: str, cost: float | None = None, error: str = "") -> Cell:
    """Return the cell of `KEY` after attempts with *outcomes*."""
    return Cell(
        KEY,
        "unmeasured" if error else "pass",
        usage=Usage(1, 1, cost),
        attempts=tuple(Attempt(0.1, outcome) for outcome in outcomes),
        error={"reason": error, "detail": ""} if error else None,
    )


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., JournalRecord]:
    """Return a function that makes the record of calls at 0.5 US dollars, and of cells."""

    def make(calls: int, *cells: Cell) -> JournalRecord:
        journal = open_run(tmp_path, run_id="one", header={})
        for _ in range(calls):
            journal.started(KEY, "d", 0.5)
        for each in cells:
            journal.answered(each)
        journal.close()
        return read_journal(journal.path)

    return make


def make_run(folder: Path, run_id: str, **changes: object) -> Path:
    """Write the record of a run whose header has *changes*, and return its journal's path."""
    journal = open_run(folder, run_id=run_id, header=HEADER | changes)
    journal.close()
    return journal.path


def test_the_newest_run_of_the_plan_is_gone_on_with(tmp_path: Path) -> None:
    """One of another plan, a damaged one and one that is being written are passed over."""
    make_run(tmp_path, "1")
    wanted = make_run(tmp_path, "2")
    make_run(tmp_path, "3", rounds=1)
    make_run(tmp_path, "4").write_text("{oops\n{}\n")
    make_run(tmp_path, "5").write_text("")
    busy = open_run(tmp_path, run_id="6", header=HEADER)

    journal, record = resume(tmp_path, HEADER)
    journal.close()
    busy.close()

    assert journal.path == wanted
    assert record.header["rounds"] == 3


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({"rounds": 1}, "it has 3 rounds and not 1"),
        ({"plan": "xyz"}, "other cells were selected"),
        ({"scorer": {"digest": "other"}}, "the scorer changed since"),
        ({"prompt": {"digest": "other"}}, "the prompt changed since"),
        ({"columns": []}, "it has the columns claude"),
        (
            {"incidents": [*HEADER["incidents"], {"id": "storm"}]},
            "it lacks the incidents storm",
        ),
        (
            {"incidents": [{"id": "leak", "evidence_digest": "new", "truth_digest": "t"}]},
            "the incidents leak changed since",
        ),
        (
            {"columns": [{"name": "claude", "provider": "claude", "model": "opus"}]},
            "the columns claude changed since",
        ),
        (
            {"settings": {"claude": {"to": "https://two", "effort": ""}}},
            "the column claude had to=https://one and not https://two",
        ),
    ],
)
def test_what_sets_the_newest_run_apart_is_said(
    tmp_path: Path, now: dict[str, Any], said: str
) -> None:
    """In words, with what to do; an older one of a third plan is no news."""
    make_run(tmp_path, "1", rounds=99)
    make_run(tmp_path, "2")

    with pytest.raises(RecordError) as caught:
        resume(tmp_path, HEADER | now)

    assert str(caught.value) == (
        f"{tmp_path}/runs/2: is the newest run, but of another plan: {said}; "
        "repeat its command, or leave out --rca-resume"
    )


def test_a_run_that_is_passed_over_can_be_gone_on_with_later(tmp_path: Path) -> None:
    """Its lock is free again."""
    path = make_run(tmp_path, "1")
    with pytest.raises(RecordError):
        resume(tmp_path, HEADER | {"rounds": 1})

    journal, _ = resume(tmp_path, HEADER)
    journal.close()

    assert journal.path == path


def test_no_run_at_all_is_said(tmp_path: Path) -> None:
    """There is nothing to go on with."""
    with pytest.raises(RecordError, match="holds no run; leave out --rca-resume to start one"):
        resume(tmp_path, HEADER)


@pytest.mark.parametrize(
    ("calls", "cells", "lost", "spent"),
    [
        (0, [], 0, 0.0),
        (1, [cell("ok", cost=0.1)], 0, 0.1),
        (1, [cell("ok")], 0, 0.5),
        (2, [cell("429", "ok", cost=0.1)], 0, 0.1),
        (2, [cell("reset", "ok", cost=0.1)], 0, 0.6),
        (1, [], 1, 0.5),
        (3, [cell("429", "ok", cost=0.1)], 1, 0.6),
        (1, [cell(error="interrupted")], 1, 0.5),
        (2, [cell("timeout", error="deadline"), cell("ok", cost=0.1)], 0, 0.6),
    ],
)
def test_a_call_costs_what_was_told_else_the_most_it_can(
    record: Callable[..., JournalRecord], calls: int, cells: list[Cell], lost: int, spent: float
) -> None:
    """A refusal is free; a call whose end nobody knows may have been billed."""
    found = record(calls, *cells)

    assert lost_calls(found).total() == lost
    assert spent_usd(found) == pytest.approx(spent)


def test_a_system_that_counts_no_attempts_has_lost_no_call(
    record: Callable[..., JournalRecord],
) -> None:
    """A program that said it was not to blame has ended all the same."""
    assert not lost_calls(record(1, cell(error="declined")))
