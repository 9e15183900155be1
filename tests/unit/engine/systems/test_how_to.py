"""The programs of the how-to page run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.incident import Evidence, LogRecord, Window
from pytest_rcabench.engine.systems.command import CommandSystem
from pytest_rcabench.engine.systems.http import HttpSystem

if TYPE_CHECKING:
    from pytest_rcabench.domain.analysis import Analysis

PAGE = Path(__file__).parents[4] / "docs/how-to/put-a-system-under-test.md"
START = datetime(2026, 10, 7, 13, tzinfo=UTC)
LINE = LogRecord(START, "orders", "orders-1", "ERROR", "coupon lookup failed")
EVIDENCE = Evidence(Window(START, START + timedelta(hours=1)), (LINE,), (), ())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Save each program under the name that the page gives it."""
    text = PAGE.read_text(encoding="utf-8")
    programs = re.findall(r"Save this as `(\w+\.py)`.*?```python\n(.*?)```", text, re.DOTALL)
    for name, code in programs:
        (tmp_path / name).write_text(code, encoding="utf-8")
    return tmp_path


def said(analysis: Analysis) -> tuple[object, str, str]:
    """Return fault, service and cause."""
    return analysis.fault, analysis.issues[0].service, analysis.issues[0].cause


def test_the_program_of_the_page_answers(folder: Path) -> None:
    """It names the service with most errors."""
    system = CommandSystem(f"'{sys.executable}' '{folder / 'rca.py'}'", os.environ)

    assert said(system.analyze(EVIDENCE)) == (None, "orders", "coupon lookup failed")


def test_the_service_of_the_page_answers(folder: Path) -> None:
    """It says the same by HTTP."""
    command = [sys.executable, str(folder / "service.py"), "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            analysis = HttpSystem(url, os.environ).analyze(EVIDENCE)
        finally:
            process.kill()

    assert said(analysis) == (None, "orders", "coupon lookup failed")
