"""The summary in a terminal; how it looks is in tests/golden."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.reports.caveats import warning_lines
from pytest_rcabench.reports.grid import LEGEND
from pytest_rcabench.reports.safe_text import columns_of
from pytest_rcabench.reports.terminal import render_terminal

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results


def _text(*runs: Results, **how: Any) -> str:  # noqa: ANN401 - options of render_terminal
    lines = render_terminal(*runs, **{"width": 100} | how)
    return "\n".join("".join(span.text for span in line) for line in lines)


def test_quiet_leaves_out_the_legend_and_very_quiet_the_incidents(run: Results) -> None:
    """The figures, the missing answers and the limits remain whatever is asked."""
    plain, quiet, very_quiet = (_text(run, verbosity=-number) for number in range(3))

    assert LEGEND in plain
    assert LEGEND not in quiet
    assert "connection-leak " in quiet
    assert "connection-leak " not in very_quiet
    for text in (plain, quiet, very_quiet):
        assert "3/4 (26–96 %)" in text
        assert "unmeasured: 1 of 12 cells" in text
        assert "gemini: rate limit: 429 after 5 attempts" in text
        assert "limits: n = 5 incidents" in text


def test_verbose_says_why_each_cell_failed(run: Results) -> None:
    """Nobody has to open a file to see what went wrong."""
    text = _text(run, verbosity=1)
    failed = [cell.key for cell in run.cells if cell.verdict in {"half", "wrong"}]

    assert all(str(key) in text for key in failed)
    assert "reasoning:" not in text
    assert "reasoning:" in _text(run, verbosity=2)


def test_what_pytest_has_told_is_not_told_again(run: Results) -> None:
    """A failed item's reasons stand in pytest's own section."""
    told = {cell.key for cell in run.cells if cell.key.incident == "connection-leak"}
    text = _text(run, verbosity=1, told=told)

    assert "connection-leak::" not in text
    assert "payment-cascade::heuristic::r1" in text


def test_the_headline_figures_are_shown_and_all_of_them_with_v(run: Results) -> None:
    """Tuned and twin figures do not crowd the end of every run."""
    assert "figures, tuned" not in _text(run)
    assert "figures, tuned" in _text(run, verbosity=1)


def test_sentences_are_about_systems_and_not_about_controls(run: Results) -> None:
    """What a control failed is no news; with -v it is told, too."""
    control = replace(run.columns[1], provider="control")
    named = replace(run, columns=(run.columns[0], control))

    assert "Gemini 1.2.10: 2 runs on 1 faulty window" in _text(named)
    assert "heuristic: 1 run on" not in _text(named)
    assert "heuristic: 1 run on" in _text(named, verbosity=1)
    assert "heuristic: 1 run on" in _text(run)


def test_runs_stand_side_by_side_with_what_keeps_them_apart(run: Results) -> None:
    """Another scorer makes verdicts strangers to each other."""
    other = replace(run, scorer_digest="6" * 64)

    assert "different scorers" in _text(run, other)
    assert "different scorers" not in _text(run, run)
    assert _text(run, run).count("connection-leak ") == 1


def test_what_limits_all_runs_is_said_once(run: Results) -> None:
    """Three nights side by side do not say three times that the set is small."""
    assert _text(run, run).count("limits: ") == _text(run, run).count("held out: ") == 1


@pytest.mark.parametrize("width", [60, 80])
def test_prose_is_wrapped_to_the_terminal(run: Results, width: int) -> None:
    """No sentence runs over the edge."""
    lines = _text(run, width=width, verbosity=2).split("\n")

    assert max(map(columns_of, lines)) <= width


def test_an_unfinished_run_says_so(run: Results) -> None:
    """An interrupted run never passes for a whole one."""
    assert "the run is not complete: planned cells are missing" in warning_lines(
        replace(run, complete=False)
    )


def test_ascii_means_ascii(run: Results) -> None:
    """A terminal without Unicode gets no character that it cannot print."""
    named = replace(run, columns=(replace(run.columns[0], label="größer"), run.columns[1]))
    text = _text(named, width=80, unicode=False, verbosity=2)

    assert text.isascii()
    assert "gr??er" in text
    assert "1 x gemini: rate limit" in text


def test_a_control_character_in_a_label_never_reaches_the_terminal(run: Results) -> None:
    """A hostile name cannot repaint the screen."""
    hostile = "a\x1b[2J\x07\u202eb"
    named = replace(run, columns=(replace(run.columns[0], label=hostile), run.columns[1]))
    text = _text(named, width=80, verbosity=2)

    assert "\x1b" not in text
    assert "\u202e" not in text
