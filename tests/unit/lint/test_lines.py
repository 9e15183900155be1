"""Lines are in the layout of their stream."""

from __future__ import annotations

import pytest

from pytest_rcabench.files.incident_document import Document
from pytest_rcabench.files.yaml_nodes import read_nodes
from pytest_rcabench.lint.lines import lines_keep_their_layout, share_continued

TRACE = """\
2026-10-07T13:00:00Z ERROR order 7 failed
java.lang.IllegalStateException: closed
\tat com.example.Orders.take(Orders.java:20)
2026-10-07T13:00:01Z INFO order 8 taken"""
POSTGRES = """\
2026-10-07 13:02:10.004 UTC [42] ERROR:  deadlock detected
2026-10-07 13:02:10.004 UTC [42] DETAIL:  Process 42 waits
\tProcess 43 waits"""


def document(**streams: str) -> Document:
    """Return a file with one stream a layout."""
    blocks = [
        f"  - format: {layout.replace('_', '-')}\n    lines: |\n"
        + "".join(f"      {line}\n" for line in lines.split("\n"))
        for layout, lines in streams.items()
    ]
    read = Document("x.yaml")
    read.root = read_nodes("logs:\n" + "".join(blocks), read.report) or read.root
    return read


def test_traces_continue_a_record() -> None:
    """Their share is told, and nothing is wrong with them; a DETAIL is a line of its layout."""
    read = document(plain=TRACE, postgres=POSTGRES)

    assert list(lines_keep_their_layout(read)) == []
    assert share_continued(read) == "3 of 7 (2 in logs[0], 1 in logs[1])"


def test_a_file_without_logs_has_no_lines() -> None:
    """It is as clean as can be."""
    read = Document("x.yaml")
    read.root = read_nodes("logs: []\n", read.report) or read.root

    assert (list(lines_keep_their_layout(read)), share_continued(read)) == ([], "0 of 0")


@pytest.mark.parametrize(
    ("layout", "right", "wrong"),
    [
        ("plain", "2026-10-07T13:00:00Z INFO up", "2026-10-07T13:00:01Z up and running"),
        ("syslog", "Oct  7 13:00:04 node-3 chronyd[8]: up", "Oct  7 13:0:05 node-3 chronyd: up"),
        ("celery", "[2026-10-07 13:00:01,250: INFO/Main] up", "[2026-10-07 13:00:02 INFO Main] up"),
    ],
)
def test_a_line_that_only_begins_like_a_record_is_an_error(
    layout: str, right: str, wrong: str
) -> None:
    """It would silently become part of the record before it."""
    (finding,) = lines_keep_their_layout(document(**{layout: f"{right}\n{wrong}\n{wrong}"}))

    assert finding.where == ("logs", 0, "lines")
    assert finding.what.startswith(repr(wrong[:80]))
    assert "(2 such lines)" in finding.what
