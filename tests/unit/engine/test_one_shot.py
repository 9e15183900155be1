"""The loop around a model: what is asked again, how long, at what price, and what is told."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.analysis import AnswerFault, Usage
from pytest_rcabench.domain.errors import RecordError, Unmeasured
from pytest_rcabench.engine.models.prices import flat_price
from pytest_rcabench.engine.models.wire import Completion, EndedError, TokenUsage, TransientError
from pytest_rcabench.engine.one_shot import OneShot, Prompts, Room
from pytest_rcabench.engine.pacing import Ceiling, Limits, Pacer
from pytest_rcabench.files.incident_yaml import read_incident

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rcabench.domain.incident import Evidence
    from pytest_rcabench.engine.models.wire import Request

USAGE = TokenUsage(100, 30, 20, 50, 10)
ANSWER = Completion('{"issues": []}', USAGE, "scripted-1", "id")
COST = (150 * 10 + 50 * 100) / 1e6
SERVER_ERROR = TransientError("500", "server error", "500 oops")


class Time:
    """A clock that goes on when somebody waits, or when a call takes its time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waited: list[float] = []

    def __call__(self) -> float:
        """Return the seconds so far."""
        return self.now


class Scripted:
    """A model to which one thing after another happens, each after *took_s* seconds."""

    name = "scripted"
    base_url = "http://localhost"

    def __init__(self, time: Time, took_s: float, *script: Completion | Exception) -> None:
        self.time = time
        self.took_s = took_s
        self.script = list(script)
        self.timeouts: list[float] = []
        self.requests: list[Request] = []
        self.is_open = False

    def open(self) -> None:
        """Note that calls may come."""
        self.is_open = True

    def close(self) -> None:
        """Note that none may."""
        self.is_open = False

    def complete(self, request: Request, timeout_s: float) -> Completion:
        """Do what the script says."""
        assert self.is_open
        self.requests.append(request)
        self.timeouts.append(timeout_s)
        self.time.now += self.took_s
        happens = self.script.pop(0)
        if isinstance(happens, Exception):
            raise happens
        return happens


class QuickPacer(Pacer):
    """A pacer whose waits pass at once, on the clock of the test."""

    def __init__(self, time: Time, ceiling: Ceiling) -> None:
        super().__init__(Limits(), ceiling, clock=time, today=lambda: date(2026, 11, 30))
        self.time = time

    def pause(self, seconds: float, why: str) -> None:
        """Let the time of a pause pass."""
        super().pause(seconds, why)
        self.rest(seconds)

    def rest(self, seconds: float) -> None:
        """Let the time pass."""
        self.time.now += seconds
        self.time.waited.append(seconds)


class Asked:
    """A one-shot analyser of a scripted model, its clock, its money, and the calls it told."""

    def __init__(self, script: tuple[Completion | Exception, ...], took_s: float) -> None:
        self.time = Time()
        self.ceiling = Ceiling(None)
        self.model = Scripted(self.time, took_s, *script)
        self.calls: list[tuple[str, float | None]] = []
        self.analyzer = OneShot(
            self.model,
            QuickPacer(self.time, self.ceiling),
            Prompts(),
            price=flat_price(10.0, 100.0),
            room=Room(200),
            timeout_s=10.0,
            jitter=lambda: 0.5,
        )

    def told(self, digest: str, most: float | None) -> None:
        """Note a call."""
        self.calls.append((digest, most))


@pytest.fixture
def asked() -> Callable[..., Asked]:
    """Return a function that makes an analyser to which *script* happens."""
    return lambda *script, took_s=0.5: Asked(script, took_s)


@pytest.fixture
def evidence(tmp_path: Path, write_incident: Callable[..., Path]) -> Evidence:
    """Return the evidence of a small incident."""
    return read_incident(write_incident(tmp_path, "leak")).evidence


def outcomes(reason: Unmeasured) -> list[str]:
    """Return how the attempts of *reason* ended."""
    return [attempt.outcome for attempt in reason.attempts]


def test_an_answer_comes_with_its_usage_cost_and_time(
    asked: Callable[..., Asked], evidence: Evidence
) -> None:
    """Cached input is input; one attempt is as long as its request was open."""
    one = asked(ANSWER)

    analysis = one.analyzer.analyze(evidence)

    assert analysis.usage == Usage(150, 50, COST)
    assert [(a.latency_s, a.outcome) for a in analysis.attempts] == [(0.5, "ok")]
    assert analysis.reply == '{"issues": []}'
    assert one.ceiling.spent == pytest.approx(COST)


