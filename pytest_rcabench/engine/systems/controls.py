"""The naive controls, which a benchmark must not reward, and the oracle, which it must."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from pytest_rcabench.domain.analysis import Analysis, Issue, Severity, analysis_to_json
from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.domain.incident import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_rcabench.domain.incident import Change, Evidence, Incident, LogRecord

_RANK = MappingProxyType({"WARN": 1, "ERROR": 2, "FATAL": 3})
_WORD = re.compile(r"[a-z][a-z0-9]{3,}")

# Fifty phrases, eighty words: as much as the scorer reads of a cause.
_SALAD = (
    "leak, exhaustion, memory leak, out of memory, disk full, throttled, retry storm, timeout "
    "lowered, deadlock, lock contention, slow query, missing index, rewrite, migration, "
    "replication lag, consumer lag, rebalance loop, clock skew, certificate expired, password "
    "rotated, token expired, secret changed, permission denied, dns failure, packet loss, "
    "network partition, rate limit, quota exceeded, autoscaler cap, replicas lowered, traffic "
    "spike, cache stampede, bottleneck, feature flag, wrong configuration, null pointer, race, "
    "regression, rollback, misconfigured, overload, backpressure, throttling, eviction, "
    "crashloop, starvation, watermark, outage, typo, cron"
)

Answer: TypeAlias = tuple[Issue, ...]


@dataclass(frozen=True, slots=True)
class Control:
    """A fixed rule that reads the evidence and answers without understanding it."""

    name: str
    rule: Callable[[Evidence], Answer]
    is_free = True

    def analyze(self, evidence: Evidence) -> Analysis:
        """Return what the rule says about *evidence*."""
        return _as_analysis(self.rule(evidence))


@dataclass(frozen=True, slots=True)
class Oracle:
    """Answers from the truth, and must pass everything.

    That is the expected service, the first phrase of each group of the rubric and the first of the
    expected commits; a healthy window gets no issue.
    """

    name: str = "oracle"
    is_free = True

    def analyze(self, evidence: Evidence) -> Analysis:
        """Refuse. Raises: OptionError: always, for the truth is not in *evidence*."""
        del evidence
        raise OptionError("control:oracle answers from the truth; hand it the incident")

    def answer_from(self, incident: Incident) -> Analysis:
        """Return the analysis that must pass every check of *incident*."""
        fault = incident.truth
        if not isinstance(fault, Fault):
            return _as_analysis(())
        phrases = [_spoken(group[0]) for group in fault.cause] or ["the expected cause"]
        # A sentence each: a negation in one phrase must not reach into the next.
        cause = ". ".join(phrases) + "."
        return _as_analysis(
            _issue(
                title=phrases[0],
                service=fault.service,
                cause=cause,
                commits=fault.commits[:1],
                reasoning="Taken from the truth of the incident.",
            )
        )


def control(name: str) -> Control | Oracle:
    """Return the control called *name*. Raises: OptionError: if there is none of that name."""
    if name in CONTROLS:
        return CONTROLS[name]
    near = difflib.get_close_matches(name, CONTROLS, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise OptionError(f"control:{name}: no such control{hint}; known: {', '.join(CONTROLS)}")


def echoes(evidence: Evidence) -> Iterator[Analysis]:
    """Yield each distinct record at WARN or worse, then each alert, as an answer without commit."""
    seen: set[tuple[str, str, str]] = set()
    for record in _alarming(evidence):
        place = (record.service, record.host, record.message)
        if place not in seen:
            seen.add(place)
            yield _as_analysis(_echoed(record))
    for alert in evidence.alerts:
        yield _as_analysis(
            _issue(alert.summary, alert.service, alert.summary, (), "Repeats an alert.")
        )


def controls_page() -> str:
    """Return the text of ``docs/reference/controls.md``, made from the registry."""
    lines = [
        "# Controls",
        "",
        "A control answers by a fixed rule and understands nothing.",
        "What a control can solve, the benchmark does not measure.",
        "Ask one by `--rca-provider=control:NAME`.",
        "Every issue a control opens has the severity `error`, no `ruled_out` and no `evidence`;",
        "its `reasoning` says which rule was used.",
        "",
        "Where a rule names a record, a message or an alert, its text is both title and cause.",
        "Where a rule blames a change, title and cause are the first line of the change's message,",
        "or its type, service, key and version where it has no message;",
        "the service is the change's own, or the loudest service where the change names none;",
        "`commits` holds the change's sha, and is empty where it has none.",
        "The loudest service is the one with most records at WARN or worse,",
        "or with most records where none is that bad; of equals the first seen.",
        "A rule that finds nothing to name is silent.",
        "",
        "| control | what it answers |",
        "|---|---|",
    ]
    lines += [f"| `{name}` | {_described(known)} |" for name, known in CONTROLS.items()]
    return "\n".join(lines) + "\n"


def _described(known: Control | Oracle) -> str:
    text = known.rule.__doc__ if isinstance(known, Control) else known.__doc__
    return " ".join((text or "").split())


def _silent(_: Evidence) -> Answer:
    """No issue at all."""
    return ()


def _latest_commit(evidence: Evidence) -> Answer:
    """Blames the newest commit of the window; of equals the first listed."""
    return _blame(evidence, _newest(_of_type(evidence, "commit")), "The newest commit.")


def _latest_deploy(evidence: Evidence) -> Answer:
    """Blames the newest deploy of the window; of equals the first listed."""
    return _blame(evidence, _newest(_of_type(evidence, "deploy")), "The newest deploy.")


def _first_deploy(evidence: Evidence) -> Answer:
    """Blames the deploy that is listed first."""
    return _blame(evidence, next(_of_type(evidence, "deploy"), None), "The first deploy listed.")


def _alert_service_deploy(evidence: Evidence) -> Answer:
    """Blames the newest deploy of the service of the first alert."""
    alerting = evidence.alerts[0].service if evidence.alerts else ""
    deploys = (change for change in _of_type(evidence, "deploy") if change.service == alerting)
    return _blame(evidence, _newest(deploys), "The newest deploy of the alerting service.")


def _loudest_service(evidence: Evidence) -> Answer:
    """Names the loudest service, its most frequent message at WARN or worse, and no commit."""
    service = _loudest(evidence)
    messages = Counter(
        record.message for record in _alarming(evidence) if record.service == service
    )
    said = messages.most_common(1)[0][0] if messages else f"{service} logs more than the rest"
    return _issue(said, service, said, (), "The service that complains most.") if service else ()


def _first_listed(evidence: Evidence) -> Answer:
    """Blames the change that is listed first, whatever its type."""
    return _blame(evidence, next(iter(evidence.changes), None), "The first change listed.")


def _longest_diff(evidence: Evidence) -> Answer:
    """Blames the commit with most characters in its diff; of equals the first listed."""
    longest = max(_of_type(evidence, "commit"), key=lambda commit: len(commit.diff), default=None)
    return _blame(evidence, longest, "The longest diff.")


def _alert_echo(evidence: Evidence) -> Answer:
    """Names the service of the first alert, the alert's summary, and no commit."""
    for alert in evidence.alerts:
        return _issue(alert.summary, alert.service, alert.summary, (), "Repeats the first alert.")
    return ()


