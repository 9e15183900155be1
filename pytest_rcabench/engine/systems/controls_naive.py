"""The naive controls that every report shows: what a benchmark must not reward."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_rcabench.engine.systems.controls_parts import (
    RANK,
    Answer,
    Control,
    alarming,
    blame,
    echo,
    loudest,
    newest,
    of_type,
    open_issue,
    words,
)

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import Evidence

# Fifty phrases, eighty words: as much as the scorer reads of a cause.
_SALAD = (
    "leak, exhaustion, memory leak, out of memory, disk full, throttled, retry storm, timeout "
    "lowered, deadlock, lock contention, slow query, missing index, rewrite, migration, "
    "replication lag, consumer lag, rebalance loop, clock skew, certificate expired, password "
    "rotated, token expired, secret changed, permission denied, dns failure, packet loss, "
    "network partition, rate limit, quota exceeded, autoscaler cap, replicas lowered, traffic "
    "spike, cache stampede, bottleneck, feature flag, wrong configuration, null pointer, race, "
    "regression, rollback, misconfigured, overload, backpressure, throttling, eviction, "
    "crashloop, starvation, watermark, outage, typo, cron"
)


def _silent(_: Evidence) -> Answer:
    """No issue at all."""
    return ()


def _latest_commit(evidence: Evidence) -> Answer:
    """Blames the newest commit of the window; of equals the first listed."""
    return blame(evidence, newest(of_type(evidence, "commit")), "The newest commit.")


def _latest_deploy(evidence: Evidence) -> Answer:
    """Blames the newest deploy of the window; of equals the first listed."""
    return blame(evidence, newest(of_type(evidence, "deploy")), "The newest deploy.")


def _first_deploy(evidence: Evidence) -> Answer:
    """Blames the deploy that is listed first."""
    return blame(evidence, next(of_type(evidence, "deploy"), None), "The first deploy listed.")


def _alert_service_deploy(evidence: Evidence) -> Answer:
    """Blames the newest deploy of the service of the first alert."""
    alerting = evidence.alerts[0].service if evidence.alerts else ""
    deploys = (change for change in of_type(evidence, "deploy") if change.service == alerting)
    return blame(evidence, newest(deploys), "The newest deploy of the alerting service.")


def _loudest_service(evidence: Evidence) -> Answer:
    """Names the loudest service, its most frequent message at WARN or worse, and no commit."""
    service = loudest(evidence)
    messages = Counter(record.message for record in alarming(evidence) if record.service == service)
    said = messages.most_common(1)[0][0] if messages else f"{service} logs more than the rest"
    return (
        open_issue(said, service, said, (), "The service that complains most.") if service else ()
    )


def _first_listed(evidence: Evidence) -> Answer:
    """Blames the change that is listed first, whatever its type."""
    return blame(evidence, next(iter(evidence.changes), None), "The first change listed.")


def _longest_diff(evidence: Evidence) -> Answer:
    """Blames the commit with most characters in its diff; of equals the first listed."""
    longest = max(of_type(evidence, "commit"), key=lambda commit: len(commit.diff), default=None)
    return blame(evidence, longest, "The longest diff.")


def _alert_echo(evidence: Evidence) -> Answer:
    """Names the service of the first alert, the alert's summary, and no commit."""
    for alert in evidence.alerts:
        return open_issue(
            alert.summary, alert.service, alert.summary, (), "Repeats the first alert."
        )
    return ()


def _keyword_overlap(evidence: Evidence) -> Answer:
    """Blames the commit that shares most distinct words with what went wrong.

    That is its message, file names and diff against the records at WARN or worse and the alerts,
    in words of four letters or more; of equals the first listed.
    """
    heard = words(record.message for record in alarming(evidence))
    heard |= words(alert.summary for alert in evidence.alerts)
    nearest = max(
        of_type(evidence, "commit"),
        key=lambda commit: len(heard & words((commit.message, commit.diff, *commit.files))),
        default=None,
    )
    return blame(evidence, nearest, "Shares most words with the errors.")


def _echo(evidence: Evidence) -> Answer:
    """Names the first record of the worst level at WARN or worse, its place, and no commit.

    Its place is its service, or its host where it has no service.
    """
    worst = max(alarming(evidence), key=lambda record: RANK[record.level], default=None)
    return echo(worst) if worst else ()


def _word_salad(evidence: Evidence) -> Answer:
    """Names the loudest service, a cause that lists fifty phrases of the trade, and no commit."""
    return open_issue("Outage", loudest(evidence), _SALAD, (), "Says everything at once.")


NAIVE = (
    Control("silent", _silent),
    Control("latest-commit", _latest_commit),
    Control("latest-deploy", _latest_deploy),
    Control("first-deploy", _first_deploy),
    Control("alert-service-deploy", _alert_service_deploy),
    Control("loudest-service", _loudest_service),
    Control("first-listed", _first_listed),
    Control("longest-diff", _longest_diff),
    Control("alert-echo", _alert_echo),
    Control("keyword-overlap", _keyword_overlap),
    Control("echo", _echo),
    Control("word-salad", _word_salad),
)
