"""What an answerer is: two small protocols, so that anybody can write one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import Evidence, Incident


@runtime_checkable
class Analyzer(Protocol):
    """Something that answers for a window.

    *is_free* says who runs it: True where the test item runs (fast, local, costs nothing), False in
    the one process that asks, which knows limits, money and the record.
    """

    is_free: bool

    def analyze(self, evidence: Evidence) -> Analysis:
        """Return the analysis of *evidence*; an answer that cannot be read is an `Analysis` with a fault.

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
        """Return the answer of round *number* (from 1). Raises: Unmeasured: if the record has none."""
        ...


def analyze(analyzer: Analyzer, incident: Incident, number: int) -> Analysis:
    """Return what *analyzer* answers for *incident* in round *number* (from 1).

    This is the one place where more than the evidence can be handed over. Raises: Unmeasured.
    """
    if isinstance(analyzer, ReadsTruth):
        return analyzer.answer_from(incident)
    if isinstance(analyzer, Replays):
        return analyzer.replay(incident, number)
    return analyzer.analyze(incident.evidence)
