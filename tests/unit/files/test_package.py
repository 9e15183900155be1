"""The digest of the package's own code."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest_rcabench
from pytest_rcabench.files.package import package_digest

SOURCE = Path(pytest_rcabench.__file__).parent
PRINT = "from pytest_rcabench.files.package import package_digest; print(package_digest())"


def _digest(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PRINT], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_same_code_has_the_same_digest_wherever_it_lies(tmp_path: Path) -> None:
    """Neither caches nor incidents nor line ends count; another line of code does."""
    copy = tmp_path / "pytest_rcabench"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    heuristic = copy / "engine" / "systems" / "heuristic" / "heuristic.py"
    source = heuristic.read_bytes()
    for folder in ("incident_set", ".cache"):
        (copy / folder).mkdir(exist_ok=True)
        (copy / folder / "notes.json").write_text("{}")
    heuristic.write_bytes(source.replace(b"\n", b"\r\n"))
    same = _digest(tmp_path)
    heuristic.write_bytes(source + b"# another\n")

    assert same == package_digest()
    assert _digest(tmp_path) != same
