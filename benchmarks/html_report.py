"""Measure the HTML report of 60 incidents, 6 columns and 5 rounds: size, rendering, opening.

    python benchmarks/html_report.py [REPORT]

Windows are those of the shipped incidents, 1,000 records of each; every answer is another choice of
words from its log. Chromium opens the page from disk seven times, afresh each time.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from pytest_rcabench.domain.analysis import Analysis, Attempt, Issue, Severity, Usage
from pytest_rcabench.domain.analysis_json import analysis_to_json
from pytest_rcabench.domain.run import (
    ColumnInfo,
    GitState,
    Results,
    RunInfo,
    RunKey,
    incident_info,
    measured_cell,
)
from pytest_rcabench.domain.scoring import score, scorer_digest
from pytest_rcabench.files.incident_set import shipped_incidents
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.reports.html.page import render_html

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playwright.sync_api import Browser

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.run import Cell

INCIDENTS, RECORDS, COLUMNS, ROUNDS, TIMES = 60, 1000, 6, 5, 7
COUNT_TO_OPEN = """async (address) => {
  const from = performance.now();
  location.hash = address;
  while (!document.querySelector('svg.picture')) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return performance.now() - from;
}"""


def main() -> None:
    """Make the report, open it, and print the figures."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()) / "report.html"
    incidents = {incident.id: incident for incident in _incidents()}
    results = _results(incidents)
    began = time.process_time()
    with path.open("w", encoding="utf-8") as file:
        file.writelines(render_html(results, incidents=incidents))
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{len(incidents)} incidents, {len(results.cells)} cells: {path}")
    print(f"rendering: {time.process_time() - began:.1f} s of processor time")
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory: {peak_mb:.0f} MB at most, with all windows and answers")
    print(f"size: {path.stat().st_size / 1e6:.1f} MB")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        taken = [_open(browser, path) for _ in range(TIMES)]
        browser.close()
    for name in taken[0]:
        values = sorted(one[name] for one in taken)
        print(f"{name}: {median(values):.0f} ms (from {values[0]:.0f} to {values[-1]:.0f})")


def _incidents() -> Iterator[Incident]:
    files = sorted((shipped_incidents() / "held_out").glob("*.yaml"))
    for number in range(INCIDENTS):
        incident = read_incident(files[number % len(files)])
        logs = incident.evidence.logs
        spread = tuple(logs[place * len(logs) // RECORDS] for place in range(RECORDS))
        evidence = replace(incident.evidence, logs=spread)
        yield replace(incident, id=f"{incident.id}-{number}", evidence=evidence)


def _results(incidents: Mapping[str, Incident]) -> Results:
    chance = random.Random(1)  # noqa: S311 - no cryptography
    cells = [
        _cell(incident, RunKey(name, f"system-{column}", number), chance)
        for name, incident in incidents.items()
        for column in range(COLUMNS)
        for number in range(1, ROUNDS + 1)
    ]
    return Results(
        run=RunInfo("run", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z", GitState(), (), "0"),
        scorer_digest=scorer_digest(),
        prompt_digest="",
        columns=tuple(ColumnInfo(f"system-{column}", "command") for column in range(COLUMNS)),
        incidents=tuple(incident_info(incident, "") for incident in incidents.values()),
        cells=tuple(sorted(cells, key=lambda cell: cell.key)),
    )


def _cell(incident: Incident, key: RunKey, chance: random.Random) -> Cell:
    records = chance.sample(incident.evidence.logs, 12)
    words = " ".join(record.message for record in records).split()
    issue = Issue(
        title=" ".join(chance.choices(words, k=10)),
        severity=Severity.ERROR,
        service=records[0].service,
        cause=" ".join(chance.choices(words, k=60)),
        commits=tuple(sorted(incident.evidence.shas))[:1],
        evidence=tuple(record.message[:200] for record in records[:5]),
        reasoning=" ".join(chance.choices(words, k=200)),
    )
    analysis = Analysis((issue,), usage=Usage(90_000, 1_500, 0.06), attempts=(Attempt(12.0, "ok"),))
    analysis = replace(analysis, reply=str(analysis_to_json(analysis)))
    return measured_cell(key, analysis, score(analysis, incident))


def _open(browser: Browser, path: Path) -> dict[str, float]:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto("about:blank")
    before, began = _processor_ms(browser), time.perf_counter()
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector("a.mark[tabindex='0']")
    usable = time.perf_counter() - began
    page.wait_for_load_state("load")
    loaded = time.perf_counter() - began
    took = _processor_ms(browser) - before
    address = page.locator("a.mark").nth(100).get_attribute("href")
    opened: float = page.evaluate(COUNT_TO_OPEN, address)
    page.close()
    return {
        "grid usable": 1000 * usable,
        "all loaded": 1000 * loaded,
        "processor time of the browser to there": took,
        "a cell opens": opened,
    }


def _processor_ms(browser: Browser) -> float:
    """Return the processor time of all processes of *browser* so far: a busy machine adds none."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return sum(1000 * float(process["cpuTime"]) for process in processes)


if __name__ == "__main__":
    main()
