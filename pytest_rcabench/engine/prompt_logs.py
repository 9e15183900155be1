"""Log records as text: one timeline in stamped order, repetition folded where room is short."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.engine.prompt_text import (
    Section,
    clock_of,
    cut,
    cut_note,
    indented,
    inline,
    sized,
    thinned,
    visible,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from pytest_rcabench.domain.incident import Evidence, LogRecord, Window
    from pytest_rcabench.engine.prompt_text import Clock

_JITTER = timedelta(seconds=1)  # threads that write at once may swap lines that are this close
_RARE = 3  # lines of one pattern that are never folded
_PARTS = 12  # of the window, for each of which a folded pattern is counted
_NAMED_HOSTS = 8
_LONGEST_LABEL = 200
_LONGEST_TEMPLATE = 2_000
_ALARMING = frozenset({"WARN", "ERROR", "FATAL"})
_NUMBERED = re.compile(r"(?<![\w./@%+-])[A-Za-z_./@%+-]*+\d[\w./@%+-]*+", re.ASCII)
# An access log tells failure by a number, which masking would hide.
_FAILURE = re.compile(r"([45])(?<![\w./@%+-][45])\d\d(?![\w./@%+-])")
_FAILURES = {"4": "<client error>", "5": "<server error>"}

_ORDINARY, _ALARM, _DEAR = range(3)  # what goes first where room is short

_Stream = tuple[int, str, str]


class _Line(NamedTuple):
    record: LogRecord
    text: str
    rank: int
    lost: int = 0  # characters of a message that was cut


class LogText:
    """The log records of a window, which can be shown in much room or in little."""

    def __init__(self, evidence: Evidence) -> None:
        self._window = evidence.window
        self._clock = clock_of(evidence.window)
        self._records = evidence.logs
        self._own_clocks = _streams_that_run_back(evidence.logs)
        self._messages = [visible(record.message) for record in evidence.logs]
        self._labels = _labels({(record.service, record.host) for record in evidence.logs})

    def sections(self, limit: int, room: int, *, may_drop: bool) -> tuple[Section, ...]:
        """Return the log lines in about *room* characters, *limit* of them for a message.

        What repeats most is folded first, ordinary lines before WARN and worse, until the rest
        fits. Only with *may_drop* are lines dropped where that is not enough.
        """
        lines, fold_note = self._folded(self._lines(limit), room)
        lines, drop_note = _dropped(lines, room) if may_drop else (lines, ())
        timeline = [line for line in lines if _stream(line.record) not in self._own_clocks]
        timeline.sort(key=lambda line: line.record.time)
        shown = Section(
            "Log lines (time; service and host, or the host alone where it is named after its "
            "service; level; message)",
            tuple(line.text for line in timeline),
            (*cut_note([line.lost for line in lines], "log lines"), *fold_note, *drop_note),
        )
        if not self._own_clocks:
            return (shown,)
        title = "Log lines of streams whose stamps run back, stream by stream in the order written"
        apart = (line.text for line in lines if _stream(line.record) in self._own_clocks)
        return shown, Section(title, tuple(apart))

    def _lines(self, limit: int) -> list[_Line]:
        lines = []
        for record, message in zip(self._records, self._messages, strict=True):
            label = self._labels[record.service, record.host]
            level = f" {inline(record.level)}" if record.level else ""
            said, lost = cut(message, limit)
            text = f"{self._clock(record.time)} {label}{level} {indented(said)}"
            rank = _ALARM if record.level in _ALARMING else _ORDINARY
            if _stream(record) in self._own_clocks:
                rank = _DEAR
            lines.append(_Line(record, text, rank, lost))
        return lines

    @cached_property
    def _repeated(self) -> tuple[tuple[int, ...], ...]:
        """The records of each pattern that is not rare, by their place in the evidence."""
        patterns: dict[tuple[str, _Stream | None, str, str], list[int]] = defaultdict(list)
        for index, (record, message) in enumerate(zip(self._records, self._messages, strict=True)):
            own = _stream(record) if _stream(record) in self._own_clocks else None
            patterns[record.service, own, record.level, _template(message)].append(index)
        return tuple(tuple(found) for found in patterns.values() if len(found) > _RARE)

    def _folded(self, lines: list[_Line], room: int) -> tuple[list[_Line], tuple[str, ...]]:
        """Return *lines* with the most repeated patterns as one each, until *room* is enough."""
        excess = sum(sized(line.text) for line in lines) - room
        if excess <= 0:
            return lines, ()
        sizes = [sum(sized(lines[index].text) for index in found) for found in self._repeated]
        by_size = sorted(
            zip(self._repeated, sizes, strict=True),
            key=lambda pattern: (lines[pattern[0][0]].rank, -pattern[1]),
        )
        folds: dict[int, _Line | None] = {}
        count = 0
        for found, size in by_size:
            if excess <= 0:
                break
            fold = _fold([lines[index] for index in found], self._window, self._clock)
            if (saved := size - sized(fold.text)) > 0:
                folds |= {**dict.fromkeys(found), found[0]: fold}
                excess -= saved
                count += 1
        shown = (folds.get(index, line) for index, line in enumerate(lines))
        note = (
            f"{len(folds):,} of {len(lines):,} log lines: folded by pattern ({count:,}), each with "
            "counts, first and last time and one sample"
        )
        return [line for line in shown if line is not None], (note,) if folds else ()


def _stream(record: LogRecord) -> _Stream:
    return record.stream, record.service, record.host


def _streams_that_run_back(records: Iterable[LogRecord]) -> frozenset[_Stream]:
    """Return the streams with a clock of their own: sorting their lines would hide what it did."""
    latest: dict[_Stream, datetime] = {}
    found: set[_Stream] = set()
    for record in records:
        stream = _stream(record)
        if latest.get(stream, record.time) - record.time > _JITTER:
            found.add(stream)
        latest[stream] = record.time
    return frozenset(found)


def _labels(places: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return how service and host stand on a line: the host alone where that tells both."""
    services = {service for service, _ in places}
    labels = {}
    for service, host in places:
        named_after = [name for name in services if host == name or host.startswith(f"{name}-")]
        is_told = service and named_after == [service]
        label = inline(host if is_told else f"{service} {host}".strip())
        labels[service, host] = cut(label, _LONGEST_LABEL)[0]
    return labels


