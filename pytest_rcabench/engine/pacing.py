"""What a column may ask, and when: quotas of the minute and the day, pauses, a ceiling of money.

Everything is reserved before a call and settled after it, so that calls in flight cannot overrun
together. Waiting here is never part of an answer's latency.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import Unmeasured

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date


@dataclass(frozen=True, slots=True)
class Limits:
    """The declared quotas of one provider and model; None is none.

    *rpm* and *tpm* count requests and tokens a minute, *rpd* requests a day.
    """

    rpm: int | None = None
    tpm: int | None = None
    rpd: int | None = None


class Ceiling:
    """Money of the whole run, in US dollars.

    *limit* is never passed as long as every reservation is an upper bound.
    """

    def __init__(self, limit: float | None, spent: float = 0.0) -> None:
        self.limit = limit
        self.spent = spent
        self._reserved = 0.0
        self._lock = threading.Lock()

    def reserve(self, most: float | None) -> float:
        """Set *most* aside and return it. Raises: Unmeasured: if the limit could be passed."""
        with self._lock:
            if self.limit is not None and (
                most is None or self.spent + self._reserved + most > self.limit
            ):
                raise Unmeasured("budget", f"asking on could pass --rca-max-cost={self.limit:g}")
            self._reserved += most or 0.0
            return most or 0.0

    def settle(self, reserved: float, cost: float | None) -> None:
        """Put what a call cost in the place of its reservation; all of that if nobody told."""
        with self._lock:
            self._reserved -= reserved
            self.spent += reserved if cost is None else cost


@dataclass(slots=True)
class Turn:
    """One call that was let go: settle it when it ended."""

    at: float
    tokens: int
    money: float


class Pacer:
    """Lets the calls of one provider and model go, never above *limits*.

    *clock* counts seconds, *today* tells the provider's day. A minute is *window_s* long, and
    *margin_s* more: a provider counts a request when it arrives, which is not when it was let go.
    """

    def __init__(
        self,
        limits: Limits,
        ceiling: Ceiling,
        *,
        clock: Callable[[], float],
        today: Callable[[], date],
        window_s: float = 60.0,
        margin_s: float = 0.5,
    ) -> None:
        self.limits = limits
        self._ceiling = ceiling
        self._clock = clock
        self._today = today
        self._window_s = window_s + margin_s
        self._changed = threading.Condition()
        self._recent: deque[Turn] = deque()
        self._day = today()
        self._asked_today = 0
        self._paused_until = 0.0
        self._why_paused = ""
        self._ended: Unmeasured | None = None

    @property
    def waiting(self) -> str:
        """Why nothing can go at this moment, for the live line; empty when something can."""
        with self._changed:
            wait_s, why = self._wait_for(1)
            return f"{why}, {wait_s:.0f} s" if wait_s > 0 else ""

    @property
    def is_open(self) -> bool:
        """Whether a call could go, or end at once, without waiting."""
        with self._changed:
            return self._ended is not None or self._wait_for(1)[0] <= 0

    def was_asked(self, day: date, requests: int) -> None:
        """Count *requests* that were made on *day* before this run."""
        with self._changed:
            if day == self._today():
                self._asked_today += requests

    def turn(self, tokens: int, most: float | None) -> Turn:
        """Return when a call of *tokens* may go that costs at most *most* US dollars.

        Raises: Unmeasured: if the column has ended, or the day or the money is used up.
        """
        with self._changed:
            while True:
                if self._ended is not None:
                    raise Unmeasured(self._ended.reason, self._ended.detail)
                self._refuse_over_the_day()
                wait_s, _ = self._wait_for(tokens)
                if wait_s <= 0:
                    break
                self._changed.wait(wait_s)
            money = self._ceiling.reserve(most)
            turn = Turn(self._clock(), tokens, money)
            self._recent.append(turn)
            self._asked_today += 1
            return turn

    def settle(self, turn: Turn, tokens: int | None, cost: float | None) -> None:
        """Put what a call took, where somebody said, in the place of what was reserved for it."""
        self._ceiling.settle(turn.money, cost)
        with self._changed:
            turn.tokens = turn.tokens if tokens is None else tokens
            self._changed.notify_all()

    def pause(self, seconds: float, why: str) -> None:
        """Let nothing go for *seconds*: the provider asked for that."""
        with self._changed:
            until = self._clock() + seconds
            if until > self._paused_until:
                self._paused_until, self._why_paused = until, why
            self._changed.notify_all()

    def rest(self, seconds: float) -> None:
        """Wait *seconds*, or until the column ends; others may go meanwhile."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended is not None, seconds)

    def end(self, reason: str, detail: str) -> None:
        """Let nothing go any more; whoever waits is told why."""
        with self._changed:
            self._ended = self._ended or Unmeasured(reason, detail)
            self._changed.notify_all()

    def _refuse_over_the_day(self) -> None:
        if self._day != self._today():
            self._day, self._asked_today = self._today(), 0
        rpd = self.limits.rpd
        if rpd is not None and self._asked_today >= rpd:
            raise Unmeasured(
                "quota", f"rpd={rpd} requests of {self._day} are used up; resume tomorrow"
            )

    def _wait_for(self, tokens: int) -> tuple[float, str]:
        """Return the seconds until a call of *tokens* may go, and what keeps it."""
        now = self._clock()
        while self._recent and self._recent[0].at <= now - self._window_s:
            self._recent.popleft()
        waits = [(self._paused_until - now, self._why_paused)]
        rpm, tpm = self.limits.rpm, self.limits.tpm
        if rpm is not None and len(self._recent) >= rpm:
            waits.append((self._recent[-rpm].at + self._window_s - now, f"rpm={rpm}"))
        if tpm is not None:
            waits.append((self._wait_for_tokens(tokens, tpm, now), f"tpm={tpm}"))
        return max(waits)

    def _wait_for_tokens(self, tokens: int, tpm: int, now: float) -> float:
        used = sum(turn.tokens for turn in self._recent)
        wait_s = 0.0
        for turn in self._recent:
            if used + tokens <= tpm:
                break
            # A single call above the whole budget goes alone: it would wait for ever otherwise.
            used -= turn.tokens
            wait_s = turn.at + self._window_s - now
        return wait_s
