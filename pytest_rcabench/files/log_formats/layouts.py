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
# The zone is optional so that a line without one is an error and no continuation of the line before.
_STAMP = rf"{_NAIVE}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?"
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|ERR|SEVERE|CRITICAL|CRIT|FATAL|PANIC|ALERT|EMERG)\b"
_MONTHS = {
    month: number
    for number, month in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)
}
# Severity is the remainder by eight. Source: RFC 3164, section 4.1.1.
_SEVERITIES = ("FATAL", "FATAL", "FATAL", "ERROR", "WARN", "INFO", "INFO", "DEBUG")
_PRIORITIES = {str(priority): _SEVERITIES[priority % 8] for priority in range(192)}


def _iso_of_access(text: str) -> str:
    day, month, rest = text.split("/")
    return f"{rest[:4]}-{_MONTHS.get(month, 0):02}-{day}T{rest[5:13]}{rest[14:]}"


def _access_time(text: str, zone: timezone | None, _window: Window) -> datetime:
    return to_utc(_iso_of_access(text), zone)


def _slashed_time(text: str, zone: timezone | None, _window: Window) -> datetime:
    return to_utc(text.replace("/", "-"), zone)


def _postgres_time(text: str, zone: timezone | None, _window: Window) -> datetime:
    stamp, name = text.rsplit(" ", 1)
    if name in {"UTC", "GMT"}:
        return to_utc(stamp, UTC)
    if name[0] in "+-":
        return to_utc(stamp + (name if len(name) > 3 else f"{name}:00"), zone)
    raise ValueError(
        f"the zone {name!r} is ambiguous; convert the times to UTC, which postgres prints as UTC"
    )


def _yearless_time(text: str, zone: timezone | None, window: Window) -> datetime:
    """Return the time in the year that puts it into the window, or nearest to it."""
    stamp = f"{_MONTHS.get(text[:3], 0):02}-{text[4:6].replace(' ', '0')}T{text[7:]}"
    times = []
    for year in range(window.start.year - 1, window.end.year + 2):
        try:
            times.append(to_utc(f"{year:04}-{stamp}", zone))
        except ValueError:
            continue  # 29 February, mostly
    if not times:
        raise ValueError(f"{text!r} is a time of no year around the window")
    return min(times, key=lambda time: max(window.start - time, time - window.end))


_ALL = (
    LogFormat(
        "plain",
        re.compile(
            rf"(?P<before>)(?P<time>{_STAMP}) +(?P<level>(?i:{_LEVEL})):? ?(?P<message>.*)",
        ),
        "2026-10-07T13:00:04.113Z INFO order 88121 reserved",
    ),
    LogFormat(
        "spring-boot",
        re.compile(rf"(?P<before>)(?P<time>{_STAMP}) +(?P<level>{_LEVEL}) (?P<message>.*?--- .*)"),
        "2026-10-07T13:00:04.113Z  INFO 1 --- [orders-api] [nio-8080-exec-3] c.e.orders.OrderController : order 88121 reserved",
    ),
    LogFormat(
        "syslog",
        re.compile(
            rf"(?P<before>)(?:<(?P<level>[0-9]{{1,3}})>)?(?P<time>[A-Z][a-z]{{2}} [ 0-9][0-9] {_CLOCK}) "
            r"(?P<message>\S+ .*)"
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
        '198.51.100.10 - - [07/Oct/2026:13:00:04 +0000] "GET /orders/17 HTTP/1.1" 200 512 "-" "curl/8.5.0"',
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
        read_time=_slashed_time,
    ),
    LogFormat(
        "kubernetes-event",
        re.compile(
            rf"(?P<before>)(?P<time>{_STAMP}) +(?P<level>Normal|Warning) +(?P<message>\S+ +\S+.*)"
        ),
        "2026-10-07T13:04:11Z Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: 6",
    ),
    LogFormat(
        "postgres",
        re.compile(
            rf"(?P<time>{_NAIVE} (?:[A-Z]{{2,5}}|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)) (?P<before>.*?)\b"
            r"(?P<level>LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG[1-5]?|DETAIL|HINT|CONTEXT|"
            r"STATEMENT|QUERY|LOCATION): +(?P<message>.*)"
        ),
        "2026-10-07 13:02:10.004 UTC [4242] LOG:  checkpoint starting: time",
        joined=frozenset({"DETAIL", "HINT", "CONTEXT", "STATEMENT", "QUERY", "LOCATION"}),
        read_time=_postgres_time,
    ),
    LogFormat(
        "kafka",
        re.compile(
            rf"(?P<before>)\[(?P<time>{_NAIVE})\] (?P<level>{_LEVEL}) +(?P<message>.*)",
        ),
        "[2026-10-07 13:00:01,250] INFO [Partition orders-0 broker=1] ISR updated to 1,2 (kafka.cluster.Partition)",
        needs_zone=True,
    ),
    LogFormat(
        "elasticsearch",
        re.compile(
            rf"(?P<before>)\[(?P<time>{_NAIVE})\]\[(?P<level>{_LEVEL}) *\](?P<message>.*)",
        ),
        "[2026-10-07T13:00:01,250][WARN ][o.e.m.j.JvmGcMonitorService] [search-es-0] [gc][412] overhead",
        needs_zone=True,
    ),
    LogFormat(
        "celery",
        re.compile(
            rf"(?P<before>\[)(?P<time>{_NAIVE}): (?P<level>{_LEVEL})/(?P<message>.*)",
        ),
        "[2026-10-07 13:00:01,250: INFO/ForkPoolWorker-2] Task orders.tasks.restore[7d1c1e0a] received",
        needs_zone=True,
    ),
    LogFormat(
        "python",
        re.compile(
            rf"(?P<time>{_NAIVE}) - (?P<before>.*? - )(?P<level>{_LEVEL}) - (?P<message>.*)",
        ),
        "2026-10-07 13:00:01,250 - shop.orders - WARNING - pool wait 1200 ms",
        needs_zone=True,
    ),
)

FORMATS: Mapping[str, LogFormat] = {layout.name: layout for layout in _ALL}
