"""No module works only because another one was imported before it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "pytest_rcabench"

# A fork for each module, with what is not ours imported before: else they take a minute together.
IMPORT_EACH_ALONE = """
import importlib, os, sys, traceback
import argparse, concurrent.futures, http.client, jinja2, multiprocessing.connection, pytest
import statistics, subprocess, tomllib, urllib.request, yaml, zoneinfo
assert not [name for name in sys.modules if name.startswith("pytest_rcabench")]
failed = []
for name in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        failed.append(name)
sys.exit(", ".join(failed) or 0)
"""


def test_every_module_imports_alone() -> None:
    """Each module of the package can be the first one that is imported."""
    names = [
        ".".join(("pytest_rcabench", *path.relative_to(PACKAGE).with_suffix("").parts))
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name != "__init__.py"
    ]
    assert len(names) > 40

    result = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH_ALONE, *names],
        env=os.environ | {"PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (result.returncode, result.stderr) == (0, "")
