"""Scorer mutants: answers made from each incident's own truth, with the exact verdict of each.

A mutant survives when the scorer gives it another verdict: then the scorer or the rubric is wrong.
All of them go the whole way, from the text of a reply to the mark.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import cycle, islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pytest_rcabench.domain.analysis import Analysis, Issue, Severity
from pytest_rcabench.domain.analysis_json import analysis_to_json
from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.incident import Change, Fault
from pytest_rcabench.domain.scoring import MAX_BLAMED, score
from pytest_rcabench.engine.systems.controls import Oracle, spoken
from pytest_rcabench.engine.systems.controls_parts import alarming
from pytest_rcabench.lint.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.scoring import Mark

Issues: TypeAlias = tuple[Issue, ...]

_TAIL = "f00dfeedf00dfeedf00dfeedf00dfeed"
_MANY = 12  # phrases: fewer could be an answer
_NOBODY = "a-service-of-another-shop"
_OTHER_CAUSE = Issue("Late parcels", Severity.ERROR, _NOBODY, "The van has a flat tyre")


class Mutant(NamedTuple):
    """An answer, as *issues* or as a *reply* that is none, and the *mark* that it deserves."""

    name: str
    mark: Mark
    issues: Issues = ()
    reply: str | None = None
    also: tuple[Change, ...] = ()  # changes that the window must hold besides its own


class Survivor(NamedTuple):
    """A mutant that was not killed: the mark it *deserves* and the one it *got*, and *why*."""

    name: str
    deserves: Mark
    got: Mark
    why: str


def mutants(incident: Incident, phrases: Sequence[str] = ()) -> Iterator[Mutant]:
    """Yield the mutants of *incident*; *phrases* are those of the rubrics of the whole set."""
    yield Mutant("prose", "wrong", reply="Nothing is wrong here.")
    yield Mutant("no reply", "wrong", reply="")
    fault = incident.truth
    if not isinstance(fault, Fault):
        yield from _of_healthy(incident)
        return
    (right,) = Oracle().answer_from(incident).issues
    yield Mutant("oracle", "pass", (right,))
    yield Mutant("oracle, a warning", "pass", (replace(right, severity=Severity.WARNING),))
    yield Mutant("info only", "wrong", (replace(right, severity=Severity.INFO),))
    if fault.graded != ("commit",) or fault.commits:
        yield Mutant("empty", "wrong")
    if "service" in fault.graded:
        yield from _of_service(right, fault)
    if "cause" in fault.graded:
        yield from _of_cause(right, fault, incident)
        yield from _of_phrases(right, phrases)
    if "commit" in fault.graded:
        yield from _of_commit(right, fault, incident)
        yield from _of_extra_issues(right, fault, incident)


def survivors(incident: Incident, phrases: Sequence[str] = ()) -> tuple[int, tuple[Survivor, ...]]:
    """Return how many mutants *incident* has, and those that the scorer does not kill."""
    count, alive = 0, []
    for mutant in mutants(incident, phrases):
        count += 1
        reply = mutant.reply
        if reply is None:
            reply = json.dumps(analysis_to_json(Analysis(issues=mutant.issues)))
        evidence = incident.evidence
        window = replace(evidence, changes=evidence.changes + mutant.also)
        verdict = score(read_answer(reply), replace(incident, evidence=window))
        if verdict.mark != mutant.mark:
            why = "; ".join(f"{c.name}: {c.detail}" for c in verdict.checks if c.passed is not None)
            alive.append(Survivor(mutant.name, mutant.mark, verdict.mark, why))
    return count, tuple(alive)


def told(survivor: Survivor) -> Finding:
    """Return *survivor* as a finding."""
    what = f"the mutant {survivor.name!r} is {survivor.got} and deserves {survivor.deserves}"
    return Finding(("expected",), f"{what} ({survivor.why}); mend the rubric, or the scorer")


def _of_healthy(incident: Incident) -> Iterator[Mutant]:
    note = replace(_OTHER_CAUSE, severity=Severity.INFO)
    yield Mutant("silence", "pass")
    yield Mutant("info only", "pass", (note,))
    yield Mutant("invented blame in an info", "half", (replace(note, commits=(_TAIL,)),))
    for sha in sorted(incident.evidence.shas)[:1]:
        yield Mutant("blame in an info", "half", (replace(note, commits=(sha,)),))
        loud = replace(note, severity=Severity.WARNING, commits=(sha,))
        yield Mutant("blame in a warning", "wrong", (loud,))
    for severity in Severity:
        if severity > Severity.INFO:
            issues = (note, replace(note, severity=severity))
            yield Mutant(f"an alarm, {severity.word}", "wrong", issues)


def _of_service(right: Issue, fault: Fault) -> Iterator[Mutant]:
    for name in fault.also_ok:
        yield Mutant(f"also accepted: {name}", "pass", (replace(right, service=name),))
    for name in (_NOBODY, "", f"{right.service} and {_NOBODY}", *fault.victims):
        yield Mutant(f"wrong service: {name}", "wrong", (replace(right, service=name),))
    for victim in fault.victims:
        top = replace(_OTHER_CAUSE, severity=Severity.CRITICAL, service=victim)
        yield Mutant(f"victim on top: {victim}", "wrong", (right, top))


def _of_cause(right: Issue, fault: Fault, incident: Incident) -> Iterator[Mutant]:
    def saying(cause: str, title: str = "What happened") -> Issues:
        return (replace(right, title=title, cause=cause),)

    phrases = [spoken(group[0]) for group in fault.cause]
    claim = " ".join(phrases)
    yield Mutant("cause in reasoning only", "wrong", saying("See the reasoning."))
    yield Mutant("denied before", "wrong", saying(" ".join(f"It is not {p}." for p in phrases)))
    yield Mutant("denied after", "wrong", saying(" ".join(f"{p} was ruled out." for p in phrases)))
    denied = " ".join(f"We looked at {p}, but it is not the cause." for p in phrases)
    yield Mutant("denied by the next clause", "wrong", saying(denied))
    yield Mutant("rejected", "wrong", saying(f"Rejected: {claim}"))
    yield Mutant("hedged", "wrong", saying(f"{claim}, or possibly a comet"))
    if len(phrases) > 1:
        yield Mutant("half of it", "wrong", saying(phrases[0]))
    for place, group in enumerate(fault.cause):
        for phrase in group:
            words = [*phrases[:place], spoken(phrase), *phrases[place + 1 :]]
            cause = " ".join(f"{word}." for word in words)
            yield Mutant(f"in other words: {phrase}", "pass", saying(cause))
    for text in dict.fromkeys(record.message for record in islice(alarming(incident.evidence), 50)):
        yield Mutant(f"symptom as cause: {text[:60]}", "wrong", saying(text, text))
    for alert in incident.evidence.alerts:
        yield Mutant(f"alert as cause: {alert.summary}", "wrong", saying(alert.summary))
    for phrase in fault.must_not:
        also = f"{right.cause} {spoken(phrase)}."
        yield Mutant(f"right, and: {phrase}", "wrong", saying(also))


def _of_phrases(right: Issue, phrases: Sequence[str]) -> Iterator[Mutant]:
    """Yield causes that say everything; of each the scorer reads the beginning, so it turns."""
    if len(phrases) < _MANY:
        return
    for joint in (", ", "; ", " and "):
        for start in range(0, len(phrases), 10):
            turned = islice(cycle(phrases), start, start + len(phrases))
            issue = replace(right, title="Everything", cause=joint.join(map(spoken, turned)))
            yield Mutant(f"all phrases from {start} by {joint!r}", "wrong", (issue,))


def _of_commit(right: Issue, fault: Fault, incident: Incident) -> Iterator[Mutant]:
    def blaming(*commits: str) -> Issues:
        return (replace(right, commits=commits),)

    shas = incident.evidence.shas
    for sha in sorted(shas - {*fault.commits, *fault.contributing}):
        yield Mutant(f"wrong commit: {sha}", "wrong", blaming(sha))
    yield Mutant("invented commit", "wrong", blaming(_TAIL + "f00dfeed"))
    yield Mutant("no sha at all", "wrong" if fault.commits else "pass", blaming("N/A"))
    if len(shas) > MAX_BLAMED:
        yield Mutant("every commit", "wrong", blaming(*sorted(shas)))
    for sha in fault.contributing:
        yield Mutant(f"contributing too: {sha}", "pass", blaming(*fault.commits[:1], sha))
    for sha in fault.commits:
        yield Mutant("no commit", "wrong", blaming())
        yield Mutant("short sha", "pass", blaming(sha[:12].upper()))
        yield Mutant("too short a sha", "wrong", blaming(sha[:6]))
        yield Mutant("right prefix, invented tail", "wrong", blaming(sha[:10] + _TAIL[:30]))
        yield Mutant("cleared as well", "pass", (replace(right, commits=(sha,), ruled_out=(sha,)),))
        double = sha[:8] + ("0" if sha[8] != "0" else "1") + sha[9:]
        other = replace(incident.evidence.changes[-1], type="commit", sha=double)
        yield Mutant("ambiguous prefix", "wrong", blaming(sha[:8]), also=(other,))


def _of_extra_issues(right: Issue, fault: Fault, incident: Incident) -> Iterator[Mutant]:
    extra = replace(_OTHER_CAUSE, severity=Severity.WARNING)
    yield Mutant("a second warning", "pass", (right, extra))
    yield Mutant("three more warnings", "half", (right, extra, extra, extra))
    yield Mutant("three more infos", "pass", (right, *[replace(extra, severity=Severity.INFO)] * 3))
    if fault.graded != ("commit",) or fault.commits:
        yield Mutant("right issue ranked second", "wrong", (_OTHER_CAUSE, right))
    for sha in sorted(incident.evidence.shas - {*fault.commits, *fault.contributing})[:1]:
        for severity in (Severity.WARNING, Severity.INFO):
            second = replace(extra, severity=severity, commits=(sha,))
            yield Mutant(f"innocent blame, {severity.word}", "half", (right, second))
    second = replace(extra, commits=(_TAIL,))
    yield Mutant("invented blame in a second issue", "half", (right, second))
