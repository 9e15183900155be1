"""Figures as a person reads them: counts, rounds, shares, prices, times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import ROOT_CAUSE_CHECKS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return *number* with *noun* or its *plural*: ``1 cell``, ``1,000 cells``, ``2 analyses``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def rounds_text(rounds: Iterable[int]) -> str:
    """Return which *rounds* these are, neighbours drawn together: ``rounds 1–3, 5``."""
    spans: list[list[int]] = []
    for number in sorted(rounds):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    shown = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in spans)
    is_one = len(spans) == 1 and spans[0][0] == spans[0][1]
    return f"round {shown}" if is_one else f"rounds {shown}"


def graded_text(graded: Collection[str]) -> str:
    """Return by which checks alone incidents are *graded*, after a comma; nothing where by all."""
    is_whole = not graded or tuple(graded) == tuple(ROOT_CAUSE_CHECKS)
    return "" if is_whole else f", graded by {' and '.join(graded)} alone"


def percent(score: float) -> str:
    """Return *score*, a fraction, as a whole percentage."""
    return f"{100 * score:.0f} %"


def points(score: float) -> str:
    """Return a difference of scores, fractions, in points of a hundred."""
    return f"{100 * score:.0f} points"


def seconds_text(seconds: float) -> str:
    """Return a time in the unit that shows it best: ``3 ms``, ``2.50 s``, ``240 s``."""
    if seconds < 0.0005:  # noqa: PLR2004 - rounds to nothing
        return "<1 ms"
    if seconds < 0.9995:  # noqa: PLR2004 - rounds to less than a second
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:.0f} s"  # noqa: PLR2004 - 3 digits


def dollars_text(usd: float) -> str:
    """Return a price, with more digits where it is small: ``$12.50``, ``$0.0015``."""
    return f"${usd:,.2f}" if usd >= 1 or not usd else f"${usd:.4f}"
