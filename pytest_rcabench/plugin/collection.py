"""The node tree: incident file -> column -> round."""

from __future__ import annotations

import fnmatch
import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rcabench.domain.errors import IncidentError
from pytest_rcabench.engine.schedule import rounds_of
from pytest_rcabench.files.incident_names import looks_like_incident
from pytest_rcabench.plugin.run import Case
from pytest_rcabench.plugin.state import CASE, CELL, NO_RETRIES, RUN
from pytest_rcabench.reports.failure import explain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.scoring import Verdict
    from pytest_rcabench.engine.columns import Column


class FailedChecks(AssertionError):  # noqa: N818 - what happened, as pytest prints it
    """An answer is worth less than ``--rca-fail-on`` demands; no traceback is shown."""


def check_incident(request: pytest.FixtureRequest, rca_verdict: Verdict) -> None:
    """Fail where ``--rca-fail-on`` says so: the body of every incident item."""
    if rca_verdict.mark in request.config.stash[RUN].settings.failing:
        raise FailedChecks(rca_verdict.mark)


class IncidentItem(pytest.Function):
    """One round of one column on one incident."""

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point at the truth in the YAML file, so that editors and annotations land there."""
        column = self.parent
        assert isinstance(column, IncidentColumn)  # noqa: S101 - for the type checker
        return self.path, column.line - 1, f"{column.incident_id}::{column.name}::{self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # type: ignore[override]  # pytest takes a text and prints it as it is
        """Return the failed checks in words."""
        if isinstance(excinfo.value, FailedChecks):
            return explain(self.stash[CELL], verbosity=self.config.get_verbosity())
        return super().repr_failure(excinfo)  # type: ignore[return-value]  # pytest's own representation


class IncidentColumn(pytest.Collector):
    """One column of one incident, which is not kept: its evidence would stay with it."""

    def __init__(self, *, incident: Incident, column: Column, **kwargs: Any) -> None:  # noqa: ANN401 - pytest's
        super().__init__(column.name, **kwargs)
        self.incident_id = incident.id
        self.line = incident.place.line
        self.column = column
        self.marked = {
            "incident": incident.id,
            "kind": incident.kind,
            "set": incident.set,
            "difficulty": incident.difficulty,
            "twin": bool(incident.twin_of),
            "provider": column.provider,
            "model": column.model,
        }

    def collect(self) -> Iterator[IncidentItem]:
        """Yield one item a round."""
        rounds = self.config.stash[RUN].settings.rounds
        for key in rounds_of(self.incident_id, self.column.name, rounds):
            item: IncidentItem = IncidentItem.from_parent(
                self, name=f"r{key.round}", callobj=check_incident
            )
            item.add_marker(pytest.mark.rca(**self.marked, round=key.round))
            item.stash[CASE] = Case(key, self.path, self.column)
            yield item


class IncidentFile(pytest.Module):
    """An incident file.

    A Module without a Python object, so that a user's autouse fixtures find what they need.
    """

    obj = None  # as pytest's own collector of text files has it

    def collect(self) -> Iterator[IncidentColumn]:
        """Yield one collector a column. Raises: CollectError: with every problem of the file."""
        run = self.config.stash[RUN]
        refuse_repeats(self.config)
        try:
            incident = run.shelf.take(self.path)
            is_first = run.claim(incident, self.path)
        except IncidentError as error:
            raise self.CollectError(str(error)) from None
        # A link, or a loop of them, leads to the same file again and again.
        if not is_first or run.settings.set not in {"all", incident.set}:
            run.shelf.put_away(self.path)
            return
        for column in run.settings.columns:
            yield IncidentColumn.from_parent(self, incident=incident, column=column)


def refuse_repeats(config: pytest.Config) -> None:
    """Raise where another plugin would ask again until the answer is right."""
    try:
        from_ini = config.getini("reruns")
    except ValueError:  # no plugin that knows it
        from_ini = None
    for flag, given in (
        ("--reruns", config.getoption("reruns", None) or from_ini),
        ("--force-reruns", config.getoption("force_reruns", None)),
        ("--count", (config.getoption("count", None) or 1) > 1),
        ("--force-flaky", config.getoption("force_flaky", None)),
    ):
        if given:
            raise pytest.Collector.CollectError(f"{flag} does not go with incidents: {NO_RETRIES}")
    if getattr(config, "workerinput", {}).get("rca_dist") == "each":
        raise pytest.Collector.CollectError(
            "--dist=each does not go with incidents: every worker would ask for every answer; "
            "use --dist=load"
        )


def bridged_cases(config: pytest.Config) -> list[Case]:
    """Return every cell there is, for tests that ask for ``rca_case``.

    The incidents are those below the arguments of this run; else, as where one test file is run
    alone, below ``testpaths``; else below the root.
    """
    run = config.stash[RUN]
    refuse_repeats(config)
    cases = []
    for path in _bridged_files(config):
        try:
            incident = run.shelf.take(path)
            run.claim(incident, path)
        except IncidentError:
            raise pytest.Collector.CollectError(
                f"{path}: cannot be used; `pytest {path}` shows what is wrong with it"
            ) from None
        if run.settings.set in {"all", incident.set}:
            for column in run.settings.columns:
                cases += [
                    Case(key, path, column)
                    for key in rounds_of(incident.id, column.name, run.settings.rounds)
                ]
    return cases


def _bridged_files(config: pytest.Config) -> list[Path]:
    here, root = config.invocation_params.dir, config.rootpath
    for places in (
        [here / argument.partition("::")[0] for argument in config.args],
        [path for pattern in config.getini("testpaths") for path in root.glob(pattern)],
        [root],
    ):
        if files := {path for place in places for path in _incident_files(config, place)}:
            return sorted(files)
    return []


def _incident_files(config: pytest.Config, root: Path) -> Iterator[Path]:
    if root.is_file() and looks_like_incident(root):
        yield root
    patterns, pruned = config.getini("rca_files"), config.getini("norecursedirs")
    for folder, names, files in os.walk(root):
        names[:] = [n for n in names if not any(fnmatch.fnmatch(n, pattern) for pattern in pruned)]
        for name in files:
            path = root.__class__(folder, name)
            # Reading from a pipe that happens to be there would never end.
            if any(fnmatch.fnmatch(name, p) for p in patterns) and path.is_file():
                yield from (path,) if looks_like_incident(path) else ()
