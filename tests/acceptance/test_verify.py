"""What `rcabench verify` calls an honest history, and each way to cheat: never a better word."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

import pytest_rcabench
from pytest_rcabench.cli import main
from pytest_rcabench.domain.proof import PROOF_WORDS
from pytest_rcabench.domain.scoring import FROZEN_MODULES, digest_of
from pytest_rcabench.engine.prompt import PROMPT_MODULES, prompt_digest
from pytest_rcabench.files.incident_writer import render_incident
from pytest_rcabench.files.package import package_digest
from tests.conftest import git, incident_document

if TYPE_CHECKING:
    from collections.abc import Callable

    Verify: TypeAlias = Callable[..., "Found"]

PACKAGE = Path(pytest_rcabench.__file__).parent
HELD_OUT = "incidents/held_out"
COMMANDS = ("canary", "lint", "report", "rescore", "seal", "verify")
NAMES = tuple(f"leak-{number:02}" for number in range(1, 13))
CLAIM = re.compile(
    r"  (?P<about>\S+(?: date)?) +(?P<word>proved|witnessed|stated|unproved|broken)  (?P<why>.+)"
)
LEDGER = """\
schema: rcabench-moves/1
moves:
  - {incident: leak-04, date: "2026-12-01", change: 1.2.10, because: the prompt shows hosts now}
"""


@dataclass(frozen=True)
class Repo:
    """A scratch repository with results in it."""

    path: Path

    def git(self, *arguments: str, at: str = "") -> str:
        """Return what git says; *at* is the time that new commits bear."""
        return git(self.path, *arguments, at=at)

    def commit(self, about: str, at: str = "") -> str:
        """Commit everything; return the first digits of the new commit, as they are shown."""
        self.git("add", "-A")
        self.git("commit", "-qm", about, "--allow-empty", at=at)
        return self.git("rev-parse", "HEAD")[:12]

    def write(self, name: str, folder: str = HELD_OUT, **changes: object) -> Path:
        """Write an incident."""
        path = self.path / folder / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        document = incident_document(name, **changes)  # type: ignore[arg-type] # of any section
        path.write_text(render_incident(document, schema_path="incident.json"))
        return path

    def pytest(self, *arguments: str) -> None:
        """Run the incidents, with nothing but the installed package on the path."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "pytest", "-q", *arguments],
            cwd=self.path,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout

    def edit(self, change: Callable[[Any], object], name: str = "results.json") -> str:
        """Change a results file by hand and return its name."""
        value = json.loads((self.path / "results.json").read_text())
        change(value)
        (self.path / name).write_text(json.dumps(value))
        return name


