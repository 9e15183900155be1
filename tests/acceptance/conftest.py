"""A folder of small incidents, and a system under test that does as it is told and counts."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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

    def ask(self, *args: object) -> pytest.RunResult:
        """Return what pytest says to *args* with the system as its column."""
        return self.run(self.system, *args)

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
