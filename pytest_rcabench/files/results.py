"""Results files: the JSON of one finished run, `rcabench-results/1`, read and written."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar, cast, get_args

from pytest_rcabench.domain.cell_json import cell_from_json, cell_to_json
from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.first_contact import FirstContact
from pytest_rcabench.domain.run import (
    Cell,
    ColumnInfo,
    ControlVerdict,
    GitState,
    IncidentInfo,
    Move,
    Results,
    RunInfo,
    RunKey,
    Word,
)
from pytest_rcabench.files.journal import JOURNAL_NAME, read_journal
from pytest_rcabench.files.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_rcabench.domain.incident import JSON

SCHEMA = "rcabench-results/1"
RESULTS_NAME = "results.json"
_Section = TypeVar(
    "_Section", RunInfo, ColumnInfo, IncidentInfo, ControlVerdict, GitState, Move, FirstContact
)

# What a field may hold in JSON, by the way its type is written in domain/run.py.
_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "bool | None": (bool, type(None)),
    "tuple[str, ...]": (list,),
    "GitState": (dict,),
    "Word": (str,),
    "tuple[Word, ...]": (list,),
    "dict[str, JSON] | None": (dict, type(None)),
}
# Fields that came later: a file that was written before is read with their defaults.
_LATER = frozenset({"must_pass", "tree", "parents", "actions", "package_digest"})
_CELL_TYPES: dict[str, tuple[type, ...]] = {
    "incident": (str,),
    "column": (str,),
    "round": (int,),
    "verdict": (str,),
    "fault": (str,),
    "right_cause_ranked": (int, type(None)),
    "checks": (list,),
    "analysis": (dict, type(None)),
    "reply": (str,),
    "model": (str,),
    "request_id": (str,),
    "usage": (dict,),
    "cost_usd": (int, float, type(None)),
    "latency_s": (int, float),
    "attempts": (list,),
    "error": (dict, type(None)),
}
_CHECK_TYPES: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "passed": (bool, type(None)),
    "detail": (str,),
}


def run_header(
    results: Results,
    *,
    plan: Iterable[RunKey],
    rounds: int,
    settings: Mapping[str, Mapping[str, JSON]],
) -> dict[str, JSON]:
    """Return the first line of the journal of *results*, which will have the cells of *plan*.

    *settings* holds by column what else decides about a request.
    """
    cells = sorted(f"{key.incident}::{key.column}::r{key.round}" for key in plan)
    return {
        **_head(results),
        "controls": _controls(results),
        "moves": _moves(results),
        "planned": len(cells),
        "plan": hashlib.sha256("\n".join(cells).encode()).hexdigest(),
        "rounds": rounds,
        "settings": {name: dict(own) for name, own in settings.items()},
    }


def run_of(header: dict[str, JSON]) -> RunInfo:
    """Return the run that a journal's *header* is of. Raises: RecordError: if it names none."""
    return _section(RunInfo, _get(header, "run", dict, "journal"), "journal: run")


def results_from_json(value: JSON, place: str = "results") -> Results:
    """Return the results that the object of a results file holds; *place* names it in errors.

    Raises: RecordError: at the first thing that is missing or of another type, with its place.
    """
    if not isinstance(value, dict) or "schema" not in value:
        raise RecordError(f"{place}: is no results file; name a file written by --rca-json")
    if value["schema"] != SCHEMA:
        raise RecordError(
            f"{place}: schema: {value['schema']!r:.60} is not {SCHEMA!r}; read it with the version "
            "that wrote it"
        )
    columns = _sections(ColumnInfo, value, "columns", place)
    incidents = _sections(IncidentInfo, value, "incidents", place)
    results = Results(
        run=_section(RunInfo, _get(value, "run", dict, place), f"{place}: run"),
        scorer_digest=_get(_get(value, "scorer", dict, place), "digest", str, f"{place}: scorer"),
        prompt_digest=_get(_get(value, "prompt", dict, place), "digest", str, f"{place}: prompt"),
        columns=columns,
        incidents=incidents,
        cells=tuple(
            sorted(
                (
                    _cell(entry, f"{place}: cells[{number}]")
                    for number, entry in enumerate(_get(value, "cells", list, place))
                ),
                key=lambda cell: cell.key,
            )
        ),
        controls=_sections(ControlVerdict, value, "controls", place),
        moves=_sections(Move, value, "moves", place),
        first_contact=_sections(
            FirstContact, {"first_contact": [], **value}, "first_contact", place
        ),
        complete=_get(value, "complete", bool, place),
    )
    _refuse_strangers(results, place)
    return results


