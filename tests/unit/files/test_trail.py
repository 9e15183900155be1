"""Trails of incidents; tests/acceptance/test_verify.py follows real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.run import GitState, IncidentInfo
from pytest_rcabench.files.git_history import INCIDENT_FILES, read_history
from pytest_rcabench.files.trail import Trails, anchors_of
from tests.conftest import git

if TYPE_CHECKING:
    from pathlib import Path

LINES = "".join(f"line {number}\n" for number in range(20))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Return a repository whose files are no incidents that any version could read."""
    git(tmp_path, "init", "-q")
    return tmp_path


def _commit(folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "change")
    return git(folder, "rev-parse", "HEAD")


def _info(name: str) -> IncidentInfo:
    return IncidentInfo(
        id=name,
        title="",
        kind="bad_deploy",
        set="held_out",
        difficulty="easy",
        twin_of="",
        graded=(),
        evidence_digest="e",
        truth_digest="t",
        path=f"{name}.yaml",
    )


def test_a_rename_that_brings_other_content_is_a_change(repo: Path) -> None:
    """Git takes a rewritten file under a new name for the old one; the trail says both commits."""
    added = _commit(repo, one=LINES)
    (repo / "one.yaml").unlink()
    changed = _commit(repo, two=LINES.replace("line 3", "row 3"))
    trail = Trails(read_history(repo, INCIDENT_FILES), ()).follow(_info("two"), (changed,))

    assert trail.added
    assert trail.changed
    assert (trail.added.sha, trail.changed.sha) == (added, changed)


def test_what_no_version_can_read_is_not_what_ran(repo: Path) -> None:
    """A file that is no incident proves nothing of one, wherever it lies."""
    head = _commit(repo, one=LINES)
    trails = Trails(read_history(repo, INCIDENT_FILES), ())
    trail = trails.follow(_info("one"), (head,))

    assert (trail.is_what_ran, trail.is_same_now, trail.later) == (False, True, None)
    assert trails.incident(trail) is None
    assert trails.follow(_info("none"), (head,)).then == ""


def test_a_run_is_seen_from_its_commit_or_what_is_left_of_its_parents(repo: Path) -> None:
    """A commit that no branch holds is not looked from, whatever the record says."""
    head = _commit(repo, one=LINES)
    history = read_history(repo, INCIDENT_FILES)

    assert anchors_of(history, GitState(head, parents=("a" * 40,))) == (head,)
    assert anchors_of(history, GitState("b" * 40, parents=("a" * 40, head))) == (head,)
    assert anchors_of(history, GitState()) == ()
