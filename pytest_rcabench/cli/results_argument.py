"""The argument RESULTS, which several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

_RESULTS = "a file of --rca-json, or the folder of a run or of all runs"


def add_results(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    """Let the command take RESULTS: one path, or as many as *nargs* says."""
    parser.add_argument("results", type=Path, nargs=nargs, metavar="RESULTS", help=_RESULTS)


def add_incidents(parser: argparse.ArgumentParser) -> None:
    """Let the user say where the incidents of RESULTS are."""
    parser.add_argument(
        "--incidents",
        type=Path,
        nargs="+",
        default=[],
        metavar="DIR",
        help="default: the paths in RESULTS, else the shipped set",
    )
