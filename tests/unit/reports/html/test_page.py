"""The page's source: whole in itself, closed to others, and true to the results."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import sys
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.reports import html as html_report
from pytest_rcabench.reports.comparison import Comparison, Family
from pytest_rcabench.reports.gate import judge
from pytest_rcabench.reports.grid import build_grid
from pytest_rcabench.reports.html.page import pack, render_html
from pytest_rcabench.reports.pairing import Pair

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rcabench.domain.run import Results

HOSTILE = "</script><script>alert(1)</script>\x1b[31m\u202e'\"&"


def page_of(*runs: Results, **more: Any) -> str:  # noqa: ANN401 - what render_html takes
    """Return the page on *runs* as one text, without incidents unless some are given."""
    return "".join(render_html(*runs, **{"incidents": {}, **more}))


def blocks_of(page: str) -> list[Any]:
    """Return what the page's blocks hold."""
    packed = re.findall(r'<script type="text/plain"[^>]*>([\w+/=]*)</script>', page)
    return [json.loads(zlib.decompress(base64.b64decode(one))) for one in packed]


def test_nothing_is_fetched_from_anywhere(run: Results) -> None:
    """Every address in the page is a place in it."""
    addresses = re.findall(r'(?:src|href|action)="([^"]*)"', page_of(run))

    assert {address for address in addresses if not address.startswith("#")} == {"data:,"}
    assert not re.search(r"url\(|@import", page_of(run))


def test_the_policy_lets_in_our_style_and_script_alone(run: Results) -> None:
    """By their hashes: were a text to become a script after all, it would not run."""
    page = page_of(run)
    policy = html.unescape(re.findall('Content-Security-Policy" content="([^"]*)"', page)[0])
    ours = [*re.findall("<style>(.*?)</style>|<script>(.*?)</script>", page, re.DOTALL)]
    hashes = [
        base64.b64encode(hashlib.sha256("".join(one).encode()).digest()).decode() for one in ours
    ]

    assert len(hashes) == 2
    assert policy.startswith("default-src 'none'; ")
    assert sorted(re.findall("'sha256-([^']*)'", policy)) == sorted(hashes)
    assert "unsafe" not in policy


def test_each_mark_of_the_grid_is_in_the_page(run: Results) -> None:
    """In the order of rows, columns and rounds, as a link that says what it is."""
    page = page_of(run)
    words = [word for row in build_grid(run).rows for words in row.words for word in words if word]

    assert words == re.findall(r'<a class="mark (\w+)" href="#/', page)
    assert all(f'aria-label="{cell.key.incident}, ' in page for cell in run.cells)


def test_a_block_holds_the_answers_of_an_incident(run: Results) -> None:
    """By column and round, with the checks and the raw reply."""
    incidents = [row.incident.id for row in build_grid(run).rows]
    cell = run.cells[0]
    column = [column.name for column in run.columns].index(cell.key.column)
    block = blocks_of(page_of(run))[incidents.index(cell.key.incident)]
    shown = block["cells"][f"{column}/{cell.key.round}"]

    assert block["window"] is None
    assert (shown["verdict"], shown["reply"]) == (cell.verdict, cell.reply)
    assert [check["name"] for check in shown["checks"]] == [check["name"] for check in cell.checks]


def test_texts_of_others_stay_texts(run: Results) -> None:
    """In titles, names, labels and answers; no reader meets a hidden character unnamed."""
    incidents = tuple(replace(one, title=HOSTILE, kind=HOSTILE) for one in run.incidents)
    columns = tuple(replace(one, label=HOSTILE, model=HOSTILE) for one in run.columns)
    cells = tuple(replace(cell, reply=HOSTILE) for cell in run.cells)
    page = page_of(replace(run, incidents=incidents, columns=columns, cells=cells))

    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert any(
        HOSTILE in cell["reply"] for one in blocks_of(page) for cell in one["cells"].values()
    )


def test_half_a_surrogate_pair_is_no_reason_to_have_no_page(run: Results) -> None:
    """Somebody's broken log line or title cannot keep the rest from being read."""
    incidents = tuple(replace(one, title="half \ud83d") for one in run.incidents)
    page = page_of(replace(run, incidents=incidents))

    assert page.encode()
    assert "half \ufffd" in page
    assert json.loads(zlib.decompress(base64.b64decode(pack("\ud83d")))) == "\ud83d"


def test_the_window_goes_with_the_answers_where_it_is_at_hand(
    run: Results, tmp_path: Path, write_incident: Callable[..., Path]
) -> None:
    """And a file that is not the one of the run any more is told."""
    name = run.incidents[0].id
    incident = read_incident(write_incident(tmp_path, name))
    page = page_of(run, incidents={name: incident})
    windows = [block["window"] for block in blocks_of(page)]

    assert [window is None for window in windows].count(False) == 1
    assert f"{name}: this incident changed since the run: its evidence and truth" in page


def test_runs_of_different_scorers_are_not_shown_without_a_warning(run: Results) -> None:
    """Their verdicts cannot be held against each other."""
    page = page_of(run, replace(run, scorer_digest="other"))

    assert "scored by different scorers" in page
    assert "scored by different scorers" not in page_of(run, run)


def test_what_became_worse_is_linked_to_its_answers(run: Results) -> None:
    """The gate's line, the families, and every change with the answers of then and now."""
    new = next(cell for cell in run.cells if cell.verdict == "wrong")
    base = replace(new, verdict="pass", checks=())
    info = next(one for one in run.incidents if one.id == new.key.incident)
    pair = Pair(info, new.key.column, (base,), (new,))
    family = Family(new.key.column, "faulty held-out", (pair,), judge([[pair.rounds]])[0])
    held = Comparison(run.run, "regressed", (f"it fell {HOSTILE}",), ("too small",), (family,), ())
    page = page_of(run, comparison=held)
    section = page[page.index("Against the baseline") : page.index("In detail")]

    assert "gate: red (regressed)" in section
    assert "too small" in section
    assert "faulty held-out" in section
    assert re.search(rf'href="#/{new.key.incident}/\d+/{new.key.round}"', section)
    assert "<script>alert" not in section
    assert "Against the baseline" not in page_of(run)


def test_a_missing_jinja2_is_said_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence that names who asked for it."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(OptionError, match=r"--rca-html needs jinja2, .* pytest-rcabench\[html\]"):
        html_report.require_jinja2("--rca-html")
