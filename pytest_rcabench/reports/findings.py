"""What failed and what moved, in sentences that are derived from results and never written by hand.

They hold the words of users and models as they are; whoever prints them escapes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.reports.figures import counted
from pytest_rcabench.reports.grid import column_names
from pytest_rcabench.reports.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_rcabench.domain.run import Results
    from pytest_rcabench.reports.rates import Rate
    from pytest_rcabench.reports.summary import ColumnSummary


def findings(*runs: Results) -> tuple[str, ...]:
    """Return what *runs* found, a sentence each: by column and set, what moved, what is unsaid."""
    named = zip(runs, column_names(*runs), strict=True)
    sentences = [sentence for run, names in named for sentence in _of_columns(run, names)]
    moved = sorted({move.incident for run in runs for move in run.moves})
    if moved:
        sentences.append(
            f"{counted(len(moved), 'incident')} led to a change and moved to the tuned set: "
            f"{', '.join(moved)}."
        )
    for run in runs:
        names = {cell.key.column for cell in run.cells if cell.is_verdict_only}
        if names:
            titles = [column.title for column in run.columns if column.name in names]
            sentences.append(
                f"{', '.join(titles)}: verdicts without answers, transcribed from elsewhere; "
                "nobody can score them again."
            )
    return tuple(sentences)


def _of_columns(run: Results, titles: Mapping[str, str]) -> Iterator[str]:
    for one in summarize(run):
        title = titles[one.column] + ("" if one.about == "held-out" else f", {one.about}")
        parts = [*_outcomes(one)]
        if one.flaky:
            names = ", ".join(name for name, _ in one.flaky)
            parts.append(f"the rounds of {counted(len(one.flaky), 'incident')} disagree: {names}")
        if one.unmeasured:
            parts.append(f"{counted(one.unmeasured, 'run')} without an answer")
        yield f"{title}: {'; '.join(parts)}."


def _outcomes(one: ColumnSummary) -> Iterator[str]:
    if not one.measured:
        yield "nothing was measured"
    elif one.passed == one.measured:
        answered = "answered " if one.unmeasured else ""
        rounds = f"in every {answered}round " if one.rounds > 1 else ""
        incidents = counted(one.all_checks.incidents, "incident")
        yield f"all checks passed {rounds}on {incidents} ({counted(one.measured, 'run')})"
    else:
        cause, healthy, blame = one.root_cause, one.healthy, one.innocent_blame
        half = cause.hits - (one.all_checks.hits - healthy.hits)
        if cause.measured:
            yield _failures(
                cause,
                "faulty window",
                (half, "with the right root cause failed another check"),
                (cause.measured - cause.hits, "had a wrong root cause"),
            )
        if healthy.measured:
            yield _failures(
                healthy,
                "healthy window",
                (one.false_alarms.hits, "raised an alarm"),
                (healthy.measured - healthy.hits - one.false_alarms.hits, "failed otherwise"),
            )
        if blame.hits:
            yield f"{counted(blame.hits, 'run')} blamed an innocent commit"


def _failures(rate: Rate, window: str, *counts: tuple[int, str]) -> str:
    said = ", ".join(f"{count} {what}" for count, what in counts if count) or "none failed"
    return f"{counted(rate.measured, 'run')} on {counted(rate.incidents, window)}: {said}"
