"""A unified diff as git prints it -> the paths that it touches."""

from __future__ import annotations

import re

HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]+))? \+[0-9]+(?:,([0-9]+))? @@")
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_LETTERS = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_NOTHING = "/dev/null"


def touched_files(diff: str) -> tuple[str, ...]:
    """Return the paths that *diff* touches, each once: new names, and old ones of deleted files."""
    paths: dict[str, None] = {}
    old, header = "", ""
    left = [0, 0]
    for line in diff.split("\n"):
        if line.startswith("diff --"):
            left = [0, 0]
            _add(paths, header)
            header = _path_of_header(line)
        elif max(left) > 0:
            # Inside a hunk a removed line "-- x" looks like the name of a file.
            left[0] -= line[:1] not in {"+", "\\"}
            left[1] -= line[:1] not in {"-", "\\"}
        elif found := HUNK.match(line):
            left = [int(count or 1) for count in found.groups()]
        elif line.startswith("--- "):
            old = _path(line[4:])
        elif line.startswith("+++ "):
            new = _path(line[4:])
            _add(paths, old if new == _NOTHING else new)
            header = ""
        elif line.startswith("rename to "):
            _add(paths, _path(f"b/{line[10:]}" if not line.endswith('"') else line[10:]))
            header = ""
    _add(paths, header)
    return tuple(paths)


def _add(paths: dict[str, None], path: str) -> None:
    if path and path != _NOTHING:
        paths[path] = None


def _path_of_header(line: str) -> str:
    """Return the path that ``diff --git`` names, which is all that a binary file has."""
    rest = line.split(" ", 2)[2]
    if line.startswith("diff --git "):
        # Both names are the same here, so the second half is the path, blanks and all.
        rest = rest[len(rest) // 2 + 1 :]
    return _path(rest)


def _path(text: str) -> str:
    text = text.partition("\t")[0].rstrip()
    if text.startswith('"') and text.endswith('"'):
        text = _unquoted(text[1:-1])
    return text[2:] if text[:2] in {"a/", "b/"} else text


def _unquoted(text: str) -> str:
    def byte(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code, 8) & 0xFF) if code.isdecimal() else _LETTERS.get(code, code)

    # git escapes bytes, and other characters stand as they are when core.quotePath is off.
    raw = _ESCAPE.sub(byte, text.encode("utf-8").decode("latin-1"))
    return raw.encode("latin-1").decode("utf-8", errors="replace")
