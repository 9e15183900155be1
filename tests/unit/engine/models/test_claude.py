"""Every event of Anthropic's wire, on the real SDK, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.models.claude import ClaudeModel, check_claude
from pytest_rcabench.engine.models.wire import Completion, TokenUsage

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rcabench.domain.errors import RcabenchError
    from pytest_rcabench.engine.models.wire import Model, Request
    from tests.wires.fake import FakeWires

pytest.importorskip("anthropic", reason="install the extra `test`: no SDK of Claude")

TEXT = {"type": "text", "text": '{"issues": []}'}
THOUGHT = {"type": "thinking", "thinking": "hmm", "signature": "s"}


def test_a_request_asks_for_json_by_schema_and_turns_no_knobs(
    wires: FakeWires, model_of: Callable[[str], Model], request_of: Callable[..., Request]
) -> None:
    """What is sent is a prompt, a limit and a schema; no sampling, no tools, nothing forced."""
    request = request_of(effort="low")
    model_of("claude").complete(request, 5.0)

    (seen,) = wires.seen
    assert seen.path == "/v1/messages"
    assert seen.headers["authorization"] == "Bearer planted-key-5f1c"
    assert seen.body == {
        "model": "claude-fake-1",
        "max_tokens": 1000,
        "system": "You find causes.",
        "messages": [{"role": "user", "content": "What is wrong?"}],
        "output_config": {
            "format": {"type": "json_schema", "schema": request.schema},
            "effort": "low",
        },
    }


def test_an_effort_that_nobody_chose_is_not_sent(
    wires: FakeWires, outcome_of: Callable[[str], object]
) -> None:
    """The vendor's default stays the vendor's."""
    outcome_of("claude")

    assert set(wires.seen[0].body["output_config"]) == {"format"}


def test_a_complete_answer_brings_text_usage_model_and_id(
    outcome_of: Callable[[str], Completion | RcabenchError],
) -> None:
    """Cached input is apart from the rest, and thought is part of the output."""
    assert outcome_of("claude") == Completion(
        text='{"issues": [], "notes": []}',
        usage=TokenUsage(
            input_uncached=100, input_cached=30, cache_write=20, output=50, thinking=10
        ),
        model="claude-fake-1",
        request_id="req_fake",
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"content": [TEXT]}, ("answer", TEXT["text"]), id="text"),
        pytest.param({"content": [THOUGHT, TEXT]}, ("answer", TEXT["text"]), id="thought first"),
        pytest.param(
            {"content": [{"type": "text", "text": '{"iss'}, {"type": "text", "text": 'ues": []}'}]},
            ("answer", TEXT["text"]),
            id="text in two blocks",
        ),
        pytest.param(
            {"content": [{"type": "hologram"}, TEXT]}, ("answer", TEXT["text"]), id="unknown block"
        ),
        pytest.param({"content": [{"type": "text"}]}, ("fault", "empty"), id="text of no text"),
        pytest.param({"content": ["what"]}, ("fault", "empty"), id="block of no shape"),
        pytest.param(
            {"content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]}
            | {"stop_reason": "tool_use"},
            ("fault", "empty"),
            id="tool call",
        ),
        pytest.param(
            {"content": [{"type": "text", "text": '{"issues": [{'}], "stop_reason": "max_tokens"},
            ("fault", "truncated"),
            id="truncated",
        ),
        pytest.param(
            {"content": [THOUGHT], "stop_reason": "max_tokens"},
            ("fault", "truncated"),
            id="all tokens thought",
        ),
        pytest.param({"stop_reason": "pause_turn"}, ("fault", "truncated"), id="paused"),
        pytest.param(
            {"content": [], "stop_reason": "refusal", "stop_details": {"category": "cyber"}},
            ("fault", "refused"),
            id="refused",
        ),
        pytest.param(
            {"stop_reason": "refusal", "stop_details": None},
            ("fault", "refused"),
            id="refused in mid-text",
        ),
        pytest.param({"content": []}, ("fault", "empty"), id="no block"),
        pytest.param({"content": [{"type": "text", "text": " "}]}, ("fault", "empty"), id="blank"),
        pytest.param(
            {"stop_reason": "model_context_window_exceeded"},
            ("unmeasured", "bad request", "window too large for this model"),
            id="context window exceeded",
        ),
        pytest.param(
            {"content": [TEXT], "stop_reason": "bored"},
            ("answer", TEXT["text"]),
            id="unknown stop reason",
        ),
        pytest.param(
            {"content": [TEXT], "stop_reason": "stop_sequence"},
            ("answer", TEXT["text"]),
            id="stop sequence",
        ),
    ],
)
def test_a_complete_reply_is_the_models_own(
    wires: FakeWires,
    kind_of: Callable[[str], tuple[object, ...]],
    changes: dict[str, Any],
    expected: tuple[str, ...],
) -> None:
    """Whatever a whole message says, it is never asked for again."""
    wires.play({"body": wires.claude_message(**changes)})

    assert kind_of("claude") == expected


@pytest.mark.parametrize(
    ("body", "fault", "repairs"),
    [
        ('{"issues": "none"}', "invalid", ()),
        ("All is well.", "not_json", ()),
        ('Here:\n```json\n{"issues": []}\n```', None, ("fenced JSON",)),
        ('{"issues": [], "notes": ["\ud800"]}', None, ("surrogate replaced",)),
    ],
)
def test_what_a_server_without_schemas_answers_is_read_or_a_fault(
    wires: FakeWires,
    outcome_of: Callable[[str], Completion | RcabenchError],
    body: str,
    fault: str | None,
    repairs: tuple[str, ...],
) -> None:
    """Local servers ignore the schema; the reader of answers judges what comes, and says how."""
    wires.play({"text": body})
    completion = outcome_of("claude")
    assert isinstance(completion, Completion)

    analysis = read_answer(completion.text)

    assert analysis.fault is None if fault is None else analysis.fault
    assert (analysis.fault.name if analysis.fault else None, analysis.repairs) == (fault, repairs)


@pytest.mark.parametrize(("model", "shown"), [(None, "claude-fake-1"), ("m\ud800\n2", "m? 2")])
def test_the_models_name_is_one_that_a_record_can_hold(
    wires: FakeWires, outcome_of: Callable[[str], Completion], model: str | None, shown: str
) -> None:
    """What the vendor calls it, or what was asked for; never half a character."""
    wires.play({"body": wires.claude_message(model=model)})

    assert outcome_of("claude").model == shown


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, None),
        ({}, None),
        ({"input_tokens": 3}, None),
        ({"input_tokens": 3, "output_tokens": -1}, None),
        ({"input_tokens": 3, "output_tokens": "5"}, None),
        ({"input_tokens": 3, "output_tokens": 5}, TokenUsage(3, 0, 0, 5, 0)),
    ],
)
def test_a_usage_that_is_not_told_is_unknown(
    wires: FakeWires,
    outcome_of: Callable[[str], Completion],
    usage: dict[str, Any] | None,
    expected: TokenUsage | None,
) -> None:
    """What nobody said is not zero."""
    wires.play({"body": wires.claude_message(usage=usage)})

    assert outcome_of("claude").usage == expected


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        (
            {"stop_reason": "max_tokens"},
            "max_tokens after 50 tokens, 10 of them thought; raise max_tokens or lower effort",
        ),
        (
            {"stop_reason": "max_tokens", "usage": None},
            "max_tokens; raise max_tokens or lower effort",
        ),
        (
            {"stop_reason": "refusal", "stop_details": {"category": "cyber"}},
            "category cyber",
        ),
        ({"stop_reason": "refusal"}, "no reason given"),
        ({"content": [], "stop_reason": "tool_use"}, "no text; stopped: tool_use"),
    ],
)
def test_a_fault_says_what_the_vendor_said(
    wires: FakeWires,
    outcome_of: Callable[[str], Completion],
    changes: dict[str, Any],
    detail: str,
) -> None:
    """The reader learns why, and what to change."""
    wires.play({"body": wires.claude_message(**changes)})

    fault = outcome_of("claude").fault

    assert fault is not None
    assert fault.detail == detail


def test_what_was_said_before_a_refusal_is_kept_with_it(
    wires: FakeWires, outcome_of: Callable[[str], Completion]
) -> None:
    """The record shows it; the fault keeps it from being scored."""
    wires.play({"body": wires.claude_message("I would rather", stop_reason="refusal")})

    assert outcome_of("claude").text == "I would rather"


NETWORK = ("again", "bad body", "network", None)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({"body": '{"content": ['}, id="broken JSON"),
        pytest.param({"body": ""}, id="empty body"),
        pytest.param(
            {"body": "<html>Sign in</html>", "headers": {"Content-Type": "text/html"}},
            id="web page",
        ),
        pytest.param({"body": ["what"]}, id="list"),
        pytest.param({"body": {"type": "error", "error": {"message": "no"}}}, id="error in a 200"),
        pytest.param({"body": "[" * 100_000}, id="deep JSON"),
        pytest.param({"body": b"\xff\xfe"}, id="no UTF-8"),
        pytest.param({"status": 204, "body": ""}, id="204"),
    ],
)
def test_a_success_without_an_answer_is_the_networks_fault(
    wires: FakeWires, kind_of: Callable[[str], tuple[object, ...]], event: dict[str, Any]
) -> None:
    """A body that is no message was not written by the model, so it may be asked again."""
    wires.play(event)

    assert kind_of("claude") == NETWORK


def error_body(kind: str, message: str = "no", **details: str) -> dict[str, Any]:
    """Return the body of an error as Anthropic writes it."""
    return {"type": "error", "error": {"type": kind, "message": message, "details": details}}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"status": 302, "headers": {"Location": "/login"}}, ("ended", "302", "bad request")),
        ({"status": 400}, ("unmeasured", "bad request", "400 no")),
        ({"status": 401}, ("ended", "401", "authentication")),
        ({"status": 402}, ("ended", "402", "quota")),
        ({"status": 403}, ("ended", "403", "authentication")),
        ({"status": 404}, ("ended", "404", "bad request")),
        ({"status": 408}, ("again", "408", "server error", None)),
        ({"status": 409}, ("again", "409", "server error", None)),
        ({"status": 413}, ("unmeasured", "bad request", "window too large for this model")),
        ({"status": 422}, ("unmeasured", "bad request", "422 no")),
        ({"status": 429}, ("again", "429", "rate limit", None)),
        (
            {"status": 429, "headers": {"retry-after": "7"}},
            ("again", "429", "rate limit", 7.0),
        ),
        (
            {"status": 429, "headers": {"retry-after-ms": "1500", "retry-after": "2"}},
            ("again", "429", "rate limit", 1.5),
        ),
        ({"status": 500}, ("again", "500", "server error", None)),
        ({"status": 502, "body": "<html>\nbad gateway"}, ("again", "502", "server error", None)),
        (
            {"status": 503, "headers": {"retry-after": "3600"}},
            ("again", "503", "server error", 3600.0),
        ),
        ({"status": 504}, ("again", "504", "server error", None)),
        ({"status": 529}, ("again", "529", "server error", None)),
        (
            {
                "status": 400,
                "body": error_body("invalid_request_error", "prompt is too long: 9 > 8"),
            },
            ("unmeasured", "bad request", "window too large for this model"),
        ),
        (
            {
                "status": 400,
                "body": error_body(
                    "exceed_context_size_error", "exceeds the available context size"
                ),
            },
            ("unmeasured", "bad request", "window too large for this model"),
        ),
        (
            {
                "status": 400,
                "body": error_body("invalid_request_error", "Your credit balance is too low"),
            },
            ("ended", "400", "quota"),
        ),
        (
            {
                "status": 429,
                "body": error_body("rate_limit_error", error_code="enforced_spend_limit_reached"),
            },
            ("ended", "429", "quota"),
        ),
        (
            {
                "status": 429,
                "body": error_body("rate_limit_error", error_code="contract_spend_limit_reached"),
            },
            ("ended", "429", "quota"),
        ),
    ],
    ids=str,
)
def test_a_status_without_success_ends_a_cell_a_column_or_an_attempt(
    wires: FakeWires,
    kind_of: Callable[[str], tuple[object, ...]],
    event: dict[str, Any],
    expected: tuple[object, ...],
) -> None:
    """Nothing of it is the model's fault, and the SDK has asked once and not again."""
    wires.play({"body": error_body("some_error")} | event)

    assert kind_of("claude") == expected
    assert len(wires.seen) == 1


def test_a_model_that_ages_is_asked_without_a_warning(
    wires: FakeWires, request_of: Callable[..., Request], recwarn: pytest.WarningsRecorder
) -> None:
    """The SDK warns of such models, and under -W error a warning would break the call."""
    token = {"ANTHROPIC_AUTH_TOKEN": "planted-token", "ANTHROPIC_BASE_URL": wires.url}
    model = ClaudeModel("claude-opus-4-5", token)

    answer = model.complete(request_of(), 5.0)
    model.close()

    assert answer.fault is None
    assert [str(warning.message) for warning in recwarn] == []
    assert wires.seen[0].headers["authorization"] == "Bearer planted-token"


def test_without_a_key_claude_is_refused_before_anything_is_imported() -> None:
    """The message names the variables."""
    with pytest.raises(OptionError, match="no key: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"):
        check_claude({})
