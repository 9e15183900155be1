"""One run under `rcabench verify`: its claims, made of what the repository and its answers show."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_rcabench.cli.rescore import with_controls
from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.domain.incident import evidence_digest, truth_digest
from pytest_rcabench.domain.proof import Claim
from pytest_rcabench.domain.scoring import digest_of, scorer_digest
from pytest_rcabench.engine.prompt import prompt_digest
from pytest_rcabench.engine.sources import PROMPT_SOURCES, SCORER_SOURCES, SHAPERS
from pytest_rcabench.engine.systems.controls import CONTROLS
from pytest_rcabench.files.incident_set import find_incidents
from pytest_rcabench.files.package import package_digest
from pytest_rcabench.files.witness import hear_recorded
from pytest_rcabench.reports.proof import uses_our_prompt
from pytest_rcabench.reports.proof_claims import (
    commit_claim,
    controls_claim,
    digest_claim,
    incident_claim,
    package_claim,
    time_claim,
    verdict_claim,
)
from pytest_rcabench.reports.rescoring import rescore
from pytest_rcabench.reports.seal_claims import no_seal_claim, seal_claims

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_rcabench.cli.verify_repository import Repository, SealInForce
    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.proof import Commit, Trail
    from pytest_rcabench.domain.run import IncidentInfo, Results


class RunProof:
    """What *repository* and this version of the package show of the run *results*.

    *anchors* are the commits that it is seen from, *trails* those of its incidents, by id; both are
    empty where history proves nothing. *seal* is the one in force, if any.
    """

    def __init__(self, repository: Repository, results: Results) -> None:
        self.results = results
        self.anchors = repository.anchors(results)
        self.seal = repository.seal_for(self.anchors)
        self.trails: dict[str, Trail] = {}
        self._repository = repository
        if self.anchors and repository.trails:
            for info in results.incidents:
                self.trails[info.id] = repository.trails.follow(info, self.anchors)

    @property
    def known_to_prompt(self) -> frozenset[str]:
        """The ids of incidents with which the prompt or heuristic of a column may be written."""
        trails = self.trails.values() if uses_our_prompt(self.results) else ()
        return frozenset(trail.incident for trail in trails if trail.older_than_prompt)

    def claims(self, first: RunProof) -> Iterator[Claim]:
        """Yield what can be said of the run; *first* is the earliest of those that are verified."""
        results = self.results
        yield self._of_commit()
        name, since, scorer, prompt = self._reference(first)
        for about_, digest, then, installed, sources in (
            ("scorer", results.scorer_digest, scorer, scorer_digest(), SCORER_SOURCES),
            ("prompt", results.prompt_digest, prompt, prompt_digest(), PROMPT_SOURCES),
        ):
            if digest:
                yield digest_claim(
                    about_,
                    digest,
                    reference=(name, then) if then else None,
                    installed=installed,
                    committed=self._committed(sources),
                    touched=self._touched(since, sources),
                )
        yield package_claim(results, package_digest())
        yield from self._of_verdicts()
        yield time_claim(results)

    def incidents(self) -> Iterator[tuple[IncidentInfo, Claim]]:
        """Yield the incidents, each with how well it is proved that it was held out."""
        reasons = self._repository.reasons(self.trails.values())
        for info in self.results.incidents:
            if trail := self.trails.get(info.id):
                yield info, incident_claim(self.results, info, trail, reasons)
            else:
                yield info, Claim(info.id, "unproved", self._of_commit().why)

    def commands(self) -> Iterator[str]:
        """Yield the commands of git that show the same, for a shell in the repository."""
        for at in sorted({trail.at.sha for trail in self.trails.values()}):
            trails = [trail for trail in self.trails.values() if trail.at.sha == at]
            folders = shlex.join(sorted({str(PurePosixPath(one.path).parent) for one in trails}))
            added = " ".join(sorted({one.added.sha for one in trails if one.added}))
            yield f"git branch --all --contains {at}  # who holds the commit of the run"
            yield f"git diff --stat {at} HEAD -- {folders}  # what changed since"
            if added:
                yield (
                    f"for added in {added}; do git merge-base --is-ancestor $added {at} || "
                    "echo $added came after the run; done"
                )

    def _of_commit(self) -> Claim:
        history = self._repository.history
        if history is None:
            return Claim("commit", "unproved", self._repository.problem)
        anchors = [history.commit(sha) for sha in self.anchors]
        return commit_claim(self.results.run.git, anchors, is_shallow=history.is_shallow)

    def _reference(self, first: RunProof) -> tuple[str, str, str, str]:
        """Return name, commit, scorer and prompt to agree with; all empty where there are none."""
        if self.seal:
            return "the seal", self.seal.since, self.seal.seal.scorer, self.seal.seal.prompt
        if first is self:
            return "", "", "", ""
        since, then = next(iter(first.anchors), ""), first.results
        return f"the first run, {then.run.id}", since, then.scorer_digest, then.prompt_digest

    def _committed(self, sources: Sequence[str]) -> str | None:
        """Return the digest of *sources* in the commit of the run; None where it lacks one."""
        history, trails = self._repository.history, self._repository.trails
        if not self.anchors or history is None or trails is None:
            return None
        blobs = trails.blobs(self.anchors[0])
        if not all(source in blobs for source in sources):
            return None
        return digest_of(
            {PurePosixPath(path).name: history.content(blobs[path]) for path in sources}
        )

    def _touched(self, since: str, sources: Sequence[str]) -> tuple[Commit, ...]:
        history = self._repository.history
        if not self.anchors or not since or history is None:
            return ()
        return history.touching(sources, self.anchors[0], since)

    def _of_verdicts(self) -> Iterator[Claim]:
        """Score the kept answers and the controls again, with the incidents as they ran."""
        results = self.results
        incidents = {info.id: self._as_it_ran(info) for info in results.incidents}
        known = {name: incident for name, incident in incidents.items() if incident}
        cells = tuple(
            cell
            for cell in results.cells
            if not cell.is_measured or (cell.key.incident in known and not cell.is_verdict_only)
        )
        again, _ = rescore(replace(results, cells=cells), known)
        yield verdict_claim(results, again, scorer_digest())
        if results.controls:
            ours = tuple(one for one in results.controls if one.control in CONTROLS)
            again = with_controls(replace(results, controls=ours), known)
            is_same_code = results.run.package_digest == package_digest()
            yield controls_claim(results, again, is_same_code=is_same_code)

    def _as_it_ran(self, info: IncidentInfo) -> Incident | None:
        """Return the incident that ran: from the run's commit, else a file with its digests."""
        trail, trails = self.trails.get(info.id), self._repository.trails
        if trail and trail.is_what_ran and trails:
            return trails.incident(trail)
        try:
            incident = find_incidents({info.id: info.path}, []).get(info.id)
        except RcabenchError:
            return None
        is_same = incident is not None and (info.evidence_digest, info.truth_digest) == (
            evidence_digest(incident.evidence),
            truth_digest(incident),
        )
        return incident if is_same else None


