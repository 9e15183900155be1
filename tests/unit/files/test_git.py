"""What git says about a checkout."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.domain.run import GitState
from pytest_rcabench.files.git import ask_git, blobs_in, git_facts, git_state
from tests.conftest import git

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with one committed file in a folder with a blank and an umlaut."""
    folder = tmp_path / "checkout"
    (folder / "ä b").mkdir(parents=True)
    (folder / "ä b" / "one.yaml").write_bytes(b"schema: rcabench/1\nid: one\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Add one")
    return folder


def test_a_clean_checkout_is_known_by_its_commit(checkout: Path) -> None:
    """Head, cleanness, depth and tree come from git; a first commit has no parents."""
    head, tree = git(checkout, "rev-parse", "HEAD", "HEAD^{tree}").split()

    assert git_state(checkout) == GitState(head, dirty=False, shallow=False, tree=tree)


def test_a_merge_commit_is_known_by_its_parents(checkout: Path) -> None:
    """On a pull request HEAD is a merge that later vanishes; its parents stay."""
    base = git(checkout, "rev-parse", "HEAD")
    git(checkout, "checkout", "-qb", "side")
    git(checkout, "commit", "-qm", "More", "--allow-empty")
    side = git(checkout, "rev-parse", "HEAD")
    git(checkout, "checkout", "-q", "-")
    git(checkout, "merge", "-q", "--no-ff", "--no-edit", "side")

    assert git_state(checkout).parents == (base, side)


def test_a_changed_file_makes_a_checkout_dirty_and_a_new_one_does_not(checkout: Path) -> None:
    """Only tracked files count: a report beside the incidents is no change."""
    (checkout / "report.md").write_text("new")
    before = git_state(checkout).dirty
    (checkout / "ä b" / "one.yaml").write_text("changed")

    assert (before, git_state(checkout).dirty) == (False, True)


def test_a_shallow_clone_says_so(checkout: Path, tmp_path: Path) -> None:
    """A clone without history can prove less."""
    git(tmp_path, "clone", "-q", "--depth=1", checkout.as_uri(), "shallow")

    assert git_state(tmp_path / "shallow").shallow is True


@pytest.mark.parametrize("made", ["nothing", "no commit", "no git"])
def test_where_git_cannot_speak_nothing_is_claimed(
    tmp_path: Path, made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No repository, no commit or no git program: an empty state and no facts."""
    (tmp_path / "a.yaml").write_text("a")
    if made == "no commit":
        git(tmp_path, "init", "-q")
    if made == "no git":
        monkeypatch.setenv("PATH", str(tmp_path))

    assert git_state(tmp_path) == GitState()
    assert git_facts(tmp_path, [tmp_path / "a.yaml"]) == {}


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("nothing", "this is no git repository; go to the one that holds the incidents"),
        ("no commit", "there is no commit yet; commit the incidents first"),
    ],
)
@pytest.mark.parametrize(
    "question",
    [("rev-parse", "HEAD"), ("diff", "--name-only", "HEAD", "--", "a.yaml"), ("ls-tree", "HEAD")],
)
def test_who_has_not_begun_with_git_is_told_what_to_do(
    tmp_path: Path, made: str, told: str, question: tuple[str, ...]
) -> None:
    """Git's own words name revisions and working trees; ours name the next step."""
    if made == "no commit":
        git(tmp_path, "init", "-q")
    with pytest.raises(RcabenchError) as caught:
        ask_git(tmp_path, *question)

    assert str(caught.value) == f"{tmp_path}: git {question[0]}: {told}"


def test_a_committed_file_is_told_from_a_changed_one(checkout: Path) -> None:
    """The blob is what git itself would call the content."""
    path = checkout / "ä b" / "one.yaml"
    new = checkout / "new.yaml"
    new.write_text("new")
    before = git_facts(checkout, [path, new])
    path.write_text("changed")

    assert before == {
        path: {
            "blob": git(checkout, "rev-parse", "HEAD:ä b/one.yaml"),
            "committed": True,
            "path": "ä b/one.yaml",
        },
        new: {
            "blob": git(checkout, "hash-object", "new.yaml"),
            "committed": False,
            "path": "new.yaml",
        },
    }
    assert git_facts(checkout, [path])[path]["committed"] is False


def test_a_checkout_with_crlf_is_still_the_committed_content(checkout: Path) -> None:
    """Windows changes line ends on checkout; the incident is the same."""
    path = checkout / "ä b" / "one.yaml"
    committed = git_facts(checkout, [path])[path]
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert git_facts(checkout, [path])[path] == committed


def test_files_elsewhere_and_unreadable_ones_are_left_out(checkout: Path, tmp_path: Path) -> None:
    """Only what lies below the root can be proved by its repository."""
    (tmp_path / "else.yaml").write_text("x")

    assert git_facts(checkout, [tmp_path / "else.yaml", checkout / "gone.yaml"]) == {}


def test_a_folder_inside_a_repository_is_a_root_too(checkout: Path) -> None:
    """A rootdir need not be the top of its repository."""
    root = checkout / "ä b"

    facts = git_facts(root, [root / "one.yaml"])[root / "one.yaml"]

    assert (facts["committed"], facts["path"]) == (True, "ä b/one.yaml")


def test_a_replaced_commit_speaks_for_itself(checkout: Path) -> None:
    """`git replace` and a graft change what git shows, not what the commits say."""
    old = git(checkout, "rev-parse", "HEAD")
    (checkout / "ä b" / "one.yaml").write_text("changed")
    git(checkout, "commit", "-qam", "Change it")
    git(checkout, "replace", old, "HEAD")

    assert blobs_in(checkout, old) == {
        "ä b/one.yaml": git(checkout, "--no-replace-objects", "rev-parse", f"{old}:ä b/one.yaml")
    }


def test_a_checkout_of_another_user_is_refused_with_gits_own_remedy(checkout: Path) -> None:
    """Git reads no repository that somebody else owns, and says what to do."""
    if os.getuid():
        pytest.skip("only root can give a folder to another user")
    for path in (checkout, checkout / ".git"):
        os.chown(path, 12345, 12345)

    with pytest.raises(RcabenchError, match=r"dubious ownership(.|\n)*--add safe\.directory"):
        ask_git(checkout, "rev-parse", "HEAD")


def test_a_hook_of_another_repository_does_not_answer(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_DIR, as git sets it for its hooks, is not ours to follow."""
    git(tmp_path, "init", "-q", "other")
    monkeypatch.setenv("GIT_DIR", os.fspath(tmp_path / "other" / ".git"))
    state = git_state(checkout)
    monkeypatch.delenv("GIT_DIR")

    assert state.head == git(checkout, "rev-parse", "HEAD")
