"""``rcabench import``: other people's data, as incident files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.cli.status import FINE
from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.importers import IMPORTERS

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("format", metavar="FORMAT", help="rootcausebench")
    parser.add_argument("path", type=Path, metavar="PATH", help="the data set's folder")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="a folder of its own"
    )


def run(given: argparse.Namespace) -> int:
    """Import, and print what was written. Raises: OptionError: if the format is unknown."""
    if given.format not in IMPORTERS:
        known = ", ".join(sorted(IMPORTERS))
        raise OptionError(f"import: {given.format!r} is no known format; choose one of {known}")
    print(IMPORTERS[given.format](given.path, given.out))
    return FINE
