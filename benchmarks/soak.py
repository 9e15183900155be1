"""A long run against a server that fails in every way: no lost cell, no hang, flat memory.

Usage, from the root of a checkout: python -m benchmarks.soak [--minutes 20] [--workers 4]

The server is the suite's fake of the vendors' wires, in this process: 5 % of its replies are 429,
2 % 500, 1 % a reset and 1 % no JSON. Each run has as many cells as fit into the minutes, by the
time that a few take first.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.calls import write_incidents
from tests.wires.fake import FakeWires, fake_wires

INCIDENTS, IN_FLIGHT = 20, 16
LATENCY_S = 0.5


def events(count: int) -> list[dict[str, Any]]:
    """Return *count* replies, the same in every soak."""
    kinds: dict[str, tuple[int, dict[str, Any]]] = {
        "429": (5, {"status": 429, "body": "{}", "headers": {"retry-after": "1"}}),
        "500": (2, {"status": 500, "body": "{}"}),
        "reset": (1, {"breaks": "reset"}),
        "no JSON": (1, {"text": "Here is my analysis:"}),
        "answer": (91, {}),
    }
    drawn = random.Random(1).choices(  # noqa: S311 - faults of a fake
        [event for _, event in kinds.values()], [share for share, _ in kinds.values()], k=count
    )
    return [event | {"latency_s": LATENCY_S} for event in drawn]


def soak(folder: Path, wires: FakeWires, rounds: int, workers: int) -> list[float]:
    """Run every cell and return the asking process's memory in MB, second by second.

    Raises: SystemExit: if the run ends red.
    """
    wires.reset()
    wires.play(*events(rounds * INCIDENTS * 2))
    with (folder / "output").open("w") as output:
        run = subprocess.Popen(
            [
                sys.executable, "-m", "pytest", "incidents", "-q", "-p", "no:cacheprovider",
                "--rca-provider=claude:mock", f"--rca-repeat={rounds}", f"-n{workers}",
                f"--rca-concurrency={IN_FLIGHT}", "--rca-json=results.json",
                "--rca-fail-on=never",
            ],
            cwd=folder,
            env=os.environ | {"ANTHROPIC_API_KEY": "mock", "ANTHROPIC_BASE_URL": wires.url},
            stdout=output,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        memory = []
        while run.poll() is None:
            status = Path(f"/proc/{run.pid}/status").read_text(encoding="ascii")
            if "VmRSS:" in status:
                memory.append(int(status.split("VmRSS:")[1].split()[0]) / 1024)
            wires.seen.clear()
            time.sleep(1)
    if run.returncode:
        raise SystemExit((folder / "output").read_text()[-3000:])
    return memory


def main() -> None:
    """Soak, and print what came of the cells and of the memory."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--workers", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, fake_wires() as wires:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        write_incidents(folder / "incidents", INCIDENTS)
        trial, started = 50, time.perf_counter()  # fewer would be all start
        soak(folder, wires, trial, options.workers)
        rounds = int(trial * options.minutes * 60 / (time.perf_counter() - started))
        started = time.perf_counter()
        memory = soak(folder, wires, rounds, options.workers)
        minutes = (time.perf_counter() - started) / 60
        results = json.loads((folder / "results.json").read_text())
    cells = results["cells"]
    assert results["complete"]
    assert len(cells) == rounds * INCIDENTS
    outcomes = Counter(attempt["outcome"] for cell in cells for attempt in cell["attempts"])
    missing = Counter(cell["error"]["reason"] for cell in cells if cell["error"])
    third = len(memory) // 3
    middle, last = (
        statistics.median(memory[third : 2 * third]),
        statistics.median(memory[2 * third :]),
    )
    growth_kb = (last - middle) * 1024 / (len(cells) / 3)
    print(f"{minutes:.1f} minutes, {len(cells):,} cells, all there; unmeasured: {dict(missing)}")
    print(f"calls by outcome: {dict(outcomes)}")
    print(f"verdicts: {dict(Counter(cell['fault'] or cell['verdict'] for cell in cells))}")
    print(
        f"asking process: {middle:.0f} MB in the second third, {last:.0f} MB in the last, "
        f"{max(memory):.0f} MB at the peak; {growth_kb:.1f} kB a cell in between"
    )


if __name__ == "__main__":
    main()
