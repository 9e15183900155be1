"""The built-in analyser on a model: one prompt, one answer, and the loop that gets it."""

from __future__ import annotations

import gc
import hashlib
import json
import random
import threading
from collections import deque
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_rcabench.domain.analysis import Analysis, Attempt, Usage
from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.errors import RcabenchError, Unmeasured
from pytest_rcabench.domain.model_analysis import with_source
from pytest_rcabench.engine.models.prices import cost_of, most_it_can_cost
from pytest_rcabench.engine.models.wire import EndedError, Request, TransientError, answer_schema
from pytest_rcabench.engine.prompt import DEFAULT_BUDGET, render

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rcabench.domain.incident import JSON, Evidence
    from pytest_rcabench.engine.models.prices import Price
    from pytest_rcabench.engine.models.wire import Completion, Model
    from pytest_rcabench.engine.pacing import Pacer, Turn
    from pytest_rcabench.engine.prompt import Prompt
    from pytest_rcabench.engine.protocols import OnCall

MOST_ATTEMPTS = 5
# A provider that asks for a longer pause than this does not answer in this run.
LONGEST_PAUSE_S = 120.0
_FIRST_BACKOFF_S = 1.0
# More windows than a run usually has: the plan shows each, and its answer is asked for later.
_MOST_RENDERED = 32


class Prompts:
    """The prompts of a run: columns share them, and rounds, as rendering takes its time."""

    def __init__(self) -> None:
        self._rendered: deque[tuple[Evidence, int, Prompt]] = deque(maxlen=_MOST_RENDERED)
        self._lock = threading.Lock()

    def of(self, evidence: Evidence, budget_tokens: int) -> Prompt:
        """Return the prompt that shows *evidence* in at most *budget_tokens*."""
        with self._lock:
            for known, budget, prompt in self._rendered:
                if known is evidence and budget == budget_tokens:
                    return prompt
            prompt = render(evidence, budget_tokens=budget_tokens)
            self._rendered.append((evidence, budget_tokens, prompt))
            return prompt


@dataclass(frozen=True, slots=True)
class Room:
    """How many tokens an *answer* may have, and the *prompt*, which is measured by estimate."""

    answer: int
    prompt: int = DEFAULT_BUDGET


