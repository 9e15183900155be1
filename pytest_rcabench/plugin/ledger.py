"""The controller's book of one run: the plan, the journal, the cells, and the results."""

from __future__ import annotations

import os
import secrets
import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import format_time
from pytest_rcabench.domain.run import (
    Cell,
    ColumnInfo,
    ControlVerdict,
    Results,
    RunInfo,
    RunKey,
    incident_info,
    kept_analysis,
    unmeasured_cell,
)
from pytest_rcabench.domain.scoring import score, scorer_digest
from pytest_rcabench.engine.model_columns import day_zone
from pytest_rcabench.engine.one_shot import OneShot
from pytest_rcabench.engine.prompt import prompt_digest
from pytest_rcabench.engine.protocols import analyze
from pytest_rcabench.engine.redaction import redact
from pytest_rcabench.engine.sources import SHAPERS
from pytest_rcabench.engine.systems.controls import CONTROLS, control
from pytest_rcabench.files.first_contact import contacts_before
from pytest_rcabench.files.git import git_state
from pytest_rcabench.files.git_history import proof_facts
from pytest_rcabench.files.journal import Journal, new_run_id, open_run
from pytest_rcabench.files.moves import moves_beside
from pytest_rcabench.files.package import package_digest
from pytest_rcabench.files.results import RESULTS_NAME, run_header, run_of, write_results
from pytest_rcabench.files.resume import lost_calls, resume, spent_usd
from pytest_rcabench.reports.proof import proof_line
from pytest_rcabench.reports.summary import summarize, summary_to_json
from pytest_rcabench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pytest

    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.engine.schedule import Planned
    from pytest_rcabench.files.journal import JournalRecord
    from pytest_rcabench.plugin.run import Run


