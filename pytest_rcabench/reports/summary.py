"""Counts of a run: how often each column was right, with what is missing always in sight."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.domain.incident import ROOT_CAUSE_CHECKS
from pytest_rcabench.reports.figures import graded_text
from pytest_rcabench.reports.rates import (
    Rate,
    false_alarm_rate,
    flaky_incidents,
    innocent_blame_rate,
    k_round_rates,
    pair_rate,
    rate_of,
    verdict_rate,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Cell, ControlVerdict, IncidentInfo, Results

# Answers from the truth, so it is no rival to anybody.
_ORACLE = "oracle"


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """What one column reached on the incidents of one set that are graded alike.

    Twins stand in summaries of their own (*twins*): their words repeat those of another incident.

    *incidents* were asked, one of them in *rounds* rounds and none in more; *passed*, *half* and
    *wrong* count cells. *root_cause* is about faulty windows, *healthy* and *false_alarms* (an
    issue above info) about the others, *all_checks* about both; *by_kind* [kinds] counts all
    checks. *innocent_blame* counts cells that blame an innocent or invented commit in any issue,
    where the commit is graded.

    Counted in incidents: *pass_at_k* passed in at least one of *rounds* rounds, *pass_hat_k* in
    all; one with fewer measured rounds is unmeasured there. *flaky* [incidents] names those whose
    rounds disagree, with the chance that two do, worst first, out of *repeated* incidents with two
    measured rounds. *pairs* counts rounds in which a twin and the incident that it is a twin of
    both passed; it is empty but for twins.

    Money is in US dollars, None unless the price of every measured cell is known; latency in
    seconds a measured cell.

    *control* is the naive control that passes most of the incidents that were measured here, and
    *control_rate* says how many; it is empty where no control passes any. *lift* is all checks of
    the column less those of that control, in [-1, 1]; None where there is no such control, and
    where the column is a control itself.
    """

    column: str
    set: str
    graded: tuple[str, ...]
    twins: bool
    incidents: int
    rounds: int
    passed: int
    half: int
    wrong: int
    root_cause: Rate
    all_checks: Rate
    healthy: Rate
    false_alarms: Rate
    innocent_blame: Rate
    by_kind: tuple[tuple[str, Rate], ...]
    pass_at_k: Rate
    pass_hat_k: Rate
    flaky: tuple[tuple[str, float], ...]
    repeated: int
    pairs: Rate
    total_cost_usd: float | None
    mean_cost_usd: float | None
    median_latency_s: float | None
    control: str
    control_rate: Rate
    lift: float | None

    @property
    def about(self) -> str:
        """The set in words, whether it is about twins, and by what it is graded if not by all."""
        twins = " twins" if self.twins else ""
        return f"{self.set.replace('_', '-')}{twins}{graded_text(self.graded)}"

    @property
    def measured(self) -> int:
        """How many cells have a verdict."""
        return self.all_checks.measured

    @property
    def unmeasured(self) -> int:
        """How many cells have none."""
        return self.all_checks.unmeasured


class _Group(NamedTuple):
    """What is counted together."""

    column: str
    set: str
    graded: tuple[str, ...]
    twins: bool


def summarize(results: Results) -> tuple[ColumnSummary, ...]:
    """Return the counts of *results*, column by column; held-out before tuned, never pooled.

    Incidents that are graded by different checks are never pooled either; healthy windows stand
    with those that are graded by all. Twins follow the incidents of their set.
    """
    incidents = {incident.id: incident for incident in results.incidents}
    groups: dict[_Group, list[Cell]] = {}
    for cell in results.cells:
        incident = incidents[cell.key.incident]
        graded = incident.graded or tuple(ROOT_CAUSE_CHECKS)
        group = _Group(cell.key.column, incident.set, graded, bool(incident.twin_of))
        groups.setdefault(group, []).append(cell)
    order = {column.name: number for number, column in enumerate(results.columns)}
    return tuple(
        _summarize(group, groups[group], incidents, results)
        for group in sorted(
            groups, key=lambda one: (order[one.column], one.set, -len(one.graded), one.twins)
        )
    )


def summary_to_json(summaries: Iterable[ColumnSummary]) -> list[JSON]:
    """Return *summaries* as the ``summary`` of a results file."""
    return [
        {
            "column": one.column,
            "set": one.set,
            "graded": list(one.graded),
            "twins": one.twins,
            "incidents": one.incidents,
            "rounds": one.rounds,
            "measured": one.measured,
            "unmeasured": one.unmeasured,
            "pass": one.passed,
            "half": one.half,
            "wrong": one.wrong,
            "root_cause": _rate_to_json(one.root_cause),
            "all_checks": _rate_to_json(one.all_checks),
            "healthy": _rate_to_json(one.healthy),
            "false_alarms": _rate_to_json(one.false_alarms),
            "innocent_blame": _rate_to_json(one.innocent_blame),
            "by_kind": {kind: _rate_to_json(rate) for kind, rate in one.by_kind},
            "pass_at_k": _rate_to_json(one.pass_at_k),
            "pass_hat_k": _rate_to_json(one.pass_hat_k),
            "flaky": {incident: round(chance, 6) for incident, chance in one.flaky},
            "repeated": one.repeated,
            "pairs": _rate_to_json(one.pairs),
            "total_cost_usd": one.total_cost_usd,
            "mean_cost_usd": one.mean_cost_usd,
            "median_latency_s": one.median_latency_s,
            "best_control": {"name": one.control, **_rate_to_json(one.control_rate)},
            "lift": None if one.lift is None else round(one.lift, 6),
        }
        for one in summaries
    ]


def _summarize(
    group: _Group, cells: Sequence[Cell], incidents: Mapping[str, IncidentInfo], results: Results
) -> ColumnSummary:
    words = Counter(cell.verdict for cell in cells)
    kinds = {cell.key.incident: incidents[cell.key.incident].kind for cell in cells}
    by_kind: dict[str, list[Cell]] = {kind: [] for kind in sorted(set(kinds.values()))}
    for cell in cells:
        by_kind[kinds[cell.key.incident]].append(cell)
    faulty = [cell for cell in cells if kinds[cell.key.incident] != "healthy"]
    healthy = by_kind.get("healthy", [])
    rounds = max(Counter(cell.key.incident for cell in cells).values())
    pass_at_k, pass_hat_k = k_round_rates(cells, rounds)
    flaky, repeated = flaky_incidents(cells)
    measured = [cell for cell in cells if cell.is_measured]
    costs = [cell.usage.cost_usd for cell in measured if cell.usage.cost_usd is not None]
    # Nobody timed what was never asked: a verdict alone, or an analyser that runs in the test.
    latencies = [cell.latency_s for cell in measured if cell.attempts]
    # A sum over some of the cells would pass for the price of all of them.
    is_priced = bool(measured) and len(costs) == len(measured)
    all_checks = verdict_rate(cells, {"pass"})
    control, control_rate = _best_control(
        results.controls, {cell.key.incident for cell in measured}
    )
    return ColumnSummary(
        *group,
        incidents=len(kinds),
        rounds=rounds,
        passed=words["pass"],
        half=words["half"],
        wrong=words["wrong"],
        root_cause=verdict_rate(faulty, {"pass", "half"}),
        all_checks=all_checks,
        healthy=verdict_rate(healthy, {"pass"}),
        false_alarms=false_alarm_rate(healthy),
        innocent_blame=innocent_blame_rate(cells if "commit" in group.graded else ()),
        by_kind=tuple((kind, verdict_rate(of, {"pass"})) for kind, of in by_kind.items()),
        pass_at_k=pass_at_k,
        pass_hat_k=pass_hat_k,
        flaky=flaky,
        repeated=repeated,
        pairs=_pairs(group, cells, incidents, results.cells),
        total_cost_usd=sum(costs) if is_priced else None,
        mean_cost_usd=fmean(costs) if is_priced else None,
        median_latency_s=median(latencies) if latencies else None,
        control=control,
        control_rate=control_rate,
        lift=_lift(group.column, all_checks, control_rate, results),
    )


def _pairs(
    group: _Group,
    cells: Iterable[Cell],
    incidents: Mapping[str, IncidentInfo],
    every: Iterable[Cell],
) -> Rate:
    """Return the rate of whole pairs of twins; a pair that lies in two sets is none."""
    others = {
        (cell.key.incident, cell.key.round): cell
        for cell in every
        if cell.key.column == group.column and incidents[cell.key.incident].set == group.set
    }
    return pair_rate(
        cells if group.twins else (), others, {one.id: one.twin_of for one in incidents.values()}
    )


def _best_control(
    controls: Iterable[ControlVerdict], incidents: Container[str]
) -> tuple[str, Rate]:
    """Return the control that passes most of *incidents*, without a name where none passes any."""
    outcomes: dict[str, list[tuple[str, bool]]] = {}
    for one in controls:
        if one.incident in incidents and one.control != _ORACLE:
            outcomes.setdefault(one.control, []).append((one.incident, one.verdict == "pass"))
    rates = {name: rate_of(found) for name, found in outcomes.items()}
    name = min(rates, key=lambda name: (-rates[name].hits, name), default="")
    rate = rates.get(name, Rate(0, 0))
    return name if rate.hits else "", rate


def _lift(column: str, ours: Rate, control: Rate, results: Results) -> float | None:
    # What naive controls cannot do at all is no measure of anybody, nor is a control of another.
    if ours.fraction is None or not control.fraction:
        return None
    controls = {one.name for one in results.columns if one.is_control}
    return None if column in controls else ours.fraction - control.fraction


def _rate_to_json(rate: Rate) -> dict[str, JSON]:
    return {
        "hits": rate.hits,
        "measured": rate.measured,
        "unmeasured": rate.unmeasured,
        "incidents": rate.incidents,
        "interval": rate.interval and [round(bound, 6) for bound in rate.interval],
        "rule_of_three": rate.rule_of_three and round(rate.rule_of_three, 6),
    }
