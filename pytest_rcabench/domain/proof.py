"""How well a claim about a run is proved: the five words, and what git tells of one incident."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

ProofWord: TypeAlias = Literal["proved", "witnessed", "stated", "unproved", "broken"]

PROOF_WORDS: tuple[ProofWord, ...] = ("proved", "witnessed", "stated", "unproved", "broken")
"""From the best to the worst.

*proved* by hash and ancestry; *witnessed* by a clock that is not the author's; *stated* by the
author, and nothing contradicts it; *unproved*, for what would show it is not there; *broken*.
"""


CLOCKS_DIFFER = timedelta(minutes=10)
"""Two machines' clocks may be apart by this much before their times contradict each other."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that is said about a run, and how well that is proved; *why* is for the reader."""

    about: str
    word: ProofWord
    why: str


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a witness of a seal is worth; *at* is its own time, RFC 3339 in UTC, or empty."""

    word: ProofWord
    why: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit and the time that its committer wrote on it, RFC 3339 in UTC."""

    sha: str
    at: str

    def __str__(self) -> str:
        """Show the commit as ``0123456789ab (2026-11-30T09:30:00Z)``."""
        return f"{self.sha[:12]} ({self.at})"


@dataclass(frozen=True, slots=True)
class Trail:
    """What git tells of one incident, seen from *at*, the commit of a run.

    *added* is the commit that added the file, *changed* the last one before the run that changed it
    since, if any. *then* and *now* are blob ids, empty where there was or is no such file.
    *is_what_ran* says that evidence and truth of *then* are those of the run, *is_same_now* that
    those of *now* are too. *later* is the commit that first held what ran, where that came only
    after the run. *edits* [n] changed the file since. *came_back* is the commit that took it out of
    the tuned set, *moved* the one that put it there. *older_than_prompt* is None where the prompt's
    source is not in this repository.
    """

    incident: str
    at: Commit
    path: str
    then: str = ""
    now: str = ""
    added: Commit | None = None
    changed: Commit | None = None
    is_what_ran: bool = False
    is_same_now: bool = False
    later: Commit | None = None
    edits: tuple[Commit, ...] = ()
    came_back: Commit | None = None
    moved: Commit | None = None
    older_than_prompt: bool | None = None


def is_later(time: str, than: str) -> bool:
    """Return whether *time* is later *than* the other by more than clocks differ, both RFC 3339.

    What is no time contradicts nothing.
    """
    try:
        one, other = (datetime.fromisoformat(text) for text in (time, than))
    except ValueError:
        return False
    return _aware(one) - _aware(other) > CLOCKS_DIFFER


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)
