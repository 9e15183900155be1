"""RootCauseBench by Edge Delta -> incident files.

``docs/how-to/import-rootcausebench.md`` says what becomes of what.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.domain.incident import format_time
from pytest_rcabench.importers.output import write_incidents
from pytest_rcabench.importers.report import ImportedIncident, ImportReport
from pytest_rcabench.importers.rootcausebench_evidence import Telemetry, read_telemetry, sha
from pytest_rcabench.importers.source_files import Entry, parse_file, read_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_URL = "https://github.com/edgedelta/root-cause-bench"
_EVIDENCE = "environment/data"
_TRUTH = "tests/ground_truth.json"
# A folder does not know its commit: the digest of its data does, or nobody.
_COMMITS: Mapping[str, str] = MappingProxyType(
    {
        "3d77befd1e753323ae54c43714bb8d39ee9070422c2b14d2df09201127d210c5": (
            "470c2ba33cf1707070348428cbc7204747c2adfd"
        )
    }
)
_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "config": "configuration",
        "bad-data": "dependency",
        "upstream-outage": "dependency",
        "traffic-surge": "capacity",
    }
)
_REMARKS = (
    "Graded on the commit alone, for the truth holds no cause in words.",
    "Left out everywhere: the log patterns, and the truth's remediation and notes.",
)


def import_rootcausebench(source: Path, out: Path) -> ImportReport:
    """Write one incident file into *out* for each incident below *source*; return what it holds.

    *source* is a clone of the repository, or its folder ``datasets/rootcausebench``.

    Raises: RcabenchError: if a file of the source is missing or damaged, *out* holds other YAML
    files or one that differs from the import.
    """
    folders = _incident_folders(source)
    commit = _COMMITS.get(_fingerprint(folders), "unknown")
    documents: dict[Path, dict[str, object]] = {}
    imported = []
    for folder in folders:
        truth = read_object(folder / _TRUTH)
        path = out / f"{truth.text('scenario')}.yaml"
        if path in documents:
            raise RcabenchError(f"{folder}: a second {path.stem!r}; remove one of the two folders")
        telemetry = read_telemetry(folder / _EVIDENCE)
        documents[path] = _document(folder, truth, telemetry, commit)
        imported.append(ImportedIncident(path, _kept(telemetry), telemetry.altered))
    write_incidents(documents, out)
    return ImportReport(f"RootCauseBench at commit {commit}", tuple(imported), _REMARKS)


def _incident_folders(source: Path) -> list[Path]:
    for base in (source / "datasets" / "rootcausebench", source):
        folders = sorted(file.parent for file in base.glob("*/task.toml"))
        if folders:
            return folders
    raise RcabenchError(
        f"{source}: no RootCauseBench here (no datasets/rootcausebench/*/task.toml); "
        f"give the folder of a clone of {_URL}"
    )


def _fingerprint(folders: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        evidence = sorted((folder / _EVIDENCE).rglob("*.*"))
        for file in (*evidence, folder / _TRUTH, folder / "task.toml"):
            if file.is_file():
                name = file.relative_to(folder.parent).as_posix()
                digest.update(f"{name}\n{file.stat().st_size}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def _document(folder: Path, truth: Entry, telemetry: Telemetry, commit: str) -> dict[str, object]:
    difficulty, tags = _task(folder / "task.toml")
    culprit = truth.text("root_cause_commit")
    has_culprit = culprit != "none"
    usual = "bad_deploy" if has_culprit else "infrastructure"
    name = truth.text("scenario")
    return {
        "schema": "rcabench/1",
        "id": name,
        "title": name[:1].upper() + name[1:].replace("-", " "),
        "kind": next((_KINDS[tag] for tag in tags if tag in _KINDS), usual),
        "difficulty": difficulty,
        "source": {
            "origin": "imported",
            "name": "RootCauseBench",
            "url": _URL,
            "commit": commit,
            "licence": "Apache-2.0",
        },
        "window": telemetry.window,
        "logs": telemetry.logs,
        "metrics": telemetry.metrics,
        "changes": telemetry.changes,
        "alerts": telemetry.alerts,
        "traces": telemetry.traces,
        "expected": {
            "service": truth.text("first_failing_service"),
            "victims": truth.texts("blast_radius"),
            "onset": format_time(telemetry.onset),
            "commit": sha(culprit, truth.place) if has_culprit else "none",
            "graded": ["commit"],
        },
        "distractors": [
            {"commit": sha(decoy, truth.place), "why": "declared a decoy by its authors"}
            for decoy in truth.texts("decoy_deploy_commits")
        ],
    }


def _task(path: Path) -> tuple[str, list[str]]:
    metadata = Entry(str(path), parse_file(path, tomllib.loads)).entry("metadata")
    return metadata.text("difficulty"), metadata.texts("tags")


def _kept(telemetry: Telemetry) -> tuple[tuple[str, int], ...]:
    types = Counter(str(change["type"]) for change in telemetry.changes)
    return (
        ("log records", sum(str(stream["lines"]).count("\n") for stream in telemetry.logs)),
        ("metric series", len(telemetry.metrics)),
        ("commits", types["commit"]),
        ("deploys", types["deploy"]),
        ("flags", types["flag"]),
        ("events", types["event"]),
        ("alerts", len(telemetry.alerts)),
        ("spans", len(telemetry.traces)),
    )
