"""``rcabench init``: the shipped incidents, copied to where a user can run and change them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.cli.status import FINE, FOUND
from pytest_rcabench.files.incident_set import copy_incidents

if TYPE_CHECKING:
    import argparse

_SETTINGS = """\
Let a bare `pytest` run them: in pytest.ini, or in tox.ini,

    [pytest]
    testpaths = {directory}

and see the grid with `pytest`. Without such a file, `pytest {directory}` does the same."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "directory",
        type=Path,
        nargs="?",
        default=Path("incidents"),
        metavar="DIR",
        help="default: incidents",
    )


def run(given: argparse.Namespace) -> int:
    """Copy, and say how to run what was copied."""
    written, kept = copy_incidents(given.directory)
    for path in kept:
        print(f"{path}: is there already and differs; remove it to get the shipped one")
    print(f"{len(written)} incidents written to {given.directory}")
    print(_SETTINGS.format(directory=given.directory))
    return FOUND if kept else FINE
