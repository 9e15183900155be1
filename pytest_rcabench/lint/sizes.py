"""How large a shipped incident is, and what it brings along; an own incident may be smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import Fault
from pytest_rcabench.files.diffs import HUNK
from pytest_rcabench.lint.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rcabench.domain.incident import Incident

_LOG_LINES = range(400, 3001)
_METRICS = range(8, 41)
_CHANGES = range(4, 13)
_DIFF_LINES = range(5, 121)
_STREAMS = 4
_EXAMPLES = 12
_GROUPS = 2


def evidence_has_its_size(incident: Incident) -> Iterator[Finding]:
    """Logs, streams, metrics, changes and diffs are as many as in a real window, and readable."""
    evidence = incident.evidence
    lines = sum(record.message.count("\n") + 1 for record in evidence.logs)
    for key, count, allowed in (
        ("logs", lines, _LOG_LINES),
        ("metrics", len(evidence.metrics), _METRICS),
        ("changes", len(evidence.changes), _CHANGES),
    ):
        if count not in allowed:
            what = f"has {count} {'lines' if key == 'logs' else 'entries'}"
            yield Finding((key,), f"{what}; a shipped window has {allowed[0]} to {allowed[-1]}")
    streams = len({(record.service, record.host) for record in evidence.logs})
    if streams < _STREAMS:
        yield Finding(("logs",), f"{streams} services or hosts log; let {_STREAMS} or more do")
    for index, change in enumerate(evidence.changes):
        count = len(change.diff.rstrip("\n").split("\n"))
        if change.type == "commit" and count not in _DIFF_LINES:
            what = f"has {count} lines; write {_DIFF_LINES[0]} to {_DIFF_LINES[-1]}"
            yield Finding(("changes", index, "diff"), what)


def hunks_are_whole(incident: Incident) -> Iterator[Finding]:
    """Every hunk of a diff has as many lines as its head says."""
    for index, change in enumerate(incident.evidence.changes):
        for head, told, found in _hunks(change.diff):
            if told != found:
                what = f"the hunk {head!r} has {found[0]} old and {found[1]} new lines"
                yield Finding(("changes", index, "diff"), f"{what}; correct its head or its lines")


def truth_is_elaborate(incident: Incident) -> Iterator[Finding]:
    """The rubric has groups, tests and an answer to each temptation; the incident a canary."""
    if not incident.canary:
        yield Finding(("canary",), "is missing; add a text that occurs nowhere else")
    innocents = sum(bool(distractor.commit) for distractor in incident.distractors)
    if not innocents or innocents == len(incident.distractors):
        what = "declare at least one innocent commit and one noise"
        yield Finding(("distractors",), what)
    fault = incident.truth
    if not isinstance(fault, Fault):
        return
    for key in ("right", "wrong"):
        count = len(getattr(incident.examples, key))
        if count < _EXAMPLES:
            yield Finding(("examples", key), f"has {count} entries; write {_EXAMPLES} or more")
    if len(fault.cause) < _GROUPS:
        yield Finding(("expected", "cause"), "has one group; say the thing, and what is wrong")
    if len(fault.must_not) <= innocents:
        what = f"has {len(fault.must_not)} claims; write one for the naive answer"
        yield Finding(("expected", "must_not"), f"{what} and each of {innocents} innocent commits")


def _hunks(diff: str) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    """Yield the head of each hunk, the old and new lines it tells, and those that follow it."""
    head, told, found = "", (0, 0), [0, 0]
    for line in [*diff.rstrip("\n").split("\n"), "diff --"]:
        hunk = HUNK.match(line)
        if hunk or line.startswith(("diff --", "--- a/", "--- /dev/null")):
            if head:
                yield head, told, (found[0], found[1])
            head, found = line if hunk else "", [0, 0]
            if hunk:
                told = (int(hunk[1] or 1), int(hunk[2] or 1))
        elif head and not line.startswith("\\"):
            found[0] += not line.startswith("+")
            found[1] += not line.startswith("-")