@dataclass(frozen=True)
class Found:
    """What verify said: the words by what they are about, and the reasons."""

    status: int
    text: str

    @property
    def words(self) -> dict[str, str]:
        """The words, of several claims about one thing the last."""
        return {match["about"]: match["word"] for match in CLAIM.finditer(self.text)}

    def why(self, about: str) -> str:
        """Return the reasons for what is said about something."""
        found = (match["why"] for match in CLAIM.finditer(self.text) if match["about"] == about)
        return "\n".join(found)

    @property
    def not_proved(self) -> dict[str, str]:
        """The words of the incidents that are not proved."""
        return {
            about: word
            for about, word in self.words.items()
            if about.startswith("leak-") and word != "proved"
        }


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Return a history as it should be: prompt and scorer, incidents, seal, run, results."""
    repo = Repo(tmp_path_factory.mktemp("honest"))
    repo.git("init", "-qb", "main")
    (repo.path / "pytest.ini").write_text("[pytest]\ntestpaths = incidents\n")
    (repo.path / ".gitignore").write_text(".rcabench\n*.cache\n__pycache__\n.pytest_cache\n")
    for folder, modules in (("domain", FROZEN_MODULES), ("engine", PROMPT_MODULES)):
        (repo.path / "pytest_rcabench" / folder).mkdir(parents=True)
        for module in modules:
            shutil.copy(PACKAGE / folder / module, repo.path / "pytest_rcabench" / folder / module)
    repo.commit("Write prompt and scorer")
    for names in (NAMES[:6], NAMES[6:]):
        for name in names:
            repo.write(name)
        repo.commit(f"Add {names[0]} and others")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repo.path)
        columns = ("--provider=heuristic", "--provider=control:oracle")
        assert main(["seal", *columns, "--repeat=2"]) == 0
    repo.commit("Seal the run")
    repo.pytest(
        "--rca-provider=heuristic,control:oracle",
        "--rca-repeat=2",
        "--rca-json=results.json",
        "--rca-fail-on=never",
    )
    # As if a model had been asked too: the prompt counts only then.
    repo.edit(lambda results: results["prompt"].update(digest=prompt_digest()))
    repo.commit("Publish the results")
    return repo


@pytest.fixture
def repo(honest: Repo, tmp_path: Path) -> Repo:
    """Return a copy of the honest history, to cheat in."""
    shutil.copytree(honest.path, tmp_path / "repo", symlinks=True)
    return Repo(tmp_path / "repo")


@pytest.fixture
def verify(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Found]:
    """Return a function that verifies results in a folder."""

    def call(repo: Repo, *arguments: str) -> Found:
        monkeypatch.chdir(repo.path)
        capsys.readouterr()
        status = main(["verify", *(arguments or ("results.json",))])
        return Found(status, capsys.readouterr().out)

    return call


def test_an_honest_history_gets_the_best_words(honest: Repo, verify: Verify) -> None:
    """All that hash and ancestry can show is proved; times are stated, never more."""
    found = verify(honest)

    assert found.status == 0, found.text
    assert found.words == {
        "commit": "proved",
        "scorer": "proved",
        "prompt": "proved",
        "package": "proved",
        "verdicts": "proved",
        "controls": "proved",
        "time": "stated",
        **dict.fromkeys(NAMES, "proved"),
        "seal": "proved",
        "seal date": "stated",
    }
    assert "held out: proved 12\n" in found.text
    assert "written with this incident known" not in found.text


def test_an_incident_edited_after_the_run_is_broken(repo: Repo, verify: Verify) -> None:
    """The file that readers see is not what was scored; the editing commit is named."""
    path = repo.write("leak-01", says="an easier line")
    edited = repo.commit("Polish")
    found = verify(repo)
    path.write_text(path.read_text() + "# only a comment\n")

    assert found.not_proved == {"leak-01": "broken"}
    assert f"changed since the run by {edited}" in found.why("leak-01")
    assert found.status == 1
    assert "held out: proved 11, broken 1" in found.text


def test_a_comment_is_no_edit(repo: Repo, verify: Verify) -> None:
    """What counts is what was shown and what was right, by digest."""
    path = repo.path / HELD_OUT / "leak-01.yaml"
    path.write_text(path.read_text() + "# reviewed\n")
    repo.commit("Review")
    found = verify(repo)

    assert (found.status, found.not_proved) == (0, {})
    assert "evidence and truth are the same now" in found.why("leak-01")


def test_an_incident_removed_after_the_run_is_broken(repo: Repo, verify: Verify) -> None:
    """A failure must not vanish."""
    repo.git("rm", "-q", f"{HELD_OUT}/leak-01.yaml")
    gone = repo.commit("Tidy up")
    found = verify(repo)

    assert found.not_proved == {"leak-01": "broken"}
    assert f"removed since the run by {gone}" in found.why("leak-01")


def test_an_incident_added_after_the_run_is_broken(repo: Repo, verify: Verify) -> None:
    """What the commit of the run does not hold and a later one does was not committed before."""
    early = repo.git("rev-parse", "HEAD~3")
    added = repo.git("rev-parse", "HEAD~2")[:12]
    repo.edit(lambda results: results["run"]["git"].update(head=early))
    found = verify(repo)

    assert found.not_proved == dict.fromkeys(NAMES[6:], "broken")
    assert f"first committed by {added}" in found.why("leak-07")


def test_a_history_full_of_cheats_gets_each_word_right(repo: Repo, verify: Verify) -> None:
    """All at once: what ran uncommitted or ignored, came later, was edited, moved, dropped, forged.

    An ignored file leaves the checkout clean; digests tell it all the same.
    """
    (repo.path / ".gitignore").write_text("leak-14.yaml\n.rcabench\n.pytest_cache\n")
    before = repo.commit("Ignore a file")
    late = repo.write("leak-13")
    repo.write("leak-14", says="a tuned line")
    repo.write("leak-02", says="another line")
    repo.pytest("--rca-provider=control:oracle", "--rca-json=results.json")
    repo.git("checkout", "-q", "--", HELD_OUT)
    repo.write("leak-01", says="an easier line")
    added = repo.commit(f"Add {late.stem}, polish another")
    repo.git("replace", added, before)
    (repo.path / "incidents/tuned").mkdir()
    for name in ("leak-03", "leak-04"):
        repo.git("mv", f"{HELD_OUT}/{name}.yaml", f"incidents/tuned/{name}.yaml")
    repo.commit("Move two")
    repo.git("mv", "incidents/tuned/leak-03.yaml", f"{HELD_OUT}/leak-03.yaml")
    repo.git("rm", "-q", f"{HELD_OUT}/leak-05.yaml")
    repo.commit("Move one back, remove another")

    def forge(results: Any) -> None:  # noqa: ANN401 - any JSON
        results["cells"].pop()
        results["cells"][0].update(verdict="wrong")

    repo.edit(forge)
    found = verify(repo)

    assert found.not_proved == {
        "leak-01": "broken",
        "leak-02": "unproved",
        "leak-03": "broken",
        "leak-04": "broken",
        "leak-05": "broken",
        "leak-13": "broken",
        "leak-14": "unproved",
    }
    assert f"first committed by {added}" in found.why("leak-13")
    assert "changed and not committed" in found.why("leak-02")
    assert "not committed" in found.why("leak-14")
    assert (found.words["verdicts"], found.words["seal"]) == ("broken", "broken")
    assert "held out: proved 7, unproved 2, broken 5" in found.text
    assert "1 replacement of objects" in found.text


@pytest.mark.parametrize(
    ("about", "folder", "module", "names"),
    [
        ("scorer", "domain", "scoring.py", FROZEN_MODULES),
        ("prompt", "engine", "prompt_instructions.py", PROMPT_MODULES),
    ],
)
@pytest.mark.parametrize("has_seal", [True, False])
def test_scorer_or_prompt_touched_between_runs_is_broken(
    repo: Repo,
    verify: Verify,
    about: str,
    folder: str,
    module: str,
    names: tuple[str, ...],
    *,
    has_seal: bool,
) -> None:
    """The commit between seal or first run and this run is named."""
    if not has_seal:
        (repo.path / "rcabench.seal").unlink()
        repo.commit("Give up the seal")
    home = repo.path / "pytest_rcabench" / folder
    (home / module).write_text((home / module).read_text() + "# kinder\n")
    touched = repo.commit("Tune a little")
    digest = digest_of({name: (home / name).read_bytes() for name in names})
    later = datetime.now(UTC) + timedelta(seconds=60)

    def change(results: Any) -> None:  # noqa: ANN401 - any JSON
        results["run"].update(id="later", started=later.isoformat(timespec="seconds"))
        results["run"]["git"]["head"] = repo.git("rev-parse", "HEAD")
        results[about]["digest"] = digest

    second = repo.edit(change, "second.json")
    found = verify(repo, "results.json", second)

    assert found.status == 1
    assert found.words[about] == "broken"
    assert f"changed by {touched}" in found.why(about)
    assert ("that of the first run" in found.why(about)) is not has_seal


def test_incidents_older_than_the_prompt_are_marked(repo: Repo, verify: Verify) -> None:
    """Whoever changed the prompt after them knew them; nobody can show more than that."""
    home = repo.path / "pytest_rcabench" / "engine" / "prompt.py"
    home.write_text(home.read_text() + "# later\n")
    repo.commit("Change the prompt")
    digest = digest_of({name: (home.parent / name).read_bytes() for name in PROMPT_MODULES})

    def change(results: Any) -> None:  # noqa: ANN401 - any JSON
        results["run"]["git"]["head"] = repo.git("rev-parse", "HEAD")
        results["prompt"]["digest"] = digest

    found = verify(repo, repo.edit(change, "second.json"))

    assert found.text.count("prompt and heuristic written with this incident known") == len(NAMES)
    assert "held out: proved 12; prompt and heuristic written with 12 of them known" in found.text


@pytest.mark.parametrize("is_hidden", [False, True])
def test_an_incident_that_came_back_is_broken(
    repo: Repo, verify: Verify, *, is_hidden: bool
) -> None:
    """There is no way back, not even in two commits with another content between."""
    (repo.path / "incidents/tuned").mkdir()
    repo.git("mv", f"{HELD_OUT}/leak-03.yaml", "incidents/tuned/leak-03.yaml")
    repo.commit("Move it")
    content = (repo.path / "incidents/tuned/leak-03.yaml").read_text()
    if is_hidden:
        (repo.path / "incidents/tuned/leak-03.yaml").unlink()
        repo.commit("Drop it")
    else:
        repo.git("mv", "incidents/tuned/leak-03.yaml", f"{HELD_OUT}/leak-03.yaml")
    (repo.path / HELD_OUT / "leak-03.yaml").write_text(content)
    repo.commit("Add it")
    found = verify(repo)

    assert found.not_proved == {"leak-03": "broken"}
    assert "had been in the tuned set" in found.why("leak-03")


def test_a_move_needs_a_reason(repo: Repo, verify: Verify) -> None:
    """Without a line in the ledger it is broken, with one the old result stands."""
    (repo.path / "incidents/tuned").mkdir()
    repo.git("mv", f"{HELD_OUT}/leak-04.yaml", "incidents/tuned/leak-04.yaml")
    moved = repo.commit("Move it")
    silent = verify(repo)
    (repo.path / "incidents/moves.yaml").write_text(LEDGER)
    repo.commit("Say why")
    reasoned = verify(repo)

    assert silent.not_proved == {"leak-04": "broken"}
    assert "the ledger gives no reason" in silent.why("leak-04")
    assert reasoned.not_proved == {}
    assert f"moved to the tuned set by {moved}" in reasoned.why("leak-04")


def test_a_tuned_incident_called_held_out_is_broken(repo: Repo, verify: Verify) -> None:
    """The set of a result is where its file lay."""
    repo.edit(lambda results: results["incidents"][0].update(set="tuned"))
    found = verify(repo)

    assert found.not_proved == {"leak-01": "broken"}


def _drop(results: Any) -> None:  # noqa: ANN401 - any JSON
    results["cells"] = [cell for cell in results["cells"] if cell["round"] == 1]


def _drop_column(results: Any) -> None:  # noqa: ANN401 - any JSON
    results["columns"] = results["columns"][:1]
    name = results["columns"][0]["name"]
    results["cells"] = [cell for cell in results["cells"] if cell["column"] == name]


def _drop_incident(results: Any) -> None:  # noqa: ANN401 - any JSON
    results["incidents"] = results["incidents"][1:]
    results["cells"] = [cell for cell in results["cells"] if cell["incident"] != "leak-01"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_drop, "24 of 48 sealed answers are missing: leak-01::heuristic::r2, …"),
        (_drop_column, "column oracle is missing"),
        (_drop_incident, "incident leak-01 is missing"),
    ],
)
def test_what_was_sealed_and_is_not_published_is_broken(
    repo: Repo, verify: Verify, change: Callable[[Any], None], why: str
) -> None:
    """The published file has exactly the sealed columns, rounds and incidents."""
    repo.edit(change)
    found = verify(repo)

    assert (found.status, found.words["seal"]) == (1, "broken")
    assert why in found.why("seal")


def test_a_seal_from_after_the_run_is_broken(repo: Repo, verify: Verify) -> None:
    """A plan that was committed later is no plan."""
    before = repo.git("rev-parse", "HEAD~2")
    repo.edit(lambda results: results["run"]["git"].update(head=before))
    late = verify(repo, "results.json", "--seal", "rcabench.seal")

    assert late.words["seal"] == "broken"
    assert "the commit of a run does not know" in late.why("seal")


def test_without_a_seal_the_plan_is_unproved_and_holes_are_counted(
    repo: Repo, verify: Verify
) -> None:
    """Nobody can tell what else was run; a grid with holes is at least told."""
    before = repo.git("rev-parse", "HEAD~2")
    repo.edit(lambda results: results["run"]["git"].update(head=before))
    repo.edit(lambda results: results["cells"].pop())
    found = verify(repo)

    assert (found.status, found.words["seal"]) == (0, "unproved")
    assert found.not_proved == {}
    assert "1 of 48 cells of the grid are absent" in found.why("seal")


def test_a_verdict_edited_by_hand_is_broken(repo: Repo, verify: Verify) -> None:
    """Every verdict is derived again from the kept answer."""
    repo.edit(lambda results: results["cells"][0].update(verdict="pass"))
    repo.edit(lambda results: results["cells"][-1].update(verdict="wrong"))
    found = verify(repo)

    assert (found.status, found.words["verdicts"]) == (1, "broken")
    assert "leak-12::oracle::r2 says wrong, its answer gets pass" in found.why("verdicts")


def test_a_check_edited_by_hand_is_broken(repo: Repo, verify: Verify) -> None:
    """The details are derived again too."""
    repo.edit(lambda results: results["cells"][0]["checks"][0].update(detail="looks fine"))
    found = verify(repo)

    assert "leak-01::heuristic::r1 has other details than its answer" in found.why("verdicts")


@pytest.mark.parametrize(
    ("change", "word"),
    [({"verdict": "unmeasured"}, "broken"), ({"control": "dice"}, "unproved")],
)
def test_a_control_edited_by_hand_is_not_proved(
    repo: Repo, verify: Verify, change: dict[str, str], word: str
) -> None:
    """The same code gets the same, so another verdict is made up; one of no code is unproved."""
    repo.edit(lambda results: results["controls"][0].update(change))
    repo.edit(lambda results: results["run"].update(package_digest=package_digest()))
    found = verify(repo)

    assert found.words["controls"] == word
    assert "are not what this version's get" in found.why("controls")


def test_a_replacement_hides_nothing(repo: Repo, verify: Verify) -> None:
    """`git replace` can make an edited incident look untouched, but not to verify."""
    before = repo.git("rev-parse", "HEAD")
    repo.write("leak-01", says="an easier line")
    after = repo.commit("Polish")
    repo.git("replace", after, before)
    found = verify(repo)

    assert found.not_proved == {"leak-01": "broken"}
    assert "not heeded: 1 replacement of objects (git replace)" in found.text


def test_a_shallow_clone_proves_nothing(honest: Repo, tmp_path: Path, verify: Verify) -> None:
    """History that is not there speaks for nobody; the remedy is named, and nothing is broken."""
    honest.git("clone", "-q", "--depth=2", honest.path.as_uri(), str(tmp_path / "shallow"))
    found = verify(Repo(tmp_path / "shallow"))

    assert found.status == 0
    assert found.not_proved == dict.fromkeys(NAMES, "unproved")
    assert "git fetch --unshallow" in found.why("leak-01")
    assert found.words["seal"] == "unproved"
    assert "held out: unproved 12" in found.text


def test_forged_dates_that_agree_are_never_better_than_stated(repo: Repo, verify: Verify) -> None:
    """Hash and ancestry hold in a made-up past as well, and no word about time is above stated."""
    shutil.rmtree(repo.path / ".git")
    repo.git("init", "-qb", "main")
    repo.commit("All of it, long ago", at="2020-01-01T00:00:00Z")
    head = repo.git("rev-parse", "HEAD")

    def change(results: Any) -> None:  # noqa: ANN401 - any JSON
        results["run"]["started"] = "2020-01-02T00:00:00Z"
        results["run"]["git"]["head"] = head

    repo.edit(change)
    repo.commit("Publish", at="2020-01-03T00:00:00Z")
    found = verify(repo)

    assert found.status == 0
    assert {found.words["time"], found.words["seal date"]} == {"stated"}
    assert "witnessed" not in found.words.values()
    assert "times that were forged without contradiction" in found.text


def test_dates_that_contradict_each_other_are_broken(repo: Repo, verify: Verify) -> None:
    """A run cannot begin before the commit that it was made from."""
    repo.edit(lambda results: results["run"].update(started="2020-01-02T00:00:00Z"))
    found = verify(repo)

    assert found.not_proved == dict.fromkeys(NAMES, "broken")
    assert "and the run began before, 2020-01-02" in found.why("leak-01")


def _amend(repo: Repo) -> None:
    repo.git("rebase", "-q", "--root", "--ignore-date", at="2026-01-01T00:00:00Z")


def _squash(repo: Repo) -> None:
    repo.git("checkout", "-qb", "squashed", "HEAD~4")
    repo.git("merge", "-q", "--squash", "main")
    repo.commit("All in one")
    repo.git("branch", "-qD", "main")


def _force_push(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "fresh")
    repo.commit("A history without a past")
    repo.git("branch", "-qD", "main")


@pytest.mark.parametrize("rewrite", [_amend, _squash, _force_push])
def test_a_rewritten_history_is_unproved(
    repo: Repo, tmp_path: Path, verify: Verify, rewrite: Callable[[Repo], None]
) -> None:
    """Amended dates, a squash merge, a force push: a clone does not hold the run's commit."""
    rewrite(repo)
    repo.git("clone", "-q", repo.path.as_uri(), str(tmp_path / "clone"))
    found = verify(Repo(tmp_path / "clone"), "results.json", "--seal", "rcabench.seal")
    local = verify(repo)

    assert found.not_proved == local.not_proved == dict.fromkeys(NAMES, "unproved")
    assert "rebased, squashed, force-pushed" in found.why("commit")
    assert found.words["seal"] == "stated"
    assert found.words["verdicts"] == "proved"


