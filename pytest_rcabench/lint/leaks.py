"""The truth must not stand in the evidence: its words, its sha, its settings, our own notes.

English is no leak: a phrase of the rubric that the logs use before the onset is everyday talk, and
so is one in the name of a metric, which is there all the time. What else the real software prints
is declared under `said_in_evidence`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.domain.incident import Fault, evidence_to_json
from pytest_rcabench.domain.rubric import meets
from pytest_rcabench.domain.words import words_of
from pytest_rcabench.lint.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from pytest_rcabench.domain.incident import Change, Evidence, Incident

_SHORTEST_SHA = 7
_SHOWN = 100
_NUMBER = re.compile(r"\w*\d\w*")
_SETTING = re.compile(r"[+-]\s*[\"'-]?\s*([A-Za-z][\w.-]*\w)[\"']?\s*[:=(]\s*(.*)")
_REMEDY = "say it otherwise, or declare under said_in_evidence that the real software prints it"


class Said(NamedTuple):
    """A *text* in the evidence, *where* it stands, and when it was said, if at a time."""

    where: tuple[str | int, ...]
    text: str
    time: datetime | None = None


def said_in(evidence: Evidence) -> Iterator[Said]:
    """Yield what telemetry says: each line of each record, names of metrics, alerts, spans."""
    for record in evidence.logs:
        for line in record.message.split("\n"):
            yield Said(("logs",), line, record.time)
    for index, series in enumerate(evidence.metrics):
        yield Said(("metrics", index, "name"), series.name)
    for index, alert in enumerate(evidence.alerts):
        yield Said(("alerts", index, "summary"), alert.summary, alert.time)
    for index, span in enumerate(evidence.traces):
        yield Said(("traces", index), f"{span.name} {span.error}", span.start)


def no_text_is_the_cause(incident: Incident) -> Iterator[Finding]:
    """No record, alert or message of a change is by itself a cause that the rubric accepts."""
    fault = incident.truth
    if not isinstance(fault, Fault) or not fault.cause:
        return
    evidence = incident.evidence
    records = (Said(("logs",), record.message) for record in evidence.logs)
    texts = chain(records, said_in(evidence), _messages(evidence.changes))
    hints = [_hint(group) for group in fault.cause]
    for said in _distinct(texts, fault):
        if not all(hint.search(said.text) for hint in hints):
            continue
        result = meets(said.text, "", fault.cause, fault.must_not)
        if result.met:
            what = f"{said.text[:_SHOWN]!r} alone is an accepted cause: it {result.detail}"
            yield Finding(said.where, f"{what}; say less in it, or ask more of the rubric")


def words_of_the_truth_are_not_said(incident: Incident) -> Iterator[Finding]:
    """No phrase of the groups after the first, which say what is wrong, comes in with the fault."""
    fault = incident.truth
    if not isinstance(fault, Fault):
        return
    evidence = incident.evidence
    tolerated = {said.phrase.casefold() for said in incident.said_in_evidence}
    own = [change for change in evidence.changes if change.sha in fault.commits]
    telemetry = (said for said in said_in(evidence) if said.where[0] != "metrics")
    texts = _distinct(chain(telemetry, _messages(own, evidence.changes)), fault)
    for group in fault.cause[1:]:
        hints = {p: _hint((p,)) for p in group if p.casefold() not in tolerated}
        everyday: set[str] = set()
        leaks: dict[str, Said] = {}
        counts: Counter[str] = Counter()
        for said in texts:
            hinted = (phrase for phrase, hint in hints.items() if hint.search(said.text))
            spoken = [phrase for phrase in hinted if meets("", said.text, ((phrase,),)).met]
            if said.time is not None and said.time < fault.onset:
                everyday.update(spoken)
            else:
                counts.update(spoken)
                leaks = {**dict.fromkeys(spoken, said), **leaks}
        for phrase in sorted(leaks.keys() - everyday):
            what = f"{leaks[phrase].text[:_SHOWN]!r} says {phrase!r} of the truth"
            yield Finding(leaks[phrase].where, f"{what} ({counts[phrase]} texts do); {_REMEDY}")


def culprits_are_not_named(incident: Incident) -> Iterator[Finding]:
    """Neither a culprit's sha nor its subject stands outside the change itself."""
    fault = incident.truth
    if not isinstance(fault, Fault):
        return
    evidence = incident.evidence
    for culprit in evidence.changes:
        if culprit.type != "commit" or culprit.sha not in fault.commits:
            continue
        subject = culprit.message.partition("\n")[0].strip().casefold()
        others = [change for change in evidence.changes if change is not culprit]
        for said in chain(said_in(evidence), _messages(others, evidence.changes)):
            text = said.text.casefold()
            if culprit.sha[:_SHORTEST_SHA] in text and not _is_tolerated(culprit.sha, incident):
                yield Finding(said.where, f"{said.text[:_SHOWN]!r} names the culprit; {_REMEDY}")
            if " " in subject and subject in text:
                yield Finding(said.where, f"repeats the culprit's subject {subject!r}; delete it")


