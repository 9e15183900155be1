from __future__ import annotations

import threading
import time
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.errors import Unmeasured
from pytest_rcabench.engine.pacing import Ceiling, Limits, Pacer

if TYPE_CHECKING:
    from collections.abc import Callable

WINDOW_S = 0.4
MONDAY = date(2026, 11, 30)


@pytest.fixture
def pace() -> Callable[..., Pacer]:
    """Make pacers whose minute is short."""

    def make(limits: Limits, *, ceiling: float | None = None) -> Pacer:
        return Pacer(
            limits,
            Ceiling(ceiling),
            clock=time.monotonic,
            today=lambda: MONDAY,
            window_s=WINDOW_S,
            lateness_s=0.05,
        )

    return make


def _let_go(pacer: Pacer, calls: int, tokens: int = 1) -> list[float]:
    """Return when each of *calls*, all waiting at once, was let go."""
    times: list[float] = []

    def call() -> None:
        turn = pacer.turn(tokens, None)
        times.append(time.monotonic())
        pacer.settle(turn, tokens, 0.0)

    threads = [threading.Thread(target=call) for _ in range(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    return sorted(times)


def _most_in_a_window(times: list[float]) -> int:
    return max(sum(at <= other < at + WINDOW_S for other in times) for at in times)


def test_no_window_ever_holds_more_requests_than_rpm(pace: Callable[..., Pacer]) -> None:
    """Twelve calls at once and rpm=5: three windows, none with a sixth."""
    times = _let_go(pace(Limits(rpm=5)), 12)

    assert len(times) == 12
    assert _most_in_a_window(times) <= 5
    assert times[-1] - times[0] >= 2 * WINDOW_S


def test_no_window_ever_holds_more_tokens_than_tpm(pace: Callable[..., Pacer]) -> None:
    """Calls of 40 tokens and tpm=100: two a window."""
    times = _let_go(pace(Limits(tpm=100)), 5, tokens=40)

    assert _most_in_a_window(times) <= 2


def test_a_call_above_the_whole_budget_goes_alone(pace: Callable[..., Pacer]) -> None:
    """It would wait for ever otherwise."""
    times = _let_go(pace(Limits(tpm=100)), 2, tokens=500)

    assert _most_in_a_window(times) == 1


def test_the_day_ends_with_rpd_and_counts_earlier_requests(pace: Callable[..., Pacer]) -> None:
    """Two were asked before this run, so rpd=3 leaves one."""
    pacer = pace(Limits(rpd=3))
    pacer.was_asked(MONDAY, 3600)
    pacer.was_asked(MONDAY, 1800)
    pacer.was_asked(MONDAY - timedelta(days=1), 90_000)
    pacer.turn(1, None)

    with pytest.raises(Unmeasured, match="rpd=3") as caught:
        pacer.turn(1, None)

    assert caught.value.reason == "quota"


def test_a_new_day_starts_from_nothing() -> None:
    """What yesterday used up is free again."""
    today = [MONDAY]
    pacer = Pacer(Limits(rpd=1), Ceiling(None), clock=time.monotonic, today=lambda: today[0])
    pacer.turn(1, None)
    with pytest.raises(Unmeasured):
        pacer.turn(1, None)

    today[0] += timedelta(days=1)

    assert pacer.turn(1, None).tokens == 1


def test_the_ceiling_is_never_passed_however_many_are_in_flight() -> None:
    """Reserved before the call: what is in flight counts as the most it can cost."""
    ceiling = Ceiling(1.0)
    reserved = [ceiling.reserve(0.3) for _ in range(3)]
    assert ceiling.reserve(0.3) is None

    for each in reserved:
        ceiling.settle(each or 0.0, 0.1)

    assert ceiling.spent == pytest.approx(0.3)
    with pytest.raises(Unmeasured, match="max-cost=1"):
        ceiling.reserve(0.8)
    assert ceiling.reserve(0.7) == 0.7


def test_a_call_waits_for_money_that_another_one_may_give_back(
    pace: Callable[..., Pacer],
) -> None:
    """What is in flight was set aside at its most; refusing now would leave most of it unspent."""
    pacer = pace(Limits(), ceiling=1.0)
    first = pacer.turn(1, 0.7)
    went: list[float] = []
    second = threading.Thread(target=lambda: went.append(pacer.turn(1, 0.7).money))
    second.start()
    second.join(0.05)
    assert went == []

    pacer.settle(first, 1, 0.1)
    second.join(5)

    assert went == [0.7]


def test_requests_of_an_earlier_process_count_in_this_minute(pace: Callable[..., Pacer]) -> None:
    """A run that is killed and resumed at once stays inside the quota too."""
    pacer = pace(Limits(rpm=2))
    pacer.was_asked(MONDAY, age_s=WINDOW_S / 2)
    pacer.was_asked(MONDAY, age_s=WINDOW_S * 2)
    started = time.monotonic()

    pacer.settle(pacer.turn(1, None), 1, None)
    assert time.monotonic() - started < WINDOW_S / 4
    pacer.turn(1, None)

    assert time.monotonic() - started >= WINDOW_S / 2


def test_a_request_counts_from_its_answer_on_where_it_was_slow_to_arrive(
    pace: Callable[..., Pacer],
) -> None:
    """The provider counts what arrives: a late one and a prompt one must not share a window."""
    pacer = pace(Limits(rpm=1))
    turn = pacer.turn(1, None)
    time.sleep(0.04)
    answered = time.monotonic()
    pacer.settle(turn, 1, None)

    pacer.turn(1, None)

    assert time.monotonic() - answered >= WINDOW_S


def test_a_cost_that_nobody_told_counts_as_the_most_it_can_be() -> None:
    """A call that broke off may have been billed."""
    ceiling = Ceiling(1.0)

    ceiling.settle(ceiling.reserve(0.4) or 0.0, None)

    assert ceiling.spent == pytest.approx(0.4)


def test_an_unknown_price_passes_no_ceiling() -> None:
    """Unknown is not zero."""
    with pytest.raises(Unmeasured, match="budget"):
        Ceiling(100.0).reserve(None)
    assert Ceiling(None).reserve(None) == 0.0


def test_a_pause_holds_the_whole_column(pace: Callable[..., Pacer]) -> None:
    """A 429 is about the key and not about one call."""
    pacer = pace(Limits())
    asked = time.monotonic()
    pacer.pause(0.2, "429")
    waiting = pacer.waiting

    pacer.turn(1, None)

    assert time.monotonic() - asked >= 0.2
    assert waiting.startswith("429")
    assert pacer.is_open


def test_an_end_wakes_everybody_who_waits(pace: Callable[..., Pacer]) -> None:
    """Nobody hangs on a quota that will not come back."""
    pacer = pace(Limits())
    pacer.pause(60, "429")
    reasons: list[str] = []

    def wait() -> None:
        try:
            pacer.turn(1, None)
        except Unmeasured as reason:
            reasons.append(reason.reason)

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    pacer.end("quota", "PerDay")
    for thread in threads:
        thread.join(5)

    assert reasons == ["quota"] * 4


def test_a_rest_lets_others_go_and_ends_with_the_column(pace: Callable[..., Pacer]) -> None:
    """One call backs off alone."""
    pacer = pace(Limits())
    resting = threading.Thread(target=pacer.rest, args=(60,))
    resting.start()

    pacer.turn(1, None)
    pacer.end("interrupted", "stopped")
    resting.join(5)

    assert not resting.is_alive()
