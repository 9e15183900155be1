"""The version, alone, so that a build can read it without importing the package."""

from __future__ import annotations

__version__ = "0.1.0"
