"""A service under test: what it is sent, what is taken from it, and who is blamed."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.errors import OptionError, Unmeasured
from pytest_rcabench.domain.incident import Evidence, LogRecord, Window
from pytest_rcabench.engine.protocols import Analyzer
from pytest_rcabench.engine.systems.http import HttpSystem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

START = datetime(2026, 10, 7, 13, tzinfo=UTC)
LINE = LogRecord(START, "orders", "orders-1", "ERROR", "lookup failed")
EVIDENCE = Evidence(Window(START, START + timedelta(hours=1)), (LINE,) * 100, (), ())
SILENCE = b'{"issues": []}'


@contextmanager
def service(answer: Callable[[BaseHTTPRequestHandler, bytes], object]) -> Iterator[str]:
    """Serve *answer* on a free port, and yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer(self, body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/rca"
    finally:
        server.shutdown()
        server.server_close()


def replying(status: int, body: bytes, **headers: str) -> Callable[..., None]:
    """Return a handler that gives one fixed reply."""

    def answer(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def test_a_service_gets_the_evidence_and_its_answer_is_read() -> None:
    """The request is a POST of JSON with the caller's authorization."""
    seen: list[tuple[str, str, str]] = []

    def answer(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        kind, login = handler.headers["Content-Type"], handler.headers["Authorization"]
        seen.append((json.loads(body)["schema"], kind, login))
        replying(200, SILENCE)(handler, body)

    with service(answer) as url:
        analysis = HttpSystem(url, {}, authorization="Bearer planted").analyze(EVIDENCE)

    assert seen == [("rcabench-evidence/1", "application/json", "Bearer planted")]
    assert analysis.fault is None
    assert analysis.reply == SILENCE.decode()


def test_without_authorization_no_such_header_is_sent() -> None:
    """An empty setting is no header."""
    seen: list[str | None] = []

    def answer(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        seen.append(handler.headers["Authorization"])
        replying(200, SILENCE)(handler, body)

    with service(answer) as url:
        HttpSystem(url, {}).analyze(EVIDENCE)

    assert seen == [None]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, "authentication"),
        (403, "authentication"),
        (407, "authentication"),
        (429, "rate limit"),
        (503, "server error"),
        (400, "bad request"),
        (404, "bad request"),
        (413, "bad request"),
        (422, "bad request"),
        (302, "bad request"),
    ],
)
def test_a_refused_request_leaves_the_window_unmeasured(status: int, reason: str) -> None:
    """The service was not asked about the incident, so it gave no wrong answer."""
    with service(replying(status, b"said planted-secret to planted-jwt", Location="/x")) as url:
        system = HttpSystem(url, {"MY_TOKEN": "planted-secret"}, authorization="Bearer planted-jwt")
        with pytest.raises(Unmeasured) as caught:
            system.analyze(EVIDENCE)

    assert caught.value.reason == reason
    assert str(status) in caught.value.detail
    assert "said [redacted] to [redacted]" in caught.value.detail


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_server_error_is_the_services_fault(status: int) -> None:
    """All of the 5xx but 503."""
    with service(replying(status, b"stack trace")) as url:
        analysis = HttpSystem(url, {}).analyze(EVIDENCE)

    assert analysis.fault is not None
    assert analysis.fault.name == "server_error"
    assert "stack trace" in analysis.fault.detail
    assert analysis.attempts[0].outcome == str(status)


@pytest.mark.parametrize(
    ("body", "name"), [(b"", "empty"), (b"<html>", "not_json"), (b'{"issues": "\xff"}', "not_json")]
)
def test_an_unreadable_answer_is_the_services_fault(body: bytes, name: str) -> None:
    """Nothing, another format, another encoding."""
    with service(replying(200, body)) as url:
        analysis = HttpSystem(url, {}).analyze(EVIDENCE)

    assert analysis.fault is not None
    assert analysis.fault.name == name


def test_a_service_may_decline() -> None:
    """`unmeasured` in place of an answer."""
    with service(replying(200, b'{"unmeasured": "warming up"}')) as url:
        system = HttpSystem(url, {})
        with pytest.raises(Unmeasured, match="declined: warming up"):
            system.analyze(EVIDENCE)


def dribble(part: bytes) -> Callable[..., None]:
    """Return a handler that sends *part* again and again, with short pauses, to no end."""

    def answer(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n")
        if part == b" ":
            handler.wfile.write(b"\r\n")
        try:
            for _pause in range(200):
                handler.wfile.write(part)
                threading.Event().wait(0.05)
        except OSError:
            pass

    return answer


@pytest.mark.parametrize("part", [b" ", b"X"], ids=["body", "header"])
def test_a_dribbling_reply_does_not_beat_the_deadline(part: bytes) -> None:
    """Each byte comes in time, but the whole does not."""
    with service(dribble(part)) as url:
        analysis = HttpSystem(url, {}, timeout_s=0.5).analyze(EVIDENCE)

    assert analysis.fault is not None
    assert analysis.fault.name == "deadline"
    assert analysis.latency_s < 5


def test_a_silent_service_meets_the_deadline() -> None:
    """No byte at all."""
    done = threading.Event()
    with service(lambda *_: done.wait(10)) as url:
        analysis = HttpSystem(url, {}, timeout_s=0.3).analyze(EVIDENCE)
        done.set()

    assert analysis.fault is not None
    assert analysis.fault.name == "deadline"


def test_an_endless_reply_is_cut_off() -> None:
    """More than eight mebibytes are not read."""

    def answer(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
        try:
            while True:
                handler.wfile.write(b"x" * 65536)
        except OSError:
            pass

    with service(answer) as url:
        analysis = HttpSystem(url, {}).analyze(EVIDENCE)

    assert analysis.fault is not None
    assert analysis.fault.name == "oversize"


@pytest.mark.parametrize(
    "sent",
    [b"", b'HTTP/1.0 200 OK\r\nContent-Length: 99\r\n\r\n{"issues": []}', b"no HTTP\r\n\r\n"],
    ids=["nothing", "half", "gibberish"],
)
def test_a_connection_that_breaks_is_a_crash(sent: bytes) -> None:
    """The service took the request and died over it."""
    with service(lambda handler, _: handler.wfile.write(sent)) as url:
        analysis = HttpSystem(url, {}).analyze(EVIDENCE)

    assert analysis.fault is not None
    assert analysis.fault.name == "crashed"
    assert analysis.reply == ""


def test_a_refused_connection_leaves_the_window_unmeasured() -> None:
    """Nobody listens there, and the reason says where that is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}/"
        with pytest.raises(Unmeasured, match=rf"network: 127\.0\.0\.1:{port}: .*refused"):
            HttpSystem(url, {}).analyze(EVIDENCE)


def test_a_loopback_address_is_reached_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the environment would never find it."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with service(replying(200, SILENCE)) as url:
        analysis = HttpSystem(url, {}).analyze(EVIDENCE)

    assert analysis.fault is None


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://ann:planted@host/", "RCA_HTTP_AUTHORIZATION"),
        ("http:///rca", "is no address"),
        ("ftp://host/", "is no address"),
        ("http://host:port/", "write http://HOST:PORT/PATH"),
        ("http://ho st/", "percent-encode"),
        ("http://host/\r\nX: y", "percent-encode"),
    ],
)
def test_an_address_that_makes_no_sense_is_refused(url: str, said: str) -> None:
    """Before the run, with the remedy and without the login."""
    with pytest.raises(OptionError) as caught:
        HttpSystem(url, {})

    assert said in str(caught.value)
    assert "planted" not in str(caught.value)


def test_an_authorization_no_header_can_hold_is_refused() -> None:
    """The secret itself is not repeated."""
    with pytest.raises(OptionError) as caught:
        HttpSystem("http://host/", {}, authorization="Bearer planted\n")

    assert "planted" not in str(caught.value)


def test_a_service_is_asked_by_the_one_process_that_asks() -> None:
    """It is never free."""
    system = HttpSystem("http://host/", {})

    assert isinstance(system, Analyzer)
    assert not system.is_free
