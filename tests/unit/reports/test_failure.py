"""Why a cell got its verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import Cell, RunKey, unmeasured_cell
from pytest_rcabench.reports.failure import NO_ANSWER, answer_text, explain, issues_of

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import JSON
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


def test_the_first_line_names_verdict_and_failed_checks(run: Results) -> None:
    """Pytest's short summary shows this line alone."""
    lines = {
        f"{cell.key.incident} {cell.key.column}": explain(cell, verbosity=-1)
        for cell in run.cells
        if cell.verdict != "pass"
    }

    assert lines["connection-leak heuristic"] == "wrong: cause, commit"
    assert lines["connection-leak gemini"] == "right root cause, but another check failed: innocent"
    assert lines["clock-skew heuristic"].startswith("wrong: the answer cannot be read: not_json")


def test_only_failed_checks_are_told(run: Results) -> None:
    """The reader sees what was expected and what came, and nothing that was right."""
    cell = next(cell for cell in run.cells if cell.verdict == "half")

    assert explain(cell).split("\n")[1:3] == [
        "innocent: expected no innocent commit, got 9a8b7c6d5e4f (issue 2)",
        (
            "answered [critical] orders-api: Connection leak in the coupon check; Connections are "
            "never closed when the coupon check throws."
        ),
    ]


def test_one_line_of_the_cause_is_enough_and_the_rest_is_counted() -> None:
    """Further issues are told with -v."""
    cell = _answered(3)

    assert explain(cell).count("answered [error]") == 1
    assert explain(cell).endswith("and 2 more issues")
    assert explain(_answered(2)).endswith("and 1 more issue")
    assert explain(cell, verbosity=1).count("answered [error]") == 3


def test_the_top_issue_is_the_one_that_was_judged() -> None:
    """The highest severity counts, whatever came first."""
    cell = _answered(1)
    issues: list[JSON] = [{"severity": word, "service": word} for word in ("info", "critical")]

    assert "answered [critical]" in explain(replace(cell, analysis={"issues": issues}))


def test_verbose_tells_all_checks() -> None:
    """With -v passed checks and those not judged stand there too."""
    text = explain(_answered(5), verbosity=1)

    assert "service passed: expected service" in text
    assert text.count("answered [error]") == 5


def test_very_verbose_tells_the_reasoning(run: Results) -> None:
    """With -vv the whole answer can be read where it failed."""
    cell = next(cell for cell in run.cells if cell.verdict == "half")
    text = explain(cell, verbosity=2)

    assert "reasoning: Active connections rise from 13:21 on" in text
    assert "note: unused import" in text


def test_a_long_list_of_accepted_names_is_told_by_its_first() -> None:
    """Eleven other names of the same service help nobody; with -v they are there."""
    detail = "expected lb or nlb or balancer, got orders-db (a victim)"
    check: dict[str, JSON] = {"name": "service", "passed": False, "detail": detail}
    cell = replace(_answered(1), checks=(check,))

    assert "expected lb (or 2 other names of it), got orders-db (a victim)" in explain(cell)
    assert detail in explain(cell, verbosity=1)


def test_a_fault_is_told_once_and_not_by_every_check() -> None:
    """What cannot be read fails every check for the same reason."""
    detail = "no readable answer (not_json): prose"
    checks: tuple[dict[str, JSON], ...] = tuple(
        {"name": name, "passed": False, "detail": detail} for name in ("service", "cause", "commit")
    )
    fault: dict[str, JSON] = {"name": "not_json", "detail": "prose"}
    cell = Cell(KEY, "wrong", checks, "not_json", analysis={"issues": [], "fault": fault})

    assert explain(cell) == "wrong: the answer cannot be read: not_json: prose"
    assert explain(cell, verbosity=1).count("prose") == 1


@pytest.mark.parametrize("issues", [0, 1, 3, 500])
def test_at_most_nine_lines_of_bounded_length(issues: int) -> None:
    """A model that opens 500 issues does not flood the report."""
    lines = explain(_answered(issues, right_cause_ranked=4)).split("\n")

    assert len(lines) <= 9
    assert max(map(len, lines)) < 200
    assert any("the right root cause stood at place 4" in line for line in lines)


def test_control_characters_never_reach_the_reader() -> None:
    """Escape sequences and line breaks of an answer are gone."""
    assert "[error] s: t u; ccc" in explain(_answered(1))


def test_a_reply_that_cannot_be_read_cannot_repaint_the_screen(run: Results) -> None:
    """With -vv it stands there as text, without escape sequences."""
    cell = next(cell for cell in run.cells if cell.fault)
    text = explain(replace(cell, reply="no\x1b[2J JSON\u202e\nat all"), verbosity=2)

    assert text.endswith("\nThe reply was:\nno JSON\nat all")


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
    assert answer_text(Cell(KEY, "wrong")) == NO_ANSWER


def test_silence_is_told() -> None:
    """No issues is an answer, too."""
    assert explain(_answered(0)).endswith("\nanswered: no issues")


def test_a_missing_answer_is_its_reason() -> None:
    """Unmeasured is no verdict on anybody."""
    assert explain(unmeasured_cell(KEY, "rate limit", "429")) == "unmeasured: rate limit: 429"
    assert explain(unmeasured_cell(KEY, "budget", "")) == "unmeasured: budget"


def test_what_is_not_shown_of_an_answer_is_counted(run: Results) -> None:
    """Shortened lists and texts say how much is missing."""
    cell = next(cell for cell in run.cells if cell.verdict == "half")
    evidence: list[JSON] = [str(number) for number in range(20)]
    issues: list[JSON] = [issues_of(cell)[0] | {"evidence": evidence}]
    text = answer_text(replace(cell, analysis={"issues": issues, "notes": []}), 20, 3)

    assert "   - 2\n   - … and 17 more\n" in text
    assert "more characters]" in text
