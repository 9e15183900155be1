"""Every event of Gemini's wire, on the real SDK, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.models.gemini import GeminiModel, check_gemini
from pytest_rcabench.engine.models.wire import Completion, TokenUsage

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rcabench.domain.errors import RcabenchError
    from pytest_rcabench.engine.models.wire import Model, Request
    from tests.wires.fake import FakeWires

pytest.importorskip("google.genai", reason="install the extra `test`: no SDK of Gemini")

JSON_TEXT = '{"issues": []}'


def candidate(*parts: object, finish: str = "STOP", **fields: object) -> dict[str, Any]:
    """Return the field of a response that holds one candidate of *parts*."""
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": finish} | fields]}


def test_a_request_asks_for_json_by_schema_and_turns_no_knobs(
    wires: FakeWires, model_of: Callable[[str], Model], request_of: Callable[..., Request]
) -> None:
    """What is sent is a prompt, a limit and a schema; no sampling, no tools, nothing forced."""
    request = request_of(effort="low")
    model_of("gemini").complete(request, 5.0)

    (seen,) = wires.seen
    assert seen.path == "/v1/models/gemini-fake-1:generateContent"
    assert seen.headers["x-goog-api-key"] == "planted-key-5f1c"
    assert seen.body["contents"] == [{"parts": [{"text": "What is wrong?"}], "role": "user"}]
    assert seen.body["systemInstruction"]["parts"] == [{"text": "You find causes."}]
    assert seen.body["generationConfig"] == {
        "maxOutputTokens": 1000,
        "responseMimeType": "application/json",
        "responseJsonSchema": request.schema,
        "thinkingConfig": {"thinking_level": "LOW"},  # as the SDK writes it; Google reads both
    }
    assert set(seen.body) == {"contents", "systemInstruction", "generationConfig"}


def test_an_effort_that_nobody_chose_is_not_sent(
    wires: FakeWires, outcome_of: Callable[[str], object]
) -> None:
    """The vendor's default stays the vendor's."""
    outcome_of("gemini")

    assert "thinkingConfig" not in wires.seen[0].body["generationConfig"]


def test_a_complete_answer_brings_text_usage_model_and_id(
    outcome_of: Callable[[str], Completion | RcabenchError],
) -> None:
    """Cached input is taken out of the prompt, and thought is added to the output."""
    assert outcome_of("gemini") == Completion(
        text='{"issues": [], "notes": []}',
        usage=TokenUsage(
            input_uncached=120, input_cached=30, cache_write=0, output=50, thinking=10
        ),
        model="gemini-fake-1",
        request_id="resp_fake",
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param(candidate({"text": JSON_TEXT}), ("answer", JSON_TEXT), id="text"),
        pytest.param(
            candidate({"text": "hmm", "thought": True}, {"text": JSON_TEXT}),
            ("answer", JSON_TEXT),
            id="thought first",
        ),
        pytest.param(
            candidate({"text": '{"iss'}, {"text": 'ues": []}'}),
            ("answer", JSON_TEXT),
            id="text in two parts",
        ),
        pytest.param(
            candidate({"hologram": 1}, {"text": JSON_TEXT}),
            ("answer", JSON_TEXT),
            id="unknown part",
        ),
        pytest.param(
            candidate({"functionCall": {"name": "look", "args": {}}}),
            ("fault", "empty"),
            id="tool call",
        ),
        pytest.param(candidate("what", {"text": 7}), ("fault", "empty"), id="part of no shape"),
        pytest.param(
            candidate({"text": '{"issues": [{'}, finish="MAX_TOKENS"),
            ("fault", "truncated"),
            id="truncated",
        ),
        pytest.param(
            candidate(finish="MAX_TOKENS", content={"role": "model"}),
            ("fault", "truncated"),
            id="all tokens thought",
        ),
        pytest.param(
            candidate({"text": "{"}, finish="CONTINUATION", continuationToken="QUJD"),
            ("fault", "truncated"),
            id="to be continued",
        ),
        *[
            pytest.param(candidate({"text": "I w"}, finish=reason), ("fault", "refused"), id=reason)
            for reason in (
                "SAFETY",
                "RECITATION",
                "LANGUAGE",
                "OTHER",
                "BLOCKLIST",
                "PROHIBITED_CONTENT",
                "SPII",
                "MODEL_ARMOR",
            )
        ],
        pytest.param(
            candidate(finish="SAFETY", content=None), ("fault", "refused"), id="refused at once"
        ),
        pytest.param(
            {"candidates": None, "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}},
            ("fault", "refused"),
            id="prompt blocked",
        ),
        pytest.param({"candidates": None}, ("fault", "empty"), id="no candidate"),
        pytest.param({"candidates": []}, ("fault", "empty"), id="empty candidates"),
        pytest.param(candidate(), ("fault", "empty"), id="no part"),
        pytest.param(candidate({"text": ""}), ("fault", "empty"), id="blank"),
        *[
            pytest.param(candidate(finish=reason, content={}), ("fault", "empty"), id=reason)
            for reason in (
                "MALFORMED_FUNCTION_CALL",
                "MALFORMED_RESPONSE",
                "UNEXPECTED_TOOL_CALL",
                "MISSING_THOUGHT_SIGNATURE",
            )
        ],
        pytest.param(
            candidate({"text": JSON_TEXT}, finish="BORED"),
            ("answer", JSON_TEXT),
            id="unknown finish reason",
        ),
        *[
            pytest.param(
                {"candidates": [{"content": {"parts": [{"text": JSON_TEXT}]}} | finish]},
                ("answer", JSON_TEXT),
                id=f"finish {finish}",
            )
            for finish in ({}, {"finishReason": None}, {"finishReason": ["STOP"]})
        ],
    ],
)
def test_a_complete_reply_is_the_models_own(
    wires: FakeWires,
    kind_of: Callable[[str], tuple[object, ...]],
    recwarn: pytest.WarningsRecorder,
    changes: dict[str, Any],
    expected: tuple[str, ...],
) -> None:
    """Whatever a whole response says, it is one request, and no warning that -W error breaks."""
    wires.play({"body": wires.gemini_response(**changes)})

    assert kind_of("gemini") == expected
    assert len(wires.seen) == 1
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize(("model", "shown"), [(None, "gemini-fake-1"), ("m\ud800\n2", "m? 2")])
def test_the_models_name_is_one_that_a_record_can_hold(
    wires: FakeWires, outcome_of: Callable[[str], Completion], model: str | None, shown: str
) -> None:
    """What the vendor calls it, or what was asked for; never half a character."""
    wires.play({"body": wires.gemini_response(modelVersion=model)})

    assert outcome_of("gemini").model == shown


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, None),
        ({}, None),
        ({"promptTokenCount": "3"}, None),
        ({"promptTokenCount": 3}, TokenUsage(3, 0, 0, 0, 0)),
        ({"promptTokenCount": 3, "thoughtsTokenCount": 9}, TokenUsage(3, 0, 0, 9, 9)),
        ({"promptTokenCount": 3, "cachedContentTokenCount": 5}, TokenUsage(0, 5, 0, 0, 0)),
    ],
)
def test_a_usage_that_is_not_told_is_unknown(
    wires: FakeWires,
    outcome_of: Callable[[str], Completion],
    usage: dict[str, Any] | None,
    expected: TokenUsage | None,
) -> None:
    """What nobody said is not zero; what is zero, Gemini leaves out."""
    wires.play({"body": wires.gemini_response(usageMetadata=usage)})

    assert outcome_of("gemini").usage == expected


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        (
            candidate({"text": "{"}, finish="MAX_TOKENS"),
            "MAX_TOKENS after 50 tokens, 10 of them thought; raise max_tokens or lower effort",
        ),
        (candidate({"text": "{"}, finish="SPII"), "SPII"),
        (
            {"candidates": [], "promptFeedback": {"blockReason": "BLOCKLIST"}},
            "the prompt was blocked: BLOCKLIST",
        ),
        (candidate(finish="MALFORMED_RESPONSE"), "no text; stopped: MALFORMED_RESPONSE"),
    ],
)
def test_a_fault_says_what_the_vendor_said(
    wires: FakeWires,
    outcome_of: Callable[[str], Completion],
    changes: dict[str, Any],
    detail: str,
) -> None:
    """The reader learns why, and what to change."""
    wires.play({"body": wires.gemini_response(**changes)})

    fault = outcome_of("gemini").fault

    assert fault is not None
    assert fault.detail == detail


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({"body": '{"candidates": ['}, id="broken JSON"),
        pytest.param({"body": ""}, id="empty body"),
        pytest.param({"body": "<html>Sign in</html>"}, id="web page"),
        pytest.param({"body": ["what"]}, id="list"),
        pytest.param({"body": {"error": {"code": 500, "message": "no"}}}, id="error in a 200"),
        pytest.param({"body": {}}, id="empty object"),
        pytest.param({"body": "[" * 100_000}, id="deep JSON"),
        pytest.param({"status": 204, "body": ""}, id="204"),
    ],
)
def test_a_success_without_an_answer_is_the_networks_fault(
    wires: FakeWires, kind_of: Callable[[str], tuple[object, ...]], event: dict[str, Any]
) -> None:
    """A body that is no response was not written by the model, so it may be asked again."""
    wires.play(event)

    assert kind_of("gemini") == ("again", "bad body", "network", None)


def test_an_error_that_is_no_utf_8_is_the_networks_fault(
    wires: FakeWires, kind_of: Callable[[str], tuple[object, ...]]
) -> None:
    """The SDK cannot read it, and does not say which status it had."""
    wires.play({"status": 500, "body": b'{"\xff"}'})

    assert kind_of("gemini") == ("again", "reset", "network", None)


def error_body(message: str = "no", *details: dict[str, Any]) -> dict[str, Any]:
    """Return the body of an error as Gemini writes it."""
    return {"error": {"code": 0, "message": message, "status": "SOME", "details": list(details)}}


def quota(name: str) -> dict[str, Any]:
    """Return the note that says which quota is used up."""
    kind = "type.googleapis.com/google.rpc.QuotaFailure"
    return {"@type": kind, "violations": [{"quotaId": name, "quotaValue": "20"}]}


def retry_in(delay: str) -> dict[str, Any]:
    """Return the note that says when to come again."""
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


PER_MINUTE = quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier")
PER_DAY = quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier")


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
        ({"status": 429, "headers": {"Retry-After": "7"}}, ("again", "429", "rate limit", 7.0)),
        (
            {"status": 429, "body": error_body("slow", PER_MINUTE, retry_in("17.5s"))},
            ("again", "429", "rate limit", 17.5),
        ),
        (
            {"status": 429, "body": error_body("slow", retry_in("9s"))}
            | {"headers": {"Retry-After": "7"}},
            ("again", "429", "rate limit", 7.0),
        ),
        (
            {"status": 429, "body": error_body("gone", PER_DAY, retry_in("17s"))},
            ("ended", "429", "quota"),
        ),
        ({"status": 500}, ("again", "500", "server error", None)),
        ({"status": 502, "body": "<html>\nbad gateway"}, ("again", "502", "server error", None)),
        ({"status": 503}, ("again", "503", "server error", None)),
        ({"status": 504}, ("again", "504", "server error", None)),
        ({"status": 529}, ("again", "529", "server error", None)),
        (
            {"status": 400, "body": error_body("The input token count (9) exceeds the maximum")},
            ("unmeasured", "bad request", "window too large for this model"),
        ),
        (
            {"status": 400, "body": error_body("API key not valid.")},
            ("ended", "400", "authentication"),
        ),
        (
            {"status": 400, "body": error_body("Not in your country; enable billing.")},
            ("ended", "400", "quota"),
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
    wires.play({"body": error_body()} | event)

    assert kind_of("gemini") == expected
    assert len(wires.seen) == 1


def test_a_used_up_day_says_when_the_next_one_begins(
    wires: FakeWires, outcome_of: Callable[[str], Completion | RcabenchError]
) -> None:
    """The reader knows when to resume."""
    wires.play({"status": 429, "body": error_body("gone", PER_DAY)})

    assert "used up until midnight Pacific time" in str(outcome_of("gemini"))


def test_a_variable_of_the_environment_chooses_no_other_service(
    wires: FakeWires,
    environ: dict[str, str],
    request_of: Callable[..., Request],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The SDK would go to another of Google's services, with other credentials."""
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_API_KEY", "planted-other-key")
    model = GeminiModel("gemini-fake-1", environ)

    model.complete(request_of(), 5.0)
    model.close()

    assert wires.seen[0].headers["x-goog-api-key"] == "planted-key-5f1c"


def test_without_a_key_gemini_is_refused_before_anything_is_imported() -> None:
    """The message names the variables."""
    with pytest.raises(OptionError, match="no key: set GOOGLE_API_KEY or GEMINI_API_KEY"):
        check_gemini({})
