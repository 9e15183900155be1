"""A fair incident, which every test of a rule makes unfair in one way."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pytest_rcabench.domain.incident import (
    Alert,
    Change,
    Distractor,
    Evidence,
    Fault,
    Incident,
    LogRecord,
    MetricSeries,
    Window,
)

START = datetime(2026, 10, 7, 13, tzinfo=UTC)
CULPRIT, INNOCENT, OLD = "c0ffee0" * 5 + "00000", "beef1e0" * 5 + "00000", "0dd" * 13 + "0"


def at(minutes: float) -> datetime:
    """Return the time *minutes* into the window."""
    return START + timedelta(minutes=minutes)


@pytest.fixture
def fair() -> Incident:
    """Return a window of an hour: connections of orders leak from its middle on."""
    noise = tuple(
        LogRecord(at(minute), "report", "report-1", "WARN", f"slow page {minute}")
        for minute in range(1, 60, 2)
    )
    refused = tuple(
        LogRecord(at(minute), "edge", "edge-1", "ERROR", f"upstream {minute} timed out")
        for minute in range(32, 60)
    )
    served = (
        LogRecord(at(3), "orders", "orders-1", "INFO", "order 17 served"),
        LogRecord(at(40), "orders", "orders-1", "WARN", "no connection after 30000 ms"),
    )
    diff = "--- a/app.yaml\n+++ b/app.yaml\n@@ -1,2 +1,2 @@\n pool:\n-  maxIdle: 3\n+  maxIdle: 4"
    changes = (
        Change("commit", at(-30), "orders", sha=OLD, message="Name the threads", diff="+x"),
        Change("commit", at(-20), "orders", sha=CULPRIT, message="Check coupons", diff=diff),
        Change("deploy", at(5), "orders", sha=CULPRIT, version="v2"),
        Change("commit", at(20), "edge", sha=INNOCENT, message="New colours\n\nLong", diff="+yy"),
    )
    metrics = (
        MetricSeries('requests_total{pod="a"}', "edge", "", START, 600, (1, 5, 9, 9, 12, 0, 3)),
        MetricSeries("pool_active", "orders", "", START, 600, (3, None, 2, 9, 10, 10, 10)),
    )
    return Incident(
        "leak",
        "Connections of orders leak",
        "bad_deploy",
        "easy",
        Evidence(
            Window(START, at(60)),
            noise + refused + served,
            metrics,
            changes,
            (Alert(at(35), "edge", "errors", "edge answers 5xx"),),
        ),
        Fault(
            service="orders",
            onset=at(30),
            cause=(("connection*", "pool"), ("leak*", "never closed")),
            also_ok=("orders-1",),
            victims=("edge",),
            must_not=("pool is too small",),
            commits=(CULPRIT,),
        ),
        canary="rcabench canary 1f2e",
        distractors=(
            Distractor("only colours", commit=INNOCENT),
            Distractor("as old as the report", noise="slow pages", match=r"slow page \d+"),
        ),
    )
