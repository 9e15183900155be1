"""The controls follow their rules to the letter, and the page about them is true."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.domain.incident import (
    Alert,
    Change,
    Evidence,
    Fault,
    Healthy,
    Incident,
    Kind,
    LogRecord,
    Window,
)
from pytest_rcabench.engine.protocols import Analyzer, ReadsTruth, analyze
from pytest_rcabench.engine.systems.controls import (
    CONTROLS,
    Oracle,
    control,
    controls_page,
    echoes,
)

START = datetime(2026, 10, 7, 13, tzinfo=UTC)


def at(minutes: float) -> datetime:
    """Return the time *minutes* into the window."""
    return START + timedelta(minutes=minutes)


EVIDENCE = Evidence(
    window=Window(START, at(60)),
    logs=(
        LogRecord(at(1), "edge", "edge-1", "INFO", "request served"),
        LogRecord(at(2), "edge", "edge-1", "INFO", "request served"),
        LogRecord(at(3), "edge", "edge-1", "INFO", "request served"),
        LogRecord(at(30), "orders", "orders-1", "WARN", "slow response"),
        LogRecord(at(31), "orders", "orders-1", "WARN", "slow response"),
        LogRecord(at(32), "", "node-3", "ERROR", "coupon lookup timed out"),
        LogRecord(at(33), "orders", "orders-1", "ERROR", "gave up"),
    ),
    metrics=(),
    changes=(
        Change("flag", at(9), service="edge", key="banner", before="off", after="on"),
        Change("commit", at(20), sha="a" * 40, message="Newest of all\n\nbody", diff="+x"),
        Change("commit", at(5), sha="b" * 40, service="edge", message="Longest", diff="+y" * 99),
        Change("commit", at(6), sha="c" * 40, message="Cache the coupon lookup", diff="+z"),
        Change("deploy", at(8), service="orders", sha="b" * 40, version="v2"),
        Change("deploy", at(21), service="edge", sha="a" * 40, version="v3"),
        Change("deploy", at(2), service="orders", sha="c" * 40, version="v1"),
    ),
    alerts=(Alert(at(34), "orders", "latency", "orders are slow"),),
)
EMPTY = Evidence(window=EVIDENCE.window, logs=(), metrics=(), changes=())


def ask(name: str, evidence: Evidence = EVIDENCE) -> tuple[str, str, tuple[str, ...]] | None:
    """Return what the control *name* answers, as service, cause and commits."""
    issues = control(name).analyze(evidence).issues
    return (issues[0].service, issues[0].cause, issues[0].commits) if issues else None


@pytest.mark.parametrize(
    ("name", "service", "cause", "commits"),
    [
        ("latest-commit", "orders", "Newest of all", ("a" * 40,)),
        ("latest-deploy", "edge", "deploy edge v3", ("a" * 40,)),
        ("first-deploy", "orders", "deploy orders v2", ("b" * 40,)),
        ("alert-service-deploy", "orders", "deploy orders v2", ("b" * 40,)),
        ("loudest-service", "orders", "slow response", ()),
        ("first-listed", "edge", "flag edge banner", ()),
        ("longest-diff", "edge", "Longest", ("b" * 40,)),
        ("alert-echo", "orders", "orders are slow", ()),
        ("keyword-overlap", "orders", "Cache the coupon lookup", ("c" * 40,)),
        ("echo", "node-3", "coupon lookup timed out", ()),
    ],
)
def test_a_control_answers_by_its_rule(
    name: str, service: str, cause: str, commits: tuple[str, ...]
) -> None:
    """Service, cause and commits are those that the page promises."""
    answer = ask(name)

    assert answer == (service, cause, commits)


def test_silent_opens_no_issue() -> None:
    """It has no issue for any window."""
    answer = ask("silent")

    assert answer is None


def test_word_salad_fits_fifty_phrases_into_what_the_scorer_reads() -> None:
    """Fifty phrases, and eighty words of them."""
    answer = ask("word-salad")

    assert answer is not None
    assert (len(answer[1].split(", ")), len(answer[1].split())) == (50, 80)


@pytest.mark.parametrize(
    "name", [name for name in CONTROLS if name not in ("oracle", "word-salad")]
)
def test_a_control_with_nothing_to_name_is_silent(name: str) -> None:
    """A window without logs, changes and alerts gets no issue."""
    answer = ask(name, EMPTY)

    assert answer is None


@pytest.mark.parametrize("name", [name for name in CONTROLS if name != "oracle"])
def test_a_reply_reads_back_as_the_same_issues(name: str) -> None:
    """The kept reply is the answer, so that it can be scored again."""
    analysis = control(name).analyze(EVIDENCE)

    assert read_answer(analysis.reply).issues == analysis.issues


def test_echoes_repeats_every_distinct_complaint_in_turn() -> None:
    """Each WARN or worse once, in order, then the alerts."""
    causes = [answer.issues[0].cause for answer in echoes(EVIDENCE)]

    assert causes == ["slow response", "coupon lookup timed out", "gave up", "orders are slow"]


def incident(truth: Fault | Healthy) -> Incident:
    """Return an incident around `EVIDENCE` with this truth."""
    kind: Kind = "healthy" if isinstance(truth, Healthy) else "bad_deploy"
    return Incident("one", "One", kind, "easy", EVIDENCE, truth)


FAULT = Fault(
    service="orders",
    onset=at(29),
    cause=(("connection*", "pool"), ("never closed", "leak*"), ("size * small",)),
    commits=("b" * 40, "c" * 40),
)


def test_the_oracle_answers_from_the_truth() -> None:
    """It says the first phrase of each group in a sentence of its own."""
    (issue,) = analyze(control("oracle"), incident(FAULT), 1).issues

    assert issue.service == "orders"
    assert issue.cause == "connection. never closed. size then small."
    assert issue.commits == ("b" * 40,)


def test_the_oracle_names_no_commit_where_none_is_at_fault() -> None:
    """An empty list of commits means that nobody is to blame."""
    (issue,) = analyze(control("oracle"), incident(replace(FAULT, commits=())), 1).issues

    assert issue.commits == ()


def test_the_oracle_is_silent_on_a_healthy_window() -> None:
    """Silence is right there."""
    analysis = analyze(control("oracle"), incident(Healthy()), 1)

    assert json.loads(analysis.reply)["issues"] == []


def test_the_oracle_refuses_to_guess_from_evidence() -> None:
    """The truth is handed over in one place only."""
    with pytest.raises(OptionError, match="answers from the truth"):
        Oracle().analyze(EVIDENCE)


def test_only_the_oracle_reads_the_truth() -> None:
    """Every other control is a plain analyser."""
    assert [name for name, known in CONTROLS.items() if isinstance(known, ReadsTruth)] == ["oracle"]
    assert all(isinstance(known, Analyzer) for known in CONTROLS.values())


def test_an_unknown_control_names_the_near_and_the_known_ones() -> None:
    """The message is one line and says what to type."""
    with pytest.raises(OptionError) as caught:
        control("latest-comit")

    assert "did you mean latest-commit?" in str(caught.value)
    assert "word-salad" in str(caught.value)


def test_the_page_is_generated_from_the_registry() -> None:
    """To renew it, write what `controls_page` returns."""
    page = Path(__file__).parents[4] / "docs/reference/controls.md"

    assert page.read_text(encoding="utf-8") == controls_page()
