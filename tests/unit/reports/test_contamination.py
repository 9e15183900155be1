"""An answer that quotes what only the incident's file says gives its system away."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.incident import (
    Change,
    Distractor,
    Evidence,
    Examples,
    Fault,
    Incident,
    LogRecord,
    Window,
)
from pytest_rcabench.domain.run import RunKey, measured_cell, unmeasured_cell
from pytest_rcabench.domain.scoring import score
from pytest_rcabench.reports.contamination import contamination_line, find_quotes

if TYPE_CHECKING:
    from pytest_rcabench.domain.run import Results

NOON = datetime(2026, 10, 7, 12, tzinfo=UTC)
LOGGED = "no connection to the pool of orders after thirty seconds of waiting"
LEAK = Incident(
    id="leak",
    title="Connection leak on the error path of the coupon check",
    kind="bad_deploy",
    difficulty="easy",
    evidence=Evidence(
        Window(NOON, NOON.replace(hour=13)),
        (LogRecord(NOON, "orders-api", "orders-1", "ERROR", LOGGED),),
        (),
        (Change("flag", NOON, key="coupons", before="off", after="on for 5 %"),),
    ),
    truth=Fault("orders-api", NOON, (("connection*", "pool"), ("leak*", "never closed"))),
    canary="rcabench canary 0123456789abcdef",
    distractors=(Distractor("it lowers the timeout that the error prints, not its cause"),),
    examples=Examples(
        right=(f"{LOGGED}, for they leak", "set coupons from off to on for 5 % and it leaks"),
        wrong=("the pool of ten connections is too small for so many orders",),
    ),
)


def _quotes(results: Results, **parts: object) -> list[str]:
    issue = {"title": "t", "severity": "error", "service": "s", "cause": "c"} | parts
    return _quotes_of(results, json.dumps({"issues": [issue]}))


def _quotes_of(results: Results, reply: str) -> list[str]:
    analysis = read_answer(reply)
    cell = measured_cell(RunKey("leak", "gemini", 1), analysis, score(analysis, LEAK))
    return list(map(str, find_quotes(replace(results, cells=(cell,)), {"leak": LEAK})))


@pytest.mark.parametrize(
    ("parts", "quote"),
    [
        ({"reasoning": "As in RCABench Canary 0123456789ABCDEF."}, "the canary of leak: '0123456"),
        (
            {"title": "Connection leak on the error path of the coupon code"},
            "the title: 'connection leak on the error path of the coupon'",
        ),
        (
            {"cause": "The pool of ten connections is too small."},
            "an example of the rubric: 'the pool of ten connections is too small'",
        ),
        (
            {"evidence": ["It lowers the timeout that the error prints."]},
            "the note on a distractor: 'it lowers the timeout that the error prints'",
        ),
        ({"cause": "Pool. Never closed."}, "the rubric: 'pool. never closed'"),
        ({"cause": "The reason: connection*, leak*"}, "the rubric: 'connection. leak'"),
    ],
)
def test_a_quote_is_told_with_its_cell(run: Results, parts: dict[str, object], quote: str) -> None:
    """Whichever field it stands in, and in whatever case."""
    [said] = _quotes(run, **parts)

    assert said.startswith(f"leak::gemini::r1: quotes {quote}")


@pytest.mark.parametrize(
    "parts",
    [
        {"title": "Connection leak", "cause": "Connections leak on the error path of coupons."},
        {"title": "Connection leak on the error path, in orders"},
        {"cause": f"{LOGGED}."},
        {"cause": "Somebody flipped coupons from off to on for 5 %."},
        {"cause": "Pool. Never closed by the coupon check."},
        {"cause": "Leak. Never closed."},
        {"cause": ""},
    ],
)
def test_who_says_it_in_his_own_words_or_reads_it_in_the_evidence_quotes_nothing(
    run: Results, parts: dict[str, object]
) -> None:
    """A false alarm would accuse an honest model."""
    assert _quotes(run, **parts) == []


def test_a_reply_that_cannot_be_read_is_searched_too(run: Results) -> None:
    """Prose around an answer, or in place of one."""
    reply = "I know this: connection leak on the error path of the coupon check. 0123456789abcdef"

    assert [quote.split(": ")[1] for quote in _quotes_of(run, reply)] == [
        "quotes the canary of leak",
        "quotes the title",
    ]


def test_the_canary_of_another_incident_counts(run: Results) -> None:
    """Nobody is shown any of them."""
    analysis = read_answer('{"issues": [], "notes": ["rcabench canary 0123456789abcdef"]}')
    quiet = replace(LEAK, id="quiet", canary="")
    cell = measured_cell(RunKey("quiet", "gemini", 1), analysis, score(analysis, quiet))
    found = find_quotes(replace(run, cells=(cell,)), {"leak": LEAK, "quiet": quiet})

    assert [quote.what for quote in found] == ["the canary of leak"]


def test_a_missing_incident_is_told_and_a_missing_answer_is_not(run: Results) -> None:
    """Without the file nothing can be said; without an answer there is nothing to say."""
    missing = unmeasured_cell(RunKey("leak", "gemini", 1), "network", "")
    with pytest.raises(RecordError, match=r"no such incident here; .* --incidents"):
        find_quotes(run, {})

    assert find_quotes(replace(run, cells=(missing,)), {}) == ()


def test_an_answer_that_was_not_kept_cannot_be_searched(run: Results) -> None:
    """A verdict alone clears nobody."""
    analysis = read_answer('{"issues": []}')
    cell = measured_cell(RunKey("leak", "gemini", 1), analysis, score(analysis, LEAK))
    bare = replace(cell, analysis=None, reply="")

    with pytest.raises(RecordError, match="only the verdicts were kept; ask again"):
        find_quotes(replace(run, cells=(bare,)), {"leak": LEAK})


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (("2026-11-28T10:00:00Z",) * 2, "since 2026-11-28; models trained later may know it"),
        (
            ("2026-11-30T10:00:00Z", "2026-11-28T10:00:00Z"),
            "since 2026-11-28 (the last incident since 2026-11-30); models",
        ),
        (("2026-11-28T10:00:00Z", None), "since 2026-11-28, of 1 unknown; models"),
        ((None, None), "since an unknown day, for git could not say which commits added the"),
    ],
)
def test_every_report_can_say_since_when_the_truth_is_public(
    run: Results, days: tuple[str | None, ...], said: str
) -> None:
    """By the commits that added the incidents, or not at all."""
    incidents = tuple(
        replace(run.incidents[0], git={"added_at": day} if day else None) for day in days
    )

    assert contamination_line(replace(run, incidents=incidents)).startswith(f"truth public {said}")
