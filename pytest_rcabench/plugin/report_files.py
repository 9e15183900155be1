"""The reports that a run leaves as files, beside its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.files.writing import write_whole
from pytest_rcabench.reports.markdown import render_markdown

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results
    from pytest_rcabench.plugin.run import Run


def write_reports(results: Results, run: Run) -> None:
    """Write the reports that were asked for. Raises: RecordError: if the disk refuses."""
    settings = run.settings
    if settings.markdown:
        write_whole(settings.markdown, render_markdown(results))
