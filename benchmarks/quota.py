"""A declared quota and a ceiling of money against a server that counts: how close, never above.

Usage, from the root of a checkout: python -m benchmarks.quota

The server is the suite's fake of the vendors' wires, in this process. The quota takes five minutes,
for its minutes are real; only the next day is not waited for: a conftest moves the calendar on.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.calls import write_incidents
from benchmarks.kill import asked
from tests.wires.fake import FakeWires, fake_wires

INCIDENTS, ROUNDS = 12, 10
RPM, RPD = 60, 100
CENTS = (20, 30, 32, 35, 40, 50, 60, 70, 80, 120)
PRICED = "--rca-column=mock: usd_in=10, usd_out=100, max_tokens=200"
COST = (150 * 10 + 50 * 100) / 1e6  # of an answer of the fake: 150 tokens in, 50 out
CALENDAR = """
from datetime import timedelta
from pathlib import Path

from pytest_rcabench.engine import model_columns
from pytest_rcabench.engine.pacing import Pacer

DAYS = Path(__file__).with_name("days")

def later(*args, today, **kwargs):
    return Pacer(*args, today=lambda: today() + timedelta(days=int(DAYS.read_text())), **kwargs)

model_columns.Pacer = later
"""


def ask(folder: Path, wires: FakeWires, *more: str) -> list[dict[str, Any]]:
    """Return the cells of a run that asks the server for every cell, 32 in flight."""
    subprocess.run(
        [
            sys.executable, "-m", "pytest", "incidents", "-q", "-p", "no:cacheprovider",
            "--rca-provider=claude:mock", f"--rca-repeat={ROUNDS}", "--rca-concurrency=32",
            "--rca-json=results.json", "--rca-fail-on=never", *more,
        ],
        cwd=folder,
        env=os.environ | {"ANTHROPIC_API_KEY": "mock", "ANTHROPIC_BASE_URL": wires.url},
        stdout=subprocess.DEVNULL,
        check=False,  # a run without all of its answers is red, as it should be
    )  # fmt: skip
    cells: list[dict[str, Any]] = json.loads((folder / "results.json").read_text())["cells"]
    return cells


def quota(folder: Path, wires: FakeWires, workers: int) -> str:
    """Return a line of the table: a day of the quota, and the next one."""
    wires.reset()
    wires.play({"latency_s": 0.2})
    (folder / "days").write_text("0")
    args = (f"--rca-column=mock: rpm={RPM}, rpd={RPD}", f"-n{workers}", f"--rca-record=n{workers}")
    ask(folder, wires, *args)
    times = sorted(seen.at for seen in wires.seen)
    took_s, calls = times[-1] - times[0], len(times)
    ask(folder, wires, *args, "--rca-resume")
    assert len(wires.seen) == calls, "the day was used up"
    (folder / "days").write_text("1")
    cells = ask(folder, wires, *args, "--rca-resume")
    assert not any(cell["error"] for cell in cells)
    assert set(asked(wires).values()) == {ROUNDS}, "a cell was asked for twice"
    # The first RPM calls go at once, the next when these are a minute old.
    least_s = (RPD - 1) // RPM * 60
    return (
        f"| {workers} | {calls} | {wires.most_in(60)} | {took_s:.1f} | {took_s / least_s:.3f} "
        f"| {len(wires.seen) - calls} |"
    )


def ceiling(folder: Path, wires: FakeWires, cents: int, workers: int) -> str:
    """Return a line of the table: what a ceiling let through."""
    wires.reset()
    wires.play({"latency_s": 0.2})
    cells = ask(folder, wires, PRICED, f"--rca-max-cost={cents / 100}", f"-n{workers}")
    reasons = Counter(cell["error"]["reason"] for cell in cells if cell["error"])
    calls, billed = len(wires.seen), len(wires.seen) * COST
    assert billed <= cents / 100, "the ceiling was passed"
    assert reasons == Counter(budget=len(cells) - calls) - Counter()
    return f"| {cents / 100:.2f} | {workers} | {calls} | {billed:.3f} |"


def main() -> None:
    """Print both tables."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    with tempfile.TemporaryDirectory() as name, fake_wires() as wires:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "conftest.py").write_text(CALENDAR)
        (folder / "days").write_text("0")
        write_incidents(folder / "incidents", INCIDENTS)
        print("| workers | calls | most in 60 s | first to last, s | ratio | next day |")
        print("|--:|--:|--:|--:|--:|--:|")
        for workers in (0, 2, 4):
            print(quota(folder, wires, workers), flush=True)
        print("\n| ceiling $ | workers | calls | billed $ |")
        print("|--:|--:|--:|--:|")
        for cents in CENTS:
            for workers in (0, 2):
                print(ceiling(folder, wires, cents, workers), flush=True)


if __name__ == "__main__":
    main()
