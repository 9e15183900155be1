"""The Markdown report; how it looks is in tests/golden."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import Move, unmeasured_cell
from pytest_rcabench.reports.grid import MARKS
from pytest_rcabench.reports.markdown import LONGEST, render_markdown
from pytest_rcabench.reports.markdown_failures import DETAILS, failure_lines

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Results
    from pytest_rcabench.reports.markdown_failures import Detail

HOSTILE = (
    "</td><script>alert(1)</script> | `x` ``` [a](http://b.example.invalid) ![i](//x) @team #42 "
    "\x1b[31mred\u202e *b* _i_ $x$"
)


def _hostile(run: Results) -> Results:
    issue: dict[str, JSON] = dict.fromkeys(
        ("title", "severity", "service", "cause", "reasoning"), HOSTILE
    )
    issue |= {name: [HOSTILE] for name in ("commits", "ruled_out", "evidence")}
    return replace(
        run,
        run=replace(run.run, id=HOSTILE),
        columns=tuple(replace(column, label=HOSTILE) for column in run.columns),
        incidents=tuple(replace(incident, title=HOSTILE) for incident in run.incidents),
        cells=tuple(
            replace(
                cell,
                checks=tuple(check | {"detail": HOSTILE} for check in cell.checks),
                analysis={"issues": [issue], "notes": [HOSTILE]},
            )
            if cell.is_measured
            else replace(cell, error={"reason": HOSTILE, "detail": HOSTILE})
            for cell in run.cells
        ),
    )


def test_hostile_text_stays_text_everywhere(run: Results) -> None:
    """Outside the fenced blocks no tag, mention or link of others is left."""
    fence, outside = "", []
    for line in render_markdown(_hostile(run)).split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line.removesuffix("text")
        else:
            outside.append(line)
    text = "\n".join(outside)

    assert not fence
    assert "\x1b" not in render_markdown(_hostile(run))
    assert "\u202e" not in render_markdown(_hostile(run))
    for live in ("<script", "</td", "@team", "#42", "://b", " `x", "[a]("):
        assert live not in text


def test_hostile_text_keeps_tables_whole(run: Results) -> None:
    """Every row of a table has as many cells as its head."""
    widths: dict[int, int] = {}
    table = 0
    for line in render_markdown(_hostile(run)).split("\n"):
        if not line.startswith("| ") and not line.startswith("|---"):
            table += 1
            continue
        width = line.replace("\\|", "").count("|")
        assert widths.setdefault(table, width) == width
    assert widths


@pytest.mark.parametrize("detail", DETAILS)
def test_no_failure_is_dropped(run: Results, detail: Detail) -> None:
    """However short the entries are, each failed cell is in one of them."""
    lines = list(failure_lines([run], detail))
    failed = [cell for cell in run.cells if cell.verdict in {"half", "wrong"}]

    assert len([line for line in lines if " · round" in line]) == len(failed)
    for cell in failed:
        heading = next(n for n, line in enumerate(lines) if f"({cell.key.incident})" in line)
        name = {"gemini": "Gemini 1.2.10", "heuristic": "heuristic"}[cell.key.column]
        entry = f"{MARKS[cell.verdict]} {name} · round {cell.key.round}: "
        assert any(entry in line for line in lines[heading:])


def test_the_same_failure_in_several_rounds_is_one_entry(run: Results) -> None:
    """It names its rounds; another answer in another round stays an entry of its own."""
    cell = next(cell for cell in run.cells if cell.key.column == "heuristic" and cell.checks)
    rounds = [replace(cell, key=replace(cell.key, round=number)) for number in (1, 2, 3)]
    other: dict[str, JSON] = {"issues": [], "notes": ["something else"]}
    cells = (*rounds, replace(cell, key=replace(cell.key, round=4), analysis=other))
    text = "\n".join(failure_lines([replace(run, cells=cells)], DETAILS[0]))
    short = "\n".join(failure_lines([replace(run, cells=cells)], DETAILS[-3]))

    assert "heuristic · rounds 1\u20133: wrong" in text
    assert "heuristic · round 4: wrong" in text
    assert "heuristic · rounds 1\u20134: wrong" in short
    assert "The answer of round 1; others differ" in short


def _long(run: Results, incidents: int, rounds: int) -> Results:
    """Return a run of that many failures, each with an answer of its own, 20 kB long."""
    first = run.incidents[0]
    cell = next(cell for cell in run.cells if cell.verdict == "half")
    return replace(
        run,
        incidents=tuple(replace(first, id=f"incident-{n}") for n in range(incidents)),
        cells=tuple(
            replace(
                cell,
                key=replace(cell.key, incident=f"incident-{n}", round=number),
                analysis={
                    "issues": [
                        {
                            "title": f"{n} {number}",
                            "severity": "error",
                            "service": "orders-api",
                            "cause": "pool",
                            "evidence": ["e" * 500] * 20,
                            "reasoning": "r" * 10_000,
                        }
                    ]
                },
            )
            for n in range(incidents)
            for number in range(1, rounds + 1)
        ),
        controls=(),
    )


@pytest.mark.parametrize(("incidents", "rounds"), [(1, 2), (8, 3), (100, 10)])
def test_a_long_report_is_folded_below_its_limit(run: Results, incidents: int, rounds: int) -> None:
    """A thousand failures with megabytes of reasoning fit into a comment, and all are there."""
    text = render_markdown(_long(run, incidents, rounds))

    assert len(text.encode()) <= LONGEST
    assert ("Answers are shortened here" in text) == (incidents > 1)
    assert text.count("\n### ") == incidents


def test_a_reply_that_cannot_be_read_is_shown_and_cut(run: Results) -> None:
    """A megabyte of nonsense costs a few thousand characters, and says so."""
    cells = tuple(
        replace(cell, reply="x" * 1_000_000) if cell.fault else cell for cell in run.cells
    )
    text = render_markdown(replace(run, cells=cells))

    assert "[996,000 more characters]" in " ".join(text.split())
    assert len(text) < 25_000


def test_a_run_without_failures_says_so(run: Results) -> None:
    """Silence would read like a report cut short."""
    cells = tuple(cell for cell in run.cells if cell.verdict == "pass")
    text = render_markdown(replace(run, cells=cells, controls=()))

    assert "\n- Gemini 1.2.10: all checks passed in every round on 2 incidents (3 runs).\n" in text
    assert "\n### " not in text
    assert "## Unmeasured" not in text
    assert "## Naive controls" not in text


def test_a_run_that_measured_nothing_has_not_passed(run: Results) -> None:
    """Where all answers are missing, nothing failed and nothing was right."""
    cells = tuple(unmeasured_cell(cell.key, "network", "gone") for cell in run.cells)
    text = render_markdown(replace(run, cells=cells))

    assert "\n- Gemini 1.2.10: nothing was measured" in text
    assert "all checks passed" not in text
    assert "clock-skew rounds 1\u20132; connection-leak rounds 1\u20132" in text


def test_a_moved_incident_has_its_footnote(run: Results) -> None:
    """Who reads the dash learns when and why."""
    move = Move("clock-skew", "2026-11-29", "1.2.9", "the <host> is shown", "a1b2c3d4e5f6a7")
    text = render_markdown(replace(run, moves=(move,)))

    assert "\n\u2013 clock-skew moved to the tuned set on 2026-11-29: " in text
    assert "the &lt;host&gt; is shown; it led to 1.2.9 (commit a1b2c3d4e5f6)\n" in text


def test_runs_that_cannot_be_compared_say_so(run: Results) -> None:
    """Another scorer or another text of an incident makes verdicts strangers to each other."""
    moved = tuple(replace(one, truth_digest="0" * 64) for one in run.incidents[:1])
    other = replace(run, incidents=moved + run.incidents[1:])

    assert "scored by different scorers" in render_markdown(
        run, replace(other, scorer_digest="6" * 64)
    )
    assert "**these runs were scored by different truths of clock-skew:" in render_markdown(
        run, other
    )
    assert "different" not in render_markdown(run, run)


def test_an_unfinished_run_says_so(run: Results) -> None:
    """A report of half a run never passes for one of a whole."""
    started = replace(run, complete=False, run=replace(run.run, finished=""))

    assert "finished not yet" in render_markdown(started)
    assert "**the run is not complete" in render_markdown(started)
