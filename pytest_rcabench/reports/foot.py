"""The figures below the grid, with a text for each column: rates, their intervals, cost, time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.reports.figures import counted, dollars_text, percent, seconds_text
from pytest_rcabench.reports.grid import MARKS, NO_CELL
from pytest_rcabench.reports.rates import Rate
from pytest_rcabench.reports.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_rcabench.domain.run import Results
    from pytest_rcabench.reports.summary import ColumnSummary

UNKNOWN = "unknown"
_NO_RATE = Rate(0, 0)
_RATES = (
    ("all checks", "all_checks"),
    ("root cause", "root_cause"),
    ("healthy", "healthy"),
    ("whole pairs", "pairs"),
)


class Figure(NamedTuple):
    """One figure: *texts* [columns], and the bounds of a rate at 95 %, *intervals* [columns].

    A text is empty where a column was not asked, *intervals* where this is no rate.
    """

    name: str
    texts: tuple[str, ...]
    intervals: tuple[str, ...] = ()

    @property
    def whole(self) -> tuple[str, ...]:
        """The texts with their intervals, and a dash where there is nothing."""
        intervals = self.intervals or ("",) * len(self.texts)
        return tuple(
            f"{text} ({interval})" if interval else text or NO_CELL
            for text, interval in zip(self.texts, intervals, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Foot:
    """What the columns reached on incidents that are counted together.

    *summaries* [columns] is None where a column was asked none of them.
    """

    summaries: tuple[ColumnSummary | None, ...]

    @property
    def about(self) -> str:
        """Which incidents these are, and by what they are graded where not by all checks."""
        return next(one.about for one in self.summaries if one)

    @property
    def is_headline(self) -> bool:
        """Whether they count held-out incidents, each with words of its own."""
        return any(one.set == "held_out" and not one.twins for one in self.summaries if one)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures that any column has, the most telling first."""
        found = []
        for name, field in _RATES:
            rates = [getattr(one, field) if one else _NO_RATE for one in self.summaries]
            found.append(
                Figure(name, tuple(map(rate_text, rates)), tuple(map(interval_text, rates)))
            )
        for name, text in (
            (f"points over {self._control()}", lift_text),
            ("mean cost", cost_text),
            ("median latency", latency_text),
        ):
            found.append(Figure(name, tuple(text(one) if one else "" for one in self.summaries)))
        return tuple(figure for figure in found if set(figure.texts) - {"", UNKNOWN})

    def _control(self) -> str:
        names = {one.control for one in self.summaries if one and one.lift is not None}
        return names.pop() if len(names) == 1 else "best control"


def build_feet(*runs: Results) -> tuple[Foot, ...]:
    """Return the figures of all columns of *runs*, held-out incidents before twins before tuned."""
    found: dict[tuple[str, tuple[str, ...], bool], dict[tuple[int, str], ColumnSummary]] = {}
    for number, run in enumerate(runs):
        for one in summarize(run):
            found.setdefault((one.set, one.graded, one.twins), {})[number, one.column] = one
    keys = [(number, column.name) for number, run in enumerate(runs) for column in run.columns]
    return tuple(
        Foot(tuple(found[group].get(key) for key in keys))
        for group in sorted(found, key=lambda group: (group[0], group[2], -len(group[1])))
    )


def rate_text(rate: Rate) -> str:
    """Return the hits of those measured, and how many are not; nothing where nobody was asked."""
    if not rate.measured and not rate.unmeasured:
        return ""
    missing = f" +{rate.unmeasured}{MARKS['unmeasured']}" if rate.unmeasured else ""
    return f"{rate.hits}/{rate.measured}{missing}"


def interval_text(rate: Rate) -> str:
    """Return the bounds of *rate* at 95 %, in per cent; nothing where nothing was measured."""
    if rate.interval is None:
        return ""
    return f"{100 * rate.interval.low:.0f}–{100 * rate.interval.high:.0f} %"


def rate_and_interval(rate: Rate) -> str:
    """Return *rate* with what its missing answers leave open and its interval, or a dash."""
    if not rate.measured and not rate.unmeasured:
        return NO_CELL
    return f"{rate} ({interval_text(rate)})" if rate.interval else str(rate)


def cost_text(one: ColumnSummary) -> str:
    """Return the mean price of a measured cell, or nothing where nobody was asked."""
    if one.mean_cost_usd is None:
        return "" if one.median_latency_s is None else UNKNOWN
    return dollars_text(one.mean_cost_usd)


def latency_text(one: ColumnSummary) -> str:
    """Return the median time of a measured cell, or nothing."""
    return "" if one.median_latency_s is None else seconds_text(one.median_latency_s)


def lift_text(one: ColumnSummary) -> str:
    """Return by how many points a column is above the best naive control, or nothing."""
    return "" if one.lift is None else f"{100 * one.lift:+.0f}"


def detail_lines(one: ColumnSummary) -> list[str]:
    """Return what else is known of a column: by kind, over rounds, false alarms, control, cost."""
    k = one.rounds
    rates = [("false alarms", one.false_alarms), ("innocent commits blamed", one.innocent_blame)]
    if k > 1:
        rates += [(f"pass@{k}", one.pass_at_k), (f"pass^{k}", one.pass_hat_k)]
    lines = [
        f"{counted(one.incidents, 'incident')}, {counted(k, 'round')}",
        f"by kind: {_told((kind.replace('_', ' '), rate) for kind, rate in one.by_kind)}",
        _told(rates),
    ]
    if one.flaky:
        lines.append(
            f"flaky: {len(one.flaky)} of {counted(one.repeated, 'incident')}: "
            + ", ".join(f"{name} ({percent(chance)})" for name, chance in one.flaky)
        )
    if (most := one.all_checks.rule_of_three) is not None and most < 1:
        what = "right" if not one.all_checks.hits else "wrong"
        lines.append(f"rule of three: {what} at most {percent(most)} of the time")
    if one.lift is not None:
        lines.append(
            f"best naive control: {one.control} {one.control_rate}; lift {lift_text(one)} points"
        )
    if one.total_cost_usd is not None:
        lines.append(f"cost in all: {dollars_text(one.total_cost_usd)}")
    return [line for line in lines if line]


def _told(rates: Iterable[tuple[str, Rate]]) -> str:
    asked = [(name, rate) for name, rate in rates if rate.measured or rate.unmeasured]
    return " · ".join(f"{name} {rate_and_interval(rate)}" for name, rate in asked)
