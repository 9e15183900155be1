"""``rcabench lint``: whether incidents are fair."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.cli.status import FINE, FOUND
from pytest_rcabench.lint.rules import lint_paths

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("paths", type=Path, nargs="*", metavar="PATH", help="default: incidents")


def run(given: argparse.Namespace) -> int:
    """Print every finding."""
    report = lint_paths(given.paths or [Path("incidents")])
    print(report)
    return FOUND if report.errors else FINE
