"""Answers out of a record instead of a system: scored afresh, asked of nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import OptionError, Unmeasured
from pytest_rcabench.domain.incident import evidence_digest
from pytest_rcabench.domain.run import RunKey, kept_analysis

if TYPE_CHECKING:
    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import Evidence, Incident
    from pytest_rcabench.domain.run import Cell, Results


class Replay:
    """The answers of one *column* of *results*.

    An answer belongs to the evidence that it was given for; what was missing then is missing now.
    """

    is_free = True

    def __init__(self, results: Results, column: str) -> None:
        self._column = column
        self._digests = {info.id: info.evidence_digest for info in results.incidents}
        self._cells: dict[RunKey, Cell] = {cell.key: cell for cell in results.cells}

    def analyze(self, evidence: Evidence) -> Analysis:
        """Refuse. Raises: OptionError: always, for an answer belongs to a round of an incident."""
        del evidence
        raise OptionError("a replay answers for a round of an incident; hand it both")

    def replay(self, incident: Incident, number: int) -> Analysis:
        """Return the answer of round *number* (from 1).

        Raises: Unmeasured: if the record has none, it was given for other evidence, or all that was
        kept of it is its verdict.
        """
        cell = self._cells.get(RunKey(incident.id, self._column, number))
        if cell is None:
            raise Unmeasured("not recorded", "the record holds no answer for this round")
        if cell.error is not None:
            raise Unmeasured("not recorded", f"it had no answer then: {cell.error.get('reason')}")
        if cell.is_verdict_only:
            raise Unmeasured("not recorded", "of this answer only the verdict was kept")
        if self._digests[incident.id] != evidence_digest(incident.evidence):
            raise Unmeasured("not recorded", "the evidence of this incident changed since the run")
        return kept_analysis(cell)
