"""What an analysis is worth: every check and its edge."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_rcabench.domain.analysis import Analysis, AnswerFault, Issue, Severity
from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.incident import (
    Alert,
    Change,
    CheckName,
    Evidence,
    Fault,
    Healthy,
    Incident,
    LogRecord,
    MetricSeries,
    Span,
    Truth,
    Window,
)
from pytest_rcabench.domain.scoring import Check, Verdict, score

START = datetime(2026, 10, 7, 13, tzinfo=UTC)
CULPRIT = "a1" * 20
TWIN = "a2" * 20
INNOCENT = "b3" * 20
DORMANT = "c4" * 20
SHAS = (CULPRIT, TWIN, INNOCENT, DORMANT)
EVIDENCE = Evidence(
    window=Window(START, START + timedelta(hours=1)),
    logs=(LogRecord(START, "orders-api", "orders-api-6d9f7c5b8-x2k4q", "INFO", "up"),),
    metrics=(MetricSeries("up", "orders-db", "", START, 60, (1.0,)),),
    changes=tuple(Change("commit", START, service="checkout-web", sha=sha) for sha in SHAS),
    alerts=(Alert(START, "edge", "errors", "errors"),),
    traces=(Span("1", "1", "", "coupons", "GET", START, 1.0, "ok"),),
)
FAULT = Fault(
    service="orders-api",
    onset=START,
    cause=(("connection*", "pool"), ("leak*", "never closed")),
    also_ok=("orders-pool",),
    victims=("checkout-web",),
    must_not=("pool is too small",),
    commits=(CULPRIT, TWIN),
    contributing=(DORMANT,),
)
RIGHT = Issue(
    "Connection leak", Severity.ERROR, "orders-api", "Connections are never closed", (CULPRIT,)
)
NO_COMMIT = replace(FAULT, commits=())
ONLY_COMMIT = replace(FAULT, graded=("commit",))
ONLY_COMMIT_NONE = replace(NO_COMMIT, graded=("commit",))
NO_CODE = replace(FAULT, graded=("service", "cause"))
WRONG = replace(RIGHT, service="checkout-web", commits=())


def incident(truth: Truth) -> Incident:
    """Return an incident with the evidence above."""
    return Incident("leak", "Leak", "bad_deploy", "easy", EVIDENCE, truth)


def verdict_on(truth: Truth, *issues: Issue) -> Verdict:
    """Return the verdict on an answer of *issues*."""
    return score(Analysis(issues), incident(truth))


def failed(verdict: Verdict) -> list[str]:
    """Return the checks that failed."""
    return [check.name for check in verdict.checks if check.passed is False]


def named(verdict: Verdict, name: CheckName) -> Check:
    """Return one check."""
    return next(check for check in verdict.checks if check.name == name)


def info(*commits: str) -> Issue:
    """Return the right issue, as a remark."""
    return replace(RIGHT, severity=Severity.INFO, commits=commits)


def warning(*commits: str) -> Issue:
    """Return an issue about nothing."""
    return Issue("Noise", Severity.WARNING, "edge", "old noise", commits)


ROWS: list[tuple[str, Truth, tuple[Issue, ...], str, list[str]]] = [
    ("right", FAULT, (RIGHT,), "pass", []),
    ("the other right commit", FAULT, (replace(RIGHT, commits=(TWIN[:7],)),), "pass", []),
    ("other name", FAULT, (replace(RIGHT, service="Orders Pool"),), "pass", []),
    ("only a warning", FAULT, (replace(RIGHT, severity=Severity.WARNING),), "pass", []),
    ("wrong service", FAULT, (replace(RIGHT, service="edge"),), "wrong", ["service"]),
    ("victim", FAULT, (replace(RIGHT, service="checkout-web"),), "wrong", ["service"]),
    ("wrong cause", FAULT, (replace(RIGHT, title="", cause="slow"),), "wrong", ["cause"]),
    ("no commit", FAULT, (replace(RIGHT, commits=()),), "wrong", ["commit"]),
    (
        "innocent commit instead",
        FAULT,
        (replace(RIGHT, commits=(INNOCENT,)),),
        "wrong",
        ["commit", "innocent"],
    ),
    (
        "right prefix, invented tail",
        FAULT,
        (replace(RIGHT, commits=(CULPRIT[:9] + "0000",)),),
        "wrong",
        ["commit", "innocent"],
    ),
    (
        "culprit and an innocent",
        FAULT,
        (replace(RIGHT, commits=(CULPRIT, INNOCENT)),),
        "half",
        ["innocent"],
    ),
    (
        "culprit and an invented",
        FAULT,
        (replace(RIGHT, commits=(CULPRIT, "deadbeef")),),
        "half",
        ["innocent"],
    ),
    ("culprit and dormant code", FAULT, (replace(RIGHT, commits=(CULPRIT, DORMANT)),), "pass", []),
    (
        "three commits",
        FAULT,
        (replace(RIGHT, commits=(CULPRIT, TWIN, DORMANT)),),
        "wrong",
        ["commit"],
    ),
    (
        "every commit",
        FAULT,
        (replace(RIGHT, commits=SHAS),),
        "wrong",
        ["commit", "innocent"],
    ),
    ("blamed and ruled out", FAULT, (replace(RIGHT, ruled_out=(CULPRIT,)),), "pass", []),
    ("innocent ruled out", FAULT, (replace(RIGHT, ruled_out=(INNOCENT,)),), "pass", []),
    ("innocent in a second issue", FAULT, (RIGHT, warning(INNOCENT)), "half", ["innocent"]),
    ("innocent in an info issue", FAULT, (RIGHT, info(INNOCENT)), "half", ["innocent"]),
    ("two alarms", FAULT, (RIGHT, warning()), "pass", []),
    ("three alarms", FAULT, (RIGHT, warning(), warning()), "half", ["alarms"]),
    ("the same issue three times", FAULT, (RIGHT,) * 3, "half", ["alarms"]),
    ("many info issues", FAULT, (RIGHT, *[info()] * 5), "pass", []),
    ("info only", FAULT, (info(CULPRIT),), "wrong", ["service", "cause", "commit"]),
    ("silence", FAULT, (), "wrong", ["service", "cause", "commit"]),
    (
        "victim ranked above the cause",
        FAULT,
        (RIGHT, replace(WRONG, severity=Severity.CRITICAL)),
        "wrong",
        ["service", "commit"],
    ),
    ("a tie goes to the first", FAULT, (WRONG, RIGHT), "wrong", ["service", "commit"]),
    ("none to blame", NO_COMMIT, (replace(RIGHT, commits=()),), "pass", []),
    ("none to blame, none written", NO_COMMIT, (replace(RIGHT, commits=("N/A",)),), "pass", []),
    ("none to blame, a flag", NO_COMMIT, (replace(RIGHT, commits=("new-flag",)),), "pass", []),
    ("none to blame, dormant code", NO_COMMIT, (replace(RIGHT, commits=(DORMANT,)),), "pass", []),
    (
        "none to blame, one blamed",
        NO_COMMIT,
        (replace(RIGHT, commits=(INNOCENT,)),),
        "wrong",
        ["commit", "innocent"],
    ),
    (
        "none to blame, one invented",
        NO_COMMIT,
        (replace(RIGHT, commits=("deadbeef",)),),
        "wrong",
        ["commit", "innocent"],
    ),
    ("only the commit counts", ONLY_COMMIT, (replace(WRONG, commits=(CULPRIT,)),), "pass", []),
    ("silence blames nobody, wrongly", ONLY_COMMIT, (), "wrong", ["commit"]),
    ("silence blames nobody, rightly", ONLY_COMMIT_NONE, (), "pass", []),
    ("info only is no alarm", ONLY_COMMIT_NONE, (info(),), "wrong", ["commit"]),
    ("commit not graded", NO_CODE, (replace(RIGHT, commits=(INNOCENT,)),), "pass", []),
    ("alarms not judged", NO_CODE, (RIGHT, warning(), warning()), "pass", []),
    ("healthy, silence", Healthy(), (), "pass", []),
    ("healthy, info", Healthy(), (info(),), "pass", []),
    ("healthy, info that blames", Healthy(), (info(INNOCENT),), "half", ["innocent"]),
    ("healthy, info that invents", Healthy(), (info("deadbeef"),), "half", ["innocent"]),
    ("healthy, warning", Healthy(), (warning(),), "wrong", ["quiet"]),
    (
        "healthy, warning that blames",
        Healthy(),
        (warning(CULPRIT),),
        "wrong",
        ["innocent", "quiet"],
    ),
]


@pytest.mark.parametrize(
    ("truth", "issues", "mark", "fails"),
    [row[1:] for row in ROWS],
    ids=[row[0].replace(" ", "-") for row in ROWS],
)
def test_an_analysis_is_worth_its_mark(
    truth: Truth, issues: tuple[Issue, ...], mark: str, fails: list[str]
) -> None:
    """One row for each sentence of the rules, and for each edge."""
    verdict = verdict_on(truth, *issues)

    assert (mark, fails) == (verdict.mark, failed(verdict))


@pytest.mark.parametrize(
    ("truth", "names"),
    [
        (FAULT, ["service", "cause", "commit", "innocent", "alarms"]),
        (replace(FAULT, graded=("commit", "service")), ["service", "commit", "innocent", "alarms"]),
        (NO_CODE, ["service", "cause", "innocent", "alarms"]),
        (Healthy(), ["innocent", "quiet"]),
    ],
)
@pytest.mark.parametrize(
    "analysis",
    [Analysis(), Analysis((RIGHT,)), Analysis(fault=AnswerFault("empty", "nothing"))],
)
def test_the_checks_that_apply_stand_in_the_contracts_order(
    analysis: Analysis, truth: Truth, names: list[str]
) -> None:
    """Reports line them up in columns, whatever was answered."""
    assert names == [check.name for check in score(analysis, incident(truth)).checks]


def test_extra_checks_are_not_judged_where_the_commit_is_not_graded() -> None:
    """A dash is neither passed nor failed."""
    verdict = verdict_on(NO_CODE, RIGHT, warning(INNOCENT), warning())

    assert named(verdict, "innocent").passed is None
    assert named(verdict, "alarms").passed is None


@pytest.mark.parametrize("truth", [FAULT, ONLY_COMMIT_NONE, Healthy()])
def test_an_unreadable_answer_is_wrong_on_every_window(truth: Truth) -> None:
    """Silence is right on a healthy window; an answer that nobody can read is not silence."""
    verdict = score(read_answer("No issues found."), incident(truth))

    assert verdict.mark == "wrong"
    assert verdict.fault == "not_json"
    assert verdict.right_cause_ranked is None
    assert "not_json" in verdict.checks[-1].detail + verdict.checks[0].detail
    assert not any(check.passed for check in verdict.checks)


def test_the_rank_of_the_right_cause_is_told_and_changes_nothing() -> None:
    """A reader wants to know that it was found second."""
    assert verdict_on(FAULT, RIGHT).right_cause_ranked == 1
    assert verdict_on(FAULT, WRONG, RIGHT).right_cause_ranked == 2
    assert verdict_on(FAULT, WRONG, RIGHT).mark == "wrong"
    assert verdict_on(FAULT, WRONG).right_cause_ranked is None
    assert verdict_on(FAULT).right_cause_ranked is None
    for others, rank in ((19, 20), (20, None)):
        assert verdict_on(FAULT, *[WRONG] * others, RIGHT).right_cause_ranked == rank


def test_each_detail_says_what_was_expected_and_what_came() -> None:
    """One line a check, for people."""
    wrong = replace(WRONG, title="Slow", cause="slow", commits=(INNOCENT, "deadbeef", "a-flag"))
    details = {check.name: check.detail for check in verdict_on(FAULT, wrong).checks}

    assert details["service"] == "expected orders-api or orders-pool, got checkout-web (a victim)"
    assert details["cause"] == "says none of: connection*, pool"
    assert details["commit"] == (
        "expected a1a1a1a1a1 or a2a2a2a2a2, got b3b3b3b3b3, deadbeef (invented), "
        "'a-flag' (no sha, ignored)"
    )
    assert details["innocent"] == (
        "expected no innocent commit blamed, blamed b3b3b3b3b3, deadbeef (invented)"
    )
    assert details["alarms"] == "expected at most 2 issues of warning or worse, got 1"


def test_a_detail_stays_one_short_line() -> None:
    """Nobody's essay breaks a table."""
    verdict = verdict_on(Healthy(), replace(warning(), title="spike\n" * 1000))

    assert "\n" not in named(verdict, "quiet").detail
    assert len(named(verdict, "quiet").detail) == 300


