"""What an answerer is: small protocols that anybody can fulfil, and the one way to ask it."""

from __future__ import annotations

import json
import traceback
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from pytest_rcabench.domain.errors import RcabenchError, Unmeasured
from pytest_rcabench.engine.wire import analysis_from_wire, analysis_to_wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import Evidence, Incident


@runtime_checkable
class Analyzer(Protocol):
    """Something that answers for a window.

    *is_free* says who runs it: True where the test item runs (fast, local, costs nothing), False in
    the one process that asks, which knows limits, money and the record.
    """

    @property
    def is_free(self) -> bool:
        """Whether asking costs nothing but time, so that any process may ask."""
        ...

    def analyze(self, evidence: Evidence) -> Analysis:
        """Return the analysis of *evidence*; of an answer that cannot be read, one with a fault.

        Raises: Unmeasured: if there is no answer and the system is not to blame.
        """
        ...


@runtime_checkable
class ReadsTruth(Protocol):
    """A control that answers from the truth. No analyser may do this; the oracle must."""

    def answer_from(self, incident: Incident) -> Analysis:
        """Return the analysis that must pass every check of *incident*."""
        ...


@runtime_checkable
class Replays(Protocol):
    """Answers from a record, where an answer belongs to a round and not to a window alone."""

    def replay(self, incident: Incident, number: int) -> Analysis:
        """Return the answer of round *number* (from 1).

        Raises: Unmeasured: if the record has none.
        """
        ...


OnCall: TypeAlias = "Callable[[str, float | None], None]"
"""What is told before a request goes out: its digest, and the most US dollars that it can cost."""


@runtime_checkable
class MakesCalls(Protocol):
    """An analyser that may have to call several times for one answer, each call paid for."""

    def analyze_by_calls(self, evidence: Evidence, on_call: OnCall) -> Analysis:
        """As `Analyzer.analyze`; *on_call* comes before each call, and may raise to prevent it."""
        ...


def analyze(
    analyzer: Analyzer,
    incident: Incident,
    number: int,
    on_call: OnCall = lambda _digest, _most: None,
) -> Analysis:
    """Return what *analyzer* answers for *incident* in round *number* (from 1).

    This is the one place where more than the evidence can be handed over, and where an analyser
    that breaks, or returns what is no analysis, becomes a missing answer. Raises: Unmeasured; what
    *on_call* raises.
    """
    try:
        # There and back again: what comes is plain, as every process and report can carry it.
        analysis = analysis_to_wire(_call(analyzer, incident, number, on_call))
        sent = json.dumps(analysis, ensure_ascii=False)
        return analysis_from_wire(json.loads(sent.encode("utf-8", "replace")))
    except RcabenchError:
        raise
    except Exception as error:  # somebody else's code, which may raise anything
        at = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({PurePath(at.filename).name}:{at.lineno})"
        raise Unmeasured("analyser error", said) from error


def _call(analyzer: Analyzer, incident: Incident, number: int, on_call: OnCall) -> Analysis:
    if isinstance(analyzer, MakesCalls):
        return analyzer.analyze_by_calls(incident.evidence, on_call)
    on_call("", None)
    if isinstance(analyzer, ReadsTruth):
        return analyzer.answer_from(incident)
    if isinstance(analyzer, Replays):
        return analyzer.replay(incident, number)
    return analyzer.analyze(incident.evidence)
