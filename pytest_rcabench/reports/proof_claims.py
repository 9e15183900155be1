"""What is claimed of a run, and the word of proof that each claim deserves, never a better one.

Pure: who asks git hands in what it said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.proof import Claim, is_later

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from pytest_rcabench.domain.proof import Commit, Trail
    from pytest_rcabench.domain.run import Cell, GitState, IncidentInfo, Results

MOST_SHOWN = 3
SHALLOW = "this clone is shallow: its history is cut off; `git fetch --unshallow`"


def incident_claim(
    results: Results, info: IncidentInfo, trail: Trail, reasons: Container[str]
) -> Claim:
    """Return how well it is proved that *info* was committed before the run and left alone since.

    *reasons* holds the ids that the ledger of moves knows with a reason.
    """
    for broken in (*_broken(info, trail, reasons), *_broken_by_run(results, trail)):
        return Claim(info.id, "broken", broken)
    if not trail.then:
        return Claim(info.id, "unproved", f"commit {trail.at} has no {trail.path}: not committed")
    if not trail.is_what_ran:
        why = f"what ran is not what commit {trail.at} holds: changed and not committed"
        return Claim(info.id, "unproved", why)
    if results.run.is_replay:
        return Claim(info.id, "unproved", "the answers were replayed from a run made elsewhere")
    if trail.added is None:
        return Claim(info.id, "unproved", f"no commit here added {trail.path}")
    why = f"{_origin(trail)}, before the run's commit"
    if trail.at.sha != results.run.git.head:
        why += f" (seen from its parent {trail.at}: it is gone itself)"
    same = "the same now" if trail.now == trail.then else "evidence and truth are the same now"
    return Claim(info.id, "proved", f"{why}; {same}{_moved(trail)}")


def history_claim(info: IncidentInfo, trail: Trail, reasons: Container[str]) -> Claim:
    """Return what the repository alone shows of an incident of its HEAD."""
    for broken in _broken(info, trail, reasons):
        return Claim(info.id, "broken", broken)
    if trail.added is None:
        return Claim(info.id, "unproved", f"no commit here added {trail.path}")
    return Claim(info.id, "proved", f"{_origin(trail)}{_moved(trail)}")


def commit_claim(git: GitState, anchors: Sequence[Commit], *, is_shallow: bool) -> Claim:
    """Return whether the commit of the run is in a history that everybody gets."""
    if not git.head:
        return Claim("commit", "unproved", "the file names no commit: it was made without git")
    if is_shallow:
        return Claim("commit", "unproved", SHALLOW)
    if not anchors:
        why = (
            f"no branch or tag here holds {git.head[:12]} or a parent of it: rebased, squashed, "
            "force-pushed, another repository, or not fetched"
        )
        return Claim("commit", "unproved", why)
    if anchors[0].sha != git.head:
        gone = f"{git.head[:12]} is gone, as the merge commit of a pull request is"
        shown = " and ".join(map(str, anchors))
        return Claim("commit", "stated", f"{gone}; the run names {shown} as its parent")
    return Claim("commit", "proved", f"{anchors[0]} is in this history")


def digest_claim(
    about: str,
    digest: str,
    *,
    reference: tuple[str, str] | None,
    installed: str,
    committed: str | None,
    touched: Sequence[Commit],
) -> Claim:
    """Return whether scorer or prompt are those of *reference* (its name and digest), if any.

    *installed* is the digest of the version that judges here, *committed* that of the run's commit
    where its repository has the source, *touched* the commits between the two that changed it.
    """
    by = f"; changed by {', '.join(map(str, touched))}" if touched else ""
    if reference and digest != reference[1]:
        why = f"{digest[:12]} is not {reference[1][:12]}, that of {reference[0]}{by}"
        return Claim(about, "broken", why)
    if committed not in {None, digest}:
        why = f"{digest[:12]} is not that of the run's commit: it ran with other source"
        return Claim(about, "unproved", why)
    known = "this version's" if digest == installed else "not this version's"
    if reference:
        why = f"{digest[:12]}, {known}, is that of {reference[0]}"
        return Claim(about, "proved", f"{why}{by and f'{by}, and back'}")
    if digest == installed:
        return Claim(about, "proved", f"{digest[:12]} is this version's")
    why = f"{digest[:12]} is not this version's; verify with the version that made the run"
    return Claim(about, "unproved", why)


def verdict_claim(results: Results, again: Results, installed: str) -> Claim:
    """Return whether every verdict follows from its kept answer.

    *again* is *results* rescored, less the cells that cannot be: the incident as it ran is not
    here, or of the answer only the verdict was kept.
    """
    measured = [cell for cell in results.cells if cell.is_measured]
    if measured and all(cell.is_verdict_only for cell in measured):
        return Claim("verdicts", "unproved", "no answer was kept, and so nothing to score again")
    if results.scorer_digest != installed:
        why = "scored by another scorer than this version's; verify with the version of the run"
        return Claim("verdicts", "unproved", why)
    known = {cell.key: cell for cell in again.cells}
    pairs = [(cell, known[cell.key]) for cell in results.cells if cell.key in known]
    differing = [_difference(before, after) for before, after in pairs if before != after]
    missing = sum(cell.key not in known for cell in measured)
    if differing:
        shown = "; ".join(differing[:MOST_SHOWN]) + ("; …" * (len(differing) > MOST_SHOWN))
        return Claim("verdicts", "broken", f"{len(differing)} of {len(measured)}: {shown}")
    if missing:
        why = f"{missing} of {len(measured)} have no incident here as it ran, or no kept answer"
        return Claim("verdicts", "unproved", why)
    return Claim("verdicts", "proved", f"all {len(measured)} follow from the kept answers")


def package_claim(results: Results, installed: str) -> Claim:
    """Return whether the code that made the run is that which judges here, *installed*."""
    run = results.run
    if run.package_digest == installed:
        return Claim("package", "proved", f"{run.package}, code {installed[:12]}, is this one")
    if not run.package_digest:
        return Claim("package", "stated", f"{run.package or 'unknown'}, by its version alone")
    why = f"{run.package}, code {run.package_digest[:12]}, is not this one, {installed[:12]}"
    return Claim("package", "unproved", why)


def controls_claim(results: Results, again: Results, *, is_same_code: bool) -> Claim:
    """Return whether the naive controls get what the file says; *again* has them run afresh.

    They keep no answer, so another verdict may be that of other code.
    """
    fresh = {(one.control, one.incident): one.verdict for one in again.controls}
    differing = [
        one for one in results.controls if fresh.get((one.control, one.incident)) != one.verdict
    ]
    count = len(results.controls)
    if differing:
        one = differing[0]
        why = (
            f"{len(differing)} of {count} are not what this version's get or cannot be run, as "
            f"{one.control} on {one.incident}"
        )
        can_be_run = all((one.control, one.incident) in fresh for one in differing)
        is_broken = is_same_code and can_be_run
        return Claim("controls", "broken" if is_broken else "unproved", why)
    return Claim("controls", "proved", f"all {count} get the same from this version")


def _difference(before: Cell, after: Cell) -> str:
    if before.verdict == after.verdict:
        return f"{before.key} has other details than its answer gets"
    return f"{before.key} says {before.verdict}, its answer gets {after.verdict}"


def time_claim(results: Results) -> Claim:
    """Return what the run's own clock is worth."""
    run = results.run
    if not run.started:
        return Claim("time", "unproved", "the file does not say when it was made")
    if run.actions:
        actions = run.actions
        number = actions.get("run_attempt")
        url = f"{actions.get('server_url')}/{actions.get('repository')}/actions/runs/"
        why = f"started {run.started}, in Actions as {url}{actions.get('run_id')} attempt {number}"
        if number != "1":
            why += "; what the attempts before it found is not here"
        return Claim("time", "stated", f"{why}; its log and an attestation are GitHub's to show")
    why = f"started {run.started}, by the clock of who ran it; so are the dates of commits"
    return Claim("time", "stated", why)


