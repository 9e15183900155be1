"""Records with the same sentence are one pattern."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pytest_rcabench.domain.incident import Evidence, LogRecord, Window
from pytest_rcabench.engine.systems.heuristic.templates import fold_records, template_of, words_of

START = datetime(2026, 10, 7, 13, tzinfo=UTC)


@pytest.mark.parametrize(
    ("message", "template"),
    [
        ("order 88121 reserved", "order # reserved"),
        ("took 0.25s for 10.4.2.77:8080", "took # for #"),
        ("user 3f2504e0-4f89-11d3-9a0c-0305e82c3301 gone", "user # gone"),
        (
            "[nio-8080-exec-3] c.e.orders.OrderController : fine",
            "[#] c.e.orders.OrderController : fine",
        ),
        ("first line 1\nat Frame.java:77", "first line #"),
        ('"GET /items HTTP/1.1" 503 17', '"GET /items #" server-error #'),
        ('"GET /items HTTP/1.1" 200 17', '"GET /items #" fine #'),
        ("answered with status=404", "answered with status=client-error"),
    ],
)
def test_what_differs_between_requests_is_masked(message: str, template: str) -> None:
    """Numbers, addresses and ids go; words and the class of an HTTP status stay."""
    assert template_of(message) == template


def test_words_come_out_of_compound_names() -> None:
    """Paths, camelCase and snake_case are taken apart; words said everywhere are left out."""
    assert words_of("src/CouponCheck.java: the max_pool_size of TTL") == {
        "src",
        "coupon",
        "check",
        "java",
        "max",
        "pool",
        "size",
        "ttl",
    }


def test_records_of_one_sentence_are_folded() -> None:
    """Service, level and template make a pattern; times and hosts are kept."""
    logs = tuple(
        LogRecord(START + timedelta(minutes=minute), "orders", f"orders-{minute % 2}", level, said)
        for minute, level, said in [
            (0, "INFO", "order 1 done"),
            (1, "INFO", "order 2 done"),
            (59, "ERROR", "order 3 done"),
            (90, "INFO", "order 4 done"),
        ]
    )
    evidence = Evidence(Window(START, START + timedelta(hours=1)), logs, (), ())
    info, error = fold_records(evidence)

    assert (info.bins, error.bins) == ([0, 1, 59], [59])
    assert info.hosts == {"orders-0": 2, "orders-1": 1}
    assert info.example == "order 1 done"
