"""Text of others as Markdown that shows it as it is written: no markup, no link, no mention."""

from __future__ import annotations

import html
import re
import textwrap
from typing import TYPE_CHECKING

from pytest_rcabench.reports.safe_text import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
# An empty comment keeps GitHub from making mentions, references, links and emojis.
_LINKING = re.compile(
    r"(@|#(?=\d)|:(?=//|(?:[\w+\\-]*[a-z+][\w+\\-]*|100|1234):)|www(?=\.))", re.IGNORECASE
)
_BACKTICKS = re.compile(r"`+")
_LINE = 100


def inline(text: str, limit: int = 300) -> str:
    """Return *text* as one line of Markdown, cut at *limit* characters."""
    escaped = _SPECIAL.sub(r"\\\1", html.escape(one_line(text, limit), quote=False))
    return _LINKING.sub(r"\1<!-- -->", escaped)


def block(text: str) -> str:
    """Return *text* as a fenced block that nothing in it can close, wrapped where long."""
    shown = printable(text)
    wrapped = [part for line in shown.split("\n") for part in _wrapped(line)]
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *wrapped, fence])


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Return a table of cells that are Markdown already, with an empty line behind it."""
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return [lines[0], "|---" * len(list(head)) + "|", *lines[1:], ""]


def _wrapped(line: str) -> list[str]:
    if len(line) <= _LINE:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, _LINE, subsequent_indent=indent, break_on_hyphens=False)
