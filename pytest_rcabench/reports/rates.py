"""Rates over cells: what counts as a hit, what has no answer, and how sure the figure is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rcabench.reports.statistics import (
    Interval,
    Tally,
    default_interval,
    flakiness,
    pass_at_k,
    pass_hat_k,
    rule_of_three,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping

    from pytest_rcabench.domain.run import Cell, Word


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the *measured* cells were hits, and how many more cells have no answer.

    *incidents* says on how many incidents they were measured. *interval* is
    `statistics.default_interval` at 95 %, None where nothing was measured.
    """

    hits: int
    measured: int
    unmeasured: int = 0
    incidents: int = 0
    interval: Interval | None = None

    @property
    def fraction(self) -> float | None:
        """Hits per measured cell in [0, 1]; None where nothing was measured."""
        return self.hits / self.measured if self.measured else None

    @property
    def rule_of_three(self) -> float | None:
        """Where all are hits the highest rate of misses, at 95 %; where none is, of hits; or None.

        It counts incidents: another round is no new draw.
        """
        if not self.incidents or 0 < self.hits < self.measured:
            return None
        return rule_of_three(self.incidents)

    def __str__(self) -> str:
        """Show the rate, and where cells are missing the bounds that they leave open."""
        shown = f"{self.hits}/{self.measured}"
        if not self.unmeasured:
            return shown
        bounds = f"{self.hits}–{self.hits + self.unmeasured}"
        total = self.measured + self.unmeasured
        return f"{shown}; {bounds} of {total} with {self.unmeasured} unmeasured"


def rate_of(outcomes: Iterable[tuple[str, bool | None]]) -> Rate:
    """Return the rate of *outcomes*, each an incident and a hit, a miss, or None if unmeasured."""
    found: dict[str, list[bool]] = {}
    unmeasured = 0
    for incident, is_hit in outcomes:
        if is_hit is None:
            unmeasured += 1
        else:
            found.setdefault(incident, []).append(is_hit)
    tallies = [Tally(sum(hits), len(hits)) for hits in found.values()]
    return Rate(
        hits=sum(tally.hits for tally in tallies),
        measured=sum(tally.rounds for tally in tallies),
        unmeasured=unmeasured,
        incidents=len(tallies),
        interval=default_interval(tallies) if tallies else None,
    )


def verdict_rate(cells: Iterable[Cell], hits: Container[Word]) -> Rate:
    """Return how many of *cells* have one of the verdicts *hits*."""
    return rate_of(
        (cell.key.incident, cell.verdict in hits if cell.is_measured else None) for cell in cells
    )


def false_alarm_rate(healthy: Iterable[Cell]) -> Rate:
    """Return how many cells of *healthy* windows raised an alarm.

    An answer that cannot be read is wrong there, and no alarm.
    """
    return rate_of(
        (
            cell.key.incident,
            cell.verdict == "wrong" and not cell.fault if cell.is_measured else None,
        )
        for cell in healthy
    )


def innocent_blame_rate(cells: Iterable[Cell]) -> Rate:
    """Return how many of *cells* blame an innocent or invented commit, in whichever issue.

    All of them are of incidents that grade the commit.
    """
    return rate_of((cell.key.incident, _blames_innocent(cell)) for cell in cells)


def k_round_rates(cells: Iterable[Cell], k: int) -> tuple[Rate, Rate]:
    """Return how many incidents passed in at least one of their *k* rounds, and in all of them.

    They are pass@k and pass^k, in incidents; one without *k* measured rounds is unmeasured. No
    incident may have more than *k*.
    """
    tallies = {
        name: Tally(words.count("pass"), len(words)) for name, words in _measured_words(cells)
    }

    def rate(chance: Callable[[Tally, int], float | None]) -> Rate:
        # Of exactly k rounds a chance is 0 or 1.
        chances = ((name, chance(tally, k)) for name, tally in tallies.items())
        return rate_of((name, None if one is None else one == 1) for name, one in chances)

    return rate(pass_at_k), rate(pass_hat_k)


def flaky_incidents(cells: Iterable[Cell]) -> tuple[tuple[tuple[str, float], ...], int]:
    """Return the incidents whose rounds disagree, and how many have two measured rounds at least.

    Each stands with its `statistics.flakiness`, the worst first.
    """
    chances = {
        name: flakiness([*Counter(words).values()]) for name, words in _measured_words(cells)
    }
    found = [(name, chance) for name, chance in chances.items() if chance]
    found.sort(key=lambda pair: (-pair[1], pair[0]))
    return tuple(found), sum(chance is not None for chance in chances.values())


def pair_rate(
    twins: Iterable[Cell], others: Mapping[tuple[str, int], Cell], of: Mapping[str, str]
) -> Rate:
    """Return in how many rounds a twin and the incident that it is a twin of both passed.

    *others* holds the cells of the same column and set by incident and round, *of* names by twin
    the incident that it is a twin of. A round in which that one was not asked makes no pair. All
    twins of one incident count as one incident: they share half of every pair.
    """
    outcomes: list[tuple[str, bool | None]] = []
    for twin in twins:
        name = of[twin.key.incident]
        if other := others.get((name, twin.key.round)):
            is_whole = twin.is_measured and other.is_measured
            both = twin.verdict == other.verdict == "pass"
            outcomes.append((name, both if is_whole else None))
    return rate_of(outcomes)


def _measured_words(cells: Iterable[Cell]) -> Iterable[tuple[str, list[Word]]]:
    """Return by incident the verdicts of its measured rounds; incidents without any, too."""
    words: dict[str, list[Word]] = {}
    for cell in cells:
        found = words.setdefault(cell.key.incident, [])
        if cell.is_measured:
            found.append(cell.verdict)
    return words.items()


def _blames_innocent(cell: Cell) -> bool | None:
    passed = {check["name"]: check["passed"] for check in cell.checks}.get("innocent")
    if passed is not None:
        return not passed
    # What cannot be read blames nobody; of a verdict that came without its checks nobody knows.
    return False if cell.fault else None
