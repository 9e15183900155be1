"""The fixtures, for incident items and for a user's own tests alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.plugin.state import CASE, CELL, NO_RETRIES, RUN

if TYPE_CHECKING:
    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.domain.incident import Evidence, Incident
    from pytest_rcabench.domain.scoring import Verdict
    from pytest_rcabench.plugin.run import Case


@pytest.fixture
def rca_case(request: pytest.FixtureRequest) -> Case:
    """Return the cell this test is about: its key, column and incident file."""
    case: Case = getattr(request, "param", None) or request.node.stash[CASE]
    request.node.stash[CASE] = case
    return case


@pytest.fixture
def rca_incident(request: pytest.FixtureRequest, rca_case: Case) -> Incident:
    """Return the incident, truth included."""
    return request.config.stash[RUN].shelf.take(rca_case.path)


@pytest.fixture
def rca_evidence(rca_incident: Incident) -> Evidence:
    """Return what an analyser is shown."""
    return rca_incident.evidence


@pytest.fixture
def rca_analysis(request: pytest.FixtureRequest, rca_case: Case) -> Analysis:
    """Return what this column answered in this round; asked once a run, whoever uses it.

    Where there is no answer and the system under test is not to blame, the test ends here: an error
    or a skip, as ``--rca-fail-on`` says.
    """
    if request.config.option.setuponly:
        pytest.skip("nothing is asked under --setup-only")
    if request.node.get_closest_marker("flaky"):
        pytest.fail(f"a flaky mark does not go with incidents: {NO_RETRIES}", pytrace=False)
    run = request.config.stash[RUN]
    found = run.find(rca_case)
    request.node.stash[CELL] = found.cell
    request.node.user_properties += run.properties(rca_case, found.cell)
    if found.analysis is not None:
        return found.analysis
    reason = run.explain(found.cell)
    if run.settings.unmeasured_is_an_error:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture
def rca_verdict(request: pytest.FixtureRequest, rca_case: Case, rca_analysis: Analysis) -> Verdict:
    """Return the scorer's verdict on the answer."""
    verdict = request.config.stash[RUN].find(rca_case).verdict
    assert verdict is not None, rca_analysis  # noqa: S101 - an unmeasured cell ended the test before
    return verdict
