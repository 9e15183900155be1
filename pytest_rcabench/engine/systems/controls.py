"""The naive controls, which a benchmark must not reward, and the oracle, which it must."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.domain.incident import Fault
from pytest_rcabench.engine.systems.controls_naive import NAIVE
from pytest_rcabench.engine.systems.controls_parts import (
    Control,
    alarming,
    as_analysis,
    described,
    echo,
    open_issue,
)
from pytest_rcabench.engine.systems.controls_tricks import TRICKS, tricks_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import Evidence, Incident


@dataclass(frozen=True, slots=True)
class Oracle:
    """Answers from the truth, and must pass everything.

    That is the expected service, the first phrase of each group of the rubric and the first of the
    expected commits; a healthy window gets no issue.
    """

    name: str = "oracle"
    is_free = True

    def analyze(self, evidence: Evidence) -> Analysis:
        """Refuse. Raises: OptionError: always, for the truth is not in *evidence*."""
        del evidence
        raise OptionError("control:oracle answers from the truth; hand it the incident")

    def answer_from(self, incident: Incident) -> Analysis:
        """Return the analysis that must pass every check of *incident*."""
        fault = incident.truth
        if not isinstance(fault, Fault):
            return as_analysis(())
        phrases = [spoken(group[0]) for group in fault.cause] or ["the expected cause"]
        # A sentence each: a negation in one phrase must not reach into the next.
        cause = ". ".join(phrases) + "."
        return as_analysis(
            open_issue(
                title=phrases[0],
                service=fault.service,
                cause=cause,
                commits=fault.commits[:1],
                reasoning="Taken from the truth of the incident.",
            )
        )


CONTROLS: Mapping[str, Control | Oracle] = MappingProxyType(
    {known.name: known for known in (*NAIVE, Oracle())}
)


def control(name: str) -> Control | Oracle:
    """Return the control called *name*. Raises: OptionError: if there is none of that name."""
    if known := CONTROLS.get(name) or TRICKS.get(name):
        return known
    near = difflib.get_close_matches(name, [*CONTROLS, *TRICKS], n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise OptionError(f"control:{name}: no such control{hint}; known: {', '.join(CONTROLS)}")


def echoes(evidence: Evidence) -> Iterator[Analysis]:
    """Yield each distinct record at WARN or worse, then each alert, as an answer without commit."""
    seen: set[tuple[str, str, str]] = set()
    for record in alarming(evidence):
        place = (record.service, record.host, record.message)
        if place not in seen:
            seen.add(place)
            yield as_analysis(echo(record))
    for alert in evidence.alerts:
        yield as_analysis(
            open_issue(alert.summary, alert.service, alert.summary, (), "Repeats an alert.")
        )


def controls_page() -> str:
    """Return the text of ``docs/reference/controls.md``, made from the registry."""
    lines = [
        "# Controls",
        "",
        "A control answers by a fixed rule and understands nothing.",
        "What a control can solve, the benchmark does not measure.",
        "Every run asks those of the first table, and every report shows the best of them.",
        "Ask one by `--rca-provider=control:NAME`.",
        "Every issue a control opens has the severity `error`, no `ruled_out` and no `evidence`;",
        "its `reasoning` says which rule was used.",
        "",
        "Where a rule names a record, a message or an alert, its text is both title and cause.",
        "Where a rule blames a change, title and cause are the first line of the change's message,",
        "or its type, service, key and version where it has no message;",
        "the service is the change's own, or the loudest service where the change names none;",
        "`commits` holds the change's sha, and is empty where it has none.",
        "The loudest service is the one with most records at WARN or worse,",
        "or with most records where none is that bad; of equals the first seen.",
        "A rule that finds nothing to name is silent.",
        "",
        "| control | what it answers |",
        "|---|---|",
    ]
    lines += [f"| `{name}` | {_description(known)} |" for name, known in CONTROLS.items()]
    return "\n".join([*lines, "", *tricks_page()]) + "\n"


def spoken(phrase: str) -> str:
    """Return a rubric's *phrase* as somebody would say it.

    A `*` between words leaves a word open, which is filled; one at an end leaves that open.
    """
    return " ".join("then" if word == "*" else word.rstrip("*") for word in phrase.split())


def _description(known: Control | Oracle) -> str:
    return described(known.rule.__doc__ if isinstance(known, Control) else known.__doc__)
