"""The reports of a run of a thousand cells: time and memory of each format.

Usage: python benchmarks/reports.py

25 incidents, 4 columns and 10 rounds; three cells in four failed, each with an answer of its own of
two issues and 2 kB. Each format is made in a process of its own, from the same results file.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import ROOT_CAUSE_CHECKS
from pytest_rcabench.domain.run import (
    Cell,
    ColumnInfo,
    GitState,
    IncidentInfo,
    Results,
    RunInfo,
    RunKey,
)
from pytest_rcabench.files.results import read_results, write_results
from pytest_rcabench.reports.html.page import render_html
from pytest_rcabench.reports.markdown import render_markdown
from pytest_rcabench.reports.summary import summarize, summary_to_json
from pytest_rcabench.reports.terminal import render_terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rcabench.domain.incident import JSON

INCIDENTS, COLUMNS, ROUNDS = 25, 4, 10
WORDS = ("pass", "half", "wrong", "wrong")


def _terminal(results: Results, verbosity: int) -> str:
    lines = render_terminal(results, width=120, verbosity=verbosity)
    return "\n".join("".join(span.text for span in line) for line in lines)


FORMATS: dict[str, Callable[[Results], str]] = {
    "(results read, nothing made)": lambda results: "",  # noqa: ARG005 - one shape for all
    "terminal": lambda results: _terminal(results, 0),
    "terminal, -vv": lambda results: _terminal(results, 2),
    "Markdown": render_markdown,
    "HTML, without windows": lambda results: "".join(render_html(results, incidents={})),
}


def thousand_cells() -> Results:
    """Return a run in which the four columns do equally well."""
    incidents = tuple(
        IncidentInfo(
            id=f"incident-{number:02}",
            title=f"Something with the number {number}",
            kind="healthy" if number % 5 == 0 else "bad_deploy",
            set="held_out",
            difficulty="medium",
            twin_of="",
            graded=ROOT_CAUSE_CHECKS,
            evidence_digest=f"{number:064x}",
            truth_digest=f"{number:064x}",
            path=f"incidents/held_out/incident-{number:02}.yaml",
        )
        for number in range(INCIDENTS)
    )
    columns = tuple(ColumnInfo(f"system-{n}", "command") for n in range(COLUMNS))
    cells = tuple(
        _cell(RunKey(incident.id, column.name, number), place)
        for place, (incident, column, number) in enumerate(
            (incident, column, number)
            for incident in incidents
            for column in columns
            for number in range(1, ROUNDS + 1)
        )
    )
    info = RunInfo("20261130T000000000Z-bench", "2026-11-30", "2026-11-30", GitState(), (), "0")
    return Results(info, "0" * 64, "", columns, incidents, cells)


def _cell(key: RunKey, place: int) -> Cell:
    verdict = WORDS[place % len(WORDS)]
    passed = {"cause": verdict != "wrong", "innocent": verdict != "half"}
    issue: dict[str, JSON] = {
        "title": f"Connections are never returned, case {place}",
        "severity": "error",
        "service": "orders-api",
        "cause": "The check of the coupon throws before the connection is given back. " * 3,
        "commits": [f"{place:040x}"],
        "ruled_out": [],
        "evidence": [f"HikariPool-1 - Connection is not available, {place} ms"] * 5,
        "reasoning": "Active connections rise from 13:21 on while traffic is flat. " * 8,
    }
    return Cell(
        key,
        verdict,  # type: ignore[arg-type]  # a Word
        tuple(
            {"name": name, "passed": passed.get(name, True), "detail": f"expected this, got {name}"}
            for name in (*ROOT_CAUSE_CHECKS, "innocent", "alarms")
        ),
        analysis={"issues": [issue, issue | {"severity": "warning"}], "notes": []},
        latency_s=2.5,
    )


def measure(path: Path, name: str) -> None:
    """Print a row of the table: what it takes this process to make format *name*."""
    results = read_results(path)
    started = time.process_time()
    text = FORMATS[name](results)
    seconds = time.process_time() - started
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| {name} | {seconds:.2f} | {peak_mb:.0f} | {len(text.encode()) / 1024:,.0f} |")


def main() -> None:
    """Print the table, or the row of the format that is named behind the results file."""
    if len(sys.argv) > 1:
        measure(Path(sys.argv[1]), sys.argv[2])
        return
    results = thousand_cells()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        write_results(path, results, summary_to_json(summarize(results)))
        print(f"{len(results.cells):,} cells, results file {path.stat().st_size / 1024:,.0f} kB\n")
        print("| format | processor s | peak MB | kB |\n|---|--:|--:|--:|", flush=True)
        for name in FORMATS:
            subprocess.run([sys.executable, __file__, str(path), name], check=True)


if __name__ == "__main__":
    main()
