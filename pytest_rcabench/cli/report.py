"""``rcabench report``: results as a person reads them."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.cli.results_argument import add_incidents, add_results, incidents_of
from pytest_rcabench.cli.status import FINE
from pytest_rcabench.cli.terminal import is_unicode
from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.files.results import read_results, write_results
from pytest_rcabench.files.writing import write_whole
from pytest_rcabench.reports.html import require_jinja2
from pytest_rcabench.reports.markdown import render_markdown
from pytest_rcabench.reports.proof import proof_line
from pytest_rcabench.reports.summary import summarize, summary_to_json
from pytest_rcabench.reports.terminal import render_terminal

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from pytest_rcabench.domain.run import Results
    from pytest_rcabench.reports.grid_text import Style

# Source: ECMA-48, "Select graphic rendition".
_CODES: dict[Style, int] = {
    "bold": 1,
    "light": 2,
    "red": 31,
    "green": 32,
    "yellow": 33,
    "purple": 35,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_results(parser, "+")
    parser.add_argument("--markdown", type=Path, metavar="PATH", help="all RESULTS side by side")
    parser.add_argument("--html", type=Path, metavar="PATH", help="the same, with the windows")
    add_incidents(parser)
    parser.add_argument("--json", type=Path, metavar="PATH", help="one RESULTS as a results file")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="why each cell failed")
    parser.add_argument("-q", "--quiet", action="count", default=0, help="less; -qq figures alone")


def run(given: argparse.Namespace) -> int:
    """Write the files that were named, or show the results where none was.

    Raises: OptionError: if several results would have to become one file, or jinja2 is missing;
    RecordError.
    """
    if given.json and len(given.results) > 1:
        raise OptionError("report: --json takes one RESULTS; runs are not merged into one file")
    if given.html:
        require_jinja2("report: --html")
    runs = [read_results(path) for path in given.results]
    if given.markdown:
        write_whole(given.markdown, render_markdown(*runs))
    if given.html:
        _write_html(given.html, runs, given.incidents)
    if given.json:
        summary = summary_to_json(summarize(runs[0]))
        write_results(given.json, runs[0], summary, proof_line(runs[0]))
    if not (given.markdown or given.html or given.json):
        _show(runs, given.verbose - given.quiet)
    return FINE


def _write_html(path: Path, runs: Sequence[Results], folders: Sequence[Path]) -> None:
    # It needs jinja2, which nothing else here does.
    from pytest_rcabench.reports.html.page import render_html  # noqa: PLC0415

    write_whole(path, render_html(*runs, incidents=incidents_of(folders, *runs)))


def _show(runs: Iterable[Results], verbosity: int) -> None:
    codes = _CODES if sys.stdout.isatty() and "NO_COLOR" not in os.environ else {}
    width = shutil.get_terminal_size().columns
    for line in render_terminal(*runs, width=width, unicode=is_unicode(), verbosity=verbosity):
        print("".join(_coloured(text, codes.get(style)) for text, style in line))


def _coloured(text: str, code: int | None) -> str:
    return text if code is None else f"\x1b[{code}m{text}\x1b[0m"
