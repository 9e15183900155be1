"""Who gave an analysis travels with it."""

from __future__ import annotations

import json

from pytest_rcabench.domain.analysis import Analysis, Usage
from pytest_rcabench.domain.cell_json import cell_from_json, cell_to_json
from pytest_rcabench.domain.model_analysis import source_of, with_source
from pytest_rcabench.domain.run import RunKey, kept_analysis, measured_cell
from pytest_rcabench.domain.scoring import Verdict
from pytest_rcabench.engine.wire import analysis_from_wire, analysis_to_wire

SILENCE = Analysis(usage=Usage(5, 1), reply='{"issues": []}')


def test_an_analysis_without_a_model_is_just_that() -> None:
    """Programs, services and controls are known by their column."""
    assert with_source(SILENCE, "", "") is SILENCE
    assert source_of(SILENCE) == ("", "")


def test_model_and_request_come_through_every_door() -> None:
    """From process to process, into the record, and out of it where answers are scored again."""
    given = with_source(SILENCE, "flash-001", "response-1")
    sent = analysis_from_wire(json.loads(json.dumps(analysis_to_wire(given))))
    cell = measured_cell(RunKey("leak", "flash", 1), sent, Verdict("wrong", ()))
    kept = kept_analysis(cell_from_json(cell_to_json(cell)))

    assert sent == given
    assert (cell.model, cell.request_id) == source_of(kept) == ("flash-001", "response-1")
    assert kept == given