def test_a_vanished_merge_commit_is_seen_from_its_parents(repo: Repo, verify: Verify) -> None:
    """On a pull request the run's commit goes; what the record kept of it leads to what stays."""

    def change(results: Any) -> None:  # noqa: ANN401 - any JSON
        git = results["run"]["git"]
        git.update(head="f" * 40, parents=["e" * 40, git["head"]])

    repo.edit(change)
    found = verify(repo)

    assert found.words["commit"] == "stated"
    assert found.not_proved == {}
    assert "seen from its parent" in found.why("leak-01")
    assert found.words["seal"] == "proved"


def test_what_a_squashed_pull_request_brought_is_unproved_not_broken(
    repo: Repo, verify: Verify
) -> None:
    """The vanished commit may have known it; the base that stayed does not."""
    base = repo.git("rev-parse", "HEAD~3")

    def change(results: Any) -> None:  # noqa: ANN401 - any JSON
        results["run"]["git"].update(head="f" * 40, parents=[base, "e" * 40])

    repo.edit(change)
    found = verify(repo)

    assert found.not_proved == dict.fromkeys(NAMES[6:], "unproved")
    assert found.status == 0


def test_a_rename_is_followed(repo: Repo, verify: Verify) -> None:
    """A folder with another name holds the same incidents."""
    repo.git("mv", "incidents", "windows")
    repo.commit("Rename the folder")
    found = verify(repo)

    assert (found.status, found.not_proved) == (0, {})


