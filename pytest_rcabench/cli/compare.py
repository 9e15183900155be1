"""``rcabench compare``: one run held against earlier ones, as the regression gate does it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.cli.results_argument import add_incidents, incidents_of
from pytest_rcabench.cli.status import FINE, FOUND
from pytest_rcabench.cli.terminal import is_unicode
from pytest_rcabench.files.baseline import read_baseline
from pytest_rcabench.files.results import read_results
from pytest_rcabench.files.writing import write_whole
from pytest_rcabench.reports.comparison import compare
from pytest_rcabench.reports.comparison_text import comparison_lines, render_comparison
from pytest_rcabench.reports.safe_text import in_ascii

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "base",
        nargs="+",
        metavar="BASE",
        help="results files of earlier runs, or folders of them",
    )
    parser.add_argument("new", type=Path, metavar="NEW", help="the run to judge")
    add_incidents(parser)
    parser.add_argument("--markdown", type=Path, metavar="PATH", help="write all changes here")


def run(given: argparse.Namespace) -> int:
    """Print what changed, the verdict last. Raises: RecordError: if a side cannot be compared."""
    new = read_results(given.new)
    base = read_baseline(given.base, Path())
    comparison = compare(base, new, incidents_of(given.incidents, new))
    if given.markdown:
        write_whole(given.markdown, render_comparison(comparison))
    for line in comparison_lines(comparison):
        print(line if is_unicode() else in_ascii(line))
    return FOUND if comparison.is_red else FINE
