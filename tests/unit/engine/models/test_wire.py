"""The schema of an answer, and the deadline of a call."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, NoReturn

import pytest

from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.engine.models.wire import TransientError, answer_schema, bounded

if TYPE_CHECKING:
    from collections.abc import Mapping


def test_the_schema_uses_the_few_words_that_all_vendors_know() -> None:
    """No bounds, no patterns, no references: a vendor refuses them, or drops them silently."""
    words: set[str] = set()

    def walk(schema: object) -> None:
        if isinstance(schema, dict):
            words.update(schema)
            for name, value in schema.items():
                for inner in value.values() if name == "properties" else [value]:
                    walk(inner)

    walk(answer_schema())

    known = {"type", "properties", "required", "additionalProperties", "items", "enum"}
    assert words == known


def test_an_answer_with_all_fields_of_the_schema_is_read_without_repairs() -> None:
    """The schema asks for what the reader reads, and for nothing else."""

    def example(schema: Mapping[str, object]) -> object:
        match schema:
            case {"type": "object", "properties": dict(fields)}:
                return {name: example(field) for name, field in fields.items()}
            case {"type": "array", "items": dict(item)}:
                return [example(item)]
            case {"enum": [word, *_]}:
                return word
        return "text"

    analysis = read_answer(json.dumps(example(answer_schema())))

    assert (analysis.fault, analysis.repairs) == (None, ())
    assert analysis.notes == ("text",)
    assert analysis.issues[0].ruled_out == ("text",)


def test_a_call_in_time_gives_back_what_it_gives() -> None:
    """The thread in between is not noticed."""
    assert bounded(lambda: 7, 5.0) == 7


@pytest.mark.parametrize("error", [KeyError("no"), TimeoutError("its own"), SystemExit(3)])
def test_a_call_in_time_raises_what_it_raises(error: BaseException) -> None:
    """A TimeoutError of the call is not mistaken for the deadline."""

    def call() -> NoReturn:
        raise error

    with pytest.raises(type(error)) as raised:
        bounded(call, 5.0)

    assert raised.value is error


def test_a_call_that_takes_too_long_is_left_behind() -> None:
    """Who waits goes on, and a thread that never ends does not keep the process."""
    ends = threading.Event()
    threads: list[threading.Thread] = []

    def call() -> None:
        threads.append(threading.current_thread())
        ends.wait(10)

    with pytest.raises(TransientError, match="no whole answer after 0 s") as raised:
        bounded(call, 0.05)
    is_daemon = threads[0].daemon
    ends.set()

    assert raised.value.reason == "deadline"
    assert raised.value.__context__ is None
    assert is_daemon
