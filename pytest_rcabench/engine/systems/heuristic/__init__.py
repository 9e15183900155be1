"""A first analyser without a model: what departs from its past, and which change came before."""

from __future__ import annotations

from pytest_rcabench.engine.systems.heuristic.heuristic import Heuristic

__all__ = ["Heuristic"]
