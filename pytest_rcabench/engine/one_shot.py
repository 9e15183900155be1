"""The built-in analyser on a model: one prompt, one answer, and the loop that gets it."""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from pytest_rcabench.domain.analysis import Analysis, Attempt, Usage
from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.errors import Unmeasured
from pytest_rcabench.engine.models.prices import cost_of, most_it_can_cost
from pytest_rcabench.engine.models.wire import EndedError, Request, TransientError, answer_schema
from pytest_rcabench.engine.prompt import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rcabench.domain.incident import Evidence
    from pytest_rcabench.engine.models.prices import Price
    from pytest_rcabench.engine.models.wire import Completion, Model
    from pytest_rcabench.engine.pacing import Pacer, Turn

MOST_ATTEMPTS = 5
# A provider that asks for a longer pause than this does not answer in this run.
LONGEST_PAUSE_S = 120.0
_FIRST_BACKOFF_S = 1.0


class OneShot:
    """Shows *model* each window once and reads its answer.

    *timeout_s* bounds the time that the requests of one analysis are open, waits between them not
    counted. *price* None is unknown. *clock* counts seconds; *jitter* draws from [0, 1).
    """

    is_free = False

    def __init__(
        self,
        model: Model,
        pacer: Pacer,
        *,
        price: Price | None,
        max_output_tokens: int,
        effort: str = "",
        timeout_s: float = 300.0,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.model = model
        self.pacer = pacer
        self._price = price
        self._max_output_tokens = max_output_tokens
        self._effort = effort
        self._timeout_s = timeout_s
        self._clock = clock
        self._jitter = jitter
        self._rendered: tuple[Evidence, Request, tuple[str, ...]] | None = None
        self._rendering = threading.Lock()

    def analyze(self, evidence: Evidence) -> Analysis:
        """Return the model's answer for *evidence*.

        Raises: Unmeasured: if there is none, and the model is not to blame.
        """
        request, left_out = self._request(evidence)
        attempts: list[Attempt] = []
        try:
            completion = self._complete(request, attempts)
        except Unmeasured as reason:
            raise Unmeasured(reason.reason, reason.detail, tuple(attempts)) from None
        analysis = self._read(completion, tuple(attempts))
        return replace(analysis, left_out=left_out)

    def close(self) -> None:
        """Let nothing go any more."""
        self.pacer.end("interrupted", "the run was stopped")
        self.model.close()

    def request_digest(self, evidence: Evidence) -> str:
        """Return the sha256 of all that is sent for *evidence*, and of whom it is sent to."""
        request, _ = self._request(evidence)
        sent = {**asdict(request), "model": self.model.name, "to": self.model.base_url}
        return hashlib.sha256(json.dumps(sent, sort_keys=True).encode()).hexdigest()

    def plan(self, evidence: Evidence) -> tuple[int, float | None]:
        """Return the estimated tokens of one analysis, and the most it can cost in US dollars."""
        request, _ = self._request(evidence)
        most = most_it_can_cost(self._price, _sent_bytes(request), self._max_output_tokens)
        return estimated_tokens(request), most

    def _request(self, evidence: Evidence) -> tuple[Request, tuple[str, ...]]:
        # The rounds of one window follow each other, and rendering takes longer than a lock.
        with self._rendering:
            if self._rendered is None or self._rendered[0] is not evidence:
                prompt = render(evidence)
                request = Request(
                    system=prompt.system,
                    prompt=prompt.text,
                    schema=answer_schema(),
                    max_output_tokens=self._max_output_tokens,
                    effort=self._effort,
                )
                self._rendered = (evidence, request, prompt.left_out)
            return self._rendered[1:]

    def _complete(self, request: Request, attempts: list[Attempt]) -> Completion:
        """Return the model's completion, asking again while that may help; note every attempt."""
        self.model.open()
        tokens = estimated_tokens(request) + self._max_output_tokens
        most = most_it_can_cost(self._price, _sent_bytes(request), self._max_output_tokens)
        while True:
            turn = self.pacer.turn(tokens, most)
            left_s = self._timeout_s - sum(attempt.latency_s for attempt in attempts)
            started = self._clock()
            completion, failure, outcome = None, None, "ok"
            try:
                completion = self.model.complete(request, left_s)
            except TransientError as error:
                failure, outcome = error, error.outcome
            except EndedError as error:
                outcome = error.outcome
                self.pacer.end(error.reason, error.detail)
            finally:
                attempts.append(Attempt(self._clock() - started, outcome))
                self._settle(turn, completion, outcome)
            if completion is not None:
                return completion
            if failure is not None:
                self._wait_out(failure, attempts)

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
        return replace(analysis, usage=usage, attempts=attempts)


def estimated_tokens(request: Request) -> int:
    """Return about how many tokens *request* is: four signs each, which is an estimate."""
    return (len(request.system) + len(request.prompt)) // 4


def _sent_bytes(request: Request) -> int:
    texts = (request.system, request.prompt, json.dumps(request.schema))
    return sum(len(text.encode("utf-8", "replace")) for text in texts)