def test_a_worktree_is_a_repository(repo: Repo, tmp_path: Path, verify: Verify) -> None:
    """A second checkout has the same history."""
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    found = verify(Repo(tmp_path / "tree"))

    assert (found.status, found.not_proved) == (0, {})


def test_a_submodule_speaks_for_itself_alone(repo: Repo, tmp_path: Path, verify: Verify) -> None:
    """Seen from the repository around it, its files are in no commit; from inside they are."""
    outer = Repo(tmp_path / "outer")
    outer.path.mkdir()
    outer.git("init", "-qb", "main")
    outer.git("submodule", "--quiet", "add", str(repo.path), "sub")
    outer.commit("Add the submodule")
    shutil.copy(repo.path / "results.json", outer.path)

    def change(results: Any) -> None:  # noqa: ANN401 - any JSON
        results["run"]["git"]["head"] = outer.git("rev-parse", "HEAD")
        for info in results["incidents"]:
            info["path"] = info["git"]["path"] = f"sub/{info['path']}"

    outer.edit(change)
    outside, inside = verify(outer), verify(Repo(outer.path / "sub"))

    assert outside.not_proved == dict.fromkeys(NAMES, "unproved")
    assert inside.not_proved == {}


def test_replayed_answers_prove_no_order(repo: Repo, verify: Verify) -> None:
    """Who gave them, and when, only the run that asked can say."""
    repo.edit(lambda results: results["run"].update(argv=["--rca-replay=old.json"]))

    assert verify(repo).not_proved == dict.fromkeys(NAMES, "unproved")


