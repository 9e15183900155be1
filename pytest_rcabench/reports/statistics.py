"""How sure a count is: intervals, chances over several rounds, and flakiness. Pure arithmetic.

Rounds of one incident resemble each other, so what is counted is kept by incident: an incident is
a draw from all that could be asked, a round is only another look at it. Nothing here returns a NaN;
what is not defined is None or a ValueError.
"""

from __future__ import annotations

from math import comb, exp, fsum, lgamma, log, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL = 0.95
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
# Halving an interval in [0, 1] this often leaves less than a double can tell apart.
_HALVINGS = 60


class Interval(NamedTuple):
    """A range of fractions in [0, 1] that holds the true rate with a confidence of 95 %."""

    low: float
    high: float


class Tally(NamedTuple):
    """One incident: how many of its measured rounds were hits."""

    hits: int
    rounds: int


def wilson(hits: float, total: float) -> Interval:
    """Return the Wilson score interval of *hits* out of *total*, which may be an effective size.

    Raises: ValueError: if *total* is not positive.
    Source: Wilson, J. Am. Stat. Assoc. 22 (1927) 209-212.
    """
    if total <= 0:
        raise ValueError("there is no interval of nothing; ask for one where something is measured")
    rate, weight = hits / total, Z * Z / total
    centre = rate + weight / 2
    spread = sqrt(rate * (1 - rate) * weight + weight * weight / 4)
    # At 0 and 1 the bounds are 0 and 1 exactly, and rounding must not say otherwise.
    low = (centre - spread) / (1 + weight) if hits else 0.0
    high = (centre + spread) / (1 + weight) if hits < total else 1.0
    return Interval(low, high)


def clopper_pearson(hits: int, total: int) -> Interval:
    """Return the exact interval of *hits* out of *total* independent trials; never too narrow.

    Raises: ValueError: if *total* is not positive.
    Source: Clopper & Pearson, Biometrika 26 (1934) 404-413.
    """
    if total <= 0:
        raise ValueError("there is no interval of nothing; ask for one where something is measured")
    return Interval(_exact_low(hits, total), 1 - _exact_low(total - hits, total))


def clustered_error(tallies: Sequence[Tally]) -> float | None:
    """Return the standard error of the rate over all rounds, with incidents as clusters.

    With equally many rounds each it is the standard deviation of the incidents' means over the
    root of their number. None for a single incident, which says nothing about others.

    Source: Cochran, Sampling Techniques (3rd ed., 1977), ratio of two sample means; for
    evaluations Miller, arXiv 2411.00640 (2024), clustered standard errors.
    """
    measured = [tally for tally in tallies if tally.rounds]
    count = len(measured)
    if count < 2:  # noqa: PLR2004 - two are needed to see a difference
        return None
    mean, rounds = _mean(measured), sum(tally.rounds for tally in measured)
    squares = fsum((tally.hits - mean * tally.rounds) ** 2 for tally in measured)
    return sqrt(squares * count / (count - 1)) / rounds


def clustered_interval(tallies: Sequence[Tally]) -> Interval | None:
    """Return the rate plus and minus 1.96 clustered standard errors, cut to [0, 1].

    It collapses to a point where all rounds agree, so reports show `default_interval` instead.
    None where `clustered_error` is.
    """
    error = clustered_error(tallies)
    if error is None:
        return None
    mean = _mean(tallies)
    return Interval(max(0.0, mean - Z * error), min(1.0, mean + Z * error))


def effective_size(tallies: Sequence[Tally]) -> float:
    """Return how many independent rounds would say as much as the rounds of *tallies*.

    It is m(1 - m) over the square of `clustered_error`, and lies between the number of incidents
    (rounds that always agree) and the number of rounds (that agree as strangers do). Where m is 0
    or 1 the rounds cannot show how alike they are, and the incidents count.

    Raises: ValueError: if nothing was measured.
    Source: Kish, Survey Sampling (1965), design effect.
    """
    measured = [tally for tally in tallies if tally.rounds]
    mean = _mean(measured)
    incidents, rounds = len(measured), sum(tally.rounds for tally in measured)
    error = clustered_error(measured)
    if error is None or mean in {0.0, 1.0}:
        return float(incidents)
    if error == 0:
        return float(rounds)
    return min(max(mean * (1 - mean) / error**2, float(incidents)), float(rounds))


def default_interval(tallies: Sequence[Tally]) -> Interval:
    """Return the interval that reports show: Wilson's, at the `effective_size` of *tallies*.

    Raises: ValueError: if nothing was measured.
    Source: Franco, Little, Louis & Slud, J. Survey Stat. Methodol. 7 (2019) 334-364, who find it
    among the best for clustered samples.
    """
    size = effective_size(tallies)
    return wilson(_mean(tallies) * size, size)


def rule_of_three(incidents: int) -> float:
    """Return the highest rate, at 95 %, of what none of *incidents* > 0 has shown, in [0, 1].

    Source: Hanley & Lippman-Hand, JAMA 249 (1983) 1743-1745.
    """
    return min(1.0, 3 / incidents)


def pass_at_k(tally: Tally, k: int) -> float | None:
    """Return the chance that at least one of *k* rounds is a hit; None with fewer than *k* rounds.

    The estimate is unbiased; the mean over incidents is the pass@k of a run.

    Source: Chen et al., arXiv 2107.03374 (2021).
    """
    if not 0 < k <= tally.rounds:
        return None
    return 1 - comb(tally.rounds - tally.hits, k) / comb(tally.rounds, k)


def pass_hat_k(tally: Tally, k: int) -> float | None:
    """Return the chance that all of *k* rounds are hits; None with fewer than *k* rounds.

    The estimate is unbiased; the mean over incidents is the pass^k of a run.

    Source: Yao et al., tau-bench, arXiv 2406.12045 (2024).
    """
    if not 0 < k <= tally.rounds:
        return None
    return comb(tally.hits, k) / comb(tally.rounds, k)


def flakiness(counts: Sequence[int]) -> float | None:
    """Return the chance that two rounds of an incident get different verdicts, in [0, 1].

    *counts* [verdicts] says how many rounds got each. None with fewer than two rounds.

    Source: one less Simpson's unbiased measure of concentration, Nature 163 (1949) 688.
    """
    rounds = sum(counts)
    if rounds < 2:  # noqa: PLR2004 - a round cannot differ from itself
        return None
    return 1 - sum(count * (count - 1) for count in counts) / (rounds * (rounds - 1))


def _mean(tallies: Sequence[Tally]) -> float:
    rounds = sum(tally.rounds for tally in tallies)
    if not rounds:
        raise ValueError("there is no rate of nothing; ask for one where something is measured")
    return sum(tally.hits for tally in tallies) / rounds


def _exact_low(hits: int, total: int) -> float:
    """Return the rate at which *hits* or more have a chance of 2.5 %, by halving."""
    low, high = 0.0, hits / total
    for _ in range(_HALVINGS if hits else 0):
        middle = (low + high) / 2
        if _at_least(hits, total, middle) < (1 - LEVEL) / 2:
            low = middle
        else:
            high = middle
    return low


def _at_least(hits: int, total: int, rate: float) -> float:
    """Return the chance of *hits* or more in *total* trials at 0 < *rate* < 1."""
    ways = lgamma(total + 1)
    return fsum(
        exp(
            ways
            - lgamma(count + 1)
            - lgamma(total - count + 1)
            + count * log(rate)
            + (total - count) * log(1 - rate)
        )
        for count in range(hits, total + 1)
    )
