"""Who is asked when, how many at once, and what those who wait are told."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.analysis import Analysis
from pytest_rcabench.domain.errors import RecordError, Unmeasured
from pytest_rcabench.engine import dispatch as module
from pytest_rcabench.engine.dispatch import Dispatch
from pytest_rcabench.engine.shelf import Shelf
from pytest_rcabench.files.incident_yaml import read_incident

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rcabench.domain.run import RunKey
    from pytest_rcabench.engine.columns import Column
    from pytest_rcabench.engine.schedule import Planned


class Book:
    """What a dispatch told its keeper."""

    def __init__(self) -> None:
        self.started: list[int] = []
        self.answers: dict[int, Analysis | Unmeasured] = {}

    def call(self, key: RunKey, digest: str, most: float | None) -> None:
        """Note that a round was asked."""
        assert (digest, most) == ("", None)
        self.started.append(key.round)

    def keep(self, planned: Planned, answer: Analysis | Unmeasured) -> None:
        """Note what came of a round."""
        self.answers[planned.key.round] = answer


def start(book: Book, column: Column, concurrency: int = 8) -> Dispatch:
    """Return a dispatch that asks *column* and tells *book*."""
    return Dispatch(
        {"sut": column},
        Shelf(read_incident),
        concurrency=concurrency,
        on_call=book.call,
        on_answer=book.keep,
    )


def test_everything_is_asked_once_in_order(
    plan: tuple[Planned, ...], column: Callable[..., Column]
) -> None:
    """However often the plan is handed in and whoever waits first."""
    book = Book()
    dispatch = start(book, column(Analysis), concurrency=1)
    dispatch.plan(plan, {})
    dispatch.plan(plan, {})
    assert book.started == []

    assert dispatch.wait(plan[-1].key) == dispatch.wait(plan[0].key) == Analysis()
    dispatch.stop()

    assert book.started == [1, 2, 3, 4, 5, 6]
    assert sorted(book.answers) == book.started


@pytest.mark.parametrize(("concurrency", "parallel", "most"), [(2, None, 2), (8, 3, 3), (4, 9, 4)])
def test_no_more_are_in_flight_than_allowed(
    plan: tuple[Planned, ...],
    column: Callable[..., Column],
    concurrency: int,
    parallel: int | None,
    most: int,
) -> None:
    """The run's bound and the column's own both hold, and are used."""
    lock, now, seen = threading.Lock(), [0], [0]
    full = threading.Event()

    def answer() -> Analysis:
        with lock:
            now[0] += 1
            seen[0] = max(seen[0], now[0])
            if now[0] == most:
                full.set()
        assert full.wait(20)
        with lock:
            now[0] -= 1
        return Analysis()

    dispatch = start(Book(), column(answer, parallel), concurrency)
    dispatch.plan(plan, {})
    for planned in plan:
        dispatch.wait(planned.key)
    dispatch.stop()

    assert seen == [most]


def test_a_missing_answer_is_kept_and_told(
    plan: tuple[Planned, ...], column: Callable[..., Column]
) -> None:
    """An analyser that breaks is a missing answer too, with the place where it broke."""

    def answer() -> Analysis:
        raise ZeroDivisionError("no")

    book = Book()
    dispatch = start(book, column(answer))
    dispatch.plan(plan[:1], {})
    with pytest.raises(
        Unmeasured, match=r"analyser error: ZeroDivisionError: no \(test_dispatch\.py:\d+\)"
    ):
        dispatch.wait(plan[0].key)
    dispatch.stop()

    assert isinstance(book.answers[1], Unmeasured)


def test_an_answer_that_cannot_be_kept_is_not_given_out(
    plan: tuple[Planned, ...], column: Callable[..., Column]
) -> None:
    """The record comes first: an answer that it does not hold could not be shown again."""

    class FullDisk(Book):
        def keep(self, planned: Planned, answer: Analysis | Unmeasured) -> None:
            super().keep(planned, answer)
            raise RecordError("no space left")

    dispatch = start(FullDisk(), column(Analysis))
    dispatch.plan(plan[:1], {})

    with pytest.raises(Unmeasured, match="set-up: no space left"):
        dispatch.wait(plan[0].key)
    dispatch.stop()


def test_a_cell_that_was_not_planned_has_no_answer(
    plan: tuple[Planned, ...], column: Callable[..., Column]
) -> None:
    """A test that asks for the fixture behind pytest's back is told what to do."""
    dispatch = start(Book(), column(Analysis))

    with pytest.raises(Unmeasured, match="name rca_analysis as an argument"):
        dispatch.wait(plan[0].key)


def test_stopping_leaves_nobody_waiting_and_keeps_nothing_that_was_cut_short(
    plan: tuple[Planned, ...], column: Callable[..., Column], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in flight gets a moment; then it is interrupted, and its late answer ignored."""
    monkeypatch.setattr(module, "GRACE_S", 0.05)
    begun, late = threading.Event(), threading.Event()

    def answer() -> Analysis:
        begun.set()
        assert late.wait(20)
        return Analysis()

    book = Book()
    dispatch = start(book, column(answer), concurrency=1)
    dispatch.plan(plan, {})
    reasons: list[str] = []

    def wait(key: RunKey) -> None:
        try:
            dispatch.wait(key)
        except Unmeasured as reason:
            reasons.append(reason.reason)

    waiting = [threading.Thread(target=wait, args=(planned.key,)) for planned in plan]
    for thread in waiting:
        thread.start()
    assert begun.wait(20)
    dispatch.stop()
    for thread in waiting:
        thread.join(20)
    late.set()

    assert reasons == ["interrupted"] * 6
    assert book.started == [1]
    assert book.answers == {}
