"""FROZEN with the set: what an analysis is worth; (analysis, incident) -> Verdict, pure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_rcabench.domain.analysis import Severity
from pytest_rcabench.domain.incident import Fault
from pytest_rcabench.domain.names import is_named, read_blame
from pytest_rcabench.domain.rubric import meets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_rcabench.domain.analysis import Analysis, Issue
    from pytest_rcabench.domain.incident import CheckName, Evidence, Incident
    from pytest_rcabench.domain.names import Blame

Mark: TypeAlias = Literal["pass", "half", "wrong"]

MAX_BLAMED = 2
MAX_ALARMS = 2
# A right cause that stands further down helps no reader, and an answer may hold thousands.
MAX_RANKED = 20
_LONGEST_DETAIL = 300
# Every step from a raw reply to a verdict; a module that comes between them belongs here.
FROZEN_MODULES = (
    "analysis.py",
    "answer.py",
    "denial.py",
    "names.py",
    "rubric.py",
    "scoring.py",
    "words.py",
)


@dataclass(frozen=True, slots=True)
class Check:
    """One question of the scorer; *passed* is None where it is not judged, *detail* says why."""

    name: CheckName
    passed: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an analysis is worth, and why.

    *fault* names what kept the answer from being read, or is empty. *right_cause_ranked* is the
    place, from 1, of the first issue that meets every root-cause check, if it is among the first
    20; it is for readers only and never enters *mark*.
    """

    mark: Mark
    checks: tuple[Check, ...]
    fault: str = ""
    right_cause_ranked: int | None = None


def score(analysis: Analysis, incident: Incident) -> Verdict:
    """Return the verdict on *analysis*."""
    if analysis.fault is not None:
        return _unreadable(analysis.fault.name, analysis.fault.detail, incident)
    if isinstance(incident.truth, Fault):
        return _score_faulty(analysis, incident.truth, incident.evidence)
    return _score_healthy(analysis, incident.evidence)


def _unreadable(fault: str, why: str, incident: Incident) -> Verdict:
    detail = _line(f"no readable answer ({fault}): {why}")
    if not isinstance(incident.truth, Fault):
        unread = (
            Check("innocent", None, "not judged"),
            Check("quiet", passed=False, detail=detail),
        )
        return Verdict("wrong", unread, fault)
    root = tuple(
        Check(name, passed=False, detail=detail) for name in _in_order(incident.truth.graded)
    )
    unjudged = (Check("innocent", None, "not judged"), Check("alarms", None, "not judged"))
    return Verdict("wrong", root + unjudged, fault)


def _score_healthy(analysis: Analysis, evidence: Evidence) -> Verdict:
    loud = [issue for issue in analysis.issues if issue.severity > Severity.INFO]
    innocent = _check_innocent(analysis.issues, frozenset(), evidence)
    shown = "; ".join(f"{issue.severity.word}: {issue.title}" for issue in loud)
    quiet = Check("quiet", not loud, _line(f"expected nothing above info, got {shown or 'none'}"))
    mark: Mark = "wrong" if loud else "pass" if innocent.passed else "half"
    return Verdict(mark, (innocent, quiet))


def _score_faulty(analysis: Analysis, fault: Fault, evidence: Evidence) -> Verdict:
    ranked = sorted(analysis.issues, key=lambda issue: -issue.severity)[:MAX_RANKED]
    judged = (_judge(issue, fault, evidence) for issue in ranked)
    top = next(judged, ())
    root = _root_cause(top, fault, is_alarm=bool(ranked) and ranked[0].severity > Severity.INFO)
    extra = _check_others(analysis.issues, fault, evidence)
    if not all(check.passed for check in root):
        mark: Mark = "wrong"
    else:
        mark = "half" if any(check.passed is False for check in extra) else "pass"
    places = (
        place
        for place, checks in enumerate(chain([top], judged), start=1)
        if checks and all(check.passed for check in checks)
    )
    return Verdict(mark, root + extra, right_cause_ranked=next(places, None))


def _root_cause(top: tuple[Check, ...], fault: Fault, *, is_alarm: bool) -> tuple[Check, ...]:
    """Return the graded checks of the top issue, *top*, or of silence where it is empty."""
    if top and is_alarm:
        return top
    if top:
        why = "no alarm, the top issue is info only"
        return tuple(
            Check(check.name, passed=False, detail=f"{why}; {check.detail}") for check in top
        )
    names = _in_order(fault.graded)
    # Where only the commit is graded, silence says that none is at fault, which can be right.
    passed = names == ("commit",) and not fault.commits
    return tuple(
        Check(name, passed, f"expected {_expected(name, fault)}, got no issue") for name in names
    )


