"""The JSON form of a cell, as results files, journals and workers of pytest-xdist carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pytest_rcabench.domain.analysis import Attempt, Usage
from pytest_rcabench.domain.run import Cell, RunKey, as_kept

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Word


def cell_to_json(cell: Cell) -> dict[str, JSON]:
    """Return *cell* as one entry of the results file's ``cells``."""
    return {
        "incident": cell.key.incident,
        "column": cell.key.column,
        "round": cell.key.round,
        "verdict": cell.verdict,
        "fault": cell.fault,
        "right_cause_ranked": cell.right_cause_ranked,
        "checks": list(cell.checks),
        "analysis": cell.analysis,
        "reply": cell.reply,
        "model": cell.model,
        "request_id": cell.request_id,
        "usage": {
            "input_tokens": cell.usage.input_tokens,
            "output_tokens": cell.usage.output_tokens,
        },
        "cost_usd": cell.usage.cost_usd,
        "latency_s": cell.latency_s,
        "attempts": [
            {"latency_s": as_kept(attempt.latency_s), "outcome": attempt.outcome}
            for attempt in cell.attempts
        ],
        "error": cell.error,
    }


def cell_from_json(value: dict[str, JSON]) -> Cell:
    """Return the cell that `cell_to_json` wrote.

    Raises: KeyError, TypeError: if *value* is no such entry.
    """
    usage = cast("dict[str, int | None]", value["usage"])
    attempts = cast("list[dict[str, float | str]]", value["attempts"])
    return Cell(
        key=RunKey(
            cast("str", value["incident"]),
            cast("str", value["column"]),
            cast("int", value["round"]),
        ),
        verdict=cast("Word", value["verdict"]),
        checks=tuple(cast("list[dict[str, JSON]]", value["checks"])),
        fault=cast("str", value["fault"]),
        right_cause_ranked=cast("int | None", value["right_cause_ranked"]),
        analysis=cast("dict[str, JSON] | None", value["analysis"]),
        reply=cast("str", value["reply"]),
        model=cast("str", value.get("model", "")),  # not there in a file of an earlier version
        request_id=cast("str", value.get("request_id", "")),
        usage=Usage(
            usage["input_tokens"],
            usage["output_tokens"],
            cast("float | None", value["cost_usd"]),
        ),
        latency_s=cast("float", value["latency_s"]),
        attempts=tuple(
            Attempt(cast("float", attempt["latency_s"]), cast("str", attempt["outcome"]))
            for attempt in attempts
        ),
        error=cast("dict[str, JSON] | None", value["error"]),
    )
