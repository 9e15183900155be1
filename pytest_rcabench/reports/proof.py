"""What a run's own record can say of its proof, in one line; ``rcabench verify`` checks it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_rcabench.domain.proof import PROOF_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_rcabench.domain.proof import ProofWord
    from pytest_rcabench.domain.run import IncidentInfo, Results

WRITTEN_WITH_IT = "prompt and heuristic written with this incident known"
UNPUBLISHED = "runs that were made and not published cannot be excluded"


def proof_line(results: Results) -> str:
    """Return how many held-out incidents were committed before the run, as its record tells it.

    The word of each is *proved* or *unproved*: only the repository itself shows what is broken.
    """
    held_out = [incident for incident in results.incidents if incident.set == "held_out"]
    if not held_out:
        return held_out_line((), 0)
    found = [recorded_word(results, incident) for incident in held_out]
    reasons = Counter(why for _, why in found if why)
    known = sum(is_written_with(results, incident) for incident in held_out)
    return (
        f"{held_out_line((word for word, _ in found), known, reasons)}; "
        "check with `rcabench verify`"
    )


def held_out_line(
    words: Iterable[ProofWord], known: int, reasons: Mapping[str, int] | None = None
) -> str:
    """Return the counts of *words*, each that of a held-out incident, the best first.

    *known* incidents are older than prompt or heuristic; *reasons* count what was not proved.
    """
    counts = Counter(words)
    shown = ", ".join(f"{word} {counts[word]}" for word in PROOF_WORDS if counts[word])
    if reasons:
        shown += f" ({', '.join(f'{why} {count}' for why, count in sorted(reasons.items()))})"
    if known:
        shown += f"; prompt and heuristic written with {known} of them known"
    return f"held out: {shown or 'no incident'}"


def recorded_word(results: Results, incident: IncidentInfo) -> tuple[ProofWord, str]:
    """Return the word of proof of *incident* by the record alone, and what is missing, if any."""
    git = incident.git or {}
    if results.run.is_replay:
        return "unproved", "answers replayed"
    if not results.run.git.head:
        return "unproved", "no commit"
    if results.run.git.shallow:
        return "unproved", "shallow clone"
    if not git.get("committed"):
        return "unproved", "not committed"
    return ("proved", "") if git.get("added") else ("unproved", "history not read")


def is_written_with(results: Results, incident: IncidentInfo) -> bool:
    """Return whether a column was shaped by our prompt or heuristic after *incident* was known."""
    return uses_our_prompt(results) and bool((incident.git or {}).get("older_than_prompt"))


def uses_our_prompt(results: Results) -> bool:
    """Return whether a column answers by the built-in prompt or heuristic."""
    return bool(results.prompt_digest) or any(
        column.provider == "heuristic" for column in results.columns
    )
