"""What this run was told to do, checked once: texts in, one frozen value out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.column_settings import parse_column_settings
from pytest_rcabench.engine.columns import Column, build_columns, parse_specs
from pytest_rcabench.engine.pacing import Ceiling
from pytest_rcabench.engine.systems.replay import Replay
from pytest_rcabench.files.baseline import read_baseline
from pytest_rcabench.files.results import read_results, results_file
from pytest_rcabench.files.writing import refuse_unwritable
from pytest_rcabench.reports.baseline import refuse_verdicts_alone
from pytest_rcabench.reports.html import require_jinja2

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pytest

    from pytest_rcabench.domain.run import Results

_Default = TypeVar("_Default", float, None)
FailOn: TypeAlias = Literal["half", "wrong", "regression", "never"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of one run; paths are absolute.

    *replayed* is the run whose answers are taken, *replayed_from* the file that holds it.
    *baseline* holds the runs that this one is held against.
    """

    columns: tuple[Column, ...]
    rounds: int
    set: str
    concurrency: int
    record: Path
    json: Path | None
    markdown: Path | None
    html: Path | None
    fail_on: FailOn
    ceiling: Ceiling
    is_resumed: bool = False
    replayed: Results | None = None
    replayed_from: Path | None = None
    baseline: tuple[Results, ...] = ()

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

    Raises: OptionError; RecordError: if a run to replay or hold against cannot be read, or a report
    not written.
    """
    if given["--rca-html"]:
        require_jinja2("--rca-html")
    replay = given["--rca-replay"]
    replayed_from = _replayed_from(config, replay) if replay else None
    replayed = read_results(replayed_from) if replayed_from else None
    fail_on = _fail_on(given)
    rounds = _count("--rca-repeat", given["--rca-repeat"], 1)
    if replayed and config.option.rca_repeat is None:
        rounds = max((cell.key.round for cell in replayed.cells), default=1)
    if given["--rca-resume"] and replay:
        raise OptionError(
            "--rca-resume and --rca-replay do not go together: one asks, one does not"
        )
    ceiling = Ceiling(_number("--rca-max-cost", given["--rca-max-cost"], None, "US dollars"))
    return Settings(
        columns=_replayed(config, replayed) if replayed else _columns(config, given, ceiling),
        rounds=rounds,
        set=given["--rca-set"] or "all",
        concurrency=_count("--rca-concurrency", given["--rca-concurrency"], 8),
        record=_path(config, given["--rca-record"] or ".rcabench"),
        json=_report_path(config, given["--rca-json"]),
        markdown=_report_path(config, given["--rca-markdown"]),
        html=_report_path(config, given["--rca-html"]),
        fail_on=fail_on,
        ceiling=ceiling,
        is_resumed=bool(given["--rca-resume"]),
        replayed=replayed,
        replayed_from=replayed_from,
        baseline=_baseline(config, given["--rca-baseline"] or ()),
    )


def _fail_on(given: Mapping[str, Any]) -> FailOn:
    chosen: FailOn | None = given["--rca-fail-on"]
    if chosen == "regression" and not given["--rca-baseline"]:
        raise OptionError(
            "--rca-fail-on=regression has nothing to hold this run against; name earlier results "
            "with --rca-baseline"
        )
    if chosen:
        return chosen
    if given["--rca-baseline"]:
        return "regression"
    return "half" if given["--rca-provider"] or given["--rca-replay"] else "never"


def _baseline(config: pytest.Config, paths: Sequence[str]) -> tuple[Results, ...]:
    """Return the runs to hold this one against; a worker of pytest-xdist compares nothing."""
    if hasattr(config, "workerinput"):
        return ()
    runs = read_baseline(paths, config.invocation_params.dir)
    refuse_verdicts_alone(runs)
    return runs


def _columns(
    config: pytest.Config, given: Mapping[str, Any], ceiling: Ceiling
) -> tuple[Column, ...]:
    specs = parse_specs(given["--rca-provider"] or ["heuristic"], os.environ)
    settings = parse_column_settings(given["--rca-column"] or [])
    if config.option.rca_column is None:
        # The ini file may know more columns than this run has; on the command line it is a slip.
        names = {spec.name for spec in specs}
        settings = {name: own for name, own in settings.items() if name in names}
    return build_columns(
        specs,
        settings=settings,
        label=given["--rca-label"] or "",
        timeout_s=_number("--rca-timeout", given["--rca-timeout"], 300.0, "seconds"),
        ceiling=ceiling,
        environ=os.environ,
        custom=lambda spec: config.hook.pytest_rca_analyzer(config=config, spec=spec),
    )


def _replayed_from(config: pytest.Config, path: str) -> Path:
    """Return the file that *path* stands for; a worker of pytest-xdist takes its controller's word.

    When it begins, this run may have a record too, which would be the newest one below *path*.
    """
    told = getattr(config, "workerinput", {}).get("rca_replayed_from")
    return Path(told) if told else results_file(_path(config, path))


def _replayed(config: pytest.Config, results: Results) -> tuple[Column, ...]:
    """Return the columns of *results*, or those of them that the command line names.

    The ini file's provider does not count: it says what a run asks, not which run is replayed.
    """
    names = [column.name for column in results.columns]
    wanted = [spec.name for spec in parse_specs(config.option.rca_provider or names, os.environ)]
    for name in wanted:
        if name not in names:
            raise OptionError(
                f"--rca-provider: the run to replay has no column {name!r}; "
                f"it has {', '.join(names)}"
            )
    return tuple(
        Column(
            column.name,
            column.provider,
            column.model,
            column.label,
            Replay(results, column.name),
        )
        for column in results.columns
        if column.name in wanted
    )


def _path(config: pytest.Config, text: str) -> Path:
    return config.invocation_params.dir / text


def _report_path(config: pytest.Config, text: str | None) -> Path | None:
    if text is None:
        return None
    path = _path(config, text)
    refuse_unwritable(path)  # at the end of a run it would be too late
    return path


def _count(flag: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise OptionError(f"{flag}={text} is not a whole number from 1 on")
    return int(text)


def _number(flag: str, text: str | None, default: _Default, unit: str) -> float | _Default:
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise OptionError(f"{flag}={text} is not a number of {unit} above 0")
    return number
