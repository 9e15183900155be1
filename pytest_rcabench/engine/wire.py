"""An analysis as plain JSON, for the way between two processes, without loss."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_rcabench.domain.analysis import Analysis, Attempt, Usage
from pytest_rcabench.domain.analysis_json import analysis_from_json, analysis_to_json
from pytest_rcabench.domain.model_analysis import source_of, with_source

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import JSON


def analysis_to_wire(analysis: Analysis) -> dict[str, JSON]:
    """Return all of *analysis* as plain JSON, for another process."""
    usage = analysis.usage
    return {
        **analysis_to_json(analysis),
        "reply": analysis.reply,
        "usage": [usage.input_tokens, usage.output_tokens, usage.cost_usd],
        "attempts": [[attempt.latency_s, attempt.outcome] for attempt in analysis.attempts],
        "source": list(source_of(analysis)),
    }


def analysis_from_wire(value: Any) -> Analysis:  # noqa: ANN401 - what analysis_to_wire wrote, just off the wire
    """Return the analysis that `analysis_to_wire` wrote."""
    analysis = replace(
        analysis_from_json(value),
        reply=value["reply"],
        usage=Usage(*value["usage"]),
        attempts=tuple(Attempt(*attempt) for attempt in value["attempts"]),
    )
    return with_source(analysis, *value["source"])
