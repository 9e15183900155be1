"""What an import kept, changed and left out, for people to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ImportedIncident:
    """One incident file: *kept* counts what is in it, *altered* what is not as it was."""

    path: Path
    kept: tuple[tuple[str, int], ...]
    altered: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the file's name and counts, and a line for each alteration."""
        kept = ", ".join(f"{what} {count}" for what, count in self.kept if count)
        return "\n".join([f"{self.path.name}: {kept}", *(f"  {line}" for line in self.altered)])


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Everything that one import wrote; printing it tells the whole story.

    *remarks* hold for all of the incidents.
    """

    source: str
    incidents: tuple[ImportedIncident, ...]
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the whole report, a few lines an incident."""
        head = f"{self.source}: {len(self.incidents)} incidents written, and all can be read"
        return "\n".join([head, *self.remarks, *map(str, self.incidents)])


class Importer(Protocol):
    """Turns a data set in the folder *source* into incident files in the folder *out*."""

    def __call__(self, source: Path, out: Path) -> ImportReport:
        """Return what was written.

        Raises: RcabenchError: if the source is not as expected, or *out* holds other YAML files,
        or a file that differs from the import.
        """
        ...
