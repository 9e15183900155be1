"""Not one byte of a secret reaches a record, a report or a terminal, however much is shown."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Bench
    from tests.wires.fake import FakeWires

# One of them stands on a command line too, and the program prints it.
PLANTED = {
    "ANTHROPIC_API_KEY": "planted-anthropic-4d2a",
    "GEMINI_API_KEY": "planted-gemini-7b9c",
    "SHOP_TOKEN": "planted-token-1e8f",
    "RCA_HTTP_AUTHORIZATION": "Bearer planted-bearer-5a3d",
}
IN_QUERY = "planted-query-8d4a"

LEAKY = """
import os, sys
print("cannot log in with", sys.argv[1], "nor", os.environ["GEMINI_API_KEY"], file=sys.stderr)
raise SystemExit(f"gave up on {sys.argv[1]}")
"""
# A test of the user's own that fails with everything in its hands.
SHOWS_ALL = """
def test_mine(rca_case, rca_analysis, request):
    column, analyzer = rca_case.column, rca_case.column.analyzer
    assert rca_case.column is None


def test_traceback(rca_case, rca_evidence):
    if rca_case.column.model:
        answer = rca_case.column.analyzer.analyze(rca_evidence)
        assert answer is None
"""


@pytest.mark.parametrize("more", [["-n0"], ["-n2"]], ids=["serial", "n2"])
def test_no_secret_is_ever_shown_or_stored(
    models: Bench, wires: FakeWires, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    """Servers echo keys, programs print them, and pytest shows all it has."""
    for name, secret in PLANTED.items():
        monkeypatch.setenv(name, secret)
    models.windows("good", "locked")
    echo = " ".join(PLANTED.values())
    wires.play({"status": 400, "body": {"error": {"message": f"no: {echo}"}}}, to="wanted: locked")
    script = models.path / "leaky.py"
    script.write_text(LEAKY)
    (models.path / "test_mine.py").write_text(SHOWS_ALL)

    result = models.run(
        "--rca-provider=claude:fake-sonnet,gemini:fake-flash",
        f"--rca-provider=sut=command:{sys.executable} {script} {PLANTED['SHOP_TOKEN']}",
        f"--rca-provider=web={wires.url}/x?key={IN_QUERY}",
        "incidents", "test_mine.py", "-vv", "-rA", "--showlocals", "--log-level=DEBUG",
        "--tb=long", "--rca-json=results.json", "--rca-markdown=report.md", "--junitxml=junit.xml",
        "--json-report", "--json-report-file=pytest.json", *more,
    )  # fmt: skip

    shown = result.stdout.str() + result.stderr.str()
    assert "gave up on" in shown
    assert "[redacted]" in shown
    kept = [path for path in written(models.path) if path.suffix not in {".py", ".pyc"}]
    assert {"results.json", "report.md", "junit.xml", "pytest.json", "journal.jsonl"} <= {
        path.name for path in kept
    }
    for secret in (*(text.split()[-1] for text in PLANTED.values()), IN_QUERY):
        assert secret not in shown, secret
        assert not any(secret in path.read_text("utf-8", "replace") for path in kept), secret


def written(folder: Path) -> list[Path]:
    """Return every file below *folder*."""
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("variable", ["ANTHROPIC_BASE_URL", ""], ids=["model", "service"])
def test_a_login_in_an_address_is_refused_and_not_shown(
    models: Bench, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Said before anything runs, with where to put it."""
    models.windows("good")
    address = "http://planted-user:planted-password@127.0.0.1/x"
    if variable:
        monkeypatch.setenv(variable, address)

    result = models.run(f"--rca-provider={'claude' if variable else f'web={address}'}", "-vv")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *holds a login*"])
    assert "planted" not in result.stdout.str() + result.stderr.str()
