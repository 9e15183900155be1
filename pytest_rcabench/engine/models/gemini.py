"""Gemini, through the SDK ``google-genai``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rcabench.engine.models.access import (
    Access,
    check_base_url,
    check_key,
    check_model,
    check_sdk,
)
from pytest_rcabench.engine.models.reply import Reply, in_one_line, lost
from pytest_rcabench.engine.models.sdk_model import (
    SdkModel,
    count,
    empty_unless,
    join_texts,
    refused,
    truncated,
)
from pytest_rcabench.engine.models.wire import Completion, TokenUsage, timed_out

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google import genai
    from google.genai import types

    from pytest_rcabench.domain.analysis import AnswerFault
    from pytest_rcabench.engine.models.wire import Request

_KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")  # in the order of the SDK
_BASE_URL = "https://generativelanguage.googleapis.com"
_REFUSALS = {
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "OTHER",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MODEL_ARMOR",
}


def check_gemini(environ: Mapping[str, str]) -> Access:
    """Return how Gemini is reached, without importing its SDK.

    Raises: OptionError: if the SDK is missing, or key or address cannot be right.
    """
    check_sdk("google-genai", 3, "gemini")
    return Access(
        check_key(environ, _KEYS), check_base_url(environ, "GOOGLE_GEMINI_BASE_URL", _BASE_URL)
    )


class GeminiModel(SdkModel["genai.Client"]):
    """A model behind Google's ``generateContent``.

    Raises: OptionError: as `check_gemini`, or if *model* is no model's id.
    """

    def __init__(self, model: str, environ: Mapping[str, str]) -> None:
        check_model("gemini", model)
        super().__init__(model, check_gemini(environ), environ)

    def _connect(self, access: Access) -> genai.Client:
        import httpx2  # noqa: PLC0415 - comes with the SDK
        from google import genai  # noqa: PLC0415 - takes a while, which only those who ask pay
        from google.genai import types  # noqa: PLC0415

        return genai.Client(
            api_key=access.key,
            enterprise=False,  # or a variable of the environment would choose another service
            http_options=types.HttpOptions(
                base_url=access.base_url,
                client_args={
                    "trust_env": not access.is_local,
                    "follow_redirects": False,
                    # By default a hundred at most, and only twenty of them are used again.
                    "limits": httpx2.Limits(),
                },
            ),
        )

    def _send(self, client: genai.Client, request: Request, timeout_s: float) -> Reply:
        import httpx2  # noqa: PLC0415 - comes with the SDK
        from google.genai import errors  # noqa: PLC0415

        try:
            answer = client.models.generate_content(
                model=self.name, contents=request.prompt, config=_config(request, timeout_s)
            )
        except errors.APIError as error:
            headers = getattr(error.response, "headers", {})
            return Reply(error.code, headers, getattr(error.response, "text", ""))
        except httpx2.TimeoutException:
            failure = timed_out(timeout_s)
        except (httpx2.HTTPError, UnicodeDecodeError) as error:  # an error's body may be no UTF-8
            failure = lost(error, self._access.host)
        else:
            http = answer.sdk_http_response
            return Reply(200, {}, (http and http.body) or "")
        raise failure

    def _read(self, body: dict[str, Any], reply: Reply) -> Completion | None:
        del reply
        usage = _usage(body.get("usageMetadata"))
        candidate = _first(body.get("candidates"))
        feedback = body.get("promptFeedback")
        request_id = body.get("responseId")
        if candidate is None and not (feedback or request_id or usage):
            return None
        content = (candidate or {}).get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        text = join_texts(parts, lambda part: not part.get("thought"))
        return Completion(
            text=text,
            usage=usage,
            model=in_one_line(str(body.get("modelVersion") or self.name)),
            request_id=in_one_line(str(request_id or "")),
            fault=_fault(candidate, feedback, text, usage),
        )

    def _disconnect(self, client: genai.Client) -> None:
        client.close()


def _config(request: Request, timeout_s: float) -> types.GenerateContentConfig:
    from google.genai import types  # noqa: PLC0415

    thinking = None
    if request.effort:
        thinking = types.ThinkingConfig(thinking_level=types.ThinkingLevel(request.effort.upper()))
    return types.GenerateContentConfig(
        system_instruction=request.system,
        max_output_tokens=request.max_output_tokens,
        response_mime_type="application/json",
        response_json_schema=request.schema,
        thinking_config=thinking,
        # One call is one request, and its body is read here: the SDK would warn of new words in it.
        automatic_continuation=False,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        should_return_http_response=True,
        http_options=types.HttpOptions(timeout=max(1, int(timeout_s * 1000))),
    )


def _first(candidates: object) -> dict[str, Any] | None:
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    return first if isinstance(first, dict) else None


def _usage(value: object) -> TokenUsage | None:
    prompt = count(value, "promptTokenCount") if isinstance(value, dict) else None
    if not isinstance(value, dict) or prompt is None:
        return None
    # What is zero is left out. The prompt holds what was cached, the candidates not the thoughts.
    cached = count(value, "cachedContentTokenCount") or 0
    thinking = count(value, "thoughtsTokenCount") or 0
    return TokenUsage(
        input_uncached=max(prompt - cached, 0),
        input_cached=cached,
        cache_write=0,
        output=(count(value, "candidatesTokenCount") or 0) + thinking,
        thinking=thinking,
    )


def _fault(
    candidate: dict[str, Any] | None, feedback: object, text: str, usage: TokenUsage | None
) -> AnswerFault | None:
    block = feedback.get("blockReason") if isinstance(feedback, dict) else None
    if candidate is None and block:
        return refused(f"the prompt was blocked: {block}")
    reason = str((candidate or {}).get("finishReason"))
    if reason in _REFUSALS:
        return refused(reason)
    if reason in {"MAX_TOKENS", "CONTINUATION"}:
        return truncated(reason, usage)
    return empty_unless(text, reason)
