"""An incident moves from the held-out to the tuned set once, with a reason that everybody sees."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.cli import main
from pytest_rcabench.files.moves import commits_of_moves, read_moves
from pytest_rcabench.lint.ledger import ledger_problems
from tests.conftest import git

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.conftest import Bench

WHY = "it led to the prompt's\n list of hosts"
LEDGER = Path("incidents/moves.yaml")


@pytest.fixture
def repository(
    tmp_path: Path, write_incident: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Return a repository, and go there, whose only commit holds two held-out incidents."""
    for name in ("leak", "skew"):
        write_incident(tmp_path / "incidents" / "held_out", name)
    monkeypatch.chdir(tmp_path)
    git(Path(), "init", "-q", "-b", "main")
    git(Path(), "add", ".")
    git(Path(), "commit", "-q", "-m", "Hold two incidents out")
    return tmp_path


@pytest.mark.usefixtures("repository")
def test_a_move_is_one_commit_that_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    """File, ledger and message tell the same; the proposed command commits them and no more."""
    Path("elsewhere").write_text("not mine")
    git(Path(), "add", "elsewhere")

    assert main(["move", "skew", "--because", WHY, "--change", "1.2.10"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert list(ledger_problems(LEDGER)) == []
    git(Path(), *shlex.split(said[-1])[1:])

    shown = git(Path(), "show", "--format=%s%n%b", "--name-status", "-M", "HEAD")
    head = git(Path(), "rev-parse", "HEAD")
    assert said[0] == (
        "incidents/held_out/skew.yaml is incidents/tuned/skew.yaml now, and incidents/moves.yaml "
        "says why"
    )
    assert shown.splitlines() == [
        "Move skew to the tuned set",
        "It led to 1.2.10: it led to the prompt's list of hosts",
        "",
        "",
        "A\tincidents/moves.yaml",
        "R100\tincidents/held_out/skew.yaml\tincidents/tuned/skew.yaml",
    ]
    assert [move.incident for move in read_moves(LEDGER)] == ["skew"]
    assert commits_of_moves(LEDGER) == {"skew": head}
    assert git(Path(), "status", "--porcelain").splitlines() == ["A  elsewhere"]


@pytest.mark.usefixtures("repository")
def test_the_next_move_keeps_those_before() -> None:
    """The ledger only grows."""
    for name in ("skew", "leak"):
        assert main(["move", name, "--because", "it led to a fix", "--change", "c0ffee0"]) == 0

    assert [move.incident for move in read_moves(LEDGER)] == ["skew", "leak"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["skew", "--because", " ", "--change", "1"], "move: --because says nothing; write why"),
        (["skew", "--because", "x", "--change", ""], "move: --change '' is no commit, address"),
        (["skew", "--because", "x", "--change", "a b"], "move: --change 'a b' is no commit, addr"),
        (["gone", "--because", "x", "--change", "1"], "no incident gone in incidents; name its"),
        (["leak", "--because", "x", "--change", "1"], "leak moved on 20"),
        (["new", "--because", "x", "--change", "1"], "not under version control"),
        (["staged", "--because", "x", "--change", "1"], "staged.yaml: is not as it was committed;"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_a_move_that_cannot_be_proved_is_refused(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    write_incident: Callable[..., Path],
) -> None:
    """One line, exit status 2, and nothing is written."""
    assert main(["move", "leak", "--because", "a fix", "--change", "1"]) == 0
    for name in ("new", "staged"):
        write_incident(Path("incidents/held_out"), name)
    git(Path(), "add", "incidents/held_out/staged.yaml")
    before = (git(Path(), "status", "--porcelain"), LEDGER.read_bytes())
    capsys.readouterr()

    assert main(["move", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert (git(Path(), "status", "--porcelain"), LEDGER.read_bytes()) == before


@pytest.mark.usefixtures("repository")
def test_an_incident_of_two_files_cannot_move(
    write_incident: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor can one that somebody moved by hand: both are named."""
    write_incident(Path("incidents/tuned"), "skew")

    assert main(["move", "skew", "--because", "x", "--change", "1"]) == 2
    assert (
        "skew is there more than once: incidents/held_out/skew.yaml, inc" in capsys.readouterr().err
    )
    Path("incidents/held_out/skew.yaml").unlink()
    assert main(["move", "skew", "--because", "x", "--change", "1"]) == 2
    assert "incidents/tuned/skew.yaml is tuned already; move it back" in capsys.readouterr().err


def test_a_move_changes_no_figure_that_was_there_before_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The old column keeps its cells, the new one has a dash and a footnote.

    First contact and the rates on common incidents are the same as if nothing had moved away.
    """
    monkeypatch.chdir(bench.path)
    for name, answer in {"leak": "pass", "skew": "wrong"}.items():
        bench.incident(name, answer, folder="incidents/held_out")
    Path(".gitignore").write_text("*\n!incidents/\n!incidents/**\n")
    git(Path(), "init", "-q", "-b", "main")
    git(Path(), "add", ".")
    git(Path(), "commit", "-q", "-m", "Hold two incidents out")
    bench.ask("--rca-json=old.json", "--rca-label=1.2.8")
    main(["move", "skew", "--because", "it led to the hosts", "--change", "1.2.10"])
    git(Path(), *shlex.split(capsys.readouterr().out.splitlines()[-1])[1:])
    system = bench.path / "system.py"
    system.write_text(system.read_text().replace('wanted == "wrong"', "False"))

    result = bench.ask("--rca-json=new.json", "--rca-label=1.2.10")

    new, head = bench.results("new.json"), git(Path(), "rev-parse", "HEAD")
    assert [(move["incident"], move["commit"]) for move in new["moves"]] == [("skew", head)]
    assert [(one["incident"], one["verdicts"]) for one in new["first_contact"]] == [
        ("leak", ["pass"]),
        ("skew", ["wrong"]),
    ]
    told = "first contact of sut with held-out incidents: all checks 1/2 (1 of them tuned now)"
    assert told in " ".join(str(result.stdout).split())
    assert main(["report", "old.json", "new.json", "--markdown", "report.md"]) == 0
    report = Path("report.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[2:] for line in report.splitlines() if "(skew)" in line]
    assert rows[:2] == [["held out", "✗", "– |"], ["tuned", "–", "✓ |"]]
    assert "skew moved to the tuned set on " in report
    assert told in report
    common = "all checks on the held-out incidents that every column answered (1): "
    assert f"{common}sut 1.2.8 1/1 · sut 1.2.10 1/1" in report
    assert main(["report", "new.json", "--markdown", "report.md"]) == 0
    assert told in Path("report.md").read_text(encoding="utf-8")


def test_a_ledger_that_cannot_be_read_stops_the_run(bench: Bench) -> None:
    """Which incidents are tuned is then unknown; nothing is asked."""
    bench.incident("leak", folder="incidents/held_out")
    (bench.path / "incidents" / "moves.yaml").write_text("schema: rcabench-moves/1\n")
    result = bench.ask()

    assert result.ret != 0
    assert bench.asked() == []
    assert "moves.yaml:1:1: moves: is missing; list the moves" in str(result.stderr)
