"""An analysis as plain JSON, for the way between two processes, without loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rcabench.domain.analysis import (
    Analysis,
    AnswerFault,
    Attempt,
    Issue,
    Severity,
    Usage,
    analysis_to_json,
)

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
    }


def analysis_from_wire(value: Any) -> Analysis:  # noqa: ANN401 - what analysis_to_wire wrote, just off the wire
    """Return the analysis that `analysis_to_wire` wrote."""
    fault = value.get("fault")
    return Analysis(
        issues=tuple(
            Issue(
                title=issue["title"],
                severity=Severity[issue["severity"].upper()],
                service=issue["service"],
                cause=issue["cause"],
                commits=tuple(issue["commits"]),
                ruled_out=tuple(issue["ruled_out"]),
                evidence=tuple(issue["evidence"]),
                reasoning=issue["reasoning"],
            )
            for issue in value["issues"]
        ),
        notes=tuple(value["notes"]),
        usage=Usage(*value["usage"]),
        fault=AnswerFault(fault["name"], fault["detail"]) if fault else None,
        repairs=tuple(value.get("repairs", ())),
        reply=value["reply"],
        attempts=tuple(Attempt(*attempt) for attempt in value["attempts"]),
    )
