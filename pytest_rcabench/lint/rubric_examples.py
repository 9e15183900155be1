"""A rubric's own unit tests: the right examples must meet it, the wrong ones must not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import Fault
from pytest_rcabench.domain.rubric import meets

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import Incident


def check_examples(incident: Incident) -> tuple[str, ...]:
    """Return what is wrong with the examples of *incident*, one line each, in file order."""
    truth = incident.truth
    if not isinstance(truth, Fault) or "cause" not in truth.graded:
        return ()
    problems: list[str] = []
    for name, texts in (("right", incident.examples.right), ("wrong", incident.examples.wrong)):
        for place, text in enumerate(texts):
            result = meets("", text, truth.cause, truth.must_not)
            if result.met != (name == "right"):
                verdict = "accepted" if result.met else "not accepted"
                problems.append(
                    f"examples.{name}[{place}]: {text!r} is {verdict}: the text {result.detail}; "
                    "mend the rubric or the example"
                )
    return tuple(problems)
