"""The order of a run's cells, and their way to another process."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_rcabench.domain.run import RunKey
from pytest_rcabench.engine.schedule import Planned, plan_from_json, plan_to_json, rounds_of


def test_rounds_count_from_one() -> None:
    """Each round of a column is a key of its own."""
    assert list(rounds_of("leak", "oracle", 2)) == [
        RunKey("leak", "oracle", 1),
        RunKey("leak", "oracle", 2),
    ]


def test_a_plan_crosses_as_it_is() -> None:
    """What a worker hands in is what the controller gets."""
    plan = (
        Planned(
            RunKey("leak", "oracle", 1),
            Path("/a/leak.yaml"),
            "leak.yaml::oracle::r1",
            is_asked=True,
        ),
        Planned(RunKey("lück", "sut", 2), Path("/a/b c.yaml"), "b c.yaml::sut::r2", is_asked=False),
    )

    assert plan == plan_from_json(json.loads(json.dumps(plan_to_json(plan))))
