"""Which models there are, and what is checked before one is made."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.models import DEFAULT_MODELS, EFFORTS, build_model

KEYS = {"GEMINI_API_KEY": "planted", "ANTHROPIC_API_KEY": "planted"}
SDKS = {"gemini": "google.genai", "claude": "anthropic"}


@pytest.mark.parametrize("provider", DEFAULT_MODELS)
def test_a_provider_without_a_model_asks_its_default(provider: str) -> None:
    """`--rca-provider=gemini,claude` is enough."""
    pytest.importorskip(SDKS[provider], reason=f"install the extra `test`: no {provider} SDK")

    assert build_model(provider, "", KEYS).name == DEFAULT_MODELS[provider]
    assert build_model(provider, "other-1", KEYS).name == "other-1"


@pytest.mark.parametrize("provider", DEFAULT_MODELS)
def test_a_model_is_made_and_checked_without_its_sdk(provider: str) -> None:
    """Collection makes models, in every process, and an SDK takes a second to import."""
    pytest.importorskip(SDKS[provider], reason=f"install the extra `test`: no {provider} SDK")
    script = (
        "import sys; from pytest_rcabench.engine.models import build_model\n"
        f"build_model({provider!r}, '', {KEYS})\n"
        "print(sorted({'anthropic', 'google.genai', 'httpx2', 'pydantic'} & set(sys.modules)))"
    )

    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert result.stdout == "[]\n"


def test_an_unknown_provider_names_the_known_ones() -> None:
    """The reader learns what to write."""
    with pytest.raises(OptionError, match="gpt: is no provider of models; known: gemini, claude"):
        build_model("gpt", "", KEYS)


@pytest.mark.parametrize("provider", DEFAULT_MODELS)
def test_a_model_of_no_possible_name_is_refused(provider: str) -> None:
    """It is told before the run."""
    pytest.importorskip(SDKS[provider], reason=f"install the extra `test`: no {provider} SDK")

    with pytest.raises(OptionError, match=f"^{provider}:a b: is no model's id"):
        build_model(provider, "a b", KEYS)


def test_the_efforts_of_gemini_are_words_that_its_sdk_knows() -> None:
    """Another word would warn in the middle of a run."""
    types = pytest.importorskip("google.genai.types", reason="install the extra `test`")

    assert {word.upper() for word in EFFORTS["gemini"]} <= set(types.ThinkingLevel.__members__)
