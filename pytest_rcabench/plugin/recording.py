"""From items to outcomes, records and reports: the hooks of a run that has incidents."""

from __future__ import annotations

import json
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.cell_json import cell_from_json, cell_to_json
from pytest_rcabench.domain.errors import RcabenchError, Unmeasured
from pytest_rcabench.engine.broker import Broker
from pytest_rcabench.engine.dispatch import Dispatch
from pytest_rcabench.plugin.collection import IncidentItem
from pytest_rcabench.plugin.conclusion import hold_against_baseline, too_little, worse
from pytest_rcabench.plugin.elsewhere import (
    is_elsewhere,
    pack_plan,
    refuse_asked_columns,
    unpack_plan,
)
from pytest_rcabench.plugin.github import tell_github
from pytest_rcabench.plugin.ledger import Ledger
from pytest_rcabench.plugin.live import LiveLine, watch
from pytest_rcabench.plugin.plan import case_of, plan_lines, plan_of
from pytest_rcabench.plugin.report_files import write_reports
from pytest_rcabench.plugin.run import connect
from pytest_rcabench.plugin.state import CELL
from pytest_rcabench.reports.failure import explain

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.run import Cell, Results
    from pytest_rcabench.engine.schedule import Planned
    from pytest_rcabench.plugin.run import Run
    from pytest_rcabench.reports.comparison import Comparison