def test_a_fault_of_the_models_own_is_kept_and_not_asked_again(
    asked: Callable[..., Asked], evidence: Evidence
) -> None:
    """A whole answer is the answer, however it looks."""
    fault = AnswerFault("truncated", "max_tokens")
    one = asked(Completion("{", USAGE, "scripted-1", "id", fault))

    analysis = one.analyzer.analyze(evidence)

    assert (analysis.fault, analysis.reply) == (fault, "{")


def test_an_unknown_usage_is_no_zero(asked: Callable[..., Asked], evidence: Evidence) -> None:
    """What nobody told is unknown in the answer, and the most it can be in the money."""
    one = asked(Completion("{}", None, "scripted-1", "id"))

    analysis = one.analyzer.analyze_by_calls(evidence, one.told)

    assert analysis.usage == Usage(None, None, None)
    assert one.ceiling.spent == one.calls[0][1]


def test_waits_grow_and_are_no_latency(asked: Callable[..., Asked], evidence: Evidence) -> None:
    """One second, then two, then four, where the provider does not say."""
    one = asked(SERVER_ERROR, SERVER_ERROR, SERVER_ERROR, ANSWER)

    analysis = one.analyzer.analyze(evidence)

    assert one.time.waited == [1.0, 2.0, 4.0]
    assert analysis.latency_s == pytest.approx(4 * 0.5)
    assert one.model.timeouts == [10.0, 9.5, 9.0, 8.5]


def test_five_attempts_are_the_most(asked: Callable[..., Asked], evidence: Evidence) -> None:
    """Then there is no answer, and the last reason is told with their number."""
    one = asked(*[SERVER_ERROR] * 6)

    with pytest.raises(Unmeasured, match=r"server error: 500 oops \(5 attempts\)") as caught:
        one.analyzer.analyze_by_calls(evidence, one.told)

    assert outcomes(caught.value) == ["500"] * 5
    assert len(one.calls) == len(one.model.requests) == 5
    assert one.ceiling.spent == 0.0


def test_no_attempt_begins_when_the_time_is_up(
    asked: Callable[..., Asked], evidence: Evidence
) -> None:
    """The deadline is about the time that requests were open."""
    one = asked(TransientError("timeout", "deadline", "late"), SERVER_ERROR, took_s=10.0)

    with pytest.raises(Unmeasured, match=r"deadline: late \(1 attempt\)"):
        one.analyzer.analyze(evidence)


@pytest.mark.parametrize(("wait_s", "waited"), [(7.0, [7.0]), (120.0, [120.0]), (0.0, [0.0])])
def test_a_wait_that_the_provider_asks_for_is_kept(
    asked: Callable[..., Asked], evidence: Evidence, wait_s: float, waited: list[float]
) -> None:
    """To the second, instead of our own."""
    one = asked(TransientError("429", "rate limit", "slow down", wait_s), ANSWER)

    one.analyzer.analyze(evidence)

    assert one.time.waited == waited


def test_a_wait_that_is_too_long_ends_the_column(
    asked: Callable[..., Asked], evidence: Evidence
) -> None:
    """An hour is not waited for; the next cell is told at once, and not asked."""
    one = asked(TransientError("429", "rate limit", "slow down", 3600.0), ANSWER)

    for _ in range(2):
        with pytest.raises(Unmeasured, match="rate limit: the provider asks to wait 3600 s"):
            one.analyzer.analyze(evidence)

    assert len(one.model.requests) == 1


def test_a_refused_key_ends_the_column(asked: Callable[..., Asked], evidence: Evidence) -> None:
    """The attempt is kept, nothing is billed, and nobody asks with it again."""
    one = asked(EndedError("401", "authentication", "no such key"), ANSWER)

    with pytest.raises(Unmeasured, match="authentication: no such key") as caught:
        one.analyzer.analyze(evidence)
    with pytest.raises(Unmeasured, match="authentication") as again:
        one.analyzer.analyze(evidence)

    assert (outcomes(caught.value), outcomes(again.value)) == (["401"], [])
    assert one.ceiling.spent == 0.0


