"""A system under test as a service: the evidence by POST, the answer in the body of its 2xx."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import threading
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_rcabench.domain.errors import OptionError, Unmeasured
from pytest_rcabench.engine.redaction import redact
from pytest_rcabench.engine.systems.replies import (
    MAX_REPLY_BYTES,
    encode_evidence,
    failed,
    take_reply,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import Evidence

_CHUNK_BYTES = 65536
_SHOWN_BYTES = 500
_GRACE_S = 1.0
# Who is asked for a key, or whose address is wrong, has not been asked about the incident.
_UNMEASURED_STATUS = {
    401: "authentication",
    403: "authentication",
    407: "authentication",
    429: "rate limit",
    503: "server error",
}


class HttpSystem:
    """Posts each window to a service and reads the answer from the reply.

    *authorization* becomes the header of that name and is kept nowhere else; *environ* tells which
    texts are secret. *timeout_s* is the time from the request to the last byte of the reply.
    Redirects are not followed, and loopback addresses are reached without a proxy.
    """

    is_free = False

    def __init__(
        self,
        url: str,
        environ: Mapping[str, str],
        *,
        authorization: str = "",
        timeout_s: float = 300.0,
    ) -> None:
        """Check the address. Raises: OptionError: if it is none, or holds a login."""
        self._url = url
        self._environ = dict(environ)
        self._timeout_s = timeout_s
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if not (authorization.isascii() and authorization.isprintable()):
            raise OptionError("RCA_HTTP_AUTHORIZATION: holds signs that no header may; check it")
        if authorization:
            self._headers["Authorization"] = authorization
            self._environ["RCA_HTTP_AUTHORIZATION"] = authorization  # so that it is redacted too
        self._opener = _opener(self._check())

    def analyze(self, evidence: Evidence) -> Analysis:
        """Return what the service answers for *evidence*.

        Raises: Unmeasured: if it cannot be reached, refuses the request, or declines.
        """
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked
            self._url, encode_evidence(evidence), self._headers, method="POST"
        )
        exchange = _Exchange(self._opener, request, self._timeout_s)
        # In a thread: a socket's timeout starts anew with every byte, and DNS knows none.
        thread = threading.Thread(target=exchange.run, daemon=True)
        started = time.monotonic()
        thread.start()
        thread.join(self._timeout_s + _GRACE_S)
        latency_s = time.monotonic() - started
        if isinstance(exchange.error, urllib.error.HTTPError):
            return self._judge_status(exchange.error, bytes(exchange.body), latency_s)
        if thread.is_alive() or isinstance(exchange.error, TimeoutError):
            return failed("deadline", f"no whole reply after {self._timeout_s:g} s", latency_s)
        if exchange.error is not None:
            return self._judge_break(exchange.error, latency_s)
        if len(exchange.body) > MAX_REPLY_BYTES:
            detail = f"more than {MAX_REPLY_BYTES} bytes in the reply"
            return failed("oversize", detail, latency_s)
        return take_reply(bytes(exchange.body), latency_s, self._environ)

    def _judge_status(
        self, error: urllib.error.HTTPError, body: bytes, latency_s: float
    ) -> Analysis:
        said = f"{error.code} {error.reason} {body.decode('utf-8', 'replace')}"
        detail = redact(" ".join(said.split()), self._environ)
        if error.code in _UNMEASURED_STATUS:
            raise Unmeasured(_UNMEASURED_STATUS[error.code], detail)
        if error.code >= http.client.INTERNAL_SERVER_ERROR:
            return failed("server_error", detail, latency_s, str(error.code))
        raise Unmeasured("bad request", f"{detail}; give the address that takes the POST")

    def _judge_break(self, error: Exception, latency_s: float) -> Analysis:
        detail = redact(str(getattr(error, "reason", "") or error), self._environ)
        if isinstance(error, urllib.error.URLError):
            place = redact(urlsplit(self._url).netloc, self._environ)
            raise Unmeasured("network", f"{place}: {detail}; is the service running?")
        return failed(
            "crashed", f"the connection broke before the reply ended: {detail}", latency_s
        )

    def _check(self) -> str:
        shown = redact(self._url, self._environ)
        try:
            parts = urlsplit(self._url)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise OptionError(f"{shown}: {error}; write http://HOST:PORT/PATH") from error
        if parts.scheme not in ("http", "https") or not host:
            raise OptionError(f"{shown}: is no address; write http://HOST:PORT/PATH")
        if " " in self._url or not (self._url.isascii() and self._url.isprintable()):
            raise OptionError(f"{shown}: holds signs that no address may; percent-encode them")
        if "@" in parts.netloc:
            raise OptionError(
                f"{shown}: holds a login; put it into the variable RCA_HTTP_AUTHORIZATION"
            )
        return host


class _Exchange:
    """One request and its reply; *error* says what went wrong, *body* what was read by then."""

    def __init__(
        self,
        opener: urllib.request.OpenerDirector,
        request: urllib.request.Request,
        timeout_s: float,
    ) -> None:
        self.body = bytearray()
        self.error: Exception | None = None
        self._opener = opener
        self._request = request
        self._timeout_s = timeout_s

    def run(self) -> None:
        ends = time.monotonic() + self._timeout_s
        try:
            with self._opener.open(self._request, timeout=self._timeout_s) as response:
                while len(self.body) <= MAX_REPLY_BYTES and (chunk := response.read1(_CHUNK_BYTES)):
                    self.body += chunk
                    if time.monotonic() > ends:
                        self.error = TimeoutError()
                        return
                if response.length and len(self.body) <= MAX_REPLY_BYTES:
                    self.error = http.client.IncompleteRead(b"", response.length)
        except urllib.error.HTTPError as error:
            self.error = error
            with contextlib.suppress(OSError, http.client.HTTPException), error:
                self.body += error.read(_SHOWN_BYTES)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.error = error


def _opener(host: str) -> urllib.request.OpenerDirector:
    # Built by hand to have no redirect handler: that one turns a POST into a GET, elsewhere.
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler({} if _is_loopback(host) else None),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
