"""What a repository and this version of the package say of runs, claim by claim."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import IncidentError, RcabenchError
from pytest_rcabench.domain.incident import evidence_digest, truth_digest
from pytest_rcabench.domain.proof import Claim
from pytest_rcabench.domain.run import IncidentInfo
from pytest_rcabench.domain.scoring import digest_of, scorer_digest
from pytest_rcabench.engine.prompt import prompt_digest
from pytest_rcabench.engine.sources import PROMPT_SOURCES, SCORER_SOURCES, SHAPERS
from pytest_rcabench.files.git_history import INCIDENT_FILES, read_history
from pytest_rcabench.files.incident_set import find_incidents
from pytest_rcabench.files.incident_yaml import read_incident_text
from pytest_rcabench.files.moves import SET_FOLDERS, ledger_of, read_moves
from pytest_rcabench.files.seal import read_seal
from pytest_rcabench.files.trail import Trails, anchors_of
from pytest_rcabench.files.witness import hear_recorded
from pytest_rcabench.reports.proof import uses_our_prompt
from pytest_rcabench.reports.proof_claims import (
    SHALLOW,
    commit_claim,
    digest_claim,
    history_claim,
    incident_claim,
    time_claim,
    verdict_claim,
)
from pytest_rcabench.reports.rescoring import rescore
from pytest_rcabench.reports.seal_claims import no_seal_claim, seal_claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_rcabench.domain.incident import Incident, SetName
    from pytest_rcabench.domain.proof import Commit, Trail
    from pytest_rcabench.domain.run import Results
    from pytest_rcabench.files.git_history import History


_HEAD = ""  # in place of a run's id


class ProofOfRuns:
    """Asks the repository around *repository*; *seal*, where there is one, is held against runs.

    *problem* says why there is no history to ask.
    """

    def __init__(self, repository: Path, seal: Path | None) -> None:
        self.problem = ""
        self._repository = repository
        self._path_of_seal = seal
        self._seal = read_seal(seal) if seal else None
        self._history: History | None = None
        files = (*INCIDENT_FILES, *SCORER_SOURCES, *SHAPERS, *([f"*{seal.name}"] if seal else []))
        try:
            self._history = read_history(repository, files)
        except RcabenchError as error:
            self.problem = str(error)
        self._trails = Trails(self._history, SHAPERS) if self._history else None
        self._followed: dict[str, dict[str, Trail]] = {}

    @property
    def top(self) -> Path | None:
        """The first folder of the repository, or None."""
        return self._history.top if self._history else None

    def of_run(self, results: Results, first: Results) -> Iterator[Claim]:
        """Yield what can be said of a run; *first* is the earliest of those that are verified."""
        yield self._of_commit(results)
        reference = self._reference(results, first)
        for about, digest, installed, sources in (
            ("scorer", results.scorer_digest, scorer_digest(), SCORER_SOURCES),
            ("prompt", results.prompt_digest, prompt_digest(), PROMPT_SOURCES),
        ):
            if digest:
                name, since, *digests = reference or ("", "", "", "")
                then = digests[about == "prompt"]
                yield digest_claim(
                    about,
                    digest,
                    reference=(name, then) if then else None,
                    installed=installed,
                    committed=self._committed(results, sources),
                    touched=self._touched(results, since, sources),
                )
        yield self._of_verdicts(results)
        yield time_claim(results)

    def of_incidents(self, results: Results) -> Iterator[tuple[IncidentInfo, Claim]]:
        """Yield the incidents of a run, each with how well it is proved that it was held out."""
        trails = self._follow(results)
        reasons = self._reasons(trails.values())
        for info in results.incidents:
            if info.id in trails:
                yield info, incident_claim(results, info, trails[info.id], reasons)
            else:
                why = self.problem or self._of_commit(results).why
                yield info, Claim(info.id, "unproved", why)

    def known_to_prompt(self, results: Results | None) -> frozenset[str]:
        """Return the ids of incidents with which prompt or heuristic may have been written.

        Without *results*, those of HEAD, once `of_repository` has followed them.
        """
        run = results.run.id if results else _HEAD
        is_asked = results is None or uses_our_prompt(results)
        trails = self._followed.get(run, {}).values() if is_asked else ()
        return frozenset(trail.incident for trail in trails if trail.older_than_prompt)

    def of_repository(self) -> Iterator[tuple[IncidentInfo, Claim]]:
        """Yield the incidents of HEAD below the folder, each with what history says of it.

        Raises: RcabenchError: if there is no history, or an incident cannot be read.
        """
        if self._history is None or self._trails is None:
            raise RcabenchError(self.problem)
        history, trails = self._history, self._trails
        below = self._repository.resolve().relative_to(history.top.resolve())
        for path, blob in sorted(trails.blobs(history.head).items()):
            place = PurePosixPath(path)
            is_incident = place.suffix in {".yaml", ".yml"} and place.parent.name in SET_FOLDERS
            if is_incident and place.is_relative_to(below.as_posix()):
                set_name: SetName = "tuned" if place.parent.name == "tuned" else "held_out"
                incident = read_incident_text(history.content(blob), path, set_name)
                info = _about(incident, path)
                trail = trails.follow(info, (history.head,))
                self._followed.setdefault(_HEAD, {})[info.id] = trail
                if history.is_shallow:
                    yield info, Claim(info.id, "unproved", SHALLOW)
                else:
                    yield info, history_claim(info, trail, self._reasons([trail]))

    def of_seal(self, runs: Sequence[Results], authority: Path | None) -> Iterator[Claim]:
        """Yield what the seal proves of *runs*; *authority* as for `hear`."""
        if not runs:
            return
        if self._seal is None or self._path_of_seal is None:
            yield no_seal_claim(runs)
            return
        first = self._first_seal()
        history, is_in_runs = self._history, None
        heads = [run.run.git.head for run in runs]
        if history and all(self._anchors(run) == (run.run.git.head,) for run in runs):
            is_in_runs = bool(first) and all(first in history.ancestors(head) for head in heads)
        yield from seal_claims(
            self._seal,
            runs,
            is_in_runs=is_in_runs,
            later=history.commit(first) if history and first and is_in_runs is False else None,
            testimonies=hear_recorded(self._path_of_seal, authority),
        )

    def commands(self, runs: Sequence[Results]) -> Iterator[str]:
        """Yield the commands of git that show the same, for a shell in the repository."""
        yield "export GIT_GRAFT_FILE=/dev/null GIT_NO_REPLACE_OBJECTS=1"
        for results in runs:
            trails = self._follow(results).values()
            for at in sorted({trail.at.sha for trail in trails}):
                paths = sorted(trail.path for trail in trails)
                folders = shlex.join(sorted({str(PurePosixPath(path).parent) for path in paths}))
                added = " ".join(sorted({trail.added.sha for trail in trails if trail.added}))
                yield f"git branch --all --contains {at}  # who holds the commit of the run"
                yield f"git diff --stat {at} HEAD -- {folders}  # what changed since"
                if added:
                    yield (
                        f"for added in {added}; do git merge-base --is-ancestor $added {at} || "
                        "echo $added came after the run; done"
                    )
        yield "git log -c -M --name-status --format='%H %cI %s' -- '*.yaml'  # who added what"
        sources = shlex.join((*SCORER_SOURCES, *SHAPERS))
        if self._history and self._history.touching(
            (*SCORER_SOURCES, *SHAPERS), self._history.head
        ):
            yield f"git log --format='%H %cI %s' -- {sources}  # who changed scorer and prompt"

    def _of_commit(self, results: Results) -> Claim:
        if self._history is None:
            return Claim("commit", "unproved", self.problem)
        anchors = [self._history.commit(sha) for sha in anchors_of(self._history, results.run.git)]
        return commit_claim(results.run.git, anchors, is_shallow=self._history.is_shallow)

    def _anchors(self, results: Results) -> tuple[str, ...]:
        """Return the commits that a run is seen from; none where history cannot prove anything."""
        if self._history is None or self._history.is_shallow:
            return ()
        return anchors_of(self._history, results.run.git)

    def _follow(self, results: Results) -> dict[str, Trail]:
        """Return the trail of each incident of a run, by id."""
        run = results.run.id
        if run not in self._followed:
            anchors, trails = self._anchors(results), self._trails
            infos = results.incidents if anchors and trails else ()
            self._followed[run] = {info.id: trails.follow(info, anchors) for info in infos}  # type: ignore[union-attr] # no infos without
        return self._followed[run]

    def _reasons(self, trails: Iterable[Trail]) -> frozenset[str]:
        """Return the ids that the ledgers beside the sets give a reason for."""
        top = self.top or Path()
        ledgers = {ledger_of(top / trail.path) for trail in trails}
        try:
            moves = [move for ledger in sorted(ledgers) for move in read_moves(ledger)]
        except IncidentError:
            return frozenset()  # lint says what is wrong with it
        return frozenset(move.incident for move in moves if move.because)

    def _reference(self, results: Results, first: Results) -> tuple[str, str, str, str] | None:
        """Return name, commit, scorer and prompt to agree with: those of the seal, or the first."""
        if self._seal:
            return "the seal", self._first_seal(), self._seal.scorer, self._seal.prompt
        if results is first:
            return None
        since = next(iter(self._anchors(first)), "")
        return f"the first run, {first.run.id}", since, first.scorer_digest, first.prompt_digest

    def _first_seal(self) -> str:
        """Return the commit that first held the seal as it is, or nothing."""
        if self._history is None or self._path_of_seal is None or self._history.is_shallow:
            return ""
        own = self._history.blob_id(self._path_of_seal.read_bytes())
        commits = (change.commit for change in self._history.changes[::-1] if change.blob == own)
        return next(commits, "")

    def _committed(self, results: Results, sources: Sequence[str]) -> str | None:
        """Return the digest of *sources* in the commit of a run; None where it lacks one."""
        anchors, history, trails = self._anchors(results), self._history, self._trails
        if not anchors or history is None or trails is None:
            return None
        blobs = trails.blobs(anchors[0])
        if not all(source in blobs for source in sources):
            return None
        return digest_of(
            {PurePosixPath(path).name: history.content(blobs[path]) for path in sources}
        )

    def _touched(self, results: Results, since: str, sources: Sequence[str]) -> tuple[Commit, ...]:
        anchors, history = self._anchors(results), self._history
        if not anchors or not since or history is None:
            return ()
        return history.touching(sources, anchors[0], since)

    def _of_verdicts(self, results: Results) -> Claim:
        """Score the kept answers again, with the incidents as they ran."""
        incidents = {info.id: self._as_it_ran(results, info) for info in results.incidents}
        known = {name: incident for name, incident in incidents.items() if incident}
        cells = tuple(
            cell
            for cell in results.cells
            if not cell.is_measured or (cell.key.incident in known and not cell.is_verdict_only)
        )
        again, _ = rescore(replace(results, cells=cells), known)
        return verdict_claim(results, again, scorer_digest())

    def _as_it_ran(self, results: Results, info: IncidentInfo) -> Incident | None:
        """Return the incident that ran: from the run's commit, else a file with its digests."""
        trail = self._follow(results).get(info.id)
        if trail and trail.is_what_ran and self._trails:
            return self._trails.incident(trail)
        try:
            incident = find_incidents({info.id: info.path}, []).get(info.id)
        except RcabenchError:
            return None
        if incident is None:
            return None
        found = _about(incident, info.path)
        is_same = (found.evidence_digest, found.truth_digest) == (
            info.evidence_digest,
            info.truth_digest,
        )
        return incident if is_same else None


def _about(incident: Incident, path: str) -> IncidentInfo:
    return IncidentInfo(
        id=incident.id,
        title=incident.title,
        kind=incident.kind,
        set=incident.set,
        difficulty=incident.difficulty,
        twin_of=incident.twin_of,
        graded=incident.graded,
        evidence_digest=evidence_digest(incident.evidence),
        truth_digest=truth_digest(incident),
        path=path,
    )
