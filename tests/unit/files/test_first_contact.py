"""First contacts as the record of runs remembers them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_rcabench.domain.first_contact import contacts_in
from pytest_rcabench.domain.run import ColumnInfo, Results
from pytest_rcabench.files.first_contact import contacts_before
from pytest_rcabench.files.journal import open_run
from pytest_rcabench.files.results import read_results, run_header, write_results

GOLDEN = Path(__file__).parents[2] / "golden" / "results.json"


@pytest.fixture
def run() -> Results:
    """Return a run, the first of all."""
    return _named("20261101-first", read_results(GOLDEN))


def _named(name: str, run: Results) -> Results:
    return replace(run, run=replace(run.run, id=name, started=f"2026-{name}", finished="later"))


def _keep(record: Path, run: Results) -> None:
    write_results(record / "runs" / run.run.id / "results.json", run)


def test_a_first_run_has_nothing_before_it(run: Results, tmp_path: Path) -> None:
    """Its own answers are its first contacts, and are not listed twice."""
    _keep(tmp_path, run)

    assert contacts_before(tmp_path, run) == ()


def test_a_later_run_knows_the_first_contacts(run: Results, tmp_path: Path) -> None:
    """Those of its own systems, and of no others."""
    _keep(tmp_path, run)
    again = _named("20261102-second", run)
    stranger = replace(again, columns=(ColumnInfo(again.columns[0].name, "another"),))
    known = [one for one in contacts_in(run) if one.system == "heuristic"]

    assert contacts_before(tmp_path, again) == contacts_in(run)
    assert known
    assert contacts_before(tmp_path, replace(stranger, cells=again.cells)) == ()


def test_what_was_found_outlives_the_run(run: Results, tmp_path: Path) -> None:
    """Old runs are tidied away; without the list, what is left of them counts."""
    _keep(tmp_path, run)
    second, third = _named("20261102-second", run), _named("20261103-third", run)
    contacts_before(tmp_path, second)
    _keep(tmp_path, second)
    (tmp_path / "runs" / run.run.id / "results.json").unlink()
    kept = contacts_before(tmp_path, third)
    (tmp_path / "first-contact.json").write_text("[]")

    assert {contact.run for contact in kept} == {run.run.id}
    assert {contact.run for contact in contacts_before(tmp_path, third)} == {second.run.id}


def test_a_killed_run_counts_and_is_read_again_when_it_went_on(
    run: Results, tmp_path: Path
) -> None:
    """Its journal holds what it was told; what it still lacks may come."""
    second = _named("20261102-second", run)
    plan = [cell.key for cell in run.cells]
    journal = open_run(
        tmp_path, run_id=run.run.id, header=run_header(run, plan=plan, rounds=1, settings={})
    )
    journal.answered(run.cells[0])
    journal.close()
    first = contacts_before(tmp_path, second)
    _keep(tmp_path, run)

    assert {contact.incident for contact in first} == {run.cells[0].key.incident}
    assert contacts_before(tmp_path, second) == contacts_in(run)


def test_a_damaged_run_is_passed_over(run: Results, tmp_path: Path) -> None:
    """It is told when it is asked for by name."""
    _keep(tmp_path, run)
    (tmp_path / "runs" / "20261101-broken").mkdir()
    (tmp_path / "runs" / "20261101-broken" / "results.json").write_text("{")

    assert contacts_before(tmp_path, _named("20261102-second", run)) == contacts_in(run)
