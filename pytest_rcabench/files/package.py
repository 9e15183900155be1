"""Which code this package is made of, whatever its version says."""

from __future__ import annotations

from pathlib import Path

from pytest_rcabench.domain.scoring import digest_of

_PACKAGE = Path(__file__).parents[1]
_CODE = frozenset({".css", ".html", ".js", ".json", ".py", ".toml"})


def package_digest() -> str:
    """Return the sha256 of all source of this package but the incidents, as 64 hex digits.

    It names what no other digest does: heuristic, controls, reports, and changes that a checkout
    has and the release of the same version has not.
    """
    names = [file.relative_to(_PACKAGE) for file in _PACKAGE.rglob("*") if file.suffix in _CODE]
    # Tools leave their caches in hidden folders.
    ours = [name for name in names if name.parts[0] != "incident_set" and name.parts[0][0] != "."]
    return digest_of({name.as_posix(): (_PACKAGE / name).read_bytes() for name in ours})
