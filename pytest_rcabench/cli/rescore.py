"""``rcabench rescore``: kept answers under today's scorer and incidents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.cli.results_argument import add_incidents, add_results, incidents_of
from pytest_rcabench.cli.status import FINE, FOUND
from pytest_rcabench.domain.scoring import score
from pytest_rcabench.engine.protocols import analyze
from pytest_rcabench.engine.systems.controls import control
from pytest_rcabench.files.results import read_results, write_results
from pytest_rcabench.reports.proof import proof_line
from pytest_rcabench.reports.rescoring import changed_incidents, rescore
from pytest_rcabench.reports.summary import summarize, summary_to_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.run import Results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_results(parser)
    add_incidents(parser)
    parser.add_argument("--out", type=Path, metavar="PATH", help="write the new results here")


def run(given: argparse.Namespace) -> int:
    """Print what changed. Raises: RecordError: if results or an incident cannot be read."""
    results = read_results(given.results)
    incidents = incidents_of(given.incidents, results)
    again, changes = rescore(results, incidents)
    notes = changed_incidents(results, incidents)
    if again.scorer_digest != results.scorer_digest:
        print(f"scored by {again.scorer_digest[:12]}; the run was by {results.scorer_digest[:12]}")
    for line in (*notes, *changes):
        print(line)
    measured = sum(cell.is_measured for cell in results.cells)
    print(f"{len(changes)} of {measured} verdicts changed")
    if given.out:
        again = with_controls(again, incidents)
        summary = summary_to_json(summarize(again))
        write_results(given.out, again, summary, proof_line(again))
    return FOUND if changes or notes else FINE


def with_controls(results: Results, incidents: Mapping[str, Incident]) -> Results:
    """Return *results* with its controls scored afresh; they answer at once and keep no reply."""
    controls = []
    for old in results.controls:
        if incident := incidents.get(old.incident):
            analysis = analyze(control(old.control), incident, 1)
            controls.append(replace(old, verdict=score(analysis, incident).mark))
    return replace(results, controls=tuple(controls))
