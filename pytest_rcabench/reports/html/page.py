"""The page itself: the grid as a template, and what a cell opens as one packed block an incident.

Blocks are deflated JSON in base64, which nothing inside can break out of; the page inflates one
when a cell of its incident is opened, and makes elements of its texts, never markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from pytest_rcabench.domain.cell_json import cell_to_json
from pytest_rcabench.reports.caveats import (
    comparison_warnings,
    limits,
    move_lines,
    reason_lines,
    warning_lines,
)
from pytest_rcabench.reports.comparison_text import telling_cells, verdict_line
from pytest_rcabench.reports.failure import explain, headline
from pytest_rcabench.reports.figures import percent
from pytest_rcabench.reports.findings import findings
from pytest_rcabench.reports.first_contact import held_out_lines
from pytest_rcabench.reports.foot import build_feet, detail_lines, interval_text, rate_text
from pytest_rcabench.reports.grid import LEGEND, MARKS, NO_CELL, build_grid, column_names
from pytest_rcabench.reports.html.window import window_to_json
from pytest_rcabench.reports.rescoring import changed_incidents
from pytest_rcabench.reports.safe_text import cut, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_rcabench.domain.incident import JSON, Incident
    from pytest_rcabench.domain.run import Cell, ColumnInfo, Results
    from pytest_rcabench.reports.comparison import Comparison
    from pytest_rcabench.reports.foot import Foot

_SCRIPTS = (
    "elements.js",
    "grid.js",
    "logs.js",
    "measures.js",
    "picture.js",
    "window.js",
    "answer.js",
    "start.js",
)
_LONGEST_REPLY = 100_000
_LONGEST_TEXT = 5_000


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the page: where its cells are, what it is called, and what its head says."""

    run: Results
    info: ColumnInfo
    name: str
    head: str


def render_html(
    *runs: Results, incidents: Mapping[str, Incident], comparison: Comparison | None = None
) -> Iterator[str]:
    """Yield the page on *runs*, side by side in one grid, in pieces.

    *incidents* holds what could be found of them, by id; a cell of one that is not there shows no
    window and says so. *comparison* is of the only run with its baseline.
    """
    grid = build_grid(*runs)
    columns = [
        _Column(run, info, names[info.name], head)
        for (run, names, info), head in zip(_columns(runs), grid.heads, strict=True)
    ]
    shown = list(dict.fromkeys(row.incident.id for row in grid.rows))
    style = _source("page.css")
    script = "(() => {\n'use strict';\n" + "".join(map(_source, _SCRIPTS)) + "})();\n"
    page = _environment().from_string(_source("page.html"))
    yield from page.generate(
        runs=runs,
        columns=columns,
        grid=grid,
        kinds=sorted({row.incident.kind for row in grid.rows}),
        sections=list(dict.fromkeys(row.section for row in grid.rows)),
        feet=build_feet(*runs),
        warnings=[*_warnings(runs, incidents, comparison)],
        notes=(*move_lines(*runs), *held_out_lines(*runs)),
        findings=findings(*runs),
        comparison=comparison,
        limits=dict.fromkeys(line for run in runs for line in limits(run)),
        number_of={name: number for number, name in enumerate(shown)},
        link_to=lambda cell: _link_to(cell, columns),
        blocks=_blocks(shown, columns, incidents),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - the same
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def pack(value: JSON) -> str:
    """Return *value* as JSON, deflated, in base64: letters, digits and ``+/=`` alone."""
    # ASCII with escapes: half a surrogate pair in a log is no reason to have no report.
    return base64.b64encode(zlib.compress(json.dumps(value).encode())).decode()


def _columns(runs: Sequence[Results]) -> Iterator[tuple[Results, Mapping[str, str], ColumnInfo]]:
    for run, names in zip(runs, column_names(*runs), strict=True):
        yield from ((run, names, info) for info in run.columns)


def _blocks(
    shown: Iterable[str], columns: Sequence[_Column], incidents: Mapping[str, Incident]
) -> Iterator[Markup]:
    """Yield what the cells of each incident open."""
    cells: dict[str, dict[str, Cell]] = {}
    for number, column in enumerate(columns):
        for cell in column.run.cells:
            if cell.key.column == column.info.name:
                cells.setdefault(cell.key.incident, {})[f"{number}/{cell.key.round}"] = cell
    for name in shown:
        incident = incidents.get(name)
        opened: dict[str, JSON] = {
            place: _cell(cell) for place, cell in cells.get(name, {}).items()
        }
        block: dict[str, JSON] = {
            "window": window_to_json(incident) if incident else None,
            "cells": opened,
        }
        yield Markup(pack(block))  # noqa: S704 - base64


def _cell(cell: Cell) -> JSON:
    return {
        **cell_to_json(cell),
        "reply": cut(cell.reply, _LONGEST_REPLY),
        "headline": headline(cell),
    }


def _warnings(
    runs: Sequence[Results], incidents: Mapping[str, Incident], comparison: Comparison | None
) -> Iterator[str]:
    if comparison and comparison.is_red:
        yield verdict_line(comparison)
    yield from comparison_warnings(*runs)
    for run in runs:
        yield from warning_lines(run)
        yield from reason_lines(run)
    yield from dict.fromkeys(line for run in runs for line in changed_incidents(run, incidents))


def _link(incident: str, column: int, round_number: int) -> str:
    return f"#/{quote(printable(incident), safe='')}/{column + 1}/{round_number}"


def _link_to(cell: Cell, columns: Sequence[_Column]) -> str:
    names = [column.info.name for column in columns]
    return _link(cell.key.incident, names.index(cell.key.column), cell.key.round)


def _section_of(foot: Foot) -> str:
    one = next(one for one in foot.summaries if one)
    return "twins" if one.twins else one.set.replace("_", " ")


def _minute(time: str) -> str:
    return f"{time[:16].replace('T', ' ')} UTC"


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        marks=MARKS,
        no_cell=NO_CELL,
        legend=LEGEND,
        rate_text=rate_text,
        interval_text=interval_text,
        detail_lines=detail_lines,
        percent=percent,
        verdict_line=verdict_line,
        telling_cells=telling_cells,
        explain=explain,
        section_of=_section_of,
        minute=_minute,
        link=_link,
    )
    return environment


def _shown(value: object) -> object:
    """Return a text without what no reader can see, and not endless; markup is our own."""
    return cut(printable(value), _LONGEST_TEXT) if type(value) is str else value


def _source(name: str) -> str:
    return (resources.files("pytest_rcabench.reports.html") / name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the hash by which the page's policy lets *text* in, and nothing else."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
