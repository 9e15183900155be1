"""What a run is going to ask, in words: calls, tokens and money, before the first call."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_rcabench.engine.one_shot import OneShot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_rcabench.engine.columns import Column
    from pytest_rcabench.engine.schedule import Planned
    from pytest_rcabench.plugin.run import Run


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
        yield f"rca plan: {incidents} incidents, {len(plan)} analyses ({told})"
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
    line = f"{column.name}: {calls} calls, about {tokens:,} tokens in (estimated), {money}"
    rpd = analyzer.pacer.limits.rpd
    if rpd is not None and calls > rpd:
        line += f"; rpd={rpd} leaves {calls - rpd} for --rca-resume on another day"
    return line
