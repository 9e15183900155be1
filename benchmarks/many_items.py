"""Thousands of cells beside as many plain pytest functions: time and memory, as ratios of one run.

Usage: python benchmarks/many_items.py [--incidents 100] [--rounds 10] [--repeat 3]

Both sides read the same incident files, ask the same five controls and call the same scorer. The
plain side is what somebody would write by hand: one parametrized test function with fixtures, no
record, no results, no grid.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pytest_rcabench.files.incident_writer import render_incident

CONTROLS = ("oracle", "silent", "latest-commit", "longest-diff", "word-salad")

PLAIN = """
from pathlib import Path

import pytest

from pytest_rcabench.domain.scoring import score
from pytest_rcabench.engine.protocols import analyze
from pytest_rcabench.engine.systems.controls import control
from pytest_rcabench.files.incident_yaml import read_incident

INCIDENTS = {{path: read_incident(path) for path in sorted(Path({folder!r}).glob("*.yaml"))}}
CASES = [(path, name, number) for path in INCIDENTS for name in {controls!r} for number in
range({rounds})]


@pytest.fixture
def case(request):
    return request.param


@pytest.fixture
def incident(case):
    return INCIDENTS[case[0]]


@pytest.fixture
def analysis(case, incident):
    return analyze(control(case[1]), incident, case[2])


@pytest.fixture
def verdict(analysis, incident):
    return score(analysis, incident)


@pytest.mark.parametrize("case", CASES, indirect=True)
def test_incident(verdict):
    assert verdict.mark in {{"pass", "half", "wrong"}}
"""


@dataclass(frozen=True)
class Cost:
    """Medians of whole processes: wall time, processor time, and memory at the peak."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def incident(number: int) -> dict[str, object]:
    """Return a small incident, every fourth one healthy; all differ."""
    culprit, innocent = f"{number:040x}", f"{number + 10**9:040x}"
    is_healthy = number % 4 == 0
    fails = 60 if is_healthy else 35
    lines = "".join(
        f"2026-10-07T13:{minute:02}:04Z "
        + (
            f"INFO order {minute}{number:03} reserved\n"
            if minute < fails
            else f"ERROR order {minute}{number:03} failed: no connection\n"
        )
        for minute in range(60)
    )
    commit = {"type": "commit", "author": "r.lindqvist", "service": "orders-api"}
    document: dict[str, object] = {
        "schema": "rcabench/1",
        "id": f"generated-{number:05}",
        "title": f"Generated incident {number}",
        "kind": "healthy" if is_healthy else "bad_deploy",
        "difficulty": "easy",
        "canary": f"rcabench canary {number:032x}",
        "source": {"origin": "written"},
        "window": {"start": "2026-10-07T13:00:00Z", "end": "2026-10-07T14:00:00Z"},
        "logs": [{"service": "orders-api", "host": "orders-1", "format": "plain", "lines": lines}],
        "metrics": [
            {
                "name": "hikaricp_connections_active",
                "service": "orders-api",
                "unit": "connections",
                "start": "2026-10-07T13:00:00Z",
                "step_s": 60,
                "values": [min(minute, 10) for minute in range(60)],
            }
        ],
        "changes": [
            {
                **commit,
                "sha": culprit,
                "time": "2026-10-07T12:51:09Z",
                "message": "Validate coupon\n",
                "files": ["Orders.java"],
            },
            {
                **commit,
                "sha": innocent,
                "time": "2026-10-07T13:30:00Z",
                "message": "Tidy imports\n",
                "files": ["Imports.java"],
            },
        ],
    }
    if not is_healthy:
        document["expected"] = {
            "service": "orders-api",
            "onset": "2026-10-07T13:35:00Z",
            "cause": [["connection*", "pool"], ["leak*", "never closed", "not returned"]],
            "must_not": ["pool is too small"],
            "commit": culprit,
        }
    return document


def measure(command: list[str], folder: Path, repeat: int) -> Cost:
    """Return the medians of *repeat* runs of *command* in *folder*.

    Raises: SystemExit: if a run fails.
    """
    costs = []
    for _ in range(repeat):
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(command)} ended with {status}:\n{output[-3000:]}")
        costs.append(
            (time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
        )
    return Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))


def main() -> None:
    """Print a table of both sides, for collection alone and for a whole run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--incidents", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    items = options.incidents * options.rounds * len(CONTROLS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        incidents = folder / "incidents"
        incidents.mkdir()
        for number in range(options.incidents):
            document = incident(number)
            text = render_incident(document, schema_path="incident.json")
            (incidents / f"{document['id']}.yaml").write_text(text)
        plain = PLAIN.format(folder=str(incidents), controls=CONTROLS, rounds=options.rounds)
        (folder / "test_plain.py").write_text(plain)
        base = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        hand = [*base, "-p", "no:rcabench", "test_plain.py"]
        ours = [
            *base, "incidents", "--rca-fail-on=never", f"--rca-repeat={options.rounds}",
            "--rca-provider=" + ",".join(f"control:{name}" for name in CONTROLS),
        ]  # fmt: skip
        print(
            f"{items} items: {options.incidents} incidents x {len(CONTROLS)} columns "
            f"x {options.rounds} rounds"
        )
        print("| | wall s | CPU s | peak MB |\n|---|--:|--:|--:|")
        for what, extra in (("collect", ["--collect-only"]), ("run", [])):
            by_hand = measure(hand + extra, folder, options.repeat)
            by_us = measure(ours + extra, folder, options.repeat)
            for who, cost in (("plain pytest", by_hand), ("pytest-rcabench", by_us)):
                print(
                    f"| {what}, {who} | {cost.wall_s:.2f} | {cost.cpu_s:.2f} | {cost.peak_mb:.0f} |"
                )
            print(
                f"| {what}, ratio | {by_us.wall_s / by_hand.wall_s:.2f} "
                f"| {by_us.cpu_s / by_hand.cpu_s:.2f} | {by_us.peak_mb / by_hand.peak_mb:.2f} |"
            )


if __name__ == "__main__":
    main()
