"""Which run can be gone on with, the newest of the same plan, and what it has cost so far."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.files.journal import JOURNAL_NAME, continue_run, read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import RunKey
    from pytest_rcabench.files.journal import Journal, JournalRecord


def resume(directory: Path, header: Mapping[str, JSON]) -> tuple[Journal, JournalRecord]:
    """Return the journal to go on with and what it holds: of the plan that *header* is of.

    A run that another process still writes is passed over.

    Raises: RecordError: if there is none, with what sets the newest one apart.
    """
    runs = directory / "runs"
    reasons = []
    for path in sorted(runs.glob(f"*/{JOURNAL_NAME}"), reverse=True):
        try:
            # The lock comes first: who still writes may add an answer to what was read.
            journal = continue_run(path)
            try:
                record = read_journal(path)
                if not (differences := list(_differences(record.header, header))):
                    return journal, record
            except RecordError:
                journal.close()
                raise
        except RecordError as error:
            reasons.append(str(error))
            continue
        journal.close()
        reasons.append(
            f"{path.parent}: is the newest run, but of another plan: {'; '.join(differences)}; "
            "repeat its command, or leave out --rca-resume"
        )
    raise RecordError(
        next(iter(reasons), f"{runs}: holds no run; leave out --rca-resume to start one")
    )


def lost_calls(record: JournalRecord) -> Counter[RunKey]:
    """Return how many calls of each cell nobody knows the end of; they may have been billed."""
    lost = Counter(call.key for call in record.started)
    for cell in record.answered:
        was_interrupted = cell.error is not None and cell.error["reason"] == "interrupted"
        lost[cell.key] -= len(cell.attempts) or not was_interrupted
    return +lost


def spent_usd(record: JournalRecord) -> float:
    """Return what the calls of *record* cost in US dollars, at most where nobody told."""
    most = {call.key: call.most or 0.0 for call in record.started}
    spent = sum(calls * most[key] for key, calls in lost_calls(record).items())
    for cell in record.answered:
        for attempt in cell.attempts:
            if attempt.outcome == "ok" and cell.usage.cost_usd is not None:
                spent += cell.usage.cost_usd
            elif not attempt.outcome.isdigit():  # refused with a status: nothing is billed
                spent += most.get(cell.key, 0.0)
    return spent


def _differences(then: Mapping[str, JSON], now: Mapping[str, JSON]) -> Iterator[str]:
    """Yield in words what sets two plans apart."""
    yield from _different_entries(then, now)
    had, have = _settings(then), _settings(now)
    for name, setting in sorted(had.keys() & have.keys()):
        old, new = had[name, setting], have[name, setting]
        if old != new:
            yield f"the column {name} had {setting}={old} and not {new}"
    for section in ("scorer", "prompt"):
        if then.get(section) != now.get(section):
            yield f"the {section} changed since"
    if then.get("rounds") != now.get("rounds"):
        yield f"it has {then.get('rounds')} rounds and not {now.get('rounds')}"
    elif then.get("plan") != now.get("plan"):
        yield "other cells were selected"


def _different_entries(then: Mapping[str, JSON], now: Mapping[str, JSON]) -> Iterator[str]:
    for section, identity in (
        ("columns", ("name", "provider", "model")),
        ("incidents", ("id", "evidence_digest", "truth_digest")),
    ):
        before, after = _identities(then, section, identity), _identities(now, section, identity)
        if gone := sorted(before.keys() - after.keys()):
            yield f"it has the {section} {', '.join(gone)}"
        if new := sorted(after.keys() - before.keys()):
            yield f"it lacks the {section} {', '.join(new)}"
        common = before.keys() & after.keys()
        if changed := sorted(name for name in common if before[name] != after[name]):
            yield f"the {section} {', '.join(changed)} changed since"


def _identities(
    header: Mapping[str, JSON], section: str, names: tuple[str, ...]
) -> dict[str, tuple[JSON, ...]]:
    entries = header.get(section)
    return {
        str(entry.get(names[0])): tuple(entry.get(name) for name in names)
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict)
    }


def _settings(header: Mapping[str, JSON]) -> dict[tuple[str, str], JSON]:
    columns = header.get("settings")
    return {
        (name, setting): value
        for name, settings in (columns.items() if isinstance(columns, dict) else ())
        if isinstance(settings, dict)
        for setting, value in settings.items()
    }
