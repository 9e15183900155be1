"""Where this package's repository keeps the source that shapes a prompt, an answer or a verdict."""

from __future__ import annotations

from pytest_rcabench.domain.scoring import FROZEN_MODULES
from pytest_rcabench.engine.prompt import PROMPT_MODULES

SCORER_SOURCES = tuple(f"pytest_rcabench/domain/{name}" for name in FROZEN_MODULES)
PROMPT_SOURCES = tuple(f"pytest_rcabench/engine/{name}" for name in PROMPT_MODULES)
SHAPERS = (*PROMPT_SOURCES, "pytest_rcabench/engine/systems/heuristic/")
"""What could have been written for an incident: the prompt and the heuristic (a folder)."""
