"""The keys under which pytest's own objects carry our state; nobody's attributes are set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Cell
    from pytest_rcabench.plugin.run import Case, Run

RUN: pytest.StashKey[Run] = pytest.StashKey()
CASE: pytest.StashKey[Case] = pytest.StashKey()
CELL: pytest.StashKey[Cell] = pytest.StashKey()

NO_RETRIES = (
    "asking again until it passes is no measurement; use --rca-repeat=N, which shows every round"
)
