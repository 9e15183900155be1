"""The arguments RESULTS and --incidents, which several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.files.incident_set import find_incidents

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.run import Results

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


def incidents_of(folders: Sequence[Path], *runs: Results) -> dict[str, Incident]:
    """Return the incidents of *runs* that are found, by id; *folders* are those of --incidents.

    Raises: RcabenchError: if one of *folders* is none, or a file that was found cannot be read.
    """
    wanted = {incident.id: incident.path for run in runs for incident in run.incidents}
    return find_incidents(wanted, folders)
