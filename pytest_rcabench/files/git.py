"""What git says about a checkout and about files in it, asked through the git program."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from pytest_rcabench.domain.run import GitState

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_rcabench.domain.incident import JSON

_DEADLINE_S = 10
_SHA256_DIGITS = 64


def git_state(directory: Path) -> GitState:
    """Return the state of the repository around *directory*; *dirty* is about tracked files only.

    It is empty where there is no git, no repository or no commit.
    """
    found = _git(directory, "rev-parse", "--is-shallow-repository", "HEAD")
    if found is None:
        return GitState()
    shallow, head = found.decode("ascii", "replace").split()
    changes = _git(directory, "status", "--porcelain", "--untracked-files=no")
    return GitState(head, None if changes is None else bool(changes), shallow == "true")


def git_facts(root: Path, paths: Iterable[Path]) -> dict[Path, dict[str, JSON]]:
    """Return the blob id of each of *paths* below *root*, and whether HEAD holds that there.

    Files that cannot be read or lie elsewhere are left out; all are, where git cannot speak. One
    call of git serves all of them.
    """
    inside = {path: os.path.relpath(path, root).replace(os.sep, "/") for path in paths}
    inside = {path: name for path, name in inside.items() if not name.startswith("../")}
    listing = _git(root, "ls-tree", "-r", "-z", "HEAD", "--", *inside.values()) if inside else None
    if listing is None:
        return {}
    committed = {}
    for entry in os.fsdecode(listing).split("\0")[:-1]:
        about, _, name = entry.partition("\t")
        committed[name] = about.split()[2]
    facts: dict[Path, dict[str, JSON]] = {}
    for path, name in inside.items():
        try:
            content = path.read_bytes()
        except OSError:
            continue
        facts[path] = _fact(content, committed.get(name, ""))
    return facts


def _fact(content: bytes, committed: str) -> dict[str, JSON]:
    name = "sha256" if len(committed) == _SHA256_DIGITS else "sha1"
    blob = _blob(content, name)
    # A checkout with CRLF holds the content of its commit: git converts before it hashes.
    if blob != committed and _blob(content.replace(b"\r\n", b"\n"), name) == committed:
        blob = committed
    return {"blob": blob, "committed": blob == committed}


def _blob(content: bytes, algorithm: str) -> str:
    return hashlib.new(
        algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False
    ).hexdigest()


def _git(directory: Path, *arguments: str) -> bytes | None:
    """Return what git prints, or None where it is absent, fails or takes too long."""
    program = shutil.which("git")
    if program is None:
        return None
    # A hook or an outer git sets GIT_DIR and the like, which would answer for another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    options = ("--no-replace-objects", "--no-pager", "-c", "core.fsmonitor=false")
    try:
        done = subprocess.run(
            [program, *options, *arguments],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_DEADLINE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
