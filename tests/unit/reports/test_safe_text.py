"""Text of others made safe to print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rcabench.reports.safe_text import columns_of, cut, in_ascii, one_line, padded, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link"),
        ("a\tb\r\nc\rd\u2028e", "a b\nc\nd\ne"),
        ("\x00\x07\x7f\x9b", ""),
        ("\u202eabc\u2066d\u200be\ufeff", "abcde"),
        ("\ud83d!", "\ufffd!"),
        ("Größe 事故 🚀", "Größe 事故 🚀"),
        ("a ##[stop-commands]x #\u200b#[error]y", "a ## [stop-commands]x ## [error]y"),
    ],
)
def test_what_cannot_be_printed_is_gone(text: str, shown: str) -> None:
    """Escape sequences, controls, direction marks and half characters do not get through."""
    assert printable(text) == shown


@given(st.text(st.characters(codec=None), max_size=60))
def test_printable_text_can_always_be_written(text: str) -> None:
    """Whatever came in, the outcome is valid UTF-8 and stays as it is when done again."""
    shown = printable(text)

    assert "\x1b" not in shown
    assert shown.encode("utf-8").decode("utf-8") == printable(shown)


def test_long_lines_are_cut_with_a_visible_marker() -> None:
    """The reader sees that, and how much, is missing."""
    assert one_line("a  b\n" + "x" * 1_000_000, 6) == "a b xx… [999,998 more characters]"
    assert cut("abc", 3) == "abc"


@given(st.text(max_size=20), st.integers(1, 30))
def test_padding_hits_its_width(text: str, width: int) -> None:
    """Every cell of a table is as wide as its column."""
    assert columns_of(padded(printable(text).replace("\n", ""), width)) == width


def test_ascii_has_a_sign_for_every_mark() -> None:
    """The marks stay apart without Unicode."""
    assert in_ascii("✓½✗⚠\u2013·… ü") == "+/x!-|~ ?"
