"""What having the plugin installed costs a pytest run that has no incidents: paired runs, median.

Usage: python benchmarks/startup.py [--pairs 10]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time


def run(folder: str, *extra: str) -> tuple[float, float]:
    """Return wall and processor seconds of one pytest run in an empty *folder*."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *extra]
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the median difference in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10)
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory() as folder:
        run(folder)
        differences = []
        for _ in range(pairs):
            ours, without = run(folder), run(folder, "-p", "no:rcabench")
            differences.append((ours[0] - without[0], ours[1] - without[1]))
    wall, cpu = (statistics.median(column) * 1000 for column in zip(*differences, strict=True))
    print(f"median of {pairs} pairs: {wall:+.1f} ms wall, {cpu:+.1f} ms processor time")


if __name__ == "__main__":
    main()
