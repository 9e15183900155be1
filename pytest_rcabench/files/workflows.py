"""The workflows for GitHub Actions that ship with this package, and the how-to shows."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.files.copying import write_missing

_PACKAGE = Path(__file__).parents[1]
_INCIDENTS = "INCIDENTS: incidents\n"


def copy_workflows(repository: Path, incidents: str) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Write the workflows into *repository*, to run the folder *incidents* in it.

    Return the files written, and those that differ and stay.

    Raises: RcabenchError: if the disk refuses, or the installation lacks them.
    """
    contents = {}
    for file in sorted(_shipped_workflows().glob("*.yml")):
        text = file.read_text("utf-8")
        if incidents != "incidents":
            text = text.replace(_INCIDENTS, f"INCIDENTS: {json.dumps(incidents)}\n")
        contents[repository / ".github/workflows" / file.name] = text.encode()
    return write_missing(contents)


def _shipped_workflows() -> Path:
    """Return their folder: in an installed package, or in a checkout where the how-to has them."""
    for folder in (_PACKAGE / "workflows", _PACKAGE.parent / "docs/how-to/workflows"):
        if folder.is_dir():
            return folder
    raise RcabenchError(
        f"{_PACKAGE / 'workflows'}: the shipped workflows are missing; install pytest-rcabench "
        "again"
    )
