"""Text of others in Markdown."""

from __future__ import annotations

import pytest

from pytest_rcabench.reports.markdown_text import block, inline


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>", "&lt;script&gt;"),
        ("a|b", "a\\|b"),
        ("`code`", "\\`code\\`"),
        ("[a](b)", "\\[a\\](b)"),
        ("*b* _i_ ~s~ $m$", "\\*b\\* \\_i\\_ \\~s\\~ \\$m\\$"),
        ("&lt;", "&amp;lt;"),
        ("@team", "@<!-- -->team"),
        ("#42 # 42", "#<!-- -->42 # 42"),
        (":tada: 13:21:40 :100:", ":<!-- -->tada: 13:21:40 :<!-- -->100:"),
        ("https://example.invalid", "https:<!-- -->//example.invalid"),
        ("two\nlines\r\nthree", "two lines three"),
        ("\x1b[31mred\x1b[0m \x00\u202ertl", "red rtl"),
        ("x" * 400, "x" * 300 + "… \\[100 more characters\\]"),
    ],
)
def test_text_of_others_shows_as_it_is_written(text: str, shown: str) -> None:
    """Nothing that a model wrote becomes markup, a link or a mention."""
    assert inline(text) == shown


def test_a_block_cannot_be_closed_from_inside() -> None:
    """The fence is longer than any run of backticks in the text."""
    lines = block("a\n```\n````\n# b").split("\n")

    assert lines == ["`````text", "a", "```", "````", "# b", "`````"]


def test_backticks_that_join_when_cleaned_cannot_close_a_block() -> None:
    """A zero-width character between backticks is no way out."""
    lines = block("``\u200b``").split("\n")

    assert lines == ["`````text", "````", "`````"]


def test_long_lines_of_a_block_are_wrapped_and_nothing_is_lost() -> None:
    """Reasoning of one long line can be read without scrolling."""
    text = " ".join(f"word{number}" for number in range(100))
    lines = block(text).split("\n")[1:-1]

    assert max(map(len, lines)) <= 100
    assert " ".join(line.strip() for line in lines) == text