def claims_of_seals(
    repository: Repository, proofs: Sequence[RunProof], authority: Path | None
) -> Iterator[Claim]:
    """Yield what each seal in force proves of the runs under it, and what its absence leaves open.

    *authority* is as for `hear`.
    """
    under: dict[SealInForce | None, list[RunProof]] = {}
    for proof in proofs:
        under.setdefault(proof.seal, []).append(proof)
    for seal, group in under.items():
        runs = [proof.results for proof in group]
        if seal is None:
            yield no_seal_claim(runs)
            continue
        is_in_runs, history = None, repository.history
        if history and all(proof.anchors for proof in group):
            is_in_runs = bool(seal.since) and all(
                seal.since in history.ancestors(proof.anchors[0]) for proof in group
            )
        # A commit that is gone may have held what its parents do not.
        is_late = is_in_runs is False and all(
            proof.anchors == (proof.results.run.git.head,) for proof in group
        )
        yield from seal_claims(
            seal.seal,
            runs,
            is_in_runs=is_in_runs,
            later=history.commit(seal.since) if history and is_late and seal.since else None,
            hearings=hear_recorded(seal.path, authority) if seal.path else (),
        )


def commands_of_all(repository: Repository, proofs: Sequence[RunProof]) -> Iterator[str]:
    """Yield the commands of git that show the same as *proofs*, for a shell in the repository."""
    yield "export GIT_GRAFT_FILE=/dev/null GIT_NO_REPLACE_OBJECTS=1"
    for proof in proofs:
        yield from proof.commands()
    yield "git log -c -M --name-status --format='%H %cI %s' -- '*.yaml'  # who added what"
    sources, history = (*SCORER_SOURCES, *SHAPERS), repository.history
    if history and history.touching(sources, history.head):
        shown = shlex.join(sources)
        yield f"git log --format='%H %cI %s' -- {shown}  # who changed scorer and prompt"
