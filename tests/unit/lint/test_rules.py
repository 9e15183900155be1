"""The lint says what makes an incident unfair, where, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.lint.rules import lint_paths

SHA, OTHER = "a" * 40, "b" * 40
FAULTY = f"""\
schema: rcabench/1
id: slow-cart
title: Slow cart
kind: bad_deploy
difficulty: easy
source: {{origin: written}}
window: {{start: "2026-10-07T13:00:00Z", end: "2026-10-07T14:00:00Z"}}
logs:
  - service: cart
    host: cart-1
    format: plain
    lines: |
      2026-10-07T13:00:00Z WARN report took 900 ms
      2026-10-07T13:30:00Z ERROR shop-db refused: too many connections
metrics: []
changes:
  - {{type: commit, sha: {SHA}, time: "2026-10-07T13:10:00Z", author: a, service: x, message: m}}
  - {{type: commit, sha: {OTHER}, time: "2026-10-07T13:20:00Z", author: a, service: x, message: m}}
expected:
  service: cart
  onset: "2026-10-07T13:30:00Z"
  cause:
    - [connection*]
    - [leak*, never closed]
  commit: {SHA}
distractors:
  - {{commit: {OTHER}, why: "touches no connection"}}
  - {{noise: "the report", match: "report took", why: "began before the window"}}
examples:
  right: ["Connections leak"]
  wrong: ["The report is slow"]
"""


def _lint(folder: Path, text: str) -> list[str]:
    """Return the errors of *text* in short: line, place and message."""
    (folder / "slow-cart.yaml").write_text(text, encoding="utf-8")
    return [f"{error.line} {error.where}: {error.what}" for error in lint_paths([folder]).errors]


def test_a_fair_incident_is_clean(tmp_path: Path) -> None:
    """The incident that every other test here makes unfair in one way."""
    assert _lint(tmp_path, FAULTY) == []


@pytest.mark.parametrize("name", ["cart", "cart-1", "shop-db", "CART"])
def test_the_expected_name_may_be_a_service_a_host_or_a_word(tmp_path: Path, name: str) -> None:
    """Whatever a reader of the evidence can call it by."""
    assert (
        _lint(tmp_path, FAULTY.replace("service: cart\n  onset", f"service: {name}\n  onset")) == []
    )


def test_another_accepted_name_is_enough(tmp_path: Path) -> None:
    """One of the names must occur, not each."""
    text = FAULTY.replace("service: cart\n  onset", "service: pool\n  also_ok: [cart]\n  onset")

    assert _lint(tmp_path, text) == []


@pytest.mark.parametrize("name", ["car", "shop", "art-1", "checkout"])
def test_a_name_that_nobody_can_find_is_an_error(tmp_path: Path, name: str) -> None:
    """Part of a name is not the name."""
    [error] = _lint(tmp_path, FAULTY.replace("service: cart\n  onset", f"service: {name}\n  onset"))

    assert error == (
        f"20 expected.service: {name} is named nowhere in the evidence; use a name that is"
    )


def test_a_noise_that_begins_with_the_fault_is_an_error(tmp_path: Path) -> None:
    """What is new at the onset is a symptom and no noise."""
    [error] = _lint(
        tmp_path, FAULTY.replace("report took", "too many", 1).replace("report took", "refused")
    )

    assert error.startswith("28 distractors[1].match: 'refused' matches no record before the onset")


def test_an_example_that_the_rubric_misjudges_is_an_error(tmp_path: Path) -> None:
    """The examples are the rubric's own unit tests."""
    [error] = _lint(tmp_path, FAULTY.replace("Connections leak", "The pool is small"))

    assert error.startswith("30 examples: ")
    assert "The pool is small" in error


def test_a_healthy_window_may_declare_a_noise(tmp_path: Path) -> None:
    """Without an onset all of the window is its own past."""
    start, end = FAULTY.index("expected:"), FAULTY.index("distractors:")
    healthy = FAULTY[:start] + FAULTY[end : FAULTY.index("examples:")]

    assert _lint(tmp_path, healthy.replace("bad_deploy", "healthy")) == []


def test_a_broken_file_is_reported_beside_the_others(tmp_path: Path) -> None:
    """One file's problems hide nobody else's."""
    (tmp_path / "broken.yaml").write_text("schema: rcabench/1\nid: other\n", encoding="utf-8")
    errors = _lint(tmp_path, FAULTY.replace("service: cart\n  onset", "service: y\n  onset"))

    assert "20 expected.service: y is named nowhere in the evidence; use a name that is" in errors
    assert len(errors) > 1


def test_two_files_of_one_id_are_an_error(tmp_path: Path) -> None:
    """Results are kept by id, and one of the two would vanish."""
    for name in ("held_out", "own"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "slow-cart.yaml").write_text(FAULTY, encoding="utf-8")
    [error] = lint_paths([tmp_path]).errors

    assert (error.line, error.where) == (2, "id")
    assert "held_out/slow-cart.yaml; rename one of them" in error.what.replace("\\", "/")


