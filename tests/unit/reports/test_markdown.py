"""The Markdown report; how it looks is in tests/golden."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.reports.markdown import block, inline, render_markdown

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Results

HOSTILE = (
    "</td><script>alert(1)</script> | `x` ``` [a](http://b.example.invalid) ![i](//x) @team #42 "
    "\x1b[31mred\u202e *b* _i_ $x$"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>", "&lt;script&gt;"),
        ("a|b", "a\\|b"),
        ("`code`", "\\`code\\`"),
        ("[a](b)", "\\[a\\](b)"),
        ("*b* _i_ ~s~ $m$", "\\*b\\* \\_i\\_ \\~s\\~ \\$m\\$"),
        ("&lt;", "&amp;lt;"),
        ("@team", "@<!-- -->team"),
        ("#42 # 42", "#<!-- -->42 # 42"),
        ("https://example.invalid", "https:<!-- -->//example.invalid"),
        ("two\nlines\r\nthree", "two lines three"),
        ("\x1b[31mred\x1b[0m \x00\u202ertl", "red rtl"),
        ("x" * 400, "x" * 300 + "… \\[100 more characters\\]"),
    ],
)
def test_text_of_others_shows_as_it_is_written(text: str, shown: str) -> None:
    """Nothing that a model wrote becomes markup, a link or a mention."""
    assert inline(text) == shown


def test_a_block_cannot_be_closed_from_inside() -> None:
    """The fence is longer than any run of backticks in the text."""
    lines = block("a\n```\n````\n# b").split("\n")

    assert lines == ["`````text", "a", "```", "````", "# b", "`````"]


def test_backticks_that_join_when_cleaned_cannot_close_a_block() -> None:
    """A zero-width character between backticks is no way out."""
    lines = block("``\u200b``").split("\n")

    assert lines == ["`````text", "````", "`````"]


def test_long_lines_of_a_block_are_wrapped_and_nothing_is_lost() -> None:
    """Reasoning of one long line can be read without scrolling."""
    text = " ".join(f"word{number}" for number in range(100))
    lines = block(text).split("\n")[1:-1]

    assert max(map(len, lines)) <= 100
    assert " ".join(line.strip() for line in lines) == text


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


def test_no_failure_is_dropped(run: Results) -> None:
    """Every half and wrong cell has a section of its own, however many there are."""
    failed = [cell for cell in run.cells if cell.verdict in {"half", "wrong"}]
    titles = {column.name: column.title for column in run.columns}
    text = render_markdown(run)

    assert text.count("\n### ") == len(failed)
    for cell in failed:
        assert f"\n{cell.key.incident} · {titles[cell.key.column]}" in text


def test_a_reply_that_cannot_be_read_is_shown_and_cut(run: Results) -> None:
    """A megabyte of nonsense costs a few thousand characters, and says so."""
    cells = tuple(
        replace(cell, reply="x" * 1_000_000) if cell.fault else cell for cell in run.cells
    )
    text = render_markdown(replace(run, cells=cells))

    assert "[996,000 more characters]" in " ".join(text.split())
    assert len(text) < 20_000


def test_a_run_without_failures_says_so(run: Results) -> None:
    """Silence would read like a report cut short."""
    cells = tuple(cell for cell in run.cells if cell.verdict == "pass")
    text = render_markdown(replace(run, cells=cells, controls=()))

    assert "\n- Gemini 1.2.10: all checks passed in every round on 2 incidents (3 runs).\n" in text
    assert "\n### " not in text
    assert "## Unmeasured" not in text
    assert "## Naive controls" not in text


def test_runs_that_cannot_be_compared_say_so(run: Results) -> None:
    """Another scorer or another text of an incident makes verdicts strangers to each other."""
    moved = tuple(replace(one, truth_digest="0" * 64) for one in run.incidents[:1])
    other = replace(run, scorer_digest="6" * 64, incidents=moved + run.incidents[1:])
    text = render_markdown(run, other)

    assert "scored by different scorers" in text
    assert "different versions of: clock-skew**" in text
    assert "different" not in render_markdown(run, run)


def test_an_unfinished_run_says_so(run: Results) -> None:
    """A report of half a run never passes for one of a whole."""
    started = replace(run, complete=False, run=replace(run.run, finished=""))

    assert "finished not yet" in render_markdown(started)
    assert "**the run is not complete" in render_markdown(started)
