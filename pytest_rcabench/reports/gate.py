"""The rules of the gate on points alone: which families regressed, which incidents died.

Nothing here knows results or texts; `reports/comparison.py` brings the points and says the words.
The levels are fixed: 4 % for the tests of all families together and 1 % for single incidents make
the 5 % at most by which an unchanged system turns red. docs/explanation/gate.md has the proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_rcabench.reports.exact_test import PASS_POINTS, exact_test, is_at_most, tarone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rcabench.reports.exact_test import Rounds

Verdict: TypeAlias = Literal["regressed", "undecided", "no worse", "better"]

LEVEL = 0.04
FLOOR_LEVEL = 0.01
MARGIN = 0.10
# 95 % from one side.
_BOUND = 1.645
# How often the smallest drop that is called visible would be seen.
_POWER = 0.8


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rounds of one family say.

    *base* and *new* are mean scores in [0, 1], each incident counting alike; *chance* is that of a
    fall like this one if nothing changed, *least_chance* the smallest there could be, and *level*
    what the chance was held against. With 95 % confidence the score fell by no more than *bound*;
    *visible* is the drop that rounds like these show four times out of five, or more than 1.
    """

    verdict: Verdict
    incidents: int
    base: float
    new: float
    chance: float
    least_chance: float
    level: float
    bound: float
    visible: float

    @property
    def drop(self) -> float:
        """By how much the score fell, negative where it rose."""
        return self.base - self.new

    @property
    def can_be_decided(self) -> bool:
        """Whether any outcome of these rounds could have been a regression."""
        return is_at_most(self.least_chance, self.level)


def judge(families: Sequence[Sequence[Rounds]]) -> tuple[Judgement, ...]:
    """Return the judgement on each of *families*; no family is empty.

    Source: `exact_test.tarone` for the level of several families. The bound is a normal one whose
    variance has half a round of each extreme added, so that a perfect score is not a certain one:
    the weight of Jeffreys' prior, see L. D. Brown, T. T. Cai and A. DasGupta, Statistical Science
    16 (2001) 101-133.
    """
    tests = [exact_test(family) for family in families]
    worse = LEVEL / tarone([test.least_worse for test in tests], LEVEL)
    better = LEVEL / tarone([test.least_better for test in tests], LEVEL)
    judgements = []
    for family, test in zip(families, tests, strict=True):
        base = fmean(_score(rounds.base) for rounds in family)
        new = fmean(_score(rounds.new) for rounds in family)
        error = sqrt(sum(_variance(r.base) + _variance(r.new) for r in family)) / len(family)
        bound = base - new + _BOUND * error
        verdict: Verdict = "undecided"
        if is_at_most(test.worse, worse):
            verdict = "regressed"
        elif is_at_most(test.better, better):
            verdict = "better"
        elif bound <= MARGIN:
            verdict = "no worse"
        normal = NormalDist()
        visible = (normal.inv_cdf(1 - worse) + normal.inv_cdf(_POWER)) * error
        judgements.append(
            Judgement(
                verdict=verdict,
                incidents=len(family),
                base=base,
                new=new,
                chance=test.worse,
                least_chance=test.least_worse,
                level=worse,
                bound=bound,
                visible=visible,
            )
        )
    return tuple(judgements)


def is_dead(rounds: Rounds) -> bool:
    """Whether every round of the base passed and none of the new ones does."""
    return set(rounds.base) == {PASS_POINTS} and PASS_POINTS not in rounds.new


def is_death_certain(rounds: Rounds, incidents: int) -> bool:
    """Whether one dead incident is enough: that any of *incidents* dies by chance is at most 1 %.

    The chance that all of a rounds pass and none of b is at most (a/(a+b))^a (b/(a+b))^b, whatever
    the incident's difficulty: that is its greatest value over all rates of passing.
    """
    a, b = len(rounds.base), len(rounds.new)
    return is_at_most(incidents * (a / (a + b)) ** a * (b / (a + b)) ** b, FLOOR_LEVEL)


def _score(points: Sequence[int]) -> float:
    return fmean(points) / PASS_POINTS


def _variance(points: Sequence[int]) -> float:
    """Return the variance of the mean score of rounds with *points*."""
    weight = len(points) + 1
    mean = (sum(points) / PASS_POINTS + 0.5) / weight
    square = (sum((point / PASS_POINTS) ** 2 for point in points) + 0.5) / weight
    return (square - mean**2) / len(points)
