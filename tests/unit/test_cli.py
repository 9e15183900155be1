"""The command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_rcabench.cli import main
from pytest_rcabench.domain.incident import evidence_digest, truth_digest
from pytest_rcabench.domain.run import (
    ColumnInfo,
    ControlVerdict,
    GitState,
    IncidentInfo,
    Results,
    RunInfo,
    RunKey,
    measured_cell,
)
from pytest_rcabench.domain.scoring import score, scorer_digest
from pytest_rcabench.engine.protocols import analyze
from pytest_rcabench.engine.systems.controls import control
from pytest_rcabench.files.incident_set import shipped_incidents
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.files.results import read_results, write_results
from pytest_rcabench.reports.proof import proof_line
from pytest_rcabench.reports.summary import summarize, summary_to_json

GOLDEN = Path(__file__).parents[1] / "golden" / "results.json"
RCABENCH = (
    sys.executable,
    "-c",
    "import sys; from pytest_rcabench.cli import main; sys.exit(main())",
)
COMMANDS = (
    "init",
    "lint",
    "schema",
    "import",
    "report",
    "compare",
    "rescore",
    "canary",
    "move",
    "verify",
    "seal",
)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Return a results file of one shipped incident, answered by the oracle."""
    path = min((shipped_incidents() / "held_out").glob("*.yaml"))
    incident = read_incident(path)
    analysis = analyze(control("oracle"), incident, 1)
    write = tmp_path / "results.json"
    run = Results(
        run=RunInfo("one", "a", "b", GitState(), (), "0"),
        scorer_digest=scorer_digest(),
        prompt_digest="",
        columns=(ColumnInfo("oracle", "control:oracle"),),
        incidents=(
            IncidentInfo(
                incident.id,
                incident.title,
                incident.kind,
                incident.set,
                incident.difficulty,
                "",
                incident.graded,
                evidence_digest(incident.evidence),
                truth_digest(incident),
                str(path),
            ),
        ),
        cells=(
            measured_cell(RunKey(incident.id, "oracle", 1), analysis, score(analysis, incident)),
        ),
        controls=(ControlVerdict("oracle", incident.id, "pass"),),
    )
    write_results(write, run, summary_to_json(summarize(run)), proof_line(run))
    return write


def _edit(path: Path, section: str, **changes: str) -> None:
    value = json.loads(path.read_text())
    value[section][0].update(changes)
    path.write_text(json.dumps(value))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody has to leave the terminal to learn how a command is used."""
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])

    assert caught.value.code == 0
    assert f"example: rcabench {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["report"], ["rescore", "--nonsense"], ["import", "x", "y"]]
)
def test_a_wrong_use_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The usage line says what was expected."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)

    assert caught.value.code == 2
    assert "usage: rcabench" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "none.json"], "none.json: no such file; name"),
        (["report", str(GOLDEN), str(GOLDEN), "--json", "x"], "report: --json takes one RESULTS"),
        (["rescore", "none.json"], "none.json: no such file; name"),
        (["rescore", str(GOLDEN), "--incidents", "none"], "none: no such folder; name"),
        (["import", "nonsense", ".", "--out", "x"], "'nonsense' is no known format; choose one of"),
        (["import", "rootcausebench", "none", "--out", "x"], "none: no RootCauseBench here"),
        (["lint", "none"], "none"),
        (["verify", str(GOLDEN), "--repository", "none"], "none: no such folder; name"),
    ],
)
def test_unusable_input_is_one_line_and_no_traceback(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Place, problem and remedy on standard error, exit status 2."""
    monkeypatch.chdir(tmp_path)
    status = main(arguments)
    shown = capsys.readouterr()

    assert status == 2
    assert message in shown.err
    assert len(shown.err.splitlines()) == 1
    assert shown.out == ""


def test_init_copies_the_set_and_tells_the_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command gives a folder that a bare pytest can run."""
    folder = tmp_path / "incidents"

    assert main(["init", str(folder)]) == 0
    assert list(folder.glob("held_out/*.yaml"))
    assert f"testpaths = {folder}" in capsys.readouterr().out


def test_init_never_overwrites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A changed incident stays, is named, and makes the exit status 1."""
    main(["init", str(tmp_path)])
    changed = min(tmp_path.glob("held_out/*.yaml"))
    changed.write_text("mine")
    capsys.readouterr()

    assert main(["init", str(tmp_path)]) == 1
    assert f"{changed}: is there already and differs" in capsys.readouterr().out
    assert changed.read_text() == "mine"


def test_init_writes_workflows_and_leaves_the_incidents_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A repository with incidents of its own gets none of ours, and a changed workflow stays."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench").mkdir()
    workflows = tmp_path / ".github/workflows"

    assert main(["init", "bench", "--github"]) == 0
    assert "GitHub reads workflows only there" in capsys.readouterr().out
    assert list((tmp_path / "bench").iterdir()) == []
    nightly, gate = workflows / "rcabench-nightly.yml", workflows / "rcabench-gate.yml"
    assert 'INCIDENTS: "bench"\n' in nightly.read_text()
    assert 'INCIDENTS: "bench"\n' in gate.read_text()

    gate.write_text("mine")
    assert main(["init", "bench", "--github"]) == 1
    shown = Path(".github/workflows/rcabench-gate.yml")
    assert f"{shown}: is there already and differs" in capsys.readouterr().out
    assert gate.read_text() == "mine"


