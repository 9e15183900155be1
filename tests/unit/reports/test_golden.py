"""Reports are reviewed as diffs: RCABENCH_REWRITE_GOLDEN=1 rewrites the expected texts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.files.results import read_results, write_results
from pytest_rcabench.reports.markdown import render_markdown
from pytest_rcabench.reports.proof import proof_line
from pytest_rcabench.reports.summary import summarize, summary_to_json
from pytest_rcabench.reports.terminal import render_terminal

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results

GOLDEN = Path(__file__).parents[2] / "golden"


def _terminal(run: Results, *, width: int = 100, unicode: bool = True, verbosity: int = 0) -> str:
    lines = render_terminal(run, width=width, unicode=unicode, verbosity=verbosity)
    return "\n".join("".join(span.text for span in line) for line in lines) + "\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("terminal.txt", _terminal),
        ("terminal-verbose.txt", lambda run: _terminal(run, verbosity=1)),
        ("terminal-narrow.txt", lambda run: _terminal(run, width=60)),
        ("terminal-ascii.txt", lambda run: _terminal(run, unicode=False)),
        ("report.md", render_markdown),
    ],
)
def test_a_report_looks_as_it_was_reviewed(name: str, text, run: Results) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - Callable[[Results], str]
    """The text of each report on the small run is the one in tests/golden."""
    path = GOLDEN / name
    if os.environ.get("RCABENCH_REWRITE_GOLDEN") == "1":
        path.write_text(text(run), encoding="utf-8", newline="\n")

    assert path.read_text(encoding="utf-8") == text(run)


def test_a_results_file_comes_back_byte_for_byte(tmp_path: Path) -> None:
    """Reading a results file and writing it again changes nothing, summary included."""
    run = read_results(GOLDEN / "results.json")
    write_results(tmp_path / "again.json", run, summary_to_json(summarize(run)), proof_line(run))

    assert (GOLDEN / "results.json").read_bytes() == (tmp_path / "again.json").read_bytes()
