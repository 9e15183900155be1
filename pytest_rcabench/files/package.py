"""Which code this package is made of, whatever its version says."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_rcabench.domain.scoring import digest_of

_PACKAGE = Path(__file__).parents[1]
_CODE = (".css", ".html", ".js", ".json", ".py", ".toml")
_NO_CODE = frozenset({"incident_set", "__pycache__"})


def package_digest() -> str:
    """Return the sha256 of all source of this package but the incidents, as 64 hex digits.

    It names what no other digest does: heuristic, controls, reports, and changes that a checkout
    has and the release of the same version has not.
    """
    sources = {}
    for folder, folders, names in os.walk(_PACKAGE):
        # Tools leave their caches in hidden folders.
        folders[:] = [name for name in folders if name not in _NO_CODE and name[0] != "."]
        for name in names:
            if name.endswith(_CODE):
                file = Path(folder, name)
                sources[file.relative_to(_PACKAGE).as_posix()] = file.read_bytes()
    return digest_of(sources)
