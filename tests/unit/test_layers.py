"""Who may import whom, as setup.cfg says, and where docs/explanation/architecture.md says it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_layers_hold() -> None:
    """Every contract of import-linter is kept; `lint-imports` prints what breaks one."""
    pytest.importorskip("importlinter", reason="install the extra `test` to check the layers")
    from importlinter.cli import lint_imports  # noqa: PLC0415 - part of an extra

    assert lint_imports(config_filename=str(ROOT / "setup.cfg"), no_cache=True) == 0


def test_the_map_of_the_reports_names_every_module() -> None:
    """Thirty modules in one folder are found by the table of the architecture page."""
    page = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    table = page.partition("## The reports")[2].partition("\n## ")[0]
    folder = ROOT / "pytest_rcabench/reports"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}

    assert modules - set(re.findall(r"`([a-z_]+)`", table)) == set()
