"""The layouts that are known, each as a pattern and an example of a line."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_rcabench.files.log_formats.stream import LogFormat
from pytest_rcabench.files.times import to_utc

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timezone

    from pytest_rcabench.domain.incident import Window

_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}"
_NAIVE = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ]{_CLOCK}(?:[.,][0-9]+)?"
# The zone is optional, so that a line without one is an error and not part of the line before.
_STAMP = rf"{_NAIVE}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?"
_LEVEL = (
    r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|SEVERE|CRIT(?:ICAL)?|FATAL|PANIC|ALERT|"
    r"EMERG)"
)
_POSTGRES_JOINED = ("DETAIL", "HINT", "CONTEXT", "STATEMENT", "QUERY", "LOCATION")
_MONTHS = [
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
]
# The severity is the priority modulo 8. Source: RFC 3164, section 4.1.1.
_SEVERITIES = ("FATAL", "FATAL", "FATAL", "ERROR", "WARN", "INFO", "INFO", "DEBUG")
_PRIORITIES = {str(priority): _SEVERITIES[priority % 8] for priority in range(192)}


def _month(name: str) -> str:
    # A month of no calendar becomes 00, and so a time that does not exist.
    return f"{_MONTHS.index(name) + 1 if name in _MONTHS else 0:02}"


def _access_time(text: str, zone: timezone | None, _window: Window) -> datetime:
    day, month, rest = text.split("/")
    return to_utc(f"{rest[:4]}-{_month(month)}-{day}T{rest[5:13]}{rest[14:]}", zone)


def _error_time(text: str, zone: timezone | None, _window: Window) -> datetime:
    return to_utc(text.replace("/", "-"), zone)


def _postgres_time(text: str, zone: timezone | None, _window: Window) -> datetime:
    stamp, name = text.rsplit(" ", 1)
    if name in {"UTC", "GMT"}:
        return to_utc(stamp, UTC)
    if name.isalpha():
        what = f"the zone {name} means several offsets"
        raise ValueError(f"{what}; print UTC, as log_timezone = 'UTC' does")
    return to_utc(f"{stamp}{name}", zone)


def _yearless_time(text: str, zone: timezone | None, window: Window) -> datetime:
    """Return the time in the year that puts it into the window, or else nearest to it."""
    rest = f"{_month(text[:3])}-{text[4:6].replace(' ', '0')}T{text[7:]}"
    first, last = window.start.year, window.end.year
    times = []
    for year in (first, last, first - 1, last + 1):
        try:
            time = to_utc(f"{year}-{rest}", zone)
        except ValueError:
            continue  # 29 February
        if window.start <= time <= window.end:
            return time
        times.append(time)
    if not times:
        raise ValueError(f"{text!r} is a time of no year near the window; correct it")
    return min(times, key=lambda time: max(window.start - time, time - window.end))


_ALL = (
    LogFormat(
        "plain",
        re.compile(
            rf"(?P<before>)(?P<time>{_STAMP}) +(?P<level>(?i:{_LEVEL}))(?: (?P<message>.*))?"
        ),
        "2026-10-07T13:00:04.113Z INFO order 88121 reserved",
    ),
    LogFormat(
        "spring-boot",
        re.compile(rf"(?P<before>)(?P<time>{_STAMP}) +(?P<level>{_LEVEL}) (?P<message>.*?--- .*)"),
        "2026-10-07T13:00:04.113Z  INFO 1 --- [orders-api] [nio-8080-exec-3] "
        "c.e.orders.OrderController               : order 88121 reserved",
    ),
    LogFormat(
        "syslog",
        re.compile(
            r"(?P<before>)(?:<(?P<level>[0-9]{1,3})>)?"
            rf"(?P<time>[A-Z][a-z]{{2}} [ 0-9][0-9] {_CLOCK}) (?P<message>\S+ .*)"
        ),
        "Oct  7 13:00:04 node-3 chronyd[812]: Selected source 192.0.2.10",
        needs_zone=True,
        levels=_PRIORITIES,
        read_time=_yearless_time,
    ),
    LogFormat(
        "nginx-access",
        re.compile(
            r"(?P<before>\S+ \S+ .*?)\[(?P<time>[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:"
            rf"{_CLOCK} [+-][0-9]{{4}})\] (?P<level>)(?P<message>.*)"
        ),
        "198.51.100.10 - - [07/Oct/2026:13:00:04 +0000] "
        '"GET /orders/17 HTTP/1.1" 200 512 "-" "curl/8.5.0"',
        read_time=_access_time,
    ),
    LogFormat(
        "nginx-error",
        re.compile(
            rf"(?P<before>)(?P<time>[0-9]{{4}}/[0-9]{{2}}/[0-9]{{2}} {_CLOCK}) "
            r"\[(?P<level>[a-z]+)\] (?P<message>[0-9]+#[0-9]+: .*)"
        ),
        "2026/10/07 13:00:04 [error] 29#29: *9003 upstream timed out (110: Connection timed out)",
        needs_zone=True,
        read_time=_error_time,
    ),
    LogFormat(
        "kubernetes-event",
        re.compile(
            rf"(?P<before>)(?P<time>{_STAMP}) +(?P<level>Normal|Warning) +(?P<message>\S+ +\S+.*)"
        ),
        "2026-10-07T13:04:11Z Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api "
        "New size: 6",
    ),
    LogFormat(
        "postgres",
        re.compile(
            rf"(?P<time>{_NAIVE} (?:[A-Z]{{2,5}}|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)) "
            r"(?P<before>.*?)\b(?P<level>LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG[1-5]?|"
            rf"{'|'.join(_POSTGRES_JOINED)}): +(?P<message>.*)"
        ),
        "2026-10-07 13:02:10.004 UTC [4242] LOG:  checkpoint starting: time",
        joined=frozenset(_POSTGRES_JOINED),
        read_time=_postgres_time,
    ),
    LogFormat(
        "kafka",
        re.compile(rf"(?P<before>)\[(?P<time>{_NAIVE})\] (?P<level>{_LEVEL}) (?P<message>.*)"),
        "[2026-10-07 13:00:01,250] INFO [Partition orders-0 broker=1] ISR updated to 1,2 "
        "(kafka.cluster.Partition)",
        needs_zone=True,
    ),
    LogFormat(
        "elasticsearch",
        re.compile(rf"(?P<before>)\[(?P<time>{_NAIVE})\]\[(?P<level>{_LEVEL}) *\](?P<message>.*)"),
        "[2026-10-07T13:00:01,250][WARN ][o.e.m.j.JvmGcMonitorService] [search-es-0] "
        "[gc][412] overhead, spent [412ms] collecting in the last [1s]",
        needs_zone=True,
    ),
    LogFormat(
        "celery",
        re.compile(rf"(?P<before>\[)(?P<time>{_NAIVE}): (?P<level>{_LEVEL})/(?P<message>.*)"),
        "[2026-10-07 13:00:01,250: INFO/ForkPoolWorker-2] "
        "Task orders.tasks.restore[7d1c1e0a-0000-4000-8000-000000000000] succeeded in 0.04s: None",
        needs_zone=True,
    ),
    LogFormat(
        "python",
        re.compile(
            rf"(?P<time>{_NAIVE}) - (?P<before>.*? - )(?P<level>{_LEVEL}) - (?P<message>.*)"
        ),
        "2026-10-07 13:00:01,250 - shop.orders - WARNING - pool wait 1200 ms",
        needs_zone=True,
    ),
)

FORMATS: Mapping[str, LogFormat] = {layout.name: layout for layout in _ALL}
