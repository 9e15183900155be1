"""The one small run that the reports are tested on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.files.results import read_results

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def run() -> Results:
    """Two columns and five incidents: each verdict, a fault, a twin, a tuned and a healthy one."""
    return read_results(GOLDEN / "results.json")
