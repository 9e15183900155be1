"""The gate of the controls: what answers without understanding must not come near the truth."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_rcabench.domain.analysis import Analysis
from pytest_rcabench.domain.incident import Fault
from pytest_rcabench.domain.scoring import score
from pytest_rcabench.engine.systems.controls import CONTROLS, Oracle, echoes
from pytest_rcabench.engine.systems.controls_parts import Control
from pytest_rcabench.engine.systems.controls_tricks import STRATEGIES, TRICKS
from pytest_rcabench.lint.finding import Finding
from pytest_rcabench.lint.set_rules import FEWEST

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.scoring import Mark

_OFTEN = 1 / 3
_MOST = 1 / 2
_SHOWN = 6
_REMEDY = (
    "change the evidence, not the control; a window that must stay as it happened has "
    "`source: {origin: imported, name: …}`"
)
_ASKED = (*(c for c in CONTROLS.values() if isinstance(c, Control)), *TRICKS.values())
_READERS_OF_SILENCE = ("no-error-is-healthy", "no-alert-is-healthy")


@dataclass(frozen=True, slots=True)
class Trial:
    """What one *control* got on one incident.

    *service* and *commit* say whether those were right; *near* whether everything would be, had it
    been lent title and cause of the truth.
    """

    control: str
    mark: Mark
    service: bool = False
    commit: bool = False
    near: bool = False


def try_controls(incident: Incident) -> tuple[Trial, ...]:
    """Return what every control but the oracle gets on *incident*; on a fault, each echo too."""
    evidence = incident.evidence
    trials = [_try(known.name, known.analyze(evidence), incident) for known in _ASKED]
    if not incident.is_healthy:
        trials += [_try("echo in turn", analysis, incident) for analysis in echoes(evidence)]
    return tuple(trials)


def solves(incident: Incident, trials: Sequence[Trial]) -> Iterator[Finding]:
    """No control gets a pass or a half on a faulty window."""
    if incident.is_healthy:
        return
    if found := dict.fromkeys(trial.control for trial in trials if trial.mark != "wrong"):
        what = f"solved without understanding, by {_names(list(found))}"
        yield Finding(("expected",), f"{what}; {_REMEDY}")


def comes_near(incident: Incident, trials: Sequence[Trial]) -> Iterator[Finding]:
    """On a window with a culprit, no control gets service and commit, though the cause is lent.

    Where no commit is at fault the same makes the window easy, see `is_easy`.
    """
    fault = incident.truth
    if not isinstance(fault, Fault) or not fault.commits or "service" not in fault.graded:
        return
    if found := near(trials):
        what = f"service and commit are right by {_names(found)}, with only the cause left to say"
        yield Finding(("expected", "commit"), f"{what}; {_REMEDY}")


def near(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Return the controls that would be right with the cause of the truth lent to them."""
    return tuple(trial.control for trial in trials if trial.near and trial.control in STRATEGIES)


def is_easy(incident: Incident, trials: Sequence[Trial]) -> bool:
    """Return whether no commit is at fault and some control has the service."""
    fault = incident.truth
    if not isinstance(fault, Fault) or "service" not in fault.graded:
        return False
    return not fault.commits and bool(near(trials))


