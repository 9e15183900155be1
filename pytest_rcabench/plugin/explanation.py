"""Why an item failed, as pytest shows it: whole among the failures, in one line in the summary."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rcabench.reports.safe_text import in_ascii

if TYPE_CHECKING:
    import pytest


@dataclass(frozen=True, slots=True)
class Crash:
    """Where pytest and its plugins look for the place of a failure, and for one line about it."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        """Show place and message, for ``--tb=line``."""
        return f"{self.path}:{self.lineno}: {self.message}"


class Explanation:
    """A text for a report's ``longrepr``; *reprcrash* holds its first line.

    A plain text would stand in pytest's short summary as a whole, in CI and with ``-vv``.
    """

    def __init__(self, text: str, path: str, line: int) -> None:
        self._text = text
        self.reprcrash = Crash(path, line, for_terminal(text.partition("\n")[0]))

    def __str__(self) -> str:
        """Return the whole text, which is what crosses the wire of pytest-xdist."""
        return self._text

    def toterminal(self, writer: pytest.TerminalWriter) -> None:  # type: ignore[name-defined]  # what pytest hands over has no public name
        """Write the text; one character that cannot be printed would garble all of it."""
        for line in for_terminal(self._text).split("\n"):
            writer.line(line)


def for_terminal(text: str) -> str:
    """Return *text* as the terminal of this process can print it."""
    return text if is_unicode() else in_ascii(text)


def is_unicode() -> bool:
    """Return whether the terminal of this process prints any character."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
