"""The controller's book of one run: the plan, the journal, the cells, and the results."""

from __future__ import annotations

import os
import secrets
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import evidence_digest, format_time, truth_digest
from pytest_rcabench.domain.run import (
    Cell,
    ColumnInfo,
    ControlVerdict,
    IncidentInfo,
    Results,
    RunInfo,
    RunKey,
    unmeasured_cell,
)
from pytest_rcabench.domain.scoring import score, scorer_digest
from pytest_rcabench.engine.protocols import analyze
from pytest_rcabench.engine.redaction import redact
from pytest_rcabench.engine.systems.controls import CONTROLS, control
from pytest_rcabench.files.git import git_facts, git_state
from pytest_rcabench.files.journal import Journal, new_run_id, open_run
from pytest_rcabench.files.results import RESULTS_NAME, run_header, write_results
from pytest_rcabench.reports.summary import summarize, summary_to_json
from pytest_rcabench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

    from pytest_rcabench.domain.incident import JSON, Incident
    from pytest_rcabench.engine.schedule import Planned
    from pytest_rcabench.plugin.run import Run


class Ledger:
    """Keeps a run from its plan to its results. Every method may be called from any thread."""

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._run = run
        self._root = config.rootpath
        self._argv = tuple(redact(arg, os.environ) for arg in config.invocation_params.args)
        self._lock = threading.RLock()
        self._cells: dict[RunKey, Cell] = {}
        self._journal: Journal | None = None
        self._results: Results | None = None
        self._lost: dict[str, tuple[str, str]] = {}
        self.plan: dict[RunKey, Planned] = {}

    @property
    def cells(self) -> Iterable[Cell]:
        """The cells so far."""
        return self._cells.values()

    def begin(self, plan: Iterable[Planned]) -> None:
        """Open the record for *plan*; the same plan from a second worker changes nothing.

        Raises: RecordError: if the record cannot be written; IncidentError: if a file changed under
        our hands.
        """
        with self._lock:
            if self._journal is not None:
                return
            self.plan = {planned.key: planned for planned in plan}
            self._results = self._head()
            self._journal = open_run(
                self._run.settings.record,
                run_id=self._results.run.id,
                header=run_header(self._results, planned=len(self.plan)),
            )

    def started(self, key: RunKey) -> None:
        """Note that *key* is about to be asked. Raises: RecordError: if the disk refuses."""
        with self._lock:
            if self._journal is not None:
                self._journal.started(key, "")

    def add(self, cell: Cell) -> None:
        """Keep *cell*; the first one of a key counts. Raises: RecordError: if the disk refuses."""
        with self._lock:
            if self._journal is None or cell.key in self._cells:
                return
            self._journal.answered(cell)
            self._cells[cell.key] = cell

    def lose(self, node_id: str, reason: str, detail: str) -> None:
        """Note why the item of *node_id* ended without a cell; another test may still bring it."""
        self._lost[node_id] = reason, detail

    def finish(self) -> Results | None:
        """Close the record and return the results, written beside it; None if nothing was begun."""
        with self._lock:
            if self._journal is None or self._results is None:
                return None
            head, journal = self._results, self._journal
            for planned in self.plan.values():
                if planned.node_id in self._lost:
                    self.add(unmeasured_cell(planned.key, *self._lost[planned.node_id]))
            journal.close()
            run = head.run
            results = Results(
                run=RunInfo(run.id, run.started, _now(), run.git, run.argv, run.package),
                scorer_digest=head.scorer_digest,
                prompt_digest=head.prompt_digest,
                columns=head.columns,
                incidents=head.incidents,
                cells=tuple(sorted(self._cells.values(), key=lambda cell: cell.key)),
                controls=head.controls,
                complete=self.plan.keys() == self._cells.keys(),
            )
            summary = summary_to_json(summarize(results))
            for path in (journal.path.with_name(RESULTS_NAME), self._run.settings.json):
                if path is not None:
                    write_results(path, results, summary)
            return results

    def _head(self) -> Results:
        """Return what is known of the results before the first answer, controls included."""
        paths = {planned.key.incident: planned.path for planned in self.plan.values()}
        facts = git_facts(self._root, paths.values())
        incidents, controls = [], []
        for name in sorted(paths):
            path = paths[name]
            incident = self._run.shelf.take(path)
            incidents.append(self._about(incident, path, facts.get(path)))
            controls += [
                ControlVerdict(
                    known, incident.id, score(analyze(control(known), incident, 1), incident).mark
                )
                for known in CONTROLS
            ]
        started = datetime.now(UTC)
        replayed = self._run.settings.replayed
        return Results(
            run=RunInfo(
                id=new_run_id(started, secrets.token_bytes(3)),
                started=format_time(started),
                finished="",
                git=git_state(self._root),
                argv=self._argv,
                package=__version__,
            ),
            scorer_digest=scorer_digest(),
            prompt_digest=replayed.prompt_digest if replayed else "",
            columns=tuple(
                ColumnInfo(column.name, column.provider, column.model, column.label)
                for column in self._run.settings.columns
            ),
            incidents=tuple(incidents),
            cells=(),
            controls=tuple(controls),
        )

    def _about(self, incident: Incident, path: Path, git: dict[str, JSON] | None) -> IncidentInfo:
        inside = path.is_relative_to(self._root)
        return IncidentInfo(
            id=incident.id,
            title=incident.title,
            kind=incident.kind,
            set=incident.set,
            difficulty=incident.difficulty,
            twin_of=incident.twin_of,
            graded=incident.graded,
            evidence_digest=evidence_digest(incident.evidence),
            truth_digest=truth_digest(incident),
            path=(path.relative_to(self._root) if inside else path).as_posix(),
            git=git,
        )


def _now() -> str:
    return format_time(datetime.now(UTC))
