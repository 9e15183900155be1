"""The grid as lines of text that fit a width, in pieces of one style each."""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pytest_rcabench.reports.grid import HEAD_PARTS, MARKS, NO_CELL
from pytest_rcabench.reports.safe_text import columns_of, one_line, padded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_rcabench.domain.run import Word
    from pytest_rcabench.reports.foot import Foot
    from pytest_rcabench.reports.grid import Grid

Style: TypeAlias = Literal["", "bold", "light", "green", "yellow", "red", "purple"]


class Span(NamedTuple):
    """A piece of a line, and how a terminal that can shall show it."""

    text: str
    style: Style = ""


Line: TypeAlias = tuple[Span, ...]

STYLES: dict[Word, Style] = {
    "pass": "green",
    "half": "yellow",
    "wrong": "red",
    "unmeasured": "purple",
}
_STYLE_OF: dict[str, Style] = {MARKS[word]: style for word, style in STYLES.items()}
_STYLE_OF[NO_CELL] = "light"
_LONGEST_ID = 40
_SHORT_HEAD = 12
_GAP = "  "


class _Row(NamedTuple):
    """A row of the table; one without *cells* is the title of a section."""

    names: tuple[str, ...]
    cells: tuple[str, ...] = ()


class _Layout(NamedTuple):
    """How wide everything is: *heads* [columns][lines], *left* [names], *sizes* [columns]."""

    heads: list[list[str]]
    left: list[int]
    sizes: list[int]

    @property
    def width(self) -> int:
        return sum(size + len(_GAP) for size in (*self.left, *self.sizes)) - len(_GAP)


def grid_lines(
    grid: Grid, feet: Iterable[Foot], *, width: int, has_rows: bool = True
) -> list[Line]:
    """Return *grid* and its *feet* as lines of at most *width* columns of text.

    Where it does not fit, the heads are split, then the kinds are left out, then the heads are
    shortened and intervals get lines of their own, and at last columns move to a block below.
    Without *has_rows* the feet stand alone.
    """
    above = [*_incidents(grid)] if has_rows else []
    feet = tuple(feet)
    wide, high = [*above, *_figures(feet)], [*above, *_high_figures(feet)]
    whole = [[head] for head in grid.heads]
    split = [head.split(HEAD_PARTS) for head in grid.heads]
    short = [
        [line for part in head for line in _wrapped(part.replace("rounds ", "r"))] for head in split
    ]
    for rows, heads, names in (
        (wide, whole, 2),
        (wide, split, 2),
        (wide, split, 1),
        (high, split, 1),
        (high, short, 1),
    ):
        layout = _lay_out(rows, heads, names)
        if layout.width <= width:
            break
    room = max(width - sum(size + len(_GAP) for size in layout.left), 1)
    layout = layout._replace(sizes=[min(size, room) for size in layout.sizes])
    lines: list[Line] = []
    for block in _blocks(layout.sizes, room):
        lines += [()] if lines else []
        lines += _block_lines(rows, layout, block)
    return lines


def _incidents(grid: Grid) -> Iterator[_Row]:
    for section, rows in groupby(grid.rows, key=lambda row: row.section):
        yield _Row((section,))
        for row in rows:
            names = (row.incident.id, row.incident.kind.replace("_", " "))
            yield _Row(tuple(one_line(name, _LONGEST_ID) for name in names), row.marks)


def _figures(feet: Iterable[Foot]) -> Iterator[_Row]:
    for foot in feet:
        yield _Row((f"figures, {foot.about}",))
        yield from (_Row((figure.name, ""), figure.whole) for figure in foot.figures)


def _high_figures(feet: Iterable[Foot]) -> Iterator[_Row]:
    for foot in feet:
        yield _Row((f"figures, {foot.about}",))
        for figure in foot.figures:
            yield _Row((figure.name, ""), tuple(text or NO_CELL for text in figure.texts))
            if figure.intervals:
                yield _Row(("  95 % interval", ""), figure.intervals)


def _wrapped(head: str) -> list[str]:
    return textwrap.wrap(head, _SHORT_HEAD, break_long_words=False, break_on_hyphens=False)


def _lay_out(rows: Sequence[_Row], heads: list[list[str]], names: int) -> _Layout:
    full = [row for row in rows if row.cells]
    left = [max((columns_of(row.names[n]) for row in full), default=0) for n in range(names)]
    sizes = [
        max(columns_of(text) for text in (*head, *(row.cells[number] for row in full)))
        for number, head in enumerate(heads)
    ]
    return _Layout(heads, [size for size in left if size], sizes)


def _blocks(sizes: Sequence[int], room: int) -> list[list[int]]:
    """Return the columns' numbers in blocks that fit into *room*, one column at least in each."""
    blocks: list[list[int]] = []
    used = 0
    for number, size in enumerate(sizes):
        if blocks and used + len(_GAP) + size <= room:
            blocks[-1].append(number)
            used += len(_GAP) + size
        else:
            blocks.append([number])
            used = size
    return blocks


def _block_lines(rows: Sequence[_Row], layout: _Layout, block: Sequence[int]) -> Iterator[Line]:
    indent = sum(size + len(_GAP) for size in layout.left)
    for level in range(max(len(layout.heads[number]) for number in block)):
        heads = ("".join(layout.heads[number][level : level + 1]) for number in block)
        sizes = (layout.sizes[number] for number in block)
        shown = _GAP.join(padded(text, size) for text, size in zip(heads, sizes, strict=True))
        yield (Span(" " * indent + shown.rstrip(), "bold"),)
    for row in rows:
        if not row.cells:
            yield (Span(row.names[0], "bold"),)
            continue
        names = zip(row.names, layout.left, strict=False)
        spans = [Span("".join(padded(name, size) + _GAP for name, size in names))]
        for number in block:
            spans += _marked(padded(row.cells[number], layout.sizes[number]) + _GAP)
        while not spans[-1].text.strip():
            spans.pop()
        yield (*spans[:-1], Span(spans[-1].text.rstrip(), spans[-1].style))


def _marked(text: str) -> Iterator[Span]:
    if not set(text.strip()) <= _STYLE_OF.keys():  # a figure, whose dash is that of a range
        yield Span(text)
        return
    for style, characters in groupby(text, key=lambda character: _STYLE_OF.get(character, "")):
        yield Span("".join(characters), style)
