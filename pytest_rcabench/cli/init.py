"""``rcabench init``: shipped incidents and workflows, copied to where a user can change them."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from pytest_rcabench.cli.status import FINE, FOUND
from pytest_rcabench.files.incident_set import copy_incidents
from pytest_rcabench.files.workflows import copy_workflows
from pytest_rcabench.reports.figures import counted

if TYPE_CHECKING:
    import argparse

_SETTINGS = """\
Let a bare `pytest` run them: in pytest.ini, or in tox.ini,

    [pytest]
    testpaths = {directory}

and see the grid with `pytest`. Without such a file, `pytest {directory}` does the same."""

_SECRETS = """\
The workflows need the secrets GEMINI_API_KEY and ANTHROPIC_API_KEY. Start "rcabench nightly" once
on the default branch: its results are what "rcabench gate" holds pull requests against."""


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
    parser.add_argument(
        "--github",
        action="store_true",
        help="write workflows for GitHub Actions too, and no incidents where DIR is there already",
    )


def run(given: argparse.Namespace) -> int:
    """Copy, and say how to run what was copied."""
    kept: tuple[Path, ...] = ()
    if not given.github or not given.directory.exists():
        written, kept = copy_incidents(given.directory)
        print(f"{counted(len(written), 'file')} written to {given.directory}")
        print(_SETTINGS.format(directory=given.directory))
    if given.github:
        incidents = PurePath(os.path.relpath(given.directory)).as_posix()
        workflows, different = copy_workflows(Path(), incidents)
        kept += different
        for path in workflows:
            print(f"{path}: written")
        print(_SECRETS)
        if not Path(".git").exists():
            print("This is not the root of a repository, and GitHub reads workflows only there.")
    for path in kept:
        print(f"{path}: is there already and differs; remove it to get the shipped one")
    return FOUND if kept else FINE