def test_a_known_service_before_a_slash_is_a_second_name() -> None:
    """Names are known from every part of the evidence."""
    for other in ("checkout-web", "orders-db", "edge", "coupons"):
        verdict = verdict_on(FAULT, replace(RIGHT, service=f"{other}/orders-api"))
        assert failed(verdict) == ["service"]
    for namespace in ("prod/", "/", "cluster/prod/"):
        issue = replace(RIGHT, service=f"{namespace}orders-api")
        assert verdict_on(FAULT, issue).mark == "pass"


WORTH = {"wrong": 0, "half": 1, "pass": 2}
blames = st.lists(st.sampled_from([*SHAS, "deadbeef", "N/A"]), max_size=3).map(tuple)
issues = st.builds(
    Issue,
    title=st.sampled_from(["Connection leak", "Slow pool", ""]),
    severity=st.sampled_from(Severity),
    service=st.sampled_from(["orders-api", "checkout-web", "edge"]),
    cause=st.sampled_from(["connections are never closed", "the pool is too small", "no leak"]),
    commits=blames,
)
answers = st.lists(issues, max_size=5).map(tuple)
truths = st.sampled_from([FAULT, NO_COMMIT, ONLY_COMMIT, ONLY_COMMIT_NONE, NO_CODE, Healthy()])


