"""A server on loopback that speaks both vendors' wires, and breaks off in all the ways they do.

It plays one scripted event a request, the last one of a script again and again, and keeps what it
was sent, and when.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SILENCE = '{"issues": [], "notes": []}'
_DRIBBLED = 1000


@dataclass(frozen=True)
class Event:
    """What happens to one request.

    *body* is sent as it is, a dict as JSON; None is an answer of the asked vendor that says *text*.
    *breaks* is "" or one of: "reset" before any reply, "short" in the middle of the body, "hang"
    without a reply, "dribble" of one byte at a time; these two last ten seconds, or until `reset`.
    *latency_s* is waited for before any of it.
    """

    text: str = SILENCE
    status: int = 200
    body: bytes | str | dict[str, Any] | list[Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks: str = ""
    latency_s: float = 0.0


@dataclass(frozen=True)
class Seen:
    """One request as it came in, at *at* seconds; the names in *headers* are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    at: float

    @property
    def prompt(self) -> str:
        """The prompt, whoever's wire it came on."""
        message = self.body["messages" if "messages" in self.body else "contents"][0]
        text: str = message["content"] if "content" in message else message["parts"][0]["text"]
        return text


class FakeWires:
    """The server's script and memory; *url* is its address."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._lock = threading.Lock()
        self.released = threading.Event()
        self.reset()

    def reset(self) -> None:
        """Forget what was seen, let go of who hangs, and answer with silence."""
        self.released.set()
        self.released = threading.Event()
        self.seen: list[Seen] = []
        self.most_at_once = self._at_once = 0
        self._scripts: dict[str, list[Event]] = {"": [Event()]}

    def play(self, *events: Mapping[str, Any], to: str = "") -> None:
        """Answer the next requests that hold *to* with *events*, each the fields of an `Event`.

        A model's name and a line of a log are good for *to*; what was given first is tried first,
        and empty last.
        """
        with self._lock:
            self._scripts[to] = [Event(**event) for event in events]

    def asked(self, word: str = "") -> int:
        """Return how many requests held *word*."""
        return sum(word in f"{seen.path} {seen.body}" for seen in self.seen)

    def most_in(self, window_s: float) -> int:
        """Return how many requests came within *window_s* seconds, where they were most."""
        times = sorted(seen.at for seen in self.seen)
        return max(sum(at <= other < at + window_s for other in times) for at in times)

    @contextmanager
    def take(self, seen: Seen) -> Iterator[Event]:
        """Give what happens to the request *seen*, which is in flight for as long."""
        text = f"{seen.path} {seen.body}"
        with self._lock:
            self.seen.append(seen)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            script = next(
                (self._scripts[to] for to in self._scripts if to and to in text), self._scripts[""]
            )
            event = script.pop(0) if len(script) > 1 else script[0]
        try:
            yield event
        finally:
            with self._lock:
                self._at_once -= 1

    @staticmethod
    def claude_message(text: str = SILENCE, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
        """Return an answer of Anthropic that says *text*; *changes* replace fields."""
        message = {
            "id": "msg_fake",
            "type": "message",
            "role": "assistant",
            "model": "claude-fake-1",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": 100,
                "cache_read_input_tokens": 30,
                "cache_creation_input_tokens": 20,
                "output_tokens": 50,
                "output_tokens_details": {"thinking_tokens": 10},
            },
        }
        return message | changes

    @staticmethod
    def gemini_response(text: str = SILENCE, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
        """Return a response of generateContent that says *text*; *changes* replace fields."""
        content = {"role": "model", "parts": [{"text": text}]}
        response = {
            "candidates": [{"content": content, "finishReason": "STOP"}],
            "usageMetadata": {
                "promptTokenCount": 150,
                "cachedContentTokenCount": 30,
                "candidatesTokenCount": 40,
                "thoughtsTokenCount": 10,
                "totalTokenCount": 200,
            },
            "modelVersion": "gemini-fake-1",
            "responseId": "resp_fake",
        }
        return response | changes


@contextmanager
def fake_wires() -> Iterator[FakeWires]:
    """Serve both wires until the end of the block."""

    class Handler(_Handler):
        wires: FakeWires

    class Server(ThreadingHTTPServer):
        request_queue_size = 128  # as many may connect at once

    server = Server(("127.0.0.1", 0), Handler)
    Handler.wires = wires = FakeWires(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield wires
    finally:
        wires.reset()
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    wires: FakeWires
    protocol_version = "HTTP/1.1"

    def handle(self) -> None:
        with suppress(OSError):  # who has been let down may hang up first
            super().handle()

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Seen(self.path, headers, body, time.monotonic())
        with self.wires.take(seen) as event:
            self.wires.released.wait(event.latency_s)
        # In flight no more: who has the reply may ask again before this thread goes on.
        self._play(event)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
        del format, args

    def _play(self, event: Event) -> None:
        if event.breaks == "hang":
            self.wires.released.wait(10)
        if event.breaks in {"hang", "reset"}:
            self._reset()
            return
        body = self._body(event)
        self.send_response(event.status)
        length = len(body) + {"short": 100, "dribble": _DRIBBLED}.get(event.breaks, 0)
        for name, value in {"request-id": "req_fake", "Content-Length": str(length)}.items():
            self.send_header(name, value)
        for name, value in event.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if event.breaks == "dribble":
            self._dribble()
        self.wfile.write(body)
        if event.breaks == "short":
            self.close_connection = True

    def _body(self, event: Event) -> bytes:
        body = event.body
        if body is None:
            is_gemini = self.path.endswith(":generateContent")
            answer = self.wires.gemini_response if is_gemini else self.wires.claude_message
            body = answer(event.text)
        if isinstance(body, bytes):
            return body
        return (body if isinstance(body, str) else json.dumps(body)).encode()

    def _dribble(self) -> None:
        # Spaces before the JSON: the body is a whole answer if somebody waits for its end.
        released = self.wires.released
        for _ in range(_DRIBBLED):
            if released.wait(0.01):
                return
            self.wfile.write(b" ")

    def _reset(self) -> None:
        self.close_connection = True
        # No lingering: the peer gets a reset where it would get an orderly end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
