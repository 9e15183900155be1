"""What makes an incident fair: one small function a rule, and what runs them over files.

A new rule is a function and its name in one of the tuples `RULES`, `NOTES` and `SET_RULES`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pytest_rcabench.domain.errors import IncidentError, Problem, RcabenchError
from pytest_rcabench.domain.incident import Fault
from pytest_rcabench.files.incident_document import Document
from pytest_rcabench.files.incident_names import looks_like_incident
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.files.yaml_nodes import read_nodes
from pytest_rcabench.lint.rubric_examples import check_examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pytest_rcabench.domain.incident import Evidence, Incident


class Finding(NamedTuple):
    """What a rule found: *where* in the file, such as ("changes", 0, "sha"), and *what* to do."""

    where: tuple[str | int, ...]
    what: str


Rule: TypeAlias = "Callable[[Incident], Iterable[Finding]]"
SetRule: TypeAlias = "Callable[[tuple[Incident, ...]], Iterable[tuple[Incident, Finding]]]"


@dataclass(frozen=True, slots=True)
class LintReport:
    """What was found in *files* incidents: *errors* make them unfair, *notes* only tell."""

    files: int
    errors: tuple[Problem, ...]
    notes: tuple[Problem, ...]

    def __str__(self) -> str:
        """Return a line for each finding, notes first, and a line of counts."""
        counts = f"{self.files} incidents: {len(self.errors)} errors, {len(self.notes)} notes"
        return "\n".join(
            [*(f"note: {note}" for note in self.notes), *map(str, self.errors), counts]
        )


def expected_name_is_in_evidence(incident: Incident) -> Iterator[Finding]:
    """The expected service, or another accepted name, is one that an analyser can find."""
    if not isinstance(incident.truth, Fault):
        return
    names = (incident.truth.service, *incident.truth.also_ok)
    if not any(_occurs(name, incident.evidence) for name in names):
        yield Finding(
            ("expected", "service"),
            f"{' or '.join(names)} is named nowhere in the evidence; use a name that is",
        )


def noises_began_before_onset(incident: Incident) -> Iterator[Finding]:
    """A declared noise is old: some record before the onset matches it."""
    onset = incident.truth.onset if isinstance(incident.truth, Fault) else None
    logs = incident.evidence.logs
    old = [record.message for record in logs if onset is None or record.time < onset]
    for index, distractor in enumerate(incident.distractors):
        if distractor.noise and not any(re.search(distractor.match, text) for text in old):
            yield Finding(
                ("distractors", index, "match"),
                f"{distractor.match!r} matches no record before the onset; "
                "let the noise begin earlier, or correct the pattern",
            )


def examples_hold(incident: Incident) -> Iterator[Finding]:
    """The rubric accepts its right examples and refuses its wrong ones."""
    return (Finding(("examples",), what) for what in check_examples(incident))


def changes_keep_file_order(incident: Incident) -> Iterator[Finding]:
    """An import may list its changes in another order than that of their times."""
    times = [change.time for change in incident.evidence.changes]
    if incident.source.origin == "imported" and times != sorted(times):
        yield Finding(
            ("changes",), "imported: they keep the order of their files, not of their times"
        )


def ids_differ(incidents: tuple[Incident, ...]) -> Iterator[tuple[Incident, Finding]]:
    """No two files of a set have the same id."""
    first: dict[str, Incident] = {}
    for incident in incidents:
        other = first.setdefault(incident.id, incident)
        if other is not incident:
            what = f"{incident.id} is also the id of {other.place.path}; rename one of them"
            yield incident, Finding(("id",), what)


RULES: tuple[Rule, ...] = (
    expected_name_is_in_evidence,
    noises_began_before_onset,
    examples_hold,
)
NOTES: tuple[Rule, ...] = (changes_keep_file_order,)
SET_RULES: tuple[SetRule, ...] = (ids_differ,)


def lint_incident(
    incident: Incident, text: str, rules: Iterable[Rule] = RULES
) -> tuple[Problem, ...]:
    """Return what *rules* find in *incident*, placed in the *text* that it was read from."""
    return _placed(incident, text, (finding for rule in rules for finding in rule(incident)))


def lint_paths(paths: Iterable[Path]) -> LintReport:
    """Return what all rules find in the incident files at and below *paths*.

    Raises: RcabenchError: if there is no such file.
    """
    errors: list[Problem] = []
    notes: list[Problem] = []
    texts: dict[str, str] = {}
    incidents: list[Incident] = []
    files = sorted({file for path in paths for file in _incident_files(path)})
    for file in files:
        try:
            incident = read_incident(file)
        except IncidentError as error:
            errors += error.problems
            continue
        text = texts[incident.place.path] = file.read_text("utf-8-sig")
        incidents.append(incident)
        errors += lint_incident(incident, text)
        notes += lint_incident(incident, text, NOTES)
    for rule in SET_RULES:
        for incident, finding in rule(tuple(incidents)):
            errors += _placed(incident, texts[incident.place.path], [finding])
    return LintReport(len(files), tuple(sorted(errors)), tuple(sorted(notes)))


def _incident_files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    found = [
        file
        for pattern in ("*.yaml", "*.yml")
        for file in path.rglob(pattern)
        if looks_like_incident(file)
    ]
    if not found:
        raise RcabenchError(f"{path}: no incident file here; give a file or a folder of them")
    yield from found


def _placed(incident: Incident, text: str, findings: Iterable[Finding]) -> tuple[Problem, ...]:
    found = tuple(findings)
    if not found:
        return ()  # most files are clean, and finding a place means parsing once more
    document = Document(incident.place.path)
    document.root = read_nodes(text, document.report) or document.root
    for finding in found:
        document.report_at(finding.where, finding.what)
    return tuple(document.problems)


def _occurs(name: str, evidence: Evidence) -> bool:
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
    texts = chain(
        chain.from_iterable(record[1:] for record in evidence.logs),
        chain.from_iterable((series.service, series.name) for series in evidence.metrics),
        chain.from_iterable(
            (change.service, change.host, change.message) for change in evidence.changes
        ),
        chain.from_iterable((alert.service, alert.summary) for alert in evidence.alerts),
        chain.from_iterable((span.service, span.name) for span in evidence.traces),
    )
    return any(word.search(text) for text in texts)
