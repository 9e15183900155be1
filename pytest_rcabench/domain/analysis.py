"""An analysis as a value: the issues a system would open, and the faults an answer can have."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Literal, TypeAlias

FaultName: TypeAlias = Literal[
    "refused",
    "truncated",
    "empty",
    "not_json",
    "invalid",
    "crashed",
    "deadline",
    "oversize",
    "server_error",
]


class Severity(enum.IntEnum):
    """The harm that a cause does, in rising order."""

    INFO = 0
    WARNING = 1
    ERROR = 2
    CRITICAL = 3

    @property
    def word(self) -> str:
        """The severity as it is written in an answer."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Issue:
    """One root cause that a system would open an issue for; symptoms and victims go inside it."""

    title: str
    severity: Severity
    service: str
    cause: str
    commits: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer took, in tokens and US dollars; None where nobody said, which is not zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerFault:
    """Why an answer cannot be read, where the system that gave it is to blame."""

    name: FaultName
    detail: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request for an answer: how long it was open, and how it ended ("ok", "429", …)."""

    latency_s: float
    outcome: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a system answered for one window.

    *issues* stand in the order given. *fault* is set when the answer could not be read, and then
    *issues* is empty. *repairs* says what had to be mended to read it, *left_out* what of the
    window was not shown. *reply* is the raw answer, kept so that it can be scored again.
    """

    issues: tuple[Issue, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Usage = Usage()
    fault: AnswerFault | None = None
    repairs: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    reply: str = ""
    attempts: tuple[Attempt, ...] = ()

    @property
    def latency_s(self) -> float:
        """The time that the requests were open, without waits between them, in seconds."""
        return sum(attempt.latency_s for attempt in self.attempts)