class Recorder:
    """One per process. In a worker of pytest-xdist it hands in; the controller keeps the book.

    *results* is what the run found, once it ended, and *comparison* what became of its baseline.
    """

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._config = config
        self._run = run
        self._outstanding: Counter[Path] = Counter()
        self._broker: Broker | None = None
        self.results: Results | None = None
        self.comparison: Comparison | None = None
        self._broken = ""
        self._seen: set[str] = set()
        self._failed = 0
        self._packed: list[list[str | int | bool]] = []
        self._live: LiveLine | None = None
        self._beginning = threading.Lock()
        self._worker = getattr(config, "workerinput", None)
        self._ledger = None if self._worker else Ledger(config, run)
        self._dispatch = None if self._worker else self._new_dispatch()
        if self._dispatch:
            run.ask = self._dispatch.wait

    def open_to(self, node: Any) -> None:  # noqa: ANN401 - a WorkerController of pytest-xdist, which may be absent
        """Let a worker ask this controller for answers."""
        if self._broker is None:
            self._broker = Broker(self._begin, self._wait)
        if not is_elsewhere(node.gateway.spec):
            node.workerinput["rca_broker"] = self._broker.address
        node.workerinput["rca_dist"] = node.config.option.dist
        if replayed_from := self._run.settings.replayed_from:
            node.workerinput["rca_replayed_from"] = str(replayed_from)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: Iterable[Any]) -> None:
        """Refuse workers on other machines where they would wait for answers."""
        refuse_asked_columns(specs, self._run.settings.columns)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        """Run nothing where an incident is broken, or xdist would ask and pay for the good ones."""
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            items.clear()

    @pytest.hookimpl(tryfirst=True)  # what is kept must be known when the terminal asks for it
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Plan what was selected, and hand the plan to whoever keeps the book."""
        option = session.config.option
        self._outstanding.update(case.path for case in map(case_of, session.items) if case)
        plan = plan_of(session.items)
        if not plan or option.collectonly or option.setuponly or option.setupplan:
            return
        if self._worker and "rca_broker" in self._worker:
            connect(self._run, self._worker["rca_broker"]).hand_in(plan)
        elif self._worker:  # on another machine: the plan goes with the first report
            self._packed = pack_plan(plan, self._config.rootpath)
        elif self._broker is None:
            self._begin(plan)
            self._refuse_to_go_on()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        """Stop where the first worker's plan cannot be begun, before anything runs."""
        self._refuse_to_go_on()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the cell on the report that decides about it, as plain JSON that crosses any wire."""
        report = yield
        if self._packed:
            report.rca_plan, self._packed = self._packed, []  # type: ignore[attr-defined]
        cell = item.stash.get(CELL, None)
        if cell is not None and (
            call.when == "call" or (call.when == "setup" and not report.passed)
        ):
            # An extra attribute travels with a report, and stays with the terminal to the end.
            # A user's own test says what its author wants said.
            is_ours = isinstance(item, IncidentItem) and (
                call.when == "call" or not cell.is_measured
            )
            report.rca = {"verdict": cell.verdict} if is_ours else {}  # type: ignore[attr-defined]
            if self._worker:
                # A lone surrogate would lose every result of the run on the way.
                plain = json.dumps(cell_to_json(cell), ensure_ascii=False, allow_nan=False)
                report.rca["cell"] = json.loads(plain.encode("utf-8", "replace"))
            else:
                self._add(cell)
            if report.skipped:
                path, line, _ = item.reportinfo()
                report.longrepr = (str(path), (line or 0) + 1, explain(cell))
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Let go of an incident that no item needs any more."""
        case = case_of(item)
        if case is not None:
            self._outstanding[case.path] -= 1
            if self._outstanding[case.path] <= 0:
                self._run.put_away(case.path, case.key.incident)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the cell before anybody is shown the report."""
        if self._ledger is None:
            return
        if self._live:
            self._live.clear()
        if packed := report.__dict__.pop("rca_plan", None):
            self._begin(unpack_plan(packed, self._config.rootpath))
        self._seen.add(report.nodeid)
        if report.when == "???":  # type: ignore[comparison-overlap]  # how pytest-xdist reports an item whose worker died
            self._ledger.lose(report.nodeid, "interrupted", "the worker that ran it died")
        elif cell := getattr(report, "rca", {}).pop("cell", None):
            self._add(cell_from_json(cell))
        elif report.when == "setup" and report.failed and not hasattr(report, "rca"):
            self._ledger.lose(report.nodeid, "set-up", "a fixture of the test failed")
        self._failed += report.failed
        if self._dispatch and 0 < (self._config.option.maxfail or 0) <= self._failed:
            self._dispatch.stop()  # pytest-xdist waits for its workers, and they for answers

    def pytest_report_collectionfinish(self, items: list[pytest.Item]) -> list[str]:
        """Say what will be asked, before it is."""
        return [*plan_lines(plan_of(items), self._run), *self._said()]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """End the run; where pytest calls it green and too little was measured, say so last."""
        if self._live:
            self._live.close()
        if self._dispatch:
            self._dispatch.stop()
        if self._broker:
            self._broker.close()
        if self._ledger:
            try:
                self.results = self._ledger.finish()
                if self.results:
                    self._report(self.results)
            except RcabenchError as error:
                self._broken = str(error)
        yield
        self._conclude(session)

    def _conclude(self, session: pytest.Session) -> None:
        """Raise the exit status where pytest sees no reason to, and tell who listens."""
        is_green = session.exitstatus == pytest.ExitCode.OK
        reason = self._broken
        if self._ledger and is_green:
            reason = reason or too_little(self._ledger, self._seen)
        reason = reason or worse(self.comparison, self._run.settings.fail_on)
        if is_green and reason:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.results and self._ledger:
            lines = tell_github(
                self.results,
                self._run,
                plan=self._ledger.plan,
                verdict="passed" if session.exitstatus == pytest.ExitCode.OK else "failed",
                reason=reason,
                comparison=self.comparison,
            )
            for line in lines:
                self._say(line)
        if reason:
            self._say(f"rca: {reason}", red=True)

    def _report(self, results: Results) -> None:
        assert self._ledger is not None  # noqa: S101 - the controller has one
        try:
            self.comparison = hold_against_baseline(results, self._run, self._ledger.plan)
        finally:  # the reports are written all the same, whatever is wrong with the comparison
            write_reports(results, self._run, self._ledger.plan, self.comparison)

    def _said(self) -> list[str]:
        return [f"rca resume: {self._ledger.said}"] if self._ledger and self._ledger.said else []

    def _new_dispatch(self) -> Dispatch:
        assert self._ledger is not None  # noqa: S101 - the controller has one
        return Dispatch(
            {column.name: column for column in self._run.settings.columns},
            self._run.shelf,
            concurrency=self._run.settings.concurrency,
            on_call=self._ledger.called,
            on_answer=self._keep,
        )

    def _add(self, cell: Cell) -> None:
        assert self._ledger is not None  # noqa: S101 - the controller has one
        try:
            self._ledger.add(cell)
        except RcabenchError as error:  # raised in a hook it would end pytest with a traceback
            self._broken = str(error)

    def _keep(self, planned: Planned, answer: Analysis | Unmeasured) -> None:
        assert self._ledger is not None  # noqa: S101 - the controller has one
        incident = self._run.shelf.take(planned.path)
        found = self._run.judge(planned.key, incident, answer)
        self._ledger.add(found.cell)
        if self._broker is None:
            self._run.keep(found)

    def _begin(self, plan: Iterable[Planned]) -> None:
        assert self._ledger is not None  # noqa: S101 - the controller has one
        assert self._dispatch is not None  # noqa: S101 - the same
        plan = tuple(plan)
        with self._beginning:  # the workers hand in theirs at the same moment
            try:
                if not self._ledger.begin(plan):
                    return
            except RcabenchError as error:
                self._broken = str(error)
                return
            self._dispatch.plan(plan, self._ledger.kept)
            if self._broker:  # a controller collects nothing, and so was not asked for these lines
                for line in (*plan_lines(plan, self._run), *self._said()):
                    self._say(line)
            if any(planned.is_asked for planned in plan):
                self._live = watch(self._config, self._run, self._ledger, self._dispatch)

    def _refuse_to_go_on(self) -> None:
        if self._broken:
            broken, self._broken = self._broken, ""  # told here, and not again at the end
            raise pytest.UsageError(broken)

    def _wait(self, key: Any) -> Analysis:  # noqa: ANN401 - a RunKey
        assert self._dispatch is not None  # noqa: S101 - the same
        if self._broken:
            raise Unmeasured("set-up", self._broken)
        return self._dispatch.wait(key)

    def _say(self, text: str, **markup: bool) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter:
            reporter.write_line(text, **markup)
