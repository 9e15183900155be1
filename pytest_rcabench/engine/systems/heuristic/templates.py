"""Log records folded into patterns: the same sentence with other numbers is the same pattern."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import Evidence

BINS = 60
"""The window is cut into this many parts of equal length."""

_LONGEST_LINE = 400
_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}")
# Said by every handler and every complaint, so shared by all and telling nothing.
_EVERYWHERE = frozenset(
    re.findall(
        r"\w+",
        """the and for from with not was are has had but all any can may when that this than into
        out error errors failed failure exception http https status request response server service
        handler client null none true false return returned func string after before
        log logs level info warn debug com org""",
    )
)
# An access log tells failure by a number, which masking would hide.
_STATUS = re.compile(r'(status\W{1,3}|code\W{1,3}|HTTP/[\d.]+" )([1-5])\d\d\b')
_STATUS_WORDS = MappingProxyType({"4": "client-error", "5": "server-error"})
_NUMBERED = re.compile(r"\b[A-Za-z_./:@%+-]*+\d[\w./:@%+-]*+")


@dataclass(slots=True)
class Pattern:
    """All records of one service, level and template; *bins* [n] says when, *hosts* where."""

    service: str
    level: str
    template: str
    example: str
    bins: list[int] = field(default_factory=list)
    hosts: Counter[str] = field(default_factory=Counter)

    @property
    def place(self) -> str:
        """The service, or the only host of records that have none."""
        return self.service or next(iter(self.hosts))


def template_of(message: str) -> str:
    """Return the first line of *message* with every token that holds a digit as ``#``."""
    line = message.partition("\n")[0][:_LONGEST_LINE]
    line = _STATUS.sub(lambda hit: hit[1] + _STATUS_WORDS.get(hit[2], "fine"), line)
    return _NUMBERED.sub("#", line)


def words_of(text: str) -> frozenset[str]:
    """Return the lower-case words of *text*, three letters or more, but those said everywhere."""
    return frozenset(word.casefold() for word in _WORD.findall(text)) - _EVERYWHERE


def fold_records(evidence: Evidence) -> list[Pattern]:
    """Return the patterns of the window's records, in order of their first record."""
    start = evidence.window.start
    width_s = (evidence.window.end - start).total_seconds() / BINS
    patterns: dict[tuple[str, str, str], Pattern] = {}
    for record in evidence.logs:
        key = (record.service or record.host, record.level, template_of(record.message))
        pattern = patterns.get(key)
        if pattern is None:
            pattern = Pattern(record.service, record.level, key[2], record.message)
            patterns[key] = pattern
        position = int((record.time - start).total_seconds() / width_s)
        pattern.bins.append(min(max(position, 0), BINS - 1))
        pattern.hosts[record.host] += 1
    return list(patterns.values())
