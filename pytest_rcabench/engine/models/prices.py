"""What a call costs: the price of a model on a day, applied to tokens as each vendor bills them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rcabench.engine.models.wire import TokenUsage

_MILLION = 1_000_000
# A vendor puts words of its own around a prompt, more of them where a schema is asked for.
_VENDORS_OWN_TOKENS = 2_000
_SNAPSHOT = re.compile(r"-20\d{6}$")


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars for a million tokens, for prompts of *from_prompt_tokens* and more."""

    input: float
    cached: float
    cache_write: float
    output: float
    from_prompt_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs: *tiers* by length of the prompt, the first of them from 0 tokens on."""

    tiers: tuple[Rates, ...]


def price_of(model: str, on: date) -> Price | None:
    """Return what *model* costs on a day, None where that is unknown.

    A dated snapshot (``…-20260630``) costs what its model costs.
    """
    name = _SNAPSHOT.sub("", model.removeprefix("models/"))
    table = tomllib.loads(files(__package__).joinpath("prices.toml").read_text("utf-8"))
    tiers = [
        Rates(
            input=row["input"],
            cached=row.get("cached", row["input"]),
            cache_write=row.get("cache_write", row["input"]),
            output=row["output"],
            from_prompt_tokens=row.get("from_prompt_tokens", 0),
        )
        for row in table["price"]
        if row["model"] == name and row.get("first", date.min) <= on <= row.get("last", date.max)
    ]
    tiers.sort(key=lambda rates: rates.from_prompt_tokens)
    return Price(tuple(tiers)) if tiers else None


def flat_price(usd_in: float, usd_out: float) -> Price:
    """Return the price of *usd_in* and *usd_out* for a million tokens, whatever the cache says."""
    return Price((Rates(usd_in, usd_in, usd_in, usd_out),))


def cost_of(price: Price | None, usage: TokenUsage | None) -> float | None:
    """Return what a call cost in US dollars, None where price or usage is unknown.

    Thought is billed as output, and is part of it.
    """
    if price is None or usage is None:
        return None
    rates = [rates for rates in price.tiers if usage.input >= rates.from_prompt_tokens][-1]
    return (
        usage.input_uncached * rates.input
        + usage.input_cached * rates.cached
        + usage.cache_write * rates.cache_write
        + usage.output * rates.output
    ) / _MILLION


def most_it_can_cost(
    price: Price | None, prompt_bytes: int, max_output_tokens: int
) -> float | None:
    """Return a bound in US dollars that no call passes, None where the price is unknown.

    *prompt_bytes* is all that is sent as UTF-8: instructions, evidence and schema. No token is
    shorter than a byte, so the bound is a few times too high; what a call cost is known after it.
    """
    if price is None:
        return None
    tokens = prompt_bytes + _VENDORS_OWN_TOKENS
    return max(
        (tokens * max(rates.input, rates.cache_write) + max_output_tokens * rates.output) / _MILLION
        for rates in price.tiers
        if tokens >= rates.from_prompt_tokens
    )
