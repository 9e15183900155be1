"""More controls, for the lint of incidents: the ways in which one would try to cheat.

They are too many for a report: every place in every order of the commits is one of them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath
from statistics import fmean, pstdev
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.engine.systems.controls_naive import NAIVE
from pytest_rcabench.engine.systems.controls_parts import (
    RANK,
    Answer,
    Control,
    alarming,
    blame,
    described,
    echo,
    newest,
    of_type,
    open_issue,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_rcabench.domain.incident import Change, Evidence, LogRecord, MetricSeries

DEEPEST_RANK = 12
_SETTINGS = re.compile(r"\.(?:ya?ml|json|properties|conf|cfg|ini|toml|env|tf|cron|xml)")
_DIGITS = re.compile(r"[0-9]+")
_COUNTER = re.compile(r"_(?:total|count|sum|bucket)(?:\{.*\})?")


def _first_error(evidence: Evidence) -> Answer:
    """Repeats the earliest record at ERROR or worse."""
    first = _earliest_error(evidence)
    return echo(first) if first else ()


def _rarest_line(evidence: Evidence) -> Answer:
    """Repeats the record at WARN or worse whose text, digits aside, occurs least often.

    Of equals it takes the first.
    """
    counts = Counter(_DIGITS.sub("0", record.message) for record in alarming(evidence))
    rarest = min(
        alarming(evidence),
        key=lambda record: counts[_DIGITS.sub("0", record.message)],
        default=None,
    )
    return echo(rarest) if rarest else ()


def _second_loudest(evidence: Evidence) -> Answer:
    """Names the service with second most records at WARN or worse."""
    counts = Counter(record.service for record in alarming(evidence)).most_common(2)
    return _accuse(counts[1][0] if len(counts) > 1 else "", "logs more warnings than most")


def _quietest_service(evidence: Evidence) -> Answer:
    """Names the service that logs, and has fewest records at WARN or worse."""
    counts = Counter({record.service: 0 for record in evidence.logs})
    counts.update(record.service for record in alarming(evidence))
    return _accuse(min(counts, key=counts.__getitem__, default=""), "is suspiciously quiet")


def _loudest_host(evidence: Evidence) -> Answer:
    """Names the host with most records at WARN or worse."""
    return _accuse(_most(record.host for record in alarming(evidence)), "logs most warnings")


def _most_named(evidence: Evidence) -> Answer:
    """Names the service that occurs in most records of other services."""
    names = {record.service for record in evidence.logs} - {""}
    counts = Counter(
        name
        for record in evidence.logs
        for name in names
        if name != record.service and name in record.message
    )
    return _accuse(counts.most_common(1)[0][0] if counts else "", "is on everybody's lips")


def _most_metrics(evidence: Evidence) -> Answer:
    """Names the service with most metric series."""
    return _accuse(_most(series.service for series in evidence.metrics), "is measured most")


def _most_changes(evidence: Evidence) -> Answer:
    """Names the service with most changes."""
    return _accuse(_most(change.service for change in evidence.changes), "is changed most")


def _biggest_metric_jump(evidence: Evidence) -> Answer:
    """Names the service of the series that moves most.

    That is the distance between the means of its last and its first third, in standard deviations
    of the first third; of a counter (`_total`, `_count`, `_sum`, `_bucket`), its increments are
    taken.
    """
    biggest = max(evidence.metrics, key=_jump, default=None)
    return _accuse(biggest.service, f"{biggest.name} jumps") if biggest else ()


def _newest_setting(evidence: Evidence) -> Answer:
    """Blames the newest commit that touches a file of settings."""
    touching = (
        commit
        for commit in of_type(evidence, "commit")
        if any(_SETTINGS.fullmatch(PurePosixPath(path).suffix) for path in commit.files)
    )
    return blame(evidence, newest(touching), "The newest commit to a setting.")


def _newest_before_error(evidence: Evidence) -> Answer:
    """Blames the newest commit before the earliest record at ERROR or worse."""
    first = _earliest_error(evidence)
    commits = (commit for commit in of_type(evidence, "commit") if first and commit.time < first[0])
    return blame(evidence, newest(commits), "The newest commit before the first error.")


def _most_removed(evidence: Evidence) -> Answer:
    """Blames the commit that removes most lines; of equals the first listed."""
    most = max(
        of_type(evidence, "commit"),
        key=lambda commit: commit.diff.count("\n-") - commit.diff.count("\n--- "),
        default=None,
    )
    return blame(evidence, most, "Removes most lines.")


def _no_error_is_healthy(evidence: Evidence) -> Answer:
    """No issue where no record is at ERROR or worse, else as `loudest-service`."""
    return _NAIVE["loudest-service"].rule(evidence) if _earliest_error(evidence) else ()


def _no_alert_is_healthy(evidence: Evidence) -> Answer:
    """No issue where no alert fired, else as `alert-echo`."""
    return _NAIVE["alert-echo"].rule(evidence)


class Order(NamedTuple):
    """One order of the commits: what it compares, and what its two ends are called."""

    most: str
    least: str
    key: Callable[[Change], float]


ORDERS = (
    Order("newest", "oldest", lambda commit: commit.time.timestamp()),
    Order("longest-diff", "shortest-diff", lambda commit: len(commit.diff)),
    Order("longest-message", "shortest-message", lambda commit: len(commit.message)),
    Order("most-files", "fewest-files", lambda commit: len(commit.files)),
)


def ranked(commits: Iterable[Change], order: Order, *, least: bool = False) -> list[Change]:
    """Return *commits* in *order*, or from its other end; equals stay as listed."""
    return sorted(commits, key=order.key, reverse=not least)


def _ranked(evidence: Evidence, order: Order, rank: int, *, least: bool) -> Answer:
    commits = ranked(of_type(evidence, "commit"), order, least=least)
    return _nth(evidence, commits, rank)


def _listed(evidence: Evidence, rank: int, *, last: bool) -> Answer:
    return _nth(evidence, evidence.changes[::-1] if last else evidence.changes, rank)


def _nth(evidence: Evidence, changes: list[Change] | tuple[Change, ...], rank: int) -> Answer:
    chosen = changes[rank - 1] if len(changes) >= rank else None
    return blame(evidence, chosen, "Counted, not understood.")


def _with_newest(name: str, evidence: Evidence) -> Answer:
    """Return what the control *name* answers, blaming the newest sha of the service it names."""
    return tuple(
        replace(issue, commits=(change.sha,) if change else ())
        for issue in _NAMING[name].rule(evidence)
        for change in [newest(c for c in evidence.changes if c.sha and c.service == issue.service)]
    )


_NAIVE = {known.name: known for known in NAIVE}
_ACCUSING = (
    Control("first-error", _first_error),
    Control("rarest-line", _rarest_line),
    Control("second-loudest", _second_loudest),
    Control("quietest-service", _quietest_service),
    Control("loudest-host", _loudest_host),
    Control("most-named", _most_named),
    Control("most-metrics", _most_metrics),
    Control("most-changes", _most_changes),
    Control("biggest-metric-jump", _biggest_metric_jump),
)
_SINGLE = (
    *_ACCUSING,
    Control("no-error-is-healthy", _no_error_is_healthy),
    Control("no-alert-is-healthy", _no_alert_is_healthy),
    Control("newest-setting", _newest_setting),
    Control("newest-before-error", _newest_before_error),
    Control("most-removed", _most_removed),
)
_NAMING = {
    known.name: known
    for known in (
        *(_NAIVE[name] for name in ("loudest-service", "alert-echo", "echo", "word-salad")),
        *_ACCUSING,
    )
}
_NEWEST_ON = tuple(
    Control(f"newest-on-{name.removesuffix('-service')}", partial(_with_newest, name))
    for name in _NAMING
)
_PLACES = tuple(
    Control(f"listed-{end}{rank}", partial(_listed, rank=rank, last=end == "last-"))
    for end in ("", "last-")
    for rank in range(1, DEEPEST_RANK + 1)
) + tuple(
    Control(
        f"{order.least if least else order.most}-{rank}",
        partial(_ranked, order=order, rank=rank, least=least),
    )
    for order in ORDERS
    for least in (False, True)
    for rank in range(1, DEEPEST_RANK + 1)
)

TRICKS: Mapping[str, Control] = MappingProxyType(
    {known.name: known for known in (*_SINGLE, *_NEWEST_ON, *_PLACES)}
)
# The controls that know where to look without being told: of an order only its two ends, since
# one of the places between them is the culprit's by necessity.
STRATEGIES = frozenset(
    known.name
    for known in (
        *NAIVE,
        *_SINGLE,
        *_NEWEST_ON,
        *(known for known in _PLACES if known.name[-2:] == "-1"),
    )
)


def tricks_page() -> list[str]:
    """Return the lines about these controls for ``docs/reference/controls.md``."""
    ends = ", ".join(f"`{order.most}-K`, `{order.least}-K`" for order in ORDERS)
    return [
        "## What only the lint asks",
        "",
        "`rcabench lint` holds incidents against these too; `control:NAME` asks any of them.",
        "Where a rule below names a service and no record, title and cause say why it is named.",
        "",
        "| control | what it answers |",
        "|---|---|",
        *(f"| `{known.name}` | {described(known.rule.__doc__)} |" for known in _SINGLE),
        "",
        "Those that name a service and blame nobody are run a second time,",
        "blaming the newest change of that service that has a sha:",
        f"{', '.join(f'`{known.name}`' for known in _NEWEST_ON)}.",
        "",
        f"Each place of each order is a control, K from 1 to {DEEPEST_RANK}:",
        f"{ends} of the commits,",
        "and `listed-K`, `listed-last-K` of all changes; of equals the first listed comes first.",
        "",
        "`echo` in turn is each record at WARN or worse and each alert as an answer of its own.",
    ]


def _earliest_error(evidence: Evidence) -> LogRecord | None:
    errors = (record for record in alarming(evidence) if RANK[record.level] > RANK["WARN"])
    return min(errors, key=lambda record: record.time, default=None)


def _most(names: Iterable[str]) -> str:
    counts = Counter(filter(None, names))
    return counts.most_common(1)[0][0] if counts else ""


def _accuse(service: str, why: str) -> Answer:
    said = f"{service} {why}"
    return open_issue(said, service, said, (), "A guess by counting.") if service else ()


def _jump(series: MetricSeries) -> float:
    values = [value for value in series.values if value is not None]
    if _COUNTER.search(series.name):
        values = [max(later - earlier, 0.0) for earlier, later in pairwise(values)]
    third = len(values) // 3
    if not third:
        return 0.0
    first, last = values[:third], values[-third:]
    # A series that never moved before has no deviation; any move of it is large.
    return abs(fmean(last) - fmean(first)) / (pstdev(first) or 1e-3 * (abs(fmean(first)) or 1.0))
