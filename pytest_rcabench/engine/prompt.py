"""The text that the built-in analyser sends for a window: instructions, then evidence."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import resources
from itertools import count
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import format_time
from pytest_rcabench.domain.scoring import digest_of
from pytest_rcabench.engine.prompt_instructions import INSTRUCTIONS
from pytest_rcabench.engine.prompt_logs import LogText
from pytest_rcabench.engine.prompt_sections import (
    alert_section,
    change_section,
    metric_section,
    trace_section,
)
from pytest_rcabench.engine.prompt_text import Section, clock_of, sized, thinned

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import Evidence

PROMPT_MODULES = (
    "prompt.py",
    "prompt_instructions.py",
    "prompt_logs.py",
    "prompt_sections.py",
    "prompt_text.py",
)
"""All source that decides what a model is sent for a window."""

CHARACTERS_A_TOKEN = Fraction("2.4")
"""An estimate: no vendor's tokens can be counted offline, and logs take more of them than prose.

Source: the shipped windows, where SmolLM2, which takes digits one by one, has 1.7 to 2.4 a token.
"""

DEFAULT_BUDGET = 150_000
"""Tokens that a model of 200,000 holds beside a long answer."""

SMALLEST_BUDGET = 4_000
"""Tokens; the instructions take a good part of them."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent: *system* is the same for all windows, *text* holds the evidence.

    *left_out* [n] says what the budget had no room for; *text* says the same. *estimated_tokens* is
    of both texts, by their length.
    """

    system: str
    text: str
    left_out: tuple[str, ...]
    estimated_tokens: int


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much is shown: characters of an entry and of a diff, all metric values, all entries."""

    limit: int = 8_000
    diff_limit: int = 100_000
    has_all_values: bool = True
    may_drop: bool = False


_FRAME = 3_000  # characters around the entries: titles, fences, what was left out
# From the least loss to the most; log lines that repeat are folded before the first of them.
_DETAILS = (
    _Detail(),
    _Detail(has_all_values=False),
    _Detail(600, has_all_values=False),
    _Detail(600, 2_000, has_all_values=False),
    _Detail(600, 300, has_all_values=False),
    _Detail(300, 300, has_all_values=False, may_drop=True),
)


def render(evidence: Evidence, *, budget_tokens: int = DEFAULT_BUDGET) -> Prompt:
    """Return the request to analyse *evidence*, of at most *budget_tokens* estimated tokens.

    Raises: ValueError: if the budget is below `SMALLEST_BUDGET`.
    """
    if budget_tokens < SMALLEST_BUDGET:
        raise ValueError(
            f"a budget of {budget_tokens} tokens has no room for evidence; "
            f"give at least {SMALLEST_BUDGET}"
        )
    room = int(budget_tokens * CHARACTERS_A_TOKEN) - len(INSTRUCTIONS)
    logs = LogText(evidence)
    for detail in _DETAILS:
        text, left_out = _text(evidence, logs, detail, room)
        if len(text) <= room:
            break
    characters = len(INSTRUCTIONS) + len(text)
    return Prompt(INSTRUCTIONS, text, left_out, math.ceil(characters / CHARACTERS_A_TOKEN))


@cache
def prompt_digest() -> str:
    """Return the sha256 of all source that makes a prompt, as 64 hex digits."""
    folder = resources.files("pytest_rcabench.engine")
    return digest_of({name: folder.joinpath(name).read_bytes() for name in PROMPT_MODULES})


def _text(
    evidence: Evidence, logs: LogText, detail: _Detail, room: int
) -> tuple[str, tuple[str, ...]]:
    """Return the evidence in *detail*, its logs folded to fit *room*, and what was left out."""
    clock = clock_of(evidence.window)
    sections = [
        alert_section(evidence.alerts, clock, detail.limit),
        change_section(evidence.changes, clock, detail.limit, diff_limit=detail.diff_limit),
        metric_section(evidence.metrics, clock, detail.limit, is_whole=detail.has_all_values),
        trace_section(evidence.traces, clock, detail.limit),
    ]
    room -= _FRAME
    if detail.may_drop:
        sections = _shrunk(sections, room // 2)
    room -= sum(len(section.text) for section in sections)
    sections += logs.sections(detail.limit, room, may_drop=detail.may_drop)
    left_out = tuple(note for section in sections for note in section.left_out)
    return _framed(evidence, "\n".join(section.text for section in sections), left_out), left_out


def _shrunk(sections: list[Section], room: int) -> list[Section]:
    """Return *sections* in *room* characters: small ones whole, entries dropped from large ones."""
    shrunk: dict[str, Section] = {}
    by_size = sorted(sections, key=lambda section: len(section.text))
    for waiting, section in zip(range(len(by_size), 0, -1), by_size, strict=True):
        kept = thinned(section.entries, room // waiting - sized(section.title))
        gone = len(section.entries) - len(kept)
        note = f"{gone:,} of {len(section.entries):,} entries below {section.title.split()[0]}"
        shrunk[section.title] = replace(
            section,
            entries=tuple(section.entries[index] for index in kept),
            left_out=section.left_out + ((note,) if gone else ()),
        )
        room -= len(shrunk[section.title].text)
    return [shrunk[section.title] for section in sections]


def _framed(evidence: Evidence, body: str, left_out: tuple[str, ...]) -> str:
    """Return *body* between fences that do not occur in it, below what has to be known about it."""
    digest = hashlib.sha256(body.encode()).hexdigest()
    tokens = (hashlib.sha256(f"{digest} {n}".encode()).hexdigest()[:16] for n in count())
    fence = next(f"evidence-{token}" for token in tokens if token not in body)
    shortened = (
        "Left out to save room:\n" + "\n".join(f"- {note}" for note in left_out)
        if left_out
        else "Nothing was left out."
    )
    start, end = format_time(evidence.window.start), format_time(evidence.window.end)
    return (
        f"The window is {start} to {end}. The evidence stands between <{fence}> and </{fence}>.\n"
        f"{shortened}\n\n<{fence}>\n{body}</{fence}>\n\nAnswer with the JSON object.\n"
    )
