"""Log lines as they stand in the file: do they parse in the layout that their stream declares?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.files.log_formats import FORMATS
from pytest_rcabench.files.yaml_nodes import Sequence
from pytest_rcabench.lint.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rcabench.files.incident_document import Document

# A date, up to eight characters of it, tells a line of a layout from a line of a trace.
_HEAD = 8
_SHOWN = 80


class Stream(NamedTuple):
    """The lines of the stream at *place* that parse, and those that continue a record."""

    place: int
    parsed: tuple[str, ...]
    continued: tuple[str, ...]


def streams(document: Document) -> Iterator[Stream]:
    """Yield the log streams of *document*, which was read without a problem."""
    logs = document.node(("logs",))
    for index in range(len(logs.items) if isinstance(logs, Sequence) else 0):
        name = getattr(document.node(("logs", index, "format")), "text", "")
        text = getattr(document.node(("logs", index, "lines")), "text", "")
        parse = FORMATS[name].parse
        parsed: list[str] = []
        continued: list[str] = []
        for line in text.rstrip("\n").split("\n"):
            (continued if parse(line) is None else parsed).append(line)
        yield Stream(index, tuple(parsed), tuple(continued))


def lines_keep_their_layout(document: Document) -> Iterator[Finding]:
    """No line begins like a record of its stream and yet is none."""
    for stream in streams(document):
        heads = {_shape(line) for line in stream.parsed}
        near = [line for line in stream.continued if _shape(line) in heads]
        if near:
            what = f"{near[0][:_SHOWN]!r} begins like a record but is not in the layout"
            more = f" ({len(near)} such lines)" if len(near) > 1 else ""
            yield Finding(("logs", stream.place, "lines"), f"{what}{more}; write it in its layout")


def share_continued(document: Document) -> str:
    """Return how many lines of which streams continue a record, such as "40 of 900 (logs[2])"."""
    found = [stream for stream in streams(document) if stream.continued]
    total = sum(len(stream.parsed) + len(stream.continued) for stream in streams(document))
    told = ", ".join(f"{len(stream.continued)} in logs[{stream.place}]" for stream in found)
    count = sum(len(stream.continued) for stream in found)
    return f"{count} of {total}" + (f" ({told})" if told else "")


def _shape(line: str) -> str:
    return re.sub("[A-Za-z]", "a", re.sub("[0-9]", "9", line[:_HEAD]))
