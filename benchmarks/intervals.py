"""How often the intervals of a run's rate hold the true one, when rounds of an incident agree.

Each simulated incident draws its own chance of being passed, so that two rounds of one incident
correlate with *rho*, and each round is a toss with that chance. The true rate is the mean of all
incidents that could have been drawn.

    python benchmarks/intervals.py                # the table of docs/explanation/statistics.md
"""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

from pytest_rcabench.reports.statistics import (
    Tally,
    clustered_interval,
    default_interval,
    wilson,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_rcabench.reports.statistics import Interval

RUNS = 4000
SYSTEMS = {"strong": 0.91, "middling": 0.70, "a coin": 0.50}


def main() -> None:
    """Print a Markdown table: the share of runs whose interval holds the rate, and its width."""
    intervals: dict[str, Callable[[Sequence[Tally]], Interval | None]] = {
        "as if independent": _independent,
        "clustered": clustered_interval,
        "default": default_interval,
    }
    print(f"| system | rho | incidents | rounds | {' | '.join(intervals)} |")
    print("|---|---|---|---|" + "---|" * len(intervals))
    for (name, rate), rho, incidents, rounds in product(
        SYSTEMS.items(), (0.0, 0.5, 0.9), (11, 30, 60), (1, 3, 5)
    ):
        if rounds == 1 and rho:
            continue  # one round cannot agree with another
        seed = random.Random(f"{rate} {rho} {incidents} {rounds}")  # noqa: S311 - a simulation
        runs = [_run(seed, rate, rho, incidents, rounds) for _ in range(RUNS)]
        shown = [_shown([interval(run) for run in runs], rate) for interval in intervals.values()]
        print(f"| {name} | {rho} | {incidents} | {rounds} | {' | '.join(shown)} |")


def _run(seed: random.Random, rate: float, rho: float, incidents: int, rounds: int) -> list[Tally]:
    """Return the tallies of one run; the chances of its incidents follow a beta distribution."""
    size = (1 - rho) / rho if rho else 0
    tallies = []
    for _ in range(incidents):
        chance = seed.betavariate(rate * size, (1 - rate) * size) if size else rate
        tallies.append(Tally(sum(seed.random() < chance for _ in range(rounds)), rounds))
    return tallies


def _independent(tallies: Sequence[Tally]) -> Interval:
    hits = sum(tally.hits for tally in tallies)
    return wilson(hits, sum(tally.rounds for tally in tallies))


def _shown(intervals: Sequence[Interval | None], rate: float) -> str:
    found = [interval for interval in intervals if interval is not None]
    held = sum(interval.low <= rate <= interval.high for interval in found) / len(found)
    width = sum(interval.high - interval.low for interval in found) / len(found)
    return f"{100 * held:.1f} % ({width:.2f})"


if __name__ == "__main__":
    main()
