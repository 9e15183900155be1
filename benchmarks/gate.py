"""How often the gate turns red: on systems that did not change, and on some that got worse.

Usage: python benchmarks/gate.py [--simulations 2000] [--seed 1]

Runs of invented systems are judged by the gate's own rules (reports/gate.py), by every route that
looks at verdicts: the exact test of each family, and single incidents that died. Rounds are
independent, given the incident's chance p to pass; a quarter of what does not pass is ½, the rest
✗. A fifth of the incidents are healthy windows, and a family of their own, which never changes.

strong      p of each incident drawn from Beta(.91, .09): mean .91, nearly all close to 1, some to 0
middling    p drawn from Beta(1.4, .6): mean .70, spread out
worst case  p = .5 for every incident: the most that chance can do. What does not pass is always ½,
            which is to the rules the same as always ✗, and quicker to count

A drop spread out lowers the chance to pass of every faulty incident by the same share, and their
mean score by so many points of a hundred. A death makes ✗ of all rounds of an incident; the two
that pass most die.

Prints the Markdown tables of docs/explanation/gate.md, after some ten minutes of one processor.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.reports.exact_test import PASS_POINTS, Rounds
from pytest_rcabench.reports.gate import MARGIN, is_dead, is_death_certain, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SIZES = (11, 30, 60)
ROUNDS = ((1, 1), (3, 3), (5, 5), (12, 3))
DROPS = (0.05, 0.10, 0.20)
HALVES = 0.25


class Chance(NamedTuple):
    """How likely a round of an incident is ✓, and how likely ½."""

    passes: float
    half: float


@dataclass(frozen=True)
class Design:
    """How a run and its baseline are laid out, and of which system."""

    system: str
    incidents: int
    rounds: tuple[int, int]
    columns: int = 1


@dataclass
class Count:
    """How often each thing happened in *runs* comparisons; the last two of faulty windows alone."""

    runs: int = 0
    red: int = 0
    by_test: int = 0
    by_death: int = 0
    no_worse: int = 0
    visible: float = 0.0


def draw(system: str, incidents: int, source: random.Random) -> list[Chance]:
    """Return the chances of the incidents of one column, best first."""
    if system == "worst case":
        return [Chance(0.5, 0.5)] * incidents
    shape = {"strong": (0.91, 0.09), "middling": (1.4, 0.6)}[system]
    passes = sorted((source.betavariate(*shape) for _ in range(incidents)), reverse=True)
    return [Chance(one, HALVES * (1 - one)) for one in passes]


def unchanged(before: list[Chance]) -> list[Chance]:
    """Return *before*."""
    return before


def lowered(drop: float) -> Callable[[list[Chance]], list[Chance]]:
    """Return what lowers all chances to pass by the same share, and the mean score by *drop*."""
    passes = drop / (
        1 - HALVES / 2
    )  # what does not pass any more keeps half its score where it is ½

    def worsen(before: list[Chance]) -> list[Chance]:
        kept = max(0.0, 1 - passes * len(before) / sum(one.passes for one in before))
        return [Chance(one.passes * kept, HALVES * (1 - one.passes * kept)) for one in before]

    return worsen


def two_dead(before: list[Chance]) -> list[Chance]:
    """Return *before* with the two that passed most dead."""
    return [Chance(0.0, 0.0)] * 2 + before[2:]


def simulate(
    design: Design, worsen: Callable[[list[Chance]], list[Chance]], runs: int, seed: int
) -> Count:
    """Return what became of *runs* comparisons in which *worsen* changed the faulty incidents."""
    source = random.Random(f"{seed} {design}")  # noqa: S311 - a simulation
    count = Count()
    for _ in range(runs):
        families = []
        for _ in range(design.columns):
            for share, change in ((design.incidents // 5, unchanged), (0, worsen)):
                size = share or design.incidents - design.incidents // 5
                before = draw(design.system, size, source)
                families.append(list(_both(before, change(before), design.rounds, source)))
        _add(families, count)
    return count


def _both(
    before: Sequence[Chance],
    after: Sequence[Chance],
    rounds: tuple[int, int],
    source: random.Random,
) -> Iterator[Rounds]:
    for then, now in zip(before, after, strict=True):
        yield Rounds(*(_points(*side, source) for side in zip((then, now), rounds, strict=True)))


def _points(chance: Chance, rounds: int, source: random.Random) -> tuple[int, ...]:
    drawn = (source.random() for _ in range(rounds))
    return tuple(
        PASS_POINTS if one < chance.passes else int(one < chance.passes + chance.half)
        for one in drawn
    )


def _add(families: Sequence[Sequence[Rounds]], count: Count) -> None:
    judgements = judge(families)
    pairs = [rounds for family in families for rounds in family]
    by_test = any(one.verdict == "regressed" for one in judgements)
    by_death = any(is_dead(one) and is_death_certain(one, len(pairs)) for one in pairs)
    count.runs += 1
    count.red += by_test or by_death
    count.by_test += by_test
    count.by_death += by_death
    count.no_worse += judgements[-1].verdict in {"no worse", "better"}
    count.visible += judgements[-1].visible


def _table(head: Sequence[str], rows: Iterator[list[str]]) -> None:
    print(f"| {' | '.join(head)} |")
    print("|---" * len(head) + "|")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)
    print()


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}"


def _false_reds(runs: int, seed: int) -> Iterator[list[str]]:
    for system in ("strong", "middling", "worst case"):
        for columns in (1, 2):
            for rounds in ROUNDS:
                row = [system, str(columns), f"{rounds[0]} and {rounds[1]}"]
                for size in SIZES:
                    design = Design(system, size, rounds, columns)
                    count = simulate(design, unchanged, runs, seed)
                    routes = (_percent(n, runs) for n in (count.by_test, count.by_death))
                    row.append(f"**{_percent(count.red, runs)}** ({' + '.join(routes)})")
                yield row


def _power(runs: int, seed: int) -> Iterator[list[str]]:
    kinds = [(f"{100 * drop:.0f} points", lowered(drop)) for drop in DROPS]
    for system in ("strong", "middling"):
        for rounds in ROUNDS:
            for name, worsen in (*kinds, ("two dead", two_dead)):
                row = [system, f"{rounds[0]} and {rounds[1]}", name]
                for size in SIZES:
                    count = simulate(Design(system, size, rounds), worsen, runs, seed)
                    row.append(f"{100 * count.red / runs:.0f}")
                yield row


def _assurance(runs: int, seed: int) -> Iterator[list[str]]:
    for system in ("strong", "middling"):
        for rounds in ROUNDS:
            row = [system, f"{rounds[0]} and {rounds[1]}"]
            for size in SIZES:
                design = Design(system, size, rounds)
                same = simulate(design, unchanged, runs, seed)
                worse = simulate(design, lowered(MARGIN), runs, seed)
                shares = (f"{100 * one.no_worse / runs:.0f}" for one in (same, worse))
                row.append(f"{' / '.join(shares)}; {100 * same.visible / runs:.0f}")
            yield row


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sizes = [f"{size} incidents" for size in SIZES]
    for head, rows, runs in (
        (["system", "columns", "rounds", *sizes], _false_reds, given.simulations),
        (["system", "rounds", "what happened", *sizes], _power, given.simulations // 2),
        (["system", "rounds", *sizes], _assurance, given.simulations // 2),
    ):
        print(f"{runs} comparisons a cell, seed {given.seed}.\n")
        _table(head, rows(runs, given.seed))


if __name__ == "__main__":
    main()
