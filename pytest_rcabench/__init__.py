"""Production incidents as test cases for root-cause analysis: the public names, no logic.

The names are looked up when they are first used: the pytest plugin lives in this package, and a
pytest run that has no incidents must not pay for them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pytest_rcabench.version import __version__

if TYPE_CHECKING:
    from pytest_rcabench.domain.analysis import Analysis, AnswerFault, Issue, Severity, Usage
    from pytest_rcabench.domain.answer import read_answer
    from pytest_rcabench.domain.errors import Unmeasured
    from pytest_rcabench.domain.incident import Change, Evidence, Incident, LogRecord, MetricSeries
    from pytest_rcabench.domain.scoring import Check, Verdict, score
    from pytest_rcabench.engine.protocols import Analyzer
    from pytest_rcabench.files.incident_yaml import read_incident

__all__ = [
    "Analysis",
    "Analyzer",
    "AnswerFault",
    "Change",
    "Check",
    "Evidence",
    "Incident",
    "Issue",
    "LogRecord",
    "MetricSeries",
    "Severity",
    "Unmeasured",
    "Usage",
    "Verdict",
    "__version__",
    "read_answer",
    "read_incident",
    "score",
]

_HOMES = {
    "domain.analysis": ("Analysis", "AnswerFault", "Issue", "Severity", "Usage"),
    "domain.answer": ("read_answer",),
    "domain.errors": ("Unmeasured",),
    "domain.incident": ("Change", "Evidence", "Incident", "LogRecord", "MetricSeries"),
    "domain.scoring": ("Check", "Verdict", "score"),
    "engine.protocols": ("Analyzer",),
    "files.incident_yaml": ("read_incident",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
