"""Production incidents as test cases for root-cause analysis: the public names, no logic."""

from __future__ import annotations

from pytest_rcabench.domain.analysis import Analysis, AnswerFault, Issue, Severity, Usage
from pytest_rcabench.domain.incident import Change, Evidence, Incident, LogRecord, MetricSeries
from pytest_rcabench.domain.scoring import Check, Verdict, score
from pytest_rcabench.version import __version__


__all__ = [
    "Analysis",
    "AnswerFault",
    "Change",
    "Check",
    "Evidence",
    "Incident",
    "Issue",
    "LogRecord",
    "MetricSeries",
    "Severity",
    "Usage",
    "Verdict",
    "__version__",
    "score",
]
