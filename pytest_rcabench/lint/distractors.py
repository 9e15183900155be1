"""What is planted to mislead must be able to, and as innocent as it is said to be."""

from __future__ import annotations

import math
import re
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import Fault
from pytest_rcabench.lint.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rcabench.domain.incident import Incident

_RECENT = timedelta(days=30)
# One steady noise in two thousand strays this far; periodic ones stray less.
_FAR = 3.5
_COMPLAINS = frozenset({"WARN", "ERROR", "FATAL"})


def noises_began_before_onset(incident: Incident) -> Iterator[Finding]:
    """A declared noise is old: some record before the onset matches it."""
    onset = incident.truth.onset if isinstance(incident.truth, Fault) else None
    logs = incident.evidence.logs
    old = [record.message for record in logs if onset is None or record.time < onset]
    for index, distractor in enumerate(incident.distractors):
        if distractor.noise and not any(re.search(distractor.match, text) for text in old):
            yield Finding(
                ("distractors", index, "match"),
                f"{distractor.match!r} matches no record before the onset; "
                "let the noise begin earlier, or correct the pattern",
            )


def noises_keep_their_rate(incident: Incident) -> Iterator[Finding]:
    """A declared noise is as frequent after the onset as before it.

    Of n records that know nothing of the onset, a share as large as the time after it falls there,
    give or take the deviation of a binomial.
    """
    if not isinstance(incident.truth, Fault):
        return
    window, onset = incident.evidence.window, incident.truth.onset
    share = (window.end - onset) / (window.end - window.start)
    for index, distractor in enumerate(incident.distractors):
        if not distractor.noise:
            continue
        times = [r.time for r in incident.evidence.logs if re.search(distractor.match, r.message)]
        after = sum(time >= onset for time in times)
        deviation = math.sqrt(len(times) * share * (1 - share))
        if abs(after - len(times) * share) > _FAR * deviation + 0.5:
            yield Finding(
                ("distractors", index, "match"),
                f"{after} of {len(times)} such records come after the onset, where "
                f"{len(times) * share:.0f} would if nothing had changed; keep its rate steady",
            )


def distractors_are_plausible(incident: Incident) -> Iterator[Finding]:
    """A planted commit is of the month before, and of a service that the window shows.

    A service of several changes is seen too: repositories of manifests log nothing.
    """
    window = incident.evidence.window
    seen = {record.service for record in incident.evidence.logs}
    seen |= {series.service for series in incident.evidence.metrics}
    counts = Counter(change.service for change in incident.evidence.changes)
    seen |= {service for service, count in counts.items() if count > 1}
    changes = {c.sha: c for c in incident.evidence.changes if c.type == "commit"}
    for index, distractor in enumerate(incident.distractors):
        change = changes.get(distractor.commit)
        if change is None:
            continue
        where = ("distractors", index, "commit")
        if not window.start - _RECENT <= change.time <= window.end:
            yield Finding(where, "is older than a month, or newer than the window; move it nearer")
        if change.service and change.service not in seen:
            what = f"{change.service} has neither logs nor metrics here, so nobody will suspect it"
            yield Finding(where, f"{what}; plant it in a service that is seen")


def an_innocent_is_nearer_to_onset(incident: Incident) -> Iterator[Finding]:
    """Some innocent commit is newer than the culprit and still older than the onset."""
    fault = incident.truth
    if not isinstance(fault, Fault) or not fault.commits:
        return
    commits = [c for c in incident.evidence.changes if c.type == "commit" and c.time < fault.onset]
    newest = max(commits, key=lambda commit: commit.time, default=None)
    if newest and newest.sha in fault.commits:
        what = "the culprit is the newest commit before the onset; plant an innocent one after it"
        yield Finding(("expected", "commit"), what)


def something_complains_before_onset(incident: Incident) -> Iterator[Finding]:
    """The healthy part of a window has a benign record at WARN or worse."""
    onset = incident.truth.onset if isinstance(incident.truth, Fault) else None
    if not any(
        record.level in _COMPLAINS and (onset is None or record.time < onset)
        for record in incident.evidence.logs
    ):
        yield Finding(("logs",), "no WARN or ERROR before the onset; add one that means no harm")
