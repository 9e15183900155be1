"""Whether a file is an incident at all, told from its first KiB.

This is asked of every YAML file that pytest meets, so it reads no more than that, parses nothing
and imports nothing heavy.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FIRST_BYTES = 1024
# Only a key of the top level counts: a quoted incident in somebody's block scalar is indented.
_SCHEMA_KEY = re.compile(r"""(?mi)^\{?\s?["']?schema["']?\s*:[ \t]*["']?([^"'\s#,}]*)""")
# Another version, none, or a slip of the pen. Our other formats (rcabench-results/1) do not match.
_OUR_NAME = re.compile(r"(?i)rca[-_]?bench[/:@-]?v?[\d.]*")


def looks_like_incident(path: Path) -> bool:
    """Return whether *path* claims to be an incident of some version, rightly spelled or nearly so.

    Any other file, readable or not, is none.
    """
    try:
        with path.open("rb") as file:
            start = file.read(_FIRST_BYTES)
    except OSError:
        return False
    text = start.decode("utf-8-sig", errors="replace")
    return any(_OUR_NAME.fullmatch(value) for value in _SCHEMA_KEY.findall(text))