def test_two_files_of_one_run_are_told_apart(repo: Repo, verify: Verify) -> None:
    """An edited copy bears the id of the run, and borrows no word from it."""

    def change(results: Any) -> None:  # noqa: ANN401 - any JSON
        results["incidents"][0]["truth_digest"] = "0" * 64

    found = verify(repo, "results.json", repo.edit(change, "copy.json"))

    assert found.not_proved == {"leak-01": "unproved"}


def test_a_hostile_file_prints_no_control_characters(repo: Repo, verify: Verify) -> None:
    """What is shown comes from a stranger's file."""

    def change(results: Any) -> None:  # noqa: ANN401 - any JSON
        results["run"].update(id="a\x1b[2Jb", package="c\nrun d", started="soon\x07")
        results["run"]["git"].update(head="e\x1b]0;f\x07", parents=[["g"]])
        results["incidents"][0].update(path="")

    repo.edit(change)
    text = verify(repo).text

    assert text.isascii()
    assert {chr(number) for number in range(32)} & set(text) == {"\n"}
    assert "run ab, by pytest-rcabench c run d\n" in text


def test_without_a_repository_everything_but_verdicts_is_unproved(
    repo: Repo, verify: Verify
) -> None:
    """Results and files are enough to score again, and for nothing else."""
    shutil.rmtree(repo.path / ".git")
    found = verify(repo)

    assert found.status == 0
    assert found.not_proved == dict.fromkeys(NAMES, "unproved")
    assert found.words["verdicts"] == "proved"
    assert "no git repository; go to the one that holds the incidents" in found.why("commit")


