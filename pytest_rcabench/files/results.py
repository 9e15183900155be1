"""Results files: the JSON of one finished run, `rcabench-results/1`, read and written."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, cast

from pytest_rcabench.domain.cell_json import cell_to_json
from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.first_contact import FirstContact
from pytest_rcabench.domain.run import (
    ColumnInfo,
    ControlVerdict,
    IncidentInfo,
    Move,
    Results,
    RunInfo,
)
from pytest_rcabench.files.journal import JOURNAL_NAME, read_journal
from pytest_rcabench.files.results_sections import (
    get_typed,
    read_cell,
    read_section,
    read_sections,
    section_to_json,
)
from pytest_rcabench.files.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import RunKey

SCHEMA = "rcabench-results/1"
RESULTS_NAME = "results.json"


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
    cells = sorted(map(str, plan))
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
    return read_section(RunInfo, get_typed(header, "run", dict, "journal"), "journal: run")


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
    columns = read_sections(ColumnInfo, value, "columns", place)
    incidents = read_sections(IncidentInfo, value, "incidents", place)
    results = Results(
        run=read_section(RunInfo, get_typed(value, "run", dict, place), f"{place}: run"),
        scorer_digest=get_typed(
            get_typed(value, "scorer", dict, place), "digest", str, f"{place}: scorer"
        ),
        prompt_digest=get_typed(
            get_typed(value, "prompt", dict, place), "digest", str, f"{place}: prompt"
        ),
        columns=columns,
        incidents=incidents,
        cells=tuple(
            sorted(
                (
                    read_cell(entry, f"{place}: cells[{number}]")
                    for number, entry in enumerate(get_typed(value, "cells", list, place))
                ),
                key=lambda cell: cell.key,
            )
        ),
        controls=read_sections(ControlVerdict, value, "controls", place),
        moves=read_sections(Move, value, "moves", place),
        first_contact=read_sections(
            FirstContact, {"first_contact": [], **value}, "first_contact", place
        ),
        complete=get_typed(value, "complete", bool, place),
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
        "run": section_to_json(results.run),
        "scorer": {"digest": results.scorer_digest},
        "prompt": {"digest": results.prompt_digest},
        "columns": [section_to_json(column) for column in results.columns],
        "incidents": [section_to_json(incident) for incident in results.incidents],
    }


def _controls(results: Results) -> list[JSON]:
    return [section_to_json(control) for control in results.controls]


def _moves(results: Results) -> list[JSON]:
    return [section_to_json(move) for move in results.moves]


def _refuse_strangers(results: Results, place: str) -> None:
    columns = {column.name for column in results.columns}
    incidents = {incident.id for incident in results.incidents}
    seen = set()
    for cell in results.cells:
        key = cell.key
        if key.column not in columns or key.incident not in incidents or key in seen:
            raise RecordError(
                f"{place}: cells: {key} is there twice, or "
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
    yield "first_contact", [section_to_json(contact) for contact in results.first_contact]
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
