"""What a job of GitHub Actions is told: commands that cannot be broken, outputs, a summary."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import Cell, RunKey
from pytest_rcabench.reports.comparison import Comparison, Family
from pytest_rcabench.reports.gate import judge
from pytest_rcabench.reports.github import (
    annotate,
    command,
    output_values,
    render_outputs,
    step_summary,
)
from pytest_rcabench.reports.pairing import Pair

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results, Word


def place_of(incident: str) -> tuple[str, int]:
    """Return a path and line for *incident*."""
    return f"incidents/{incident}.yaml", 7


def test_nothing_in_a_text_breaks_out_of_its_command() -> None:
    """Line ends would start a command of their own, commas and colons another property."""
    shown = command("error", "100%\r\n::warning::no: a, b", file="a,b:c%.yaml", title="x\ny")

    assert shown == ("::error file=a%2Cb%3Ac%25.yaml,title=x%0Ay::100%25%0D%0A::warning::no: a, b")


def test_a_column_that_failed_on_an_incident_is_one_annotation(run: Results) -> None:
    """It names the verdicts by round and the failed checks, and stands on the incident's line."""
    lines = annotate(run, place_of, failing={"half", "wrong", "unmeasured"})

    assert lines
    for line in lines:
        assert line.startswith("::error file=incidents/")
        assert ".yaml,line=7,title=" in line
        assert "\n" not in line
    failed = {(cell.key.incident, cell.key.column) for cell in run.cells if cell.verdict != "pass"}
    assert len(lines) == len(failed)


@pytest.mark.parametrize("verdict", ["half", "wrong", "unmeasured"])
def test_only_what_fails_the_run_is_an_error(run: Results, verdict: str) -> None:
    """The rest are warnings: a green job with errors in it would be believed by nobody."""
    cells = tuple(cell for cell in run.cells if cell.verdict == verdict)
    some = replace(run, cells=cells)

    assert cells
    assert all(one.startswith("::error ") for one in annotate(some, place_of, failing={verdict}))
    assert all(one.startswith("::warning ") for one in annotate(some, place_of, failing=()))


def test_ten_annotations_are_followed_by_how_many_more_there_are(run: Results) -> None:
    """GitHub drops the eleventh without a word. The worst come first."""
    wrong, half = _cell_of(run, "wrong"), _cell_of(run, "half")
    cells = [
        replace(cell, key=RunKey(f"incident-{number:02}", "sut", 1))
        for number, cell in enumerate([half] * 9 + [wrong] * 4)
    ]

    *shown, last = annotate(replace(run, cells=tuple(cells)), place_of, failing={"half", "wrong"})

    assert len(shown) == 10
    assert ["%3A wrong::" in line for line in shown] == [True] * 4 + [False] * 6
    assert last == "::notice::3 more failed; the job's summary shows all"


def test_rounds_are_told_by_verdict(run: Results) -> None:
    """One line says which rounds went wrong, and the worst one is explained."""
    wrong = _cell_of(run, "wrong")
    cells = (
        Cell(RunKey("leak", "sut", 1), "pass"),
        replace(wrong, key=RunKey("leak", "sut", 2)),
        replace(wrong, key=RunKey("leak", "sut", 3)),
    )

    (line,) = annotate(replace(run, cells=cells), place_of, failing={"wrong"})

    assert "::sut: wrong in rounds 2, 3; pass in round 1%0Asut, round 2: wrong" in line


@pytest.mark.parametrize("reason", ["it fell", ""])
def test_against_a_baseline_only_what_got_worse_is_told(run: Results, reason: str) -> None:
    """The worst fall comes first, as an error where the gate is red; what always failed is old.

    It is told all the same where it fails the run.
    """
    words: tuple[Word, ...] = ("pass", "half", "wrong")
    cells = {word: _cell_of(run, word) for word in words}
    incidents = [replace(run.incidents[0], id=name) for name in ("fell", "old", "sank", "rose")]
    then: tuple[Word, ...] = ("pass", "wrong", "pass", "half")
    now: tuple[Word, ...] = ("half", "wrong", "wrong", "pass")
    pairs = tuple(
        Pair(incident, "sut", (cells[before],), (cells[after],))
        for incident, before, after in zip(incidents, then, now, strict=True)
    )
    (judgement,) = judge([[pair.rounds for pair in pairs]])
    comparison = Comparison(
        run=run.run,
        verdict="regressed",
        reasons=("it fell",),
        warnings=(),
        families=(Family("sut", "faulty held-out", pairs, judgement),),
        baseline=(),
    )
    new = replace(
        run,
        cells=tuple(
            replace(cells[after], key=RunKey(incident.id, "sut", 1))
            for incident, after in zip(incidents, now, strict=True)
        ),
    )

    def told(*failing: str) -> list[str]:
        lines = annotate(new, place_of, failing=failing, comparison=comparison, reason=reason)
        return [line.split(",line=")[0] for line in lines]

    first = ["::error title=rcabench::it fell"] if reason else []
    level = "error" if reason else "warning"
    assert told() == [
        *first,
        f"::{level} file=incidents/sank.yaml",
        f"::{level} file=incidents/fell.yaml",
    ]
    assert told("half", "wrong") == [
        *first,
        "::error file=incidents/sank.yaml",
        "::error file=incidents/fell.yaml",
        "::error file=incidents/old.yaml",
    ]


