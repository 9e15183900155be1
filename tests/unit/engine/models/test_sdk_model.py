"""What both models do alike when the wire breaks, and where keys must not turn up."""

from __future__ import annotations

import logging
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.engine.models import build_model
from pytest_rcabench.engine.models.wire import Completion, TransientError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rcabench.engine.models.wire import Model, Request
    from tests.wires.fake import FakeWires

KEY = "planted-key-5f1c"

pytestmark = pytest.mark.parametrize("provider", ["gemini", "claude"])


@pytest.mark.parametrize("breaks", ["reset", "short"])
def test_a_connection_that_breaks_is_the_networks_fault(
    wires: FakeWires,
    kind_of: Callable[[str], tuple[object, ...]],
    provider: str,
    breaks: str,
) -> None:
    """Half a body is no answer, so the next attempt may bring one."""
    wires.play({"breaks": breaks})

    assert kind_of(provider) == ("again", "reset", "network", None)
    assert len(wires.seen) == 1


def test_a_body_that_cannot_be_unpacked_is_the_networks_fault(
    wires: FakeWires, kind_of: Callable[[str], tuple[object, ...]], provider: str
) -> None:
    """A proxy that lies about gzip is no model."""
    wires.play({"body": "no gzip", "headers": {"Content-Encoding": "gzip"}})

    assert kind_of(provider) == ("again", "reset", "network", None)


@pytest.mark.usefixtures("sdk")
def test_nobody_who_listens_is_the_networks_fault(
    environ: dict[str, str], request_of: Callable[..., Request], provider: str
) -> None:
    """The message names the host, and what the system said of it."""
    closed = dict.fromkeys(("ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"), "http://127.0.0.1:9")
    model = build_model(provider, "", environ | closed)

    with pytest.raises(
        TransientError, match=r"connection to 127\.0\.0\.1 failed: ConnectError"
    ) as raised:
        model.complete(request_of(), 5.0)
    model.close()

    assert raised.value.reason == "network"


@pytest.mark.parametrize("breaks", ["hang", "dribble"])
def test_no_body_outlasts_the_deadline(
    wires: FakeWires,
    outcome_of: Callable[[str, float], Completion | RcabenchError],
    provider: str,
    breaks: str,
) -> None:
    """A byte now and then would satisfy the SDK, and bring a whole answer after ten seconds."""
    wires.play({"breaks": breaks})

    outcome = outcome_of(provider, 0.3)

    assert isinstance(outcome, TransientError)
    assert (outcome.outcome, outcome.reason) == ("timeout", "deadline")


@pytest.mark.usefixtures("sdk")
def test_a_call_that_was_given_up_ends_when_the_model_is_closed(
    wires: FakeWires,
    environ: dict[str, str],
    request_of: Callable[..., Request],
    provider: str,
) -> None:
    """Its thread does not read on until the other side is tired of it."""
    wires.play({"breaks": "dribble"})
    model = build_model(provider, "", environ)
    with pytest.raises(TransientError):
        model.complete(request_of(), 0.3)
    (left,) = _calls()

    model.close()
    left.join(5)

    assert not left.is_alive()


@pytest.mark.usefixtures("sdk")
def test_opening_and_closing_ask_nothing(
    wires: FakeWires, environ: dict[str, str], provider: str
) -> None:
    """A model that is never asked costs nothing, opened or not."""
    unopened = build_model(provider, "", environ)
    unopened.close()
    model = build_model(provider, "", environ)
    model.open()
    model.close()

    assert wires.seen == []


@pytest.mark.usefixtures("sdk")
def test_one_client_serves_all_threads(
    wires: FakeWires,
    environ: dict[str, str],
    request_of: Callable[..., Request],
    provider: str,
) -> None:
    """Twenty threads that open the model at once get twenty answers, each its own."""
    wires.play(*({"text": str(number)} for number in range(20)))
    model = build_model(provider, "", environ)

    with ThreadPoolExecutor(20) as pool:
        answers = [pool.submit(model.complete, request_of(), 30.0) for _ in range(20)]
        texts = {answer.result().text for answer in answers}
    model.close()

    assert texts == {str(number) for number in range(20)}


def test_a_lone_surrogate_in_a_prompt_is_sent_as_something_else(
    wires: FakeWires,
    model_of: Callable[[str], Model],
    request_of: Callable[..., Request],
    provider: str,
) -> None:
    """No request can carry one, and a log line that does must not cost the cell."""
    model_of(provider).complete(request_of(prompt="torn \ud83d line"), 5.0)

    assert "torn ? line" in str(wires.seen[0].body)


@pytest.mark.usefixtures("sdk")
def test_a_dead_proxy_does_not_keep_from_a_local_model(
    wires: FakeWires,
    environ: dict[str, str],
    request_of: Callable[..., Request],
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
) -> None:
    """No proxy reaches this machine's own addresses."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    model = build_model(provider, "", environ)

    model.complete(request_of(), 5.0)
    model.close()

    assert len(wires.seen) == 1


@pytest.mark.parametrize(
    "event",
    [
        {"status": 401, "body": {"error": {"message": f"invalid key {KEY}"}}},
        {"status": 429, "body": f"<html>slow down, {KEY}</html>"},
        {"body": f"<html>who is {KEY}?</html>"},
        {"body": {"error": {"message": KEY}}},
        {"breaks": "reset"},
        {"breaks": "dribble"},
    ],
    ids=str,
)
def test_a_key_turns_up_in_no_error_traceback_or_log(
    wires: FakeWires,
    outcome_of: Callable[[str, float], Completion | RcabenchError],
    caplog: pytest.LogCaptureFixture,
    provider: str,
    event: dict[str, object],
) -> None:
    """Not in what is shown of an error, not in what hangs on it, and not at DEBUG."""
    caplog.set_level(logging.DEBUG)
    wires.play(event)

    error = outcome_of(provider, 0.3)

    assert isinstance(error, RcabenchError)
    assert error.__context__ is None
    assert KEY in str(wires.seen[0].headers)
    shown = [str(error), repr(error), str(vars(error)), *_shown_by_pytest(error)]
    assert [text for text in [*shown, caplog.text] if KEY in text] == []


def test_a_prompt_is_not_logged(
    wires: FakeWires,
    model_of: Callable[[str], Model],
    request_of: Callable[..., Request],
    caplog: pytest.LogCaptureFixture,
    provider: str,
) -> None:
    """Whatever is logged lands in pytest's reports, a thousand prompts of it."""
    caplog.set_level(logging.DEBUG)

    model_of(provider).complete(request_of(prompt="planted evidence"), 5.0)

    assert "planted evidence" in str(wires.seen[0].body)
    assert "planted evidence" not in caplog.text


@pytest.fixture
def sdk(model_of: Callable[[str], Model], provider: str) -> None:
    """Skip where the provider's SDK is not installed."""
    model_of(provider)


def _calls() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "rcabench-call"]


def _shown_by_pytest(error: BaseException) -> Iterator[str]:
    """Yield every text of a traceback, with the local variables that --showlocals would show."""
    yield from traceback.format_exception(error)
    for frame, _ in traceback.walk_tb(error.__traceback__):
        yield from (repr(value) for name, value in frame.f_locals.items() if name != "event")
