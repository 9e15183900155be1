"""An analysis that a model gave, with what its vendor said of the call; `analysis.py` is frozen."""

from __future__ import annotations

from dataclasses import dataclass, fields

from pytest_rcabench.domain.analysis import Analysis


@dataclass(frozen=True, slots=True)
class ModelAnalysis(Analysis):
    """An analysis whose *model* is the id that the vendor answered with, and not the one asked for.

    *request_id* is the vendor's name for the call. Both are empty where nobody said.
    """

    model: str = ""
    request_id: str = ""


def with_source(analysis: Analysis, model: str, request_id: str) -> Analysis:
    """Return *analysis* as *model* gave it in the call *request_id*; itself if both are empty."""
    if not model and not request_id:
        return analysis
    answer = {field.name: getattr(analysis, field.name) for field in fields(Analysis)}
    return ModelAnalysis(**answer, model=model, request_id=request_id)


def source_of(analysis: Analysis) -> tuple[str, str]:
    """Return the model and the request id of *analysis*, empty where it has none."""
    if isinstance(analysis, ModelAnalysis):
        return analysis.model, analysis.request_id
    return "", ""
