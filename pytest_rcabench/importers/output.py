"""Writes imported incidents: all of them or none, and none that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.files.incident_writer import render_incident
from pytest_rcabench.files.incident_yaml import read_incident_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# `rcabench schema` prints it; whoever edits imported files puts it beside them.
_SCHEMA = "incident.json"


def write_incidents(documents: Mapping[Path, Mapping[str, object]], out: Path) -> None:
    """Write each document to its path below *out*, once all of them can be read.

    Raises: RcabenchError: before anything is written, if a document makes no incident or *out* is
    no folder for them; afterwards, if a file is not what was written.
    """
    texts = {
        path: render_incident(document, schema_path=_SCHEMA).encode()
        for path, document in documents.items()
    }
    for path, text in texts.items():
        read_incident_text(text, path.as_posix())
    try:
        out.mkdir(parents=True, exist_ok=True)
        _refuse_strangers(out, texts)
        _refuse_changes(texts)
        for path, text in texts.items():
            path.write_bytes(text)
        _refuse_changes(texts)
    except OSError as error:
        raise RcabenchError(
            f"{error.filename}: cannot be written ({error.strerror}); give another folder"
        ) from error


def _refuse_strangers(out: Path, texts: Mapping[Path, bytes]) -> None:
    found = (path for path in out.iterdir() if path.suffix in {".yaml", ".yml"})
    strangers = sorted(path.name for path in found if path not in texts)
    if strangers:
        # They would be collected with the import, and no figure would be the data set's any more.
        raise RcabenchError(
            f"{out}: holds other YAML files ({', '.join(strangers[:3])}); give a folder of its own"
        )


def _refuse_changes(texts: Mapping[Path, bytes]) -> None:
    for path, text in texts.items():
        if path.exists() and path.read_bytes() != text:
            raise RcabenchError(
                f"{path}: differs from what would be written; remove it, or give another folder"
            )
