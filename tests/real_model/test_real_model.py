"""A real model, a real server and the real SDK: the way of an answer, and nothing of its worth.

A model of 135 million parameters answers by chance, so no verdict is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.engine.models.wire import answer_schema
from pytest_rcabench.files.journal import read_journal
from tests.real_model.conftest import MODEL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rcabench.domain.incident import JSON
    from tests.real_model.conftest import Served

# More tokens than the context of the model has.
TOO_LONG = "".join(f"2026-10-07T13:00:01Z INFO {number**3:x}\n" for number in range(500))


def test_an_answer_is_recorded_whole_and_never_asked_for_again(
    serve: Callable[..., Served], write_incident: Callable[..., Path]
) -> None:
    """Whatever the model writes is its own; resume and replay need no server."""
    served = serve()
    write_incident(served.incidents, "leak")
    write_incident(served.incidents, "calm", healthy=True, says="order 88121 reserved")

    output = served.ask().stdout.str()
    first = served.results()
    served.stop()
    resumed = served.ask("--rca-resume")
    second = served.results()
    replayed = served.run("--rca-replay=results.json")
    third = served.results()

    cells = first["cells"]
    assert [(cell["incident"], cell["round"]) for cell in cells] == [
        ("calm", 1),
        ("calm", 2),
        ("leak", 1),
        ("leak", 2),
    ]
    for cell in cells:
        assert cell["verdict"] != "unmeasured"
        assert cell["fault"] in {"", "not_json", "invalid", "truncated"}
        assert cell["reply"]
        assert cell["usage"]["output_tokens"] > 0
        assert cell["cost_usd"] == 0.0
        assert [attempt["outcome"] for attempt in cell["attempts"]] == ["ok"]
    # The server says apart what it read from its cache: in the second round, nearly all.
    tokens = [cell["usage"]["input_tokens"] for cell in cells]
    assert tokens[0] == tokens[1] > 1000
    assert tokens[2] == tokens[3] > 1000
    assert first["complete"]
    journal = read_journal(served.first_journal)
    assert not journal.is_torn
    assert [call.key for call in journal.started] == [cell.key for cell in journal.answered]
    assert len(journal.started) == len(cells)
    assert (resumed.ret, replayed.ret) == (0, 0)
    assert second["cells"] == cells
    assert [cell["reply"] for cell in third["cells"]] == [cell["reply"] for cell in cells]
    assert [cell["verdict"] for cell in third["cells"]] == [cell["verdict"] for cell in cells]
    assert "smollm2-135m score is meaningless" in output
    assert "smollm2-135m score is meaningless" in served.report()


def test_a_server_that_keeps_to_the_schema_gets_answers_without_a_fault(
    serve: Callable[..., Served], write_incident: Callable[..., Path]
) -> None:
    """What the schema allows, the reader of answers takes; here through two workers."""
    served = serve(bound(answer_schema()))
    write_incident(served.incidents, "leak")

    served.ask("-n2")

    cells = served.results()["cells"]
    assert [cell["fault"] for cell in cells] == ["", ""]
    assert [len(cell["analysis"]["issues"]) for cell in cells] == [1, 1]


def test_a_window_that_does_not_fit_is_unmeasured_at_the_first_attempt(
    serve: Callable[..., Served], write_incident: Callable[..., Path]
) -> None:
    """The server says so in words of its own, and asking again would not help."""
    served = serve()
    log = {"service": "orders-api", "host": "orders-1", "format": "plain", "lines": TOO_LONG}
    write_incident(served.incidents, "long", logs=[log])

    served.ask()

    cells = served.results()["cells"]
    assert [cell["error"]["reason"] for cell in cells] == ["bad request", "bad request"]
    assert {cell["error"]["detail"].split(":")[0] for cell in cells} == {
        "window too large for this model"
    }
    assert [len(cell["attempts"]) for cell in cells] == [1, 1]


def test_the_same_window_is_shortened_to_a_context_that_was_declared(
    serve: Callable[..., Served], write_incident: Callable[..., Path]
) -> None:
    """The server takes it then, and the record says what was left out."""
    served = serve()
    log = {"service": "orders-api", "host": "orders-1", "format": "plain", "lines": TOO_LONG}
    write_incident(served.incidents, "long", logs=[log])

    served.ask("--rca-column", f"{MODEL}: context=4400")

    cells = served.results()["cells"]
    assert [cell["error"] for cell in cells] == [None, None]
    assert {cell["model"] for cell in cells} == {MODEL}
    assert all(0 < cell["usage"]["input_tokens"] < 4400 for cell in cells)
    assert all("500 log lines" in cell["analysis"]["left_out"][0] for cell in cells)


def bound(schema: JSON) -> JSON:
    """Return *schema* with one entry a list and short texts: a small model finds no end."""
    if isinstance(schema, list):
        return [bound(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    limits: dict[object, dict[str, JSON]] = {
        "array": {"minItems": 1, "maxItems": 1},
        "string": {} if "enum" in schema else {"maxLength": 40},
    }
    return {name: bound(item) for name, item in schema.items()} | limits.get(schema.get("type"), {})
