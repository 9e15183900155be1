"""The JSON form of an analysis, which is that of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rcabench.domain.analysis import Analysis, AnswerFault, Issue, Severity

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import JSON


def analysis_to_json(analysis: Analysis) -> dict[str, JSON]:
    """Return issues and notes in the shape of an answer, with any fault and repairs beside them."""
    shown: dict[str, JSON] = {
        "issues": [
            {
                "title": issue.title,
                "severity": issue.severity.word,
                "service": issue.service,
                "cause": issue.cause,
                "commits": list(issue.commits),
                "ruled_out": list(issue.ruled_out),
                "evidence": list(issue.evidence),
                "reasoning": issue.reasoning,
            }
            for issue in analysis.issues
        ],
        "notes": list(analysis.notes),
    }
    if analysis.fault:
        shown["fault"] = {"name": analysis.fault.name, "detail": analysis.fault.detail}
    if analysis.repairs:
        shown["repairs"] = list(analysis.repairs)
    if analysis.left_out:
        shown["left_out"] = list(analysis.left_out)
    return shown


def analysis_from_json(value: Any) -> Analysis:  # noqa: ANN401 - what analysis_to_json wrote
    """Return the analysis that `analysis_to_json` wrote.

    Raises: KeyError, TypeError: if *value* is none.
    """
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
        fault=AnswerFault(fault["name"], fault["detail"]) if fault else None,
        repairs=tuple(value.get("repairs", ())),
        left_out=tuple(value.get("left_out", ())),
    )
