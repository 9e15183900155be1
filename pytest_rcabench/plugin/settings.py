"""What this run was told to do, checked once: texts in, one frozen value out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.columns import Column, build_columns, parse_column_settings, parse_specs

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

FailOn: TypeAlias = Literal["half", "wrong", "regression", "never"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of one run; paths are absolute."""

    columns: tuple[Column, ...]
    rounds: int
    set: str
    concurrency: int
    record: Path
    json: Path | None
    markdown: Path | None
    fail_on: FailOn

    @property
    def failing(self) -> frozenset[str]:
        """The verdicts that fail an item."""
        return {"half": frozenset({"half", "wrong"}), "wrong": frozenset({"wrong"})}.get(
            self.fail_on, frozenset()
        )

    @property
    def unmeasured_is_an_error(self) -> bool:
        """Whether a missing answer is an error; else it is a skip."""
        return self.fail_on in {"half", "wrong"}


def settings_from(config: pytest.Config, given: Mapping[str, Any]) -> Settings:
    """Return the settings that *given* (flag -> text, list of texts or None) means.

    Raises: OptionError.
    """
    specs = parse_specs(given["--rca-provider"] or ["heuristic"], os.environ)
    chosen = bool(given["--rca-provider"])
    replay = given["--rca-replay"]
    timeout_s = _number("--rca-timeout", given["--rca-timeout"], 300.0)
    fail_on = given["--rca-fail-on"] or ("half" if chosen or replay else "never")
    if fail_on == "regression":
        raise OptionError("--rca-fail-on=regression needs a baseline to hold this run against")
    columns = build_columns(
        specs,
        settings=parse_column_settings(given["--rca-column"] or []),
        label=given["--rca-label"] or "",
        timeout_s=timeout_s,
        environ=os.environ,
        custom=lambda spec: config.hook.pytest_rca_analyzer(config=config, spec=spec),
    )
    return Settings(
        columns=columns,
        rounds=_count("--rca-repeat", given["--rca-repeat"], 1),
        set=given["--rca-set"] or "all",
        concurrency=_count("--rca-concurrency", given["--rca-concurrency"], 8),
        record=_path(config, given["--rca-record"] or ".rcabench"),
        json=_path(config, given["--rca-json"]) if given["--rca-json"] else None,
        markdown=_path(config, given["--rca-markdown"]) if given["--rca-markdown"] else None,
        fail_on=fail_on,
    )


def _path(config: pytest.Config, text: str) -> Path:
    return config.invocation_params.dir / text


def _count(flag: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise OptionError(f"{flag}={text} is not a whole number from 1 on")
    return int(text)


def _number(flag: str, text: str | None, default: float) -> float:
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise OptionError(f"{flag}={text} is not a number of seconds above 0")
    return number
