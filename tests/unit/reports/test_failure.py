"""Why a cell got its verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import Cell, RunKey, unmeasured_cell
from pytest_rcabench.reports.failure import explain

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results

KEY = RunKey("connection-leak", "gemini", 1)


def _answered(issues: int, **changes: object) -> Cell:
    issue = {"title": "t\x1b[2J\nu", "severity": "error", "service": "s", "cause": "c" * 1000}
    checks = tuple(
        {"name": name, "passed": name == "service", "detail": f"expected {name}, got x"}
        for name in ("service", "cause", "commit", "innocent", "alarms")
    )
    analysis = {"issues": [issue] * issues, "notes": []}
    return replace(Cell(KEY, "wrong", checks, analysis=analysis), **changes)  # type: ignore[arg-type]  # fields of a Cell


def test_only_failed_checks_are_told(run: Results) -> None:
    """The reader sees what was expected and what came, and nothing that was right."""
    cell = next(cell for cell in run.cells if cell.verdict == "half")

    assert explain(cell).split("\n")[:2] == [
        "right root cause, but another check failed",
        "innocent: expected no innocent commit, got 9a8b7c6d5e4f (issue 2)",
    ]


def test_verbose_tells_all_checks() -> None:
    """With -v passed checks and those not judged stand there too."""
    text = explain(_answered(5), verbosity=1)

    assert "service passed: expected service" in text
    assert text.count("answered [error]") == 5


@pytest.mark.parametrize("issues", [0, 1, 3, 4, 500])
def test_at_most_twelve_lines_of_bounded_length(issues: int) -> None:
    """A model that opens 500 issues does not flood the report."""
    lines = explain(_answered(issues, right_cause_ranked=4)).split("\n")

    assert len(lines) <= 12
    assert max(map(len, lines)) < 350
    assert any("the right root cause stood at place 4" in line for line in lines)


def test_control_characters_never_reach_the_reader() -> None:
    """Escape sequences and line breaks of an answer are gone."""
    assert "[error] s: t u; ccc" in explain(_answered(1))


def test_a_fault_names_itself_and_its_detail(run: Results) -> None:
    """An answer that cannot be read is the system's own."""
    cell = next(cell for cell in run.cells if cell.fault)

    assert explain(cell) == (
        "wrong: the answer cannot be read: not_json: the answer: is prose, not JSON; answer with "
        "the JSON alone"
    )


def test_a_verdict_without_its_answer_says_so() -> None:
    """What was transcribed from a page is not called a silent answer."""
    assert explain(Cell(KEY, "wrong")) == "wrong\nof the answer only the verdict was kept"


def test_silence_is_told() -> None:
    """No issues is an answer, too."""
    assert explain(_answered(0)).endswith("\nanswered: no issues")


def test_a_missing_answer_is_its_reason() -> None:
    """Unmeasured is no verdict on anybody."""
    assert explain(unmeasured_cell(KEY, "rate limit", "429")) == "unmeasured: rate limit: 429"
    assert explain(unmeasured_cell(KEY, "budget", "")) == "unmeasured: budget"
