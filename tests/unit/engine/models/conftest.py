"""The two models, which talk to the fake of both wires."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.analysis import AnswerFault
from pytest_rcabench.domain.errors import RcabenchError, Unmeasured
from pytest_rcabench.engine.models import build_model
from pytest_rcabench.engine.models.wire import (
    Completion,
    EndedError,
    Request,
    TransientError,
    answer_schema,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rcabench.engine.models.wire import Model
    from tests.wires.fake import FakeWires

SDKS = {"gemini": "google.genai", "claude": "anthropic"}
KEY = "planted-key-5f1c"


@pytest.fixture
def environ(wires: FakeWires) -> dict[str, str]:
    """Return the environment in which both vendors are the fake."""
    return {
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": wires.url,
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": wires.url,
    }


@pytest.fixture(scope="session")
def _made() -> Iterator[dict[str, Model]]:
    # One client a vendor for all tests, as a run has it: making one takes longer than a test.
    made: dict[str, Model] = {}
    yield made
    for model in made.values():
        model.close()


@pytest.fixture
def model_of(environ: dict[str, str], _made: dict[str, Model]) -> Callable[[str], Model]:
    """Return a function that gives the model of a provider, which asks the fake."""

    def give(provider: str) -> Model:
        pytest.importorskip(SDKS[provider], reason=f"install the extra `test`: no {provider} SDK")
        if provider not in _made:
            _made[provider] = build_model(provider, f"{provider}-fake-1", environ)
        return _made[provider]

    return give


@pytest.fixture
def request_of() -> Callable[..., Request]:
    """Return a function that makes a request, with *changes*."""

    def make(**changes: str) -> Request:
        fields = {"system": "You find causes.", "prompt": "What is wrong?"} | changes
        return Request(schema=answer_schema(), max_output_tokens=1000, **fields)

    return make


@pytest.fixture
def outcome_of(
    model_of: Callable[[str], Model], request_of: Callable[..., Request]
) -> Callable[..., Completion | RcabenchError]:
    """Return a function that asks a provider once, and returns the answer or the error."""

    def ask(provider: str, timeout_s: float = 5.0) -> Completion | RcabenchError:
        try:
            return model_of(provider).complete(request_of(), timeout_s)
        except RcabenchError as error:
            return error

    return ask


@pytest.fixture
def kind_of(
    outcome_of: Callable[..., Completion | RcabenchError],
) -> Callable[[str], tuple[str | float | None, ...]]:
    """Return a function that asks a provider once, and returns what came of it in a few words."""

    def ask(provider: str) -> tuple[str | float | None, ...]:
        match outcome_of(provider):
            case Completion(fault=None) as answer:
                return "answer", answer.text
            case Completion(fault=AnswerFault(name)):
                return "fault", name
            case TransientError() as error:
                return "again", error.outcome, error.reason, error.retry_after_s
            case EndedError() as error:
                return "ended", error.outcome, error.reason
            case Unmeasured() as error:
                return "unmeasured", error.reason, error.detail.split(":")[0]
            case other:
                raise AssertionError(other)

    return ask
