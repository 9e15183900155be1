"""What the built-in analyser says about small windows, and that it says nothing about calm ones."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.incident import (
    Alert,
    Change,
    Evidence,
    LogRecord,
    MetricSeries,
    Span,
    Window,
)
from pytest_rcabench.engine.protocols import Analyzer
from pytest_rcabench.engine.systems.heuristic import Heuristic

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from pytest_rcabench.domain.analysis import Issue

START = datetime(2026, 10, 7, 13, tzinfo=UTC)
SERVICES = ("orders", "billing", "edge-proxy")


def at(minute: float) -> datetime:
    """Return the time *minute* minutes into the window."""
    return START + timedelta(minutes=minute)


def records(
    minutes: Iterable[float], service: str, level: str, message: str, host: str = ""
) -> tuple[LogRecord, ...]:
    """Return one record a minute."""
    return tuple(
        LogRecord(at(m), service, host or f"{service}-{i % 2}", level, message)
        for i, m in enumerate(minutes)
    )


def halves(first: int, last: int) -> list[float]:
    """Return every half minute from *first* to *last*."""
    return [half / 2 for half in range(2 * first, 2 * last)]


def series(name: str, service: str, values: Iterable[float]) -> MetricSeries:
    """Return samples of every minute."""
    return MetricSeries(name, service, "", START, 60, tuple(values))


CALM_LOGS = tuple(
    record
    for service in SERVICES
    for record in records(halves(0, 60), service, "INFO", f"{service} served request 17 in 20 ms")
)
NOISE = records(range(0, 60, 3), "billing", "WARN", "slow query on nightly report took 1200 ms")
CALM = Evidence(
    Window(START, at(60)),
    CALM_LOGS + NOISE,
    (
        series("request_duration_p99_ms", "orders", (20 + i % 3 for i in range(60))),
        series("request_rate", "orders", (100 + i % 7 for i in range(60))),
    ),
    (),
)
CHECKOUT = Change(
    "commit",
    at(28),
    service="orders",
    sha="a" * 40,
    message="Validate coupon before reserving",
    files=("src/orders/CouponCheck.java",),
    diff="--- a/src/orders/CouponCheck.java\n+++ b/src/orders/CouponCheck.java\n"
    "+  var coupon = coupons.lookup(cart.voucher());\n",
)
BANNER = Change(
    "commit",
    at(29),
    service="orders",
    sha="b" * 40,
    message="Restyle the banner of the welcome page",
    files=("src/orders/Banner.java",),
    diff="--- a/src/orders/Banner.java\n+++ b/src/orders/Banner.java\n+  paint(colour);\n",
)
FAILING = records(halves(31, 60), "orders", "ERROR", "coupon lookup failed for voucher 991: null")


def with_logs(*logs: LogRecord, changes: tuple[Change, ...] = ()) -> Evidence:
    """Return the calm window with more in it."""
    return replace(CALM, logs=CALM.logs + logs, changes=changes)


def issue_of(evidence: Evidence) -> Issue:
    """Return the one issue that the heuristic opens."""
    (issue,) = Heuristic().analyze(evidence).issues
    return issue


SURGING = tuple(
    replace_record
    for minute in range(60)
    for replace_record in records(
        [minute + i / 20 for i in range(18 if minute >= 30 else 3)],
        "orders",
        "INFO",
        "orders took cart 5",
    )
    + records(
        [minute + i / 20 for i in range(6 if minute >= 30 else 1)],
        "orders",
        "WARN",
        "cart 5 was stale",
    )
)


@pytest.mark.parametrize(
    "evidence",
    [
        CALM,
        Evidence(CALM.window, (), (), ()),
        with_logs(changes=(CHECKOUT, BANNER)),
        with_logs(*records([52], "orders", "ERROR", "one request timed out")),
        with_logs(*records(range(0, 60, 2), "orders", "ERROR", "refused card 4111")),
        with_logs(*SURGING),
        with_logs(
            changes=(
                Change("scale", at(31), service="orders", key="replicas", before="3", after="9"),
            )
        ),
        replace(CALM, metrics=(series("request_rate", "orders", [100] * 30 + [400] * 30),)),
        replace(CALM, alerts=(Alert(at(40), "orders", "request_rate", "traffic is unusual"),)),
    ],
    ids=[
        "old noise",
        "empty",
        "changes",
        "one error",
        "steady errors",
        "warnings that grow with the traffic",
        "scaling",
        "traffic",
        "alert",
    ],
)
def test_nothing_is_said_about_a_window_that_keeps_to_its_past(evidence: Evidence) -> None:
    """Silence, with the reason among the notes."""
    analysis = Heuristic().analyze(evidence)

    assert analysis.issues == ()
    assert "Nothing harmful departs" in analysis.notes[0]


def test_the_service_with_a_new_error_is_named() -> None:
    """The cause quotes the error, and the evidence counts it."""
    issue = issue_of(with_logs(*FAILING))

    assert issue.service == "orders"
    assert "coupon lookup failed" in issue.cause
    assert "58 times, never before" in issue.evidence[0]


def test_the_service_that_callers_complain_about_is_named() -> None:
    """Two callers say who keeps them waiting; the callee says little itself."""
    said = "upstream timed out while calling ledger for request 5"
    evidence = with_logs(
        *records(halves(0, 60), "ledger", "INFO", "posted entry 5"),
        *records(halves(31, 60), "orders", "ERROR", said),
        *records(halves(31, 60), "billing", "ERROR", said),
        *records(range(30, 60), "ledger", "WARN", "worker 3 is busy, 17 entries are queueing up"),
    )

    assert issue_of(evidence).service == "ledger"


def test_the_failing_span_without_a_failing_child_counts() -> None:
    """The trace shows whose error it was."""
    said = "checkout failed"
    spans = (
        Span("t", "1", "", "edge-proxy", "GET /", at(40), 90.0, "ERROR"),
        Span("t", "2", "1", "orders", "reserve", at(40), 80.0, "ERROR", "no answer"),
    )
    logs = records(halves(31, 60), "orders", "ERROR", said)
    logs += records(halves(31, 60), "edge-proxy", "ERROR", said)

    assert issue_of(replace(with_logs(*logs), traces=spans)).service == "orders"


def test_the_one_host_that_complains_is_named() -> None:
    """Two hosts serve, one of them fails."""
    said = records(halves(31, 60), "orders", "ERROR", "disk sector 8 unreadable", host="orders-1")
    issue = issue_of(with_logs(*said))

    assert issue.service == "orders-1"
    assert "orders-1 alone" in issue.cause


def test_the_one_host_that_several_services_share_is_named() -> None:
    """Whatever runs elsewhere is well."""
    said = tuple(
        record
        for service in ("orders", "billing")
        for record in records(halves(31, 60), service, "ERROR", "no space left", host="rack-7")
    )

    assert issue_of(with_logs(*said)).service == "rack-7"


def test_callers_may_shorten_the_name_of_a_service() -> None:
    """Who says "ledger" means the ledger-service, if nothing else is called so."""
    said = "ledger gave no answer for request 5"
    evidence = with_logs(
        *records(halves(0, 60), "ledger-service", "INFO", "posted entry 5"),
        *records(halves(31, 60), "orders", "ERROR", said),
        *records(halves(31, 60), "billing", "ERROR", said),
    )

    assert issue_of(evidence).service == "ledger-service"


def test_the_files_of_a_commit_tell_its_service() -> None:
    """Where the commit names none, and both share the same words with the error."""
    there = replace(CHECKOUT, service="", sha="c" * 40)
    elsewhere = replace(there, sha="d" * 40, files=("src/CouponCheck.java",))
    elsewhere = replace(elsewhere, diff=CHECKOUT.diff.replace("orders/", ""), time=at(20))
    others = tuple(replace(BANNER, service="billing", sha=sign * 40) for sign in "0123")
    issue = issue_of(with_logs(*FAILING, changes=(elsewhere, there, *others)))

    assert issue.commits == (there.sha,)
    assert "its files speak of orders" in issue.reasoning


def test_of_two_commits_the_one_that_speaks_of_the_error_is_blamed() -> None:
    """Though the other one is nearer to the onset."""
    issue = issue_of(with_logs(*FAILING, changes=(CHECKOUT, BANNER)))

    assert issue.commits == (CHECKOUT.sha,)
    assert "coupon" in issue.reasoning


def test_a_commit_counts_from_its_deploy() -> None:
    """One that speaks of the error, but is rolled out after it began, is not blamed."""
    late = Change("deploy", at(45), service="orders", sha=CHECKOUT.sha, version="v7")
    issue = issue_of(with_logs(*FAILING, changes=(CHECKOUT, BANNER, late)))

    assert CHECKOUT.sha not in issue.commits


def test_of_two_alike_nobody_is_blamed() -> None:
    """A guess between equals would blame an innocent one half of the time."""
    twin = replace(CHECKOUT, sha="c" * 40)
    issue = issue_of(with_logs(*FAILING, changes=(CHECKOUT, twin)))

    assert issue.commits == ()
    assert "none is blamed" in issue.reasoning


def test_a_change_after_the_onset_is_nobodys_suspect() -> None:
    """What came later did not cause it."""
    issue = issue_of(with_logs(*FAILING, changes=(replace(CHECKOUT, time=at(50)),)))

    assert issue.commits == ()


def test_a_change_of_documents_is_not_blamed() -> None:
    """It says the right words, but changes no program."""
    notes = replace(CHECKOUT, files=("docs/coupon-lookup.md",))
    issue = issue_of(with_logs(*FAILING, changes=(notes,)))

    assert issue.commits == ()


def test_a_flag_that_explains_it_is_told_in_the_cause() -> None:
    """It has no sha to blame, so the cause carries it."""
    flag = Change(
        "flag", at(30), service="orders", key="voucher-lookup", before="5 %", after="50 %"
    )
    issue = issue_of(with_logs(*FAILING, changes=(flag,)))

    assert issue.commits == ()
    assert "voucher-lookup from 5 % to 50 %" in issue.cause


def test_fewer_complaints_will_do_where_a_metric_shows_the_harm() -> None:
    """The same ten warnings are silence without the latency, and an issue with it."""
    warnings = records(range(48, 58), "orders", "WARN", "cart 5 waits for its turn")
    slow = series("request_duration_p99_ms", "orders", [20 + i % 3 for i in range(45)] + [900] * 15)

    assert Heuristic().analyze(with_logs(*warnings)).issues == ()
    assert issue_of(replace(with_logs(*warnings), metrics=(slow,))).service == "orders"


def test_a_window_that_outlasts_its_telemetry_is_read_like_any_other() -> None:
    """Hours without a record must not press all that happened into a moment."""
    evidence = with_logs(*FAILING)
    longer = replace(evidence, window=Window(START, at(600)))

    assert issue_of(longer) == issue_of(evidence)


def test_it_answers_the_same_every_time_and_reads_back() -> None:
    """The reply is the answer, and free to give."""
    evidence = with_logs(*FAILING, changes=(CHECKOUT, BANNER))
    first, second = Heuristic().analyze(evidence), Heuristic().analyze(evidence)

    assert first == second
    assert read_answer(first.reply).issues == first.issues
    assert isinstance(Heuristic(), Analyzer)
    assert Heuristic().is_free


def steps(evidence: Evidence) -> int:
    """Return how many functions an analysis calls, built-in ones included."""
    count = 0

    def tally(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tally)
    try:
        Heuristic().analyze(evidence)
    finally:
        sys.setprofile(None)
    return count


def test_twice_the_lines_are_at_most_twice_the_work() -> None:
    """Counted in calls, for windows of many different lines."""
    lines = tuple(
        record
        for i in range(2000)
        for record in records([i * 0.03], SERVICES[i % 3], "WARN", f"odd thing {'x' * (i % 97)}")
    )
    single = steps(with_logs(*lines[::2]))
    double = steps(replace(with_logs(*lines), logs=(CALM.logs + lines[::2]) * 2))

    assert double <= 2 * single
