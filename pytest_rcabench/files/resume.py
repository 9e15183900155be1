"""Which run can be gone on with: the newest one of the same plan that nobody is writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.files.journal import JOURNAL_NAME, continue_run, read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.files.journal import Journal, JournalRecord


def resume(directory: Path, header: Mapping[str, JSON]) -> tuple[Journal, JournalRecord]:
    """Return the journal to go on with and what it holds: of the plan that *header* is of.

    A run that another process still writes is passed over.

    Raises: RecordError: if there is none, with what sets the newest one apart.
    """
    runs = directory / "runs"
    journals = sorted(runs.glob(f"*/{JOURNAL_NAME}"), reverse=True)
    found = f"{runs}: holds no run to go on with; leave out --rca-resume to start one"
    for number, path in enumerate(journals):
        record = read_journal(path)
        differences = list(_differences(record.header, header))
        if differences:
            if number == 0:
                found = (
                    f"{path.parent}: is the newest run, but of another plan: "
                    f"{'; '.join(differences)}; repeat its command, or leave out --rca-resume"
                )
            continue
        try:
            journal = continue_run(path)
        except RecordError as error:
            found = str(error)
            continue
        return journal, record
    raise RecordError(found)


def _differences(then: Mapping[str, JSON], now: Mapping[str, JSON]) -> Iterator[str]:
    """Yield in words what sets two plans apart."""
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
    for section in ("scorer", "prompt"):
        if then.get(section) != now.get(section):
            yield f"the {section} changed since"
    if then.get("rounds") != now.get("rounds"):
        yield f"it has {then.get('rounds')} rounds and not {now.get('rounds')}"
    elif then.get("plan") != now.get("plan"):
        yield "other cells were selected"


def _identities(
    header: Mapping[str, JSON], section: str, names: tuple[str, ...]
) -> dict[str, tuple[JSON, ...]]:
    entries = header.get(section)
    return {
        str(entry.get(names[0])): tuple(entry.get(name) for name in names)
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict)
    }
