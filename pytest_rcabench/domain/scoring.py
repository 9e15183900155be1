"""FROZEN with the set: what an analysis is worth. (analysis, incident) -> Verdict, pure and deterministic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import CheckName, Incident

Mark: TypeAlias = Literal["pass", "half", "wrong"]


@dataclass(frozen=True, slots=True)
class Check:
    """One question the scorer asked; *passed* is None where it is not judged, *detail* says why in one line."""

    name: CheckName
    passed: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an analysis is worth, and why.

    *fault* names what kept the answer from being read, or is empty. *right_cause_ranked* is the place, from 1, of
    the first issue that meets every root-cause check, for readers only: it never enters *mark*.
    """

    mark: Mark
    checks: tuple[Check, ...]
    fault: str = ""
    right_cause_ranked: int | None = None


def score(analysis: Analysis, incident: Incident) -> Verdict:
    """Return the verdict on *analysis*."""
    raise NotImplementedError


def scorer_digest() -> str:
    """Return the sha256 of all source between a raw reply and a verdict, as 64 hex digits."""
    raise NotImplementedError
