"""What a run is going to ask: the cells, and in words its calls, tokens and money."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_rcabench.engine.one_shot import OneShot
from pytest_rcabench.engine.schedule import Planned
from pytest_rcabench.plugin.state import CASE
from pytest_rcabench.reports.figures import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pytest

    from pytest_rcabench.engine.columns import Column
    from pytest_rcabench.plugin.run import Case, Run


def case_of(item: pytest.Item) -> Case | None:
    """Return the incident, column and round that *item* asks about; None where it asks nobody."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return item.stash.get(CASE, None) or parameters.get("rca_case")


def plan_of(items: Iterable[pytest.Item]) -> list[Planned]:
    """Return the cells that *items* will ask for, in their order."""
    return [
        Planned(case.key, case.path, item.nodeid, is_asked=not case.column.analyzer.is_free)
        for item in items
        if (case := case_of(item)) is not None
        and "rca_analysis" in getattr(item, "fixturenames", ())
        and item.get_closest_marker("skip") is None
    ]


def plan_lines(plan: Sequence[Planned], run: Run) -> Iterator[str]:
    """Yield one line for the run, and one for each column that asks a model."""
    counts = Counter(planned.key.column for planned in plan)
    columns = [column for column in run.settings.columns if counts[column.name]]
    told = ", ".join(
        f"{column.name} {counts[column.name]} {'free' if column.analyzer.is_free else 'asked'}"
        for column in columns
    )
    incidents = len({planned.key.incident for planned in plan})
    if plan:
        analyses = counted(len(plan), "analysis", "analyses")
        yield f"rca plan: {counted(incidents, 'incident')}, {analyses} ({told})"
    for column in columns:
        if isinstance(column.analyzer, OneShot):
            yield f"  {_model_line(column, column.analyzer, plan, run)}"


def _model_line(column: Column, analyzer: OneShot, plan: Sequence[Planned], run: Run) -> str:
    tokens, most = 0, 0.0
    is_priced = True
    for planned in plan:
        if planned.key.column == column.name:
            of_one, most_of_one = analyzer.plan(run.shelf.take(planned.path).evidence)
            tokens += of_one
            is_priced = is_priced and most_of_one is not None
            most += most_of_one or 0.0
    calls = sum(planned.key.column == column.name for planned in plan)
    money = f"at most ${most:,.2f}" if is_priced else "price unknown"
    line = (
        f"{column.name}: {counted(calls, 'call')}, about {tokens:,} tokens in (estimated), {money}"
    )
    rpd = analyzer.pacer.limits.rpd
    if rpd is not None and calls > rpd:
        line += f"; rpd={rpd} leaves {calls - rpd} for --rca-resume on another day"
    return line
