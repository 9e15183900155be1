"""The part of the plugin that every pytest run pays for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

HEAVY = (
    "pydantic",
    "yaml",
    "sqlite3",
    "jinja2",
    "asyncio",
    "multiprocessing.connection",
    "anthropic",
    "google",
    "pytest_rcabench.domain",
    "pytest_rcabench.engine",
    "pytest_rcabench.files.incident_yaml",
    "pytest_rcabench.plugin.recording",
)


def test_the_plugin_costs_nothing_without_incidents(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that meets no incident imports nothing but the hooks, whatever other YAML it meets."""
    pytester.makefile(".yaml", manifest="apiVersion: v1\n")
    pytester.makeconftest(
        """
        import json, sys

        def pytest_unconfigure(config):
            with open("modules.json", "w") as file:
                json.dump(sorted(sys.modules), file)
        """
    )
    pytester.makepyfile("def test_nothing(): pass")

    # Without the other plugins: what they import is not ours to answer for.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.runpytest_subprocess("-p", "rcabench").assert_outcomes(passed=1)
    modules = set(json.loads((pytester.path / "modules.json").read_text()))

    assert "pytest_rcabench.plugin.hooks" in modules
    assert set() == modules.intersection(HEAVY)