def settings_are_not_named(incident: Incident) -> Iterator[Finding]:
    """The settings that the culprit changes, and the keys of flags and such, are not printed."""
    fault = incident.truth
    if not isinstance(fault, Fault):
        return
    evidence = incident.evidence
    own = [change for change in evidence.changes if change.sha in fault.commits]
    keys = {key for change in own for key in changed_settings(change.diff)}
    keys |= {change.key for change in evidence.changes if change.key}
    others = [change for change in evidence.changes if change not in own]
    spoken = {key: f" {' '.join(words_of(key))} " for key in sorted(keys)}
    first: dict[str, Said] = {}
    for said in chain(said_in(evidence), _messages(others, evidence.changes)):
        text = f" {' '.join(words_of(said.text))} "
        first |= {key: said for key, name in spoken.items() if name in text and key not in first}
    for key, said in first.items():
        if not _is_tolerated(key, incident):
            what = f"{said.text[:_SHOWN]!r} names the setting {key}"
            yield Finding(said.where, f"{what}; {_REMEDY}")


def notes_are_hidden(incident: Incident) -> Iterator[Finding]:
    """Id, title and canary of the incident stand nowhere in what an analyser is given."""
    shown = json.dumps(evidence_to_json(incident.evidence), ensure_ascii=False).casefold()
    for key in ("id", "title", "canary"):
        text = getattr(incident, key).casefold()
        if text and re.search(rf"(?<![\w-]){re.escape(text)}(?![\w-])", shown):
            yield Finding((key,), f"{text!r} stands in the evidence too; change one of them")


def changed_settings(diff: str) -> set[str]:
    """Return the keys of two words or more to which *diff* gives another value."""
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for line in diff.split("\n"):
        found = _SETTING.match(line)
        if found and not line.startswith(("+++", "---")):
            (before if line[0] == "-" else after)[found[1]] = found[2]
    changed = {key for key in before.keys() & after.keys() if before[key] != after[key]}
    return {key for key in changed if len(words_of(key)) > 1}


def _messages(changes: Iterable[Change], every: Iterable[Change] | None = None) -> Iterator[Said]:
    places = {id(change): index for index, change in enumerate(every or changes)}
    for change in changes:
        if change.message:
            yield Said(("changes", places[id(change)], "message"), change.message)


def _distinct(texts: Iterable[Said], fault: Fault) -> Iterable[Said]:
    """Return one of *texts* for all that differ in numbers and ids alone, each the earliest.

    A window says much the same thousands of times; numbers that the rubric asks for are kept.
    """
    asked = tuple(
        word.rstrip("*")
        for group in (*fault.cause, fault.must_not)
        for phrase in group
        for word in words_of(phrase)
        if not word.isalpha()
    )
    found: dict[str, Said] = {}
    for said in texts:
        key = _NUMBER.sub(lambda n: n[0] if asked and n[0].startswith(asked) else "0", said.text)
        first = found.setdefault(key, said)
        if first.time and said.time and said.time < first.time:
            found[key] = said
    return found.values()


def _hint(phrases: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern found in every text that says one of *phrases*, and quick to look for."""
    longest = {max(words_of(phrase), key=len) for phrase in phrases}
    return re.compile("|".join(map(re.escape, sorted(longest))), re.IGNORECASE)


def _is_tolerated(key: str, incident: Incident) -> bool:
    return any(meets("", key, ((said.phrase,),)).met for said in incident.said_in_evidence)
