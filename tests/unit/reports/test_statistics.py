"""How sure a count is; the figures of 1,584 published trials come out as they should."""

from __future__ import annotations

import json
import statistics
from itertools import combinations
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_rcabench.reports.statistics import (
    Tally,
    Z,
    clopper_pearson,
    clustered_error,
    clustered_interval,
    default_interval,
    effective_size,
    flakiness,
    pass_at_k,
    pass_hat_k,
    rule_of_three,
    wilson,
)

TRIALS = (
    Path(__file__).parents[3]
    / "../shared/data/rootcausebench/benchmark-results/rootcausebench/results.json"
)

tallies = st.lists(
    st.integers(1, 5).flatmap(
        lambda rounds: st.integers(0, rounds).map(lambda hits: Tally(hits, rounds))
    ),
    min_size=1,
    max_size=40,
)


# Printed by scipy 1.17.1: binomtest(hits, total).proportion_ci(0.95, method).
@pytest.mark.parametrize(
    ("hits", "total", "score", "exact"),
    [
        (0, 1, (0, 0.7934506856228), (0, 0.975)),
        (1, 1, (0.2065493143772, 1), (0.025, 1)),
        (1, 2, (0.09453120573423, 0.9054687942658), (0.01257911709368, 0.9874208829063)),
        (0, 11, (0, 0.258832966968), (0, 0.2849141529182)),
        (10, 11, (0.6226415635484, 0.9837678271141), (0.5872200830116, 0.9977010277862)),
        (11, 11, (0.741167033032, 1), (0.7150858470818, 1)),
        (3, 24, (0.04344334080123, 0.310038812705), (0.02655931498622, 0.3236113581887)),
        (69, 72, (0.8845072325868, 0.9857291925331), (0.8830251801741, 0.9913235026836)),
        (34, 72, (0.3612651033783, 0.5859932950992), (0.3533297240567, 0.5934709234743)),
        (499, 500, (0.9887592932949, 0.9996468636054), (0.988907523101, 0.999949365666)),
        (7, 1000, (0.003394868400991, 0.01437831546577), (0.002818858759618, 0.01436919497927)),
    ],
)
def test_the_intervals_are_those_of_scipy(
    hits: int, total: int, score: tuple[float, float], exact: tuple[float, float]
) -> None:
    """Twelve digits of both, at the edges and in the middle."""
    assert wilson(hits, total) == pytest.approx(score, abs=1e-12)
    assert clopper_pearson(hits, total) == pytest.approx(exact, abs=1e-12)


def test_the_intervals_are_those_of_scipy_everywhere() -> None:
    """Every count out of sizes small and middling, where scipy is installed (`tox -e tests`)."""
    scipy = pytest.importorskip("scipy.stats", reason="scipy is not installed; tox -e tests has it")

    for total in (1, 2, 3, 11, 24, 40):
        for hits in range(total + 1):
            known = scipy.binomtest(hits, total)
            for method, ours in (("wilson", wilson), ("exact", clopper_pearson)):
                theirs = known.proportion_ci(0.95, method)
                assert ours(hits, total) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@settings(deadline=None)  # other processes may have the CPU
@given(st.integers(1, 100).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_the_exact_interval_holds_the_rate_and_mirrors(counts: tuple[int, int]) -> None:
    """What is said of hits holds for misses, the other way round."""
    hits, total = counts
    ours, mirrored = clopper_pearson(hits, total), clopper_pearson(total - hits, total)

    assert 0 <= ours.low <= hits / total <= ours.high <= 1
    assert ours == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-12)


@settings(deadline=None)  # other processes may have the CPU
@given(tallies)
def test_no_interval_is_a_nan_or_leaves_the_unit(found: list[Tally]) -> None:
    """Whatever was counted, bounds are numbers around the rate, and sizes within their limits."""
    rate = sum(tally.hits for tally in found) / sum(tally.rounds for tally in found)
    size = effective_size(found)

    for low, high in filter(None, (default_interval(found), clustered_interval(found))):
        assert isfinite(low)
        assert -1e-12 <= low <= rate + 1e-12
        assert rate - 1e-12 <= high <= 1 + 1e-12
    assert len(found) <= size <= sum(tally.rounds for tally in found)


@settings(deadline=None)  # other processes may have the CPU
@given(tallies)
def test_an_incident_without_answers_changes_nothing(found: list[Tally]) -> None:
    """What was not measured is in no count of incidents."""
    assert effective_size([*found, Tally(0, 0)]) == effective_size(found)
    assert clustered_error([*found, Tally(0, 0)]) == clustered_error(found)


def test_rounds_that_always_agree_count_once_an_incident() -> None:
    """Asking ten times what is answered ten times alike makes nobody surer."""
    once = [Tally(1, 1)] * 8 + [Tally(0, 1)] * 2
    tenfold = [Tally(10, 10)] * 8 + [Tally(0, 10)] * 2

    assert default_interval(tenfold) == pytest.approx(default_interval(once))


def test_rounds_that_agree_like_strangers_count_each() -> None:
    """Incidents of one mean differ by chance alone, so each round says something."""
    assert effective_size([Tally(1, 2)] * 10) == 20


def test_a_perfect_score_counts_incidents_and_not_rounds() -> None:
    """33 of 33 rounds on 11 incidents are known no better than 11 of 11."""
    assert default_interval([Tally(3, 3)] * 11) == wilson(11, 11)
    assert default_interval([Tally(0, 3)] * 11) == wilson(0, 11)