def worth(truth: Truth, found: tuple[Issue, ...]) -> int:
    """Return the mark as a number that rises with it."""
    return WORTH[verdict_on(truth, *found).mark]


@settings(deadline=None)  # a busy machine is no failure
@given(truths, answers, st.randoms(use_true_random=False))
def test_the_order_of_all_but_the_top_issue_never_matters(
    truth: Truth, found: tuple[Issue, ...], random: st.DataObject
) -> None:
    """Only the top issue is ranked."""
    if not found:
        return
    top = max(found, key=lambda issue: issue.severity)
    rest = [issue for issue in found if issue is not top]
    random.shuffle(rest)  # type: ignore[attr-defined] # hypothesis gives a random.Random

    assert worth(truth, found) == worth(truth, (top, *rest))


@settings(deadline=None)  # a busy machine is no failure
@given(truths, answers, st.sampled_from(Severity), st.sampled_from([INNOCENT, "deadbeef"]))
def test_blaming_an_innocent_never_raises_a_mark(
    truth: Truth, found: tuple[Issue, ...], severity: Severity, sha: str
) -> None:
    """More blame is never better, whichever issue carries it."""
    more = Issue("Also this", severity, "edge", "somebody changed it", (sha,))
    blamed = tuple(replace(issue, commits=(*issue.commits, sha)) for issue in found)

    assert worth(truth, blamed) <= worth(truth, found)
    if found:
        assert worth(truth, (*found, more)) <= worth(truth, found) or more.severity > max(
            issue.severity for issue in found
        )