def test_an_output_of_several_lines_stays_one_output() -> None:
    """Even one that tries to end itself and to add another."""
    text = render_outputs({"verdict": "passed\nEOF\nverdict=failed", "cost": "1.5"})

    lines = text.split("\n")
    name, mark = lines[0].split("<<")
    assert name == "verdict"
    assert lines[1:4] == ["passed", "EOF", "verdict=failed"]
    assert lines[4] == mark
    assert lines[5].startswith("cost<<")
    assert lines[6] == "1.5"


def test_the_pass_rate_is_that_of_the_worst_column_on_held_out_incidents(run: Results) -> None:
    """Columns and sets are never pooled into one rate, so the bar holds for each of them."""
    incidents = {incident.id: incident for incident in run.incidents}
    rates = []
    for column in run.columns:
        words = [
            cell.verdict
            for cell in run.cells
            if cell.key.column == column.name
            and incidents[cell.key.incident].set == "held_out"
            and not incidents[cell.key.incident].twin_of
            and cell.is_measured
        ]
        rates.append(words.count("pass") / len(words))

    assert output_values(run, "passed")["pass_rate"] == f"{min(rates):.4f}"


def test_a_cost_that_one_answer_does_not_tell_is_unknown(run: Results) -> None:
    """A sum of some of the costs would pass for the cost of the run."""
    columns = tuple(replace(column, provider="command") for column in run.columns)
    run = replace(run, columns=columns)
    cells = [cell for cell in run.cells if cell.is_measured][:2]
    told = tuple(replace(c, usage=replace(c.usage, cost_usd=0.25)) for c in cells)
    silent = replace(told[1], usage=replace(told[1].usage, cost_usd=None))

    assert output_values(replace(run, cells=told), "passed")["cost"] == "0.5000"
    assert output_values(replace(run, cells=(told[0], silent)), "passed")["cost"] == "unknown"
    assert output_values(replace(run, cells=()), "unmeasured") == {
        "verdict": "unmeasured",
        "pass_rate": "",
        "cost": "0.0000",
    }


def test_built_in_analysers_cost_nothing(run: Results) -> None:
    """They say no price, and need none."""
    cells = tuple(
        replace(cell, usage=replace(cell.usage, cost_usd=None))
        for cell in run.cells
        if cell.is_measured
    )
    columns = tuple(replace(column, provider="heuristic") for column in run.columns)

    shown = output_values(replace(run, cells=cells, columns=columns), "passed")

    assert shown["cost"] == "0.0000"


def test_the_summary_begins_with_the_grid(run: Results) -> None:
    """What happened is seen without scrolling; the report is folded away below."""
    text = step_summary(run, "failed: the <gate> is red")

    head, _, rest = text.partition("\n\n")
    assert head == "## rcabench: failed: the &lt;gate&gt; is red"
    assert rest.startswith("| Incident |")
    grid, _, report = rest.partition("<details>")
    assert all(mark in grid for mark in "✓½✗⚠")
    assert "# Root-cause benchmark" in report
    assert report.endswith("</details>\n\n")


def test_the_summary_never_passes_its_limit(run: Results) -> None:
    """GitHub shows nothing at all of one that does; answers go first, and the grid last."""
    whole = step_summary(run, "passed")
    texts = {
        limit: step_summary(run, "passed", limit=limit)
        for limit in (0, 100, *range(1000, len(whole.encode()) + 1000, 1000))
    }

    assert all(len(text.encode()) <= limit for limit, text in texts.items())
    assert texts[0] == ""
    assert texts[100] == "**There is more than fits here: see the reports of this run.**\n"
    with_grid = [text for text in texts.values() if "| Incident |" in text]
    assert any(text.endswith(texts[100]) for text in with_grid)
    assert any("Answers are shortened here" in text for text in with_grid)
    assert with_grid[-1] == whole


def _cell_of(run: Results, verdict: Word) -> Cell:
    return next(cell for cell in run.cells if cell.verdict == verdict)
