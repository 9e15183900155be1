"""Which earlier runs a run is held against: the newest complete ones, whatever they scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_rcabench.domain.run import Results

ENOUGH_ROUNDS = 12


def choose_baseline(
    runs: Sequence[Results], new: Results
) -> tuple[dict[str, tuple[Results, ...]], tuple[str, ...]]:
    """Return the runs by column of *new*, newest first, and a sentence for each that is left out.

    Of the complete runs that have a column the newest are taken, until they have twelve rounds of
    it together. No score is looked at: who may choose a baseline by its score can pass any gate.
    """
    usable: dict[str, Results] = {}
    left_out = []
    for run in sorted(runs, key=lambda run: (run.run.started, run.run.id), reverse=True):
        if run.run.id == new.run.id:
            left_out.append(f"run {run.run.id}: is the new run itself")
        elif not run.complete:
            left_out.append(f"run {run.run.id}: is not complete")
        elif run.run.is_replay:  # the same answers again would pass for more rounds
            left_out.append(f"run {run.run.id}: repeats the answers of another run (--rca-replay)")
        else:
            usable.setdefault(run.run.id, run)
    chosen: dict[str, tuple[Results, ...]] = {}
    for column in new.columns:
        found = [run for run in usable.values() if column.name in _columns(run)]
        if found:
            chosen[column.name] = _newest(found, column.name)
        else:
            left_out.append(f"column {column.name}: the baseline has none of this name")
    gone = {name for run in usable.values() for name in _columns(run)} - _columns(new)
    left_out += [f"column {name}: the new run has none of this name" for name in sorted(gone)]
    taken = {run.run.id for found in chosen.values() for run in found}
    left_out += [
        f"run {name}: the newer ones have {ENOUGH_ROUNDS} rounds without it"
        for name, run in usable.items()
        if name not in taken and not _columns(run).isdisjoint(chosen)
    ]
    return chosen, tuple(left_out)


def rounds_of(run: Results, column: str) -> int:
    """Return how many rounds *run* has of *column*."""
    return max((cell.key.round for cell in run.cells if cell.key.column == column), default=0)


def refuse_verdicts_alone(runs: Iterable[Results]) -> None:
    """Raise RecordError if one of *runs* has a verdict without the answer that it was given for."""
    for run in runs:
        if any(cell.is_measured and cell.analysis is None for cell in run.cells):
            raise RecordError(
                f"run {run.run.id}: has verdicts without answers, which no scorer can score again; "
                "compare results files that pytest --rca-json wrote"
            )


def _newest(runs: Sequence[Results], column: str) -> tuple[Results, ...]:
    rounds, taken = 0, []
    for run in runs:
        if rounds < ENOUGH_ROUNDS:
            taken.append(run)
            rounds += rounds_of(run, column)
    return tuple(taken)


def _columns(run: Results) -> set[str]:
    return {column.name for column in run.columns}
