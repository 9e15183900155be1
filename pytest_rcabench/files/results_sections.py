"""The sections of a results file: every field is checked for its type before it becomes a value."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pytest_rcabench.domain.cell_json import cell_from_json
from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.first_contact import FirstContact
from pytest_rcabench.domain.run import (
    Cell,
    ColumnInfo,
    ControlVerdict,
    GitState,
    IncidentInfo,
    Move,
    RunInfo,
    Word,
)

if TYPE_CHECKING:
    from pytest_rcabench.domain.incident import JSON

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


def section_to_json(
    section: RunInfo | ColumnInfo | IncidentInfo | ControlVerdict | GitState | Move | FirstContact,
) -> dict[str, JSON]:
    """Return *section* as `read_section` takes it, its fields in the order of their class."""
    shown: dict[str, JSON] = {}
    for field in fields(section):
        value = getattr(section, field.name)
        if isinstance(value, GitState):
            value = section_to_json(value)
        shown[field.name] = list(value) if isinstance(value, tuple) else value
    return shown


def read_section(kind: type[_Section], value: JSON, place: str) -> _Section:
    """Return the section that *value* holds; *place* names it in errors.

    Raises: RecordError: if it is none, or a field is missing or of another type.
    """
    if not isinstance(value, dict):
        raise RecordError(f"{place}: is no object; restore the file")
    found: dict[str, object] = {}
    for field in fields(kind):
        if field.name in _LATER and field.name not in value:
            continue
        item = get_typed(value, field.name, _TYPES[str(field.type)], place)
        if isinstance(item, list):
            item = tuple(item)
        found[field.name] = (
            read_section(GitState, item, f"{place}.git") if field.type == "GitState" else item
        )
    return kind(**found)  # type: ignore[arg-type] # each value was checked against its field's type above


def read_sections(
    kind: type[_Section], value: dict[str, JSON], name: str, place: str
) -> tuple[_Section, ...]:
    """Return the sections in the list *name* of *value*. Raises: RecordError: as one does."""
    return tuple(
        read_section(kind, entry, f"{place}: {name}[{number}]")
        for number, entry in enumerate(get_typed(value, name, list, place))
    )


def get_typed(value: dict[str, JSON], name: str, kind: type | tuple[type, ...], place: str) -> Any:  # noqa: ANN401 - of *kind*
    """Return what *value* holds under *name*. Raises: RecordError: if it is no *kind*."""
    if name not in value:
        raise RecordError(f"{place}: {name!r} is missing; restore the file")
    item = value[name]
    if not isinstance(item, kind):
        raise RecordError(f"{place}: {name}: {item!r:.60} is of another type; restore the file")
    return item


def read_cell(value: JSON, place: str) -> Cell:
    """Return the cell that *value* holds. Raises: RecordError: if it is none, with its place."""
    if not isinstance(value, dict):
        raise RecordError(f"{place}: is no object; restore the file")
    value = {"model": "", "request_id": "", **value}  # not there in a file of an earlier version
    for name, kind in _CELL_TYPES.items():
        get_typed(value, name, kind, place)
    for number, check in enumerate(get_typed(value, "checks", list, place)):
        for name, kind in _CHECK_TYPES.items():
            get_typed(
                check if isinstance(check, dict) else {}, name, kind, f"{place}: checks[{number}]"
            )
    if value["verdict"] not in get_args(Word):
        raise RecordError(
            f"{place}: verdict: {value['verdict']!r:.60} is none of {', '.join(get_args(Word))}; "
            "restore the file"
        )
    try:
        return cell_from_json(value)
    except (KeyError, TypeError) as error:
        raise RecordError(f"{place}: is no cell ({error}); restore the file") from error
