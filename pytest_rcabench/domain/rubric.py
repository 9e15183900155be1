"""FROZEN with the scorer: does a text claim what a rubric asks for, and nothing it forbids?

Words are matched, never meaning: a phrase found in a clause counts unless the clause takes it back.
The rules stand in docs/reference/scorer.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from pytest_rcabench.domain.denial import (
    is_denied,
    is_guess,
    is_option,
    is_subordinate,
    is_undecided,
    is_unsure,
)
from pytest_rcabench.domain.words import clauses_of, words_of

Groups: TypeAlias = tuple[tuple[str, ...], ...]

MAX_WORDS = 80
MAX_CHARS = 4_000
MAX_GAP = 2
MIN_TELLING = 2
# A text of so many clauses with so few words in each is a list of words, and so is one of so many
# words with so small a share of those that hold a sentence together.
MANY_CLAUSES = 12
FEW_WORDS = 3.5
MANY_WORDS = 40
SMALL_SHARE = 0.08
SENTENCE_WORDS = 4
# A reader wants the drift of a group, not its sixty spellings.
SHOWN = 5
MAX_DETAIL = 180

# Lists without blanks count word by word too.
_WORD = re.compile(r"[^\s,;/|]+")
_SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?](?!\s)[^.!?\n]*)*(?:[.!?]\s+|\n\s*)(?=\S)")
# "is too small" is said as "was too small" and "too small" as well.
_FILLERS = frozenset({"a", "an", "the", "is", "are", "was", "were", "be", "been", "has", "have"})
_SMALL = "of to in on at by for from with as do does did it its that this when after so not"
_GLUE = _FILLERS | set(_SMALL.split())
_NEVER = "(?:not|never|no longer|nor|nobody|nothing)"
_GAP = rf"(?: (?!(?:not|never|no|without)\b)[^\W_]+){{0,{MAX_GAP}}} "


@dataclass(frozen=True, slots=True)
class RubricResult:
    """Whether a text meets a rubric; *detail* quotes what decided it, for readers."""

    met: bool
    detail: str


# Rounds and controls give the same text again and again; the answer to it never changes.
@lru_cache(maxsize=1024)
def meets(title: str, cause: str, groups: Groups, must_not: tuple[str, ...] = ()) -> RubricResult:
    """Return whether *title* and *cause* claim a phrase of each group, and none of *must_not*.

    Only their first 80 words are read, the title's first.
    """
    broken, whole = _clauses(title, cause)
    clauses = broken + whole
    if _is_word_list(broken):
        # A log line that is quoted behind a sentence looks like a list; the sentence still counts.
        sentence = _SENTENCE.match(cause[:MAX_CHARS])
        if sentence and len(sentence[0].split()) >= SENTENCE_WORDS:
            return meets(title, sentence[0].rstrip(), groups, must_not)
        return RubricResult(met=False, detail="a list of words claims nothing")
    undecided = next(filter(is_undecided, clauses), "")
    if undecided:
        return RubricResult(met=False, detail=_line(f"leaves it open: {undecided!r}"))
    wanted = [_compile(group) for group in groups]
    forbidden = [_compile(must_not)] if must_not else []
    claims: list[str] = []
    for group, pattern in zip(groups, wanted, strict=True):
        claimed, voided = _search(pattern, clauses, wanted, is_hedgeable=True)
        if not claimed:
            return RubricResult(met=False, detail=_missed(group, voided))
        claims.append(claimed)
    for pattern in forbidden:
        claimed, _ = _search(pattern, clauses, forbidden, is_hedgeable=False)
        if claimed:
            return RubricResult(met=False, detail=_line(f"claims what is wrong here: {claimed!r}"))
    return RubricResult(met=True, detail=_line("claims " + " + ".join(map(repr, claims))))


def _clauses(title: str, cause: str) -> tuple[list[str], list[str]]:
    """Return both readings of both texts; an empty clause ends each, so that none looks beyond."""
    first, left = _first_words(title, MAX_WORDS)
    texts = (clauses_of(first), clauses_of(_first_words(cause, left)[0]))
    broken, whole = (
        [clause for text in reading for clause in (*text, "")]
        for reading in zip(*texts, strict=True)
    )
    return broken, whole


def _first_words(text: str, limit: int) -> tuple[str, int]:
    """Return *text* up to its *limit*-th word, and how many words of the limit are left."""
    text = text[:MAX_CHARS]
    starts = [word.start() for word in _WORD.finditer(text)]
    return (text[: starts[limit]], 0) if len(starts) > limit else (text, limit - len(starts))


def _is_word_list(clauses: list[str]) -> bool:
    words = " ".join(clauses).split()
    # "A and B and C" lists as well as "A, B, C"
    count = sum(clause != "" for clause in clauses) + sum(word in {"and", "or"} for word in words)
    if count > MANY_CLAUSES and len(words) < FEW_WORDS * count:
        return True
    glue = sum(word in _GLUE for word in words)
    return len(words) > MANY_WORDS and glue < SMALL_SHARE * len(words)


def _missed(group: tuple[str, ...], voided: str) -> str:
    if voided:
        return _line(f"mentions {voided!r} without claiming it")
    more = len(group) - SHOWN
    return _line(f"says none of: {', '.join(group[:SHOWN])}") + f" … ({more} more)" * (more > 0)


def _line(text: str) -> str:
    """Return *text* cut to what fits a report's line, for phrases of any length."""
    return text if len(text) <= MAX_DETAIL else text[: MAX_DETAIL - 1] + "…"


