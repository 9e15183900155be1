"""What the exit status of every command means."""

from __future__ import annotations

FINE, FOUND, USAGE = 0, 1, 2
