"""What pytest calls in every session: cheap, and silent where there is no incident.

The first incident, option or xdist worker brings in the rest (`activate`). The imports inside these
functions are for start-up time: a run without incidents must not pay for this plugin.
"""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.plugin import hookspecs, options
from pytest_rcabench.plugin.state import RUN

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rcabench.plugin.recording import Recorder

MARK = (
    "rca(incident=, kind=, set=, difficulty=, twin=, provider=, model=, round=): "
    "set on every incident item, for -m \"rca(kind='healthy')\""
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare our own hooks."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and stop at once for a mistake in an option."""
    config.addinivalue_line("markers", MARK)
    if options.is_any_given(config):
        activate(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Tell a worker of pytest-xdist where the controller gives out answers."""
    activate(node.config).open_to(node)  # type: ignore[attr-defined]  # xdist's WorkerController is not imported


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect an incident file; leave every other file alone."""
    patterns = parent.config.getini("rca_files")
    if not any(fnmatch.fnmatch(file_path.name, pattern) for pattern in patterns):
        return None
    from pytest_rcabench.files.incident_names import looks_like_incident  # noqa: PLC0415

    if not looks_like_incident(file_path):
        return None
    from pytest_rcabench.plugin.collection import IncidentFile  # noqa: PLC0415

    activate(parent.config)
    return IncidentFile.from_parent(parent, path=file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a user's own test that asks for ``rca_case`` every cell there is."""
    if "rca_case" in metafunc.fixturenames:
        from pytest_rcabench.plugin.collection import bridged_cases  # noqa: PLC0415

        activate(metafunc.config)
        cases = bridged_cases(metafunc.config)
        ids = [f"{case.key.incident}-{case.key.column}-r{case.key.round}" for case in cases]
        metafunc.parametrize("rca_case", cases, ids=ids, indirect=True)


def activate(config: pytest.Config) -> Recorder:
    """Return this process's recorder, made and registered at the first call.

    Raises: pytest.UsageError: for a mistake in an option.
    """
    from pytest_rcabench.domain.errors import RcabenchError  # noqa: PLC0415
    from pytest_rcabench.plugin import json_report  # noqa: PLC0415
    from pytest_rcabench.plugin.display import Display  # noqa: PLC0415
    from pytest_rcabench.plugin.recording import Recorder  # noqa: PLC0415
    from pytest_rcabench.plugin.run import Run  # noqa: PLC0415

    recorder = config.pluginmanager.get_plugin("rcabench-recorder")
    if recorder is None:
        try:
            run = Run(config, options.read_settings(config))
        except RcabenchError as error:
            raise pytest.UsageError(str(error)) from None
        config.stash[RUN] = run
        recorder = Recorder(config, run)
        config.pluginmanager.register(recorder, "rcabench-recorder")
        config.pluginmanager.register(Display(config, run, recorder), "rcabench-display")
        config.pluginmanager.register(json_report, "rcabench-json-report")
    return recorder