def set_findings(
    trials: Mapping[str, Sequence[Trial]], incidents: Mapping[str, Incident]
) -> Iterator[tuple[Incident, Finding]]:
    """Yield what the controls get over all *incidents*, by id, that no naive rule should.

    A place between the ends of an order is judged by its commits alone: of a hundred such places
    some will often name the service that most commits are about.
    """
    faulty = [i for i in incidents.values() if not i.is_healthy and "service" in i.graded]
    if len(faulty) < FEWEST:
        return
    for part, judged in (("service", STRATEGIES), ("commit", TRICKS.keys() | STRATEGIES)):
        alike: dict[str, list[str]] = {}
        for name, count in _right(part, faulty, trials, judged).items():
            if count > _OFTEN * len(faulty):
                ids = ", ".join(i.id for i in faulty if _has(part, name, trials[i.id]))
                alike.setdefault(f"in {count} of {len(faulty)} windows ({ids})", []).append(name)
        for where, names in alike.items():
            what = f"the {part} is right {where} by {_names(names)}; change some of them"
            yield faulty[0], Finding(("expected",), what)
    blameless = [i for i in faulty if isinstance(i.truth, Fault) and not i.truth.commits]
    easy = [i for i in blameless if is_easy(i, trials[i.id])]
    if len(easy) > _MOST * len(blameless):
        what = f"{len(easy)} of {len(blameless)} windows without a culprit are easy"
        ids = ", ".join(f"{i.id} by {near(trials[i.id])[0]}" for i in easy)
        yield easy[0], Finding(("expected", "service"), f"{what} ({ids}); make some harder")
    healthy = [i for i in incidents.values() if i.is_healthy]
    for name in _READERS_OF_SILENCE:
        solved = [i for i in healthy if any(t == Trial(name, "pass") for t in trials[i.id])]
        if len(solved) > _MOST * len(healthy):
            what = f"control:{name} passes {len(solved)} of {len(healthy)} healthy windows"
            yield solved[0], Finding(("kind",), f"{what}; let them alarm as faulty ones do")


def describe_trials(incident: Incident, trials: Sequence[Trial]) -> str:
    """Return which controls come near on *incident*, in one line."""
    if incident.is_healthy:
        right = [t.control for t in trials if t.mark == "pass" and t.control in STRATEGIES]
        return f"right by {_names(right)}"
    told = []
    for part in incident.graded:
        right = [t.control for t in trials if t.control in STRATEGIES and getattr(t, part, False)]
        if part == "commit" and not (isinstance(incident.truth, Fault) and incident.truth.commits):
            told.append("no commit to name")
        elif part != "cause":
            told.append(f"{part} by {_names(right)}")
    return "; ".join([*told, f"all but the cause by {_names(near(trials))}"])


def controls_table(
    trials: Mapping[str, Sequence[Trial]], incidents: Mapping[str, Incident]
) -> tuple[str, ...]:
    """Return a line for each faulty incident, and one of the controls most often right."""
    faulty = [incident for incident in incidents.values() if not incident.is_healthy]
    lines = [
        f"{incident.id}{' (easy)' if is_easy(incident, trials[incident.id]) else ''}: "
        f"{describe_trials(incident, trials[incident.id])}"
        for incident in faulty
    ]
    for part in ("service", "commit"):
        best = _right(part, faulty, trials, STRATEGIES).most_common(_SHOWN)
        told = ", ".join(f"{name} {count}" for name, count in best)
        lines.append(f"{part} right in most of {len(faulty)} faulty windows: {told or 'none'}")
    return tuple(lines)


def _try(name: str, analysis: Analysis, incident: Incident) -> Trial:
    verdict = score(analysis, incident)
    if incident.is_healthy or not analysis.issues:
        return Trial(name, verdict.mark)
    (truth,) = Oracle().answer_from(incident).issues
    lent = replace(analysis.issues[0], title=truth.title, cause=truth.cause)
    near = score(Analysis(issues=(lent,)), incident).mark != "wrong"
    passed = {check.name: check.passed is True for check in verdict.checks}
    service, commit = passed.get("service", False), passed.get("commit", False)
    return Trial(name, verdict.mark, service, commit, near)


def _right(
    part: str,
    incidents: Sequence[Incident],
    trials: Mapping[str, Sequence[Trial]],
    judged: Collection[str],
) -> Counter[str]:
    return Counter(
        trial.control
        for incident in incidents
        for trial in trials[incident.id]
        if getattr(trial, part) and trial.control in judged
    )


def _has(part: str, name: str, trials: Sequence[Trial]) -> bool:
    return any(getattr(trial, part) for trial in trials if trial.control == name)


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more or "none"
