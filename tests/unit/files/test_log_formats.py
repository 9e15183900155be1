from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from pytest_rcabench.domain.incident import LogRecord, Window
from pytest_rcabench.files.log_formats import FORMATS, ParsedStream, parse_stream

SAMPLES = Path(__file__).parents[4] / "shared" / "samples" / "logs"
WINDOW = Window(datetime(2026, 10, 7, 12, tzinfo=UTC), datetime(2026, 10, 7, 14, tzinfo=UTC))


def parse(name: str, lines: str, window: Window = WINDOW) -> ParsedStream:
    """Return *lines* read in the layout *name*, in UTC where it prints no zone."""
    zone = UTC if FORMATS[name].needs_zone else None
    return parse_stream(lines, FORMATS[name], window=window, zone=zone)


def records(name: str, lines: str, window: Window = WINDOW) -> list[tuple[datetime, str, str]]:
    """Return time, level and message of the records, none of whose lines is wrong."""
    parsed = parse(name, lines, window)
    assert parsed.wrong == ()
    return [(record.time, record.level, record.message) for record in parsed.records]


@pytest.mark.parametrize("name", FORMATS)
def test_every_layout_reads_its_own_example(name: str) -> None:
    """The line that a problem shows as the right way is read without one."""
    [(time, _, message)] = records(name, FORMATS[name].example)

    assert WINDOW.start <= time <= WINDOW.end
    assert message


AT = datetime(2026, 10, 7, 13, 0, 4, tzinfo=UTC)
LINES = [
    ("plain", "2026-10-07T15:00:04+02:00 warn slow  call", "WARN", "slow  call"),
    ("plain", "2026-10-07 13:00:04Z CRITICAL down", "FATAL", "down"),
    ("plain", "2026-10-07T13:00:04Z INFO", "INFO", ""),
    (
        "spring-boot",
        "2026-10-07T13:00:04.000Z ERROR 1 --- [api] [exec-1] c.e.Api : failed: 3",
        "ERROR",
        "1 --- [api] [exec-1] c.e.Api : failed: 3",
    ),
    ("syslog", "Oct  7 13:00:04 node-3 kernel: oom", "", "node-3 kernel: oom"),
    ("syslog", "<11>Oct  7 13:00:04 node-3 api[8]: no", "ERROR", "node-3 api[8]: no"),
    (
        "nginx-access",
        '192.0.2.1 - - [07/Oct/2026:15:00:04 +0200] "\\x16\\x03" 400 0 "-" "-" rt=0.1',
        "",
        '192.0.2.1 - - "\\x16\\x03" 400 0 "-" "-" rt=0.1',
    ),
    (
        "nginx-error",
        "2026/10/07 13:00:04 [crit] 29#29: *9 SSL_do_handshake() failed",
        "FATAL",
        "29#29: *9 SSL_do_handshake() failed",
    ),
    (
        "kubernetes-event",
        "2026-10-07T13:00:04Z Warning BackOff Pod/api-1 Back-off restarting",
        "WARN",
        "BackOff Pod/api-1 Back-off restarting",
    ),
    ("postgres", "2026-10-07 13:00:04.000 UTC [42] LOG:  ready", "INFO", "[42] ready"),
    (
        "postgres",
        "2026-10-07 15:00:04 +02 [42] app@shop PANIC:  could not write",
        "FATAL",
        "[42] app@shop could not write",
    ),
    ("kafka", "[2026-10-07 13:00:04,000] WARN gone (k.Log)", "WARN", "gone (k.Log)"),
    (
        "elasticsearch",
        "[2026-10-07T13:00:04,000][INFO ][o.e.n.Node] [es-0] up",
        "INFO",
        "[o.e.n.Node] [es-0] up",
    ),
    ("celery", "[2026-10-07 13:00:04,000: ERROR/MainProcess] lost", "ERROR", "[MainProcess] lost"),
    ("python", "2026-10-07 13:00:04,000 - a.b - CRITICAL - no - way", "FATAL", "a.b - no - way"),
]


@pytest.mark.parametrize(("name", "line", "level", "message"), LINES)
def test_a_message_is_the_line_without_its_time_and_level(
    name: str, line: str, level: str, message: str
) -> None:
    """Thread, logger, pid and connection stay, because they are evidence."""
    assert records(name, line) == [(AT, level, message)]


@pytest.mark.parametrize(
    ("sample", "name", "count", "continued"),
    [
        ("celery_worker.log", "celery", 5, 0),
        ("elasticsearch_server.log", "elasticsearch", 2, 0),
        ("kafka_broker_log4j.log", "kafka", 5, 0),
        ("nginx_access_combined.log", "nginx-access", 5, 0),
        ("nginx_error.log", "nginx-error", 5, 0),
        ("postgresql.log", "postgres", 3, 3),
        ("python_logging.log", "python", 5, 3),
        ("spring_boot_logback.log", "spring-boot", 5, 3),
        ("syslog_rfc3164.log", "syslog", 5, 0),
    ],
)
def test_the_sample_logs_are_read_whole(sample: str, name: str, count: int, continued: int) -> None:
    """Lines of real layouts, written elsewhere, lose nothing."""
    path = SAMPLES / sample
    if not path.exists():
        pytest.skip(f"sample log not found: {path}")
    text = path.read_text("utf-8")
    window = Window(datetime(2026, 11, 30, 9, tzinfo=UTC), datetime(2026, 11, 30, 11, tzinfo=UTC))
    parsed = parse(name, text, window)

    assert (len(parsed.records), len(parsed.continued), parsed.wrong) == (count, continued, ())
    first = datetime(2026, 11, 30, 10, 0, 1, tzinfo=UTC)
    assert first <= parsed.records[0].time < first + timedelta(seconds=1)


