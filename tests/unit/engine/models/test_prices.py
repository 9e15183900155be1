"""What a call costs, what it can cost at the most, and that unknown is not free."""

from __future__ import annotations

import tomllib
from datetime import date, timedelta
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_rcabench.engine.models import DEFAULT_MODELS
from pytest_rcabench.engine.models.prices import (
    Price,
    cost_of,
    flat_price,
    most_it_can_cost,
    price_of,
)
from pytest_rcabench.engine.models.wire import TokenUsage

TODAY = date(2026, 11, 30)
MILLION = 1_000_000
ROWS = tomllib.loads(
    files("pytest_rcabench.engine.models").joinpath("prices.toml").read_text("utf-8")
)["price"]


def price(model: str, on: date = TODAY) -> Price:
    """Return a price that is known."""
    found = price_of(model, on)
    assert found is not None
    return found


@pytest.mark.parametrize("model", DEFAULT_MODELS.values())
def test_the_default_models_have_a_price_today_and_next_year(model: str) -> None:
    """Whoever runs the defaults sees what it costs."""
    assert price(model)
    assert price(model, TODAY + timedelta(days=365))


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (TokenUsage(MILLION, 0, 0, 0, 0), 2.0),
        (TokenUsage(0, MILLION, 0, 0, 0), 0.2),
        (TokenUsage(0, 0, MILLION, 0, 0), 2.5),
        (TokenUsage(0, 0, 0, MILLION, 900_000), 10.0),
        (TokenUsage(100_000, 200_000, 300_000, 400_000, 0), 0.2 + 0.04 + 0.75 + 4.0),
        (TokenUsage(0, 0, 0, 0, 0), 0.0),
    ],
)
def test_each_kind_of_token_has_its_own_rate(usage: TokenUsage, cost: float) -> None:
    """What was cached costs less, what was written to the cache more, and thought is output."""
    assert cost_of(price("claude-sonnet-5"), usage) == pytest.approx(cost)


@pytest.mark.parametrize(
    ("day", "cost"),
    [(date(2026, 12, 31), 0.75), (date(2027, 1, 1), 1.5)],
)
def test_a_price_changes_overnight(day: date, cost: float) -> None:
    """The last day of an offer still has it, the next one does not."""
    usage = TokenUsage(MILLION, 0, 0, 0, 0)

    assert cost_of(price("gemini-3.6-flash", day), usage) == pytest.approx(cost)


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (TokenUsage(100_000, 0, 0, MILLION, 0), 0.01 + 0.5),
        (TokenUsage(100_001, 0, 0, MILLION, 0), 0.0500005 + 2.5),
        (TokenUsage(1, 100_000, 0, 0, 0), 0.0000005 + 0.005),
    ],
)
def test_a_long_prompt_makes_every_token_of_its_call_dearer(usage: TokenUsage, cost: float) -> None:
    """The length counts what was cached, and the output pays for it too."""
    assert cost_of(price("claude-haiku-5-5"), usage) == pytest.approx(cost)


@pytest.mark.parametrize("model", ["models/claude-sonnet-5", "claude-sonnet-5-20260630"])
def test_a_model_is_known_by_its_longer_names(model: str) -> None:
    """A snapshot of a model costs what the model costs."""
    assert price(model) == price("claude-sonnet-5")


@pytest.mark.parametrize("model", ["qwen3:8b", "claude-sonnet-9", "gemini-flash-latest", ""])
def test_a_model_that_nobody_listed_has_no_price(model: str) -> None:
    """A guess would be a wrong number, and 0 the worst of all."""
    assert price_of(model, TODAY) is None


def test_what_is_unknown_costs_an_unknown_sum() -> None:
    """Not of the price, not of the usage, and not as a bound."""
    usage = TokenUsage(1, 0, 0, 1, 0)

    assert cost_of(None, usage) is None
    assert cost_of(flat_price(1.0, 2.0), None) is None
    assert most_it_can_cost(None, 10, 10) is None


def test_a_price_of_the_users_own_is_the_same_for_cached_tokens() -> None:
    """Two numbers are all that a column's settings hold."""
    usage = TokenUsage(MILLION, MILLION, MILLION, MILLION, 0)

    assert cost_of(flat_price(1.0, 5.0), usage) == pytest.approx(8.0)


@settings(deadline=None)  # a busy machine is no failure
@given(
    row=st.sampled_from(ROWS),
    parts=st.tuples(*[st.integers(0, 150_000)] * 3),
    spare_bytes=st.integers(0, 10_000),
    output=st.integers(0, 10_000),
    spare_output=st.integers(0, 10_000),
)
def test_no_call_costs_more_than_the_bound(
    row: dict[str, str],
    parts: tuple[int, int, int],
    spare_bytes: int,
    output: int,
    spare_output: int,
) -> None:
    """Whatever is cached, written or long: the ceiling of a run hangs on it."""
    known = price(row["model"])
    usage = TokenUsage(*parts, output, 0)

    cost = cost_of(known, usage)
    most = most_it_can_cost(known, sum(parts) + spare_bytes, output + spare_output)

    assert cost is not None
    assert most is not None
    assert cost <= most


@pytest.mark.parametrize("model", sorted({row["model"] for row in ROWS}))
def test_on_no_day_has_a_model_two_prices_or_none(model: str) -> None:
    """Where one row ends, another begins."""
    rows = [row for row in ROWS if row["model"] == model]
    days = {date(2026, 1, 1), date(2028, 1, 1)} | {
        day + timedelta(days=step)
        for row in rows
        for day in (row.get("first"), row.get("last"))
        if day
        for step in (-1, 0, 1)
    }

    for day in days:
        starts = [tier.from_prompt_tokens for tier in price(model, day).tiers]
        assert starts[0] == 0
        assert len(set(starts)) == len(starts)
