"""What must hold between the values of an incident file, beyond what its schema can say.

Each rule looks at the values that could be read and keeps silent about those that could not, so that one
mistake is told once and hides no other.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_rcabench.domain.incident import ROOT_CAUSE_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_rcabench.files.incident_document import Document, Path

Values: TypeAlias = dict[str, Any]


def check_rules(document: Document, values: Values) -> None:
    """Report everything in *values* that contradicts something else in the file."""
    for rule in _RULES:
        rule(document, values)


def entries(values: Values, key: str) -> Iterator[tuple[int, Values]]:
    """Yield the entries of a list that could be read, at least in part, with their places."""
    for index, entry in enumerate(values.get(key, ())):
        if isinstance(entry, dict):
            yield index, entry


def culprits(expected: Values) -> tuple[str, ...]:
    """Return the shas at fault, however many the file names."""
    commit = expected.get("commit", "none")
    if isinstance(commit, str):
        return () if commit == "none" else (commit,)
    return tuple(sha for sha in commit if isinstance(sha, str))


def _id_is_the_file_name(document: Document, values: Values) -> None:
    stem = PurePath(document.path).stem
    if values.get("id", stem) != stem:
        document.report_at(
            ("id",), f"{values['id']!r} is not the file's name; write {stem} or rename the file"
        )
    if "twin_of" in values and values["twin_of"] == values.get("id"):
        document.report_at(("twin_of",), "an incident is no twin of itself; name the other one")


def _window_has_a_length(document: Document, values: Values) -> None:
    window = values.get("window", {})
    if "start" in window and "end" in window and window["start"] >= window["end"]:
        document.report_at(("window", "end"), "is not after the start; write the later time here")


def _healthy_means_no_truth(document: Document, values: Values) -> None:
    if "kind" not in values:
        return
    if values["kind"] == "healthy" and "expected" in values:
        document.report_at(
            ("expected",), "a healthy window has none; delete it or change the kind", key=True
        )
    elif (
        values["kind"] != "healthy"
        and "expected" not in values
        and not _is_written(document, "expected")
    ):
        document.report_at(
            ("expected",),
            f"is missing; kind {values['kind']} needs a truth, or write kind: healthy",
        )


def _is_written(document: Document, *path: str) -> bool:
    return document.node(path) is not document.node(path[:-1])


def _source_is_named(document: Document, values: Values) -> None:
    source = values.get("source", {})
    if source.get("origin") == "imported" and not _is_written(document, "source", "name"):
        document.report_at(
            ("source", "name"), "is missing; say which data set this was imported from"
        )


def _changes_are_whole(document: Document, values: Values) -> None:
    seen: dict[str, int] = {}
    latest = None
    by_time = values.get("source", {}).get("origin") != "imported"
    for index, change in entries(values, "changes"):
        path = ("changes", index)
        if change.get("type") == "event" and not {"service", "host"} & change.keys():
            document.report_at(path, "says not where it happened; add service or host")
        if change.get("type") == "commit" and "sha" in change:
            first = seen.setdefault(change["sha"], index)
            if first != index:
                document.report_at(
                    (*path, "sha"), f"changes[{first}] is the same commit; delete one of them"
                )
        time = change.get("time")
        if by_time and time and latest and time < latest:
            document.report_at(
                (*path, "time"), "is before the change above it; list changes by time"
            )
        latest = max(filter(None, (latest, time)), default=None)


def _shas_are_in_the_window(document: Document, values: Values) -> None:
    known = {change["sha"] for _, change in entries(values, "changes") if "sha" in change}
    guilty = culprits(values.get("expected", {}))
    contributing = values.get("expected", {}).get("contributing", ())
    several = isinstance(values.get("expected", {}).get("commit"), list)
    for path, sha in [
        *(
            (("expected", "commit", index) if several else ("expected", "commit"), sha)
            for index, sha in enumerate(guilty)
        ),
        *((("expected", "contributing", index), sha) for index, sha in enumerate(contributing)),
        *(
            (("distractors", index, "commit"), entry.get("commit"))
            for index, entry in entries(values, "distractors")
        ),
    ]:
        if not isinstance(sha, str):
            continue
        if sha not in known:
            document.report_at(
                path,
                f"{sha} is no sha of this window's changes; name a commit or deploy that is listed",
            )
        elif path[1] != "commit" and sha in guilty:
            document.report_at(path, f"{sha} is the culprit too; it cannot be both")
        elif path[0] == "distractors" and sha in contributing:
            document.report_at(path, f"{sha} is contributing too; it cannot be innocent")


def _truth_is_gradable(document: Document, values: Values) -> None:
    if "expected" not in values:
        return
    expected = values["expected"]
    graded = expected.get("graded", ROOT_CAUSE_CHECKS)
    for key in ("cause", "commit"):
        if key in graded and not _is_written(document, "expected", key):
            remedy = (
                "write the groups of phrases"
                if key == "cause"
                else "write a sha, or none where no commit is at fault"
            )
            document.report_at(
                ("expected", key), f"is missing; {remedy}, or leave it out of graded"
            )
    names = {
        name.casefold()
        for name in (expected.get("service"), *expected.get("also_ok", ()))
        if isinstance(name, str)
    }
    for index, victim in enumerate(expected.get("victims", ())):
        if isinstance(victim, str) and victim.casefold() in names:
            document.report_at(
                ("expected", "victims", index),
                f"{victim!r} is the root cause too; it cannot be both",
            )
    window, onset = values.get("window", {}), expected.get("onset")
    if onset and not window.get("start", onset) <= onset <= window.get("end", onset):
        document.report_at(("expected", "onset"), "is outside the window; move it or the window")


def _distractors_are_one_thing(document: Document, values: Values) -> None:
    for index, entry in entries(values, "distractors"):
        written = {
            key
            for key in ("commit", "noise", "match")
            if _is_written(document, "distractors", index, key)
        }
        if written not in ({"commit"}, {"noise", "match"}):
            document.report_at(
                ("distractors", index),
                "is neither a commit nor a noise with a match; give one of the two",
            )


_RULES: tuple[Callable[[Document, Values], None], ...] = (
    _id_is_the_file_name,
    _window_has_a_length,
    _healthy_means_no_truth,
    _source_is_named,
    _changes_are_whole,
    _shas_are_in_the_window,
    _truth_is_gradable,
    _distractors_are_one_thing,
)