def test_a_repository_of_another_user_is_told(repo: Repo, verify: Verify) -> None:
    """Git refuses it and says what to do; nothing is claimed meanwhile."""
    if os.getuid():
        pytest.skip("only root can give a folder to another user")
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 12345, 12345)
    found = verify(repo)

    assert found.not_proved == dict.fromkeys(NAMES, "unproved")
    assert "git config --global --add safe.directory" in found.text


def test_without_results_the_repository_is_told(honest: Repo, verify: Verify) -> None:
    """Who added which incident, before anybody has run them."""
    found = verify(honest, "--repository", ".")

    assert found.status == 0
    assert found.not_proved == {}
    assert set(NAMES) <= set(found.words)


def test_a_run_in_actions_names_its_attempt(repo: Repo, verify: Verify) -> None:
    """A second attempt says that there was a first."""
    actions = {"server_url": "https://github.com", "repository": "a/b", "run_id": "7"}
    repo.edit(lambda results: results["run"].update(actions={**actions, "run_attempt": "2"}))
    found = verify(repo)

    assert found.words["time"] == "stated"
    assert "https://github.com/a/b/actions/runs/7 attempt 2; what the attempts before" in found.text


def test_the_printed_commands_run_and_find_the_same(repo: Repo, verify: Verify) -> None:
    """A stranger needs git and nothing of ours."""
    repo.write("leak-01", says="an easier line")
    edited = repo.commit("Polish")
    text = verify(repo).text
    block = text.partition("in a clone of your own:\n")[2].partition("\nNo program")[0]
    done = subprocess.run(
        ["sh", "-ec", block], cwd=repo.path, check=True, capture_output=True, text=True
    )

    assert "main" in done.stdout
    assert f"{HELD_OUT}/leak-01.yaml | 2 +-" in done.stdout
    assert edited in done.stdout
    assert "came after the run" not in done.stdout


def test_the_page_on_honesty_promises_words_and_commands_that_exist() -> None:
    """Each sentence has a word of proof, or says why not, and a command that can be typed."""
    page = (Path(__file__).parents[2] / "docs/explanation/honesty.md").read_text()
    rows = [row.split("|")[1:-1] for row in page.splitlines() if row.startswith("| ")][1:]
    commands = set(re.findall(r"`rcabench (\w+)", page))

    assert len(rows) > 15
    assert all(len(row) == 3 for row in rows)
    assert set(re.findall(r"\*(\w+)\*", page)) <= {*PROOF_WORDS, "written"}
    assert commands <= set(COMMANDS)
