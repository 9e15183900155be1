"""The ordinary part of an invented window: traffic, times, metric curves and diffs, the same on every run.

Each incident's script draws all its jitter from one `random.Random` of its own; nothing decisive is made here.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

from pytest_rcabench.files.incident_writer import render_incident

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

Line: TypeAlias = tuple[datetime, str]
Curve: TypeAlias = "float | Callable[[int], float]"

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def utc(text: str) -> datetime:
    """Return the RFC 3339 *text* as an aware time in UTC."""
    return datetime.fromisoformat(text).astimezone(UTC)


def arrivals(
    rng: random.Random,
    start: datetime,
    end: datetime,
    per_minute: float | Callable[[datetime], float],
) -> list[datetime]:
    """Return random arrival times from *start* to before *end*, at a rate that may depend on the time.

    Gaps are exponential, as those of independent users are; the rate is read after each arrival, at least 0.01.
    """
    times: list[datetime] = []
    time = start
    while True:
        rate = per_minute(time) if callable(per_minute) else per_minute
        time += timedelta(seconds=rng.expovariate(max(rate, 0.01) / 60))
        if time >= end:
            return times
        times.append(time)


def periodic(
    rng: random.Random, start: datetime, end: datetime, every_s: float, *, jitter_s: float = 0.01
) -> list[datetime]:
    """Return the times of a job that runs *every_s* seconds and starts up to *jitter_s* late."""
    count = int((end - start).total_seconds() / every_s) + 1
    times = (
        start + timedelta(seconds=n * every_s + rng.uniform(0, jitter_s)) for n in range(count)
    )
    return [time for time in times if time < end]


def rfc3339(time: datetime, *, digits: int = 0) -> str:
    """Return ``2026-10-07T13:00:04Z``, with *digits* (0, 3 or 6) digits of the second."""
    precision = {0: "seconds", 3: "milliseconds", 6: "microseconds"}[digits]
    return time.isoformat(timespec=precision).replace("+00:00", "Z")


def stamp(time: datetime, layout: str) -> str:
    """Return *time* as the log layout of that name prints it, brackets included where it prints them.

    Celery's bracket stays open: the level and the process follow in it.

    Raises:
        ValueError: if no such layout is known.
    """
    milliseconds = f"{time.microsecond // 1000:03}"
    month = _MONTHS[time.month - 1]
    plain = f"{time:%Y-%m-%d %H:%M:%S},{milliseconds}"
    printed = {
        "spring-boot": rfc3339(time, digits=3),
        "plain": rfc3339(time, digits=3),
        "kubernetes-event": rfc3339(time),
        "syslog": f"{month} {time.day:2} {time:%H:%M:%S}",
        "nginx-access": f"[{time.day:02}/{month}/{time:%Y:%H:%M:%S} +0000]",
        "nginx-error": f"{time:%Y/%m/%d %H:%M:%S}",
        "postgres": f"{time:%Y-%m-%d %H:%M:%S}.{milliseconds} UTC",
        "kafka": f"[{plain}]",
        "elasticsearch": f"[{time:%Y-%m-%dT%H:%M:%S},{milliseconds}]",
        "python": plain,
        "celery": f"[{plain}: ",
    }
    if layout not in printed:
        raise ValueError(f"no layout is named {layout!r}; known are {', '.join(printed)}")
    return printed[layout]


def stream_text(lines: Iterable[Line]) -> str:
    """Return the text of one stream: the *lines* by time, lines of one time in the order given.

    A line may hold a whole trace; its further lines stay with it.
    """
    return "".join(f"{text.rstrip()}\n" for _, text in sorted(lines, key=lambda line: line[0]))


def gauge(
    rng: random.Random,
    count: int,
    level: Curve,
    noise: float,
    *,
    low: float = 0.0,
    high: float = float("inf"),
    digits: int = 0,
) -> list[float]:
    """Return *count* samples around *level* (a number, or a function of the sample's index).

    *noise* is the standard deviation; samples stay within *low* and *high*, rounded to *digits* (0: whole numbers).
    """
    samples = []
    for index in range(count):
        middle = level(index) if callable(level) else level
        value = min(max(rng.gauss(middle, noise), low), high)
        samples.append(round(value, digits) if digits else round(value))
    return samples


def counter(
    rng: random.Random, count: int, per_step: Curve, *, start: int = 0, spread: float = 0.1
) -> list[int]:
    """Return *count* samples of a counter that grows by about *per_step* (a number, or a function of the index).

    *spread* is the standard deviation of one step as a share of it; a counter never falls.
    """
    samples = [start]
    for index in range(1, count):
        step = per_step(index) if callable(per_step) else per_step
        samples.append(samples[-1] + max(0, round(rng.gauss(step, spread * step))))
    return samples


def counted(
    times: Iterable[datetime], start: datetime, step_s: float, count: int, *, first: int = 0
) -> list[int]:
    """Return *count* samples of a counter of the events at *times*, *first* at *start*: agrees with the logs."""
    ordered = sorted(times)
    grid = (start + timedelta(seconds=n * step_s) for n in range(count))
    before = bisect_left(ordered, start)
    return [first + bisect_left(ordered, time) - before for time in grid]


def staircase(
    steps: Sequence[tuple[datetime, int]],
    start: datetime,
    step_s: float,
    count: int,
    *,
    first: int = 0,
) -> list[int]:
    """Return *count* samples of a level that is *first* and takes each of *steps* (time, new level) as it comes."""
    samples = []
    for index in range(count):
        time = start + timedelta(seconds=index * step_s)
        samples.append(next((level for at, level in reversed(steps) if at <= time), first))
    return samples


def unified_diff(files: Mapping[str, tuple[str, str]], *, context: int = 3) -> str:
    """Return the unified diff of *files*, path -> (text before, text after), with hunks that count right.

    An empty text before is a new file, an empty text after a removed one.
    """
    out: list[str] = []
    for path, (before, after) in files.items():
        out += difflib.unified_diff(
            before.splitlines(),
            after.splitlines(),
            f"a/{path}" if before else "/dev/null",
            f"b/{path}" if after else "/dev/null",
            n=context,
            lineterm="",
        )
    return "".join(f"{line}\n" for line in out)


def hex_digits(rng: random.Random, count: int) -> str:
    """Return *count* random lower-case hex digits: a sha (40), a trace id (32), a connection."""
    return "".join(rng.choices("0123456789abcdef", k=count))


def write(document: Mapping[str, object], path: Path) -> None:
    """Write *document*, an incident in the contract's shape, to the YAML file *path*."""
    text = render_incident(document, schema_path="../../pytest_rcabench/schema/incident.json")
    path.write_text(text, encoding="utf-8", newline="\n")
