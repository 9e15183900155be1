"""FROZEN with the scorer: text -> clauses of plain words, for answers and rubric phrases alike."""

from __future__ import annotations

import re
import unicodedata

ZERO_WIDTH = re.compile(r"[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]")
_APOSTROPHE = re.compile(r"[\u2018\u2019\u02bc\u2032\u00b4]")
# Marks where camelCase is broken until the text is cut, because a brand is also read whole. No
# blank, or "takeWhile" would be cut at its "while".
_BREAK = "\x00"
_CAMEL = re.compile(r"[A-Z](?:(?<=[a-z0-9].)|(?<=[A-Z].)(?=[a-z]))")
_HYPHEN = re.compile(r"[-\u2010-\u2013\u2212](?=\w)(?<=\w.)")
_WORD = re.compile(r"[^\W_]+|\?$")

_NOT_WITHOUT_APOSTROPHE = re.compile(
    r" (do|does|did|is|are|was|were|has|have|had|could|would|should|ca|wo)nt\b"
)
_IS = re.compile(r"\b(it|that|this|there|what|here|which)'s\b")
_ENDING = re.compile(r"'(?:s|re|ve|ll|d)\b|\((?:s|es|ed|d)\)")
_NUMBER_ARROW = re.compile(r"(\d[\w%]*) ?(?:[-=]+>|\u2192) ?(?=\d)")
_QUESTION = re.compile(r"\?(?=[^\w\s]*+(?:\s|$))")
_ABBREVIATIONS = ("i.e.", "e.g.", "etc.", "vs.", "approx.")

_DENYING_HEADING = re.compile(
    r"\b(?:(?:ruled|ruling) out|rejected|dismissed|discarded|excluded|cleared|unrelated|innocent"
    r"|(?:possible|potential|candidate) (?:root )?causes|candidates|hypotheses|suspects"
    r"|red herrings?|distractors?|not (?:the |a )?(?:root )?causes?)\W*:([^.;!?\n]*)"
)
# The items of a list that ends in "or" stay together: a negator before the list holds for all.
_COMMA_OF_LIST = re.compile(rf",(?= (?:[\w.{_BREAK}-]+ ){{0,2}}[\w.{_BREAK}-]+,? (?:or|nor) )")
_ASIDE = re.compile(r"\(([^()]*)\)")
_DENYING_ASIDE = re.compile(r"\s*(?:ruled out|not|un|is|was|rejected|dismissed|excluded)")

_CONJUNCTION = (
    r"(?:(?<!not )(?<!than )(?<!nor )(?<!ly )because|but|since|so|while|whilst|although|though"
    r"|whereas|which|however|(?<!not )(?<!as )yet|therefore|thus|hence|meanwhile)\b"
)
_NEW_SUBJECT_OR_VERB = (
    r"(?:the|a|an|it|its|they|their|this|that|these|those|there|we|no|not|never|nothing|then|only"
    r"|is|are|was|were|has|have|had|does|do|did|can|could|will|would|still|now|keeps?|holds?|uses?"
    r"|runs?|stays?|remains?|gets?|leaves?|fails?|leaks|drifts|blocks|fills|drains|rejects)\b"
    r"|\w+ (?:is|are|was|were|has|have|had|does|do|did|can|could|will|would)\b"
)
_OTHER_OPTION = (
    r"or (?:possibly|perhaps|maybe|else|it|could|may|might|an?|the|some|that|too|simply|just)\b"
)
_CUT = re.compile(
    r"[.,](?=\s|$)|:(?=\s+\D)|[;!\n\r|\u2192\u2014]|[-=]+>"
    rf"|\s(?:[-\u2013\u2015]+\s|and (?={_NEW_SUBJECT_OR_VERB})|(?={_CONJUNCTION}|{_OTHER_OPTION}))"
)


def words_of(text: str) -> list[str]:
    """Return the words of *text*, in order, in one spelling, camelCase broken."""
    return _WORD.findall(_normalise(text).replace(_BREAK, " "))


def clauses_of(text: str) -> tuple[list[str], list[str]]:
    """Return the clauses of *text*, each a line of words; a question ends in a word ``?``.

    They come twice: with camelCase broken ("max replicas") and whole ("postgresql"); the second is
    empty where there is none.
    """
    text = _normalise(text)
    if ":" in text:
        text = _DENYING_HEADING.sub(lambda found: "ruled out " + found[1].replace(",", " "), text)
    text, asides = _without_asides(text)
    parts = [
        part for piece in (text, *asides) for part in _CUT.split(_COMMA_OF_LIST.sub("", piece))
    ]
    broken = _lines([part.replace(_BREAK, " ") for part in parts])
    return broken, _lines([part.replace(_BREAK, "") for part in parts]) if _BREAK in text else []


def _lines(parts: list[str]) -> list[str]:
    return [line for part in parts if (line := " ".join(_WORD.findall(part)))]


def _without_asides(text: str) -> tuple[str, list[str]]:
    """Return *text* without what stands in brackets, and that; an aside that denies stays put."""
    asides: list[str] = []

    def lift(found: re.Match[str]) -> str:
        if _DENYING_ASIDE.match(found[1]):
            return f" {found[1]} "
        asides.append(found[1])
        return " "

    return (_ASIDE.sub(lift, text), asides) if "(" in text else (text, asides)


def _normalise(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", ZERO_WIDTH.sub("", text))
        text = _APOSTROPHE.sub("'", text)
    text = _CAMEL.sub(rf"{_BREAK}\g<0>", text).casefold().replace("cannot", "can not")
    for abbreviation in _ABBREVIATIONS:
        text = text.replace(abbreviation, " ")
    text = _NOT_WITHOUT_APOSTROPHE.sub(r" \1 not", text)
    if "'" in text:
        text = _IS.sub(r"\1 is", text.replace("n't", " not"))
    text = _ENDING.sub("", text)
    if ">" in text or "\u2192" in text:
        text = _NUMBER_ARROW.sub(r"\1 to ", text)
    if "?" in text:
        text = _QUESTION.sub(" ?. ", text)
    return _HYPHEN.sub(" ", text)