def write_results(
    path: Path, results: Results, summary: Sequence[JSON] = (), proof: str = ""
) -> None:
    """Write *results* to *path* in one step, one cell a line; equal results give equal bytes.

    *summary* holds the counts of the reports and *proof* what the run itself can say of its proof,
    both for readers.

    Raises: RecordError: if the disk refuses; a file that was there before is then untouched.
    """
    write_whole(path, _render(_sections_of(results, summary, proof)))


def results_file(path: Path) -> Path:
    """Return the file that *path* stands for: in a folder the results, else the journal.

    A folder is that of a run, or a record of several, of which the newest counts.

    Raises: RecordError: if the folder holds neither.
    """
    if not path.is_dir():
        return path
    runs = path / "runs"
    folder = max(runs.iterdir(), default=runs) if runs.is_dir() else path
    for name in (RESULTS_NAME, JOURNAL_NAME):
        if (folder / name).exists():
            return folder / name
    raise RecordError(
        f"{folder}: holds neither {RESULTS_NAME} nor {JOURNAL_NAME}; name a folder below "
        ".rcabench/runs"
    )


def read_results(path: Path) -> Results:
    """Return the results at *path*: a results file, a journal or a folder.

    *path* is what `results_file` takes.

    Raises: RecordError: if there is nothing to read, or it is no such file.
    """
    path = results_file(path)
    if path.name == JOURNAL_NAME:
        return _from_journal(path)
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise RecordError(
            f"{path}: no such file; name a file written by --rca-json, or a run's folder"
        ) from error
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}; check the path") from error
    except (ValueError, RecursionError) as error:
        raise RecordError(
            f"{path}: is not JSON ({error}); name a file written by --rca-json"
        ) from error
    return results_from_json(value, str(path))


def _head(results: Results) -> dict[str, JSON]:
    return {
        "schema": SCHEMA,
        "run": _section_to_json(results.run),
        "scorer": {"digest": results.scorer_digest},
        "prompt": {"digest": results.prompt_digest},
        "columns": [_section_to_json(column) for column in results.columns],
        "incidents": [_section_to_json(incident) for incident in results.incidents],
    }


def _controls(results: Results) -> list[JSON]:
    return [_section_to_json(control) for control in results.controls]


def _moves(results: Results) -> list[JSON]:
    return [_section_to_json(move) for move in results.moves]


def _section_to_json(
    section: RunInfo | ColumnInfo | IncidentInfo | ControlVerdict | GitState | Move | FirstContact,
) -> dict[str, JSON]:
    shown: dict[str, JSON] = {}
    for field in fields(section):
        value = getattr(section, field.name)
        if isinstance(value, GitState):
            value = _section_to_json(value)
        shown[field.name] = list(value) if isinstance(value, tuple) else value
    return shown


def _section(kind: type[_Section], value: JSON, place: str) -> _Section:
    if not isinstance(value, dict):
        raise RecordError(f"{place}: is no object; restore the file")
    found: dict[str, object] = {}
    for field in fields(kind):
        if field.name in _LATER and field.name not in value:
            continue
        item = _get(value, field.name, _TYPES[str(field.type)], place)
        if isinstance(item, list):
            item = tuple(item)
        found[field.name] = (
            _section(GitState, item, f"{place}.git") if field.type == "GitState" else item
        )
    return kind(**found)  # type: ignore[arg-type] # each value was checked against its field's type above


