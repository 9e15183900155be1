"""The pytest11 entry point: hooks and fixtures; the rest is imported when an incident is met."""

from __future__ import annotations

from pytest_rcabench.plugin.fixtures import (
    rca_analysis,
    rca_case,
    rca_evidence,
    rca_incident,
    rca_verdict,
)
from pytest_rcabench.plugin.hooks import (
    pytest_addhooks,
    pytest_addoption,
    pytest_collect_file,
    pytest_configure,
    pytest_configure_node,
    pytest_generate_tests,
)

__all__ = [
    "pytest_addhooks",
    "pytest_addoption",
    "pytest_collect_file",
    "pytest_configure",
    "pytest_configure_node",
    "pytest_generate_tests",
    "rca_analysis",
    "rca_case",
    "rca_evidence",
    "rca_incident",
    "rca_verdict",
]
