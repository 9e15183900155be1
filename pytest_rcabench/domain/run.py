"""A run as a value: which cell was asked, and what came of it; its JSON is in `cell_json`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_rcabench.domain.analysis import Usage
from pytest_rcabench.domain.analysis_json import analysis_from_json, analysis_to_json
from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.incident import evidence_digest, truth_digest
from pytest_rcabench.domain.model_analysis import source_of, with_source

if TYPE_CHECKING:
    from pytest_rcabench.domain.analysis import Analysis, Attempt
    from pytest_rcabench.domain.first_contact import FirstContact
    from pytest_rcabench.domain.incident import JSON, Incident
    from pytest_rcabench.domain.scoring import Verdict

Word: TypeAlias = Literal["pass", "half", "wrong", "unmeasured"]


@dataclass(frozen=True, slots=True, order=True)
class RunKey:
    """Identity of one cell: an incident's id, a column's name, and a round that counts from 1."""

    incident: str
    column: str
    round: int

    def __str__(self) -> str:
        """Show the key as the end of a node id: ``connection-leak::gemini::r2``."""
        return f"{self.incident}::{self.column}::r{self.round}"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the grid as it is recorded and reported: plain JSON behind a typed key.

    *verdict* is a scorer's mark or ``unmeasured``; exactly one of *analysis* and *error* is set, so
    that a wrong answer and a missing one never share a field. Neither is set where a verdict was
    transcribed from a page that does not show the answer. *model* and *request_id* are what the
    vendor answered with, empty where nobody said.
    """

    key: RunKey
    verdict: Word
    checks: tuple[dict[str, JSON], ...] = ()
    fault: str = ""
    right_cause_ranked: int | None = None
    analysis: dict[str, JSON] | None = None
    reply: str = ""
    model: str = ""
    request_id: str = ""
    usage: Usage = Usage()
    latency_s: float = 0.0
    attempts: tuple[Attempt, ...] = ()
    error: dict[str, JSON] | None = None

    @property
    def is_measured(self) -> bool:
        """Whether there is an answer that was scored."""
        return self.verdict != "unmeasured"

    @property
    def is_verdict_only(self) -> bool:
        """Whether the answer was not kept, so that nobody can read or score it again."""
        return self.is_measured and self.analysis is None


@dataclass(frozen=True, slots=True)
class GitState:
    """The state of the repository that a run was made in; None where git could not say.

    *tree* and *parents* tell where the run was when *head* is gone, as the merge commit of a pull
    request soon is.
    """

    head: str = ""
    dirty: bool | None = None
    shallow: bool | None = None
    tree: str = ""
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunInfo:
    """Which run this was; times are RFC 3339 UTC, *argv* is redacted, *package* is our version.

    *package_digest* names the code of it. *actions* names the run and the attempt where it was made
    in GitHub Actions.
    """

    id: str
    started: str
    finished: str
    git: GitState
    argv: tuple[str, ...]
    package: str
    actions: dict[str, JSON] | None = None
    package_digest: str = ""

    @property
    def is_replay(self) -> bool:
        """Whether nobody was asked: the answers are those of a run that had another commit."""
        return any(argument.startswith("--rca-replay") for argument in self.argv)


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """One system that was asked, as the head of a column."""

    name: str
    provider: str
    model: str = ""
    label: str = ""

    @property
    def is_control(self) -> bool:
        """Whether a control answered, naive or the oracle: no system under test."""
        return self.provider == "control"

    @property
    def title(self) -> str:
        """Name and label, for the head of the column; a label that starts with the name has it."""
        if self.label.casefold().startswith(self.name.casefold()):
            return self.label
        return f"{self.name} {self.label}".strip()


@dataclass(frozen=True, slots=True)
class IncidentInfo:
    """What a report needs to know of an incident without its file."""

    id: str
    title: str
    kind: str
    set: str
    difficulty: str
    twin_of: str
    graded: tuple[str, ...]
    evidence_digest: str
    truth_digest: str
    path: str
    git: dict[str, JSON] | None = None
    must_pass: bool = False


