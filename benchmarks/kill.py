"""Kill -9 at random moments, then `--rca-resume`: no answer may be asked for twice, none be lost.

Usage, from the root of a checkout: python -m benchmarks.kill [--moments 20] [--seed 1]

The server is the suite's fake of the vendors' wires, in this process, and counts. A third of the
moments kills a serial run, a third the controller of two workers, a third one of the workers.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.calls import write_incidents
from tests.wires.fake import FakeWires, fake_wires

INCIDENTS, ROUNDS = 8, 3
WAYS = (("serial", "controller"), ("-n2", "controller"), ("-n2", "worker"))


def run_pytest(folder: Path, url: str, *more: str) -> subprocess.Popen[str]:
    """Return a pytest that asks the server at *url* for every incident in *folder*."""
    return subprocess.Popen(
        [
            sys.executable, "-m", "pytest", "incidents", "-q", "-p", "no:cacheprovider",
            "--rca-provider=claude:mock", f"--rca-repeat={ROUNDS}", "--rca-concurrency=6",
            "--rca-json=results.json", "--rca-fail-on=never", *more,
        ],
        cwd=folder,
        env=os.environ | {"ANTHROPIC_API_KEY": "mock", "ANTHROPIC_BASE_URL": url},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip


def asked(wires: FakeWires) -> Counter[str]:
    """Return how often each incident was asked since the server forgot."""
    words = (seen.prompt.split("ERROR order ", 1)[1].split("-", 1)[0] for seen in wires.seen)
    return Counter(f"generated-{int(word):05}" for word in words)


def timeless(results: dict[str, Any]) -> str:
    """Return *results* as a text without what tells when they were found, and of other runs."""
    del results["run"], results["summary"], results["first_contact"]
    for cell in results["cells"]:
        for entry in (cell, *cell["attempts"]):
            del entry["latency_s"]
    return json.dumps(results)


def kill_once(folder: Path, wires: FakeWires, way: tuple[str, str], delay_s: float) -> str:
    """Kill a run *delay_s* after its first call, go on with it, and return the results.

    Raises: AssertionError: if an answer was asked for twice, or one is missing.
    """
    workers, victim = way
    more = [] if workers == "serial" else [workers]
    wires.seen.clear()
    run = run_pytest(folder, wires.url, *more)
    while not wires.seen:
        time.sleep(0.01)
    time.sleep(delay_s)
    pid = run.pid
    if victim == "worker":
        pid = int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
    os.kill(pid, signal.SIGKILL)
    run.communicate()
    (journal,) = (folder / ".rcabench/runs").glob("*/journal.jsonl")
    events = [json.loads(line) for line in journal.read_text().split("\n")[:-1]]
    answered = Counter(e["cell"]["incident"] for e in events if e["event"] == "answered")
    calls = sum(event["event"] == "started" for event in events)
    wires.seen.clear()
    output, _ = (again := run_pytest(folder, wires.url, "--rca-resume", *more)).communicate()
    assert again.returncode == 0, output
    names = {f"generated-{number:05}" for number in range(INCIDENTS)}
    assert asked(wires) == +Counter({name: ROUNDS - answered[name] for name in names}), output
    print(
        f"| {workers} | {victim} | {delay_s:.2f} | {answered.total()} "
        f"| {calls - answered.total()} | {len(wires.seen)} |",
        flush=True,
    )
    journal.unlink()
    return timeless(json.loads((folder / "results.json").read_text()))


def main() -> None:
    """Print what each kill left and what its resume asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    moments = random.Random(options.seed)  # noqa: S311 - any moment will do
    with tempfile.TemporaryDirectory() as name, fake_wires() as wires:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        write_incidents(folder / "incidents", INCIDENTS)
        wires.play({"latency_s": 0.25})
        run_pytest(folder, wires.url).communicate()
        for journal in folder.glob(".rcabench/runs/*/journal.jsonl"):
            journal.unlink()
        unbroken = timeless(json.loads((folder / "results.json").read_text()))
        print("| run | killed | s after the first call | answers kept | calls lost | asked then |")
        print("|---|---|--:|--:|--:|--:|")
        for number in range(options.moments):
            resumed = kill_once(folder, wires, WAYS[number % len(WAYS)], moments.uniform(0, 1.3))
            assert resumed == unbroken, "the results differ from those of an unbroken run"
    print(f"{options.moments} kills: no answer was asked for twice, and all results are equal")


if __name__ == "__main__":
    main()
