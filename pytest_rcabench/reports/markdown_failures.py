"""What failed, in Markdown: one entry for each way of failing, as long as there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.reports.failure import (
    HEADLINES,
    IN_WORDS,
    answer_text,
    detail_of,
    fault_of,
    top_issue,
)
from pytest_rcabench.reports.figures import rounds_text
from pytest_rcabench.reports.grid import MARKS, build_grid, column_names
from pytest_rcabench.reports.markdown_text import block, inline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_rcabench.domain.incident import JSON
    from pytest_rcabench.domain.run import Cell, Results


class Detail(NamedTuple):
    """How much of an answer is shown: *longest* characters of a text, *most* entries of a list.

    With *merges*, rounds that failed the same checks are one entry whatever their answers say. With
    *is_line* an entry is one line, with the top issue if there is room for it.
    """

    longest: int
    most: int | None = None
    merges: bool = False
    is_line: bool = False


DETAILS = (
    Detail(4000),
    Detail(1000, 5),
    Detail(400, 3),
    Detail(400, 1, merges=True),
    Detail(200, 0, merges=True),
    Detail(160, 0, merges=True, is_line=True),
    Detail(0, 0, merges=True, is_line=True),
)


def failure_lines(runs: Sequence[Results], detail: Detail) -> Iterator[str]:
    """Yield every failure of *runs* under a heading for its incident, in the grid's order."""
    found: dict[str, list[tuple[str, list[Cell]]]] = {}
    for run, names in zip(runs, column_names(*runs), strict=True):
        for cells in _alike(run, detail):
            entry = (names[cells[0].key.column], cells)
            found.setdefault(cells[0].key.incident, []).append(entry)
    for row in build_grid(*runs).rows:
        if entries := found.pop(row.incident.id, []):
            yield from (f"### {inline(row.incident.title)} ({inline(row.incident.id)})", "")
            for name, cells in entries:
                yield from _entry(name, cells, detail)
            yield from ("",) if detail.is_line else ()


def _alike(run: Results, detail: Detail) -> Iterator[list[Cell]]:
    """Yield the failed cells of *run*, those of one column on one incident that fail alike."""
    groups: dict[object, list[Cell]] = {}
    for cell in run.cells:
        if cell.verdict in {"half", "wrong"}:
            failed = (_name(check) for check in cell.checks if check["passed"] is False)
            key = [cell.key.incident, cell.key.column, cell.verdict, cell.fault, *failed]
            if not detail.merges:
                key += [str(check["detail"]) for check in cell.checks]
                key.append(answer_text(cell, detail.longest, detail.most))
            groups.setdefault(tuple(key), []).append(cell)
    yield from groups.values()


def _entry(name: str, cells: Sequence[Cell], detail: Detail) -> Iterator[str]:
    cell = cells[0]
    failed = [check for check in cell.checks if check["passed"] is False]
    which = rounds_text(one.key.round for one in cells)
    entry = f"{MARKS[cell.verdict]} {inline(name)} · {which}"
    if detail.is_line:
        what = f"cannot be read ({cell.fault})" if cell.fault else ", ".join(map(_name, failed))
        said = inline(top_issue(cell), detail.longest) if detail.longest else ""
        yield f"- {entry}: {inline(what)}" + (f"; {said}" if said else "")
        return
    fault = ", the answer cannot be read" if cell.fault else ""
    yield f"**{entry}: {HEADLINES[cell.verdict]}{fault}**"
    yield ""
    reasons = [
        f"- {inline(_name(check))}: {IN_WORDS.get(_name(check), 'failed')}; "
        f"{inline(detail_of(check))}"
        for check in failed
    ]
    if cell.fault:  # which every check repeats
        reasons = [f"- {inline(fault_of(cell))}"]
    if cell.right_cause_ranked is not None and cell.right_cause_ranked > 1:
        reasons.append(f"- The right root cause stood at place {cell.right_cause_ranked}.")
    yield from ([*reasons, ""] if reasons else [])
    others = len({answer_text(one) for one in cells}) > 1
    shown = f"The answer of round {cell.key.round}; others differ" if others else "The answer"
    yield from (f"<details><summary>{shown}</summary>", "")
    yield block(answer_text(cell, detail.longest, detail.most))
    yield from ("", "</details>", "")


def _name(check: dict[str, JSON]) -> str:
    return str(check["name"])
