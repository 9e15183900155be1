"""What a repository's commits say of some of its files: who added, changed, moved them, and when.

Commits are asked for what they are, never for how somebody shows them, and nothing is guessed
where history was cut off.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.domain.incident import format_time
from pytest_rcabench.domain.proof import Commit
from pytest_rcabench.files.git import ask_git, blobs_in, git_facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_rcabench.domain.incident import JSON

INCIDENT_FILES = ("*.yaml", "*.yml")
_DEADLINE_S = 120
_RUN_DEADLINE_S = 10


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one commit did to one file: A, M, R or D, as git says it.

    *blob* is the content after it. *was* is the path before it, another one for a rename alone.
    """

    commit: str
    status: str
    path: str
    blob: str
    was: str


class History:
    """The commits that HEAD, a branch or a tag holds, and what they did to the files asked for."""

    def __init__(
        self,
        top: Path,
        *,
        head: str,
        is_shallow: bool,
        parents: Mapping[str, tuple[str, ...]],
        times: Mapping[str, int],
        changes: tuple[FileChange, ...],
    ) -> None:
        self.top = top
        self.head = head
        self.is_shallow = is_shallow
        self.changes = changes
        self._parents = parents
        self._times = times
        self._ancestors: dict[str, frozenset[str]] = {}

    def __contains__(self, sha: str) -> bool:
        return sha in self._parents

    def commit(self, sha: str) -> Commit:
        """Return the commit *sha*, which must be in this history, with its committer's time."""
        return Commit(sha, format_time(datetime.fromtimestamp(self._times[sha], UTC)))

    def ancestors(self, sha: str) -> frozenset[str]:
        """Return *sha* and all commits that it descends from; none where *sha* is unknown."""
        if sha not in self._ancestors:
            seen, left = set[str](), [sha] if sha in self._parents else []
            while left:
                commit = left.pop()
                if commit not in seen:
                    seen.add(commit)
                    left += self._parents.get(commit, ())
            self._ancestors[sha] = frozenset(seen)
        return self._ancestors[sha]

    def life(self, path: str, until: str) -> tuple[FileChange, ...]:
        """Return what made the file at *path* in the commit *until*, back to the one that added it.

        The newest comes first, and renames are followed.
        """
        within, found = self.ancestors(until), []
        for change in self.changes:
            if change.commit in within and change.path == path and change.status != "D":
                found.append(change)
                if change.status == "A":
                    break
                path = change.was
        return tuple(found)

    def touching(self, paths: Iterable[str], until: str, since: str = "") -> tuple[Commit, ...]:
        """Return the commits up to *until*, less those up to *since*, that changed one of *paths*.

        A path that ends with / is a folder. The newest commit comes first.
        """
        names = tuple(paths)
        within = self.ancestors(until) - self.ancestors(since)
        found = {
            change.commit: None
            for change in self.changes
            if change.commit in within
            and any(_is_below(path, names) for path in (change.path, change.was))
        }
        return tuple(self.commit(sha) for sha in found)

    def blobs(self, commit: str) -> dict[str, str]:
        """Return the blob ids in *commit* by path. Raises: RcabenchError: if git cannot say."""
        return blobs_in(self.top, commit)

    def content(self, blob: str) -> bytes:
        """Return the content of *blob*. Raises: RcabenchError: if the repository lacks it."""
        return ask_git(self.top, "cat-file", "blob", blob)


def read_history(
    directory: Path, files: Iterable[str], *, deadline_s: float = _DEADLINE_S
) -> History:
    """Return the history around *directory*, with the changes of *files* (git's path patterns).

    Raises: RcabenchError: if git cannot say, with its reason.
    """
    names = ("--is-shallow-repository", "HEAD", "--show-toplevel")
    said = os.fsdecode(ask_git(directory, "rev-parse", *names))
    shallow, head, top = said.removesuffix("\n").split("\n", 2)
    # Not --all: a replacement, a stash or a note is no history that a stranger gets.
    heads = ("HEAD", "--branches", "--tags", "--remotes")
    command = ("rev-list", "--topo-order", "--parents", "--timestamp", *heads)
    listing = ask_git(Path(top), *command, deadline_s=deadline_s).decode("ascii").splitlines()
    parents, times = {}, {}
    for line in listing:
        time, sha, *above = line.split()
        parents[sha], times[sha] = tuple(above), int(time)
    # Merges are compared with all of their parents: what only a merge changed is seen too.
    found = ask_git(
        Path(top),
        *("diff-tree", "--stdin", "--root", "-r", "-c", "-M", "-l0", "-z", "--raw", "--no-abbrev"),
        "--",
        *files,
        stdin="".join(f"{sha}\n" for sha in parents).encode(),
        deadline_s=deadline_s,
    )
    return History(
        Path(top),
        head=head,
        is_shallow=shallow == "true",
        parents=parents,
        times=times,
        changes=tuple(_changes(os.fsdecode(found))),
    )


def proof_facts(
    root: Path, paths: Iterable[Path], shapers: tuple[str, ...]
) -> dict[Path, dict[str, JSON]]:
    """Return `git_facts`, and of each committed file which commit added it and when.

    ``older_than_prompt`` says that one of *shapers* (source of prompt and heuristic, in the
    repository of this package) changed later; it is null elsewhere. Where git cannot say or is
    slow, or history was cut off, these facts are left out.
    """
    facts = git_facts(root, paths)
    if not any(fact["committed"] for fact in facts.values()):
        return facts
    try:
        history = read_history(root, (*INCIDENT_FILES, *shapers), deadline_s=_RUN_DEADLINE_S)
    except RcabenchError:
        return facts
    for fact in facts.values():
        life = history.life(str(fact["path"]), history.head)
        if fact["committed"] and life and not history.is_shallow:
            added = history.commit(life[-1].commit)
            older = is_older(history, added.sha, shapers, history.head)
            fact |= {"added": added.sha, "added_at": added.at, "older_than_prompt": older}
    return facts


def is_older(history: History, added: str, shapers: tuple[str, ...], until: str) -> bool | None:
    """Return whether *shapers* changed at or after the commit *added*, up to *until*.

    A change on a side line counts: nobody shows that it was made without knowing. None where the
    repository has no such source.
    """
    shaping = {commit.sha for commit in history.touching(shapers, until)}
    return bool(shaping - (history.ancestors(added) - {added})) if shaping else None


def _is_below(path: str, names: tuple[str, ...]) -> bool:
    return any(path == name or (name.endswith("/") and path.startswith(name)) for name in names)


def _changes(listing: str) -> Iterator[FileChange]:
    """Yield what ``diff-tree --stdin -z`` tells; a merge has a status for each parent."""
    commit, fields = "", iter(listing.split("\0")[:-1])
    for field in fields:
        if not field.startswith(":"):
            commit = field
            continue
        *_, blob, status = field.split()
        was = next(fields)
        path = next(fields) if status[0] in "RC" and not field.startswith("::") else was
        # Of a merge: added or gone in view of every parent, else changed.
        known = status[0] if len(set(status)) == 1 or status[1:].isdigit() else "M"
        yield FileChange(commit, known if known in "AMRD" else "M", path, blob, was)
