"""What programs and services have in common: what they are sent, and how their reply is taken."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rcabench.domain.analysis import Analysis, AnswerFault, Attempt
from pytest_rcabench.domain.answer import read_answer
from pytest_rcabench.domain.errors import Unmeasured
from pytest_rcabench.domain.incident import evidence_to_json
from pytest_rcabench.engine.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rcabench.domain.analysis import FaultName
    from pytest_rcabench.domain.incident import Evidence

MAX_REPLY_BYTES = 8 * 1024 * 1024
"""A longer reply is a fault, and is not read to its end."""


def encode_evidence(evidence: Evidence) -> bytes:
    """Return what a system under test is sent: the evidence as one line of ASCII JSON."""
    return json.dumps(evidence_to_json(evidence), allow_nan=False).encode("ascii") + b"\n"


def take_reply(body: bytes, latency_s: float, environ: Mapping[str, str]) -> Analysis:
    """Return the analysis in *body*.

    Raises: Unmeasured: if the system says ``{"unmeasured": "reason"}``.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        near = body[max(0, error.start - 20) : error.start + 20]
        detail = f"byte {error.start} of the reply is not UTF-8, near {near!r}"
        return failed("not_json", redact(detail, environ), latency_s)
    if (reason := _declined(text)) is not None:
        raise Unmeasured("declined", redact(reason, environ))
    return replace(read_answer(text), attempts=(Attempt(latency_s, "ok"),))


def failed(name: FaultName, detail: str, latency_s: float, outcome: str = "") -> Analysis:
    """Return the analysis of a system that gave no readable answer.

    It keeps no reply: what a dying system has written must not pass when it is scored again.
    """
    return Analysis(
        fault=AnswerFault(name, detail), attempts=(Attempt(latency_s, outcome or name),)
    )


def _declined(text: str) -> str | None:
    # Parsing megabytes twice is for the rare reply that may say so.
    if '"unmeasured"' not in text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or "unmeasured" not in value or "issues" in value:
        return None
    return " ".join(str(value["unmeasured"]).split())[:500]
