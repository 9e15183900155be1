"""The words of proof, from facts alone; tests/acceptance/test_verify.py has them from git."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.proof import Commit, Hearing, Trail
from pytest_rcabench.domain.seal import Seal
from pytest_rcabench.reports.proof_claims import (
    commit_claim,
    digest_claim,
    history_claim,
    incident_claim,
    package_claim,
    verdict_claim,
)
from pytest_rcabench.reports.seal_claims import seal_claims

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results

HEAD = "c" * 40  # the commit of the small run
EARLY = Commit("a" * 40, "2026-11-01T00:00:00Z")
AT = Commit(HEAD, "2026-11-30T10:00:00Z")


def _trail(run: Results, **changes: Any) -> tuple[Any, Trail]:  # noqa: ANN401 - of any field
    info = run.incidents[1]
    trail = Trail(
        incident=info.id,
        at=AT,
        path=info.path,
        then="b",
        now="b",
        added=EARLY,
        is_what_ran=True,
        is_same_now=True,
    )
    return info, replace(trail, **changes)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({}, "proved"),
        ({"now": "d", "edits": (EARLY,)}, "proved"),
        ({"added": None}, "unproved"),
        ({"then": "", "is_what_ran": False}, "unproved"),
        ({"is_what_ran": False}, "unproved"),
        ({"is_what_ran": False, "later": AT}, "broken"),
        ({"now": "", "is_same_now": False}, "broken"),
        ({"now": "d", "is_same_now": False, "edits": (AT,)}, "broken"),
        ({"came_back": AT}, "broken"),
        ({"moved": AT}, "broken"),
        ({"path": "tuned/x.yaml"}, "broken"),
        ({"added": Commit("a" * 40, "2026-12-01T00:00:00Z")}, "broken"),
    ],
)
def test_an_incident_gets_the_word_that_the_facts_allow(
    run: Results, changes: dict[str, Any], word: str
) -> None:
    """One flaw is enough, and what contradicts comes before what is missing."""
    info, trail = _trail(run, **changes)

    assert incident_claim(run, info, trail, ()).word == word


def test_the_repository_alone_says_the_same_of_sets_and_moves(run: Results) -> None:
    """Before any run there is a history to judge."""
    words = [
        history_claim(*_trail(run, **changes), reasons).word
        for changes, reasons in (
            ({}, ()),
            ({"added": None}, ()),
            ({"came_back": AT}, ()),
            ({"moved": AT}, ()),
            ({"moved": AT}, ("connection-leak",)),
        )
    ]

    assert words == ["proved", "unproved", "broken", "broken", "proved"]


@pytest.mark.parametrize(
    ("digest", "reference", "committed", "word", "why"),
    [
        ("ours", None, None, "proved", "ours is this version's"),
        ("other", None, None, "unproved", "verify with the version that made the run"),
        ("ours", ("the seal", "ours"), "ours", "proved", "is that of the seal"),
        ("other", ("the seal", "other"), None, "proved", "not this version's, is that of the seal"),
        ("other", ("the seal", "ours"), None, "broken", "is not ours, that of the seal"),
        ("ours", None, "other", "unproved", "it ran with other source"),
    ],
)
def test_scorer_and_prompt_are_held_to_what_is_known(
    digest: str, reference: tuple[str, str] | None, committed: str | None, word: str, why: str
) -> None:
    """A seal or first run comes first, then the commit's own source, then this version."""
    claim = digest_claim(
        "scorer", digest, reference=reference, installed="ours", committed=committed, touched=()
    )

    assert claim.word == word
    assert why in claim.why


def test_a_source_that_changed_and_came_back_is_proved_and_told() -> None:
    """The digest is the same, and readers may ask why."""
    claim = digest_claim(
        "prompt",
        "p",
        reference=("the seal", "p"),
        installed="p",
        committed="p",
        touched=(AT, EARLY),
    )

    assert claim.word == "proved"
    assert claim.why.endswith(f"changed by {AT}, {EARLY}, and back")


def test_verdicts_need_our_scorer_an_answer_and_the_incident(run: Results) -> None:
    """What cannot be scored again is unproved, and a single difference is broken."""
    digest = run.scorer_digest
    fewer = replace(run, cells=run.cells[1:])
    edited = replace(run, cells=(replace(run.cells[0], verdict="wrong"), *run.cells[1:]))
    verdicts_only = replace(
        run, cells=tuple(replace(cell, analysis=None) for cell in run.cells if cell.is_measured)
    )
    words = [
        verdict_claim(run, run, digest).word,
        verdict_claim(run, run, "another").word,
        verdict_claim(run, fewer, digest).word,
        verdict_claim(verdicts_only, verdicts_only, digest).word,
        verdict_claim(edited, run, digest).word,
    ]

    assert words == ["proved", "unproved", "unproved", "unproved", "broken"]


def test_many_differences_are_counted_and_the_first_ones_shown(run: Results) -> None:
    """A line stays a line."""
    edited = replace(
        run, cells=tuple(replace(cell, latency_s=cell.latency_s + 1) for cell in run.cells)
    )
    why = verdict_claim(edited, run, run.scorer_digest).why

    assert why.startswith(f"{len(run.cells)} of ")
    assert why.endswith("; …")


def test_a_run_without_git_names_no_commit(run: Results) -> None:
    """There is nothing to look for."""
    claim = commit_claim(replace(run.run.git, head=""), (), is_shallow=False)

    assert claim.word == "unproved"


def test_a_clock_that_saw_the_seal_after_the_run_began_states_no_more(run: Results) -> None:
    """It is a witness, but not of what it was called for."""
    seal = Seal("2026-11-30T09:00:00Z", "0", "s", "p", 1, (), ())
    heard = [
        Hearing("witnessed", "early", "2026-11-30T09:30:00Z"),
        Hearing("witnessed", "late", "2026-11-30T11:00:00Z"),
        Hearing("unproved", "gone"),
    ]
    claims = seal_claims(seal, [run], is_in_runs=None, later=None, hearings=heard)
    dates = [claim.word for claim in claims if claim.about == "seal date"]

    assert dates == ["stated", "witnessed", "stated", "unproved"]


@pytest.mark.parametrize(
    ("digest", "word"), [("ours", "proved"), ("", "stated"), ("other", "unproved")]
)
def test_the_code_of_a_run_is_known_by_its_digest(run: Results, digest: str, word: str) -> None:
    """A version number is its author's word."""
    made = replace(run, run=replace(run.run, package_digest=digest))

    assert package_claim(made, "ours").word == word
