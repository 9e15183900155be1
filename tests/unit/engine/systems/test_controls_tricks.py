"""The controls of the lint follow their rules to the letter."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.incident import (
    Alert,
    Change,
    Evidence,
    LogRecord,
    MetricSeries,
    Window,
)
from pytest_rcabench.engine.systems.controls import control
from pytest_rcabench.engine.systems.controls_tricks import STRATEGIES, TRICKS

START = datetime(2026, 10, 7, 13, tzinfo=UTC)
A, B, C = "a" * 40, "b" * 40, "c" * 40


def at(minutes: float) -> datetime:
    """Return the time *minutes* into the window."""
    return START + timedelta(minutes=minutes)


def series(name: str, service: str, *values: float | None) -> MetricSeries:
    """Return a series of *values*, one a minute."""
    return MetricSeries(name, service, "", START, 60, values)


EVIDENCE = Evidence(
    window=Window(START, at(60)),
    logs=(
        LogRecord(at(9), "orders", "orders-1", "ERROR", "gave up on 12"),
        LogRecord(at(2), "edge", "edge-1", "INFO", "asked orders for 7"),
        LogRecord(at(3), "edge", "edge-2", "ERROR", "gave up on 11"),
        LogRecord(at(4), "orders", "orders-1", "WARN", "slow answer 1"),
        LogRecord(at(5), "orders", "orders-1", "WARN", "slow answer 2"),
        LogRecord(at(6), "mail", "mail-1", "INFO", "sent"),
    ),
    metrics=(
        series("requests_total", "edge", 0, 90, 180, 270, 360, 450, 540),
        series("pool_active", "orders", 1, 2, 1, None, 1, 9, 9),
        series("requests_total", "mail", 5),
        series("queue", "edge", 3, 3, 3),
    ),
    changes=(
        Change("commit", at(1), sha=A, service="mail", message="Long\n\nbody", files=("x.py",)),
        Change("deploy", at(2), sha=A, service="edge", version="v3"),
        Change(
            "commit",
            at(2.5),
            sha=B,
            service="orders",
            message="Tune",
            files=("a.py", "conf/app.yaml"),
            diff="--- a\n+++ b\n-x\n-y\n+z",
        ),
        Change("commit", at(20), sha=C, service="edge", message="New", files=("c.py",), diff="+z"),
    ),
    alerts=(Alert(at(34), "mail", "latency", "mail is slow"),),
)
EMPTY = Evidence(window=EVIDENCE.window, logs=(), metrics=(), changes=())


@pytest.mark.parametrize(
    ("name", "service", "commits"),
    [
        ("first-error", "edge", ()),
        ("rarest-line", "orders", ()),
        ("second-loudest", "edge", ()),
        ("quietest-service", "mail", ()),
        ("loudest-host", "orders-1", ()),
        ("most-named", "orders", ()),
        ("most-metrics", "edge", ()),
        ("most-changes", "edge", ()),
        ("biggest-metric-jump", "orders", ()),
        ("no-error-is-healthy", "orders", ()),
        ("no-alert-is-healthy", "mail", ()),
        ("newest-setting", "orders", (B,)),
        ("newest-before-error", "orders", (B,)),
        ("most-removed", "orders", (B,)),
        ("newest-on-loudest", "orders", (B,)),
        ("newest-on-alert-echo", "mail", (A,)),
        ("newest-on-second-loudest", "edge", (C,)),
        ("newest-on-loudest-host", "orders-1", ()),
        ("listed-2", "edge", (A,)),
        ("listed-last-1", "edge", (C,)),
        ("newest-2", "orders", (B,)),
        ("oldest-1", "mail", (A,)),
        ("longest-diff-2", "edge", (C,)),
        ("shortest-diff-1", "mail", (A,)),
        ("longest-message-1", "mail", (A,)),
        ("shortest-message-1", "edge", (C,)),
        ("most-files-1", "orders", (B,)),
        ("fewest-files-2", "edge", (C,)),
    ],
)
def test_a_trick_answers_by_its_rule(name: str, service: str, commits: tuple[str, ...]) -> None:
    """Service and commits are those that the page promises."""
    (issue,) = control(name).analyze(EVIDENCE).issues

    assert (issue.service, issue.commits) == (service, commits)


def test_a_trick_with_nothing_to_name_is_silent() -> None:
    """A window without logs, metrics, changes and alerts gets no issue."""
    loud = {name for name, known in TRICKS.items() if known.rule(EMPTY)}

    assert loud == {"newest-on-word-salad"}


def test_a_reply_reads_back_as_the_same_issues() -> None:
    """The kept reply of every trick is its answer."""
    answers = [known.analyze(EVIDENCE) for known in TRICKS.values()]

    assert [read_answer(answer.reply).issues for answer in answers] == [a.issues for a in answers]


def test_of_an_order_only_its_ends_are_strategies() -> None:
    """One of the places between them is the culprit's, whoever made the incident."""
    assert {"newest-1", "listed-last-1", "echo", "most-metrics"} <= STRATEGIES
    assert STRATEGIES.isdisjoint({"newest-2", "listed-3", "oracle"})