def _judge(issue: Issue, fault: Fault, evidence: Evidence) -> tuple[Check, ...]:
    judges = {"service": _check_service, "cause": _check_cause, "commit": _check_commit}
    return tuple(judges[name](issue, fault, evidence) for name in _in_order(fault.graded))


def _check_service(issue: Issue, fault: Fault, evidence: Evidence) -> Check:
    accepted = (fault.service, *fault.also_ok)
    names = partial(_names_in, evidence)
    passed = is_named(issue.service, accepted, names)
    victim = not passed and is_named(issue.service, fault.victims, names)
    got = f"{issue.service or 'nothing'}{' (a victim)' if victim else ''}"
    return Check("service", passed, _line(f"expected {_expected('service', fault)}, got {got}"))


def _names_in(evidence: Evidence) -> set[str]:
    names = {name for record in evidence.logs for name in (record.service, record.host)}
    names |= {name for change in evidence.changes for name in (change.service, change.host)}
    names |= {series.service for series in evidence.metrics}
    names |= {alert.service for alert in evidence.alerts}
    return (names | {span.service for span in evidence.traces}) - {""}


def _check_cause(issue: Issue, fault: Fault, _evidence: Evidence) -> Check:
    result = meets(issue.title, issue.cause, fault.cause, fault.must_not)
    return Check("cause", result.met, _line(result.detail))


def _check_commit(issue: Issue, fault: Fault, evidence: Evidence) -> Check:
    blame = read_blame(issue.commits, evidence.shas)
    if not fault.commits:
        passed = not blame.invented and set(blame.shas) <= set(fault.contributing)
    else:
        passed = not set(fault.commits).isdisjoint(blame.shas)
    passed = passed and blame.count <= MAX_BLAMED
    detail = f"expected {_expected('commit', fault)}, got {_shown(blame)}"
    if blame.count > MAX_BLAMED:
        detail += f"; more than {MAX_BLAMED} commits blame nobody in particular"
    return Check("commit", passed, _line(detail))


def _check_others(
    issues: tuple[Issue, ...], fault: Fault, evidence: Evidence
) -> tuple[Check, Check]:
    if "commit" not in fault.graded:
        unjudged = "not judged: this incident does not grade the commit"
        return Check("innocent", None, unjudged), Check("alarms", None, unjudged)
    guilty = frozenset(fault.commits + fault.contributing)
    alarms = sum(issue.severity > Severity.INFO for issue in issues)
    detail = f"expected at most {MAX_ALARMS} issues of warning or worse, got {alarms}"
    return (
        _check_innocent(issues, guilty, evidence),
        Check("alarms", alarms <= MAX_ALARMS, detail),
    )


def _check_innocent(issues: tuple[Issue, ...], guilty: frozenset[str], evidence: Evidence) -> Check:
    blame = read_blame((text for issue in issues for text in issue.commits), evidence.shas)
    wronged = [_short(sha) for sha in blame.shas if sha not in guilty]
    wronged += [f"{_short(digits)} (invented)" for digits in blame.invented]
    got = f"blamed {', '.join(wronged)}" if wronged else "none blamed"
    return Check("innocent", not wronged, _line(f"expected no innocent commit blamed, {got}"))


def _in_order(graded: Iterable[CheckName]) -> tuple[CheckName, ...]:
    order: tuple[CheckName, ...] = ("service", "cause", "commit")
    return tuple(name for name in order if name in graded)


def _expected(name: CheckName, fault: Fault) -> str:
    if name == "service":
        return " or ".join((fault.service, *fault.also_ok))
    if name == "cause":
        return "the cause"
    return " or ".join(_short(sha) for sha in fault.commits) or "no commit"


def _shown(blame: Blame) -> str:
    parts = [_short(sha) for sha in blame.shas]
    parts += [f"{_short(digits)} (invented)" for digits in blame.invented]
    parts += [f"{text!r} (no sha, ignored)" for text in blame.other]
    return ", ".join(parts) or "no commit"


def _short(sha: str) -> str:
    return sha[:10]


def _line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_DETAIL else f"{text[: _LONGEST_DETAIL - 1]}…"


@cache
def scorer_digest() -> str:
    """Return the sha256 of all source between a raw reply and a verdict, as 64 hex digits."""
    folder = resources.files("pytest_rcabench.domain")
    return digest_of({name: folder.joinpath(name).read_bytes() for name in FROZEN_MODULES})


def digest_of(sources: Mapping[str, bytes]) -> str:
    """Return the sha256 of *sources* by name, however their lines end."""
    digest = hashlib.sha256()
    for name, source in sorted(sources.items()):
        text = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        digest.update(f"{name} {len(text)}\n".encode() + text)
    return digest.hexdigest()
