"""The ledger and the folders of the sets tell the same story."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.run import Move
from pytest_rcabench.files.moves import write_moves
from pytest_rcabench.lint.ledger import ledger_problems
from pytest_rcabench.lint.rules import lint_paths

if TYPE_CHECKING:
    from collections.abc import Callable


def _move(incident: str) -> Move:
    return Move(incident, "2026-12-03", "1.2.10", "the prompt shows hosts")


@pytest.fixture
def moved(
    tmp_path: Path, write_incident: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Return the ledger of a set of two, one of which moved as it should, in this folder."""
    write_incident(tmp_path / "incidents" / "held_out", "leak")
    write_incident(tmp_path / "incidents" / "tuned", "skew")
    monkeypatch.chdir(tmp_path)
    ledger = Path("incidents/moves.yaml")
    write_moves(ledger, [_move("skew")])
    return ledger


def _problems(ledger: Path) -> list[str]:
    return list(map(str, ledger_problems(ledger)))


def test_an_honest_move_is_clean(moved: Path) -> None:
    """A file in the tuned set, and an entry that says why."""
    assert _problems(moved) == []


def test_a_tuned_file_without_an_entry_is_an_error(moved: Path) -> None:
    """Nobody could tell what the incident led to, even where there is no ledger at all."""
    wanted = (
        "incidents/tuned/skew.yaml:1:1: is tuned, and incidents/moves.yaml does not say why; "
        '`git mv` it back and use `rcabench move skew --because "…" --change …`, or write the entry'
    )
    write_moves(moved, [])
    without_entry = _problems(moved)
    moved.unlink()

    assert without_entry == _problems(moved) == [wanted]


def test_an_entry_without_a_file_is_an_error(moved: Path) -> None:
    """What failed cannot be deleted either."""
    write_moves(moved, [_move("skew"), _move("gone")])

    [problem] = _problems(moved)

    assert problem.startswith("incidents/moves.yaml:7:16: moves[1].incident: gone has no file in ")


def test_a_move_back_is_an_error(moved: Path) -> None:
    """An incident that a product was tuned on is never held out again."""
    Path("incidents/tuned/skew.yaml").rename("incidents/held_out/skew.yaml")

    [problem] = _problems(moved)

    assert problem.startswith(
        "incidents/moves.yaml:5:20: moves[0].incident: skew moved on 2026-12-03 and is held out "
        "again, in incidents/held_out/skew.yaml; no move has a way back: "
    )


def test_a_move_without_a_reason_is_an_error(moved: Path) -> None:
    """The ledger cannot be used, and nothing else is said of it."""
    text = moved.read_text(encoding="utf-8").replace(', because: "the prompt shows hosts"', "")
    moved.write_text(text, encoding="utf-8")
    [problem] = _problems(moved)

    assert problem.endswith("moves[0].because: is missing; write down why it is no longer held out")


@pytest.mark.parametrize(
    "path", ["incidents", "incidents/held_out/leak.yaml", "incidents/moves.yaml"]
)
def test_the_lint_reads_the_ledger_beside_what_it_is_given(moved: Path, path: str) -> None:
    """A folder, a file, or the ledger itself, as a pre-commit hook names it."""
    write_moves(moved, [])
    errors = [str(error) for error in lint_paths([Path(path)]).errors]

    assert any(error.startswith("incidents/tuned/skew.yaml:1:1: is tuned, and") for error in errors)


def test_other_files_of_a_set_are_no_incidents(moved: Path) -> None:
    """A folder may hold anything beside incidents."""
    Path("incidents/tuned/notes.yaml").write_text("on: [push]\n", encoding="utf-8")

    assert _problems(moved) == []


def test_a_folder_without_sets_may_have_a_ledger(
    moved: Path, write_incident: Callable[..., Any]
) -> None:
    """Its incidents are held out until they move to a folder named tuned."""
    write_incident(Path("own"), "pool")
    write_moves(Path("own/moves.yaml"), [_move("pool")])

    assert "pool moved on 2026-12-03 and is held out again" in _problems(Path("own/moves.yaml"))[0]
    assert _problems(moved) == []
