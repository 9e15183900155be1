"""The grid of incidents and columns, as a value: one mark a round."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_rcabench.reports.figures import rounds_text
from pytest_rcabench.reports.safe_text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rcabench.domain.run import Cell, ColumnInfo, IncidentInfo, Results, Word

Section: TypeAlias = Literal["held out", "tuned", "twins"]
# What was tuned on is no evidence, and so comes last.
SECTIONS: tuple[Section, ...] = ("held out", "twins", "tuned")

MARKS: dict[Word, str] = {"pass": "✓", "half": "½", "wrong": "✗", "unmeasured": "⚠"}
NO_CELL = "–"
HEAD_PARTS = " · "
_TO_MINUTE, _TO_SECOND = 16, 19  # characters of a time
LEGEND = (
    "✓ all checks · ½ right root cause, another check failed · ✗ wrong · ⚠ unmeasured · – not asked"
)


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
    """Return the grid of *runs*, side by side.

    An incident of several runs is one row, but where it was tuned in one of them it has two, so
    that no tuned mark stands among the held-out ones.
    """
    incidents: dict[tuple[str, Section], IncidentInfo] = {}
    words: dict[tuple[str, Section], list[tuple[Word | None, ...]]] = {}
    for run in runs:
        for incident in run.incidents:
            incidents.setdefault((incident.id, _section(incident)), incident)
    columns = [(run, column) for run in runs for column in run.columns]
    for run, column in columns:
        found = _cells_of(run, column)
        here = {incident.id: _section(incident) for incident in run.incidents}
        for name, section in incidents:
            cells = found.get(name, {}) if here.get(name) == section else {}
            words.setdefault((name, section), []).append(_words(cells))
    rows = [
        Row(incident, section, tuple(words[name, section]))
        for (name, section), incident in incidents.items()
    ]
    rows.sort(key=lambda row: (SECTIONS.index(row.section), row.incident.id))
    heads = (
        _head(run, column, names[column.name])
        for run, names in zip(runs, column_names(*runs), strict=True)
        for column in run.columns
    )
    return Grid(tuple(heads), tuple(rows))


def _section(incident: IncidentInfo) -> Section:
    if incident.set == "tuned":
        return "tuned"
    return "twins" if incident.twin_of else "held out"


def _cells_of(run: Results, column: ColumnInfo) -> dict[str, dict[int, Cell]]:
    found: dict[str, dict[int, Cell]] = {}
    for cell in run.cells:
        if cell.key.column == column.name:
            found.setdefault(cell.key.incident, {})[cell.key.round] = cell
    return found


def _words(cells: Mapping[int, Cell]) -> tuple[Word | None, ...]:
    return tuple(
        cells[number].verdict if number in cells else None
        for number in range(1, max(cells, default=0) + 1)
    )


def column_names(*runs: Results) -> tuple[dict[str, str], ...]:
    """Return what a reader calls the columns of each of *runs*, by name.

    Where two runs have a column of one title, the day and time of the run tell them apart, to the
    second where they began in the same minute.
    """
    often = Counter(column.title for run in runs for column in run.columns)
    minutes = Counter(run.run.started[:_TO_MINUTE] for run in runs)
    return tuple(
        {
            column.name: one_line(column.title)
            if often[column.title] == 1
            else f"{one_line(column.title)}{HEAD_PARTS}{_time(run, minutes)}"
            for column in run.columns
        }
        for run in runs
    )


def _time(run: Results, minutes: Mapping[str, int]) -> str:
    started = run.run.started
    is_alone = minutes[started[:_TO_MINUTE]] == 1
    return started[: _TO_MINUTE if is_alone else _TO_SECOND].replace("T", " ")


def _head(run: Results, column: ColumnInfo, name: str) -> str:
    rounds = max((c.key.round for c in run.cells if c.key.column == column.name), default=1)
    return f"{name}{HEAD_PARTS}{rounds_text(range(1, rounds + 1))}" if rounds > 1 else name
