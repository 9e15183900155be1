"""Times that contradict each other."""

from __future__ import annotations

import pytest

from pytest_rcabench.domain.proof import is_later


@pytest.mark.parametrize(
    ("time", "than", "expected"),
    [
        ("2026-11-30T10:11:00Z", "2026-11-30T10:00:00Z", True),
        ("2026-11-30T10:09:00Z", "2026-11-30T10:00:00Z", False),
        ("2026-11-30T10:00:00Z", "2026-11-30T10:11:00Z", False),
        ("2026-11-30T10:11:00+02:00", "2026-11-30T10:00:00Z", False),
        ("2026-11-30T10:11:00", "2026-11-30T10:00:00Z", True),
        ("", "2026-11-30T10:00:00Z", False),
        ("2026-11-30T10:00:00Z", "some day", False),
    ],
)
def test_only_more_than_clocks_differ_is_later(time: str, than: str, *, expected: bool) -> None:
    """A time without a zone is UTC, and what is no time contradicts nothing."""
    assert is_later(time, than) is expected
