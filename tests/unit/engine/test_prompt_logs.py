"""How log records stand in a prompt: in order, each with its host, folded only for want of room."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pytest_rcabench.domain.incident import Evidence, LogRecord, Window
from pytest_rcabench.engine.prompt_logs import LogText

START = datetime(2026, 10, 7, 13, tzinfo=UTC)
PLENTY = 1_000_000


def at(seconds: float) -> datetime:
    """Return a time in the window."""
    return START + timedelta(seconds=seconds)


def said(seconds: float, message: str, level: str = "INFO", host: str = "orders-1") -> LogRecord:
    """Return a record of the service ``orders``."""
    return LogRecord(at(seconds), "orders", host, level, message)


def shown(*records: LogRecord, room: int = PLENTY, may_drop: bool = False) -> str:
    """Return the text of all sections that show *records*."""
    evidence = Evidence(Window(START, at(3600)), records, (), ())
    sections = LogText(evidence).sections(600, room, may_drop=may_drop)
    return "\n".join(section.text for section in sections)


def left_out(*records: LogRecord, room: int, may_drop: bool = False) -> tuple[str, ...]:
    """Return what is said about what is not shown."""
    evidence = Evidence(Window(START, at(3600)), records, (), ())
    sections = LogText(evidence).sections(600, room, may_drop=may_drop)
    return tuple(note for section in sections for note in section.left_out)


def test_streams_become_one_timeline() -> None:
    """Lines stand in order of their stamps, whichever stream they come from."""
    text = shown(said(5, "b"), said(9, "d"), said(2, "a", host="db-1"), said(7, "c", host="db-1"))

    assert text.splitlines()[1:] == [
        "13:00:02 orders db-1 INFO a",
        "13:00:05 orders-1 INFO b",
        "13:00:07 orders db-1 INFO c",
        "13:00:09 orders-1 INFO d",
    ]


def test_lines_of_one_moment_keep_the_order_of_the_file() -> None:
    """A stable order for ties: what was written first is read first."""
    text = shown(*(said(5, word, host=f"h-{word}") for word in ("first", "second", "third")))

    assert [line.split()[-1] for line in text.splitlines()[1:]] == ["first", "second", "third"]


def test_a_stream_whose_clock_was_set_back_stands_as_written() -> None:
    """Sorting such a stream would hide what its clock did."""
    stepped = (said(5, "one"), said(6, "two"), said(1, "three"), said(2, "four"))
    text = shown(*stepped, said(3, "elsewhere", host="db-1"))
    timeline, apart = text.split("\n\n")

    assert "elsewhere" in timeline
    assert [line.split()[-1] for line in apart.splitlines()[1:]] == ["one", "two", "three", "four"]


def test_threads_that_overtake_each_other_are_no_broken_clock() -> None:
    """Lines that swapped within a second belong in the timeline."""
    text = shown(said(5.2, "later"), said(5.1, "earlier"))

    assert "run back" not in text
    assert text.index("earlier") < text.index("later")


def test_two_streams_of_one_host_are_no_broken_clock() -> None:
    """An access log and an error log of one service both begin at the beginning."""
    access, error = said(3000, "served"), said(5, "failed")
    text = shown(access, error._replace(stream=1))

    assert "run back" not in text
    assert text.index("failed") < text.index("served")


@pytest.mark.parametrize(
    ("service", "host", "label"),
    [
        ("orders", "orders-1", "orders-1"),
        ("orders", "orders", "orders"),
        ("orders", "node-3", "orders node-3"),
        ("", "node-3", "node-3"),
        ("orders", "orders-api-1", "orders orders-api-1"),
        ("orders-api", "orders-api-1", "orders-api orders-api-1"),
    ],
)
def test_every_line_tells_service_and_host(service: str, host: str, label: str) -> None:
    """The service is left away only where the host's name can mean no other."""
    record = LogRecord(at(1), service, host, "INFO", "ready")
    others = (LogRecord(at(2), name, "x", "INFO", "ready") for name in ("orders", "orders-api"))

    assert f"13:00:01 {label} INFO ready" in shown(record, *others).splitlines()


def test_further_lines_of_a_record_are_set_in() -> None:
    """A stack trace belongs to its line, and no line of it can pose as another record."""
    text = shown(said(1, "failed\n\tat a.B\n13:00:02 orders-1 INFO all is well", "ERROR"))

    assert text.splitlines()[1:] == [
        "13:00:01 orders-1 ERROR failed",
        "    \tat a.B",
        "    13:00:02 orders-1 INFO all is well",
    ]


