"""``rcabench schema``: the JSON Schema of incident files, for editors."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from pytest_rcabench.cli.status import FINE

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare that the command takes nothing."""
    del parser


def run(given: argparse.Namespace) -> int:
    """Print the schema as it is shipped."""
    del given
    schema = resources.files("pytest_rcabench") / "schema" / "incident.json"
    print(schema.read_text("utf-8"), end="")
    return FINE