class Ledger:
    """Keeps a run from its plan to its results. Every method may be called from any thread."""

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._run = run
        self._root = config.rootpath
        self._argv = tuple(redact(arg, os.environ) for arg in config.invocation_params.args)
        self._lock = threading.RLock()
        self._cells: dict[RunKey, Cell] = {}
        self._requests: dict[RunKey, str] = {}
        self._journal: Journal | None = None
        self._results: Results | None = None
        self._lost: dict[str, tuple[str, str]] = {}
        self.plan: dict[RunKey, Planned] = {}
        self.said = ""

    @property
    def cells(self) -> Iterable[Cell]:
        """The cells so far."""
        return self._cells.values()

    @property
    def kept(self) -> dict[RunKey, Analysis]:
        """The answers that an interrupted run left, by key."""
        return {key: kept_analysis(cell) for key, cell in self._cells.items() if cell.is_measured}

    def snapshot(self) -> tuple[Cell, ...]:
        """Return the cells so far, while others may add some."""
        with self._lock:
            return tuple(self._cells.values())

    def begin(self, plan: Iterable[Planned]) -> bool:
        """Open the record for *plan* and return True; False, and no change, from the second on.

        Raises: RecordError: if the record cannot be written, or there is none to go on with;
        IncidentError: if a file changed under our hands.
        """
        with self._lock:
            if self._journal is not None:
                return False
            settings = self._run.settings
            self.plan = {planned.key: planned for planned in plan}
            self._results = self._head()
            header = run_header(
                self._results,
                plan=self.plan,
                rounds=settings.rounds,
                settings={column.name: column.settings for column in settings.columns},
            )
            if settings.is_resumed:
                self._journal, record = resume(settings.record, header)
                self._go_on(record)
            else:
                run_id = self._results.run.id
                self._journal = open_run(settings.record, run_id=run_id, header=header)
            return True

    def _go_on(self, record: JournalRecord) -> None:
        """Take over what an interrupted run answered, spent and asked."""
        assert self._results is not None  # noqa: S101 - begin() made it
        self._results = replace(self._results, run=run_of(record.header))
        self._cells = {cell.key: cell for cell in record.answered if cell.is_measured}
        self.said = f"{len(self._cells)} of {len(self.plan)} answers are kept"
        if lost := lost_calls(record):
            self.said += (
                f"; {len(lost)} more were asked for and never came, and may have been billed"
            )
        settings = self._run.settings
        settings.ceiling.spent = spent_usd(record)
        now = datetime.now(UTC)
        for column in settings.columns:
            if isinstance(column.analyzer, OneShot):
                zone = day_zone(column.provider)
                for call in record.started:
                    if call.key.column == column.name:
                        at = datetime.fromisoformat(call.at)
                        day, age_s = at.astimezone(zone).date(), (now - at).total_seconds()
                        column.analyzer.pacer.was_asked(day, age_s)

    def called(self, key: RunKey, request_digest: str, most: float | None) -> None:
        """Note a call for *key* that is about to go out.

        Raises: RecordError: if the disk refuses.
        """
        with self._lock:
            if self._journal is not None:
                self._requests[key] = request_digest
                self._journal.started(key, request_digest, most)

    def add(self, cell: Cell) -> None:
        """Keep *cell*; the first one of a key counts. Raises: RecordError: if the disk refuses."""
        if cell.key in self._cells:  # as each is whose item comes after its answer; no lock for it
            return
        with self._lock:
            if self._journal is None or cell.key in self._cells:
                return
            self._journal.answered(cell, self._requests.get(cell.key, ""))
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
                run=replace(run, finished=_now()),
                scorer_digest=head.scorer_digest,
                prompt_digest=head.prompt_digest,
                columns=head.columns,
                incidents=head.incidents,
                cells=tuple(sorted(self._cells.values(), key=lambda cell: cell.key)),
                controls=head.controls,
                moves=head.moves,
                complete=self.plan.keys() == self._cells.keys(),
            )
            contacts = contacts_before(self._run.settings.record, results)
            results = replace(results, first_contact=contacts)
            summary = summary_to_json(summarize(results))
            for path in (journal.path.with_name(RESULTS_NAME), self._run.settings.json):
                if path is not None:
                    write_results(path, results, summary, proof_line(results))
            return results

    def _head(self) -> Results:
        """Return what is known of the results before the first answer, controls included."""
        paths = {planned.key.incident: planned.path for planned in self.plan.values()}
        facts = proof_facts(self._root, paths.values(), SHAPERS)
        incidents, controls = [], []
        for name in sorted(paths):
            path = paths[name]
            incident = self._run.shelf.take(path)
            inside = path.relative_to(self._root) if path.is_relative_to(self._root) else path
            incidents.append(incident_info(incident, inside.as_posix(), facts.get(path)))
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
                actions=_actions(os.environ),
                package_digest=package_digest(),
            ),
            scorer_digest=scorer_digest(),
            prompt_digest=replayed.prompt_digest if replayed else self._prompt_digest(),
            columns=tuple(
                ColumnInfo(column.name, column.provider, column.model, column.label)
                for column in self._run.settings.columns
            ),
            incidents=tuple(incidents),
            cells=(),
            controls=tuple(controls),
            moves=moves_beside(paths.values()),
        )

    def _prompt_digest(self) -> str:
        """Return the digest of the built-in prompt, or nothing where no column uses it."""
        columns = self._run.settings.columns
        return prompt_digest() if any(isinstance(c.analyzer, OneShot) for c in columns) else ""


def _actions(environ: Mapping[str, str]) -> dict[str, JSON] | None:
    """Return which run of GitHub Actions this is; None elsewhere."""
    names = ("SERVER_URL", "REPOSITORY", "WORKFLOW", "RUN_ID", "RUN_ATTEMPT")
    if "GITHUB_RUN_ID" not in environ:
        return None
    return {name.lower(): environ.get(f"GITHUB_{name}", "") for name in names}


def _now() -> str:
    return format_time(datetime.now(UTC))