def _template(message: str) -> str:
    """Return *message* with every token that holds a digit as ``#``, but failures as such."""
    start = _FAILURE.sub(lambda hit: _FAILURES[hit[1]], message[:_LONGEST_TEMPLATE])
    return _NUMBERED.sub("#", start)


def _fold(lines: Sequence[_Line], window: Window, clock: Clock) -> _Line:
    """Return one line that stands for *lines* of one pattern, with the first as the sample."""
    times = [line.record.time for line in lines]
    length = (window.end - window.start) / _PARTS
    counts = Counter(min(max((time - window.start) // length, 0), _PARTS - 1) for time in times)
    hosts = Counter(line.record.host for line in lines)
    named = [
        f"{cut(inline(host), _LONGEST_LABEL)[0]} {count}"
        for host, count in hosts.most_common(_NAMED_HOSTS)
    ]
    if len(hosts) > len(named):
        named.append(f"{len(hosts) - len(named)} more hosts")
    head = (
        f"{clock(min(times))} to {clock(max(times))}: {len(lines)} lines like the next "
        f"(in each {length.total_seconds():g} s of the window: "
        f"{' '.join(str(counts[part]) for part in range(_PARTS))}; on {', '.join(named)})"
    )
    first = lines[0]
    return first._replace(text=f"{head}\n{first.text}", rank=_DEAR)


def _dropped(lines: list[_Line], room: int) -> tuple[list[_Line], tuple[str, ...]]:
    """Return as many of *lines* as take *room*, spread over all, the alarming ones first."""
    kept: set[int] = set()
    for rank in (_DEAR, _ALARM, _ORDINARY):
        wanted = [index for index, line in enumerate(lines) if line.rank == rank]
        chosen = [wanted[i] for i in thinned([lines[index].text for index in wanted], room)]
        room -= sum(sized(lines[index].text) for index in chosen)
        kept.update(chosen)
    note = f"{len(lines) - len(kept):,} more log lines or patterns altogether"
    return [lines[index] for index in sorted(kept)], (note,) if len(kept) < len(lines) else ()
