"""What git says about a checkout and about files in it, asked through the git program."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.domain.run import GitState

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_rcabench.domain.incident import JSON

_DEADLINE_S = 10
_SHA256_DIGITS = 64
# What git says, in words of its own, to somebody who has not begun yet.
_NO_REPOSITORY = re.compile("not a git repository|Could not access 'HEAD'")
_NO_COMMIT = re.compile("(ambiguous argument|bad revision) 'HEAD'|object name HEAD")
# A commit is what its id says: no replacement, no graft, no cached commit graph may speak for it.
_OPTIONS = (
    "--no-replace-objects",
    "--no-pager",
    "-c",
    "core.commitGraph=false",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "protocol.allow=never",  # a partial clone would fetch what it lacks
)


def ask_git(
    directory: Path, *arguments: str, stdin: bytes = b"", deadline_s: float = _DEADLINE_S
) -> bytes:
    """Return what git prints to *arguments* in *directory*, asked of the objects themselves.

    Raises: RcabenchError: if git is absent, fails or takes too long, with its own words.
    """
    program = shutil.which("git")
    if program is None:
        raise RcabenchError("git: the program is not here; install it")
    # A hook or an outer git sets GIT_DIR and the like, which would answer for another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_GRAFT_FILE": os.devnull, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            [program, *_OPTIONS, *arguments],
            cwd=directory,
            env=environment,
            input=stdin,
            capture_output=True,
            timeout=deadline_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RcabenchError(f"{directory}: git {arguments[0]}: {error}") from error
    if done.returncode:
        # The first line is the reason; where the owner is another user, the remedy follows it.
        said = os.fsdecode(done.stderr).strip()
        said = said if "safe.directory" in said else said.partition("\n")[0]
        if _NO_REPOSITORY.search(said):
            said = "this is no git repository; go to the one that holds the incidents"
        elif _NO_COMMIT.search(said):
            said = "there is no commit yet; commit the incidents first"
        raise RcabenchError(f"{directory}: git {arguments[0]}: {said or 'failed'}")
    return done.stdout


def git_state(directory: Path) -> GitState:
    """Return the state of the repository around *directory*; *dirty* is about tracked files only.

    It is empty where there is no git, no repository or no commit.
    """
    names = ("--is-shallow-repository", "HEAD", "HEAD^{tree}", "HEAD^@")
    try:
        found = ask_git(directory, "rev-parse", *names).decode("ascii", "replace").split()
    except RcabenchError:
        return GitState()
    shallow, head, tree, *parents = found
    try:
        changes = ask_git(directory, "status", "--porcelain", "--untracked-files=no")
    except RcabenchError:
        changes = None
    return GitState(
        head=head,
        dirty=None if changes is None else bool(changes),
        shallow=shallow == "true",
        tree=tree,
        parents=tuple(parents),
    )


def git_facts(root: Path, paths: Iterable[Path]) -> dict[Path, dict[str, JSON]]:
    """Return the blob id of each of *paths* below *root*, and whether HEAD holds that there.

    Their ``path`` is seen from the top of the repository. Files that cannot be read or lie
    elsewhere are left out; all are, where git cannot speak. Two calls of git serve all of them.
    """
    inside = {path: os.path.relpath(path, root).replace(os.sep, "/") for path in paths}
    inside = {path: name for path, name in inside.items() if not name.startswith("../")}
    if not inside:
        return {}
    try:
        prefix = os.fsdecode(ask_git(root, "rev-parse", "--show-prefix")).removesuffix("\n")
        committed = blobs_in(root, "HEAD", inside.values())
    except RcabenchError:
        return {}
    facts: dict[Path, dict[str, JSON]] = {}
    for path, name in inside.items():
        try:
            content = path.read_bytes()
        except OSError:
            continue
        fact = _fact(content, committed.get(prefix + name, ""))
        facts[path] = {**fact, "path": prefix + name}
    return facts


def blob_id(directory: Path, content: bytes) -> str:
    """Return the id that the repository around *directory* would give *content*.

    Raises: RcabenchError: if git cannot say.
    """
    return os.fsdecode(ask_git(directory, "hash-object", "--stdin", stdin=content)).strip()


def blobs_in(directory: Path, commit: str, paths: Iterable[str] = ()) -> dict[str, str]:
    """Return the blob ids of the files of *commit*, by path from the top of the repository.

    *paths*, seen from *directory*, leave out all others. A submodule is none of the files.

    Raises: RcabenchError: if git cannot say.
    """
    names = tuple(paths)
    scope = "--full-name" if names else "--full-tree"
    listing = ask_git(directory, "ls-tree", "-r", "-z", scope, commit, "--", *names)
    blobs = {}
    for entry in os.fsdecode(listing).split("\0")[:-1]:
        about, _, name = entry.partition("\t")
        _, kind, blob = about.split()
        if kind == "blob":
            blobs[name] = blob
    return blobs


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
