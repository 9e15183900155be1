"""Claude, and any local model that speaks its wire, through the SDK ``anthropic``."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from pytest_rcabench.engine.models.access import (
    Access,
    check_base_url,
    check_key,
    check_model,
    check_sdk,
)
from pytest_rcabench.engine.models.reply import Reply, in_one_line, lost, window_too_large
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

    import anthropic

    from pytest_rcabench.domain.analysis import AnswerFault
    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.engine.models.wire import Request

_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
_BASE_URL = "https://api.anthropic.com"


def check_claude(environ: Mapping[str, str]) -> Access:
    """Return how Claude is reached, without importing its SDK.

    Raises: OptionError: if the SDK is missing, or key or address cannot be right.
    """
    check_sdk("anthropic", 2, "claude")
    return Access(
        check_key(environ, _KEYS), check_base_url(environ, "ANTHROPIC_BASE_URL", _BASE_URL)
    )


class ClaudeModel(SdkModel["anthropic.Anthropic"]):
    """A model behind Anthropic's Messages API.

    Raises: OptionError: as `check_claude`, or if *model* is no model's id.
    """

    def __init__(self, model: str, environ: Mapping[str, str]) -> None:
        check_model("claude", model)
        super().__init__(model, check_claude(environ), environ)

    def _connect(self, access: Access) -> anthropic.Anthropic:
        import anthropic  # noqa: PLC0415 - takes a second, which only those who ask pay

        # At DEBUG it logs whole prompts and exceptions, and pytest keeps what is logged.
        logger = logging.getLogger("anthropic")
        logger.setLevel(max(logger.level, logging.INFO))
        return anthropic.Anthropic(
            api_key=access.key,
            base_url=access.base_url,
            max_retries=0,
            open_telemetry=False,
            http_client=anthropic.DefaultHttpxClient(
                trust_env=not access.is_local, follow_redirects=False
            ),
        )

    def _send(self, client: anthropic.Anthropic, request: Request, timeout_s: float) -> Reply:
        import anthropic  # noqa: PLC0415
        import httpx2  # noqa: PLC0415 - comes with the SDK

        try:
            # Not `messages.create`: it warns of models that age, and a warning can be an error.
            response = client.post(
                "/v1/messages",
                cast_to=httpx2.Response,
                body=_body(self.name, request),
                options={"timeout": timeout_s},
            )
            return Reply(response.status_code, response.headers, response.text)
        except anthropic.APIStatusError as error:
            response = error.response
            return Reply(response.status_code, response.headers, response.text)
        except anthropic.APITimeoutError:
            failure = timed_out(timeout_s)
        except anthropic.APIConnectionError as error:
            failure = lost(error.__cause__ or error, self._access.host)
        raise failure

    def _read(self, body: dict[str, Any], reply: Reply) -> Completion | None:
        blocks = body.get("content")
        if not isinstance(blocks, list):
            return None
        text = join_texts(blocks, lambda block: block.get("type") == "text")
        usage = _usage(body.get("usage"))
        return Completion(
            text=text,
            usage=usage,
            model=in_one_line(str(body.get("model") or self.name)),
            request_id=in_one_line(reply.headers.get("request-id", "")),
            fault=_fault(body, text, usage),
        )

    def _disconnect(self, client: anthropic.Anthropic) -> None:
        client.close()


def _body(model: str, request: Request) -> dict[str, JSON]:
    output: dict[str, JSON] = {"format": {"type": "json_schema", "schema": request.schema}}
    if request.effort:
        output["effort"] = request.effort
    return {
        "model": model,
        "max_tokens": request.max_output_tokens,
        "system": request.system,
        "messages": [{"role": "user", "content": request.prompt}],
        "output_config": output,
    }


def _usage(value: object) -> TokenUsage | None:
    if not isinstance(value, dict):
        return None
    uncached, output = count(value, "input_tokens"), count(value, "output_tokens")
    if uncached is None or output is None:
        return None
    details = value.get("output_tokens_details")
    return TokenUsage(
        input_uncached=uncached,
        input_cached=count(value, "cache_read_input_tokens") or 0,
        cache_write=count(value, "cache_creation_input_tokens") or 0,
        output=output,
        thinking=(count(details, "thinking_tokens") or 0) if isinstance(details, dict) else 0,
    )


def _fault(body: dict[str, Any], text: str, usage: TokenUsage | None) -> AnswerFault | None:
    match body.get("stop_reason"):
        case "refusal":
            details = body.get("stop_details")
            category = details.get("category") if isinstance(details, dict) else None
            return refused(f"category {category}" if category else "no reason given")
        case "max_tokens" | "pause_turn" as reason:
            return truncated(reason, usage)
        case "model_context_window_exceeded" as reason:
            raise window_too_large(reason)
        case reason:
            return empty_unless(text, reason)
