"""What in a window departs from its own past to somebody's harm, and when that began."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_rcabench.engine.systems.heuristic.change_points import find_shift, find_surge
from pytest_rcabench.engine.systems.heuristic.templates import (
    BINS,
    Pattern,
    fold_records,
    words_of,
)

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import Evidence, MetricSeries

_LEVEL_WEIGHT = MappingProxyType({"FATAL": 1.2, "ERROR": 1.0, "WARN": 0.5})
# Levels lie: a failure told at INFO is one, but a weak sign.
_TROUBLE_TOLD = 0.35
_TROUBLE = re.compile(
    r"error|fail|exception|time[d-]? ?out|refused|denied|reject|unavailab|unreach|exhaust|panic"
    r"|expired|corrupt|killed|abort|overload|dropped|unhealthy|throttl|cannot|unable|backoff",
    re.IGNORECASE,
)
_HARM = re.compile(
    r"error|fail|latency|duration|p9\d|timeout|wait|(?<![a-z])lag|queue|pending|backlog|drop|reject"
    r"|5xx|4xx|restart|kill|throttl|evict|unhealthy|retr(?:y|ies)|saturat|abort|denied|expired"
    r"|(?<![a-z])miss",
    re.IGNORECASE,
)
_FAINTEST = 1.0
_LONGEST_QUOTE = 2000
_METRIC_WEIGHT = 0.2
_FEWEST_CALM = 3.0


@dataclass(frozen=True, slots=True)
class Departure:
    """One sign of harm that was not there before: since *time*, at *place*, told by *text*.

    Of a log, *quote* is an example and *hosts* counts the records of each host; both are empty
    for a metric. *news* are the words that nothing calm in the window says.
    """

    time: datetime
    place: str
    score: float
    text: str
    quote: str = ""
    news: frozenset[str] = frozenset()
    hosts: Counter[str] = field(default_factory=Counter)


def find_departures(evidence: Evidence) -> list[Departure]:
    """Return what departs in *evidence*, the strongest first."""
    patterns = fold_records(evidence)
    width = (evidence.window.end - evidence.window.start) / BINS
    found: list[tuple[Departure, frozenset[str]]] = []
    calm: set[str] = set()
    seen = [
        (_log_departure(pattern, exposure, evidence.window.start, width), pattern.example)
        for pattern, exposure in _with_exposure(patterns)
    ] + [(_metric_departure(series), series.name) for series in evidence.metrics]
    for departure, said in seen:
        words = words_of(said[:_LONGEST_QUOTE])
        if departure:
            found.append((departure, words))
        else:
            calm |= words
    departures = [replace(departure, news=words - calm) for departure, words in found]
    return sorted(departures, key=lambda departure: -departure.score)


def find_onset(departures: list[Departure], width: timedelta) -> datetime:
    """Return when the departures begin to gather.

    That is the earliest time of which the next *width* holds half as much as the densest one.
    """
    ordered = sorted(departures, key=lambda departure: departure.time)
    gathered: list[float] = []
    last, total = 0, 0.0
    for departure in ordered:
        while last < len(ordered) and ordered[last].time <= departure.time + width:
            total += ordered[last].score
            last += 1
        gathered.append(total)
        total -= departure.score
    enough = max(gathered) / 2
    begins = next(i for i, weight in enumerate(gathered) if weight >= enough)
    return ordered[begins].time


def _with_exposure(patterns: list[Pattern]) -> list[tuple[Pattern, list[float]]]:
    # A service's calm records measure its traffic. They only ever raise what may be expected:
    # an outage, which silences them, must not make old warnings look frequent.
    calm: dict[str, list[float]] = {}
    for pattern in patterns:
        counts = calm.setdefault(pattern.place, [0.0] * BINS)
        if not _weight(pattern):
            for position in pattern.bins:
                counts[position] += 1
    for place, counts in calm.items():
        usual = max(statistics.median(counts[: BINS // 3]), _FEWEST_CALM)
        calm[place] = [max(count, usual) / usual for count in counts]
    return [(pattern, calm[pattern.place]) for pattern in patterns]


def _weight(pattern: Pattern) -> float:
    if pattern.level in _LEVEL_WEIGHT:
        return _LEVEL_WEIGHT[pattern.level]
    is_lie = pattern.level != "DEBUG" and _TROUBLE.search(pattern.template)
    return _TROUBLE_TOLD if is_lie else 0.0


def _log_departure(
    pattern: Pattern, exposure: list[float], start: datetime, width: timedelta
) -> Departure | None:
    weight = _weight(pattern)
    surge = find_surge(pattern.bins, exposure) if weight else None
    if surge is None or surge.score * weight < _FAINTEST:
        return None
    past = f"{surge.before} before" if surge.before else "never before"
    return Departure(
        time=start + surge.at * width,
        place=pattern.place,
        score=surge.score * weight,
        text=f"{pattern.place} logs {pattern.level or 'a record'} {surge.after} times, {past}",
        quote=pattern.example[:_LONGEST_QUOTE],
        hosts=pattern.hosts,
    )


def _metric_departure(series: MetricSeries) -> Departure | None:
    shift = find_shift(series.values) if _HARM.search(series.name) else None
    if shift is None or shift.after < shift.before:
        return None
    return Departure(
        time=series.start + timedelta(seconds=shift.at * series.step_s),
        place=series.service,
        score=shift.score * _METRIC_WEIGHT,
        text=f"{series.name} of {series.service} rises from {shift.before:g} to {shift.after:g}",
    )
