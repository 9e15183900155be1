"""A run is written down before it, once, and who else saw that is kept beside it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.cli import main
from pytest_rcabench.domain.scoring import scorer_digest
from pytest_rcabench.engine.prompt import prompt_digest
from pytest_rcabench.files.seal import read_seal

if TYPE_CHECKING:
    from collections.abc import Callable

TESTS = Path(__file__).parents[1]
GOLDEN = TESTS / "golden" / "results.json"
STAMPS = TESTS / "data" / "time_stamp"


@pytest.fixture(autouse=True)
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_incident: Callable[..., Path]
) -> Path:
    """Return the current folder, with two incidents and a file that is none."""
    monkeypatch.chdir(tmp_path)
    for name in ("two", "one"):
        write_incident(tmp_path / "incidents/held_out", name)
    (tmp_path / "incidents/moves.yaml").write_text("schema: rcabench-moves/1\nmoves: []\n")
    return tmp_path


def test_a_seal_holds_all_that_decides_about_a_run() -> None:
    """Columns as pytest would name them, models by their full names, digests of all files."""
    assert main(["seal", "--provider=gemini,claude", "--repeat", "3"]) == 0
    seal = read_seal(Path("rcabench.seal"))

    assert (seal.scorer, seal.prompt, seal.rounds) == (scorer_digest(), prompt_digest(), 3)
    assert seal.columns == (
        ("gemini-3.6-flash", "gemini", "gemini-3.6-flash"),
        ("claude-sonnet-5", "claude", "claude-sonnet-5"),
    )
    assert [incident[0] for incident in seal.incidents] == ["one", "two"]


def test_sealing_tells_how_many_answers_of_whom(capsys: pytest.CaptureFixture[str]) -> None:
    """A slip in a column's name would be sealed for good, so it must meet the eye."""
    main(["seal", "--provider=gemni", "--repeat=3"])

    assert capsys.readouterr().out.startswith("rcabench.seal: 2 incidents, 6 answers of gemni\n")


def test_a_program_is_sealed_by_its_name_alone() -> None:
    """Its command line may hold a secret."""
    assert main(["seal", "--provider=mine=command:./analyse --key abc"]) == 0

    assert read_seal(Path("rcabench.seal")).columns == (("mine", "command", ""),)
    assert "abc" not in Path("rcabench.seal").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "none: no such file or folder; name incidents"),
        (["incidents/moves.yaml"], "no incident there; name files or folders of incidents"),
        (["--repeat=0"], "--repeat 0: name at least one round"),
        (["--provider=a,a"], "two columns are called 'a'"),
        (["--witness=none.tsr"], "rcabench.seal: cannot be read"),
    ],
)
def test_a_seal_that_makes_no_sense_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Place, problem and remedy; nothing is written."""
    assert main(["seal", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not Path("rcabench.seal").exists()


def test_a_seal_is_never_changed(capsys: pytest.CaptureFixture[str]) -> None:
    """A second plan is a second seal, under another name."""
    main(["seal"])
    before = Path("rcabench.seal").read_bytes()

    assert main(["seal", "--repeat=2"]) == 2
    assert "is there already, and a seal is never changed" in capsys.readouterr().err
    assert before == Path("rcabench.seal").read_bytes()
    assert main(["seal", "--repeat=2", "--seal=second.seal"]) == 0


def test_a_witness_is_recorded_and_heard_again_by_verify(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The date of the seal is then the authority's word; the rest of the run is judged as ever."""
    if shutil.which("openssl") is None:
        pytest.skip("the program openssl is missing, which checks signatures")
    for file in STAMPS.iterdir():
        shutil.copy(file, folder)
    known = ["--ca", "authority.pem"]

    assert main(["seal", "--witness", "response.tsr", *known]) == 0
    assert "witnessed: response.tsr: its authority says" in capsys.readouterr().out
    assert main(["verify", str(GOLDEN), "--seal", "rcabench.seal", *known]) == 1
    text = capsys.readouterr().out
    assert "seal date  witnessed  response.tsr: its authority says" in text
    assert "seal       broken     scorer 555555555555" not in text
    assert "seal       broken     incident clock-skew was not sealed" in text


def test_a_witness_that_contradicts_is_a_finding_and_not_recorded(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody keeps what speaks against them, and nothing is kept for them either."""
    main(["seal"])
    shutil.copy(STAMPS / "response.tsr", folder)

    assert main(["seal", "--witness", "response.tsr"]) == 1
    assert "broken: response.tsr: is the time stamp of another file" in capsys.readouterr().out
    assert not Path("rcabench.seal.witnesses").exists()
