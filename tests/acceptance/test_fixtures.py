"""A user's own tests and fixtures, beside incident items and on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Bench

BRIDGE = """
def test_incident(rca_case, rca_incident, rca_evidence, rca_analysis, rca_verdict):
    assert rca_case.key.incident == rca_incident.id
    assert rca_evidence is rca_incident.evidence
    assert not hasattr(rca_evidence, "truth")
    assert rca_analysis.issues[0].title == "Connections are never closed"
    assert rca_verdict.mark != "wrong"

def test_title(rca_case, rca_incident):
    assert "leak" in rca_incident.title

def test_late(rca_case, request):
    assert request.getfixturevalue("rca_incident").id == rca_case.key.incident
"""


@pytest.mark.parametrize("more", [["-p", "no:xdist"], ["-n2"]])
def test_a_bridge_test_gets_the_same_cases_and_answers(bench: Bench, more: list[str]) -> None:
    """Each key is asked once, whoever uses it, and has one cell; the test's own assert decides."""
    for answer in ("half", "pass", "unmeasured", "wrong"):
        bench.incident(answer, answer)
    bench.path.joinpath("test_bridge.py").write_text(BRIDGE)

    result = bench.ask("--rca-json=results.json", "-v", "incidents", "test_bridge.py", *more)

    assert sorted(bench.asked()) == ["half", "pass", "unmeasured", "wrong"]
    assert len(bench.verdicts()) == 4
    out = result.stdout.str()
    for answer, word in {"half": "PASSED", "pass": "PASSED", "wrong": "FAILED"}.items():
        name = f"test_bridge.py::test_incident[{answer}-sut-r1]"
        assert f"{name} {word}" in out or f"{word} {name}" in out
    assert out.count("PASSED") >= 11


def test_a_bridge_test_alone_measures_too(bench: Bench) -> None:
    """Without incident items the bridge brings the cells; those it does not need are not asked."""
    bench.incident("leak")
    bench.incident("other")
    bench.path.joinpath("test_bridge.py").write_text(BRIDGE)

    result = bench.ask("--rca-json=results.json", "test_bridge.py", "-k", "incident and leak")

    result.assert_outcomes(passed=1, deselected=5)
    assert bench.asked() == ["pass"]
    assert bench.verdicts() == {"leak::sut::r1": "pass"}


def test_a_skip_mark_keeps_an_item_from_being_asked(bench: Bench) -> None:
    """Marks of a user's conftest work on incident items."""
    bench.incident("leak")
    bench.incident("other")
    bench.pytester.makeconftest(
        """
        import pytest
        def pytest_collection_modifyitems(items):
            for item in items:
                if "other" in item.nodeid:
                    item.add_marker(pytest.mark.skip(reason="known"))
        """
    )

    bench.ask().assert_outcomes(passed=1, skipped=1)
    assert bench.asked() == ["pass"]


@pytest.mark.parametrize("more", [[], ["-n2"]])
def test_autouse_fixtures_reach_incident_items(bench: Bench, more: list[str]) -> None:
    """Fixtures of every scope, and pytest's own, find what they expect."""
    bench.incident("leak", healthy=True)
    bench.pytester.makeconftest(
        """
        import logging, os, pytest

        @pytest.fixture(autouse=True, scope="session")
        def _session(request):
            yield

        @pytest.fixture(autouse=True, scope="package")
        def _package(request):
            yield

        @pytest.fixture(autouse=True, scope="module")
        def _module(request):
            assert request.module is None
            yield

        @pytest.fixture(autouse=True, scope="class")
        def _class(request):
            assert request.cls is None
            yield

        @pytest.fixture(autouse=True)
        def _function(request, tmp_path, monkeypatch, caplog, capsys):
            monkeypatch.setenv("SEEN", request.node.name)
            logging.getLogger().warning("seen")
            print("seen")
            yield
            assert "seen" in capsys.readouterr().out
        """
    )

    result = bench.run("--rca-provider=control:silent", "--rca-repeat=2", *more)

    result.assert_outcomes(passed=2)


def test_a_fixture_that_fails_costs_its_cell_only(bench: Bench) -> None:
    """Whose item cannot be set up has no answer: unmeasured, and told in the results."""
    bench.incident("leak")
    bench.incident("other")
    bench.pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def _mine(request):
            assert "other" not in request.node.nodeid, "not ready"
        """
    )

    result = bench.run("--rca-provider=control:oracle", "--rca-json=results.json")

    result.assert_outcomes(passed=1, errors=1)
    assert bench.verdicts() == {"leak::oracle::r1": "pass", "other::oracle::r1": "unmeasured"}
    assert bench.results()["cells"][1]["error"]["reason"] == "set-up"
