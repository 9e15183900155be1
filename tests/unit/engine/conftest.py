"""A plan over one small incident, and a column that does what a function says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import RunKey
from pytest_rcabench.engine.columns import Column
from pytest_rcabench.engine.schedule import Planned

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import Evidence


@dataclass
class Asked:
    """An analyser that answers as *answer* does."""

    answer: Callable[[], Analysis]
    is_free: bool = False

    def analyze(self, evidence: Evidence) -> Analysis:
        """Return what the function returns."""
        del evidence
        return self.answer()


@pytest.fixture
def column() -> Callable[..., Column]:
    """Return a function that makes the column ``sut`` of a function."""

    def make(answer: Callable[[], Analysis], parallel: int | None = None) -> Column:
        return Column("sut", "mine", "", "", Asked(answer), parallel)

    return make


@pytest.fixture
def plan(tmp_path: Path, write_incident: Callable[..., Path]) -> tuple[Planned, ...]:
    """Return six rounds of one incident."""
    path = write_incident(tmp_path, "leak")
    return tuple(
        Planned(RunKey("leak", "sut", number), path, f"leak.yaml::sut::r{number}", is_asked=True)
        for number in range(1, 7)
    )
