"""The built-in analyser: no model, no knowledge of any incident, and a reason for all it says."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from pytest_rcabench.domain.analysis import Analysis, Issue, Severity
from pytest_rcabench.domain.analysis_json import analysis_to_json
from pytest_rcabench.domain.incident import Window, format_time
from pytest_rcabench.engine.systems.heuristic.departures import find_departures, find_onset
from pytest_rcabench.engine.systems.heuristic.places import rank_places, single_host
from pytest_rcabench.engine.systems.heuristic.suspects import Suspect, rank_suspects
from pytest_rcabench.engine.systems.heuristic.templates import BINS

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_rcabench.domain.incident import Change, Evidence
    from pytest_rcabench.engine.systems.heuristic.departures import Departure

# A hundred patterns at sixty moments are 6000 chances to look new: the bar is ln 6000 nats.
_ALARM = 8.7
_GUILT = 5.0
_MARGIN = 1.0
_GATHERING = 5  # bins
_SHOWN = 5
_LONGEST_LINE = 200


class Heuristic:
    """Names what departs from its own past, where that began, and the change that explains it."""

    is_free = True

    def analyze(self, evidence: Evidence) -> Analysis:
        """Return one issue, or none where nothing departs from its own past to anybody's harm."""
        evidence = replace(evidence, window=_observed(evidence))
        departures = find_departures(evidence)
        told = max((d.score for d in departures if d.quote), default=0.0)
        # Metrics move for many reasons; where some do, half as strong a complaint will do.
        is_shown = any(not departure.quote for departure in departures)
        if told < (_ALARM / 2 if is_shown else _ALARM):
            strongest = departures[0].text if departures else "none"
            return _answer((), f"Nothing harmful departs from its past; strongest: {strongest}.")
        return _answer((_describe(evidence, departures),), "")


def _observed(evidence: Evidence) -> Window:
    # A window may go on long after the last record; that silence says nothing.
    times = [record.time for record in evidence.logs]
    for series in evidence.metrics:
        times += (
            series.start,
            series.start + timedelta(seconds=series.step_s) * len(series.values),
        )
    first, last = min(times, default=evidence.window.start), max(times, default=evidence.window.end)
    return Window(first, last) if first < last else evidence.window


def _describe(evidence: Evidence, departures: list[Departure]) -> Issue:
    width = (evidence.window.end - evidence.window.start) / BINS
    onset = find_onset(departures, _GATHERING * width)
    places = rank_places(evidence, departures, onset)
    service = places[0][0] if places else ""
    host = single_host(evidence, departures, service)
    suspects = rank_suspects(evidence, departures, service, onset)
    guilty = _guilty(suspects)
    first = next((d for d in departures if d.place == service), departures[0])
    said = _first_line(first) + (f"; on {host} alone" if host else "")
    return Issue(
        title=f"{host or service}: {said}",
        severity=Severity.ERROR,
        service=host or service,
        cause=f"After {_name(guilty.change)}, {said}" if guilty else said,
        commits=(guilty.change.sha,) if guilty and guilty.change.sha else (),
        evidence=tuple(f"{format_time(d.time)} {_first_line(d)}" for d in departures[:_SHOWN]),
        reasoning=_explain(onset, places, host, suspects, guilty),
    )


def _first_line(departure: Departure) -> str:
    line = departure.quote.partition("\n")[0][:_LONGEST_LINE]
    return f"{departure.text}: {line}" if line else departure.text


def _guilty(suspects: list[Suspect]) -> Suspect | None:
    if not suspects or suspects[0].score < _GUILT:
        return None
    second = suspects[1].score if len(suspects) > 1 else 0.0
    return suspects[0] if suspects[0].score >= second + _MARGIN else None


def _explain(
    onset: datetime,
    places: list[tuple[str, float]],
    host: str,
    suspects: list[Suspect],
    guilty: Suspect | None,
) -> str:
    ranked = ", ".join(f"{place} {weight:.1f}" for place, weight in places[:3])
    said = [f"Departures gather from {format_time(onset)} on.", f"Places by weight: {ranked}."]
    if host:
        said.append(f"Nearly all complaints stand on {host}.")
    said += [
        f"Suspect {suspect.score:.1f}: {_name(suspect.change)} ({suspect.why})."
        for suspect in suspects[:3]
    ]
    if not guilty:
        said.append("No change stands out from the rest, so none is blamed.")
    return " ".join(said)


def _name(change: Change) -> str:
    what = change.sha[:12] or change.key
    subject = change.message.strip().partition("\n")[0]
    moved = f" from {change.before} to {change.after}" if change.before or change.after else ""
    return " ".join(filter(None, (change.type, what + moved, f'"{subject}"' if subject else "")))


def _answer(issues: tuple[Issue, ...], note: str) -> Analysis:
    analysis = Analysis(issues=issues, notes=(note,) if note else ())
    reply = json.dumps(analysis_to_json(analysis), ensure_ascii=False)
    return Analysis(issues=analysis.issues, notes=analysis.notes, reply=reply)