def _keyword_overlap(evidence: Evidence) -> Answer:
    """Blames the commit that shares most distinct words with what went wrong.

    That is its message, file names and diff against the records at WARN or worse and the alerts,
    in words of four letters or more; of equals the first listed.
    """
    heard = _words(record.message for record in _alarming(evidence))
    heard |= _words(alert.summary for alert in evidence.alerts)
    nearest = max(
        _of_type(evidence, "commit"),
        key=lambda commit: len(heard & _words((commit.message, commit.diff, *commit.files))),
        default=None,
    )
    return _blame(evidence, nearest, "Shares most words with the errors.")


def _echo(evidence: Evidence) -> Answer:
    """Names the first record of the worst level at WARN or worse, its place, and no commit.

    Its place is its service, or its host where it has no service.
    """
    worst = max(_alarming(evidence), key=lambda record: _RANK[record.level], default=None)
    return _echoed(worst) if worst else ()


def _word_salad(evidence: Evidence) -> Answer:
    """Names the loudest service, a cause that lists fifty phrases of the trade, and no commit."""
    return _issue("Outage", _loudest(evidence), _SALAD, (), "Says everything at once.")


CONTROLS: Mapping[str, Control | Oracle] = MappingProxyType(
    {
        known.name: known
        for known in (
            Control("silent", _silent),
            Control("latest-commit", _latest_commit),
            Control("latest-deploy", _latest_deploy),
            Control("first-deploy", _first_deploy),
            Control("alert-service-deploy", _alert_service_deploy),
            Control("loudest-service", _loudest_service),
            Control("first-listed", _first_listed),
            Control("longest-diff", _longest_diff),
            Control("alert-echo", _alert_echo),
            Control("keyword-overlap", _keyword_overlap),
            Control("echo", _echo),
            Control("word-salad", _word_salad),
            Oracle(),
        )
    }
)


def _as_analysis(answer: Answer) -> Analysis:
    reply = json.dumps(analysis_to_json(Analysis(issues=answer)), ensure_ascii=False)
    return Analysis(issues=answer, reply=reply)


def _issue(
    title: str, service: str, cause: str, commits: tuple[str, ...], reasoning: str
) -> Answer:
    return (Issue(title, Severity.ERROR, service, cause, commits, reasoning=reasoning),)


def _blame(evidence: Evidence, change: Change | None, rule: str) -> Answer:
    if change is None:
        return ()
    named = (change.type, change.service, change.key, change.version)
    said = change.message.strip().partition("\n")[0] or " ".join(filter(None, named))
    service = change.service or _loudest(evidence)
    return _issue(said, service, said, (change.sha,) if change.sha else (), rule)


def _echoed(record: LogRecord) -> Answer:
    place = record.service or record.host
    return _issue(record.message, place, record.message, (), "Repeats a log record.")


def _of_type(evidence: Evidence, wanted: str) -> Iterator[Change]:
    return (change for change in evidence.changes if change.type == wanted)


def _newest(changes: Iterable[Change]) -> Change | None:
    return max(changes, key=lambda change: change.time, default=None)


def _alarming(evidence: Evidence) -> Iterator[LogRecord]:
    return (record for record in evidence.logs if record.level in _RANK)


def _loudest(evidence: Evidence) -> str:
    counts = Counter(record.service for record in _alarming(evidence)) or Counter(
        record.service for record in evidence.logs
    )
    return counts.most_common(1)[0][0] if counts else ""


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.casefold())}


def _spoken(phrase: str) -> str:
    # "size * small" leaves a word open, which is filled; "leak*" leaves an ending open.
    return " ".join("then" if word == "*" else word.rstrip("*") for word in phrase.split())
