"""What a model is to the engine: a request, and an answer or one of three ways to have none.

No vendor and no SDK is known here.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_rcabench.domain.analysis import Severity
from pytest_rcabench.domain.errors import RcabenchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rcabench.domain.analysis import AnswerFault
    from pytest_rcabench.domain.incident import JSON

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is sent.

    *effort* is a vendor's word for how much it shall think, empty for its default.
    """

    system: str
    prompt: str
    schema: dict[str, JSON]
    max_output_tokens: int
    effort: str = ""


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """What a call took, in tokens that are billed apart; *thinking* is part of *output*."""

    input_uncached: int
    input_cached: int
    cache_write: int
    output: int
    thinking: int

    @property
    def input(self) -> int:
        """All that was read, whatever it was billed at."""
        return self.input_uncached + self.input_cached + self.cache_write


@dataclass(frozen=True, slots=True)
class Completion:
    """A complete answer, which is never asked for again.

    *text* is as it came, lone surrogates included. *fault* says why there is no usable text, where
    that is the model's own doing; then *text* is what there was of it. *usage* is None where nobody
    said, which is not zero. *model* is the name that the vendor gave.
    """

    text: str
    usage: TokenUsage | None
    model: str
    request_id: str
    fault: AnswerFault | None = None


class TransientError(RcabenchError):
    """This call came to nothing, and the next one may not.

    *outcome* names the attempt ("429", "timeout", …), *reason* is the word of `Unmeasured` when no
    attempt is left, *retry_after_s* is what the provider asked to wait for, None if it did not.
    """

    def __init__(
        self, outcome: str, reason: str, detail: str, retry_after_s: float | None = None
    ) -> None:
        super().__init__(f"{outcome}: {detail}")
        self.outcome = outcome
        self.reason = reason
        self.detail = detail
        self.retry_after_s = retry_after_s


class EndedError(RcabenchError):
    """No call to this model will come to anything in this run: key, money, day's quota, address.

    *outcome* and *reason* are those of `TransientError`.
    """

    def __init__(self, outcome: str, reason: str, detail: str) -> None:
        super().__init__(f"{outcome}: {detail}")
        self.outcome = outcome
        self.reason = reason
        self.detail = detail


class Model(Protocol):
    """A model behind a wire, which any number of threads may ask at once."""

    @property
    def name(self) -> str:
        """The vendor's id of the model."""
        ...

    @property
    def base_url(self) -> str:
        """The address that is asked, which holds no login."""
        ...

    def open(self) -> None:
        """Import the SDK and make its client, unless that is done.

        `complete` does it too; it is here because it takes a second that is no model's latency.
        """
        ...

    def complete(self, request: Request, timeout_s: float) -> Completion:
        """Return the answer to *request*, within *timeout_s* seconds in all.

        Raises: TransientError, EndedError; Unmeasured: if this one request cannot be answered.
        """
        ...

    def close(self) -> None:
        """Let go of the connections, those of calls that were given up included."""
        ...


def answer_schema() -> dict[str, JSON]:
    """Return the JSON Schema of an answer, in the few words that all vendors know."""
    texts: JSON = {"type": "array", "items": {"type": "string"}}
    fields: dict[str, JSON] = {
        "title": {"type": "string"},
        "severity": {"type": "string", "enum": [severity.word for severity in Severity]},
        "service": {"type": "string"},
        "cause": {"type": "string"},
        "commits": texts,
        "ruled_out": texts,
        "evidence": texts,
        "reasoning": {"type": "string"},
    }
    return _closed({"issues": {"type": "array", "items": _closed(fields)}, "notes": texts})


def bounded(call: Callable[[], _T], timeout_s: float) -> _T:
    """Return what *call* returns, or raise what it raises, within *timeout_s* seconds.

    An SDK's timeout starts anew with every byte and knows no name resolution, so the call runs in a
    thread of its own, which is left behind when its time is up. Raises: TransientError: then.
    """
    outcome: Future[_T] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            outcome.set_exception(error)

    # No executor: the interpreter waits for its threads at exit, for ever if a body never ends.
    threading.Thread(target=run, name="rcabench-call", daemon=True).start()
    try:
        return outcome.result(timeout_s)
    except TimeoutError:
        if outcome.done():  # it ended just now, or what it raised is a TimeoutError
            return outcome.result()
    raise timed_out(timeout_s)


def timed_out(timeout_s: float) -> TransientError:
    """Return the error of a call that took longer than *timeout_s* seconds."""
    return TransientError("timeout", "deadline", f"no whole answer after {timeout_s:.0f} s")


def _closed(properties: dict[str, JSON]) -> dict[str, JSON]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
