"""``rcabench canary``: answers that quote what no evidence holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.cli.results_argument import add_incidents, add_results, incidents_of
from pytest_rcabench.cli.status import FINE, FOUND
from pytest_rcabench.files.results import read_results
from pytest_rcabench.reports.contamination import contamination_line, find_quotes

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_results(parser)
    add_incidents(parser)


def run(given: argparse.Namespace) -> int:
    """Print every quote. Raises: RecordError: if results or an incident cannot be read."""
    results = read_results(given.results)
    quotes = find_quotes(results, incidents_of(given.incidents, results))
    for quote in quotes:
        print(quote)
    measured = sum(cell.is_measured for cell in results.cells)
    cells = len({quote.key for quote in quotes})
    print(f"{cells} of {measured} answers quote what stands in an incident's file alone")
    print(contamination_line(results))
    return FOUND if quotes else FINE
