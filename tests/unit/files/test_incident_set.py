"""Where incident files lie."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.domain.run import Move
from pytest_rcabench.files.incident_set import copy_incidents, find_incidents, shipped_incidents
from pytest_rcabench.files.moves import read_moves, write_moves

if TYPE_CHECKING:
    from pathlib import Path

HEALTHY = """\
schema: rcabench/1
id: {0}
title: Nothing happens
kind: healthy
difficulty: easy
canary: "rcabench canary 0123456789abcdef0123456789abcdef"
source: {{origin: written}}
window: {{start: "2026-10-07T13:00:00Z", end: "2026-10-07T14:00:00Z"}}
logs:
  - service: api
    host: api-1
    format: plain
    lines: |
      2026-10-07T13:00:04Z INFO {1}
"""


def _write(folder: Path, name: str, message: str = "ready") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.yaml"
    path.write_text(HEALTHY.format(name, message))
    return path


def test_the_shipped_set_holds_incidents() -> None:
    """A checkout and an installation both find it."""
    assert list((shipped_incidents() / "held_out").glob("*.yaml"))


def test_a_copy_holds_every_incident_and_is_not_overwritten(tmp_path: Path) -> None:
    """What a user changed stays, and is told; what is the same is no news."""
    written, kept = copy_incidents(tmp_path / "mine")
    changed = written[1]
    changed.write_text("mine")

    assert kept == ()
    assert {path.parent.name for path in written} <= {"mine", "held_out", "tuned"}
    assert copy_incidents(tmp_path / "mine") == ((), (changed,))
    assert changed.read_text() == "mine"


def test_an_editor_finds_the_schema_of_a_copy(tmp_path: Path) -> None:
    """The first line of an incident names a file that is there."""
    written, _ = copy_incidents(tmp_path)
    incident = next(path for path in written if path.parent.name == "held_out")
    line = incident.read_text(encoding="utf-8").partition("\n")[0]

    assert (incident.parent / line.partition("$schema=")[2]).resolve() == tmp_path / "incident.json"
    assert json.loads((tmp_path / "incident.json").read_bytes())["type"] == "object"


def test_an_incident_that_moved_in_a_copy_stays_moved(tmp_path: Path) -> None:
    """Another copy brings neither the incident back nor the ledger down."""
    written, _ = copy_incidents(tmp_path)
    incident = next(path for path in written if path.parent.name == "held_out")
    (tmp_path / "tuned").mkdir(exist_ok=True)
    incident.rename(tmp_path / "tuned" / incident.name)
    ledger = tmp_path / "moves.yaml"
    write_moves(
        ledger,
        [*read_moves(ledger), Move(incident.stem, "2026-12-03", "1.2.10", "it led to a fix")],
    )

    assert copy_incidents(tmp_path) == ((), ())
    ledger.write_text("moves: []\n")
    assert copy_incidents(tmp_path) == ((), (ledger,))


def test_a_copy_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A file in the way is an error with its path."""
    (tmp_path / "mine").write_text("")

    with pytest.raises(RcabenchError, match=r"mine.*: cannot be copied: .*; choose another folder"):
        copy_incidents(tmp_path / "mine")


def test_incidents_are_found_at_their_own_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run's own paths come first, seen from the folder where the command runs."""
    _write(tmp_path / "incidents", "quiet")
    monkeypatch.chdir(tmp_path)
    found = find_incidents({"quiet": "incidents/quiet.yaml"}, [])

    assert found["quiet"].title == "Nothing happens"


def test_given_folders_replace_all_other_places(tmp_path: Path) -> None:
    """Whoever names folders wants the incidents of these and no others."""
    own = _write(tmp_path / "old", "quiet", "old")
    _write(tmp_path / "new" / "held_out", "quiet", "new")
    found = find_incidents({"quiet": str(own), "gone": "gone.yaml"}, [tmp_path / "new"])

    assert list(found) == ["quiet"]
    assert found["quiet"].evidence.logs[0].message.endswith("new")


def test_the_shipped_set_is_the_last_resort(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results from elsewhere can be scored when they are about shipped incidents."""
    monkeypatch.chdir(tmp_path)
    shipped = next(iter(sorted((shipped_incidents() / "held_out").glob("*.yaml"))))

    assert list(find_incidents({shipped.stem: "gone.yaml"}, [])) == [shipped.stem]


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    """A typing mistake is no empty set."""
    with pytest.raises(RcabenchError, match="none: no such folder; name one"):
        find_incidents({}, [tmp_path / "none"])
