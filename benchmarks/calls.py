"""Calls to a model beside the same calls by a bare client: time as ratios of one run, and memory.

Usage: python benchmarks/calls.py http://127.0.0.1:8377 [--repeat 3] [--many 1000]

The address is that of a server that speaks Anthropic's wire and takes a fixed time for an answer.
The bare side is what somebody would write by hand: one client of the SDK, one queue, as many
workers as calls may be in flight; it reads the answers, and keeps, scores and reports nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pytest_rcabench.files.incident_writer import render_incident

PROMPT_BYTES = 20_000
MODELS = ("mock-a", "mock-b")
SYSTEM = "Find the root cause. Answer with JSON."


@dataclass(frozen=True)
class Cost:
    """Medians of whole processes: wall time, processor time, and memory at the peak."""

    wall_s: float
    cpu_s: float
    peak_mb: float


async def bare(url: str, calls: int, in_flight: int) -> None:
    """Make *calls* to the server at *url*, so many at once, and read the answers."""
    import anthropic  # noqa: PLC0415 - the other side must not pay for it

    client = anthropic.AsyncAnthropic(base_url=url, api_key="mock", max_retries=5)
    todo = iter(range(calls))

    async def worker() -> None:
        for number in todo:
            message = await client.messages.create(
                model=MODELS[number % len(MODELS)],
                max_tokens=2048,
                system=SYSTEM,
                messages=[{"role": "user", "content": f"{number:05} ".ljust(PROMPT_BYTES, "x")}],
            )
            block = message.content[0]
            assert block.type == "text"
            assert json.loads(block.text)["issues"]

    await asyncio.gather(*(worker() for _ in range(in_flight)))


def write_incidents(folder: Path, count: int) -> None:
    """Write *count* incidents whose prompts are of the size that the bare side sends."""
    folder.mkdir()
    for number in range(count):
        lines = "".join(
            f"2026-10-07T13:{second // 60:02}:{second % 60:02}Z ERROR order {number}-{second} "
            f"by customer {second * 7919 % 10007} failed: no connection within {second % 29} s\n"
            for second in range(0, 3600, 25)
        )
        sha = f"{number + 1:040x}"
        document: dict[str, object] = {
            "schema": "rcabench/1",
            "id": f"generated-{number:05}",
            "title": f"Generated incident {number}",
            "kind": "bad_deploy",
            "difficulty": "easy",
            "canary": f"rcabench canary {number:032x}",
            "source": {"origin": "written"},
            "window": {"start": "2026-10-07T13:00:00Z", "end": "2026-10-07T14:00:00Z"},
            "logs": [
                {"service": "orders-api", "host": "orders-1", "format": "plain", "lines": lines}
            ],
            "metrics": [],
            "changes": [
                {
                    "type": "commit",
                    "sha": sha,
                    "time": "2026-10-07T12:51:09Z",
                    "author": "r.lindqvist",
                    "service": "orders-api",
                    "message": "Validate coupon\n",
                    "files": ["Orders.java"],
                }
            ],
            "expected": {
                "service": "orders-api",
                "onset": "2026-10-07T13:00:00Z",
                "cause": [["connection*"], ["leak*", "never closed"]],
                "must_not": ["pool is too small"],
                "commit": sha,
            },
        }
        text = render_incident(document, schema_path="incident.json")
        (folder / f"{document['id']}.yaml").write_text(text)


def measure(
    command: list[str], folder: Path, environ: dict[str, str]
) -> tuple[float, float, float]:
    """Return wall and processor seconds of *command* in *folder*, and its peak in MB.

    Raises: SystemExit: if it fails.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}:\n{output[-3000:]}")
    wall_s = time.perf_counter() - started
    return wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Print a table of both sides: few calls and many, 16 and 64 in flight."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url", help="where the model is")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--many", type=int, default=1000, help="calls of the larger run")
    parser.add_argument("--bare", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare:
        asyncio.run(bare(options.url, *options.bare))
        return
    environ = os.environ | {
        "ANTHROPIC_API_KEY": "mock",
        "ANTHROPIC_BASE_URL": options.url,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # what else is installed here is not measured
    }
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print("| calls | in flight | who | wall s | ratio | CPU s | peak MB |")
    print("|--:|--:|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        for incidents, rounds in ((11, 3), (options.many // 20, 10)):
            calls = incidents * rounds * len(MODELS)
            write_incidents(folder / str(calls), incidents)
            for in_flight in (16, 64):
                ours = [
                    sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                    "-p", "rcabench", str(calls),
                    "--rca-provider=" + ",".join(f"claude:{model}" for model in MODELS),
                    f"--rca-repeat={rounds}", f"--rca-concurrency={in_flight}",
                    "--rca-fail-on=never",
                ]  # fmt: skip
                sides = {
                    "bare client": [
                        sys.executable, str(Path(__file__).resolve()), options.url,
                        "--bare", str(calls), str(in_flight),
                    ],
                    "pytest-rcabench": ours,
                    "pytest-rcabench -n 2": [*ours, "-p", "xdist", "-n2"],
                }  # fmt: skip
                compare(sides, folder, environ, options.repeat, f"{calls:,} | {in_flight}")
    print(f"load after: {os.getloadavg()[0]:.1f}")


def compare(
    sides: dict[str, list[str]], folder: Path, environ: dict[str, str], repeat: int, what: str
) -> None:
    """Print a line for each of *sides*, which take turns: the machine is others' too."""
    runs: dict[str, list[tuple[float, float, float]]] = {who: [] for who in sides}
    for _ in range(repeat):
        for who, command in sides.items():
            runs[who].append(measure(command, folder, environ))
    costs = {
        who: Cost(*(statistics.median(column) for column in zip(*found, strict=True)))
        for who, found in runs.items()
    }
    limit = next(iter(costs.values())).wall_s
    for who, cost in costs.items():
        print(
            f"| {what} | {who} | {cost.wall_s:.2f} | {cost.wall_s / limit:.2f} "
            f"| {cost.cpu_s:.2f} | {cost.peak_mb:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
