"""Counts of a run: how often each column was right, with what is missing always in sight."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import ROOT_CAUSE_CHECKS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Cell, ControlVerdict, IncidentInfo, Results, Word

# Answers from the truth, so it is no rival to anybody.
_ORACLE = "oracle"


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the *measured* cells were hits, and how many more cells have no answer."""

    hits: int
    measured: int
    unmeasured: int = 0

    @property
    def fraction(self) -> float | None:
        """Hits per measured cell in [0, 1]; None where nothing was measured."""
        return self.hits / self.measured if self.measured else None

    def __str__(self) -> str:
        """Show the rate, and where cells are missing the bounds that they leave open."""
        shown = f"{self.hits}/{self.measured}"
        if not self.unmeasured:
            return shown
        bounds = f"{self.hits}–{self.hits + self.unmeasured}"
        total = self.measured + self.unmeasured
        return f"{shown}; {bounds} of {total} with {self.unmeasured} unmeasured"


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """What one column reached on the incidents of one set that are graded alike.

    *root_cause* is about faulty windows, *healthy* about the others, *all_checks* about both.
    *by_kind* [kinds] counts all checks. *control* names the naive control that is right most often
    on these incidents, or is empty; *control_rate* says how often. Cost in US dollars and latency
    in seconds are per measured cell, None if unknown.
    """

    column: str
    set: str
    graded: tuple[str, ...]
    passed: int
    half: int
    wrong: int
    root_cause: Rate
    all_checks: Rate
    healthy: Rate
    by_kind: tuple[tuple[str, Rate], ...]
    mean_cost_usd: float | None
    median_latency_s: float | None
    control: str
    control_rate: Rate

    @property
    def measured(self) -> int:
        """How many cells have a verdict."""
        return self.all_checks.measured

    @property
    def unmeasured(self) -> int:
        """How many cells have none."""
        return self.all_checks.unmeasured

    @property
    def lift(self) -> float | None:
        """All checks of the column less those of the best control, in [-1, 1]."""
        ours, theirs = self.all_checks.fraction, self.control_rate.fraction
        return None if ours is None or theirs is None else ours - theirs


def summarize(results: Results) -> tuple[ColumnSummary, ...]:
    """Return the counts of *results*, column by column; held-out before tuned, never pooled.

    Incidents that are graded by different checks are never pooled either; healthy windows stand
    with those that are graded by all.
    """
    incidents = {incident.id: incident for incident in results.incidents}
    groups: dict[tuple[str, str, tuple[str, ...]], list[Cell]] = {}
    for cell in results.cells:
        incident = incidents[cell.key.incident]
        graded = incident.graded or tuple(ROOT_CAUSE_CHECKS)
        groups.setdefault((cell.key.column, incident.set, graded), []).append(cell)
    order = {column.name: number for number, column in enumerate(results.columns)}
    return tuple(
        _summarize(group, groups[group], incidents, results.controls)
        for group in sorted(groups, key=lambda group: (order[group[0]], group[1], -len(group[2])))
    )


def summary_to_json(summaries: Iterable[ColumnSummary]) -> list[JSON]:
    """Return *summaries* as the ``summary`` of a results file."""
    return [
        {
            "column": one.column,
            "set": one.set,
            "graded": list(one.graded),
            "measured": one.measured,
            "unmeasured": one.unmeasured,
            "pass": one.passed,
            "half": one.half,
            "wrong": one.wrong,
            "root_cause": _rate_to_json(one.root_cause),
            "all_checks": _rate_to_json(one.all_checks),
            "healthy": _rate_to_json(one.healthy),
            "by_kind": {kind: _rate_to_json(rate) for kind, rate in one.by_kind},
            "mean_cost_usd": one.mean_cost_usd,
            "median_latency_s": one.median_latency_s,
            "best_control": {"name": one.control, **_rate_to_json(one.control_rate)},
        }
        for one in summaries
    ]


def _summarize(
    group: tuple[str, str, tuple[str, ...]],
    cells: Sequence[Cell],
    incidents: Mapping[str, IncidentInfo],
    controls: Sequence[ControlVerdict],
) -> ColumnSummary:
    kinds = {cell.key.incident: incidents[cell.key.incident].kind for cell in cells}
    words = Counter(cell.verdict for cell in cells)
    faulty = [cell for cell in cells if kinds[cell.key.incident] != "healthy"]
    healthy = [cell for cell in cells if kinds[cell.key.incident] == "healthy"]
    measured = [cell for cell in cells if cell.is_measured]
    costs = [cell.usage.cost_usd for cell in measured if cell.usage.cost_usd is not None]
    control, control_rate = _best_control(controls, kinds)
    return ColumnSummary(
        *group,
        passed=words["pass"],
        half=words["half"],
        wrong=words["wrong"],
        root_cause=_rate(faulty, {"pass", "half"}),
        all_checks=_rate(cells, {"pass"}),
        healthy=_rate(healthy, {"pass"}),
        by_kind=tuple(
            (kind, _rate([cell for cell in cells if kinds[cell.key.incident] == kind], {"pass"}))
            for kind in sorted(set(kinds.values()))
        ),
        # A mean over some of the cells would pass for the price of all of them.
        mean_cost_usd=fmean(costs) if measured and len(costs) == len(measured) else None,
        median_latency_s=median(cell.latency_s for cell in measured) if measured else None,
        control=control,
        control_rate=control_rate,
    )


def _rate(cells: Iterable[Cell], hits: Container[Word]) -> Rate:
    words = [cell.verdict for cell in cells]
    missing = words.count("unmeasured")
    return Rate(sum(word in hits for word in words), len(words) - missing, missing)


def _best_control(
    controls: Iterable[ControlVerdict], incidents: Container[str]
) -> tuple[str, Rate]:
    words: dict[str, list[Word]] = {}
    for verdict in controls:
        if verdict.incident in incidents and verdict.control != _ORACLE:
            words.setdefault(verdict.control, []).append(verdict.verdict)
    rates = {name: Rate(found.count("pass"), len(found)) for name, found in words.items()}
    name = min(rates, key=lambda name: (-rates[name].hits, name), default="")
    return name, rates.get(name, Rate(0, 0))


def _rate_to_json(rate: Rate) -> dict[str, JSON]:
    return {"hits": rate.hits, "measured": rate.measured, "unmeasured": rate.unmeasured}
