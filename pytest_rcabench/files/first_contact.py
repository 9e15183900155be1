"""First contacts of a record: looked for in each of its runs once, and kept beside them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.first_contact import FirstContact, contacts_in, earliest
from pytest_rcabench.files.results import read_results
from pytest_rcabench.files.writing import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rcabench.domain.run import Results

_NAME = "first-contact.json"


def contacts_before(record: Path, results: Results) -> tuple[FirstContact, ...]:
    """Return first contacts of the systems of *results* in other runs of the folder *record*.

    What was found in complete runs is kept there, and found again when that file is gone or
    damaged. A run that cannot be read tells nothing.

    Raises: RecordError: if the disk refuses.
    """
    path = record / _NAME
    read, contacts = _kept(path)
    partly: list[FirstContact] = []
    for folder in sorted((record / "runs").glob("*")):
        if folder.name in read or folder.name == results.run.id:
            continue
        try:
            run = read_results(folder)
        except RecordError:
            continue
        if run.complete:
            read.add(folder.name)
            contacts = earliest((*contacts, *contacts_in(run)))
        else:
            partly += contacts_in(run)
    kept = {"runs": sorted(read), "contacts": [asdict(contact) for contact in contacts]}
    write_whole(path, json.dumps(kept, indent=1) + "\n")
    systems = {contact.system for contact in contacts_in(results)}
    known = earliest((*contacts, *partly))
    return tuple(contact for contact in known if contact.system in systems)


def _kept(path: Path) -> tuple[set[str], tuple[FirstContact, ...]]:
    """Return the runs that were read before, by id, and the first contacts in them."""
    try:
        kept = json.loads(path.read_bytes())
        contacts = [
            FirstContact(
                **{
                    **contact,
                    "graded": tuple(contact["graded"]),
                    "verdicts": tuple(contact["verdicts"]),
                }
            )
            for contact in kept["contacts"]
        ]
        return set(kept["runs"]), tuple(contacts)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return set(), ()
