"""Our own hooks, for conftest files and plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_rcabench.engine.protocols import Analyzer


@pytest.hookspec(firstresult=True)
def pytest_rca_analyzer(config: pytest.Config, spec: str) -> Analyzer | None:
    """Return the analyser that ``--rca-provider=SPEC`` means, or None to leave it to somebody else.

    Asked only for specs that are not built in, once per column and process, before collection. An
    analyser says by *is_free* whether it runs where the item runs or is asked by the controller,
    and raises `Unmeasured` where there is no answer that it is to blame for::

        class Mine:
            is_free = True

            def analyze(self, evidence):
                return read_answer(my_system(evidence))

        def pytest_rca_analyzer(config, spec):
            return Mine() if spec == "mine" else None
    """
