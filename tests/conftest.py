"""What every test of the suite gets: no network but loopback, small incidents, fake vendors."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.files.incident_writer import render_incident

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.wires.fake import FakeWires

CULPRIT = "c0ffee0" + "0" * 33
INNOCENT = "beef1e0" + "0" * 33
FAKE = Path(__file__).with_name("wires") / "fake.py"
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@pytest.fixture(autouse=True)
def _network_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a socket reach this machine and nothing else."""
    connect = socket.socket.connect

    def connect_here(self: socket.socket, address: Any) -> None:  # noqa: ANN401 - one shape a family
        if self.family in {socket.AF_INET, socket.AF_INET6} and address[0] not in LOOPBACK:
            pytest.fail(f"this test reached for the network: {address}", pytrace=False)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)


@pytest.fixture(autouse=True)
def _terminal_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make pytest print the same in CI as on a desk: there it cuts no line and may colour all."""
    for name in (
        "CI",
        "BUILD_NUMBER",
        "GITHUB_ACTIONS",
        "GITHUB_OUTPUT",
        "GITHUB_STEP_SUMMARY",
        "FORCE_COLOR",
        "NO_COLOR",
        "PYTEST_ADDOPTS",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def _served() -> Iterator[FakeWires]:
    # Loaded by path: the tests are no package, and other folders use it too.
    spec = importlib.util.spec_from_file_location("rcabench_fake_wires", FAKE)
    assert spec
    assert spec.loader
    fake = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fake)
    with fake.fake_wires() as wires:
        yield wires


@pytest.fixture
def wires(_served: FakeWires) -> Iterator[FakeWires]:
    """Return a server that plays what it is told on both wires, and has seen nothing yet."""
    _served.reset()
    yield _served
    _served.reset()


@pytest.fixture
def small_incident() -> Callable[..., dict[str, Any]]:
    """Return a function that makes the document of a small incident, faulty or healthy."""
    return incident_document


@pytest.fixture
def write_incident() -> Callable[..., Path]:
    """Return a function that writes a small incident file and returns its path."""

    def write(folder: Path, name: str, **changes: Any) -> Path:  # noqa: ANN401 - of any section
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.yaml"
        document = incident_document(name, **changes)
        path.write_text(render_incident(document, schema_path="incident.json"), encoding="utf-8")
        return path

    return write


def git(folder: Path, *arguments: str, at: str = "") -> str:
    """Return what git prints in *folder*, for somebody who has configured nothing.

    *at* is the time that new commits bear.
    """
    settings = {
        "user.name": "a",
        "user.email": "a@example.invalid",
        "commit.gpgsign": "false",
        "core.autocrlf": "false",
        "protocol.file.allow": "always",
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
    done = subprocess.run(
        ["git", *options, *arguments],
        cwd=folder,
        env=os.environ | dates,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def incident_document(
    name: str, *, says: str = "order reserved", healthy: bool = False, **changes: object
) -> dict[str, Any]:
    """Return an incident of six log lines; *says* is the first, *changes* replace sections."""
    lines = [f"2026-10-07T13:00:01Z INFO {says}"] + [
        f"2026-10-07T13:{minute}:04Z ERROR order {minute} failed: no connection"
        for minute in range(31, 36)
    ]
    document: dict[str, Any] = {
        "schema": "rcabench/1",
        "id": name,
        "title": f"Connections leak ({name})",
        "kind": "healthy" if healthy else "bad_deploy",
        "difficulty": "easy",
        "canary": f"rcabench canary {name}",
        "source": {"origin": "written"},
        "window": {"start": "2026-10-07T13:00:00Z", "end": "2026-10-07T14:00:00Z"},
        "logs": [
            {
                "service": "orders-api",
                "host": "orders-1",
                "format": "plain",
                "lines": "\n".join(lines) + "\n",
            }
        ],
        "metrics": [],
        "changes": [
            {
                "type": "commit",
                "sha": sha,
                "time": f"2026-10-07T12:5{number}:09Z",
                "author": "r.lindqvist",
                "service": service,
                "message": message,
                "files": [f"{service}.py"],
            }
            for number, (sha, service, message) in enumerate(
                [(CULPRIT, "orders-api", "Validate coupon"), (INNOCENT, "web", "New colours")]
            )
        ],
    }
    if not healthy:
        document["expected"] = {
            "service": "orders-api",
            "victims": ["web"],
            "onset": "2026-10-07T13:31:00Z",
            "cause": [["connection*"], ["leak*", "never closed"]],
            "must_not": ["pool is too small"],
            "commit": CULPRIT,
        }
    return document | changes
