"""What pytest-json-report is told, where it is installed: properties, and pytest's outcomes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pytest_rcabench.plugin.state import CELL


@pytest.hookimpl(optionalhook=True)
def pytest_json_runtest_metadata(item: pytest.Item) -> dict[str, object]:
    """Return the properties of an item that has a cell."""
    return {"rca": dict(item.user_properties)} if item.stash.get(CELL, None) else {}


@pytest.hookimpl(optionalhook=True)
def pytest_json_modifyreport(json_report: dict[str, Any]) -> None:
    """Put pytest's outcomes where our categories stand; the verdict is in the metadata."""
    tests = json_report.get("tests", ())
    for test in tests:
        if "rca" in test.get("metadata", {}):
            stages = [test[when] for when in ("setup", "call", "teardown") if when in test]
            test["outcome"] = _outcome(stages)
    summary = json_report.get("summary", {})
    for word in ("half", "wrong", "unmeasured"):
        summary.pop(word, None)
    # The summary is a Counter, whose update would add.
    for word, count in Counter(test["outcome"] for test in tests).items():
        summary[word] = count


def _outcome(stages: list[dict[str, Any]]) -> str:
    outcomes = [stage["outcome"] for stage in stages]
    if outcomes[:1] == ["failed"] or outcomes[2:] == ["failed"]:
        return "error"
    return next((outcome for outcome in outcomes if outcome != "passed"), "passed")
