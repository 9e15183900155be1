"""The HTML report in a real browser: it opens from disk, asks nobody, and is read by anyone."""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.cli import main
from pytest_rcabench.domain.analysis import Analysis, Attempt, Issue, Severity, Usage
from pytest_rcabench.domain.incident import LogRecord
from pytest_rcabench.domain.run import (
    ColumnInfo,
    GitState,
    Results,
    RunInfo,
    RunKey,
    incident_info,
    measured_cell,
    unmeasured_cell,
)
from pytest_rcabench.domain.scoring import score, scorer_digest
from pytest_rcabench.engine.protocols import analyze
from pytest_rcabench.engine.systems.controls import control
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.reports.html.page import render_html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.run import Cell
    from tests.acceptance.conftest import Bench

SHIPPED = Path(__file__).parents[2] / "incidents" / "held_out"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
MUST_RUN = bool(os.environ.get("CI"))  # read before the suite takes it from the environment
LEAK = "#/connection-leak"
INNOCENT = "d8531bf62e7a09c4413d5fe8a672c09b3e16fd74"
HOSTILE = (
    "<script>window.owned = 1</script></textarea></script><img src=x onerror=window.owned=1> "
    "\x1b[31mred\x1b[0m \u202eright to left\u202c &lt; 'a' \"b\""
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Return a headless Chromium; without one these tests are skipped, but never in CI."""
    for is_there, what in (
        (CHROMIUM, "no Chromium here: install Debian's package `chromium`"),
        (importlib.util.find_spec("playwright"), "playwright is missing: install the extra `test`"),
    ):
        if not is_there and MUST_RUN:
            pytest.fail(what)
        elif not is_there:
            pytest.skip(f"NOT TESTED: {what}")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - it may be missing

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def incidents() -> dict[str, Incident]:
    """Return three shipped incidents: a bad deploy, a flag, and a healthy window."""
    names = ("connection-leak", "feature-flag-rollout", "traffic-spike-absorbed")
    return {name: read_incident(SHIPPED / f"{name}.yaml") for name in names}


@pytest.fixture(scope="module")
def report(incidents: dict[str, Incident], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a report with every verdict, two columns and two rounds."""
    return written(tmp_path_factory.mktemp("report"), results_of(incidents), incidents)


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page; what it complains of and asks for fails the test."""
    contexts, said, asked = [], [], []

    def open_page(address: str, *, width: int = 1280, **settings: Any) -> Page:  # noqa: ANN401 - Playwright's
        context = chromium.new_context(viewport={"width": width, "height": 900}, **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)  # a busy machine is no fault
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        if "#/" in address:
            page.wait_for_selector("#cell-title")
        return page

    yield open_page
    for context in contexts:
        context.close()

    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def results_of(incidents: dict[str, Incident]) -> Results:
    """Return a run of two rounds: a column that is right, and one with every other verdict."""
    cells = []
    for name, incident in incidents.items():
        for number in (1, 2):
            right = analyze(control("oracle"), incident, number)
            cells.append(_cell(incident, RunKey(name, "right", number), right))
            key = RunKey(name, "mixed", number)
            if name == "connection-leak" and number == 1:
                cells.append(_cell(incident, key, _blaming_another(right, incident)))
            elif name == "traffic-spike-absorbed" and number == 1:
                cells.append(unmeasured_cell(key, "quota", "the day's requests are used up"))
            else:
                cells.append(_cell(incident, key, Analysis()))
    return Results(
        run=RunInfo("run-1", "2026-11-30T09:00:00Z", "2026-11-30T09:01:00Z", GitState(), (), "0"),
        scorer_digest=scorer_digest(),
        prompt_digest="",
        columns=(ColumnInfo("right", "control"), ColumnInfo("mixed", "command", label="1.2")),
        incidents=tuple(
            incident_info(incident, incident.place.path) for incident in incidents.values()
        ),
        cells=tuple(sorted(cells, key=lambda cell: cell.key)),
    )


def written(folder: Path, results: Results, incidents: dict[str, Incident]) -> str:
    """Return the address of the report on *results*, written into *folder*."""
    path = folder / "report.html"
    path.write_text("".join(render_html(results, incidents=incidents)), encoding="utf-8")
    return path.as_uri()


def shown_rows(page: Page) -> list[str]:
    """Return the ids of the rows that are seen."""
    rows = page.locator("tr.incident:visible").all()
    return [row.get_attribute("data-id") or "" for row in rows]


def focused(page: Page) -> str:
    """Return the name that a screen reader gives what has the focus."""
    return str(page.evaluate("document.activeElement.getAttribute('aria-label')"))


def test_the_grid_comes_first_with_a_mark_for_every_round(
    visit: Callable[..., Page], report: str
) -> None:
    """Nothing has to be opened to see which incident failed in which round."""
    page = visit(report)
    marks = [cell.inner_text() for cell in page.locator("tr.incident td.marks").all()]

    assert marks == ["✓✓", "½✗", "✓✓", "✗✗", "✓✓", "⚠✓"]
    assert page.locator("h2:visible").first.inner_text() == "Every incident, every round"


def test_a_filter_leaves_the_rows_that_it_names(visit: Callable[..., Page], report: str) -> None:
    """By kind, set, verdict and text; how many are left is said, and one click undoes it."""
    page = visit(report)
    leak, flag, spike = "connection-leak", "feature-flag-rollout", "traffic-spike-absorbed"
    for name, value, rows in (
        ("kind", "healthy", [spike]),
        ("section", "held out", [leak, flag, spike]),
        ("verdict", "half", [leak]),
        ("verdict", "half wrong", [leak, flag]),
        ("verdict", "unmeasured", [spike]),
        ("verdict", "split", [leak]),
        ("text", "FLAG", [flag]),
    ):
        field = page.locator(f"#filters [name={name}]")
        (field.fill if name == "text" else field.select_option)(value)

        assert (value, shown_rows(page)) == (value, rows)
        assert page.locator("#count").inner_text().startswith(str(len(rows)))

        page.get_by_role("button", name="Clear").click()

        assert shown_rows(page) == [leak, flag, spike]


def test_one_column_can_be_looked_at_alone(visit: Callable[..., Page], report: str) -> None:
    """And a verdict then counts in that column only."""
    page = visit(report)
    page.locator("#filters [name=column]").select_option("right · rounds 1–2")

    assert page.locator("tr.incident td.marks:visible").count() == 3

    page.locator("#filters [name=verdict]").select_option("wrong")

    assert shown_rows(page) == []


def test_the_keyboard_opens_a_cell_and_comes_back(visit: Callable[..., Page], report: str) -> None:
    """One tab stop for the grid, arrows within it, Enter to open, Escape to the mark again."""
    page = visit(report)
    page.locator("#filters button").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    for key in ("ArrowDown", "ArrowUp", "End"):
        page.keyboard.press(key)

    assert focused(page) == "connection-leak, mixed, round 2: wrong"

    page.keyboard.press("Enter")
    page.wait_for_selector("#cell-title")

    assert page.evaluate("document.activeElement.id") == "cell-title"

    page.keyboard.press("Escape")
    page.wait_for_selector("#overview")

    assert focused(page) == "connection-leak, mixed, round 2: wrong"


def test_a_cell_says_what_was_answered_and_why_it_counts(
    visit: Callable[..., Page], report: str
) -> None:
    """The half: its root cause is right, an innocent commit is blamed beside it."""
    page = visit(f"{report}{LEAK}/2/1")
    text = page.locator("#cell").inner_text()
    checks = [check.inner_text() for check in page.locator(".checks li").all()]

    assert "right root cause, but another check failed" in text
    assert [check.split(":")[0] for check in checks[:3]] == [
        "✓service passed",
        "✓cause passed",
        "✓commit passed",
    ]
    assert any("innocent failed" in check and INNOCENT[:10] in check for check in checks)
    assert page.locator(".issue").count() == 2
    assert "1,204" in text
    assert "$0.0123" in text
    assert "429 after 500 ms, ok after 2.00 s" in text


def test_a_missing_answer_is_told_with_its_reason(visit: Callable[..., Page], report: str) -> None:
    """It is no verdict, and the page does not pretend that there is one."""
    page = visit(f"{report}#/traffic-spike-absorbed/2/1")

    assert "quota the day's requests are used up" in page.locator(".answer").inner_text()


def test_the_window_is_drawn_with_culprit_distractors_and_onset(
    visit: Callable[..., Page], report: str, incidents: dict[str, Incident]
) -> None:
    """One picture: changes, alerts, a lane a level, metrics, and more of them on demand."""
    page = visit(f"{report}{LEAK}/2/1")
    picture = page.locator("svg.picture")
    text = picture.text_content() or ""

    assert "culprit" in text
    assert "d1" in text
    assert "onset 13:33:04" in text
    assert "alert checkout-web" in text
    for level in ("ERROR", "WARN", "INFO"):
        assert level in text
    assert picture.locator("path.line").count() == 12

    page.get_by_role("button", name="Show all").click()
    every = len(incidents["connection-leak"].evidence.metrics)

    assert page.locator("svg.picture path.line").count() == every


def test_a_blamed_commit_opens_its_diff(visit: Callable[..., Page], report: str) -> None:
    """What was added and removed differs by sign and colour, and why it misleads is said."""
    page = visit(f"{report}{LEAK}/2/1")
    page.locator(".issue button.link", has_text=INNOCENT[:10]).click()
    change = page.locator("details.change[open]")

    assert "distractor 1" in change.locator("summary").inner_text()
    assert "changes the number in the error" in change.inner_text()
    added = change.locator(".diff .added").first

    assert added.inner_text().startswith("+")
    assert colour(added) != colour(change.locator(".diff .removed").first)


def test_evidence_leads_to_its_log_line(visit: Callable[..., Page], report: str) -> None:
    """From a model's quotation to the record, whatever page of the log it stands on."""
    page = visit(f"{report}{LEAK}/2/1")
    page.locator(".to-line").first.click()
    line = page.locator(".lines .target")
    evidence = page.locator(".issue li", has=page.locator(".to-line")).text_content() or ""

    assert evidence.split('"')[1] in (line.text_content() or "")
    assert line.evaluate("line => line === document.activeElement")
    assert line.evaluate("line => line.getBoundingClientRect().top < innerHeight")


def test_the_log_can_be_searched(visit: Callable[..., Page], report: str) -> None:
    """By text, level and service; noise that was planted is named."""
    page = visit(f"{report}{LEAK}/2/1")
    page.locator(".log [name=text]").fill("slow QUERY daily_margin")

    assert page.locator(".lines li").count() > 5
    assert page.locator(".lines mark").first.inner_text() == "slow query daily_margin"
    assert "noise 6" in page.locator(".lines li").first.inner_text()

    page.locator(".log [name=level]").select_option("ERROR and worse")

    assert page.locator(".lines li").count() == 0
    assert page.locator(".log output").inner_text() == "no record"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_system_and_the_switch(
    visit: Callable[..., Page], report: str, scheme: str
) -> None:
    """The switch goes from the system's scheme to light, to dark, and back."""
    page = visit(report, color_scheme=scheme)
    seen = [is_dark(page)]
    for _ in range(3):
        page.locator("#theme").click()
        seen.append(is_dark(page))

    assert seen == [scheme == "dark", False, True, scheme == "dark"]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_nothing_keeps_anybody_from_reading(
    visit: Callable[..., Page],
    incidents: dict[str, Incident],
    tmp_path: Path,
    scheme: str,
    width: int,
) -> None:
    """axe-core finds no fault with names, roles, order or contrast; a phone scrolls one way."""
    # The package carries axe-core; its own wrapper has no types.
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    # Some of each kind: axe takes a minute for thousands of lines that are alike.
    few = {name: _shortened(incident) for name, incident in incidents.items()}
    address = written(tmp_path, results_of(incidents), few)
    for place in ("", f"{LEAK}/2/1"):
        # The page's own policy would keep axe out.
        page = visit(address + place, width=width, color_scheme=scheme, bypass_csp=True)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

        page.evaluate(axe)
        faults = page.evaluate("axe.run().then((found) => found.violations.map((one) => one.id))")

        assert faults == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_paper_there_is_text_and_no_switches(visit: Callable[..., Page], report: str) -> None:
    """Printed, the page is light, and what can only be clicked is gone."""
    page = visit(report, color_scheme="dark")
    page.emulate_media(media="print")

    assert not page.locator("#filters").is_visible()
    assert not is_dark(page)
    assert page.pdf().startswith(b"%PDF")


def test_texts_of_others_are_shown_and_do_nothing(
    visit: Callable[..., Page], incidents: dict[str, Incident], tmp_path: Path
) -> None:
    """Markup, escape sequences, direction marks and a line of a megabyte are texts."""
    incident = incidents["connection-leak"]
    evidence = incident.evidence
    record = LogRecord(evidence.window.start, HOSTILE, HOSTILE, "ERROR", HOSTILE)
    long = record._replace(message="x" * 1_000_000, service="a" * 200)
    changes = (replace(evidence.changes[0], message=HOSTILE, diff=f"+{HOSTILE}\n-\ud800"),)
    evil = replace(
        incident,
        title=HOSTILE,
        evidence=replace(evidence, logs=(record, long), changes=changes),
        distractors=(),
    )
    issue = Issue(HOSTILE, Severity.ERROR, HOSTILE, HOSTILE, (HOSTILE,), (), (HOSTILE,), HOSTILE)
    info = replace(incident_info(evil, evil.place.path), id=HOSTILE, title=HOSTILE)
    key = RunKey(HOSTILE, HOSTILE, 1)
    answer = Analysis((issue,), (HOSTILE,), reply=HOSTILE)
    results = replace(
        results_of({}),
        columns=(ColumnInfo(HOSTILE, "command", HOSTILE, HOSTILE),),
        incidents=(info,),
        cells=(_cell(incident, key, answer),),
    )
    page = visit(written(tmp_path, results, {HOSTILE: evil}))
    page.locator("a.mark").click()
    page.wait_for_selector(".lines li")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    lines = page.locator(".lines .message")

    assert page.evaluate("window.owned") is None
    assert page.locator("img, textarea, script:not([type])").count() == 1  # our own
    assert lines.first.inner_text() == HOSTILE.replace("\x1b", "␛").replace(
        "\u202e", "⟨U+202E⟩"
    ).replace("\u202c", "⟨U+202C⟩")
    assert "⟨U+D800⟩" in page.locator(".diff").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280

    lines.last.get_by_role("button").click()

    assert len(lines.last.inner_text()) == 1_000_000


def test_without_the_incident_there_is_no_window_and_it_is_said(
    visit: Callable[..., Page], incidents: dict[str, Incident], tmp_path: Path
) -> None:
    """The answer is shown all the same."""
    page = visit(written(tmp_path, results_of(incidents), {}) + f"{LEAK}/2/1")

    assert "was not at hand" in page.locator(".no-window").inner_text()
    assert page.locator(".issue").count() == 2


def test_two_runs_stand_side_by_side(
    visit: Callable[..., Page], incidents: dict[str, Incident], tmp_path: Path
) -> None:
    """Each cell opens the answer of its own run."""
    results = results_of(incidents)
    cells = tuple(cell for cell in results.cells if cell.key.column == "right")
    earlier = replace(results.run, id="run-0", started="2026-11-29T09:00:00Z")
    other = replace(results, run=earlier, cells=cells)
    path = tmp_path / "two.html"
    path.write_text("".join(render_html(results, other, incidents=incidents)), encoding="utf-8")
    page = visit(f"{path.as_uri()}{LEAK}/3/2")

    assert page.locator("thead [data-column] .head").all_text_contents()[::2] == [
        "right · 2026-11-30 09:00 · rounds 1–2",
        "right · 2026-11-29 09:00 · rounds 1–2",
    ]
    assert "all checks passed" in page.locator(".verdict").inner_text()


@pytest.mark.parametrize("how", [[], ["-n2"], ["-p", "no:xdist"]])
def test_a_run_writes_the_page_however_it_runs(
    visit: Callable[..., Page], bench: Bench, how: list[str]
) -> None:
    """The windows are those of the files that ran."""
    bench.incident("leak", "half")
    bench.ask("--rca-html=out/report.html", *how)
    page = visit(f"{(bench.path / 'out/report.html').as_uri()}#/leak/1/1")

    assert "wanted: half" in page.locator(".lines").inner_text()


def test_the_command_makes_the_page_of_results(
    visit: Callable[..., Page], bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The incidents are found where the results say that they were."""
    bench.incident("leak", "pass")
    bench.ask("--rca-json=results.json")
    monkeypatch.chdir(bench.path)
    status = main(["report", "results.json", "--html", "report.html"])
    page = visit(f"{(bench.path / 'report.html').as_uri()}#/leak/1/1")

    assert status == 0
    assert "wanted: pass" in page.locator(".lines").inner_text()


def test_without_jinja2_one_sentence_comes_before_the_run(bench: Bench) -> None:
    """Nobody pays for a run whose report cannot be written."""
    bench.incident("leak", "pass")
    (bench.path / "conftest.py").write_text("import sys\nsys.modules['jinja2'] = None\n")
    result = bench.ask("--rca-html=report.html")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --rca-html needs jinja2,*pip install pytest-rcabench?html?*"]
    )
    assert bench.asked() == []


def colour(locator: Any) -> str:  # noqa: ANN401 - Playwright's Locator
    """Return the colour behind an element."""
    return str(locator.evaluate("one => getComputedStyle(one).backgroundColor"))


def is_dark(page: Page) -> bool:
    """Whether the page's ink is lighter than its paper."""
    ink = page.evaluate("getComputedStyle(document.body).color.match(/\\d+/g).map(Number)")
    return bool(sum(ink) > 3 * 128)


def _shortened(incident: Incident) -> Incident:
    evidence = incident.evidence
    changes = tuple(
        replace(change, diff="\n".join(change.diff.split("\n")[:9]))
        for change in evidence.changes[2:6]
    )
    logs = tuple(sorted(evidence.logs)[::300])
    short = replace(evidence, logs=logs, changes=changes, metrics=evidence.metrics[:5])
    return replace(incident, evidence=short)


def _cell(incident: Incident, key: RunKey, analysis: Analysis) -> Cell:
    return measured_cell(key, analysis, score(analysis, incident))


def _blaming_another(right: Analysis, incident: Incident) -> Analysis:
    quoted = min(r for r in incident.evidence.logs if "SQLTransient" in r.message).message
    (issue,) = right.issues
    issue = replace(issue, evidence=(f'orders-api says "{quoted.splitlines()[0]}"',))
    other = Issue("Timeout", Severity.INFO, "orders-api", "a lower timeout", (INNOCENT,))
    attempts = (Attempt(0.5, "429"), Attempt(2.0, "ok"))
    usage = Usage(1204, 88, 0.0123)
    return replace(right, issues=(issue, other), attempts=attempts, usage=usage)
