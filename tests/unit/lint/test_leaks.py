"""The truth does not stand in the evidence, and plain English is not taken for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.incident import (
    Alert,
    Change,
    Evidence,
    Fault,
    Healthy,
    Incident,
    LogRecord,
    MetricSeries,
    SaidInEvidence,
    Span,
)
from pytest_rcabench.lint import leaks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_rcabench.lint.finding import Finding

START = datetime(2026, 10, 7, 13, tzinfo=UTC)
RULES = (
    leaks.no_text_is_the_cause,
    leaks.words_of_the_truth_are_not_said,
    leaks.culprits_are_not_named,
    leaks.settings_are_not_named,
    leaks.notes_are_hidden,
)


def with_log(incident: Incident, message: str, minutes: float = 45) -> Incident:
    """Return *incident* with one more record."""
    time = START + timedelta(minutes=minutes)
    record = LogRecord(time, "orders", "orders-1", "INFO", message)
    return with_evidence(incident, logs=(*incident.evidence.logs, record))


def with_evidence(incident: Incident, **changes: Any) -> Incident:  # noqa: ANN401 - any field
    """Return *incident* with other evidence."""
    return replace(incident, evidence=replace(incident.evidence, **changes))


def with_message(incident: Incident, place: int, message: str) -> Incident:
    """Return *incident* with another message at the change that stands at *place*."""
    changes = list(incident.evidence.changes)
    changes[place] = replace(changes[place], message=message)
    return with_evidence(incident, changes=tuple(changes))


def said(incident: Incident, rule: Callable[[Incident], Iterable[Finding]]) -> list[str]:
    """Return where *rule* finds something."""
    return [".".join(map(str, finding.where)) for finding in rule(incident)]


@pytest.mark.parametrize("rule", RULES)
def test_a_fair_incident_leaks_nothing(
    fair: Incident, rule: Callable[[Incident], Iterable[Finding]]
) -> None:
    """A window may speak of connections and of pools."""
    assert said(fair, rule) == []


@pytest.mark.parametrize("rule", RULES[:4])
def test_a_healthy_window_has_no_truth_to_leak(
    fair: Incident, rule: Callable[[Incident], Iterable[Finding]]
) -> None:
    """Nothing can be given away there."""
    healthy = replace(with_log(fair, "connection leak"), truth=Healthy(), kind="healthy")

    assert said(healthy, rule) == []


def test_a_record_that_is_the_cause_is_an_error(fair: Incident) -> None:
    """Whoever pastes it has solved the window; declaring the words does not help."""
    told = with_log(fair, "Apparent connection leak detected\n\tat Pool.java:7")
    told = replace(told, said_in_evidence=(SaidInEvidence("leak*", "the pool prints it"),))

    assert said(told, leaks.no_text_is_the_cause) == ["logs", "logs"]


@pytest.mark.parametrize(
    ("place", "evidence"),
    [
        ("metrics.0.name", {"metrics": (MetricSeries("pool_leaks", "x", "", START, 60, (1,)),)}),
        ("alerts.0.summary", {"alerts": (Alert(START, "x", "m", "connection leak"),)}),
        ("traces.0", {"traces": (Span("1", "2", "", "x", "pool", START, 1, "error", "leaked"),)}),
        (
            "changes.0.message",
            {"changes": (Change("commit", START, sha="a" * 40, message="Stop the pool leak"),)},
        ),
    ],
)
def test_the_cause_may_stand_nowhere(
    fair: Incident, place: str, evidence: dict[str, object]
) -> None:
    """Alerts, names of metrics, spans and messages are read too."""
    assert said(with_evidence(fair, **evidence), leaks.no_text_is_the_cause) == [place]


def test_a_word_of_the_truth_that_comes_with_the_fault_is_an_error(fair: Incident) -> None:
    """Before the fault nobody says it."""
    assert said(with_log(fair, "possible leak"), leaks.words_of_the_truth_are_not_said) == ["logs"]


def test_everyday_words_are_no_leak(fair: Incident) -> None:
    """What the logs said before the onset, they may say after it."""
    everyday = with_log(with_log(fair, "order 2 leaked to audit", 50), "order 1 leaked to audit", 9)

    assert said(everyday, leaks.words_of_the_truth_are_not_said) == []


def test_what_the_software_prints_can_be_declared(fair: Incident) -> None:
    """The phrase is tolerated as it stands in the rubric."""
    declared = replace(
        with_log(fair, "possible leak"), said_in_evidence=(SaidInEvidence("leak*", "printed"),)
    )

    assert said(declared, leaks.words_of_the_truth_are_not_said) == []


def test_numbers_of_the_truth_are_not_taken_for_any_number(fair: Incident) -> None:
    """Lines are told apart by the numbers that the rubric asks for."""
    assert isinstance(fair.truth, Fault)
    numbered = replace(fair, truth=replace(fair.truth, cause=(("pool",), ("from 40 to 4",))))
    told = with_log(with_log(numbered, "moved from 50 to 5", 44), "moved from 40 to 4")

    assert said(told, leaks.words_of_the_truth_are_not_said) == ["logs"]


def test_the_message_of_the_culprit_says_nothing_of_the_harm(fair: Incident) -> None:
    """An innocent message may mislead with the same words."""
    guilty = with_message(fair, 1, "Check coupons\n\nMay leak.")
    innocent = with_message(fair, 3, "New colours\n\nNothing may leak out of the frame.")

    assert said(guilty, leaks.words_of_the_truth_are_not_said) == ["changes.1.message"]
    assert said(innocent, leaks.words_of_the_truth_are_not_said) == []


def test_the_culprit_is_named_nowhere_else(fair: Incident) -> None:
    """Neither by a short sha in a log nor by its subject in a note of the rollout."""
    assert said(with_log(fair, "build c0ffee0 up"), leaks.culprits_are_not_named) == ["logs"]
    assert said(with_message(fair, 2, "Roll out: check coupons"), leaks.culprits_are_not_named) == [
        "changes.2.message"
    ]


def test_a_setting_of_the_culprit_is_not_printed(fair: Incident) -> None:
    """In any spelling, unless it is declared."""
    told = with_log(fair, "pool started with max-idle=4")
    declared = replace(told, said_in_evidence=(SaidInEvidence("max idle", "printed at start"),))

    assert said(told, leaks.settings_are_not_named) == ["logs"]
    assert said(declared, leaks.settings_are_not_named) == []


def test_a_flag_is_not_printed(fair: Incident) -> None:
    """A flag may be the fault of a window without a culprit."""
    flag = Change("flag", START, "orders", key="new-engine", before="off", after="on")
    told = with_log(with_evidence(fair, changes=(flag,)), "using the new engine")

    assert said(told, leaks.settings_are_not_named) == ["logs"]


def test_settings_are_keys_with_another_value() -> None:
    """Not headers, not keys that stay, not single words."""
    diff = (
        "--- a/x: 1\n+++ b/x: 2\n-  maxReplicas: 10\n+  maxReplicas: 2\n-size = 1\n+size = 2\n"
        '-  "read-timeout": 5,\n+  "read-timeout": 5,\n-gone_key: 1\n'
    )

    assert leaks.changed_settings(diff) == {"maxReplicas"}


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("title", "connections of orders LEAK"),
        ("canary", "rcabench canary 1f2e"),
        ("id", "saw a leak here"),
    ],
)
def test_our_own_notes_stay_out(fair: Incident, key: str, text: str) -> None:
    """Id, title and canary would tell an analyser which incident this is."""
    assert key in said(with_log(fair, text), leaks.notes_are_hidden)


def test_evidence_says_all_that_an_analyser_gets() -> None:
    """A field that is added to the evidence has to be thought of in this lint."""
    assert set(Evidence.__dataclass_fields__) == {
        *("window", "logs", "metrics", "changes", "alerts", "traces")
    }
