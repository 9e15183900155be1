"""Workers on other machines run what is free, and nobody there waits for an answer."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.acceptance.conftest import Bench

pytest.importorskip("xdist", reason="install the extra `test`: pytest-xdist is missing")


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the spec of a worker that shares no folder with the process that starts it."""
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "execnet.script.socketserver", "127.0.0.1:0"],
        cwd=tmp_path_factory.mktemp("elsewhere"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        assert server.stdout
        port = next(found for line in server.stdout if (found := re.search(r", (\d+)\)", line)))
        yield f"socket=127.0.0.1:{port[1]}"
        server.kill()


def test_free_columns_run_on_another_machine(bench: Bench, elsewhere: str) -> None:
    """The plan comes with their first report, and is about the files on this side."""
    bench.incident("one")
    bench.incident("two")

    result = bench.run(
        "-d", "--tx", elsewhere, "--rsyncdir", bench.path, bench.path / "incidents",
        "--rca-provider=control:oracle", "--rca-json=results.json", "-Wignore",
    )  # fmt: skip

    assert result.ret == 0
    result.stdout.fnmatch_lines(["rca plan: 2 incidents, 2 analyses (oracle 2 free)"])
    assert set(bench.verdicts().values()) == {"pass"}
    paths = [incident["path"] for incident in bench.results()["incidents"]]
    assert paths == ["incidents/one.yaml", "incidents/two.yaml"]


@pytest.mark.parametrize("tx", ["ssh=nowhere.invalid", "socket=127.0.0.1:1", "popen//via=far"])
def test_an_asked_column_is_refused_before_anybody_is_asked(bench: Bench, tx: str) -> None:
    """One line names the worker and the column; nobody has been called by then."""
    bench.incident("one")

    result = bench.ask("-d", "--tx", tx)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --tx {tx}: a worker on another machine * of sut,*"])
    assert bench.asked() == []


def test_a_free_program_runs_in_the_workers(bench: Bench) -> None:
    """Each of them starts it, where the controller would have started all."""
    for number in range(6):
        bench.incident(f"one-{number}")

    bench.ask("-n2", "--rca-column=sut: free=yes", "--rca-json=results.json")

    parents = {line.split()[1] for line in (bench.path / "asked.log").read_text().splitlines()}
    assert len(parents) == 2
    assert set(bench.verdicts().values()) == {"pass"}
