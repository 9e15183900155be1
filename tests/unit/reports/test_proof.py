"""What a run's own record says of its proof."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.reports.proof import proof_line

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Results

KNOWN: dict[str, JSON] = {"committed": True, "added": "a" * 40, "older_than_prompt": True}


def _with(run: Results, **facts: JSON) -> Results:
    git = KNOWN | facts
    return replace(run, incidents=tuple(replace(one, git=git) for one in run.incidents))


def test_committed_incidents_are_proved_and_tuned_ones_not_counted(run: Results) -> None:
    """The line counts the held-out set alone, and says what the prompt's author knew."""
    count = sum(one.set == "held_out" for one in run.incidents)

    assert count < len(run.incidents)
    assert proof_line(_with(run)) == (
        f"held out: proved {count}; prompt and heuristic written with {count} of them known; "
        "check with `rcabench verify`"
    )


@pytest.mark.parametrize(
    ("facts", "reason"),
    [({"committed": False}, "not committed"), ({"added": ""}, "history not read")],
)
def test_what_is_missing_is_counted_by_reason(
    run: Results, facts: dict[str, JSON], reason: str
) -> None:
    """Nothing is called proved that the record does not hold."""
    assert f"held out: unproved 4 ({reason} 4); " in proof_line(_with(run, **facts))


def test_a_shallow_clone_no_git_and_a_replay_prove_nothing(run: Results) -> None:
    """Each takes the proof from every incident."""
    known = _with(run)
    shallow = replace(known.run, git=replace(known.run.git, shallow=True))
    bare = replace(known.run, git=replace(known.run.git, head=""))
    replayed = replace(known.run, argv=("--rca-replay=results.json",))

    for about, reason in (
        (shallow, "shallow clone"),
        (bare, "no commit"),
        (replayed, "answers replayed"),
    ):
        assert f"unproved 4 ({reason} 4)" in proof_line(replace(known, run=about))


def test_a_prompt_that_no_column_used_is_not_mentioned(run: Results) -> None:
    """A program under test has a prompt of its own, which nobody sees."""
    columns = tuple(replace(column, provider="command") for column in run.columns)

    assert "written with" not in proof_line(replace(_with(run), columns=columns, prompt_digest=""))


def test_a_run_of_tuned_incidents_alone_has_nothing_held_out(run: Results) -> None:
    """A tuned result is no evidence."""
    tuned = tuple(replace(one, set="tuned") for one in run.incidents)

    assert proof_line(replace(run, incidents=tuned)) == "held out: no incident"
