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

from pytest_rcabench.domain.run import cell_to_json
from pytest_rcabench.reports.caveats import limits_line, warning_lines
from pytest_rcabench.reports.failure import HEADLINES
from pytest_rcabench.reports.findings import findings
from pytest_rcabench.reports.grid import LEGEND, MARKS, NO_CELL, build_grid
from pytest_rcabench.reports.html.window import window_to_json
from pytest_rcabench.reports.rescoring import changed_incidents
from pytest_rcabench.reports.safe_text import cut, printable
from pytest_rcabench.reports.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_rcabench.domain.incident import JSON, Incident
    from pytest_rcabench.domain.run import Cell, ColumnInfo, Results
    from pytest_rcabench.reports.grid import Grid

_SCRIPTS = ("elements.js", "grid.js", "logs.js", "picture.js", "window.js", "answer.js", "start.js")
_LONGEST_REPLY = 100_000


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the page: where its cells are, and what its head says."""

    run: Results
    info: ColumnInfo
    head: str

    @property
    def name(self) -> str:
        """The head without its rounds."""
        return self.info.title


def render_html(*runs: Results, incidents: Mapping[str, Incident]) -> Iterator[str]:
    """Yield the page on *runs*, side by side in one grid, in pieces.

    *incidents* holds what could be found of them, by id; a cell of one that is not there shows no
    window and says so.
    """
    grid = build_grid(*runs)
    infos = [(run, column) for run in runs for column in run.columns]
    columns = [_Column(*pair, head) for pair, head in zip(infos, grid.heads, strict=True)]
    counted = {run.run.id: summarize(run) for run in runs}
    summaries = [
        (number, one)
        for number, column in enumerate(columns)
        for one in counted[column.run.run.id]
        if one.column == column.info.name
    ]
    style = _source("page.css")
    script = "(() => {\n'use strict';\n" + "".join(map(_source, _SCRIPTS)) + "})();\n"
    page = _environment().from_string(_source("page.html"))
    yield from page.generate(
        runs=runs,
        columns=columns,
        grid=grid,
        kinds=sorted({row.incident.kind for row in grid.rows}),
        sections=list(dict.fromkeys(row.section for row in grid.rows)),
        summaries=summaries,
        warnings=[*_warnings(runs, incidents)],
        findings=findings(*runs),
        limits=dict.fromkeys(limits_line(run) for run in runs),
        marks=MARKS,
        no_cell=NO_CELL,
        headlines=HEADLINES,
        legend=LEGEND,
        number_of={row.incident.id: number for number, row in enumerate(grid.rows)},
        section_of=lambda one: "twins" if one.twins else one.set.replace("_", " "),
        percent=lambda fraction: round(100 * fraction),
        minute=lambda time: time[:16].replace("T", " ") + " UTC",
        link=_link,
        blocks=_blocks(grid, columns, incidents),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - the same
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def pack(value: JSON) -> str:
    """Return *value* as JSON, deflated, in base64: letters, digits and ``+/=`` alone."""
    # ASCII with escapes: half a surrogate pair in a log is no reason to have no report.
    return base64.b64encode(zlib.compress(json.dumps(value).encode())).decode()


def _blocks(
    grid: Grid, columns: Sequence[_Column], incidents: Mapping[str, Incident]
) -> Iterator[str]:
    """Yield what the cells of each row open, in the order of the rows."""
    cells: dict[str, dict[str, JSON]] = {}
    for number, column in enumerate(columns):
        for cell in column.run.cells:
            if cell.key.column == column.info.name:
                place = f"{number}/{cell.key.round}"
                cells.setdefault(cell.key.incident, {})[place] = _cell(cell)
    for row in grid.rows:
        name = row.incident.id
        incident = incidents.get(name)
        yield pack(
            {
                "window": window_to_json(incident) if incident else None,
                "cells": cells.get(name, {}),
            }
        )


def _cell(cell: Cell) -> JSON:
    return {**cell_to_json(cell), "reply": cut(cell.reply, _LONGEST_REPLY)}


def _warnings(runs: Sequence[Results], incidents: Mapping[str, Incident]) -> Iterator[str]:
    if len({run.scorer_digest for run in runs}) > 1:
        yield (
            "These runs were scored by different scorers: do not compare their verdicts before "
            "`rcabench rescore` has scored them with one."
        )
    for run in runs:
        yield from warning_lines(run)
    yield from dict.fromkeys(line for run in runs for line in changed_incidents(run, incidents))


def _link(incident: str, column: int, round_number: int) -> str:
    return f"#/{quote(printable(incident), safe='')}/{column + 1}/{round_number}"


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: object) -> object:
    """Return a text without what no reader can see; markup is our own."""
    return printable(value) if type(value) is str else value


def _source(name: str) -> str:
    return (resources.files("pytest_rcabench.reports.html") / name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the hash by which the page's policy lets *text* in, and nothing else."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
