"""Signs that a system knew an incident: it quotes what stands in the file and in no evidence.

No sign is no proof of innocence: who memorised a truth can say it in other words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.incident import Fault, evidence_to_json
from pytest_rcabench.domain.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_rcabench.domain.incident import JSON, Evidence, Incident
    from pytest_rcabench.domain.run import Results, RunKey

# Authors who describe the same fault apart from each other share six words in a row at most, in
# the examples of the shipped incidents.
FEWEST_WORDS = 7
# A token so long is nobody's word.
_LONG = 12
_CLAUSE = re.compile(r"\s*[.;,:|/\n]+\s*")


@dataclass(frozen=True, slots=True)
class Quote:
    """What an answer says that its system cannot have read in the evidence."""

    key: RunKey
    what: str
    text: str

    def __str__(self) -> str:
        """Show the quote as ``incident::column::r1: quotes the title of leak: "…"``."""
        return f"{self.key}: quotes {self.what}: {self.text!r}"


def find_quotes(results: Results, incidents: Mapping[str, Incident]) -> tuple[Quote, ...]:
    """Return what the answers of *results* quote of *incidents*, which hold those answered, by id.

    That is a canary, of whichever incident; `FEWEST_WORDS` words in a row of title, examples or
    notes on distractors that its evidence lacks; or a cause made of phrases of each group of the
    rubric and of nothing else.

    Raises: RecordError: if an incident is not given, or of an answer only the verdict was kept.
    """
    secrets = {name: _Secrets(incident) for name, incident in incidents.items()}
    quotes: list[Quote] = []
    for cell in results.cells:
        if not cell.is_measured:
            continue
        name = cell.key.incident
        if name not in incidents:
            raise RecordError(
                f"{name}: no such incident here; name the folder that holds it with --incidents"
            )
        if cell.analysis is None:
            raise RecordError(f"{name}: of its answers only the verdicts were kept; ask again")
        raw = cell.reply.casefold()
        told = "\n".join(_texts(cell.analysis))
        for other, secret in secrets.items():
            if secret.canary and (secret.canary in raw or secret.canary in told.casefold()):
                quotes.append(Quote(cell.key, f"the canary of {other}", secret.canary))
        said = cell.reply if cell.fault else told
        quotes += (Quote(cell.key, *found) for found in secrets[name].prose_in(words_of(said)))
        issues = cell.analysis["issues"]
        for issue in issues if isinstance(issues, list) else ():
            cause = str(issue["cause"]) if isinstance(issue, dict) else ""
            quotes += (Quote(cell.key, "the rubric", run) for run in secrets[name].rubric_in(cause))
    return tuple(quotes)


def contamination_line(results: Results) -> str:
    """Return since when the truth of the incidents is public, by the commits that added them."""
    days = sorted(
        str(day)[:10] for one in results.incidents if (day := (one.git or {}).get("added_at"))
    )
    unknown = len(results.incidents) - len(days)
    if not days:
        since = "an unknown day, for git could not say which commits added the incidents"
    elif days[0] == days[-1]:
        since = days[0]
    else:
        since = f"{days[0]} (the last incident since {days[-1]})"
    if days and unknown:
        since += f", of {unknown} unknown"
    return f"truth public since {since}; models trained later may know it"


class _Secrets:
    """What an incident's file says that its evidence does not, made ready for the search."""

    def __init__(self, incident: Incident) -> None:
        fault = incident.truth
        token = max(incident.canary.split(), key=len, default="")
        self.canary = (token if len(token) >= _LONG else incident.canary).casefold()
        self._evidence = incident.evidence
        self._shown = ""
        self._runs = {
            run: what for what, text in _prose(incident) for run in _runs_of(words_of(text))
        }
        self._groups: list[set[str]] = []
        if isinstance(fault, Fault) and len(fault.cause) > 1:  # of one phrase alone is no list
            self._groups = [{_spelled(phrase) for phrase in group} for group in fault.cause]

    def prose_in(self, words: list[str]) -> Iterator[tuple[str, str]]:
        """Yield what *words* quote of prose that the evidence lacks, and the quote."""
        runs = list(_runs_of(words))
        end = 0
        for start, run in enumerate(runs):
            if start < end or run not in self._runs or self._is_shown(run):
                continue
            end = start + 1
            while end < len(runs) and runs[end] in self._runs:
                end += 1
            yield self._runs[run], " ".join(words[start : end - 1 + FEWEST_WORDS])

    def rubric_in(self, cause: str) -> Iterator[str]:
        """Yield where *cause* lists phrases of every group of the rubric, and says no more."""
        run: list[str] = []
        for clause in (*map(_spelled, _CLAUSE.split(cause)), ""):
            if any(clause in group for group in self._groups):
                run.append(clause)
                continue
            if run and all(group.intersection(run) for group in self._groups):
                yield ". ".join(run)
            run = []

    def _is_shown(self, run: tuple[str, ...]) -> bool:
        if not self._shown:
            texts = [*_texts(evidence_to_json(self._evidence)), *_steps(self._evidence)]
            self._shown = f" {' '.join(words_of(' | '.join(texts)))} "
        return f" {' '.join(run)} " in self._shown


def _prose(incident: Incident) -> Iterator[tuple[str, str]]:
    """Yield what the authors of *incident* wrote for readers."""
    yield "the title", incident.title
    for text in (*incident.examples.right, *incident.examples.wrong):
        yield "an example of the rubric", text
    for distractor in incident.distractors:
        yield "the note on a distractor", distractor.why


def _runs_of(words: list[str]) -> Iterator[tuple[str, ...]]:
    return (
        tuple(words[start : start + FEWEST_WORDS]) for start in range(len(words) - FEWEST_WORDS + 1)
    )


def _steps(evidence: Evidence) -> Iterator[str]:
    """Yield changes as anybody would tell them."""
    for change in evidence.changes:
        yield f"{change.key} from {change.before} to {change.after}"


def _spelled(phrase: str) -> str:
    return " ".join(words_of(phrase))


def _texts(value: JSON) -> Iterator[str]:
    """Yield every text in *value*, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
