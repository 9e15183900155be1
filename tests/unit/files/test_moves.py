"""The ledger of moves between the sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_rcabench.domain.errors import IncidentError
from pytest_rcabench.domain.run import Move
from pytest_rcabench.files.incident_names import looks_like_incident
from pytest_rcabench.files.moves import ledger_of, read_ledger, read_moves, write_moves

MOVES = (
    Move("clock-skew", "2026-12-03", "1.2.10", "the prompt shows which host a line came from"),
    Move("no", "2026-12-04", "https://example.org/c/4f1c", 'a "quoted": # reason\nof two lines'),
)
ENTRY = '- {incident: a, date: "2026-12-03", change: c0ffee0, because: it led to a fix}'


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Reasons are free text, and an id may be a word that YAML takes for a switch."""
    path = tmp_path / "moves.yaml"
    write_moves(path, MOVES)

    assert read_moves(path) == MOVES
    assert read_ledger(path)[1].node(("moves", 1, "change")).line > 6


def test_a_set_without_a_ledger_has_no_moves(tmp_path: Path) -> None:
    """Nothing moved until something does."""
    assert read_moves(tmp_path / "moves.yaml") == ()


def test_an_empty_ledger_is_one(tmp_path: Path) -> None:
    """It says that nothing moved."""
    write_moves(tmp_path / "moves.yaml", ())

    assert read_moves(tmp_path / "moves.yaml") == ()


def test_a_ledger_is_no_incident(tmp_path: Path) -> None:
    """It lies where pytest collects."""
    write_moves(tmp_path / "moves.yaml", MOVES)

    assert not looks_like_incident(tmp_path / "moves.yaml")


@pytest.mark.parametrize(
    ("incident", "ledger"),
    [
        ("incidents/held_out/a.yaml", "incidents/moves.yaml"),
        ("incidents/tuned/deep/a.yaml", "incidents/moves.yaml"),
        ("own/a.yaml", "own/moves.yaml"),
    ],
)
def test_a_ledger_lies_beside_the_sets(incident: str, ledger: str) -> None:
    """One for both sets, and one for a folder that has none."""
    assert ledger_of(Path(incident)) == Path(ledger)


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        (ENTRY.replace("it led to a fix", '" "'), "3:65: moves[0].because: ' ' is no reason; "),
        (ENTRY.replace(", because: it led to a fix", ""), "moves[0].because: is missing; write"),
        (ENTRY.replace("c0ffee0", '"the fix"'), "moves[0].change: 'the fix' is no commit, address"),
        (ENTRY.replace("12-03", "12-33"), "moves[0].date: '2026-12-33' is a day that does not"),
        (ENTRY.replace("2026-12-03", "3 Dec"), "moves[0].date: '3 Dec' is no day; write it like"),
        (ENTRY.replace(": a,", ": A b,"), "moves[0].incident: 'A b' is no id; write"),
        (ENTRY.replace("{", "{when: now, "), "moves[0].when: is no known key; known here"),
        (f"{ENTRY}\n  {ENTRY}", "4:16: moves[1].incident: a moved already, see moves[0]; delete"),
        ("clock-skew", "moves: is a text, not a list; write"),
    ],
)
def test_what_is_wrong_with_a_ledger_is_told_with_its_place(
    tmp_path: Path, entries: str, problem: str
) -> None:
    """Line, key and remedy, as for an incident."""
    path = tmp_path / "moves.yaml"
    path.write_text(f"schema: rcabench-moves/1\nmoves:\n  {entries}\n", encoding="utf-8")

    with pytest.raises(IncidentError) as caught:
        read_moves(path)

    assert problem in str(caught.value)


def test_a_ledger_of_another_version_is_refused(tmp_path: Path) -> None:
    """What it says may mean something else."""
    path = tmp_path / "moves.yaml"
    path.write_text("schema: rcabench-moves/2\nmoves: []\n", encoding="utf-8")

    with pytest.raises(IncidentError, match="'rcabench-moves/2' is not read by this version"):
        read_moves(path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"moves: [\n"])
def test_a_file_that_is_no_ledger_is_told(tmp_path: Path, content: bytes) -> None:
    """Empty, of another encoding, or broken."""
    path = tmp_path / "moves.yaml"
    path.write_bytes(content)

    with pytest.raises(IncidentError, match=r"moves\.yaml:"):
        read_moves(path)


def test_a_folder_in_place_of_a_ledger_is_told(tmp_path: Path) -> None:
    """The path and what to do."""
    with pytest.raises(IncidentError, match=r"1:1: the file cannot be read \(Is a directory\); "):
        read_moves(tmp_path)