def _broken(info: IncidentInfo, trail: Trail, reasons: Container[str]) -> Iterator[str]:
    """Yield what contradicts the ways of the two sets."""
    if trail.came_back:
        yield f"it had been in the tuned set, and {trail.came_back} took it out of there"
    if trail.moved and trail.incident not in reasons:
        yield f"{trail.moved} moved it to the tuned set, and the ledger gives no reason"
    # Folders above the root of the run say nothing of its sets.
    place = info.path if trail.path.endswith(info.path) else trail.path
    if (info.set == "tuned") != ("tuned" in place.split("/")[:-1]):
        yield f"the results call it {info.set}, and {place} is not"


def _broken_by_run(results: Results, trail: Trail) -> Iterator[str]:
    """Yield what contradicts that the run saw what was committed before, and is there still."""
    # Where the run's own commit is gone, it may have known what its parent does not.
    if trail.later and trail.at.sha == results.run.git.head:
        yield f"what ran was first committed by {trail.later}, which the run's commit does not know"
    start = results.run.started
    for commit in (trail.at, trail.added):
        if commit and is_later(commit.at, start):
            yield f"commit {commit.sha[:12]} says {commit.at}, and the run began before, {start}"
    if trail.is_what_ran and not trail.is_same_now:
        by = ", ".join(map(str, trail.edits)) or "an unknown commit"
        yield f"{'changed' if trail.now else 'removed'} since the run by {by}"


def _origin(trail: Trail) -> str:
    return f"added by {trail.added}" + (f", changed by {trail.changed}" if trail.changed else "")


def _moved(trail: Trail) -> str:
    return f"; moved to the tuned set by {trail.moved}" if trail.moved else ""
