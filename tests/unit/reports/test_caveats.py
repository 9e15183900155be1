"""What a reader must know beside the figures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rcabench.domain.run import Move, unmeasured_cell
from pytest_rcabench.reports.caveats import limits, move_lines, reason_lines, warning_lines

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results


def test_the_most_frequent_reasons_stand_first_and_the_rest_is_counted(run: Results) -> None:
    """A run that lost everything in twelve ways does not fill the screen."""
    keys = [replace(run.cells[0].key, round=number) for number in range(1, 15)]
    cells = tuple(unmeasured_cell(key, "network", f"host {max(key.round, 3)}") for key in keys)
    lines = reason_lines(replace(run, cells=cells))

    assert lines[0].endswith(" gemini: network: host 3")
    assert lines[0].startswith("3 ")
    assert len(lines) == 11
    assert lines[-1] == "and 2 more reasons"
    assert warning_lines(replace(run, cells=cells))[0] == "unmeasured: 14 of 14 cells"


def test_each_move_is_told_once_whatever_runs_know_of_it(run: Results) -> None:
    """Two runs after the move hold the same entry of the ledger."""
    first = Move("clock-skew", "2026-11-28", "1.2.9", "hosts are shown")
    second = Move("connection-leak", "2026-11-29", "1.2.9", "links\nare narrower", "a1b2c3d4e5f6a7")
    lines = move_lines(replace(run, moves=(second, first)), replace(run, moves=(first,)))

    assert lines == [
        "\u2013 clock-skew moved to the tuned set on 2026-11-28: hosts are shown; it led to 1.2.9",
        (
            "\u2013 connection-leak moved to the tuned set on 2026-11-29: links are narrower; "
            "it led to 1.2.9 (commit a1b2c3d4e5f6)"
        ),
    ]


def test_limits_name_size_proof_age_models_and_intervals(run: Results) -> None:
    """Who reads nothing but the report still learns how far it reaches."""
    text = "\n".join(limits(run))

    for said in (
        "n = 5 incidents, 1 of them healthy",
        "held out: ",
        "truth public since ",
        "models: gemini is gemini-3.6-flash",
        "intervals are at 95 %",
    ):
        assert said in text
