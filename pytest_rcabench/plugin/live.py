"""The line that says how far a run is: below what pytest prints, and gone when it prints on."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter
from typing import IO, TYPE_CHECKING

from pytest_rcabench.reports.grid import MARKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pytest

    from pytest_rcabench.domain.run import Cell
    from pytest_rcabench.engine.dispatch import Dispatch
    from pytest_rcabench.plugin.ledger import Ledger
    from pytest_rcabench.plugin.run import Run

_EVERY_S = 0.5
# Make room for a line below and come back; then save the place, go down, write, and return.
_BELOW = "\x1bD\x1bM\x1b7\x1b[B\r\x1b[2K{}\x1b8"


class LiveLine:
    """Shows what *text* returns, twice a second, on the terminal that pytest prints to."""

    def __init__(self, terminal: IO[str], text: Callable[[], str]) -> None:
        self._terminal = terminal
        self._text = text
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._is_shown = False
        threading.Thread(target=self._show, daemon=True).start()

    def clear(self) -> None:
        """Take the line away, because pytest is about to print."""
        self._write("")

    def close(self) -> None:
        """Take the line away for good."""
        self._ended.set()
        self.clear()

    def _show(self) -> None:
        while not self._ended.wait(_EVERY_S):
            self._write(self._text())

    def _write(self, text: str) -> None:
        with self._lock:
            if not text and not self._is_shown:
                return
            self._is_shown = bool(text)
            try:
                self._terminal.write(_BELOW.format(text))
                self._terminal.flush()
            except (OSError, ValueError):  # the terminal is gone; the run is not
                self._ended.set()


def watch(config: pytest.Config, run: Run, ledger: Ledger, dispatch: Dispatch) -> LiveLine | None:
    """Return a live line of *run*, or None where nobody would see it."""
    terminal = _open_terminal(config)
    if terminal is None:
        return None
    ceiling, planned = run.settings.ceiling, len(ledger.plan)
    estimate = Estimate(time.monotonic, len(ledger.snapshot()))

    def text() -> str:
        cells = ledger.snapshot()
        return progress(
            cells,
            planned,
            in_flight=dispatch.in_flight,
            waiting=dispatch.waiting,
            money=(ceiling.spent, ceiling.limit),
            left_s=estimate.left_s(len(cells), planned),
        )

    return LiveLine(terminal, text)


class Estimate:
    """Tells how long the rest of a run takes, by the answers since it was made.

    *clock* counts seconds; *kept* answers were there before, and took this run no time.
    """

    def __init__(self, clock: Callable[[], float], kept: int) -> None:
        self._clock = clock
        self._kept = self._answered = kept
        self._started = self._last = clock()

    def left_s(self, answered: int, planned: int) -> float:
        """Return the seconds left, 0 where nobody knows; they pass while no answer comes."""
        now = self._clock()
        if answered > self._answered:
            self._answered, self._last = answered, now
        if self._answered == self._kept:
            return 0.0
        of_one = (self._last - self._started) / (self._answered - self._kept)
        return max(0.0, of_one * (planned - self._answered) - (now - self._last))


def _open_terminal(config: pytest.Config) -> IO[str] | None:
    """Return the terminal for a live line; None where pytest is quiet, captured, or in CI."""
    if config.get_verbosity() < 0 or os.environ.get("CI") or not sys.stdout.isatty():
        return None
    try:
        # Past pytest's own writer, which counts what stands on its line.
        return open("/dev/tty", "w", encoding="utf-8")  # noqa: PTH123 - open as long as the run
    except OSError:
        return None


def progress(
    cells: Iterable[Cell],
    planned: int,
    *,
    in_flight: int,
    waiting: Mapping[str, str],
    money: tuple[float, float | None],
    left_s: float,
) -> str:
    """Return how far a run is, in one line.

    *waiting* says by column why nothing can be asked, *money* what was spent and the ceiling, in US
    dollars, *left_s* how long it will take, 0 where nobody knows.
    """
    counts = Counter(cell.verdict for cell in cells)
    answered = sum(counts.values())
    parts = [f"rca {answered}/{planned}"]
    parts += [f"{mark}{counts[word]}" for word, mark in MARKS.items() if counts[word]]
    if in_flight:
        parts.append(f"{in_flight} in flight")
    parts += [f"{column} waits: {why}" for column, why in waiting.items()]
    spent, limit = money
    if spent or limit is not None:
        parts.append(f"${spent:.2f}" + (f" of ${limit:.2f}" if limit is not None else ""))
    if left_s:
        parts.append(f"about {left_s / 60:.0f} min left" if left_s > 90 else f"{left_s:.0f} s left")  # noqa: PLR2004 - a minute and a half
    return " · ".join(parts)
