"""Where a series leaves its own past: counts by likelihood, samples by median and deviation."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_FEWEST_SAMPLES = 8
_FAR = 5.0  # deviations
_STRONGEST = 40.0
_NORMAL = 1.4826  # a median deviation times this is a standard deviation, if values are normal


@dataclass(frozen=True, slots=True)
class Surge:
    """Events come more often from bin *at* on; *score* is in nats, the rest are counts."""

    at: int
    score: float
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Shift:
    """Samples stay away from their past from index *at* on; *score* is in deviations."""

    at: int
    score: float
    before: float
    after: float


def find_surge(bins: Sequence[int], exposure: Sequence[float]) -> Surge | None:
    """Return where the events in *bins* begin to come more often, or None where they never do.

    *exposure* [bins], all above 0, says how many events each bin could have brought: twice the
    traffic may bring twice the warnings. The score is the likelihood ratio of two Poisson rates
    against one, divided by how much more than Poisson the past fluctuates, and lower when
    everything falls into one or two bins.
    """
    counts = [0] * len(exposure)
    for position in bins:
        counts[position] += 1
    total, width = len(bins), sum(exposure)
    best, at, past = 0.0, 0, 0
    before, seen = 0, 0.0
    for position in range(1, len(counts)):
        before += counts[position - 1]
        seen += exposure[position - 1]
        gain = _gain(before, seen, total - before, width - seen)
        if gain > best and position >= len(counts) // 10:
            best, at, past = gain, position, before
    if not best:
        return None
    spread = sum(count > 0 for count in counts[at:])
    score = best / _dispersion(counts[:at]) * min(1.0, spread / 3)
    return Surge(at, score, past, total - past)


def _gain(before: int, seen: float, after: int, left: float) -> float:
    if not after or before / seen >= after / left:
        return 0.0
    rate = (before + after) / (seen + left)
    gain = after * math.log(after / left / rate)
    return gain + (before * math.log(before / seen / rate) if before else 0.0)


def _dispersion(counts: Sequence[int]) -> float:
    mean = statistics.fmean(counts)
    if sum(counts) < 3:  # noqa: PLR2004 - too few to say that they come in bursts
        return 1.0
    return max(1.0, statistics.pvariance(counts, mean) / mean)


def find_shift(values: Sequence[float | None]) -> Shift | None:
    """Return where *values* leave the range of their first third for good, or None if they do not.

    "For good" is a twelfth of the samples, at least three, nearly all on the same side. A counter
    that only grows is read by its steps.
    """
    samples = _steps([(i, value) for i, value in enumerate(values) if value is not None])
    lead = len(samples) // 3
    if len(samples) < _FEWEST_SAMPLES:
        return None
    past = [value for _, value in samples[:lead]]
    middle = statistics.median(past)
    deviation = _NORMAL * statistics.median(abs(value - middle) for value in past)
    # The past of a calm series is too short to have shown how far it can go.
    reach = max(deviation, (max(past) - min(past)) / 4, abs(middle) * 0.03, 1e-9)
    far = [(value - middle) / reach for _, value in samples[lead:]]
    run = max(3, len(samples) // 12)
    for side in (1.0, -1.0):
        outside = [side * distance > _FAR for distance in far]
        inside = 0
        for i, is_outside in enumerate(outside):
            inside += is_outside - (outside[i - run] if i >= run else 0)
            if i >= run - 1 and inside >= 0.8 * run:
                first = outside.index(True, i - run + 1)
                after = [value for _, value in samples[lead + first : lead + i + 1 + run]]
                score = min(_STRONGEST, abs(statistics.median(after) - middle) / reach)
                return Shift(samples[lead + first][0], score, middle, statistics.median(after))
    return None


def _steps(samples: list[tuple[int, float]]) -> list[tuple[int, float]]:
    steps = [(i, value - previous) for (_, previous), (i, value) in pairwise(samples)]
    grows = sum(step > 0 for _, step in steps)
    if all(step >= 0 for _, step in steps) and 2 * grows > len(steps) >= _FEWEST_SAMPLES:
        return steps
    return samples
