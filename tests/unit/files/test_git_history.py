"""What commits say of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.files.git_history import INCIDENT_FILES, is_older, proof_facts, read_history
from tests.conftest import git

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rcabench.files.git_history import History

SHAPER = "src/prompt.py"


class Repo:
    """A scratch repository."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "-qb", "main")

    def git(self, *arguments: str) -> str:
        """Return what git says."""
        return git(self.path, *arguments)

    def commit(self, **files: str | None) -> str:
        """Write (or remove) *files*, whose names have __ for / and end in .yaml; return the sha."""
        for name, text in files.items():
            path = self.path / f"{name.replace('__', '/')}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink() if text is None else path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", "change", "--allow-empty")
        return self.git("rev-parse", "HEAD")

    def history(self) -> History:
        """Return its history."""
        return read_history(self.path, (*INCIDENT_FILES, SHAPER))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Return an empty repository."""
    return Repo(tmp_path / "repo")


def _told(history: History, path: str) -> list[tuple[str, str]]:
    return [(change.commit, change.status) for change in history.life(path, history.head)]


def test_a_life_goes_back_to_the_adding_commit_through_renames(repo: Repo) -> None:
    """Moving and renaming change the path, not the file."""
    lines = "".join(f"line {number}\n" for number in range(20))
    added = repo.commit(held__one=lines)
    edited = repo.commit(held__one=lines + "more\n")
    repo.git("mv", "held/one.yaml", "two.yaml")
    moved = repo.commit()

    assert _told(repo.history(), "two.yaml") == [(moved, "R"), (edited, "M"), (added, "A")]


def test_a_change_that_only_a_merge_made_is_seen(repo: Repo) -> None:
    """Whoever edits while merging shows in no ordinary diff."""
    repo.commit(one="one\n", other="x\n")
    repo.git("checkout", "-qb", "side")
    repo.commit(other="y\n")
    repo.git("checkout", "-q", "main")
    repo.commit(third="z\n")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    merged = repo.commit(one="two\n")

    assert _told(repo.history(), "one.yaml")[0] == (merged, "M")


def test_a_file_that_went_and_came_again_begins_anew(repo: Repo) -> None:
    """What it was before its removal is another file's life."""
    repo.commit(one="old\n")
    repo.commit(one=None)
    again = repo.commit(one="new\n")

    assert _told(repo.history(), "one.yaml") == [(again, "A")]


def test_a_commit_that_no_branch_or_tag_holds_is_unknown(repo: Repo) -> None:
    """A stash, a note and a replacement are no history; neither is what a reset left behind."""
    base = repo.commit(one="a\n")
    gone = repo.commit(one="b\n")
    repo.git("reset", "-q", "--hard", base)
    repo.git("replace", base, gone)
    history = repo.history()

    assert base in history
    assert gone not in history
    assert _told(history, "one.yaml") == [(base, "A")]


def test_a_graft_a_cached_graph_and_settings_change_nothing(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """History is what the commits say, whatever the user's git likes to show."""
    first = repo.commit(one="a\n")
    last = repo.commit(two="b\n")
    repo.git("commit-graph", "write", "--reachable")
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/grafts").write_text(f"{last}\n")
    (tmp_path / ".gitconfig").write_text(
        "[diff]\nrenames = false\nrenameLimit = 1\n[log]\nshowSignature = true\n"
        "[color]\nui = always\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    history = repo.history()

    assert history.ancestors(last) == {first, last}
    assert _told(history, "one.yaml") == [(first, "A")]


def test_what_touched_a_folder_or_file_between_two_commits_is_told(repo: Repo) -> None:
    """Only the way from one to the other counts."""
    first = repo.commit(a__one="1")
    second = repo.commit(a__one="2", b="2")
    third = repo.commit(b="3")
    history = repo.history()
    shas = [commit.sha for commit in history.touching(("a/",), third)]

    assert shas == [second, first]
    assert [commit.sha for commit in history.touching(("b.yaml",), third, first)] == [third, second]


def test_an_incident_is_older_than_a_prompt_that_changed_at_or_after_it(repo: Repo) -> None:
    """A change on a side line counts too: nobody shows that it was made without knowing."""
    shaper = repo.path / SHAPER
    early = repo.commit(early="e")
    shaper.parent.mkdir()
    shaper.write_text("1")
    same = repo.commit(same="s")
    repo.git("checkout", "-qb", "side")
    shaper.write_text("2")
    repo.commit()
    repo.git("checkout", "-q", "main")
    beside = repo.commit(beside="b")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "side")
    late = repo.commit(late="l")
    history = repo.history()
    told = [is_older(history, sha, (SHAPER,), history.head) for sha in (early, same, beside, late)]

    assert told == [True, True, True, False]
    assert is_older(history, late, ("elsewhere.py",), history.head) is None


def test_the_facts_of_a_run_name_the_adding_commit(repo: Repo, tmp_path: Path) -> None:
    """A shallow clone and a file that is not committed have no such fact."""
    added = repo.commit(one="a\n")
    repo.commit(one="b\n")
    new = repo.path / "new.yaml"
    new.write_text("new")
    path = repo.path / "one.yaml"
    facts = proof_facts(repo.path, [path, new], (SHAPER,))
    repo.git("clone", "-q", "--depth=1", repo.path.as_uri(), str(tmp_path / "shallow"))
    shallow = tmp_path / "shallow" / "one.yaml"

    assert (facts[path]["added"], facts[path]["older_than_prompt"]) == (added, None)
    assert "added" not in facts[new]
    assert "added" not in proof_facts(shallow.parent, [shallow], ())[shallow]
