"""What a rule is and what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_rcabench.domain.incident import Incident


class Finding(NamedTuple):
    """What a rule found: *where* in the file, such as ("changes", 0, "sha"), and *what* to do."""

    where: tuple[str | int, ...]
    what: str


Rule: TypeAlias = "Callable[[Incident], Iterable[Finding]]"
SetRule: TypeAlias = "Callable[[tuple[Incident, ...]], Iterable[tuple[Incident, Finding]]]"
