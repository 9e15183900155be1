"""Text from models, logs and files made safe to print: no control characters, no runaway lines."""

from __future__ import annotations

import re
import unicodedata

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_ASCII = str.maketrans("✓½✗⚠–·…×", "+/x!-|~x")  # noqa: RUF001 - times
_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029\x85\v\f]")


def printable(text: str) -> str:
    """Return *text* without escape sequences, control, direction and zero-width characters.

    Line ends become newlines, and half a surrogate pair the replacement character. ``##[`` is torn
    apart: anywhere in a line of its log, GitHub Actions would take it for a command.
    """
    if not text.isprintable():
        text = _LINE_ENDS.sub("\n", _ANSI.sub("", text)).replace("\t", " ")
        text = "".join(
            "\ufffd" if "\ud800" <= character <= "\udfff" else character
            for character in text
            if character == "\n" or unicodedata.category(character) not in {"Cc", "Cf"}
        )
    return text.replace("##[", "## [")


def one_line(text: str, limit: int = 300) -> str:
    """Return *text* printable, on one line, cut at *limit* characters with a visible marker."""
    return cut(" ".join(printable(text).split()), limit)


def cut(text: str, limit: int) -> str:
    """Return *text*, or its first *limit* characters and how many more there are."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… [{len(text) - limit:,} more characters]"


def columns_of(text: str) -> int:
    """Return how many columns of a terminal *text* takes; wide characters two, combining none."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(character)
        else 1 + (unicodedata.east_asian_width(character) in {"W", "F"})
        for character in text
    )


def padded(text: str, width: int) -> str:
    """Return *text* in exactly *width* columns: filled with blanks, or cut with an ellipsis."""
    if columns_of(text) > width:
        while text and columns_of(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - columns_of(text))


def in_ascii(text: str) -> str:
    """Return *text* for a terminal that can print nothing but ASCII."""
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")
