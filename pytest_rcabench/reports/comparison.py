"""A run held against earlier ones: what became of its verdicts, and whether a gate must stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rcabench.reports.baseline import (
    choose_baseline,
    refuse_verdicts_alone,
    rounds_of,
)
from pytest_rcabench.reports.caveats import too_few
from pytest_rcabench.reports.figures import counted, graded_text, percent, points
from pytest_rcabench.reports.gate import is_dead, is_death_certain, judge
from pytest_rcabench.reports.pairing import pair_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.run import Cell, Results, RunInfo
    from pytest_rcabench.reports.gate import Judgement, Verdict
    from pytest_rcabench.reports.pairing import Pair


@dataclass(frozen=True, slots=True)
class Family:
    """The pairs of one column that are judged together: of one set, all faulty or all healthy.

    They are graded by the same checks, as everywhere where cells are pooled.
    """

    column: str
    name: str
    pairs: tuple[Pair, ...]
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class BaseColumn:
    """What one column is held against: *runs*, newest first, and the *models* that answered.

    *new_models* are those that answered in the new run.
    """

    column: str
    runs: tuple[RunInfo, ...]
    rounds: int
    models: tuple[str, ...]
    new_models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of the verdicts of *run* since its baseline, and whether that is red.

    *verdict* is about the change alone. A run can be red without one; *reasons* says why, in a
    sentence each. So do *left_out*, of what could not be compared, and *rescored*, of the verdicts
    that today's scorer and rubrics change.
    """

    run: RunInfo
    verdict: Verdict
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]
    families: tuple[Family, ...]
    baseline: tuple[BaseColumn, ...]
    left_out: tuple[str, ...] = ()
    rescored: tuple[str, ...] = ()

    @property
    def is_red(self) -> bool:
        """Whether a gate must stop here."""
        return bool(self.reasons)

    @property
    def changes(self) -> tuple[Pair, ...]:
        """The pairs whose score changed, worst first."""
        pairs = [pair for family in self.families for pair in family.pairs if pair.drop]
        return tuple(sorted(pairs, key=lambda pair: (-pair.drop, pair.name)))


def compare(base: Sequence[Results], new: Results, incidents: Mapping[str, Incident]) -> Comparison:
    """Return what became of *new* since *base*, both scored again as *incidents* (by id) say now.

    The baseline is pooled from the newest complete runs of *base*. A pair has one incident id, one
    evidence and one column name; model and label may differ.

    Raises: RecordError: if a side has verdicts without answers.
    """
    refuse_verdicts_alone((*base, new))
    chosen, not_chosen = choose_baseline(base, new)
    paired = pair_up(chosen, new, incidents)
    families = _families(paired.pairs)
    shortage = _shortage(new) or ("" if families else "nothing can be paired with the baseline")
    fallen = [family for family in families if family.judgement.verdict == "regressed"]
    dead = [pair for pair in paired.pairs if is_dead(pair.rounds)]
    certain = [pair for pair in dead if is_death_certain(pair.rounds, len(paired.pairs))]
    told = [pair for family in fallen for pair in family.pairs]
    doubtful = [pair for pair in dead if pair not in certain and pair not in told]
    baseline = tuple(_base_column(name, runs, new) for name, runs in chosen.items())
    return Comparison(
        run=new.run,
        verdict=_verdict(
            families, is_short=bool(shortage), died=bool(certain), doubt=bool(doubtful)
        ),
        reasons=(
            *([shortage] if shortage else []),
            *(_fall(family) for family in fallen),
            *(_death(pair) for pair in certain),
            *_must_pass(paired.new, incidents),
        ),
        warnings=(
            *(f"{_death(pair)}; so few rounds may be chance" for pair in doubtful),
            *(_doubt(family) for family in families if family.judgement.verdict == "undecided"),
            *_other_models(baseline),
            *(["nobody was asked: the answers are those of an earlier run"] * new.run.is_replay),
        ),
        families=families,
        baseline=baseline,
        left_out=(*not_chosen, *paired.left_out),
        rescored=paired.rescored,
    )


def about(family: Family) -> str:
    """Return which incidents *family* is about, and how many."""
    return f"{family.column}, {family.name}, {counted(len(family.pairs), 'incident')}"


