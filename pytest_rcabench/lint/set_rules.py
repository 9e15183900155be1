"""What must hold across incidents: nothing about a culprit may be the same in too many of them."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import Fault
from pytest_rcabench.engine.systems.controls_tricks import ORDERS, Order
from pytest_rcabench.lint.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rcabench.domain.incident import Change, Incident

# Of fewer windows one is always a large share.
FEWEST = 6
_MOST_OF_ONE_RANK = 0.4
_HEALTHY_WITH_ALERT = 0.5
_LEVELS = {"WARN or worse": ("WARN", "ERROR", "FATAL"), "ERROR or worse": ("ERROR", "FATAL")}


def ids_differ(incidents: tuple[Incident, ...]) -> Iterator[tuple[Incident, Finding]]:
    """No two files of a set have the same id."""
    first: dict[str, Incident] = {}
    for incident in incidents:
        other = first.setdefault(incident.id, incident)
        if other is not incident:
            what = f"{incident.id} is also the id of {other.place.path}; rename one of them"
            yield incident, Finding(("id",), what)


def culprits_have_no_usual_rank(
    incidents: tuple[Incident, ...],
) -> Iterator[tuple[Incident, Finding]]:
    """No rank of any order of the commits, from either end, holds over 40 % of the culprits.

    The orders are time before the onset, place in the list, length of diff and of message, and
    number of files. Where k commits are equal, a guess among them is right in one of k cases.
    """
    windows = [
        (incident, incident.truth)
        for incident in _written(incidents)
        if isinstance(incident.truth, Fault) and incident.truth.commits
    ]
    if len(windows) < FEWEST:
        return
    for name, shares in _ranks(windows).items():
        whose = [incident for incident, _ in shares]
        total = sum(share for _, share in shares)
        if total > _MOST_OF_ONE_RANK * len(windows):
            what = f"{name} is the culprit in {total:g} of {len(windows)} windows"
            ids = ", ".join(incident.id for incident in whose)
            yield whose[0], Finding(("changes",), f"{what} ({ids}); give some another rank")


def _ranks(windows: list[tuple[Incident, Fault]]) -> dict[str, list[tuple[Incident, float]]]:
    """Return for each rank of each order the windows where a culprit may hold it, and how often."""
    found: dict[str, list[tuple[Incident, float]]] = defaultdict(list)
    for incident, fault in windows:
        commits = [change for change in incident.evidence.changes if change.type == "commit"]
        before = [commit for commit in commits if commit.time < fault.onset]
        for order in (*ORDERS, _by_place(commits)):
            chosen = before if order.most == "newest" else commits
            for least in (False, True):
                name = order.least if least else order.most
                for rank, share in _shares(chosen, order, fault, least=least):
                    found[f"rank {rank} of {name}"].append((incident, share))
    return found


def _by_place(commits: list[Change]) -> Order:
    places = {id(commit): place for place, commit in enumerate(commits)}
    return Order("last listed", "first listed", lambda commit: places[id(commit)])


def _shares(
    commits: list[Change], order: Order, fault: Fault, *, least: bool
) -> Iterator[tuple[int, float]]:
    rank = 0
    for _, equals in groupby(sorted(commits, key=order.key, reverse=not least), key=order.key):
        block = list(equals)
        guilty = sum(commit.sha in fault.commits for commit in block)
        if guilty:
            yield from ((rank + n, guilty / len(block)) for n in range(1, len(block) + 1))
        rank += len(block)


def healthy_windows_complain_too(
    incidents: tuple[Incident, ...],
) -> Iterator[tuple[Incident, Finding]]:
    """Healthy windows have as many bad records as faulty ones, and half of them an alert."""
    written = list(_written(incidents))
    healthy = [incident for incident in written if incident.is_healthy]
    faulty = [incident for incident in written if not incident.is_healthy]
    if not healthy or len(faulty) < FEWEST:
        return
    for name, levels in _LEVELS.items():
        counts = [_count(incident, levels) for incident in faulty]
        for incident in healthy:
            count = _count(incident, levels)
            if not min(counts) <= count <= max(counts):
                what = f"{count} records at {name}, where faulty windows have"
                remedy = f"{min(counts)} to {max(counts)}; have as many"
                yield incident, Finding(("logs",), f"{what} {remedy}")
    silent = [incident for incident in healthy if not incident.evidence.alerts]
    if len(silent) > (1 - _HEALTHY_WITH_ALERT) * len(healthy):
        what = f"{len(silent)} of {len(healthy)} healthy windows have no alert; let more have one"
        yield silent[0], Finding(("alerts",), what)


def _written(incidents: tuple[Incident, ...]) -> Iterator[Incident]:
    return (incident for incident in incidents if incident.source.origin == "written")


def _count(incident: Incident, levels: tuple[str, ...]) -> int:
    return sum(record.level in levels for record in incident.evidence.logs)
