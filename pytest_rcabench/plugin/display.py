"""What a run of incidents shows in the terminal: letters, failed halves, and the grid."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import RunKey
from pytest_rcabench.reports.comparison_text import comparison_lines
from pytest_rcabench.reports.rescoring import changed_since
from pytest_rcabench.reports.safe_text import in_ascii
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
        return category, letter if _is_unicode() else {"½": "h", "⚠": "u"}.get(letter, letter), word

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
        for line in render_terminal(
            results,
            width=config.get_terminal_writer().fullwidth,
            unicode=_is_unicode(),
            verbosity=config.get_verbosity(),
            told=_told(terminalreporter) if config.option.tbstyle != "no" else (),
        ):
            for text, style in line:
                terminalreporter.write(text, **({style: True} if style else {}))
            terminalreporter.write_line("")
        if comparison := self._recorder.comparison:
            self._show_comparison(terminalreporter, comparison)
        if replayed := self._run.settings.replayed:
            for sentence in changed_since(replayed, results):
                terminalreporter.write_line(sentence, yellow=True)

    def _show_comparison(
        self, terminalreporter: pytest.TerminalReporter, comparison: Comparison
    ) -> None:
        terminalreporter.section("against the baseline")
        *lines, verdict = comparison_lines(comparison)
        for line in lines if self._config.get_verbosity() >= -1 else ():
            terminalreporter.write_line(line if _is_unicode() else in_ascii(line))
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


def _is_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