def test_unequal_rounds_weigh_by_their_number() -> None:
    """By hand: the rate is 3/4, the residuals are 1/4 each, so the error is root(1/4)/4."""
    assert clustered_error([Tally(1, 1), Tally(2, 3)]) == pytest.approx((1 / 4) ** 0.5 / 4)


def test_one_incident_says_nothing_about_others() -> None:
    """There is no spread of one; the interval is that of a single trial."""
    assert clustered_error([Tally(2, 3)]) is None
    assert clustered_interval([Tally(2, 3)]) is None
    assert effective_size([Tally(2, 3)]) == 1


def test_the_clustered_interval_is_cut_to_fractions() -> None:
    """No rate is above one."""
    interval = clustered_interval([Tally(3, 3)] * 5 + [Tally(0, 3)])

    assert interval is not None
    assert interval.high == 1
    assert interval.low == pytest.approx(5 / 6 - Z / 6)


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_nothing_measured_has_no_interval(interval) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - either function
    """A division by zero would be our mistake, so it has a sentence."""
    with pytest.raises(ValueError, match="no interval of nothing"):
        interval(0, 0)
    with pytest.raises(ValueError, match="no rate of nothing"):
        default_interval([Tally(0, 0)])


def test_the_rule_of_three_counts_incidents() -> None:
    """Eleven incidents without a failure leave room for one in four; two leave room for all."""
    assert rule_of_three(11) == pytest.approx(3 / 11)
    assert rule_of_three(2) == 1


def test_chances_over_k_rounds() -> None:
    """With two hits in four rounds one of six pairs is all hits, and one is none."""
    assert pass_at_k(Tally(2, 4), 2) == pytest.approx(5 / 6)
    assert pass_hat_k(Tally(2, 4), 2) == pytest.approx(1 / 6)
    assert pass_at_k(Tally(2, 4), 1) == pass_hat_k(Tally(2, 4), 1) == pytest.approx(1 / 2)


@pytest.mark.parametrize("k", [0, 3])
def test_too_few_rounds_leave_chances_undefined(k: int) -> None:
    """Two rounds say nothing about three; a made-up 1.0 would."""
    assert pass_at_k(Tally(2, 2), k) is None
    assert pass_hat_k(Tally(2, 2), k) is None


@settings(deadline=None)  # other processes may have the CPU
@given(st.integers(1, 6), st.integers(0, 6), st.integers(1, 6))
def test_chances_over_k_rounds_are_means_over_all_choices(rounds: int, hits: int, k: int) -> None:
    """Counted out: every choice of k rounds, how often with a hit and how often all hits."""
    outcomes = [number < hits for number in range(rounds)]
    choices = list(combinations(outcomes, k))
    tally = Tally(sum(outcomes), rounds)
    if not choices:
        assert pass_at_k(tally, k) is None
        return

    assert pass_at_k(tally, k) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_hat_k(tally, k) == pytest.approx(sum(map(all, choices)) / len(choices))


def test_flakiness_is_the_chance_that_two_rounds_differ() -> None:
    """Of the three pairs of pass, pass, half two differ; one verdict never does."""
    assert flakiness([2, 1]) == pytest.approx(2 / 3)
    assert flakiness([1, 1, 1]) == 1
    assert flakiness([3, 0]) == 0
    assert flakiness([1]) is None


@pytest.fixture(scope="module")
def trials() -> dict[str, list[Tally]]:
    """Return the published trials of RootCauseBench: a tally an incident, by model."""
    if not TRIALS.exists():
        pytest.skip(f"the published trials are not at {TRIALS}: six known figures are unchecked")
    found: dict[str, dict[str, list[bool]]] = {}
    for trial in json.loads(TRIALS.read_text("utf-8")):
        model = found.setdefault(trial["ModelDisplay"].split("/")[1], {})
        model.setdefault(trial["TaskName"], []).append(trial["Passed"])
    return {
        model: [Tally(sum(passed), len(passed)) for passed in incidents.values()]
        for model, incidents in found.items()
    }


@pytest.mark.parametrize(
    ("model", "hits", "naive", "clustered"),
    [
        ("gemini-3.1-pro-preview", 69, 0.046, 0.082),
        ("claude-sonnet-4.6", 69, 0.046, 0.060),
        ("claude-haiku-4.5", 34, 0.116, 0.111),
    ],
)
def test_the_published_trials_have_the_known_intervals(
    trials: dict[str, list[Tally]], model: str, hits: int, naive: float, clustered: float
) -> None:
    """Half-widths of 72 runs taken for independent, as published, and clustered by incident."""
    found = trials[model]
    outcomes = [1] * hits + [0] * (72 - hits)
    error = clustered_error(found)

    assert sum(tally.hits for tally in found) == hits
    assert round(1.96 * statistics.stdev(outcomes) / 72**0.5, 3) == naive
    assert error is not None
    assert round(Z * error, 3) == clustered


def test_the_published_trials_have_the_known_chances(trials: dict[str, list[Tally]]) -> None:
    """Haiku 4.5 finds 22 of 24 causes in some of three rounds, and 3 in all of them."""
    haiku = trials["claude-haiku-4.5"]

    assert sum(map(len, trials.values())) == 22 * 24
    assert sum(pass_at_k(tally, 3) or 0 for tally in haiku) == 22
    assert sum(pass_hat_k(tally, 3) or 0 for tally in haiku) == 3