class OneShot:
    """Shows *model* each window once and reads its answer.

    *timeout_s* bounds the time that the requests of one analysis are open, waits between them not
    counted. *price* None is unknown. *jitter* draws from [0, 1).
    """

    is_free = False

    def __init__(
        self,
        model: Model,
        pacer: Pacer,
        prompts: Prompts,
        *,
        price: Price | None,
        room: Room,
        effort: str = "",
        timeout_s: float = 300.0,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.model = model
        self.pacer = pacer
        self._price = price
        self._room = room
        self._effort = effort
        self._timeout_s = timeout_s
        self._jitter = jitter
        self._prompts = prompts
        # Rounds share it: a long prompt takes milliseconds to digest.
        self._question = lru_cache(_MOST_RENDERED)(self._new_question)
        self._opening = threading.Lock()
        self._is_open = False

    def analyze(self, evidence: Evidence) -> Analysis:
        """Return the model's answer for *evidence*.

        Raises: Unmeasured: if there is none, and the model is not to blame.
        """
        return self.analyze_by_calls(evidence, lambda _digest, _most: None)

    def analyze_by_calls(self, evidence: Evidence, on_call: OnCall) -> Analysis:
        """As `analyze`; *on_call* comes before each call, and may raise to prevent it."""
        prompt = self._prompts.of(evidence, self._room.prompt)
        attempts: list[Attempt] = []
        try:
            completion = self._complete(prompt, attempts, on_call)
        except Unmeasured as reason:
            raise Unmeasured(reason.reason, reason.detail, tuple(attempts)) from None
        analysis = self._read(completion, tuple(attempts))
        return replace(analysis, left_out=prompt.left_out)

    def stop(self) -> None:
        """Let no call go any more, and nobody wait; what is open may end."""
        self.pacer.end("interrupted", "the run was stopped")

    def close(self) -> None:
        """Let go of the connections."""
        self.model.close()

    @property
    def settings(self) -> dict[str, JSON]:
        """What makes this column's requests differ from another's of the same model."""
        return {
            "to": self.model.base_url,
            "max_tokens": self._room.answer,
            "prompt_tokens": self._room.prompt,
            "effort": self._effort,
        }

    def plan(self, evidence: Evidence) -> tuple[int, float | None]:
        """Return the estimated tokens of one analysis, and the most it can cost in US dollars."""
        prompt = self._prompts.of(evidence, self._room.prompt)
        return prompt.estimated_tokens, self._question(prompt)[2]

    def _new_question(self, prompt: Prompt) -> tuple[Request, str, float | None]:
        """Return the request for *prompt*, its digest, and the most it can cost in US dollars."""
        schema = answer_schema()
        sent = [self.model.name, self.settings, schema, prompt.system, prompt.text]
        digest = hashlib.sha256(json.dumps(sent).encode()).hexdigest()
        texts = (prompt.system, prompt.text, json.dumps(schema))
        sent_bytes = sum(len(text.encode("utf-8", "replace")) for text in texts)
        most = most_it_can_cost(self._price, sent_bytes, self._room.answer)
        request = Request(prompt.system, prompt.text, schema, self._room.answer, self._effort)
        return request, digest, most

    def _complete(self, prompt: Prompt, attempts: list[Attempt], on_call: OnCall) -> Completion:
        """Return the model's completion, asking again while that may help; note every attempt."""
        self._open()
        request, digest, most = self._question(prompt)
        while True:
            turn = self.pacer.turn(prompt.estimated_tokens + self._room.answer, most)
            left_s = self._timeout_s - sum(attempt.latency_s for attempt in attempts)
            try:
                on_call(digest, most)
            except RcabenchError:
                self.pacer.settle(turn, 0, 0.0)
                raise
            completion, failure, outcome = None, None, "ok"
            started = self.pacer.clock()
            try:
                completion = self.model.complete(request, left_s)
            except TransientError as error:
                failure, outcome = error, error.outcome
            except EndedError as error:
                outcome = error.outcome
                self.pacer.end(error.reason, error.detail)
            except Unmeasured as error:  # refused with a status, or a window that is too large
                words = error.detail.split()
                outcome = next((word for word in words if word.isdigit()), error.reason)
                raise
            finally:
                attempts.append(Attempt(self.pacer.clock() - started, outcome))
                self._settle(turn, completion, outcome)
            if completion is not None:
                return completion
            if failure is not None:
                self._wait_out(failure, attempts)

    def _open(self) -> None:
        with self._opening:
            if self._is_open:
                return
            # An SDK is a hundred thousand objects that live as long as the process. Looking for
            # garbage among them, now and at the end, takes as long as half a dozen calls.
            is_enabled = gc.isenabled()
            gc.disable()
            try:
                self.model.open()
                self._is_open = True
            finally:
                if is_enabled:
                    gc.enable()
            gc.freeze()

    def _settle(self, turn: Turn, completion: Completion | None, outcome: str) -> None:
        if completion is not None and completion.usage is not None:
            usage = completion.usage
            self.pacer.settle(turn, usage.input + usage.output, cost_of(self._price, usage))
        elif outcome.isdigit():  # refused with a status: nothing was read, nothing is billed
            self.pacer.settle(turn, 0, 0.0)
        else:  # nobody knows how far it came
            self.pacer.settle(turn, None, None)

    def _wait_out(self, failure: TransientError, attempts: list[Attempt]) -> None:
        """Wait until asking again may help. Raises: Unmeasured: if it will not."""
        open_s = sum(attempt.latency_s for attempt in attempts)
        if len(attempts) >= MOST_ATTEMPTS or open_s >= self._timeout_s:
            tried = f"{len(attempts)} attempts" if len(attempts) > 1 else "1 attempt"
            raise Unmeasured(failure.reason, f"{failure.detail} ({tried})")
        backoff_s = _FIRST_BACKOFF_S * 2 ** (len(attempts) - 1) * (0.5 + self._jitter())
        wait_s = backoff_s if failure.retry_after_s is None else failure.retry_after_s
        if wait_s > LONGEST_PAUSE_S:
            self.pacer.end(failure.reason, f"the provider asks to wait {wait_s:.0f} s")
        elif failure.outcome == "429":
            self.pacer.pause(wait_s, "429")
        else:
            self.pacer.rest(wait_s)

    def _read(self, completion: Completion, attempts: tuple[Attempt, ...]) -> Analysis:
        told = completion.usage
        usage = Usage(
            input_tokens=told.input if told else None,
            output_tokens=told.output if told else None,
            cost_usd=cost_of(self._price, told),
        )
        if completion.fault is not None:
            analysis = Analysis(fault=completion.fault, reply=completion.text)
        else:
            analysis = read_answer(completion.text)
        analysis = replace(analysis, usage=usage, attempts=attempts)
        return with_source(analysis, completion.model, completion.request_id)
