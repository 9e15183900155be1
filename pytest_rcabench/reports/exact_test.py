"""The exact test of the gate: how likely are rounds as bad as these, if nothing has changed?

Rounds of one incident are exchangeable if nothing has changed, whatever the incident's difficulty:
which of them are the new ones is then a draw without replacement. So the chances of a sum of points
can be counted, incident by incident, and nothing is assumed about how often anything passes.

Source: the permutation test of E. J. G. Pitman, Supplement to the JRSS 4 (1937) 119-130, stratified
by incident; with one round on each side and two verdicts it is the exact test of Q. McNemar,
Psychometrika 12 (1947) 153-157. `tarone`: R. E. Tarone, Biometrics 46 (1990) 515-522.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from math import comb, fsum
from operator import add, mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PASS_POINTS = 2
# Equal chances that were added up in another order differ by a few units in the last place.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Rounds:
    """The points of one incident's measured rounds: *base* [a], *new* [b]; ✓ is 2, ½ 1, ✗ 0."""

    base: tuple[int, ...]
    new: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExactTest:
    """Chances under the hypothesis that nothing changed, given all the points that were seen.

    *worse* is that of new points as few as observed or fewer, *better* of as many or more;
    *least_worse* and *least_better* are those of the lowest and the highest sum there could be.
    """

    worse: float
    better: float
    least_worse: float
    least_better: float


def exact_test(incidents: Iterable[Rounds]) -> ExactTest:
    """Return the chances of what was observed on *incidents*, each with rounds on both sides."""
    chances, lowest, observed = [1.0], 0, 0
    for rounds in incidents:
        points = rounds.base + rounds.new
        least, drawn = _draws(points.count(0), points.count(1), points.count(2), len(rounds.new))
        chances = _convolve(chances, drawn)
        lowest += least
        observed += sum(rounds.new)
    place = observed - lowest
    return ExactTest(
        worse=min(1.0, fsum(chances[: place + 1])),
        better=min(1.0, fsum(chances[place:])),
        least_worse=chances[0],
        least_better=chances[-1],
    )


def tarone(least: Sequence[float], level: float) -> int:
    """Return by how many tests *level* must be divided; *least* [tests] are their least chances.

    A test that could not be significant whatever is observed costs the others nothing: the number
    is the smallest K such that at most K tests can reach level / K. Source: Tarone (1990).
    """
    divisor = 1
    while sum(is_at_most(chance, level / divisor) for chance in least) > divisor:
        divisor += 1
    return divisor


def is_at_most(chance: float, level: float) -> bool:
    """Whether *chance* is not above *level*, rounding of sums aside."""
    return chance <= level * (1 + _ROUNDING)


@lru_cache(maxsize=4096)
def _draws(wrong: int, half: int, right: int, drawn: int) -> tuple[int, tuple[float, ...]]:
    """Return the lowest sum of points of *drawn* cells and the chance of each sum from there on.

    The cells are drawn without replacement from *wrong* with 0 points, *half* with 1, *right*
    with 2.
    """
    ways: dict[int, int] = {}
    for halves in range(min(half, drawn) + 1):
        for rights in range(min(right, drawn - halves) + 1):
            wrongs = drawn - halves - rights
            if wrongs <= wrong:
                points = halves + PASS_POINTS * rights
                found = comb(wrong, wrongs) * comb(half, halves) * comb(right, rights)
                ways[points] = ways.get(points, 0) + found
    total = comb(wrong + half + right, drawn)
    least, most = min(ways), max(ways)
    return least, tuple(ways.get(points, 0) / total for points in range(least, most + 1))


def _convolve(chances: list[float], drawn: tuple[float, ...]) -> list[float]:
    """Return the chances of the sum of two independent numbers of points."""
    if len(drawn) == 1:
        return chances
    total = [0.0] * (len(chances) + len(drawn) - 1)
    for shift, chance in enumerate(drawn):
        if chance:
            end = shift + len(chances)
            total[shift:end] = map(add, total[shift:end], map(mul, chances, repeat(chance)))
    return total