def test_init_gives_a_new_repository_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The workflows are those of the how-to, byte for byte."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()

    assert main(["init", "--github"]) == 0
    assert list((tmp_path / "incidents/held_out").glob("*.yaml"))
    for shipped in (Path(__file__).parents[2] / "docs/how-to/workflows").iterdir():
        written = tmp_path / ".github/workflows" / shipped.name
        assert written.read_bytes() == shipped.read_bytes()


def test_schema_prints_the_shipped_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """An editor or another tool can be given it."""
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["type"] == "object"


def test_lint_finds_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A broken incident makes the exit status 1, with file and line."""
    (tmp_path / "broken.yaml").write_text("schema: rcabench/1\nid: other\n")

    assert main(["lint", str(tmp_path)]) == 1
    assert "broken.yaml:" in capsys.readouterr().out


def test_report_shows_a_run_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a path the summary is printed as a run prints it."""
    assert main(["report", str(GOLDEN)]) == 0
    assert "limits: n = 5 incidents" in capsys.readouterr().out


def test_report_is_as_long_as_it_is_asked_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    """-v says why each cell failed, -qq leaves the figures alone."""
    shown = {}
    for flag in ("-v", "-qq"):
        assert main(["report", str(GOLDEN), flag]) == 0
        shown[flag] = capsys.readouterr().out

    assert "payment-cascade::heuristic::r1\n  wrong: commit" in shown["-v"]
    assert "payment-cascade" not in shown["-qq"]
    assert "all checks" in shown["-qq"]
    assert "\x1b" not in shown["-v"]  # what is no terminal gets no colours


def test_report_writes_several_runs_side_by_side(tmp_path: Path) -> None:
    """One Markdown file holds both grids in one."""
    path = tmp_path / "new" / "report.md"

    assert main(["report", str(GOLDEN), str(GOLDEN), "--markdown", str(path)]) == 0
    assert path.read_text().count("| Gemini 1.2.10 · 2026-11-30 10:15:02 · rounds") == 2


def test_report_writes_a_record_as_a_results_file(tmp_path: Path) -> None:
    """What comes out is the same file again."""
    path = tmp_path / "again.json"

    assert main(["report", str(GOLDEN), "--json", str(path)]) == 0
    assert path.read_bytes() == GOLDEN.read_bytes()


def test_rescoring_with_nothing_changed_gives_the_same_bytes(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Same scorer, same incidents, same file; and exit status 0."""
    out = tmp_path / "out.json"

    assert main(["rescore", str(results), "--out", str(out)]) == 0
    assert capsys.readouterr().out == "0 of 1 verdicts changed\n"
    assert out.read_bytes() == results.read_bytes()


def test_rescoring_shows_each_verdict_that_changes(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A verdict of an older scorer is named with both marks, and a control is scored afresh."""
    out = tmp_path / "out.json"
    _edit(results, "cells", verdict="half")
    _edit(results, "controls", verdict="wrong")

    assert main(["rescore", str(results), "--out", str(out)]) == 1
    assert "::oracle::r1: half -> pass\n1 of 1 verdicts changed" in capsys.readouterr().out
    assert [read_results(out).cells[0].verdict, read_results(out).controls[0].verdict] == [
        "pass",
        "pass",
    ]


def test_rescoring_tells_another_scorer(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That no verdict changed says more when the scorer did."""
    value = json.loads(results.read_text())
    value["scorer"]["digest"] = "0" * 64
    results.write_text(json.dumps(value))

    assert main(["rescore", str(results)]) == 0
    assert "; the run was by 000000000000\n0 of 1" in capsys.readouterr().out


def test_rescoring_tells_an_incident_that_changed(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another truth is no news about the system under test."""
    _edit(results, "incidents", truth_digest="0" * 64)

    assert main(["rescore", str(results)]) == 1
    assert "this incident changed since the run: its truth" in capsys.readouterr().out


def test_a_reader_that_leaves_early_gets_no_traceback() -> None:
    """`rcabench schema | head -1` ends quietly."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*RCABENCH, "schema"],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)

    assert (done.returncode, done.stderr) == (1, b"")


def test_help_loads_neither_pytest_nor_a_parser() -> None:
    """The command answers at once, and works where pytest is broken."""
    program = (
        "import sys\n"
        "from pytest_rcabench.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n"
        "    heavy = {'pytest', 'pydantic', 'yaml', 'sqlite3', 'asyncio'} & set(sys.modules)\n"
        "    print(sorted(heavy), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stderr == "[]\n"


def test_a_terminal_without_unicode_is_served() -> None:
    """Marks fall back to ASCII instead of ending the command."""
    done = subprocess.run(
        [*RCABENCH, "report", GOLDEN],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "+ all checks | / right root cause" in done.stdout


def test_every_command_of_the_reference_runs(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the page shows can be typed; what to import or to move is elsewhere."""
    page = Path(__file__).parents[2] / "docs" / "reference" / "command-line.md"
    lines = [line for line in page.read_text().splitlines() if line.startswith("$ rcabench ")]
    monkeypatch.chdir(results.parent)
    Path("other.json").write_bytes(results.read_bytes())
    (only,) = (Path(info.path) for info in read_results(results).incidents)
    statuses = {}
    for line in lines:
        if not {"import", "move"} & set(line.split()):
            statuses[line] = main(line.split()[2:])
        for copy in Path("incidents").rglob("*.yaml"):  # sixteen would take their time
            if copy.name not in {only.name, "moves.yaml"}:
                copy.unlink()

    assert {line.split()[2] for line in lines} == set(COMMANDS)
    assert 2 not in statuses.values(), capsys.readouterr().err
