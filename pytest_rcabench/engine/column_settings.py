"""The settings of a column as typed -> a checked value: ``NAME: key=value, …``."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class ColumnSettings:
    """What ``--rca-column`` says of one column; None is not said.

    *free* says of a program that it costs nothing, so that it runs where the item runs.

    *rpm*, *tpm* and *rpd* count requests a minute, tokens a minute and requests a day, *parallel*
    analyses in flight, *max_tokens* tokens of one answer, *context* those of prompt and answer;
    *usd_in* and *usd_out* are US dollars for a million tokens.
    """

    label: str | None = None
    parallel: int | None = None
    free: bool | None = None
    rpm: int | None = None
    tpm: int | None = None
    rpd: int | None = None
    max_tokens: int | None = None
    context: int | None = None
    effort: str | None = None
    usd_in: float | None = None
    usd_out: float | None = None


KEYS = tuple(field.name for field in fields(ColumnSettings))
FOR_MODELS = tuple(key for key in KEYS if key not in {"label", "parallel", "free"})


def parse_column_settings(values: Iterable[str]) -> dict[str, ColumnSettings]:
    """Return {column: settings} of ``NAME: key=value, …`` texts; a later one adds to an earlier.

    Raises: OptionError: if one of *values* is not that, or a key or value makes no sense.
    """
    texts: dict[str, dict[str, str]] = {}
    for value in values:
        name, colon, rest = value.partition(":")
        pairs = [pair.partition("=") for pair in rest.split(",")]
        if not colon or not all(key.strip() and equals for key, equals, _ in pairs):
            raise OptionError(f'--rca-column {value!r} is not "NAME: key=value, key=value"')
        own = texts.setdefault(name.strip(), {})
        own.update({key.strip(): text.strip() for key, _, text in pairs})
    return {name: _settings(name, own) for name, own in texts.items()}


def check_names(settings: Iterable[str], columns: Sequence[str]) -> None:
    """Raise OptionError where one of *settings* is for none of the *columns*."""
    for name in settings:
        if name not in columns:
            raise OptionError(
                f"--rca-column {name!r}: no such column; the columns are {', '.join(columns)}"
            )


def _settings(name: str, texts: dict[str, str]) -> ColumnSettings:
    values: dict[str, str | int | float | bool] = {}
    for key, text in texts.items():
        if key not in KEYS:
            raise OptionError(
                f"--rca-column {name!r}: unknown setting {key!r}; known: {', '.join(KEYS)}"
            )
        if key in {"label", "effort"}:
            values[key] = text
        elif key == "free":
            values[key] = _switch(name, key, text)
        elif key in {"usd_in", "usd_out"}:
            values[key] = _price(name, key, text)
        else:
            values[key] = _count(name, key, text)
    if ("usd_in" in values) != ("usd_out" in values):
        raise OptionError(f"--rca-column {name!r}: usd_in and usd_out go together")
    return ColumnSettings(**values)  # type: ignore[arg-type]  # each value was made for its key above


def _count(name: str, key: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise OptionError(f"--rca-column {name!r}: {key}={text} is not a whole number from 1 on")
    return int(text)


def _switch(name: str, key: str, text: str) -> bool:
    if text not in {"yes", "no"}:
        raise OptionError(f"--rca-column {name!r}: {key}={text} is neither yes nor no")
    return text == "yes"


def _price(name: str, key: str, text: str) -> float:
    try:
        price = float(text)
    except ValueError:
        price = -1.0
    if not 0 <= price < math.inf:
        raise OptionError(
            f"--rca-column {name!r}: {key}={text} is no price in US dollars a million tokens"
        )
    return price
