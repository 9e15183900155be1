"""Which change came before, at the right place, and speaks of what went wrong."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rcabench.engine.systems.heuristic.templates import BINS, words_of

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_rcabench.domain.incident import Change, Evidence
    from pytest_rcabench.engine.systems.heuristic.departures import Departure

_NO_PROGRAM = re.compile(r"(?:^|/)(?:tests?|docs?)/|_test\.|\.test\.|\.(?:md|rst|txt)$")
_TIME_SCORE = 1.5
_FADES_IN = 20  # bins, to a third of it
_LATEST = -2  # bins; the onset is an estimate
_SERVICE_SCORE = 2.0
_PATH_SCORE = 1.0
_SHORTEST_PART = 4
_ROLLED_OUT_SCORE = 1.5
_WORDS_SCORE = 6.0
_MANY_WORDS = 8.0  # by weight; that much makes two thirds of the score
_USUAL_WORDS = 25
_NO_PROGRAM_COST = 3.0


@dataclass(frozen=True, slots=True)
class Suspect:
    """A change, how much speaks for its guilt, and what."""

    change: Change
    score: float
    why: str


def rank_suspects(
    evidence: Evidence, departures: list[Departure], place: str, onset: datetime
) -> list[Suspect]:
    """Return the changes before *onset* that could have caused *departures*, the likeliest first.

    A commit counts from its deploy where there is one, and one that was never deployed counts
    less where others were. Changes of scale answer to load, so they are nobody's suspects.
    """
    width = (evidence.window.end - evidence.window.start) / BINS
    deploys = {c.sha: c for c in reversed(evidence.changes) if c.type == "deploy" and c.sha}
    commits = {c.sha for c in evidence.changes if c.type == "commit"}
    scales = _Scales(evidence, departures, place)
    suspects = []
    for change in evidence.changes:
        if change.type == "scale" or (change.type == "deploy" and change.sha in commits):
            continue
        deploy = deploys.get(change.sha, change)
        since = (onset - deploy.time) / width
        if since >= _LATEST:
            is_rolled_out = change.type != "commit" or not deploys or change.sha in deploys
            why = scales.weigh(change, {change.service, deploy.service})
            why.append((_TIME_SCORE * math.exp(-max(since, 0.0) / _FADES_IN), "it came before"))
            why.append((_ROLLED_OUT_SCORE * is_rolled_out, "it was rolled out"))
            said = ", ".join(f"{text} {score:+.1f}" for score, text in why if score)
            suspects.append(Suspect(change, sum(score for score, _ in why), said))
    return sorted(suspects, key=lambda suspect: -suspect.score)


class _Scales:
    """Weighs what a change says and touches against what went wrong, and where.

    A word weighs the more the fewer changes share it and the stronger the departure that says it.
    """

    def __init__(self, evidence: Evidence, departures: list[Departure], place: str) -> None:
        self._place = place
        self._parts = [
            part for part in re.split(r"[^a-z]+", place.casefold()) if len(part) >= _SHORTEST_PART
        ]
        self._words = {id(change): words_of(_text(change)) for change in evidence.changes}
        spread = Counter(word for words in self._words.values() for word in words)
        self._weights: dict[str, float] = {}
        for departure in reversed(departures):
            share = departure.score / departures[0].score
            for word in departure.news & spread.keys():
                weight = share * math.log((len(self._words) + 1) / spread[word])
                self._weights[word] = max(weight, self._weights.get(word, 0.0))

    def weigh(self, change: Change, services: set[str]) -> list[tuple[float, str]]:
        why = []
        paths = "/".join(change.files).casefold()
        if self._place in services:
            why.append((_SERVICE_SCORE, f"it changes {self._place}"))
        elif any(part in paths for part in self._parts):
            why.append((_PATH_SCORE, f"its files speak of {self._place}"))
        words = self._words[id(change)]
        shared = sorted(words & self._weights.keys(), key=lambda w: (-self._weights[w], w))
        if shared:
            # A long diff shares some words with anything.
            enough = _MANY_WORDS * max(1.0, math.sqrt(len(words) / _USUAL_WORDS))
            weight = sum(self._weights[word] for word in shared)
            said = f"it shares the words {', '.join(shared[:5])}"
            why.append((_WORDS_SCORE * (1 - math.exp(-weight / enough)), said))
        if change.files and all(_NO_PROGRAM.search(name) for name in change.files):
            why.append((-_NO_PROGRAM_COST, "it changes no program"))
        return why


def _text(change: Change) -> str:
    changed = [line for line in change.diff.splitlines() if line[:1] in "+-"]
    parts = (change.message, change.key, change.before, change.after, *change.files, *changed)
    return "\n".join(parts)