def test_lines_that_do_not_parse_continue_the_record_before() -> None:
    """A stack trace belongs to its error, blank lines and tabs included."""
    text = (
        "2026-10-07T13:00:04Z ERROR failed\njava.lang.Error\n\n\tat A.b\n"
        "2026-10-07T13:00:05Z INFO on\n\n"
    )
    parsed = parse("plain", text)

    assert [record.message for record in parsed.records] == [
        "failed\njava.lang.Error\n\n\tat A.b",
        "on",
    ]
    assert (parsed.first_lines, parsed.continued) == ((0, 4), (1, 2, 3))


def test_postgres_joins_what_belongs_to_an_error() -> None:
    """DETAIL and STATEMENT lines have their own time and are one record with the line before."""
    text = (
        "2026-10-07 13:00:04.000 UTC [42] ERROR:  deadlock detected\n"
        "2026-10-07 13:00:04.000 UTC [42] DETAIL:  Process 42 waits\n"
        "2026-10-07 13:00:04.000 UTC [42] STATEMENT:  SELECT id,\n"
        "\tname\n"
    )

    assert records("postgres", text) == [
        (
            AT,
            "ERROR",
            (
                "[42] deadlock detected\n[42] DETAIL:  Process 42 waits\n"
                "[42] STATEMENT:  SELECT id,\n\tname"
            ),
        )
    ]


def test_the_first_line_of_a_stream_must_be_in_its_layout() -> None:
    """A stream in another layout is one mistake, and the right layout is shown."""
    parsed = parse("kafka", "INFO no time\nINFO none\n")

    assert len(parsed.wrong) == 1
    assert "write it like: [2026-10-07 13:00:01,250] INFO" in parsed.wrong[0][1]


@pytest.mark.parametrize(
    ("name", "line", "what"),
    [
        ("plain", "2026-10-07T13:00:04 INFO x", "has no zone"),
        ("plain", "2026-02-30T13:00:04Z INFO x", "does not exist"),
        ("plain", "2026-10-07T24:00:00Z INFO x", "does not exist"),
        ("plain", "2026-10-07T13:60:60Z INFO x", "does not exist"),
        ("postgres", "2026-10-07 13:00:04 IST [1] LOG:  x", "several offsets"),
        ("nginx-access", '::1 - - [07/Oat/2026:13:00:04 +0000] "GET /"', "does not exist"),
        ("syslog", "Feb 30 13:00:04 node x: y", "no year near the window"),
    ],
)
def test_an_impossible_time_is_wrong_and_continues_nothing(name: str, line: str, what: str) -> None:
    """A line in the layout whose time makes no sense must not vanish in the record before."""
    parsed = parse(name, f"{FORMATS[name].example}\n{line}\n")

    assert len(parsed.records) == 1
    [(number, reason)] = parsed.wrong
    assert number == 1
    assert what in reason


def test_d28_a_leap_second_in_a_log_is_the_end_of_its_day() -> None:
    """The line stands as it was printed; only its time is a microsecond short."""
    [(time, _, _)] = records("plain", "2016-12-31T23:59:60Z INFO x")

    assert time == datetime(2016, 12, 31, 23, 59, 59, 999999, UTC)


def test_a_layout_without_zone_is_read_by_the_stream_s_own() -> None:
    """A naive time is never taken for UTC."""
    zone = timezone(timedelta(hours=2))
    line = "[2026-10-07 15:00:04,000] INFO x"
    parsed = parse_stream(line, FORMATS["kafka"], window=WINDOW, zone=zone, service="s", host="h")

    assert parsed.records == (LogRecord(AT, "s", "h", "INFO", "x"),)


def test_d36_a_year_is_the_one_that_puts_the_line_into_the_window() -> None:
    """Syslog prints no year: New Year's Eve and 29 February are right, and so is a late line."""
    new_year = Window(datetime(2026, 12, 31, 23, tzinfo=UTC), datetime(2027, 1, 1, 1, tzinfo=UTC))
    leap_day = Window(datetime(2028, 2, 28, tzinfo=UTC), datetime(2028, 3, 1, tzinfo=UTC))
    line = "{} 23:59:59 node x: y\n"
    eve = records("syslog", line.format("Dec 31") + line.format("Jan  1"), new_year)

    assert [time.year for time, _, _ in eve] == [2026, 2027]
    assert records("syslog", line.format("Feb 29"), leap_day)[0][0].year == 2028
    assert records("syslog", line.format("Oct  8"))[0][0] == datetime(
        2026, 10, 8, 23, 59, 59, tzinfo=UTC
    )


def test_d40_a_line_of_a_megabyte_is_one_record() -> None:
    """No pattern goes astray in a long line."""
    line = "x" * 1_000_000
    for name, layout in FORMATS.items():
        assert parse(name, f"{layout.example}\n{line}\n").records[0].message.endswith(line)
