"""FROZEN with the scorer: names of services and hosts compared, and shas looked up; never fuzzy."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_rcabench.domain.words import ZERO_WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_NAME = 300

_KIND = (
    r"(?:service|svc|pod|po|deployment|deploy|statefulset|sts|daemonset|ds|replicaset|rs|job|cronjob"
    r"|container|host|node|server|instance)"
)
_QUOTES = re.compile(r"[`*'\"\u2018\u2019\u201c\u201d\u00ab\u00bb]")
_HYPHENS = re.compile(r"[\u2010-\u2015\u2212]")
_SEVERAL = re.compile(
    r"\s*(?:[,;()\[\]|&+]|\s/\s|->|\u2192|\s(?:on|and|in|at|of|or|via|by|to|from|with)\s)\s*"
)
_KIND_ALONE = re.compile(rf"{_KIND}s?")
_KIND_FIRST = re.compile(rf"(?:the\s+)?(?:{_KIND}s?(?:\s*[:=]\s*|\s+))?")
_KIND_LAST = re.compile(rf"\s+{_KIND}s?$")
_KIND_PATH = re.compile(rf"{_KIND}s?(?:\.[a-z0-9.]+)?")
_CLUSTER_DOMAIN = re.compile(r"(?:\.[a-z0-9-]+)?\.svc(?:\.[a-z0-9.-]+)?$")
_PORT = re.compile(r":\d{1,5}$")
_BLANKS = re.compile(r"[\s_]+")
# Kubernetes draws from an alphabet without vowels and 0, 1, 3, so ordinals and words never match.
# Source: k8s.io/apimachinery/pkg/util/rand.
_POD_SUFFIX = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$")

_SHA_LIKE = re.compile(r"(?<![0-9a-z_-])[0-9a-f]{7,}(?![0-9a-z_-])")


def is_named(
    value: str, accepted: Iterable[str], known: Callable[[], Iterable[str]] = tuple
) -> bool:
    """Return whether *value* names one of *accepted*, and nothing else.

    *known* gives the names that occur in the evidence: in ``a/b`` an ``a`` that is none of them is
    a namespace. It is called only for such an ``a``, since a window has thousands of lines.
    A value that names several things passes only if every one of them is accepted.
    """
    if len(value) > MAX_NAME:
        return False
    right = {_fold(name) for name in accepted}
    text = _clean(value)
    if _is_one_of(text, right, known):
        return True
    parts = [part for part in _SEVERAL.split(text) if part and not _KIND_ALONE.fullmatch(part)]
    return len(parts) > 0 and all(_is_one_of(part, right, known) for part in parts)


def _is_one_of(text: str, right: set[str], known: Callable[[], Iterable[str]]) -> bool:
    *path, name = text.split("/")
    bare = _KIND_LAST.sub("", _KIND_FIRST.sub("", name, count=1))
    forms = {_fold(name), _fold(bare)}
    # Only the answer's pod suffix is dropped: where one pod is the truth, another pod is not.
    if not right & (forms | {_POD_SUFFIX.sub("", form) for form in forms}):
        return False
    owners = {_fold(part) for part in path if not _KIND_PATH.fullmatch(part)} - right
    return not owners or owners.isdisjoint({_fold(name) for name in known()})


@lru_cache(maxsize=4096)
def _fold(name: str) -> str:
    text = _PORT.sub("", _clean(name)).rpartition("/")[2]
    return _BLANKS.sub("-", _CLUSTER_DOMAIN.sub("", text))


def _clean(text: str) -> str:
    text = ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return _QUOTES.sub("", _HYPHENS.sub("-", text)).strip(" \t\r\n.")


@dataclass(frozen=True, slots=True)
class Blame:
    """Whom texts blame: real *shas*, *invented* hex, and *other* texts, ignored but shown."""

    shas: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()
    other: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many commits are blamed, real or not."""
        return len(self.shas) + len(self.invented)


def read_blame(texts: Iterable[str], shas: Iterable[str]) -> Blame:
    """Return whom *texts* blame among the window's *shas*.

    A sha may be cut to 7 digits or more, in any case, quoted, at the end of a URL or beside other
    words. Hex that begins none of the shas, or more than one, is an invented commit.
    """
    known = sorted(set(shas))
    blamed: dict[str, None] = {}
    invented: dict[str, None] = {}
    other: dict[str, None] = {}
    for text in texts:
        cleaned = _clean(text)
        found = [match[0] for match in _SHA_LIKE.finditer(cleaned)]
        for digits in found:
            first = bisect_left(known, digits)
            meant = [sha for sha in known[first : first + 2] if sha.startswith(digits)]
            if len(meant) == 1:
                blamed[meant[0]] = None
            elif digits == cleaned or not (digits.isdigit() or digits.isalpha()):
                invented[digits] = None
            else:  # a date, an order number or a word of the letters a-f, between other words
                other[text] = None
        if not found:
            other[text] = None
    return Blame(tuple(blamed), tuple(invented), tuple(other))
