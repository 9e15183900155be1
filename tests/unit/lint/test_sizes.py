"""A shipped incident is as large as a real window."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.incident import Distractor, Examples, Fault, Healthy, Incident
from pytest_rcabench.lint import sizes

if TYPE_CHECKING:
    from collections.abc import Iterator

DIFF = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"


@pytest.fixture
def shipped(fair: Incident) -> Incident:
    """Return a window of the size that ours have."""
    evidence = fair.evidence
    logs = tuple(
        record._replace(host=f"host-{number % 2}")
        for record in evidence.logs
        for number in range(7)
    )
    changes = tuple(
        replace(change, diff=DIFF if change.type == "commit" else "") for change in evidence.changes
    )
    assert isinstance(fair.truth, Fault)
    return replace(
        fair,
        evidence=replace(evidence, logs=logs, metrics=evidence.metrics * 4, changes=changes),
        truth=replace(fair.truth, must_not=("a", "b")),
        examples=Examples(("right",) * 12, ("wrong",) * 12),
    )


def with_diff(incident: Incident, diff: str) -> Incident:
    """Return *incident* with *diff* at its first commit."""
    first, *others = incident.evidence.changes
    changes = (replace(first, diff=diff), *others)
    return replace(incident, evidence=replace(incident.evidence, changes=changes))


def found(incident: Incident) -> Iterator[str]:
    """Yield where any rule about sizes finds something, with what it says."""
    for rule in (sizes.evidence_has_its_size, sizes.hunks_are_whole, sizes.truth_is_elaborate):
        for finding in rule(incident):
            yield f"{'.'.join(map(str, finding.where))}: {finding.what}"


def test_a_window_of_our_size_is_clean(shipped: Incident) -> None:
    """Healthy ones need no examples and no claims."""
    healthy = replace(shipped, truth=Healthy(), examples=Examples())

    assert [*found(shipped), *found(healthy)] == []


def test_a_small_window_is_told_what_it_lacks(fair: Incident) -> None:
    """Each shortage at its place."""
    assert isinstance(fair.truth, Fault)
    bare = replace(
        fair, canary="", distractors=(), truth=replace(fair.truth, cause=(("pool",),), must_not=())
    )

    assert [line.split(";")[0] for line in found(bare)] == [
        "logs: has 60 lines",
        "metrics: has 2 entries",
        "logs: 3 services or hosts log",
        "changes.0.diff: has 1 lines",
        "changes.3.diff: has 1 lines",
        "canary: is missing",
        "distractors: declare at least one innocent commit and one noise",
        "examples.right: has 0 entries",
        "examples.wrong: has 0 entries",
        "expected.cause: has one group",
        "expected.must_not: has 0 claims",
    ]


def test_lines_that_continue_a_record_count_too(shipped: Incident) -> None:
    """A reader has to read them."""
    first, *others = shipped.evidence.logs
    long = first._replace(message="trace\n" * 3000)
    loud = replace(shipped, evidence=replace(shipped.evidence, logs=(long, *others)))

    assert [line.split(";")[0] for line in found(loud)] == ["logs: has 3420 lines"]


@pytest.mark.parametrize("kind", ["commit", "noise"])
def test_both_sorts_of_distractors_are_wanted(shipped: Incident, kind: str) -> None:
    """Commits alone or noises alone will not do."""
    sort = Distractor("why", commit="a" * 40) if kind == "commit" else Distractor("why", noise="x")

    assert any(
        line.startswith("distractors: ") for line in found(replace(shipped, distractors=(sort,)))
    )


@pytest.mark.parametrize(
    "diff",
    [
        DIFF.replace("-1,3", "-1,4"),
        DIFF.replace("+1,3", "+1,2"),
        DIFF + "@@ -9 +9 @@\n-a\n+b\n+c\n",
        DIFF + "--- /dev/null\n+++ b/y\n@@ -0,0 +1,2 @@\n+a\n",
        "diff --git a/x b/x\n" + DIFF + " four\ndiff --git a/y b/y\n",
    ],
)
def test_a_hunk_with_other_lines_than_it_tells_is_told(shipped: Incident, diff: str) -> None:
    """No tool would apply such a diff."""
    (line,) = found(with_diff(shipped, diff))

    assert line.startswith("changes.0.diff: the hunk '@@ -")


@pytest.mark.parametrize(
    "diff",
    [
        DIFF + "@@ -9 +9,2 @@ def head\n-a\n+b\n+c\n\\ No newline at end of file\n",
        DIFF + "--- /dev/null\n+++ b/y\n@@ -0,0 +1,2 @@\n+a\n+\n",
    ],
)
def test_a_whole_hunk_is_clean(shipped: Incident, diff: str) -> None:
    """With its shorthands."""
    assert list(found(with_diff(shipped, diff))) == []
