"""Workers of pytest-xdist on other machines: they run what is free, and ask for nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.engine.schedule import plan_from_json, plan_to_json

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_rcabench.engine.columns import Column
    from pytest_rcabench.engine.schedule import Planned


def is_elsewhere(spec: Any) -> bool:  # noqa: ANN401 - an XSpec of execnet, which may be absent
    """Whether a worker of *spec* may be on another machine than the process that asks."""
    return not spec.popen or bool(spec.via)


def refuse_asked_columns(specs: Iterable[Any], columns: Iterable[Column]) -> None:
    """Raise UsageError where a worker elsewhere would have to wait for the answers of a column."""
    asked = ", ".join(column.name for column in columns if not column.analyzer.is_free)
    there = next((str(spec) for spec in specs if is_elsewhere(spec)), "")
    if asked and there:
        place = there.rpartition("execmodel=main_thread_only//")[2]
        raise pytest.UsageError(
            f"--tx {place}: a worker on another machine cannot get the answers of {asked}, which "
            "this process asks for; use -n for workers on this machine, or free columns alone"
        )


def pack_plan(plan: Iterable[Planned], root: Path) -> list[list[str | int | bool]]:
    """Return *plan* as plain lists whose paths hold on any machine with the same files."""
    return plan_to_json(
        replace(one, path=one.path.relative_to(root)) if one.path.is_relative_to(root) else one
        for one in plan
    )


def unpack_plan(rows: Any, root: Path) -> tuple[Planned, ...]:  # noqa: ANN401 - what pack_plan made
    """Return the plan that `pack_plan` packed elsewhere, about the files below *root*."""
    return tuple(replace(one, path=root / one.path) for one in plan_from_json(rows))
