"""What makes an incident fair: the list of all rules, and what runs them over files.

A new rule is a function and its name in one of the tuples below. What cannot be edited, an import,
gets notes where an incident of ours would get errors.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import IncidentError, Problem, RcabenchError
from pytest_rcabench.domain.incident import Fault
from pytest_rcabench.files.incident_document import Document, TooManyProblems
from pytest_rcabench.files.incident_names import looks_like_incident
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.files.moves import LEDGER_NAME, ledger_of
from pytest_rcabench.files.yaml_nodes import read_nodes
from pytest_rcabench.lint import (
    clocks,
    control_gate,
    distractors,
    leaks,
    lines,
    mutants,
    set_rules,
    sizes,
)
from pytest_rcabench.lint.finding import Finding, Rule, SetRule
from pytest_rcabench.lint.ledger import ledger_problems
from pytest_rcabench.lint.rubric_examples import check_examples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_rcabench.domain.incident import Evidence, Incident
    from pytest_rcabench.lint.control_gate import Trial


@dataclass(frozen=True, slots=True)
class LintReport:
    """What was found in *files* incidents: *errors* make them unfair, *notes* only tell.

    *tables* are lines of figures for readers; *mutants* counts those of the scorer, and *killed*
    those of them that got the verdict they deserve.
    """

    files: int
    errors: tuple[Problem, ...]
    notes: tuple[Problem, ...]
    tables: tuple[str, ...] = ()
    mutants: int = 0
    killed: int = 0

    def __str__(self) -> str:
        """Return a line for each finding, notes first, then the tables, then a line of counts."""
        numbers = {"incident": self.files, "error": len(self.errors), "note": len(self.notes)}
        files, *found = (f"{n} {noun}{'s' * (n != 1)}" for noun, n in numbers.items())
        counts = f"{files}: {', '.join(found)}; {self.killed} of {self.mutants} mutants killed"
        notes = (f"note: {note}" for note in self.notes)
        errors = (f"error: {error}" for error in self.errors)
        return "\n".join([*notes, *errors, *self.tables, counts])


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


RULES: tuple[Rule, ...] = (
    expected_name_is_in_evidence,
    distractors.noises_began_before_onset,
    examples_hold,
)
FAIRNESS: tuple[Rule, ...] = (
    leaks.no_text_is_the_cause,
    leaks.words_of_the_truth_are_not_said,
    leaks.culprits_are_not_named,
    leaks.settings_are_not_named,
    leaks.notes_are_hidden,
    distractors.noises_keep_their_rate,
    distractors.distractors_are_plausible,
    clocks.metrics_stay_in_the_window,
    clocks.counters_count,
    clocks.causes_come_before_effects,
)
# What the shipped incidents have and an own one may lack.
SHIPPED: tuple[Rule, ...] = (
    distractors.an_innocent_is_nearer_to_onset,
    distractors.something_complains_before_onset,
    clocks.lead_in_is_long,
    sizes.evidence_has_its_size,
    sizes.hunks_are_whole,
    sizes.truth_is_elaborate,
)
NOTES: tuple[Rule, ...] = (changes_keep_file_order,)
SET_RULES: tuple[SetRule, ...] = (
    set_rules.ids_differ,
    set_rules.culprits_have_no_usual_rank,
    set_rules.healthy_windows_complain_too,
)


def lint_paths(paths: Iterable[Path]) -> LintReport:
    """Return what all rules find in the incident files at and below *paths*, and in their ledgers.

    Raises: RcabenchError: if there is no such file.
    """
    lint = _Lint()
    paths = tuple(paths)
    # One file may be named in two ways.
    names = {file.resolve(): file for path in paths for file in _incident_files(path)}
    files = sorted(names.values())
    ledgers = {*map(ledger_of, files), *(path for path in paths if path.name == LEDGER_NAME)}
    for ledger in {path.resolve(): path for path in ledgers}.values():
        lint.errors += ledger_problems(ledger)
    for file in files:
        try:
            lint.read(file)
        except IncidentError as error:
            lint.errors += error.problems
    for read in lint.read_files:
        lint.check(read)
    lint.check_set()
    return LintReport(
        len(files),
        tuple(sorted(lint.errors)),
        tuple(sorted(lint.notes)),
        tuple(lint.tables()),
        lint.mutants,
        lint.killed,
    )


@dataclass(frozen=True, slots=True)
class _ReadFile:
    incident: Incident
    document: Document

    def placed(self, findings: Iterable[Finding]) -> tuple[Problem, ...]:
        """Return *findings* as problems, each at its place in the file."""
        document = Document(self.document.path)
        document.root = self.document.root
        with suppress(TooManyProblems):  # the last problem says so
            for finding in findings:
                document.report_at(finding.where, finding.what)
        return tuple(document.problems)


@dataclass(slots=True)
class _Lint:
    """The findings so far, and the files they are about."""

    errors: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    read_files: list[_ReadFile] = field(default_factory=list)
    trials: dict[str, tuple[Trial, ...]] = field(default_factory=dict)
    mutants: int = 0
    killed: int = 0

    def read(self, file: Path) -> None:
        """Take in one file. Raises: IncidentError: if it cannot be read."""
        incident = read_incident(file)
        document = Document(incident.place.path)
        text = file.read_text("utf-8-sig")
        document.root = read_nodes(text, document.report) or document.root
        self.read_files.append(_ReadFile(incident, document))

    def check(self, read: _ReadFile) -> None:
        """Apply the rules about a single incident."""
        incident = read.incident
        is_ours = incident.source.origin == "written"
        self.errors += read.placed(_found(RULES, incident))
        unfair = self.errors if is_ours else self.notes
        unfair += read.placed(_found(FAIRNESS, incident))
        unfair += read.placed(lines.lines_keep_their_layout(read.document))
        trials = self.trials[incident.id] = control_gate.try_controls(incident)
        if is_ours:  # of others, the table tells
            self.errors += read.placed(control_gate.solves(incident, trials))
            self.errors += read.placed(control_gate.comes_near(incident, trials))
        self.notes += read.placed(_found((*NOTES, *(SHIPPED if is_ours else ())), incident))
        count, survivors = mutants.survivors(incident, self._phrases())
        self.mutants += count
        self.killed += count - len(survivors)
        unfair += read.placed(map(mutants.told, survivors))

    def check_set(self) -> None:
        """Apply the rules about all incidents together."""
        by_incident = {id(read.incident): read for read in self.read_files}
        incidents = tuple(read.incident for read in self.read_files)
        found = [*chain.from_iterable(rule(incidents) for rule in SET_RULES)]
        written = {i.id: i for i in incidents if i.source.origin == "written"}
        found += control_gate.set_findings(self.trials, written)
        for incident, finding in found:
            self.errors += by_incident[id(incident)].placed([finding])

    def tables(self) -> Iterator[str]:
        """Yield the lines of figures for readers."""
        if not self.read_files:
            return
        yield "Lines that continue a record:"
        for read in self.read_files:
            yield f"  {read.incident.id}: {lines.share_continued(read.document)}"
        yield "Controls that come near, of those that know where to look without being told:"
        incidents = {read.incident.id: read.incident for read in self.read_files}
        yield from (f"  {line}" for line in control_gate.controls_table(self.trials, incidents))

    def _phrases(self) -> tuple[str, ...]:
        truths = (read.incident.truth for read in self.read_files)
        return tuple(g[0] for truth in truths if isinstance(truth, Fault) for g in truth.cause)


def _found(rules: Iterable[Rule], incident: Incident) -> Iterator[Finding]:
    return (finding for rule in rules for finding in rule(incident))


def _incident_files(path: Path) -> Iterator[Path]:
    if path.is_file():
        if path.name != LEDGER_NAME:  # as a pre-commit hook may name it
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


def _occurs(name: str, evidence: Evidence) -> bool:
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
    texts = chain(
        chain.from_iterable((log.service, log.host, log.message) for log in evidence.logs),
        chain.from_iterable((series.service, series.name) for series in evidence.metrics),
        chain.from_iterable(
            (change.service, change.host, change.message) for change in evidence.changes
        ),
        chain.from_iterable((alert.service, alert.summary) for alert in evidence.alerts),
        chain.from_iterable((span.service, span.name) for span in evidence.traces),
    )
    return any(word.search(text) for text in texts)