@lru_cache(maxsize=4096)
def _compile(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Return one pattern for all *phrases*: whole words, stems, two unnegated words in between."""
    # By first letter, or each word of a text would be tried against each phrase of a long group.
    by_letter: dict[str, dict[str, None]] = {}
    for spelt in filter(None, map(_spell, phrases)):
        letter = spelt[0] if spelt[0].isalnum() else ""
        by_letter.setdefault(letter, {})[spelt.removeprefix(letter)] = None
    branches = (f"{letter}(?:{'|'.join(rests)})" for letter, rests in by_letter.items())
    return re.compile(rf"(?<!\w)(?:{'|'.join(branches) or '(?!)'})(?!\w)")


def _spell(phrase: str) -> str:
    words: list[str] = []
    for written in phrase.split():
        plain = words_of(written)
        if plain and written.endswith("*"):
            plain[-1] += "*"
        words += plain
    if sum(word not in _FILLERS for word in words) < MIN_TELLING:
        return _GAP.join(map(_word, words))
    while words[-1] in _FILLERS:
        words.pop()
    optional = (f"(?:{word}{_GAP})?" if word in _FILLERS else _word(word) + _GAP for word in words)
    return "".join(optional).removesuffix(_GAP)


def _word(word: str) -> str:
    if word in {"not", "never"}:
        return _NEVER
    return re.escape(word.removesuffix("*")) + r"\w*" * word.endswith("*")


def _search(
    pattern: re.Pattern[str],
    clauses: list[str],
    owners: list[re.Pattern[str]],
    *,
    is_hedgeable: bool,
) -> tuple[str, str]:
    """Return the first words that claim *pattern*, and the first that only mention it."""
    voided = ""
    for place, clause in enumerate(clauses):
        for hit in pattern.finditer(clause):
            hedged = is_hedgeable and _is_hedged(clauses, place, hit)
            if not hedged and not _takes_back(clauses, place, hit, owners):
                return hit[0], voided
            voided = voided or hit[0]
    return "", voided


def _takes_back(
    clauses: list[str], place: int, hit: re.Match[str], owners: list[re.Pattern[str]]
) -> bool:
    clause = _without(owners, clauses[place])
    before, after = clause[: hit.start()], clause[hit.end() :]
    if hit[0].startswith("nor "):  # "neither kept nor closed" says "not closed"
        before = ""
    if is_option(clause):  # "no leak, or a skew": what negates one option negates the other
        before = f"{_without(owners, clauses[place - 1])} {before}"
    return is_denied(before, after, _without(owners, _next(clauses, place)))


def _without(owners: list[re.Pattern[str]], clause: str) -> str:
    """Return *clause* with each hit blanked out: the "never" of "never closed" negates no more."""
    masked = clause
    for pattern in owners:
        for hit in pattern.finditer(clause):
            masked = masked[: hit.start()] + "_" * len(hit[0]) + masked[hit.end() :]
    return masked


def _is_hedged(clauses: list[str], place: int, hit: re.Match[str]) -> bool:
    """Return whether the hit is one of several options, and another says something else."""
    clause, after = clauses[place], clauses[place][hit.end() :]
    if is_option(clause):
        first = clauses[place - 1]
        return not (hit.re.search(first) or is_subordinate(first))
    if is_subordinate(after):
        return False
    others = [_next(clauses, place)] if is_option(_next(clauses, place)) else []
    if is_unsure(clause[: hit.start()]):
        rest = [after.partition(" or ")[2], *clauses[place + 1 : place + 4]]
        others += [other for other in rest[1:] if other.startswith("or ")] + rest[:1]
        others += filter(is_guess, clauses[max(place - 3, 0) : place + 4])
    return any(other and not hit.re.search(other) for other in others)


def _next(clauses: list[str], place: int) -> str:
    return clauses[place + 1] if place + 1 < len(clauses) else ""
