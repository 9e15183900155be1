"""Other people's incidents, turned into ours."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_rcabench.importers.report import ImportedIncident, Importer, ImportReport
from pytest_rcabench.importers.rootcausebench import import_rootcausebench

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["IMPORTERS", "ImportReport", "ImportedIncident", "Importer", "import_rootcausebench"]

IMPORTERS: Mapping[str, Importer] = MappingProxyType({"rootcausebench": import_rootcausebench})
