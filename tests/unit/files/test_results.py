"""Results files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.analysis import Attempt
from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.run import Move, RunKey, unmeasured_cell
from pytest_rcabench.files.journal import open_run
from pytest_rcabench.files.results import (
    RESULTS_NAME,
    read_results,
    results_from_json,
    run_header,
    write_results,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rcabench.domain.run import Results

GOLDEN = Path(__file__).parents[2] / "golden" / "results.json"


@pytest.fixture
def run() -> Results:
    """Return a small run with every kind of cell."""
    return read_results(GOLDEN)


def _record(folder: Path, run: Results, run_id: str, *, planned: int = 12) -> None:
    plan = [RunKey("one", "heuristic", number) for number in range(planned)]
    header = run_header(run, plan=plan, rounds=1, settings={})
    journal = open_run(folder, run_id=run_id, header=header)
    for cell in run.cells:
        journal.answered(cell)
    journal.close()


def test_results_come_back_from_a_file_as_they_were(run: Results, tmp_path: Path) -> None:
    """Nothing is lost on the way out and in."""
    run = replace(
        run, moves=(Move("one", "2026-11-30", "1.2.10", "the prompt changed", "c0ffee0"),)
    )
    write_results(tmp_path / "a.json", run)

    assert read_results(tmp_path / "a.json") == run


def test_a_file_without_must_pass_is_read(run: Results) -> None:
    """Results from before the gate say nothing of it, and can be read all the same."""
    value = json.loads(GOLDEN.read_text(encoding="utf-8"))
    for incident in value["incidents"]:
        del incident["must_pass"]

    assert run == results_from_json(value)


def test_a_file_without_models_and_request_ids_is_read(run: Results) -> None:
    """Results from before they were kept say nothing of them."""
    value = json.loads(GOLDEN.read_text(encoding="utf-8"))
    for cell in value["cells"]:
        del cell["model"], cell["request_id"]

    cells = tuple(replace(cell, model="", request_id="") for cell in run.cells)
    assert results_from_json(value) == replace(run, cells=cells)


def test_the_order_of_cells_does_not_matter(run: Results, tmp_path: Path) -> None:
    """Equal runs give equal bytes, however their answers came in."""
    write_results(tmp_path / "a.json", run)
    write_results(tmp_path / "b.json", replace(run, cells=run.cells[::-1]))

    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_each_cell_has_a_line_of_its_own(run: Results) -> None:
    """A diff of two runs shows the cells that differ."""
    lines = GOLDEN.read_text().splitlines()

    assert sum(line.startswith('  {"incident":') for line in lines) == len(run.cells)


def test_a_record_gives_the_same_results_as_the_file(run: Results, tmp_path: Path) -> None:
    """A run that was killed before it wrote its results is read from its journal."""
    _record(tmp_path, run, "one")

    assert read_results(tmp_path / "runs" / "one") == run
    assert read_results(tmp_path / "runs" / "one" / "journal.jsonl") == run


def test_a_record_folder_gives_its_newest_run(run: Results, tmp_path: Path) -> None:
    """Naming .rcabench is enough."""
    _record(tmp_path, run, "20261130T1")
    _record(tmp_path, replace(run, prompt_digest="newer"), "20261130T2")

    assert read_results(tmp_path).prompt_digest == "newer"


def test_results_beside_a_journal_are_preferred(run: Results, tmp_path: Path) -> None:
    """The file that was written at the end knows when the run finished."""
    _record(tmp_path, run, "one")
    write_results(tmp_path / "runs" / "one" / RESULTS_NAME, replace(run, prompt_digest="file"))

    assert read_results(tmp_path).prompt_digest == "file"


def test_a_record_with_fewer_cells_than_planned_is_not_complete(
    run: Results, tmp_path: Path
) -> None:
    """An interrupted run never passes for a whole one."""
    _record(tmp_path, run, "one", planned=13)

    assert read_results(tmp_path).complete is False


def test_the_last_answer_of_a_key_counts(run: Results, tmp_path: Path) -> None:
    """A cell that was asked again after an interruption is one cell."""
    first = run.cells[0]
    again = unmeasured_cell(first.key, "network", "reset")
    _record(tmp_path, replace(run, cells=(*run.cells, again)), "one")

    assert read_results(tmp_path).cells == (again, *run.cells[1:])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file; name a file written by --rca-json"),
        (b"", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "is no results file"),
        (b'{"message": "Not Found"}', "is no results file"),
        (b'{"schema": "rcabench-results/2"}', "'rcabench-results/2' is not 'rcabench-results/1'"),
        (b'{"schema": "rcabench-results/1"}', "'columns' is missing"),
    ],
)
def test_what_is_no_results_file_is_refused_with_a_remedy(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    """Place, problem and remedy in one line, and no traceback of ours."""
    path = tmp_path / "r.json"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(RecordError) as caught:
        read_results(path)
    text = str(caught.value)

    assert text.startswith(f"{path}: ")
    assert message in text
    assert ";" in text
    assert "\n" not in text


def _edit(*path: str | int, to: object) -> Callable[[Any], None]:
    def edit(value: Any) -> None:  # noqa: ANN401 - any JSON
        for step in path[:-1]:
            value = value[step]
        if to is None:
            del value[path[-1]]
        else:
            value[path[-1]] = to

    return edit


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        (_edit("run", "git", "head", to=5), "run.git: head: 5"),
        (_edit("run", to=[]), "run: []"),
        (_edit("incidents", 1, "title", to=None), "incidents[1]: 'title' is missing"),
        (_edit("columns", 0, to="gemini"), "columns[0]: is no object"),
        (_edit("cells", 3, to=1), "cells[3]: is no object"),
        (_edit("cells", 3, "verdict", to="great"), "cells[3]: verdict: 'great' is none of pass"),
        (_edit("cells", 3, "round", to="1"), "cells[3]: round: '1'"),
        (_edit("cells", 3, "usage", to={}), "cells[3]: is no cell ('input_tokens')"),
        (_edit("cells", 0, "column", to="claude"), "clock-skew::claude::r1 is there twice, or its"),
        (_edit("cells", 1, "round", to=1), "clock-skew::gemini::r1 is there twice"),
        (_edit("cells", 3, "checks", to=["x"]), "cells[3]: checks[0]"),
    ],
)
def test_a_damaged_entry_is_named(edit: Callable[[Any], None], place: str) -> None:
    """Whoever edited a file by hand is told where to look."""
    value = json.loads(GOLDEN.read_text())
    edit(value)

    with pytest.raises(RecordError) as caught:
        results_from_json(value, "r.json")

    assert place in str(caught.value)


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    """The message names the folder and what would do."""
    with pytest.raises(RecordError, match=r"holds neither results\.json nor journal\.jsonl; name"):
        read_results(tmp_path)


def test_a_failed_write_leaves_the_old_file(run: Results, tmp_path: Path) -> None:
    """Half a report never replaces a whole one, and no litter stays."""
    path = tmp_path / "r.json"
    write_results(path, run)
    before = path.read_bytes()
    broken = replace(
        run,
        cells=(unmeasured_cell(RunKey("a", "b", 1), "x", "y", (Attempt(float("nan"), "z"),)),),
    )
    with pytest.raises(ValueError, match="JSON"):
        write_results(path, broken)

    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["r.json"]


def test_a_path_that_cannot_be_written_is_told(run: Results, tmp_path: Path) -> None:
    """A folder in place of the file, or the other way round, is an error with its path."""
    (tmp_path / "file").write_text("")

    with pytest.raises(RecordError, match=f"{tmp_path}: cannot be written: Is a directory"):
        write_results(tmp_path, run)
    with pytest.raises(RecordError, match="cannot be written"):
        write_results(tmp_path / "file" / "r.json", run)
