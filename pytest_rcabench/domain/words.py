"""FROZEN with the scorer: text -> clauses of plain words. Answers and rubric phrases are read through this one door."""

from __future__ import annotations

import re
import unicodedata

_ZERO_WIDTH = re.compile(r"[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]")
_APOSTROPHE = re.compile(r"[\u2018\u2019\u02bc\u2032\u00b4](?=[a-zA-Z])")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HYPHEN = re.compile(r"(?<=\w)[-\u2010-\u2013\u2212](?=\w)")
_WORD = re.compile(r"[^\W_]+|\?")

_SPELT_OUT = (
    (re.compile(r"\b(?:can'?t|cannot)\b"), "can not"),
    (
        re.compile(
            r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should|wo|must|need)n'?t\b"
        ),
        r"\1 not",
    ),
    (re.compile(r"\b(it|that|this|there|what|here|which)'s\b"), r"\1 is"),
    (re.compile(r"'(?:s|re|ve|ll|d)\b|\((?:s|es|ed|d)\)"), ""),
    (re.compile(r"\b(?:i\.e|e\.g|etc|vs|approx)\."), " "),
    (re.compile(r"(\d[\w%]*) ?(?:[-=]+>|\u2192) ?(?=\d)"), r"\1 to "),
    (re.compile(r"\?(?=\W*(?:\s|$))"), " ?. "),
)

_CLEARED_HEADING = re.compile(
    r"\b(?:(?:ruled|ruling) out|rejected|dismissed|discarded|excluded|cleared|unrelated|innocent"
    r"|red herrings?|distractors?|not (?:the |a )?(?:root )?causes?)\W*:([^.;!?\n]*)"
)
# The items of a list that ends in "or" stay together: a negator before the list holds for all of it.
_COMMA_OF_LIST = re.compile(r",(?= (?:[\w.-]+ ){0,2}[\w.-]+,? (?:or|nor) )")
_ASIDE = re.compile(r"\(([^()]*)\)")
_ASIDE_CLEARS = re.compile(r"\s*(?:ruled out|not|un|is|was|rejected|dismissed|excluded)")

_CONJUNCTIONS = (
    "because|but|since|so|while|whilst|although|though|whereas|which|however|yet|therefore|thus"
    "|hence|meanwhile"
)
_NEW_SUBJECT_OR_VERB = (
    r"(?:the|a|an|it|its|they|their|this|that|these|those|there|we|no|not|never|nothing|then|only"
    r"|is|are|was|were|has|have|had|does|do|did|can|could|will|would)\b"
    r"|\w+ (?:is|are|was|were|has|have|had|does|do|did|can|could|will|would)\b"
)
_ALTERNATIVE = "(?:possibly|perhaps|maybe|else|alternatively|it|a|an|the|some|that|too|simply|just)"
_CUT = re.compile(
    r"[.,](?=\s|$)|:(?=\s+\D)|[;!\n\r|\u2192\u2014]|[-=]+>|\s[-\u2013\u2015]+\s"
    rf"|\b(?=(?:{_CONJUNCTIONS})\b)|\band\s+(?={_NEW_SUBJECT_OR_VERB})"
    rf"|\b(?=or\s+{_ALTERNATIVE}\b)"
)


def words_of(text: str) -> list[str]:
    """Return the words of *text*, in order, in one spelling."""
    return _WORD.findall(_normalise(text))


def clauses_of(text: str) -> list[str]:
    """Return the clauses of *text*, each as its words with single blanks between; a question ends in ``?``."""
    text = _normalise(text)
    text = _CLEARED_HEADING.sub(lambda found: "ruled out " + found[1].replace(",", " "), text)
    asides: list[str] = []

    def lift(found: re.Match[str]) -> str:
        if _ASIDE_CLEARS.match(found[1]):
            return f" {found[1]} "
        asides.append(found[1])
        return " "

    text = _COMMA_OF_LIST.sub(" ", _ASIDE.sub(lift, text))
    parts = (part for piece in (text, *asides) for part in _CUT.split(piece))
    return [clause for part in parts if (clause := " ".join(_WORD.findall(part)))]


def _normalise(text: str) -> str:
    text = unicodedata.normalize("NFKC", _ZERO_WIDTH.sub("", text))
    text = _CAMEL.sub(" ", _APOSTROPHE.sub("'", text)).casefold()
    for pattern, plain in _SPELT_OUT:
        text = pattern.sub(plain, text)
    return _HYPHEN.sub(" ", text)
