"""A provider spec as typed -> a column: a name, a system under test, and what the head says."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.column_settings import FOR_MODELS, ColumnSettings, check_names
from pytest_rcabench.engine.model_columns import ModelColumns, default_name
from pytest_rcabench.engine.protocols import Analyzer
from pytest_rcabench.engine.redaction import redact
from pytest_rcabench.engine.systems.command import CommandSystem
from pytest_rcabench.engine.systems.controls import control
from pytest_rcabench.engine.systems.heuristic import Heuristic
from pytest_rcabench.engine.systems.http import HttpSystem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.engine.pacing import Ceiling

BUILT_IN = (
    "heuristic",
    "gemini[:MODEL]",
    "claude[:MODEL]",
    "control:NAME",
    "command:CMDLINE",
    "http:URL",
    "https:URL",
)

_NAMED = re.compile(r"(?P<name>[^=:,\s]+)=(?P<spec>.*)", re.DOTALL)
_SLUG = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_ONE_SPEC = ("command:", "http:", "https:")


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """One ``--rca-provider``, taken apart.

    *name* is the column's slug, *provider* and *argument* stand before and after ``:``. *shown* is
    the spec without its secrets.
    """

    name: str
    provider: str
    argument: str
    shown: str

    @property
    def text(self) -> str:
        """The spec as it was typed, without the name; it may hold secrets, *shown* does not."""
        return f"{self.provider}:{self.argument}" if self.argument else self.provider


@dataclass(frozen=True, slots=True)
class Column:
    """One system that is asked for every incident in every round.

    *parallel* bounds its analyses in flight, *settings* hold what else decides about its answers.
    """

    name: str
    provider: str
    model: str
    label: str
    analyzer: Analyzer
    parallel: int | None = None
    settings: Mapping[str, JSON] = field(default_factory=dict)


def parse_specs(values: Iterable[str], environ: Mapping[str, str]) -> tuple[ColumnSpec, ...]:
    """Return the columns that *values* ask for, in order; *environ* tells which texts are secret.

    Raises: OptionError: for an empty spec, a missing or ill-formed name, or two columns of one
    name.
    """
    specs = tuple(_parse_spec(text, environ) for value in values for text in _split(value))
    seen: dict[str, ColumnSpec] = {}
    for spec in specs:
        if other := seen.get(spec.name):
            raise OptionError(
                f"two columns are called {spec.name!r} ({other.shown} and {spec.shown}); "
                f"give one of them another name: --rca-provider NAME={spec.shown}"
            )
        seen[spec.name] = spec
    return specs


def build_columns(
    specs: Sequence[ColumnSpec],
    *,
    settings: Mapping[str, ColumnSettings],
    label: str,
    timeout_s: float,
    ceiling: Ceiling,
    environ: Mapping[str, str],
    custom: Callable[[str], Analyzer | None],
) -> tuple[Column, ...]:
    """Return the columns of *specs*; *custom* is asked for every provider that is not built in.

    Raises: OptionError: for an unknown provider, control, column or setting, or a program that
    cannot be found.
    """
    check_names(settings, [spec.name for spec in specs])
    models = ModelColumns(environ, ceiling, timeout_s)
    columns = []
    for spec in specs:
        own = settings.get(spec.name, ColumnSettings())
        _check_free(spec, own)
        if default_name(spec.provider):
            one_shot = models.analyzer(spec.name, spec.provider, spec.argument, own)
            analyzer: Analyzer = one_shot
            model, decided = one_shot.model.name, one_shot.settings
        else:
            _refuse_model_settings(spec, own)
            analyzer = _analyzer(spec, timeout_s, environ, custom, is_free=bool(own.free))
            model, decided = "", {"spec": spec.shown}
        columns.append(
            Column(
                name=spec.name,
                provider=spec.provider,
                model=model,
                label=label if own.label is None else own.label,
                analyzer=analyzer,
                parallel=own.parallel,
                settings=decided,
            )
        )
    return tuple(columns)


def _split(value: str) -> list[str]:
    if any(mark in value for mark in _ONE_SPEC):
        return [value]
    return value.split(",")


def _parse_spec(text: str, environ: Mapping[str, str]) -> ColumnSpec:
    text = text.strip()
    named = _NAMED.fullmatch(text)
    name, spec = (named["name"], named["spec"].strip()) if named else ("", text)
    provider, _, argument = spec.partition(":")
    argument = argument.strip()
    shown = redact(spec, environ)
    if not provider:
        raise OptionError(
            f"--rca-provider {text!r} names no provider; known: {', '.join(BUILT_IN)}"
        )
    if not name:
        if f"{provider}:" in _ONE_SPEC:
            raise OptionError(f"--rca-provider {shown!r} needs a name for its column: NAME={shown}")
        name = _slug(argument or default_name(provider) or provider)
    if not _SLUG.fullmatch(name):
        raise OptionError(
            f"--rca-provider: {name!r} cannot name a column; use lower-case letters, digits and "
            ". _ - between them"
        )
    return ColumnSpec(name, provider, argument, shown)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("._-")


def _analyzer(
    spec: ColumnSpec,
    timeout_s: float,
    environ: Mapping[str, str],
    custom: Callable[[str], Analyzer | None],
    *,
    is_free: bool,
) -> Analyzer:
    match spec.provider:
        case "heuristic" if not spec.argument:
            return Heuristic()
        case "control":
            return control(spec.argument)
        case "command":
            program = CommandSystem(spec.argument, environ, timeout_s=timeout_s, is_free=is_free)
            program.check()
            return program
        case "http" | "https":
            login = environ.get("RCA_HTTP_AUTHORIZATION", "")
            return HttpSystem(spec.text, environ, authorization=login, timeout_s=timeout_s)
    analyzer = custom(spec.text)
    if analyzer is None:
        guess = difflib.get_close_matches(
            spec.provider, [re.split(r"[:\[]", known)[0] for known in BUILT_IN], 1
        )
        hint = f"; did you mean {guess[0]!r}?" if guess else ""
        raise OptionError(
            f"--rca-provider {spec.shown!r}: unknown provider; known: {', '.join(BUILT_IN)}, "
            f"and what a conftest's pytest_rca_analyzer hook returns{hint}"
        )
    if not isinstance(analyzer, Analyzer):
        raise OptionError(
            f"--rca-provider {spec.shown!r}: the pytest_rca_analyzer hook returned a "
            f"{type(analyzer).__name__}, which has no is_free or no analyze(evidence)"
        )
    return analyzer


def _refuse_model_settings(spec: ColumnSpec, settings: ColumnSettings) -> None:
    for key in FOR_MODELS:
        if getattr(settings, key) is not None:
            raise OptionError(
                f"--rca-column {spec.name!r}: {key} is for columns that ask a model; "
                f"{spec.provider} is none"
            )


def _check_free(spec: ColumnSpec, settings: ColumnSettings) -> None:
    if settings.free is not None and spec.provider != "command":
        raise OptionError(
            f"--rca-column {spec.name!r}: free is for columns of command:; leave it out, "
            f"{spec.provider} says itself whether it is"
        )
    if settings.free and settings.parallel is not None:
        raise OptionError(
            f"--rca-column {spec.name!r}: a free column runs where its items run; leave out "
            "parallel, and choose the number of workers with -n"
        )
