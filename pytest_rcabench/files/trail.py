"""The trail of an incident through a repository: from its first commit over a run to today."""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import IncidentError
from pytest_rcabench.domain.incident import evidence_digest, truth_digest
from pytest_rcabench.domain.proof import Trail
from pytest_rcabench.files.git_history import is_older
from pytest_rcabench.files.incident_yaml import read_incident_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.proof import Commit
    from pytest_rcabench.domain.run import GitState, IncidentInfo
    from pytest_rcabench.files.git_history import FileChange, History

TUNED = "tuned"


class Trails:
    """Follows incidents through *history*; *shapers* are the sources of prompt and heuristic."""

    def __init__(self, history: History, shapers: tuple[str, ...]) -> None:
        self._history = history
        self._shapers = shapers
        self._blobs: dict[str, dict[str, str]] = {}
        self._incidents: dict[tuple[str, str], Incident | None] = {}

    def follow(self, info: IncidentInfo, anchors: Sequence[str]) -> Trail:
        """Return the trail of *info*, seen from the one of *anchors* (commits) that held what ran.

        Where none did it is seen from the first. Raises: RcabenchError: if git cannot say.
        """
        path = str((info.git or {}).get("path") or info.path)
        held = [at for at in anchors if self._is_what_ran(info, path, self.blobs(at).get(path, ""))]
        at = (*held, *anchors)[0]
        history, then = self._history, self.blobs(at).get(path, "")
        path_now = self._path_now(path, at)
        now = self.blobs(history.head).get(path_now, "")
        life = history.life(path, at)
        added = history.commit(life[-1].commit) if then and life else None
        # A rename may bring other content, too.
        changed = (one.commit for one, before in pairwise(life) if one.blob != before.blob)
        last = next(changed, "")
        is_out = TUNED not in PurePosixPath(path_now or path).parts[:-1]
        return Trail(
            incident=info.id,
            at=history.commit(at),
            path=path,
            then=then,
            now=now,
            added=added,
            changed=history.commit(last) if last else None,
            is_what_ran=bool(held),
            is_same_now=bool(now) and (now == then or self._is_what_ran(info, path_now, now)),
            later=None if held else self._later(info, at),
            edits=self._edits(path, path_now, at, then) if now != then else (),
            came_back=self._left_tuned(path_now or path, history.head if is_out else at),
            moved=self._moved(path_now),
            older_than_prompt=is_older(history, added.sha, self._shapers, at) if added else None,
        )

    def incident(self, trail: Trail) -> Incident | None:
        """Return the incident as the commit of the run held it; None where it held none."""
        return self._read(trail.path, trail.then) if trail.then else None

    def blobs(self, commit: str) -> dict[str, str]:
        """Return the blob ids in *commit* by path. Raises: RcabenchError: if git cannot say."""
        if commit not in self._blobs:
            self._blobs[commit] = self._history.blobs(commit)
        return self._blobs[commit]

    def _is_what_ran(self, info: IncidentInfo, path: str, blob: str) -> bool:
        incident = self._read(path, blob) if blob else None
        return incident is not None and (
            info.evidence_digest,
            info.truth_digest,
        ) == (evidence_digest(incident.evidence), truth_digest(incident))

    def _read(self, path: str, blob: str) -> Incident | None:
        """Return the incident in *blob*, which lay at *path*; None for what cannot be read."""
        key = (PurePosixPath(path).name, blob)
        if key not in self._incidents:
            try:
                read = read_incident_text(self._history.content(blob), path)
            except IncidentError:
                read = None
            self._incidents[key] = read
        return self._incidents[key]

    def _since(self, at: str) -> Iterator[FileChange]:
        """Yield what happened after *at*, the oldest first."""
        history = self._history
        since = history.ancestors(history.head) - history.ancestors(at)
        return (change for change in reversed(history.changes) if change.commit in since)

    def _path_now(self, path: str, at: str) -> str:
        """Return where the file at *path* in *at* is in HEAD, or nothing."""
        for change in self._since(at):
            if change.status == "R" and change.was == path:
                path = change.path
        files = self.blobs(self._history.head)
        # A move that was cut in two commits, or came with a rewrite, keeps the name of the file.
        alike = [other for other in files if _is_alike(other, path)]
        return path if path in files else alike[0] if len(alike) == 1 else ""

    def _edits(self, path: str, path_now: str, at: str, then: str) -> tuple[Commit, ...]:
        return tuple(
            self._history.commit(change.commit)
            for change in self._since(at)
            if {change.path, change.was} & {path, path_now} and change.blob != then
        )

    def _later(self, info: IncidentInfo, at: str) -> Commit | None:
        """Return the first commit not before *at* that held what ran, wherever it lay."""
        history = self._history
        before = history.ancestors(at)
        for change in reversed(history.changes):
            is_candidate = change.commit not in before and change.status != "D"
            if (
                is_candidate
                and PurePosixPath(change.path).stem == info.id
                and self._is_what_ran(info, change.path, change.blob)
            ):
                return history.commit(change.commit)
        return None

    def _left_tuned(self, path: str, until: str) -> Commit | None:
        """Return the commit up to *until* that took the file of *path* out of the tuned set."""
        if TUNED in PurePosixPath(path).parts[:-1]:
            return None
        history = self._history
        within = history.ancestors(until)
        names = {path, *(change.was for change in history.life(path, until))}
        for change in history.changes:
            is_gone = change.status == "D" or change.was != change.path
            if (
                is_gone
                and change.commit in within
                and TUNED in PurePosixPath(change.was).parts[:-1]
                and (change.was in names or _is_alike(change.was, path))
            ):
                return history.commit(change.commit)
        return None

    def _moved(self, path: str) -> Commit | None:
        """Return the commit that brought the file of *path* into the tuned set."""
        history = self._history
        for change in history.life(path, history.head):
            entered = change.status == "A" or TUNED not in PurePosixPath(change.was).parts[:-1]
            if entered and TUNED in PurePosixPath(path).parts[:-1]:
                return history.commit(change.commit)
        return None


def anchors_of(history: History, git: GitState) -> tuple[str, ...]:
    """Return the commits from which a run can be seen: its own, else those of its parents here."""
    if git.head in history:
        return (git.head,)
    return tuple(parent for parent in map(str, git.parents) if parent in history)


def _is_alike(path: str, other: str) -> bool:
    """Return whether two paths name the same incident in sets that lie together."""
    one, two = PurePosixPath(path), PurePosixPath(other)
    return one.name == two.name and one.parts[:1] == two.parts[:1]
