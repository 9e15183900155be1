"""What controls are made of: an issue that a rule opens, and what rules read in the evidence."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from pytest_rcabench.domain.analysis import Analysis, Issue, Severity
from pytest_rcabench.domain.analysis_json import analysis_to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_rcabench.domain.incident import Change, Evidence, LogRecord

RANK = MappingProxyType({"WARN": 1, "ERROR": 2, "FATAL": 3})
_WORD = re.compile(r"[a-z][a-z0-9]{3,}")

Answer: TypeAlias = tuple[Issue, ...]


@dataclass(frozen=True, slots=True)
class Control:
    """A fixed rule that reads the evidence and answers without understanding it."""

    name: str
    rule: Callable[[Evidence], Answer]
    is_free = True

    def analyze(self, evidence: Evidence) -> Analysis:
        """Return what the rule says about *evidence*."""
        return as_analysis(self.rule(evidence))


def as_analysis(answer: Answer) -> Analysis:
    """Return *answer* with the reply that reads back as it."""
    reply = json.dumps(analysis_to_json(Analysis(issues=answer)), ensure_ascii=False)
    return Analysis(issues=answer, reply=reply)


def open_issue(
    title: str, service: str, cause: str, commits: tuple[str, ...], reasoning: str
) -> Answer:
    """Return the answer of one issue; every control's is an error."""
    return (Issue(title, Severity.ERROR, service, cause, commits, reasoning=reasoning),)


def blame(evidence: Evidence, change: Change | None, rule: str) -> Answer:
    """Return an issue that blames *change* in its own words, or silence where there is none."""
    if change is None:
        return ()
    named = (change.type, change.service, change.key, change.version)
    said = change.message.strip().partition("\n")[0] or " ".join(filter(None, named))
    service = change.service or loudest(evidence)
    return open_issue(said, service, said, (change.sha,) if change.sha else (), rule)


def echo(record: LogRecord) -> Answer:
    """Return an issue that repeats *record*, with its service, or its host where it has none."""
    place = record.service or record.host
    return open_issue(record.message, place, record.message, (), "Repeats a log record.")


def of_type(evidence: Evidence, wanted: str) -> Iterator[Change]:
    """Yield the changes of the type *wanted*, as listed."""
    return (change for change in evidence.changes if change.type == wanted)


def newest(changes: Iterable[Change]) -> Change | None:
    """Return the newest of *changes*, of equals the first listed."""
    return max(changes, key=lambda change: change.time, default=None)


def alarming(evidence: Evidence) -> Iterator[LogRecord]:
    """Yield the records at WARN or worse, as listed."""
    return (record for record in evidence.logs if record.level in RANK)


def loudest(evidence: Evidence) -> str:
    """Return the service with most records at WARN or worse, or else with most records."""
    counts = Counter(record.service for record in alarming(evidence)) or Counter(
        record.service for record in evidence.logs
    )
    return counts.most_common(1)[0][0] if counts else ""


def words(texts: Iterable[str]) -> set[str]:
    """Return the distinct words of four letters or more."""
    return {word for text in texts for word in _WORD.findall(text.casefold())}


def described(docstring: str | None) -> str:
    """Return *docstring* in one line, as a page shows it."""
    return " ".join((docstring or "").split())
