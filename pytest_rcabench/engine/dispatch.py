"""Who is asked when: planned cells in their order, a bounded number in flight, in one process.

This is the one place that knows about concurrency. Whoever needs an answer waits for its key; a key
is asked once however many wait for it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RcabenchError, Unmeasured
from pytest_rcabench.engine.protocols import analyze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.run import RunKey
    from pytest_rcabench.engine.columns import Column
    from pytest_rcabench.engine.schedule import Planned
    from pytest_rcabench.engine.shelf import Shelf

# How long a stopped run waits for what is in flight, in seconds, so that a paid answer is kept
# where it is near.
GRACE_S = 3.0
LOOK_AGAIN_S = 0.25


class Dispatch:
    """Asks *columns* for planned cells, at most *concurrency* at once.

    *on_call* is called before a request goes out, with its key, its digest and the most it can cost
    in US dollars; *on_answer* with the cell and the answer (or why there is none) before anybody
    who waits gets it. Both may raise, and are never called at once.
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        shelf: Shelf,
        *,
        concurrency: int,
        on_call: Callable[[RunKey, str, float | None], None],
        on_answer: Callable[[Planned, Analysis | Unmeasured], None],
    ) -> None:
        self._columns = columns
        self._shelf = shelf
        self._concurrency = concurrency
        self._on_call = on_call
        self._on_answer = on_answer
        self._changed = threading.Condition()
        self._one_at_a_time = threading.Lock()
        self._lines: dict[str, deque[tuple[int, Planned]]] = {name: deque() for name in columns}
        self._answers: dict[RunKey, Future[Analysis]] = {}
        self._in_flight: dict[str, int] = dict.fromkeys(columns, 0)
        self._threads: list[threading.Thread] = []
        self._is_stopped = self._is_over = False

    def plan(self, plan: Iterable[Planned], known: Mapping[RunKey, Analysis]) -> None:
        """Line up every asked cell of *plan* that is new and not among the *known* answers.

        Nobody is asked before somebody waits.
        """
        with self._changed:
            for planned in plan:
                if not planned.is_asked or planned.key in self._answers:
                    continue
                self._answers[planned.key] = Future()
                if planned.key in known:
                    self._answers[planned.key].set_result(known[planned.key])
                else:
                    self._lines[planned.key.column].append((len(self._answers), planned))

    def wait(self, key: RunKey) -> Analysis:
        """Return the answer for a planned *key*, asking what stands before it in line first.

        Raises: Unmeasured: if there is no answer.
        """
        if key not in self._answers:
            raise Unmeasured(
                "set-up", "this cell was not planned: name rca_analysis as an argument"
            )
        if len(self._threads) < self._concurrency:
            self._start_threads()
        try:
            return self._answers[key].result()
        except Unmeasured:
            raise
        except RcabenchError as error:  # the record or the incident file cannot be used any more
            raise Unmeasured("set-up", str(error)) from error

    @property
    def in_flight(self) -> int:
        """How many systems are being asked at this moment."""
        with self._changed:
            return sum(self._in_flight.values())

    @property
    def waiting(self) -> dict[str, str]:
        """Why a column that still has cells to ask cannot ask them now, by column."""
        with self._changed:
            names = [name for name, line in self._lines.items() if line]
        pacers = {name: getattr(self._columns[name].analyzer, "pacer", None) for name in names}
        return {name: why for name, pacer in pacers.items() if pacer and (why := pacer.waiting)}

    def stop(self) -> None:
        """Ask nothing new; give what is in flight a moment to be kept, and leave nobody waiting.

        Stopping twice is harmless.
        """
        with self._changed:
            self._is_stopped = True
            for line in self._lines.values():
                for _, planned in line:
                    self._answers[planned.key].set_exception(_interrupted())
                line.clear()
            self._changed.notify_all()
        self._tell("stop")
        until = time.monotonic() + GRACE_S
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        with self._one_at_a_time, self._changed:
            self._is_over = True
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(_interrupted())
        self._tell("close")

    def _tell(self, word: str) -> None:
        for column in self._columns.values():
            if method := getattr(column.analyzer, word, None):
                method()

    def _start_threads(self) -> None:
        with self._changed:
            waiting = sum(map(len, self._lines.values()))
            wanted = min(self._concurrency, waiting) - len(self._threads)
            new = [threading.Thread(target=self._work, daemon=True) for _ in range(wanted)]
            self._threads += new
        for thread in new:
            thread.start()

    def _work(self) -> None:
        while planned := self._next():
            try:
                self._ask(planned)
            except BaseException as error:  # noqa: BLE001 - whoever waits gets it; a thread has nobody to tell
                with self._changed:
                    if not self._is_over:
                        self._answers[planned.key].set_exception(error)
            finally:
                with self._changed:
                    self._in_flight[planned.key.column] -= 1
                    self._changed.notify_all()

    def _next(self) -> Planned | None:
        """Return the first cell in line whose column has room, or None when nobody is in line."""
        with self._changed:
            while names := [name for name, line in self._lines.items() if line]:
                heads = [(self._lines[name][0][0], name) for name in names if self._has_room(name)]
                if heads:
                    _, name = min(heads)
                    self._in_flight[name] += 1
                    return self._lines[name].popleft()[1]
                # A column that waits for its quota opens by itself.
                self._changed.wait(LOOK_AGAIN_S)
            return None

    def _has_room(self, name: str) -> bool:
        column = self._columns[name]
        if column.parallel is not None and self._in_flight[name] >= column.parallel:
            return False
        # Where another column can go on, no thread stands in line at this one's quota.
        is_open = getattr(getattr(column.analyzer, "pacer", None), "is_open", True)
        return is_open or not any(line for other, line in self._lines.items() if other != name)

    def _ask(self, planned: Planned) -> None:
        incident = self._shelf.take(planned.path)

        def on_call(digest: str, most: float | None) -> None:
            with self._one_at_a_time:
                if self._is_stopped:
                    raise _interrupted()
                self._on_call(planned.key, digest, most)

        answer: Analysis | Unmeasured
        try:
            analyzer = self._columns[planned.key.column].analyzer
            answer = analyze(analyzer, incident, planned.key.round, on_call)
        except Unmeasured as reason:
            answer = reason
        with self._one_at_a_time:
            if self._is_over:  # what comes now was cut short by us
                return
            self._on_answer(planned, answer)
            if isinstance(answer, Unmeasured):
                raise answer
            self._answers[planned.key].set_result(answer)


def _interrupted() -> Unmeasured:
    return Unmeasured("interrupted", "the run was stopped")
