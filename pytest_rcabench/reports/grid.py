"""The grid of incidents and columns: one mark per round, as a value and as lines of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_rcabench.reports.safe_text import columns_of, one_line, padded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_rcabench.domain.run import Cell, IncidentInfo, Results, Word

Section: TypeAlias = Literal["held out", "tuned", "twins"]

MARKS: dict[Word, str] = {"pass": "✓", "half": "½", "wrong": "✗", "unmeasured": "⚠"}
NO_CELL = "–"
LEGEND = (
    "✓ all checks · ½ right root cause, another check failed · ✗ wrong · ⚠ unmeasured · – not asked"
)
_LONGEST_ID = 40
_GAP = "  "
_ROUNDS = " · "


@dataclass(frozen=True, slots=True)
class Row:
    """One incident across all columns; *words* [columns][rounds] is None where there is no cell."""

    incident: IncidentInfo
    section: Section
    words: tuple[tuple[Word | None, ...], ...]

    @property
    def marks(self) -> tuple[str, ...]:
        """The row's marks, one text a column."""
        return tuple(
            "".join(MARKS[word] if word else NO_CELL for word in words) if any(words) else NO_CELL
            for words in self.words
        )


@dataclass(frozen=True, slots=True)
class Grid:
    """Incidents by columns: *heads* [columns], *rows* [incidents] by section and id."""

    heads: tuple[str, ...]
    rows: tuple[Row, ...]


def build_grid(*runs: Results) -> Grid:
    """Return the grid of *runs*, side by side; an incident of several runs is one row."""
    incidents: dict[str, IncidentInfo] = {}
    heads: list[str] = []
    columns: list[Mapping[str, Mapping[int, Cell]]] = []
    for run in runs:
        for incident in run.incidents:
            incidents.setdefault(incident.id, incident)
        for column in run.columns:
            found: dict[str, dict[int, Cell]] = {}
            for cell in run.cells:
                if cell.key.column == column.name:
                    found.setdefault(cell.key.incident, {})[cell.key.round] = cell
            columns.append(found)
            rounds = max((max(cells) for cells in found.values()), default=1)
            heads.append(_head(column.title, rounds))
    rows = [
        Row(incident, _section(incident), tuple(_words(column, incident.id) for column in columns))
        for incident in incidents.values()
    ]
    order: tuple[Section, ...] = ("held out", "tuned", "twins")
    rows.sort(key=lambda row: (order.index(row.section), row.incident.id))
    return Grid(tuple(heads), tuple(rows))


def render_grid(grid: Grid, *, width: int) -> list[tuple[str, Row | None]]:
    """Return *grid* as lines of at most *width* columns, each with the row that it shows.

    Where columns do not fit beside each other, their heads take two lines, and then further
    blocks follow.
    """
    ids = [one_line(row.incident.id, _LONGEST_ID) for row in grid.rows]
    kinds = [one_line(row.incident.kind.replace("_", " "), _LONGEST_ID) for row in grid.rows]
    left = [max((columns_of(text) for text in texts), default=0) for texts in (ids, kinds)]
    room = max(width - sum(left) - 2 * len(_GAP), 1)
    heads = [[head] for head in grid.heads]
    sizes = _sizes(grid, heads, room)
    if len(_blocks(sizes, room)) > 1:
        heads = [head.split(_ROUNDS) for head in grid.heads]
        sizes = _sizes(grid, heads, room)
    lines: list[tuple[str, Row | None]] = []
    for block in _blocks(sizes, room):
        if lines:
            lines.append(("", None))
        for level in range(max(len(heads[number]) for number in block)):
            texts = ["", "", *("".join(heads[number][level : level + 1]) for number in block)]
            widths = [*left, *(sizes[number] for number in block)]
            shown = _GAP.join(padded(text, size) for text, size in zip(texts, widths, strict=True))
            lines.append((shown.rstrip(), None))
        section = ""
        for number, row in enumerate(grid.rows):
            if row.section != section:
                section = row.section
                lines.append((section, None))
            marks = [padded(row.marks[column], sizes[column]) for column in block]
            names = [padded(ids[number], left[0]), padded(kinds[number], left[1])]
            lines.append((_GAP.join((*names, *marks)).rstrip(), row))
    return lines


def _head(title: str, rounds: int) -> str:
    head = one_line(title)
    return head if rounds == 1 else f"{head}{_ROUNDS}rounds 1–{rounds}"


def _words(column: Mapping[str, Mapping[int, Cell]], incident: str) -> tuple[Word | None, ...]:
    cells = column.get(incident, {})
    return tuple(
        cells[number].verdict if number in cells else None
        for number in range(1, max(cells, default=0) + 1)
    )


def _section(incident: IncidentInfo) -> Section:
    if incident.twin_of:
        return "twins"
    return "tuned" if incident.set == "tuned" else "held out"


def _sizes(grid: Grid, heads: Sequence[Sequence[str]], room: int) -> list[int]:
    return [
        min(max(map(columns_of, (*head, *(row.marks[number] for row in grid.rows)))), room)
        for number, head in enumerate(heads)
    ]


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
