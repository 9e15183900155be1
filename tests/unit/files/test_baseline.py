"""Which files a baseline is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.files.baseline import read_baseline

GOLDEN = Path(__file__).parents[2] / "golden" / "results.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with results files, one with a comma in its name and one beside another."""
    (tmp_path / "record").mkdir()
    (tmp_path / "record" / "first-contact.json").write_text('{"schema": "other/1"}')
    for name in ("a.json", "nightly/7/results.json", "x, y.json", "record/runs/8/results.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(GOLDEN, path)
    return tmp_path


@pytest.mark.parametrize(
    ("texts", "number"),
    [
        (["a.json"], 1),
        (["a.json", "nightly/7"], 2),
        (["a.json, nightly/7/results.json,"], 2),
        (["nightly"], 1),
        (["."], 4),
        (["x, y.json"], 1),
        ([], 0),
        (["record"], 1),
    ],
)
def test_a_baseline_is_files_folders_or_several_of_them(
    texts: list[str], number: int, folder: Path
) -> None:
    """Each option or argument may hold one path or several with commas between them."""
    assert len(read_baseline(texts, folder)) == number


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("gone.json", "gone.json: no such file"),
        ("a.json,gone.json", "gone.json: no such file"),
        ("empty", "empty: holds no results file; keep there what pytest --rca-json writes"),
        ("strange", "strange: holds no results file"),
        ("broken", "cut.json: is not JSON"),
        ("", "the baseline names no file"),
        (" , ", "the baseline names no file"),
    ],
)
def test_a_baseline_that_is_not_there_is_no_baseline(text: str, problem: str, folder: Path) -> None:
    """A gate that finds nothing to hold a run against says so, and lets nothing pass."""
    (folder / "empty").mkdir()
    (folder / "strange").mkdir()
    (folder / "strange" / "other.json").write_text("{}", encoding="utf-8")
    (folder / "broken").mkdir()
    (folder / "broken" / "cut.json").write_bytes(GOLDEN.read_bytes()[:2000])

    with pytest.raises(RecordError, match=problem):
        read_baseline([text], folder)
