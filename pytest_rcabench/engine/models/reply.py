"""What came back over a vendor's wire, and what every status but 200 means for cell and column.

Pure functions of status, headers and body: the SDKs carry requests, but their classes of errors
differ by vendor and version, and the wire does not.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pytest_rcabench.domain.errors import RcabenchError, Unmeasured
from pytest_rcabench.engine.models.wire import EndedError, TransientError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

_SHOWN_CHARS = 300
_SECONDS = re.compile(r"\d+(?:\.\d+)?")
_TOO_LARGE = re.compile(
    r"prompt is too long|context[ _](?:size|length|window)|token count|too many tokens",
    re.IGNORECASE,
)
_AGAIN = {408, 409, 425, 499}
# Why a model is over for this run, and what the reader can do.
_KEY = ("authentication", "; check the key")
_MONEY = ("quota", "")
_ADDRESS = ("bad request", "; the model is unknown there, or the address is wrong")
_ENDED = {401: _KEY, 402: _MONEY, 403: _KEY, 404: _ADDRESS, 405: _ADDRESS, 407: _KEY, 410: _ADDRESS}
# A status of 400 is about the one request, but for these.
_ENDED_BY_WORDS = (
    (re.compile(r"api[ _]key", re.IGNORECASE), _KEY),  # Gemini
    (re.compile(r"credit balance|usage limit|spend\w*[ _]limit|billing", re.IGNORECASE), _MONEY),
)


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole HTTP reply. What it says is in no repr: it may echo a key.

    *headers* is asked for names in lower case only.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    text: str = field(repr=False)

    @property
    def is_success(self) -> bool:
        """Whether the status is a 2xx."""
        return HTTPStatus(200) <= self.status < HTTPStatus(300)


def json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that *text* is, None if it is something else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def bad_body(reply: Reply, host: str) -> TransientError:
    """Return the error of a 2xx of *host* whose body is no answer of the vendor's API."""
    said = in_one_line(reply.text) or "an empty body"
    detail = f"{reply.status} of {host} is no answer of a model's API: {said}"
    return TransientError("bad body", "network", detail)


def lost(error: BaseException, host: str) -> TransientError:
    """Return the error of a call to *host* whose connection failed with *error*."""
    what = f"{type(error).__name__} {in_one_line(str(error))}".rstrip()
    return TransientError("reset", "network", f"the connection to {host} failed: {what}")


def refusal(reply: Reply, now: datetime) -> RcabenchError:
    """Return what a *reply* without success means, as an error to raise.

    `Unmeasured` is for this one request, `EndedError` for all requests of the run, and
    `TransientError` for none but this attempt; *now* is for a Retry-After that is a date.
    """
    error = _error_object(reply.text)
    message = error.get("message")
    said = in_one_line(message if isinstance(message, str) and message else reply.text)
    status = reply.status
    detail = f"{status} {said}".rstrip()
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return _rate_limit(reply, error, detail, now)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _AGAIN:
        wait_s = retry_after(reply.headers, now)
        return TransientError(str(status), "server error", detail, wait_s)
    if ended := _why_ended(status, said):
        reason, remedy = ended
        return EndedError(str(status), reason, detail + remedy)
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or _TOO_LARGE.search(said):
        return window_too_large(detail)
    return Unmeasured("bad request", detail)


def window_too_large(detail: str) -> Unmeasured:
    """Return the error of a prompt that this model cannot read."""
    return Unmeasured("bad request", f"window too large for this model: {detail}")


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that the provider asks to wait for, None where it says nothing readable.

    Source: RFC 9110, 10.2.3: seconds, or a date; ``retry-after-ms`` is Anthropic's own.
    """
    if _SECONDS.fullmatch(milliseconds := headers.get("retry-after-ms", "").strip()):
        return float(milliseconds) / 1000
    if _SECONDS.fullmatch(text := headers.get("retry-after", "").strip()):
        return float(text)
    try:
        return max((parsedate_to_datetime(text) - now).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):  # no date, or one without a zone
        return None


def in_one_line(text: str) -> str:
    """Return *text* as one short line without lone surrogates: gateways answer with web pages."""
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    return line if len(line) <= _SHOWN_CHARS else line[: _SHOWN_CHARS - 1] + "…"


def _rate_limit(
    reply: Reply, error: dict[str, Any], detail: str, now: datetime
) -> TransientError | EndedError:
    details = error.get("details")
    if isinstance(details, dict) and "spend_limit" in str(details.get("error_code")):  # Anthropic
        return EndedError("429", "quota", detail)
    wait_s = retry_after(reply.headers, now)
    # Gemini: a list of typed notes, where Anthropic has an object.
    for note in details if isinstance(details, list) else ():
        if not isinstance(note, dict):
            continue
        if "PerDay" in json.dumps(note.get("violations")):
            return EndedError(
                "429",
                "quota",
                f"{detail}; the day's requests are used up until midnight Pacific time",
            )
        delay = str(note.get("retryDelay")).removesuffix("s")
        if wait_s is None and _SECONDS.fullmatch(delay):
            wait_s = float(delay)
    return TransientError("429", "rate limit", detail, wait_s)


def _why_ended(status: int, said: str) -> tuple[str, str] | None:
    if status < HTTPStatus.BAD_REQUEST:  # a redirect
        return _ADDRESS
    if status == HTTPStatus.BAD_REQUEST:
        return next((why for words, why in _ENDED_BY_WORDS if words.search(said)), None)
    return _ENDED.get(status)


def _error_object(text: str) -> dict[str, Any]:
    """Return what both vendors, and those who copy them, put under ``error``; empty if nothing."""
    body = json_object(text) or {}
    error = body.get("error")
    return error if isinstance(error, dict) else {}
