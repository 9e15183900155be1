"""Columns that ask a model: what they share, and what each of them was told."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.models import DEFAULT_MODELS, EFFORTS, build_model
from pytest_rcabench.engine.models.prices import flat_price, price_of
from pytest_rcabench.engine.one_shot import OneShot, Prompts, Room
from pytest_rcabench.engine.pacing import Limits, Pacer
from pytest_rcabench.engine.prompt import SMALLEST_BUDGET

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rcabench.engine.column_settings import ColumnSettings
    from pytest_rcabench.engine.models.prices import Price
    from pytest_rcabench.engine.pacing import Ceiling

# Room for thinking, which both vendors count as output, and for an answer of a few issues.
MAX_OUTPUT_TOKENS = 16_384


class ModelColumns:
    """Makes the analysers of columns that ask a model.

    Columns of one provider and model share their limits: the quota is the key's and not the
    column's. All share *ceiling*.
    """

    def __init__(self, environ: Mapping[str, str], ceiling: Ceiling, timeout_s: float) -> None:
        self._environ = environ
        self._ceiling = ceiling
        self._timeout_s = timeout_s
        self._prompts = Prompts()
        self._pacers: dict[tuple[str, str], tuple[str, Pacer]] = {}

    def analyzer(
        self, column: str, provider: str, argument: str, settings: ColumnSettings
    ) -> OneShot:
        """Return the analyser of a column of *provider* and the model that *argument* names.

        Raises: OptionError: for a missing key or SDK, an unknown effort, a context that holds no
        question, limits that contradict another column's, or a price that the ceiling needs and
        nobody knows.
        """
        effort = settings.effort or ""
        if effort and effort not in EFFORTS[provider]:
            raise OptionError(
                f"--rca-column {column!r}: effort={effort} is unknown to {provider}; "
                f"known: {', '.join(EFFORTS[provider])}"
            )
        room = _room(column, settings)
        model = build_model(provider, argument, self._environ)
        return OneShot(
            model,
            self._pacer(column, provider, model.name, settings),
            self._prompts,
            price=self._price(column, model.name, settings),
            room=room,
            effort=effort,
            timeout_s=self._timeout_s,
        )

    def _pacer(self, column: str, provider: str, model: str, settings: ColumnSettings) -> Pacer:
        limits = Limits(settings.rpm, settings.tpm, settings.rpd)
        if (provider, model) not in self._pacers:
            zone = day_zone(provider)
            pacer = Pacer(
                limits,
                self._ceiling,
                clock=time.monotonic,
                today=lambda: datetime.now(zone).date(),
            )
            self._pacers[provider, model] = column, pacer
        first, pacer = self._pacers[provider, model]
        if pacer.limits == Limits():
            pacer.limits = limits
        elif limits not in {pacer.limits, Limits()}:
            raise OptionError(
                f"--rca-column {column!r}: {first!r} asks the same model and so has the same "
                "rpm, tpm and rpd; set them for one of the two"
            )
        return pacer

    def _price(self, column: str, model: str, settings: ColumnSettings) -> Price | None:
        if settings.usd_in is not None and settings.usd_out is not None:
            return flat_price(settings.usd_in, settings.usd_out)
        price = price_of(model, datetime.now(UTC).date())
        if price is None and self._ceiling.limit is not None:
            raise OptionError(
                f"--rca-max-cost: nobody knows the price of {model}; say it: "
                f'--rca-column "{column}: usd_in=…, usd_out=…" (US dollars a million tokens)'
            )
        return price


def default_name(provider: str) -> str:
    """Return the model that *provider* means by itself; empty if it is no provider of models."""
    return DEFAULT_MODELS.get(provider, "")


def day_zone(provider: str) -> tzinfo:
    """Return the zone whose midnight ends a provider's day.

    Source: ai.google.dev/gemini-api/docs/rate-limits: requests a day reset at midnight Pacific.
    """
    if provider != "gemini":
        return UTC
    try:
        return ZoneInfo("America/Los_Angeles")
    except ZoneInfoNotFoundError:  # a container without time zones; off by an hour in summer
        return timezone(timedelta(hours=-8))


def _room(column: str, settings: ColumnSettings) -> Room:
    """Return the room for prompt and answer. Raises: OptionError: if the context has none."""
    context = settings.context
    if context is None:
        return Room(settings.max_tokens or MAX_OUTPUT_TOKENS)
    answer = settings.max_tokens or min(MAX_OUTPUT_TOKENS, context // 4)
    if context - answer < SMALLEST_BUDGET:
        raise OptionError(
            f"--rca-column {column!r}: context={context} less {answer} for the answer leaves no "
            f"room for a prompt, which takes at least {SMALLEST_BUDGET}; raise context or lower "
            "max_tokens"
        )
    return Room(answer, context - answer)
