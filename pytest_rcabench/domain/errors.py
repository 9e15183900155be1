"""The few errors of this package: a user's mistake or a missing answer, never a bug of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rcabench.domain.analysis import Attempt


class RcabenchError(Exception):
    """Parent of every error that is told to the user without a traceback."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong at one place of a file; *line* and *column* count from 1."""

    path: str
    line: int
    column: int
    where: str
    what: str

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        return f"{self.path}:{self.line}:{self.column}: {where}{self.what}"


class IncidentError(RcabenchError):
    """An incident file cannot be used; *problems* holds all that is wrong, in file order."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class OptionError(RcabenchError):
    """An option, ini value or provider spec makes no sense; one line says what to do."""


class RecordError(RcabenchError):
    """A run record or results file cannot be read, written or continued."""


class Unmeasured(RcabenchError):  # noqa: N818 - the contract's word for this outcome, which is no fault of anybody's
    """There is no answer and the system under test is not to blame, so there is nothing to score.

    *reason* is one of the contract's words (``rate limit``, ``quota``, ``authentication``, ``bad
    request``, ``server error``, ``network``, ``deadline``, ``budget``, ``interrupted``, ``set-up``,
    ``declined``); *detail* is one line for the reader, already free of secrets.
    """

    def __init__(self, reason: str, detail: str = "", attempts: tuple[Attempt, ...] = ()) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
        self.attempts = attempts
