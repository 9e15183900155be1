"""What every model behind an SDK does alike: open once, ask in time, judge the reply, close."""

from __future__ import annotations

import abc
import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pytest_rcabench.domain.analysis import AnswerFault
from pytest_rcabench.engine.models.reply import bad_body, in_one_line, json_object, refusal
from pytest_rcabench.engine.models.wire import bounded
from pytest_rcabench.engine.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_rcabench.engine.models.access import Access
    from pytest_rcabench.engine.models.reply import Reply
    from pytest_rcabench.engine.models.wire import Completion, Request, TokenUsage

_Client = TypeVar("_Client")


class SdkModel(abc.ABC, Generic[_Client]):
    """A `Model` with one client of the vendor's SDK, which all threads of the process share.

    *environ* tells which texts are secret. A client does not live through a fork.
    """

    def __init__(self, name: str, access: Access, environ: Mapping[str, str]) -> None:
        self._name = name
        self._access = access
        self._environ = dict(environ)
        self._client: _Client | None = None
        self._opening = threading.Lock()

    @property
    def name(self) -> str:
        """The vendor's id of the model."""
        return self._name

    @property
    def base_url(self) -> str:
        """The address that is asked, which holds no login."""
        return self._access.base_url

    def open(self) -> None:
        """Import the SDK and make its client, unless that is done."""
        self._opened()

    def complete(self, request: Request, timeout_s: float) -> Completion:
        """Return the answer to *request*, within *timeout_s* seconds in all.

        Raises: TransientError, EndedError; Unmeasured: if this one request cannot be answered.
        """
        client = self._opened()
        sent = replace(request, system=_mended(request.system), prompt=_mended(request.prompt))
        reply = bounded(lambda: self._send(client, sent, timeout_s), timeout_s)
        if reply.is_success and (completion := self._completion(reply)):
            return completion
        shown = replace(reply, text=redact(reply.text, self._environ))
        if reply.is_success:
            raise bad_body(shown, self._access.host)
        raise refusal(shown, datetime.now(UTC))

    def close(self) -> None:
        """Let go of the connections, those of calls that were given up included."""
        with self._opening:
            client, self._client = self._client, None
        if client is not None:
            self._disconnect(client)

    def _opened(self) -> _Client:
        with self._opening:
            if self._client is None:
                self._client = self._connect(self._access)
            return self._client

    def _completion(self, reply: Reply) -> Completion | None:
        body = json_object(reply.text)
        return None if body is None else self._read(body, reply)

    @abc.abstractmethod
    def _connect(self, access: Access) -> _Client:
        """Import the SDK and return a client that does not ask twice for anything."""

    @abc.abstractmethod
    def _send(self, client: _Client, request: Request, timeout_s: float) -> Reply:
        """Return the reply to *request*, whatever its status.

        Raises: TransientError: if no whole reply came, and outside of any handler: an error of the
        SDK holds the request with its key, and must not live on as the context of ours.
        """

    @abc.abstractmethod
    def _read(self, body: dict[str, Any], reply: Reply) -> Completion | None:
        """Return the answer in *body*, None if it is not an answer of the vendor's API."""

    @abc.abstractmethod
    def _disconnect(self, client: _Client) -> None:
        """Close *client*."""


def count(value: dict[str, Any], name: str) -> int | None:
    """Return the number of tokens under *name*, None if there is no such number."""
    number = value.get(name)
    return number if type(number) is int and number >= 0 else None


def join_texts(blocks: object, is_answer: Callable[[dict[str, Any]], bool]) -> str:
    """Return the text of those *blocks* that are part of the answer, in order; thoughts are not."""
    texts = (
        block.get("text")
        for block in (blocks if isinstance(blocks, list) else ())
        if isinstance(block, dict) and is_answer(block)
    )
    return "".join(text for text in texts if isinstance(text, str))


def truncated(reason: str, usage: TokenUsage | None) -> AnswerFault:
    """Return the fault of an answer that was cut off, saying what the tokens went into."""
    took = f" after {usage.output} tokens, {usage.thinking} of them thought" if usage else ""
    return AnswerFault("truncated", f"{reason}{took}; raise max_tokens or lower effort")


def refused(why: str) -> AnswerFault:
    """Return the fault of a model that would not answer."""
    return AnswerFault("refused", in_one_line(why))


def empty_unless(text: str, reason: object) -> AnswerFault | None:
    """Return the fault of an answer without text, None where there is *text*."""
    return (
        None if text.strip() else AnswerFault("empty", in_one_line(f"no text; stopped: {reason}"))
    )


def _mended(text: str) -> str:
    """Return *text* without lone surrogates, which no request can carry."""
    return text.encode("utf-8", "replace").decode()
