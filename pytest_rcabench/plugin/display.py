"""What a run of incidents shows in the terminal: letters, failed halves, and the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import RunKey
from pytest_rcabench.plugin.explanation import Explanation, for_terminal, is_unicode
from pytest_rcabench.reports.rescoring import changed_since
from pytest_rcabench.reports.terminal import render_terminal

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_rcabench.plugin.recording import Recorder
    from pytest_rcabench.plugin.run import Run
    from pytest_rcabench.reports.comparison import Comparison

_STATUS = {
    "pass": ("passed", ".", "PASSED"),
    "half": ("half", "½", ("HALF", {"yellow": True})),
    "unmeasured": ("unmeasured", "⚠", ("UNMEASURED", {"yellow": True})),
}
_WRONG = {
    "failed": ("failed", "F", ("WRONG", {"red": True})),
    "passed": ("wrong", "F", ("WRONG", {"red": True})),
}


class Display:
    """Shows what the recorder of the same process keeps."""

    def __init__(self, config: pytest.Config, run: Run, recorder: Recorder) -> None:
        self._config = config
        self._run = run
        self._recorder = recorder

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, object] | None:
        """Show the verdict, whatever --rca-fail-on makes of it."""
        verdict = getattr(report, "rca", {}).get("verdict")
        if verdict is None:
            return None
        category, letter, word = _STATUS.get(verdict) or _WRONG[report.outcome]
        if verdict == "pass" and report.failed:
            return None  # a user's own test that is stricter than the scorer
        return category, letter if is_unicode() else {"½": "h", "⚠": "u"}.get(letter, letter), word

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Give a failure one line for the short summary, wherever the item ran."""
        if getattr(report, "rca", None) and report.failed and isinstance(report.longrepr, str):
            path, line, _ = report.location
            report.longrepr = Explanation(report.longrepr, path, (line or 0) + 1)  # type: ignore[assignment]  # pytest's own type has no public name

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, None, None]:
        """Print failed halves, which pytest's own section leaves out, and the grid last of all."""
        config, results = self._config, self._recorder.results
        if results is None or not results.cells or config.option.no_summary:
            yield
            return
        halves = [r for r in terminalreporter.stats.get("half", ()) if r.failed]
        if halves and config.option.tbstyle != "no":
            terminalreporter.section("HALF RIGHT", yellow=True)
            for report in halves:
                terminalreporter.write_sep("_", report.nodeid, yellow=True)
                report.toterminal(config.get_terminal_writer())
        yield
        terminalreporter.section("root-cause analysis")
        writer = config.get_terminal_writer()
        for line in render_terminal(
            results,
            width=writer.fullwidth,
            unicode=is_unicode(),
            verbosity=config.get_verbosity(),
            told=_told(terminalreporter) if config.option.tbstyle != "no" else (),
        ):
            for text, style in line:
                writer.write(text, **({style: True} if style else {}))
            writer.line()
        if comparison := self._recorder.comparison:
            self._show_comparison(terminalreporter, comparison)
        if replayed := self._run.settings.replayed:
            for sentence in changed_since(replayed, results):
                terminalreporter.write_line(sentence, yellow=True)

    def _show_comparison(
        self, terminalreporter: pytest.TerminalReporter, comparison: Comparison
    ) -> None:
        from pytest_rcabench.reports.comparison_text import (  # noqa: PLC0415 - start-up time
            comparison_lines,
        )

        terminalreporter.section("against the baseline")
        *lines, verdict = comparison_lines(comparison)
        for line in lines if self._config.get_verbosity() >= -1 else ():
            terminalreporter.write_line(for_terminal(line))
        is_red = comparison.is_red
        terminalreporter.write_line(verdict, bold=True, red=is_red, green=not is_red)


def _told(terminalreporter: pytest.TerminalReporter) -> set[RunKey]:
    """Return the cells whose failed items pytest has told about."""
    told = set()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "failed", False) and hasattr(report, "rca"):
                about = dict(report.user_properties)
                told.add(RunKey(about["rca_incident"], about["rca_column"], about["rca_round"]))
    return told
