"""A page about each incident, made from its file: for people, since it tells the truth.

`python -m pytest_rcabench.lint.pages incidents docs/reference/incidents` writes them.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import Fault, format_time
from pytest_rcabench.files.incident_names import looks_like_incident
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.lint.control_gate import describe_trials, try_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_rcabench.domain.incident import Change, Incident

INDEX = "README.md"
_WARNING = (
    "Made from the incident's file; it tells the truth, so keep it from whoever is to be asked."
)


def pages(incidents: Iterable[Incident]) -> dict[str, str]:
    """Return the text of each page by its file name, with an index of all."""
    listed = sorted(incidents, key=lambda incident: (incident.set, incident.id))
    made = {f"{incident.id}.md": incident_page(incident) for incident in listed}
    return {INDEX: _index(listed), **made}


def incident_page(incident: Incident) -> str:
    """Return the page about *incident*."""
    twin = f", twin of [{incident.twin_of}]({incident.twin_of}.md)" if incident.twin_of else ""
    blocks = [
        f"# {incident.title}",
        f"`{incident.id}`, {incident.kind}, {incident.difficulty}, {incident.set}{twin}.",
        _WARNING,
        "## What happened",
        *_story(incident),
        "## What makes it hard",
        "\n".join(_hardness(incident)) or "Nothing is planted.",
        *_naive(incident),
        "## Which controls come near",
        f"{describe_trials(incident, try_controls(incident))}.",
        f"`{incident.canary}`" if incident.canary else "",
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def write_pages(source: Path, folder: Path) -> None:
    """Write the pages of the incidents at and below *source* into *folder*, and delete others."""
    files = filter(looks_like_incident, source.rglob("*.yaml"))
    made = pages(read_incident(file) for file in files)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    for file in folder.glob("*.md"):
        if file.name not in made:
            file.unlink()


def _index(incidents: list[Incident]) -> str:
    counts = Counter(incident.kind for incident in incidents)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    rows = [
        f"| [{i.id}]({i.id}.md) | {i.title} | {i.kind} | {i.difficulty} | {i.twin_of or '–'} |"
        for i in incidents
    ]
    return "\n".join(
        [
            "# The shipped incidents",
            "",
            f"{len(incidents)} windows: {told}.",
            _WARNING,
            "",
            "| incident | what happened | kind | difficulty | twin of |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _story(incident: Incident) -> Iterator[str]:
    evidence, fault = incident.evidence, incident.truth
    minutes = (evidence.window.end - evidence.window.start).total_seconds() / 60
    services = len({record.service for record in evidence.logs} - {""})
    yield (
        f"The window opens at {format_time(evidence.window.start)}, lasts {minutes:.0f} minutes "
        f"and holds\n{len(evidence.logs)} log records of {services} services, "
        f"{len(evidence.metrics)} metric series, {len(evidence.changes)} changes "
        f"and {len(evidence.alerts)} alerts."
    )
    if not isinstance(fault, Fault):
        yield "Nothing is wrong. The right answer opens no issue above info."
        return
    yield from (f"> {example}" for example in incident.examples.right[:1])
    also = f" (or {', '.join(fault.also_ok)})" if fault.also_ok else ""
    victims = f" Victims: {', '.join(fault.victims)}." if fault.victims else ""
    onset = format_time(fault.onset)
    yield f"The fault is in **{fault.service}**{also} and shows from {onset} on.{victims}"
    blamed = [c for c in evidence.changes if c.type == "commit" and c.sha in fault.commits]
    for culprit in blamed:
        before = (fault.onset - culprit.time).total_seconds() / 60
        yield f"The culprit is {_commit(culprit)}, {before:.0f} minutes before the onset."
    if not blamed:
        yield "No commit is at fault."


def _hardness(incident: Incident) -> Iterator[str]:
    commits = {c.sha: c for c in incident.evidence.changes if c.type == "commit"}
    for distractor in incident.distractors:
        what = _commit(commits[distractor.commit]) if distractor.commit else distractor.noise
        yield f"- {what}: {distractor.why}."


def _naive(incident: Incident) -> Iterator[str]:
    fault = incident.truth
    if isinstance(fault, Fault) and fault.must_not:
        yield "## What a naive reader says"
        yield "A cause that claims one of these is wrong, whatever else it says:"
        yield "; ".join(f"“{phrase}”" for phrase in fault.must_not) + "."


def _commit(change: Change) -> str:
    subject = change.message.partition("\n")[0].strip()
    return f"`{change.sha[:10]}` “{subject}” ({change.service})"


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]), Path(sys.argv[2]))
