"""What a seal proves of the runs that were published for it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.proof import Claim, is_later
from pytest_rcabench.domain.seal import differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_rcabench.domain.proof import Commit, Hearing
    from pytest_rcabench.domain.run import Results
    from pytest_rcabench.domain.seal import Seal


def seal_claims(
    seal: Seal,
    runs: Sequence[Results],
    *,
    is_in_runs: bool | None,
    later: Commit | None,
    hearings: Iterable[Hearing],
) -> Iterator[Claim]:
    """Yield whether *runs* are what was sealed, and since when the seal is known to be.

    *is_in_runs* says whether the commit of each run holds the seal, None where no history can say;
    *later* is the commit that first held it, where that came only after a run.
    """
    found = list(differences(seal, runs))
    for difference in found:
        yield Claim("seal", "broken", difference)
    if later:
        why = f"it was committed by {later}, which the commit of a run does not know"
        yield Claim("seal", "broken", why)
    elif not found and is_in_runs:
        why = "the commit of each run holds it, and exactly its columns and rounds are here"
        yield Claim("seal", "proved", why)
    elif not found:
        what = (
            "no history here says" if is_in_runs is None else "it is in no commit, so nothing says"
        )
        why = f"exactly its columns and rounds are here; {what} that it is older than the runs"
        yield Claim("seal", "stated", why)
    yield Claim("seal date", "stated", f"{seal.date}, by the clock of who sealed")
    start = min((run.run.started for run in runs), default="")
    for heard in hearings:
        if heard.word == "witnessed" and is_later(heard.at, start):
            why = f"{heard.why}; but the first run had begun, at {start}"
            yield Claim("seal date", "stated", why)
        else:
            yield Claim("seal date", heard.word, heard.why)


def no_seal_claim(runs: Sequence[Results]) -> Claim:
    """Return what is left to say where nothing was sealed: what is absent from a run's own grid."""
    why = "there is none, so nobody can tell what else was planned"
    grid = sum(
        len(run.incidents) * len({(cell.key.column, cell.key.round) for cell in run.cells})
        for run in runs
    )
    if absent := grid - sum(len(run.cells) for run in runs):
        why += f"; {absent} of {grid} cells of the grid are absent"
    return Claim("seal", "unproved", why)