def _families(pairs: Sequence[Pair]) -> tuple[Family, ...]:
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault((pair.column, _family_of(pair)), []).append(pair)
    judgements = judge([[pair.rounds for pair in group] for group in groups.values()])
    return tuple(
        Family(column, name, tuple(group), judgement)
        for ((column, name), group), judgement in zip(groups.items(), judgements, strict=True)
    )


def _family_of(pair: Pair) -> str:
    """Return which pairs this one is judged with.

    Healthy windows stand alone, or growing silence would make up for lost root causes; tuned ones
    too, or a bug that was fixed could come back unseen among what is held out.
    """
    incident = pair.incident
    kind = "healthy" if incident.kind == "healthy" else "faulty"
    return f"{kind} {incident.set.replace('_', '-')}{graded_text(incident.graded)}"


def _shortage(new: Results) -> str:
    """Return why *new* holds too few answers to say anything, or nothing."""
    measured = sum(cell.is_measured for cell in new.cells)
    planned = len(new.cells)
    if not new.complete:  # the plan is not kept, so each incident counts in each column and round
        rounds = max((cell.key.round for cell in new.cells), default=1)
        planned = max(planned, len(new.incidents) * len(new.columns) * rounds)
    return too_few(measured, planned)


def _verdict(families: Sequence[Family], *, is_short: bool, died: bool, doubt: bool) -> Verdict:
    verdicts = {family.judgement.verdict for family in families}
    if died or "regressed" in verdicts:
        return "regressed"
    if is_short:
        return "undecided"
    if "better" in verdicts and all(family.judgement.drop <= 0 for family in families):
        return "better"
    return "undecided" if doubt or "undecided" in verdicts else "no worse"


def _fall(family: Family) -> str:
    judgement = family.judgement
    return (
        f"{about(family)}: the score fell {percent(judgement.base)} -> {percent(judgement.new)}; "
        f"p = {judgement.chance:.2g} if nothing had changed, red at {judgement.level:.2g}"
    )


def _doubt(family: Family) -> str:
    judgement = family.judgement
    if judgement.can_be_decided:
        why = f"undecided: a drop of {points(judgement.bound)} cannot be excluded"
    elif judgement.least_chance < 1:
        why = f"cannot be decided: p would be {judgement.least_chance:.2g} at best"
    else:
        why = "cannot be decided: no incident has rounds that differ"
    if judgement.visible > 1:
        seen = "rounds like these show no drop at all"
    else:
        seen = f"rounds like these show a drop of {points(judgement.visible)} four times in five"
    return f"{about(family)}: {why}; {seen}"


def _death(pair: Pair) -> str:
    return (
        f"{pair.name} passed in all {len(pair.base)} rounds of the baseline and in none of "
        f"{len(pair.new)} now"
    )


def _must_pass(new: Results, incidents: Mapping[str, Incident]) -> Iterator[str]:
    found: dict[str, list[Cell]] = {}
    for cell in new.cells:
        if cell.is_measured and incidents[cell.key.incident].must_pass:
            found.setdefault(f"{cell.key.incident}::{cell.key.column}", []).append(cell)
    for name, cells in found.items():
        passed = sum(cell.verdict == "pass" for cell in cells)
        if 2 * passed < len(cells):
            yield f"{name} must pass, and passed in {passed} of {counted(len(cells), 'round')}"


def _base_column(column: str, runs: Sequence[Results], new: Results) -> BaseColumn:
    return BaseColumn(
        column=column,
        runs=tuple(run.run for run in runs),
        rounds=sum(rounds_of(run, column) for run in runs),
        models=tuple(dict.fromkeys(model for run in runs for model in _models(run, column))),
        new_models=_models(new, column),
    )


def _models(run: Results, column: str) -> tuple[str, ...]:
    """Return the models that answered, as the vendor called them where that is known."""
    told = {cell.model for cell in run.cells if cell.key.column == column and cell.model}
    asked = [one.model or one.provider for one in run.columns if one.name == column]
    return tuple(sorted(told) or asked)


def _other_models(baseline: Sequence[BaseColumn]) -> Iterator[str]:
    for one in baseline:
        if set(one.models) != set(one.new_models):
            then, now = (", ".join(models) for models in (one.models, one.new_models))
            yield f"{one.column}: {then} answered in the baseline, {now} now"