@dataclass(frozen=True, slots=True)
class ControlVerdict:
    """What a naive control gets on one incident."""

    control: str
    incident: str
    verdict: Word


@dataclass(frozen=True, slots=True)
class Move:
    """An incident's way from the held-out to the tuned set, which has no way back.

    *date* is the day in UTC, *change* the commit, address or version of the product that the
    incident led to, *commit* that of the move itself, empty where git could not say.
    """

    incident: str
    date: str
    change: str
    because: str
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """Everything one run found: what a results file holds and every report is made of.

    *cells* [n] are sorted by `RunKey`; *complete* says that every planned cell is there. Verdicts
    of different *scorer_digest* are never pooled. *first_contact* holds those of other runs.
    """

    run: RunInfo
    scorer_digest: str
    prompt_digest: str
    columns: tuple[ColumnInfo, ...]
    incidents: tuple[IncidentInfo, ...]
    cells: tuple[Cell, ...]
    controls: tuple[ControlVerdict, ...] = ()
    moves: tuple[Move, ...] = ()
    first_contact: tuple[FirstContact, ...] = ()
    complete: bool = True


def incident_info(
    incident: Incident, path: str, git: dict[str, JSON] | None = None
) -> IncidentInfo:
    """Return what results keep of *incident*, whose file is at *path*; *git* are its facts."""
    return IncidentInfo(
        id=incident.id,
        title=incident.title,
        kind=incident.kind,
        set=incident.set,
        difficulty=incident.difficulty,
        twin_of=incident.twin_of,
        graded=incident.graded,
        evidence_digest=evidence_digest(incident.evidence),
        truth_digest=truth_digest(incident),
        path=path,
        git=git,
        must_pass=incident.must_pass,
    )


def measured_cell(key: RunKey, analysis: Analysis, verdict: Verdict) -> Cell:
    """Return the cell of an answer that was scored."""
    model, request_id = source_of(analysis)
    return Cell(
        key=key,
        verdict=verdict.mark,
        checks=tuple(
            {"name": check.name, "passed": check.passed, "detail": check.detail}
            for check in verdict.checks
        ),
        fault=verdict.fault,
        right_cause_ranked=verdict.right_cause_ranked,
        analysis=analysis_to_json(analysis),
        reply=analysis.reply,
        model=model,
        request_id=request_id,
        usage=analysis.usage,
        latency_s=as_kept(analysis.latency_s),
        attempts=analysis.attempts,
    )


def unmeasured_cell(
    key: RunKey, reason: str, detail: str, attempts: tuple[Attempt, ...] = ()
) -> Cell:
    """Return the cell of an answer that is missing through no fault of the system under test."""
    return Cell(
        key=key,
        verdict="unmeasured",
        error={"reason": reason, "detail": detail},
        attempts=attempts,
        latency_s=as_kept(sum(attempt.latency_s for attempt in attempts)),
    )


def as_kept(latency_s: float) -> float:
    """Return *latency_s* as files hold it, so that a median of what is read is that of the run."""
    return round(latency_s, 6)


def kept_analysis(cell: Cell) -> Analysis:
    """Return the analysis of a measured *cell*, read afresh from its reply where it has one.

    A system in Python has none, and neither has an answer that broke off (crashed, deadline, ...):
    their analysis is what was kept of it.

    Raises: RecordError: if nothing was kept but the verdict.
    """
    if cell.analysis is None:
        raise RecordError(
            f"{cell.key}: of this answer only the verdict was kept"
            "; it cannot be scored again; use a results file that pytest --rca-json wrote"
        )
    kept = analysis_from_json(cell.analysis)
    # A fault that was not found by reading, such as "refused", stays whatever the reply says.
    is_readable = cell.reply and cell.fault in {"", "empty", "not_json", "invalid"}
    analysis = replace(
        read_answer(cell.reply) if is_readable else kept,
        reply=cell.reply,
        usage=cell.usage,
        left_out=kept.left_out,
        attempts=cell.attempts,
    )
    return with_source(analysis, cell.model, cell.request_id)
