"""What a column may ask, and when: quotas of the minute and the day, pauses, a ceiling of money.

Everything is reserved before a call and settled after it, so that calls in flight cannot overrun
together. Waiting here is never part of an answer's latency.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import Unmeasured

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

_LOOK_AGAIN_S = 0.1


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
        self._reserved: list[float] = []  # no running sum: it would never come back to zero
        self._lock = threading.Lock()

    def reserve(self, most: float | None) -> float | None:
        """Set *most* aside and return it; None where that has to wait for calls in flight.

        These were set aside at their most, and may cost less. Raises: Unmeasured: if the limit
        could be passed whatever they cost.
        """
        with self._lock:
            if self.limit is not None:
                if most is None or self.spent + most > self.limit:
                    raise Unmeasured(
                        "budget", f"asking on could pass --rca-max-cost={self.limit:g}"
                    )
                if self.spent + sum(self._reserved) + most > self.limit:
                    return None
            self._reserved.append(most or 0.0)
            return most or 0.0

    def settle(self, reserved: float, cost: float | None) -> None:
        """Put what a call cost in the place of its reservation; all of that if nobody told."""
        with self._lock:
            self._reserved.remove(reserved)
            self.spent += reserved if cost is None else cost


@dataclass(slots=True)
class Turn:
    """One call that was let go: settle it when it ended.

    *counted_at* is when the provider has counted it at the latest, by the pacer's clock.
    """

    counted_at: float
    tokens: int
    money: float = 0.0


class Pacer:
    """Lets the calls of one provider and model go, never above *limits*.

    *clock* counts seconds, *today* tells the provider's day. A minute is *window_s* long. A
    provider counts a request when it arrives: somewhere between its turn and its answer, and no
    later than *lateness_s* after its turn.
    """

    def __init__(
        self,
        limits: Limits,
        ceiling: Ceiling,
        *,
        clock: Callable[[], float],
        today: Callable[[], date],
        window_s: float = 60.0,
        lateness_s: float = 2.0,
    ) -> None:
        self.limits = limits
        self._ceiling = ceiling
        self.clock = clock
        self._today = today
        self._window_s = window_s
        self._lateness_s = lateness_s
        self._changed = threading.Condition()
        self._recent: list[Turn] = []
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

    def was_asked(self, day: date, age_s: float) -> None:
        """Count a request that was made *age_s* seconds ago, on *day*, before this run."""
        with self._changed:
            self._asked_today += day == self._today()
            self._recent.append(Turn(self.clock() - age_s + self._lateness_s, 0))

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
                    money = self._ceiling.reserve(most)
                    if money is not None:
                        break
                    wait_s = _LOOK_AGAIN_S  # a call of another column may set some free
                self._changed.wait(wait_s)
            turn = Turn(self.clock() + self._lateness_s, tokens, money)
            if self.limits.rpm is not None or self.limits.tpm is not None:
                self._recent.append(turn)
            self._asked_today += 1
            return turn

    def settle(self, turn: Turn, tokens: int | None, cost: float | None) -> None:
        """Put what a call took, where somebody said, in the place of what was reserved for it."""
        self._ceiling.settle(turn.money, cost)
        with self._changed:
            turn.tokens = turn.tokens if tokens is None else tokens
            turn.counted_at = min(turn.counted_at, self.clock())
            self._changed.notify_all()

    def pause(self, seconds: float, why: str) -> None:
        """Let nothing go for *seconds*: the provider asked for that."""
        with self._changed:
            until = self.clock() + seconds
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
        now = self.clock()
        waits = [(self._paused_until - now, self._why_paused)]
        gone = now - self._window_s
        self._recent = [turn for turn in self._recent if turn.counted_at > gone]
        self._recent.sort(key=attrgetter("counted_at"))
        rpm, tpm = self.limits.rpm, self.limits.tpm
        if rpm is not None and len(self._recent) >= rpm:
            waits.append((self._recent[-rpm].counted_at - gone, f"rpm={rpm}"))
        if tpm is not None:
            waits.append((self._wait_for_tokens(tokens, tpm, gone), f"tpm={tpm}"))
        return max(waits)

    def _wait_for_tokens(self, tokens: int, tpm: int, gone: float) -> float:
        used = sum(turn.tokens for turn in self._recent)
        wait_s = 0.0
        for turn in self._recent:
            if used + tokens <= tpm:
                break
            # A single call above the whole budget goes alone: it would wait for ever otherwise.
            used -= turn.tokens
            wait_s = turn.counted_at - gone
        return wait_s