def test_an_import_out_of_order_is_a_note(tmp_path: Path) -> None:
    """It is how the data set came, and worth knowing, but nothing to repair."""
    text = FAULTY.replace(
        "{origin: written}", "{origin: imported, name: X, url: U, commit: c, licence: L}"
    )
    (tmp_path / "slow-cart.yaml").write_text(
        text.replace("13:10:00Z", "13:25:00Z"), encoding="utf-8"
    )
    report = lint_paths([tmp_path])

    assert report.errors == ()
    assert [note.where for note in report.notes] == ["changes"]
    assert str(report).splitlines()[0].startswith("note: ")
    assert str(report).splitlines()[-1] == "1 incident: 0 errors, 1 note; 37 of 37 mutants killed"


def test_what_is_unfair_in_an_import_is_a_note(tmp_path: Path) -> None:
    """Nobody here can change it; controls are told in the table alone."""
    text = FAULTY.replace("shop-db refused", "refused after a connection leak")
    mine = _lint(tmp_path, text)
    (tmp_path / "slow-cart.yaml").write_text(
        text.replace(
            "{origin: written}", "{origin: imported, name: X, url: U, commit: c, licence: L}"
        ),
        encoding="utf-8",
    )
    report = lint_paths([tmp_path])

    assert any("alone is an accepted cause" in error for error in mine)
    assert report.errors == ()
    assert any("alone is an accepted cause" in note.what for note in report.notes)


def test_what_shipped_incidents_have_is_noted_of_own_ones(tmp_path: Path) -> None:
    """A small incident is a fine test of one's own."""
    (tmp_path / "slow-cart.yaml").write_text(FAULTY, encoding="utf-8")
    report = lint_paths([tmp_path])

    assert report.errors == ()
    assert "canary: is missing; add a text that occurs nowhere else" in {
        f"{note.where}: {note.what}" for note in report.notes
    }


def test_a_window_that_a_control_solves_is_an_error(tmp_path: Path) -> None:
    """The newest commit says what it did, and of what service."""
    text = FAULTY.replace(
        f'sha: {SHA}, time: "2026-10-07T13:10:00Z", author: a, service: x, message: m',
        f'sha: {SHA}, time: "2026-10-07T13:10:00Z", author: a, service: cart, '
        "message: Let connections leak",
    )
    errors = _lint(tmp_path, text)

    assert any("solved without understanding, by first-listed" in error for error in errors)
    assert any("service and commit are right by first-listed" in error for error in errors)


def test_a_mutant_that_survives_is_an_error(tmp_path: Path) -> None:
    """Here a phrase that no cause can meet."""
    errors = _lint(tmp_path, FAULTY.replace("never closed]", '"drips, drops"]'))

    assert any("the mutant 'in other words: drips, drops' is wrong" in error for error in errors)


def test_the_report_ends_in_figures(tmp_path: Path) -> None:
    """Lines that continue a record, controls that come near, and the count of mutants."""
    (tmp_path / "slow-cart.yaml").write_text(FAULTY, encoding="utf-8")
    lines = str(lint_paths([tmp_path])).splitlines()

    assert "  slow-cart: 0 of 2" in lines
    assert any(line.startswith("  slow-cart: service by ") for line in lines)
    assert lines[-1].endswith(" mutants killed")


def test_a_line_says_whether_it_is_an_error_or_a_note(tmp_path: Path) -> None:
    """Only errors make the exit status 1, so nobody should have to guess."""
    (tmp_path / "broken.yaml").write_text("schema: rcabench/1\nid: other\n", encoding="utf-8")
    lines = str(lint_paths([tmp_path])).splitlines()

    assert lines[0].startswith(f"error: {tmp_path / 'broken.yaml'}:1:1: ")


def test_a_file_is_linted_once_however_often_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder and a file in it, absolute or relative, are one file and no duplicate of itself."""
    _lint(tmp_path, FAULTY)
    monkeypatch.chdir(tmp_path)
    report = lint_paths([tmp_path, Path("slow-cart.yaml")])

    assert (report.files, report.errors) == (1, ())


def test_other_yaml_files_are_left_alone(tmp_path: Path) -> None:
    """A folder may hold anything beside incidents."""
    (tmp_path / "ci.yml").write_text("on: [push]\n", encoding="utf-8")

    assert _lint(tmp_path, FAULTY) == []


@pytest.mark.parametrize("name", ["nothing-here", "."])
def test_a_path_without_an_incident_is_refused(tmp_path: Path, name: str) -> None:
    """A lint of nothing must not be green."""
    with pytest.raises(RcabenchError, match="no incident file here"):
        lint_paths([tmp_path / name])
