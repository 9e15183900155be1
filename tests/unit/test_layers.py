"""Who may import whom, as setup.cfg says."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_layers_hold() -> None:
    """Every contract of import-linter is kept; `lint-imports` prints what breaks one."""
    pytest.importorskip("importlinter", reason="install the extra `test` to check the layers")
    from importlinter.cli import lint_imports  # noqa: PLC0415 - part of an extra

    assert lint_imports(config_filename=str(ROOT / "setup.cfg"), no_cache=True) == 0
