"""What must hold between the values of an incident file, beyond what its schema can say.

Each rule looks at the values that could be read and keeps silent about the others, so that one
mistake is told once and hides no other.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import ROOT_CAUSE_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rcabench.files.incident_document import Document, Path, Values


def check_rules(document: Document, values: Values) -> None:
    """Report everything in *values* that contradicts something else in the file."""
    for rule in _RULES:
        rule(document, values)


def entries(values: Values, key: str) -> Iterator[tuple[int, Values]]:
    """Yield the entries of a list that could be read, at least in part, with their indices."""
    for index, entry in enumerate(values.get(key, ())):
        if isinstance(entry, dict):
            yield index, entry


def is_written(document: Document, *path: str | int) -> bool:
    """Return whether the file has the key at *path*, readable or not."""
    return document.node(path) is not document.node(path[:-1])


def _id_is_the_file_name(document: Document, values: Values) -> None:
    stem = PurePath(document.path).stem
    if values.get("id", stem) != stem:
        what = f"{values['id']!r} is not the name of the file; write {stem} or rename the file"
        document.report_at(("id",), what)
    if "twin_of" in values and values["twin_of"] == values.get("id"):
        document.report_at(("twin_of",), "is this incident itself; name its twin")


def _window_has_a_length(document: Document, values: Values) -> None:
    window = values.get("window", {})
    if {"start", "end"} <= window.keys() and window["start"] >= window["end"]:
        document.report_at(("window", "end"), "is not after the start; write a later time")


def _healthy_means_no_truth(document: Document, values: Values) -> None:
    kind, has_truth = values.get("kind"), is_written(document, "expected")
    if kind == "healthy" and has_truth:
        what = "a healthy window has no truth; delete this or change the kind"
        document.report_at(("expected",), what, key=True)
    elif kind not in {"healthy", None} and not has_truth:
        what = f"is missing; kind {kind} needs a truth, and a window without one is kind healthy"
        document.report_at(("expected",), what)


def _source_is_named(document: Document, values: Values) -> None:
    source = values.get("source", {})
    if source.get("origin") == "imported" and not is_written(document, "source", "name"):
        document.report_at(("source", "name"), "is missing; name the data set it comes from")


def _changes_stand_by_time(document: Document, values: Values) -> None:
    if values.get("source", {}).get("origin") == "imported":
        return  # the order of somebody else's file is part of what was measured elsewhere
    latest = None
    for index, change in entries(values, "changes"):
        time = change.get("time", latest)
        if latest and time < latest:
            what = "is before the change above; list the changes by time"
            document.report_at(("changes", index, "time"), what)
        else:
            latest = time


def _changes_are_whole(document: Document, values: Values) -> None:
    seen: dict[str, int] = {}
    for index, change in entries(values, "changes"):
        if change.get("type") == "event" and not {"service", "host"} & change.keys():
            document.report_at(("changes", index), "does not say where; add a service or a host")
        if change.get("type") == "commit" and "sha" in change:
            first = seen.setdefault(change["sha"], index)
            if first != index:
                what = f"changes[{first}] is the same commit; keep one of them"
                document.report_at(("changes", index, "sha"), what)


def _named_shas(values: Values) -> Iterator[tuple[Path, str, str]]:
    """Yield each sha that the truth names, with its place and its part in the story."""
    expected = values.get("expected", {})
    for key, part in (("commit", "the culprit"), ("contributing", "contributing")):
        shas = expected.get(key, ())
        if isinstance(shas, str):
            if shas != "none":
                yield ("expected", key), shas, part
            continue
        for index, sha in enumerate(shas):
            if isinstance(sha, str):
                yield ("expected", key, index), sha, part
    for index, entry in entries(values, "distractors"):
        if "commit" in entry:
            yield ("distractors", index, "commit"), entry["commit"], "a distractor"


def _named_shas_are_listed(document: Document, values: Values) -> None:
    known = {change["sha"] for _, change in entries(values, "changes") if "sha" in change}
    for path, sha, _ in _named_shas(values):
        if sha not in known:
            what = f"{sha} is the sha of no change in this file; name one that is listed"
            document.report_at(path, what)


def _a_sha_plays_one_part(document: Document, values: Values) -> None:
    parts: dict[str, str] = {}
    for path, sha, part in _named_shas(values):
        if parts.setdefault(sha, part) != part:
            document.report_at(path, f"{sha} is {parts[sha]}, so it cannot be {part}; keep one")


def _what_is_graded_is_written(document: Document, values: Values) -> None:
    if "expected" not in values:
        return
    remedies = {"cause": "write groups of phrases", "commit": "write a sha or none"}
    for check in values["expected"].get("graded", ROOT_CAUSE_CHECKS):
        if check in remedies and not is_written(document, "expected", check):
            what = f"is missing; {remedies[check]}, or leave {check} out of graded"
            document.report_at(("expected", check), what)


def _victims_are_not_at_fault(document: Document, values: Values) -> None:
    expected = values.get("expected", {})
    names = (expected.get("service"), *expected.get("also_ok", ()))
    at_fault = {name.casefold() for name in names if isinstance(name, str)}
    for index, victim in enumerate(expected.get("victims", ())):
        if isinstance(victim, str) and victim.casefold() in at_fault:
            what = f"{victim} is at fault, so it cannot be a victim; keep one"
            document.report_at(("expected", "victims", index), what)


def _onset_is_in_the_window(document: Document, values: Values) -> None:
    window, onset = values.get("window", {}), values.get("expected", {}).get("onset")
    if onset and not window.get("start", onset) <= onset <= window.get("end", onset):
        document.report_at(("expected", "onset"), "is outside the window; move it or the window")


def _distractors_are_one_thing(document: Document, values: Values) -> None:
    for index, _ in entries(values, "distractors"):
        path = ("distractors", index)
        parts = ("commit", "noise", "match")
        written = {part for part in parts if is_written(document, *path, part)}
        if written not in ({"commit"}, {"noise", "match"}):
            document.report_at(path, "is either a commit, or a noise with a match; write one")


_RULES: tuple[Callable[[Document, Values], None], ...] = (
    _id_is_the_file_name,
    _window_has_a_length,
    _healthy_means_no_truth,
    _source_is_named,
    _changes_stand_by_time,
    _changes_are_whole,
    _named_shas_are_listed,
    _a_sha_plays_one_part,
    _what_is_graded_is_written,
    _victims_are_not_at_fault,
    _onset_is_in_the_window,
    _distractors_are_one_thing,
)