def _sections(
    kind: type[_Section], value: dict[str, JSON], name: str, place: str
) -> tuple[_Section, ...]:
    return tuple(
        _section(kind, entry, f"{place}: {name}[{number}]")
        for number, entry in enumerate(_get(value, name, list, place))
    )


def _get(value: dict[str, JSON], name: str, kind: type | tuple[type, ...], place: str):  # type: ignore[no-untyped-def] # noqa: ANN202 - whatever *kind* says
    if name not in value:
        raise RecordError(f"{place}: {name!r} is missing; restore the file")
    item = value[name]
    if not isinstance(item, kind):
        raise RecordError(f"{place}: {name}: {item!r:.60} is of another type; restore the file")
    return item


def _cell(value: JSON, place: str) -> Cell:
    if not isinstance(value, dict):
        raise RecordError(f"{place}: is no object; restore the file")
    value = {"model": "", "request_id": "", **value}  # not there in a file of an earlier version
    for name, kind in _CELL_TYPES.items():
        _get(value, name, kind, place)
    for number, check in enumerate(_get(value, "checks", list, place)):
        for name, kind in _CHECK_TYPES.items():
            _get(check if isinstance(check, dict) else {}, name, kind, f"{place}: checks[{number}]")
    if value["verdict"] not in get_args(Word):
        raise RecordError(
            f"{place}: verdict: {value['verdict']!r:.60} is none of {', '.join(get_args(Word))}; "
            "restore the file"
        )
    try:
        return cell_from_json(value)
    except (KeyError, TypeError) as error:
        raise RecordError(f"{place}: is no cell ({error}); restore the file") from error


def _refuse_strangers(results: Results, place: str) -> None:
    columns = {column.name for column in results.columns}
    incidents = {incident.id for incident in results.incidents}
    seen = set()
    for cell in results.cells:
        key = cell.key
        if key.column not in columns or key.incident not in incidents or key in seen:
            raise RecordError(
                f"{place}: cells: {key.incident}::{key.column}::r{key.round} is there twice, or "
                "its incident or column is not listed; restore the file"
            )
        seen.add(key)


def _from_journal(path: Path) -> Results:
    record = read_journal(path)
    # A cell that was asked again after an interruption stands there twice; the last word counts.
    cells = {cell.key: cell_to_json(cell) for cell in record.answered}
    value: dict[str, JSON] = {
        **record.header,
        "cells": cast("list[JSON]", list(cells.values())),
        "moves": record.header.get("moves", []),
        "complete": len(cells) == record.header.get("planned"),
    }
    return results_from_json(value, str(path))


def _sections_of(
    results: Results, summary: Sequence[JSON], proof: str
) -> Iterator[tuple[str, str | bool | dict[str, JSON] | Iterable[JSON]]]:
    """Yield the sections of a results file; the cells, which may be many, one at a time."""
    for name, section in _head(results).items():
        yield name, cast("str | dict[str, JSON] | list[JSON]", section)
    yield "cells", map(cell_to_json, sorted(results.cells, key=lambda cell: cell.key))
    yield "controls", _controls(results)
    yield "summary", summary
    yield "proof", proof
    yield "moves", _moves(results)
    yield "first_contact", [_section_to_json(contact) for contact in results.first_contact]
    yield "complete", results.complete


def _render(
    sections: Iterable[tuple[str, str | bool | dict[str, JSON] | Iterable[JSON]]],
) -> Iterator[str]:
    """Yield the text in pieces, one entry a line: a diff of two runs shows which cells differ."""
    separator = "{\n"
    for name, section in sections:
        yield f"{separator} {_dump(name)}: "
        separator = ",\n"
        if isinstance(section, (str, dict, bool)):
            yield _dump(section)
            continue
        between, after = "[\n  ", "[]"
        for entry in section:
            yield between + _dump(entry)
            between, after = ",\n  ", "\n ]"
        yield after
    yield "\n}\n"


def _dump(value: JSON) -> str:
    # ASCII with escapes: even half a surrogate pair in a reply comes back as it was.
    return json.dumps(value, allow_nan=False)
