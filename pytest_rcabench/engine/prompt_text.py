"""Text of unknown origin made visible and short, and times as a window shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from pytest_rcabench.domain.incident import Window

    Clock = Callable[[datetime], str]

_MARKER = 50  # characters: to cut fewer would save nothing


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the evidence as text: a *title*, *entries* [n], and what was *left_out* of them."""

    title: str
    entries: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The title and all entries; a part of which there is nothing says so."""
        return "\n".join((f"## {self.title}", *(self.entries or ("(none)",)))) + "\n"


def visible(text: str) -> str:
    r"""Return *text* with every character that prints nothing as an escape such as ``\x1b``.

    Line feeds and tabs stay. What is left moves no cursor, hides nothing and runs in one direction.
    """
    if text.isprintable():
        return text
    odd = {
        ord(character): character.encode("unicode_escape").decode("ascii")
        for character in set(text)
        if not character.isprintable() and character not in "\n\t"
    }
    return text.translate(odd)


def inline(text: str) -> str:
    """Return *text* visible and on one line."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def indented(text: str) -> str:
    """Return *text* with all lines but the first set in, so that none can pose as an entry."""
    return text.replace("\n", "\n    ")


def cut(text: str, limit: int) -> tuple[str, int]:
    """Return *text* in about *limit* characters, its middle left out visibly, and how many went."""
    if len(text) <= limit + _MARKER:
        return text, 0
    head, tail = text[: limit - limit // 4], text[len(text) - limit // 4 :]
    # Half a line can say the opposite of the whole; but one endless line must keep its ends.
    if head.rfind("\n") > len(head) // 2:
        head = head[: head.rfind("\n") + 1]
    if 0 <= tail.find("\n") < len(tail) // 2:
        tail = tail[tail.find("\n") :]
    lost = len(text) - len(head) - len(tail)
    return f"{head}[… {lost:,} characters left out …]{tail}", lost


def cut_note(lost: Collection[int], what: str) -> tuple[str, ...]:
    """Return what to say of texts that lost so many characters each, nothing if none lost any."""
    count = sum(number > 0 for number in lost)
    return (f"{sum(lost):,} characters of {count:,} long {what}",) if count else ()


def clock_of(window: Window) -> Clock:
    """Return a function that writes a time, with its date unless that is the window's first day."""
    today = window.start.date().isoformat()

    def clock(time: datetime) -> str:
        fraction = time.microsecond
        precision = "microseconds" if fraction % 1000 else "milliseconds" if fraction else "seconds"
        date, _, shown = time.isoformat(" ", precision).removesuffix("+00:00").partition(" ")
        return shown if date == today else f"{date} {shown}"

    return clock


def sized(entry: str) -> int:
    """Return the characters that *entry* takes with its line end."""
    return len(entry) + 1


def thinned(entries: Sequence[str], room: int) -> tuple[int, ...]:
    """Return which of *entries* to keep so that they take *room* characters, spread over all."""
    total = sum(map(sized, entries))
    kept: list[int] = []
    seen = used = 0
    for index, entry in enumerate(entries):
        seen += sized(entry)
        if total <= room or used + sized(entry) <= room * seen // total:
            kept.append(index)
            used += sized(entry)
    return tuple(kept)
