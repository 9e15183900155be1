"""Incidents in memory: each is read once, and put away when nobody needs it any more."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rcabench.domain.incident import Incident


class Shelf:
    """Incidents by path, read by *read* when they are first asked for."""

    def __init__(self, read: Callable[[Path], Incident]) -> None:
        self._read = read
        self._incidents: dict[Path, Incident] = {}
        self._lock = threading.Lock()

    def take(self, path: Path) -> Incident:
        """Return the incident of *path*. Raises: IncidentError: if the file is not one."""
        with self._lock:
            incident = self._incidents.get(path)
            if incident is None:
                incident = self._incidents[path] = self._read(path)
            return incident

    def put_away(self, path: Path) -> None:
        """Forget the incident of *path*; it is read again if somebody asks for it after all."""
        with self._lock:
            self._incidents.pop(path, None)
