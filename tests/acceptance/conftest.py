"""A folder of small incidents, and a system under test that does as it is told and counts."""

from __future__ import annotations

import importlib.util
import json
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.wires.fake import FakeWires

# The window's first log line says which answer is wanted; each question leaves a line in asked.log.
SYSTEM = """
import json, os, sys, time
evidence = json.load(sys.stdin)
wanted = evidence["logs"][0]["message"].split()[-1]
with open("asked.log", "a") as log:
    log.write(f"{wanted} {os.getppid()}\\n")
culprit, innocent = [change["sha"] for change in evidence["changes"]]
issue = {"title": "Connections are never closed", "severity": "error", "service": "orders-api",
         "cause": "a connection leak on the error path", "commits": [culprit]}
if wanted == "slow":
    with open("slow.pid", "w") as file:
        file.write(str(os.getpid()))
    time.sleep(60)
if wanted == "unmeasured":
    sys.exit(75)
if wanted == "half":
    other = issue | {"title": "Colours", "severity": "info", "commits": [innocent]}
    print(json.dumps({"issues": [issue, other]}))
elif wanted == "silent":
    print('{"issues": []}')
elif wanted == "wrong":
    print(json.dumps({"issues": [issue | {"service": "web", "cause": "slow style sheets"}]}))
else:
    print(json.dumps({"issues": [issue]}))
"""

# What a model says that gets full marks for the small incident.
RIGHT: dict[str, Any] = {
    "issues": [
        {
            "title": "Connections are never closed",
            "severity": "error",
            "service": "orders-api",
            "cause": "a connection leak on the error path",
            "commits": ["c0ffee0" + "0" * 33],
            "ruled_out": [],
            "evidence": [],
            "reasoning": "",
        }
    ],
    "notes": [],
}


class Bench:
    """A pytest project with incidents; *system* is the column ``sut``, asked and counted."""

    def __init__(self, pytester: pytest.Pytester, write: Callable[..., Path]) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self._write = write
        pytester.makefile(".ini", pytest="[pytest]\ntestpaths = incidents\n")
        script = pytester.path / "system.py"
        script.write_text(SYSTEM, encoding="utf-8")
        self.system = f"--rca-provider=sut=command:{shlex.quote(sys.executable)} -S {script}"

    def incident(
        self, name: str, answer: str = "pass", folder: str = "incidents", **changes: object
    ) -> Path:
        """Write an incident that makes the system answer as *answer* says."""
        return self._write(self.path / folder, name, says=f"wanted: {answer}", **changes)

    def run(self, *args: object) -> pytest.RunResult:
        """Return what pytest says to *args*, run as a user runs it."""
        return self.pytester.runpytest_subprocess(*(str(arg) for arg in args))

    def start(self, *args: object) -> subprocess.Popen[str]:
        """Return a pytest that goes on by itself, its output in one pipe."""
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *(str(arg) for arg in args)],
            cwd=self.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def ask(self, *args: object) -> pytest.RunResult:
        """Return what pytest says to *args* with the system as its column."""
        return self.run(self.system, *args)

    def windows(self, *names: str) -> None:
        """Write an incident for each of *names*, whose prompt holds ``wanted: NAME``."""
        for name in names:
            self.incident(name, name)

    def journal(self) -> list[dict[str, Any]]:
        """Return the events of the one run in the record."""
        (path,) = (self.path / ".rcabench/runs").glob("*/journal.jsonl")
        lines = path.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines[:-1]]

    def asked(self) -> list[str]:
        """Return the answers wanted since the last call, in the order asked."""
        log = self.path / "asked.log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [line.split()[0] for line in lines]

    def results(self, name: str = "results.json") -> dict[str, Any]:
        """Return the results file *name*."""
        found: dict[str, Any] = json.loads((self.path / name).read_text(encoding="utf-8"))
        return found

    def verdicts(self, name: str = "results.json") -> dict[str, str]:
        """Return {incident::column::round: verdict} of the results file *name*."""
        return {
            f"{cell['incident']}::{cell['column']}::r{cell['round']}": cell["verdict"]
            for cell in self.results(name)["cells"]
        }


@pytest.fixture
def bench(pytester: pytest.Pytester, write_incident: Callable[..., Path]) -> Bench:
    """Return a project without incidents yet."""
    return Bench(pytester, write_incident)


@pytest.fixture
def right_answer() -> str:
    """Return what a model says that gets full marks for the small incident."""
    return json.dumps(RIGHT)


@pytest.fixture
def models(
    bench: Bench, wires: FakeWires, right_answer: str, monkeypatch: pytest.MonkeyPatch
) -> Bench:
    """Return a project without incidents, whose models are the fake's and always right."""
    for module in ("anthropic", "google.genai"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"install the extra `test`: {module} is missing")
    for vendor in ("ANTHROPIC", "GEMINI"):
        monkeypatch.setenv(f"{vendor}_API_KEY", "planted-key-5f1c")
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", wires.url)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", wires.url)
    wires.play({"text": right_answer})
    return bench
