"""What the terminal behind standard output can show."""

from __future__ import annotations

import sys

from pytest_rcabench.reports.grid import LEGEND


def is_unicode() -> bool:
    """Whether the marks of a grid can be printed."""
    try:
        LEGEND.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
