"""The models that can be asked; each imports its SDK when it is opened, and nobody else does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.models.claude import ClaudeModel
from pytest_rcabench.engine.models.gemini import GeminiModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rcabench.engine.models.wire import Model

__all__ = ["DEFAULT_MODELS", "EFFORTS", "build_model"]

DEFAULT_MODELS: Final = {"gemini": "gemini-3.6-flash", "claude": "claude-sonnet-5"}
EFFORTS: Final = {
    "gemini": ("minimal", "low", "medium", "high", "xhigh"),
    "claude": ("low", "medium", "high", "xhigh", "max"),
}


def build_model(provider: str, model: str, environ: Mapping[str, str]) -> Model:
    """Return *model* of *provider*, the provider's default where *model* is empty.

    No SDK is imported and nothing is asked. Raises: OptionError: if the SDK or a key is missing, or
    key, address or model cannot be right.
    """
    name = model or DEFAULT_MODELS.get(provider, "")
    match provider:
        case "gemini":
            return GeminiModel(name, environ)
        case "claude":
            return ClaudeModel(name, environ)
    raise OptionError(f"{provider}: is no provider of models; known: {', '.join(DEFAULT_MODELS)}")