@settings(deadline=None)  # a busy machine is no failure
@given(truths, answers)
def test_one_more_warning_never_raises_a_mark(truth: Truth, found: tuple[Issue, ...]) -> None:
    """Crying wolf is never rewarded where something was said already."""
    if any(issue.severity > Severity.INFO for issue in found):
        assert worth(truth, (*found, warning())) <= worth(truth, found)
    assert worth(Healthy(), (*found, warning())) == 0


@settings(deadline=None)  # a busy machine is no failure
@given(st.sampled_from([FAULT, NO_COMMIT, NO_CODE]), answers)
def test_a_victim_above_the_cause_is_wrong(truth: Fault, found: tuple[Issue, ...]) -> None:
    """Whatever stands below it."""
    victim = replace(WRONG, severity=Severity.CRITICAL)

    assert worth(truth, (victim, *found)) == 0


@settings(deadline=None)  # a busy machine is no failure
@given(truths, st.sampled_from(["warning", "error", "critical"]), st.sampled_from(SHAS[:2]))
def test_the_truth_told_in_json_passes(truth: Truth, severity: str, sha: str) -> None:
    """What the oracle says is right on every window, from the raw reply on."""
    commits = f'"{sha[:8].upper()}"' if isinstance(truth, Fault) and truth.commits else ""
    told = (
        f'{{"title": "Connection leak", "severity": "{severity}", "service": "orders_api", '
        f'"cause": "connections are never closed", "commits": [{commits}]}}'
    )
    reply = f'{{"issues": [{told if isinstance(truth, Fault) else ""}]}}'

    assert score(read_answer(reply), incident(truth)).mark == "pass"


@settings(deadline=None)  # a busy machine is no failure
@given(truths, answers)
def test_the_same_answer_always_gets_the_same_verdict(
    truth: Truth, found: tuple[Issue, ...]
) -> None:
    """A verdict has no memory and no luck."""
    assert verdict_on(truth, *found) == verdict_on(truth, *found)
