"""One run as a process sees it: where answers come from, and the cells that they become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import IncidentError, Problem, Unmeasured
from pytest_rcabench.domain.run import Cell, RunKey, measured_cell, unmeasured_cell
from pytest_rcabench.domain.scoring import Verdict, score
from pytest_rcabench.engine.broker import BrokerClient
from pytest_rcabench.engine.protocols import analyze
from pytest_rcabench.engine.shelf import Shelf
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.reports.failure import explain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.engine.columns import Column
    from pytest_rcabench.plugin.settings import Settings


@dataclass(frozen=True, slots=True)
class Case:
    """One cell as a test sees it; the incident is read when a fixture asks for it."""

    key: RunKey
    path: Path
    column: Column


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one cell; no *analysis* and no *verdict* where it is unmeasured."""

    cell: Cell
    analysis: Analysis | None = None
    verdict: Verdict | None = None


class Run:
    """The answers of one process: asked here, or waited for where somebody else asks.

    *ask* gives the answer of an asked column; the controller's dispatch or, in a worker, the
    connection to it.
    """

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self.settings = settings
        self.shelf = Shelf(lambda path: read_incident(path, root=config.rootpath))
        self.ask: Callable[[RunKey], Analysis] | None = None
        self._found: dict[RunKey, Found] = {}
        self._paths: dict[str, tuple[Path, str]] = {}

    def find(self, case: Case) -> Found:
        """Return what comes of *case*; its column is asked at the first call alone."""
        if case.key not in self._found:
            incident = self.shelf.take(case.path)
            answer = self._ask(case, incident)
            if case.key not in self._found:  # who asked in this process has judged it, too
                self.keep(self.judge(case.key, incident, answer))
        return self._found[case.key]

    def keep(self, found: Found) -> None:
        """Keep what came of a cell for the test that will ask for it."""
        self._found[found.cell.key] = found

    def judge(self, key: RunKey, incident: Incident, answer: Analysis | Unmeasured) -> Found:
        """Return what *answer* makes of the cell *key*."""
        if isinstance(answer, Unmeasured):
            missing = unmeasured_cell(key, answer.reason, answer.detail, answer.attempts)
            return Found(missing)
        verdict = score(answer, incident)
        return Found(measured_cell(key, answer, verdict), answer, verdict)

    def claim(self, incident: Incident, path: Path) -> bool:
        """Return whether *path* is the one under which *incident* is known, and note it if new.

        Raises: IncidentError: if another file has the same id.
        """
        shown = incident.place.path
        other, known_as = self._paths.setdefault(incident.id, (path, shown))
        if not other.samefile(path):
            what = f"{incident.id!r} is the id of {known_as} too; give one of the two another name"
            raise IncidentError((Problem(shown, 1, 1, "id", what),))
        return other == path

    def put_away(self, path: Path, incident_id: str) -> None:
        """Let go of an incident that no outstanding item needs, and of the answers to it."""
        self.shelf.put_away(path)
        for key in [key for key in self._found if key.incident == incident_id]:
            del self._found[key]

    def properties(self, case: Case, cell: Cell) -> list[tuple[str, object]]:
        """Return what reports carry of a cell, as scalars: JUnit prints them as they are."""
        column = case.column
        return [
            ("rca_incident", case.key.incident),
            ("rca_provider", column.provider),
            ("rca_model", column.model),
            ("rca_column", column.name),
            ("rca_round", case.key.round),
            ("rca_verdict", cell.verdict),
            *((f"rca_check_{check['name']}", _word(check["passed"])) for check in cell.checks),
        ]

    def explain(self, cell: Cell) -> str:
        """Return why a cell is what it is, for fixtures.py, which must import no reports itself."""
        return explain(cell)

    def _ask(self, case: Case, incident: Incident) -> Analysis | Unmeasured:
        try:
            if case.column.analyzer.is_free or self.ask is None:
                return analyze(case.column.analyzer, incident, case.key.round)
            return self.ask(case.key)
        except Unmeasured as reason:
            return reason


def connect(run: Run, address: list[str]) -> BrokerClient:
    """Make *run*, in a worker, wait for the controller's answers."""
    client = BrokerClient(address)
    run.ask = client.wait
    return client


def _word(passed: object) -> str:
    return "not judged" if passed is None else "passed" if passed else "failed"
