"""Where the fault is: which service, or which single host, departs first and most."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pytest_rcabench.engine.systems.heuristic.templates import BINS

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_rcabench.domain.incident import Evidence
    from pytest_rcabench.engine.systems.heuristic.departures import Departure

_NAME = re.compile(r"[a-z][a-z0-9_-]{3,}")
_ROLE = re.compile(r"[-_]?(?:service|svc|server|api|app|worker|db)$")
_MENTION_SHARE = 0.5
_FADES_IN = 2  # bins, to a half
_TRACE_SCORE = 4.0
_ALERT_SCORE = 2.0


def rank_places(
    evidence: Evidence, departures: list[Departure], onset: datetime
) -> list[tuple[str, float]]:
    """Return the places with their weights, the likeliest first.

    A departure counts for its own place, the less the later it comes; a complaint that names
    another place counts for that one by half. So do spans that fail though none below them does,
    and, a little, the service of an alert: an alert shows who suffers.
    """
    names = _names(evidence)
    width = (evidence.window.end - evidence.window.start) / BINS
    weights: defaultdict[str, float] = defaultdict(float)
    for departure in departures:
        late = max(0.0, (departure.time - onset) / width)
        weight = departure.score / (1 + late / _FADES_IN)
        mentioned = _mentions(departure, names)
        kept = 1 - _MENTION_SHARE if mentioned else 1.0
        weights[departure.place] += weight * kept
        for name in mentioned:
            weights[name] += weight * _MENTION_SHARE / len(mentioned)
    for service in _failing_roots(evidence):
        weights[service] += _TRACE_SCORE
    for service in {alert.service for alert in evidence.alerts}:
        weights[service] += _ALERT_SCORE
    weights.pop("", None)
    return sorted(weights.items(), key=lambda item: (-item[1], item[0]))


def single_host(evidence: Evidence, departures: list[Departure], service: str) -> str:
    """Return the one host on which nearly all complaints stand, or ``""``.

    It must be one of several hosts that serve *service*, or carry complaints of several services;
    one host that merely holds all records says nothing.
    """
    complaints: Counter[str] = Counter()
    services: set[str] = set()
    for departure in departures:
        if departure.hosts:
            complaints += departure.hosts
            services.add(departure.place)
    if not complaints:
        return ""
    host, count = complaints.most_common(1)[0]
    peers = Counter(record.host for record in evidence.logs if record.service == service)
    among_peers = host in peers and peers[host] < 0.8 * peers.total()
    is_shared = len(services) > 1 and len({record.host for record in evidence.logs}) > 1
    concentrated = count >= 0.9 * complaints.total()
    return host if host and concentrated and (among_peers or is_shared) else ""


def _names(evidence: Evidence) -> dict[str, str]:
    services = (
        {record.service for record in evidence.logs}
        | {series.service for series in evidence.metrics}
        | {span.service for span in evidence.traces}
        | {change.service for change in evidence.changes}
    )
    # People shorten names: "orders" is the orders-api, if nothing else is called so.
    short = Counter(_ROLE.sub("", service) for service in services)
    return {
        name: service
        for service in services
        for name in (service, _ROLE.sub("", service))
        if name == service or short[name] == 1
    }


def _mentions(departure: Departure, names: dict[str, str]) -> set[str]:
    words = set(_NAME.findall(departure.quote.casefold()))
    return {names[word] for word in words & names.keys()} - {departure.place}


def _failing_roots(evidence: Evidence) -> set[str]:
    failed = [span for span in evidence.traces if span.error or span.status.upper() == "ERROR"]
    above = {(span.trace_id, span.parent_id) for span in failed}
    return {span.service for span in failed if (span.trace_id, span.span_id) not in above}
