"""What each verdict becomes under each --rca-fail-on: one table, made here, printed in the docs."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Bench

PAGE = Path(__file__).parents[2] / "docs/reference/outcomes.md"
FAIL_ON = ("half", "wrong", "never")
VERDICTS = ("pass", "half", "wrong", "unmeasured")
HEAD = """\
# Outcomes

What a verdict becomes, made by `tests/acceptance/test_outcomes.py` from real runs, serial and with
`-n2`, which agree. Letter and word always show the verdict; the outcome is what `--rca-fail-on`
makes of it, and so is the exit status of a run of this cell alone.
`regression` is as `never`, until its baseline says otherwise.
The first line of a failure names the checks that failed; it stands alone in pytest's short summary
and is JUnit's message.

| `--rca-fail-on` | verdict | letter | word (`-v`) | JUnit XML | json-report | exit status |
|---|---|---|---|---|---|---|
"""


def test_the_table_of_outcomes_is_that_of_the_docs(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row for each verdict under each choice; RCABENCH_REWRITE_GOLDEN=1 writes the page anew."""
    monkeypatch.setenv("PYTHONUTF8", "1")
    for verdict in VERDICTS:
        bench.incident(verdict, verdict)
    rows = []
    for choice in FAIL_ON:
        told = _told(bench, choice, "-p", "no:xdist")
        assert told == _told(bench, choice, "-n2")
        for verdict in VERDICTS:
            alone = bench.ask(f"--rca-fail-on={choice}", f"incidents/{verdict}.yaml")
            rows.append((choice, verdict, _letter(alone), *told[verdict], str(int(alone.ret))))
    page = HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows)

    if os.environ.get("RCABENCH_REWRITE_GOLDEN"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page


def _told(bench: Bench, choice: str, *more: str) -> dict[str, tuple[str, str, str]]:
    """Return the word with -v, JUnit's element and json-report's outcome of each verdict."""
    files = "--junitxml=junit.xml", "--json-report", "--rca-json=results.json"
    result = bench.ask(f"--rca-fail-on={choice}", "-v", *files, *more)
    report = json.loads((bench.path / ".report.json").read_text())
    cases = ET.parse(bench.path / "junit.xml").getroot().iter("testcase")  # noqa: S314 - our own file
    junit = {_properties(case)["rca_incident"]: case for case in cases}
    told = {}
    for verdict in VERDICTS:
        (test,) = (one for one in report["tests"] if f"/{verdict}.yaml" in one["nodeid"])
        assert verdict == test["metadata"]["rca"]["rca_verdict"]
        assert verdict == _properties(junit[verdict])["rca_verdict"]
        told[verdict] = _word(result, verdict), _element(junit[verdict]), test["outcome"]
    assert {f"{verdict}::sut::r1": verdict for verdict in VERDICTS} == bench.verdicts()
    outcomes = Counter(outcome for _, _, outcome in told.values())
    assert dict(outcomes) == {
        name: count for name, count in report["summary"].items() if name in outcomes
    }
    return told


def _word(result: pytest.RunResult, verdict: str) -> str:
    node = re.escape(f"incidents/{verdict}.yaml::sut::r1")
    for line in result.outlines:
        if found := re.fullmatch(
            rf"(?:\[gw\d\] \[ *\d+%\] (\w+) {node}|{node} (\w+).*\[ *\d+%\]) *", line
        ):
            return found[1] or found[2]
    pytest.fail(f"no word for {verdict}")


def _letter(result: pytest.RunResult) -> str:
    (letter,) = (
        found[1]
        for line in result.outlines
        if (found := re.fullmatch(r"incidents/\w+\.yaml (\S) +\[100%\]", line))
    )
    return letter


def _element(case: ET.Element) -> str:
    return next((child.tag for child in case if child.tag != "properties"), "passed")


def _properties(case: ET.Element) -> dict[str, str]:
    return {one.get("name", ""): one.get("value", "") for one in case.iter("property")}