@pytest.mark.parametrize(
    ("detail", "outcome", "is_free"),
    [
        ("400 no such field", "400", True),
        ("window too large for this model: 413 at most 1000 tokens", "413", True),
        ("window too large for this model: model_context_window_exceeded", "bad request", False),
    ],
)
def test_a_request_that_cannot_be_answered_is_not_asked_again(
    asked: Callable[..., Asked], evidence: Evidence, detail: str, outcome: str, *, is_free: bool
) -> None:
    """A refusal is free; an answer that says so may have been billed."""
    one = asked(Unmeasured("bad request", detail))

    with pytest.raises(Unmeasured, match="bad request") as caught:
        one.analyzer.analyze_by_calls(evidence, one.told)

    assert outcomes(caught.value) == [outcome]
    assert one.ceiling.spent == (0.0 if is_free else one.calls[0][1])


def test_every_call_is_told_before_it_goes_out(
    asked: Callable[..., Asked], evidence: Evidence
) -> None:
    """A retry is a call; who may not call has not called, and holds no money back."""
    one = asked(SERVER_ERROR, ANSWER)

    def refuse_the_second(digest: str, most: float | None) -> None:
        if one.calls:
            raise RecordError("the disk is full")
        one.told(digest, most)

    with pytest.raises(RecordError, match="the disk is full"):
        one.analyzer.analyze_by_calls(evidence, refuse_the_second)

    assert len(one.model.requests) == 1
    assert one.ceiling.spent == 0.0
    assert one.ceiling.reserve(1.0) == 1.0


def test_one_window_has_one_digest_and_one_text(
    asked: Callable[..., Asked], evidence: Evidence
) -> None:
    """The plan, the record and the model are told of the same request."""
    one = asked(ANSWER, ANSWER)
    tokens, most = one.analyzer.plan(evidence)
    for _ in range(2):
        one.analyzer.analyze_by_calls(evidence, one.told)

    assert one.model.requests[0] == one.model.requests[1]
    assert one.calls[0] == one.calls[1]
    assert most == one.calls[0][1]
    assert tokens * 2.4 >= len(one.model.requests[0].prompt)


def test_another_setting_is_another_request(evidence: Evidence) -> None:
    """Its answers are not those of this one."""
    time = Time()
    digests = []
    for effort, max_tokens, prompt_tokens in (
        ("low", 100, 5_000),
        ("high", 100, 5_000),
        ("low", 101, 5_000),
        ("low", 100, 5_001),
    ):
        pacer = QuickPacer(time, Ceiling(None))
        model = Scripted(time, 0.5, ANSWER)
        analyzer = OneShot(
            model,
            pacer,
            Prompts(),
            price=None,
            room=Room(max_tokens, prompt_tokens),
            effort=effort,
        )
        analyzer.analyze_by_calls(evidence, lambda digest, _: digests.append(digest))

    assert len(set(digests)) == 4


def test_a_small_context_is_sent_less_of_the_window(evidence: Evidence) -> None:
    """Each column what it has room for, though they share their prompts."""
    crowded = replace(evidence, logs=evidence.logs * 100)
    time = Time()
    prompts = Prompts()
    sent, told = [], []
    for budget in (5_000, 100_000):
        model = Scripted(time, 0.5, ANSWER)
        analyzer = OneShot(
            model,
            QuickPacer(time, Ceiling(None)),
            prompts,
            price=None,
            room=Room(100, budget),
        )
        told.append(bool(analyzer.analyze(crowded).left_out))
        sent.append(analyzer.plan(crowded)[0])

    assert sent[0] <= 5_000 < sent[1]
    assert told == [True, False]


def test_a_stop_wakes_who_waits_for_another_attempt(evidence: Evidence) -> None:
    """What it had tried is kept with the reason."""
    model = Scripted(Time(), 0.0, SERVER_ERROR)
    pacer = Pacer(Limits(), Ceiling(None), clock=Time(), today=lambda: date(2026, 11, 30))
    analyzer = OneShot(model, pacer, Prompts(), price=None, room=Room(100), jitter=lambda: 60.0)
    reasons: list[Unmeasured] = []

    def ask() -> None:
        try:
            analyzer.analyze(evidence)
        except Unmeasured as reason:
            reasons.append(reason)

    waiting = threading.Thread(target=ask)
    waiting.start()
    waiting.join(0.05)
    analyzer.stop()
    waiting.join(20)

    assert [(reason.reason, outcomes(reason)) for reason in reasons] == [("interrupted", ["500"])]