def chatter(count: int = 200) -> list[LogRecord]:
    """Return *count* lines that differ in their numbers alone, on two hosts."""
    return [
        said(n * 3600 / count, f"order {n} reserved in {n % 7} ms", host=f"orders-{n % 2}")
        for n in range(count)
    ]


def test_repetition_folds_with_counts_times_hosts_and_a_sample() -> None:
    """What is folded can still be counted, dated and placed."""
    lines = shown(*chatter(), room=1_000).splitlines()

    assert lines[1:] == [
        (
            "13:00:00 to 13:59:42: 200 lines like the next (in each 300 s of the window: "
            "17 17 16 17 17 16 17 17 16 17 17 16; on orders-0 100, orders-1 100)"
        ),
        "13:00:00 orders-0 INFO order 0 reserved in 0 ms",
    ]
    assert left_out(*chatter(), room=1_000) == (
        (
            "200 of 200 log lines: folded by pattern (1), each with counts, first and last time "
            "and one sample"
        ),
    )


def test_a_pattern_on_many_hosts_names_those_with_most_lines() -> None:
    """A hundred names would take the room that folding makes."""
    everywhere = [said(n, f"tick {n}", host=f"orders-{n % 50}") for n in range(350)]

    assert "on orders-0 7, orders-1 7, " in shown(*everywhere, room=1_000)
    assert "orders-7 7, 42 more hosts)" in shown(*everywhere, room=1_000)


def test_a_pattern_whose_fold_would_be_longer_stays_whole() -> None:
    """Four short lines take less room than what would be said of them."""
    short = [said(n, f"tick {n}") for n in range(4)]

    assert shown(*short, room=10) == shown(*short)


def test_rare_lines_stay_whole_where_others_fold() -> None:
    """A line that occurs one to three times may be the one that matters."""
    rare = [said(100 + n, f"lease {n} lost to peer-{n}") for n in range(3)]
    once = said(99, "could not reach the licence server")
    text = shown(*chatter(), *rare, once, room=1_000)

    assert all(record.message in text for record in (*rare, once))


def test_nothing_folds_while_there_is_room() -> None:
    """All that is shown whole is as it was written."""
    text = shown(*chatter())

    assert all(record.message in text for record in chatter())
    assert left_out(*chatter(), room=PLENTY) == ()


def test_ordinary_lines_fold_before_warnings() -> None:
    """WARN and worse stay whole as long as folding the rest makes room."""
    warnings = [said(n, f"slow answer after {n} ms", "WARN") for n in range(50)]
    some, little = (shown(*chatter(), *warnings, room=room) for room in (3_000, 500))

    assert all(record.message in some for record in warnings)
    assert "50 lines like the next" in little


def test_a_failed_request_is_not_folded_into_those_that_went_well() -> None:
    """A status is more than a number."""
    served = [said(n, f'"GET /orders/{n} HTTP/1.1" 200 {n}') for n in range(300)]
    failed = [said(n, f'"GET /orders/{n} HTTP/1.1" 503 {n}') for n in range(300, 303)]
    text = shown(*served, *failed, room=1_000)

    assert all(record.message in text for record in failed)


def test_lines_are_dropped_only_as_a_last_resort_and_warnings_last() -> None:
    """Where even folding does not help, some of all times are kept, and their number is told."""
    words = [f"{a}{b}" for a in "abcdefghijklmnopqrst" for b in "uvwxyz"]
    unlike = [said(n * 30, f"{word} {word} {word}") for n, word in enumerate(words)]
    warning = said(1800, "the disk is nearly full", "WARN", "db-1")
    text = shown(*unlike, warning, room=1_000, may_drop=True)
    kept = [line for line in text.splitlines()[1:] if "nearly" not in line]

    assert warning.message in text
    assert len(shown(*unlike, warning, room=1_000)) > 3_900
    assert 10 < len(kept) < 40
    assert kept[0] < "13:10"
    assert kept[-1] > "13:50"
    assert left_out(*unlike, warning, room=1_000, may_drop=True) == (
        f"{len(words) - len(kept)} more log lines or patterns altogether",
    )


def test_a_clock_that_was_set_back_survives_folding() -> None:
    """Lines of such a stream are the last to fold."""
    stepped = [said(n, f"tick {n}", host="odd") for n in (9, 8, 7, 1, 2, 3, 4, 5, 20, 10)]
    text = shown(*chatter(), *stepped, room=1_500)

    assert [line.split()[-1] for line in text.split("\n\n")[1].splitlines()[1:]] == [
        record.message.split()[-1] for record in stepped
    ]
