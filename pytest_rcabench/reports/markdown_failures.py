"""What failed, in Markdown: one entry for each way of failing, as long as there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_rcabench.reports.failure import HEADLINES, IN_WORDS, answer_text, detail_of
from pytest_rcabench.reports.figures import rounds_text
from pytest_rcabench.reports.grid import MARKS, build_grid, column_names
from pytest_rcabench.reports.markdown_text import block, in_html, inline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_rcabench.domain.run import Cell, Results


class Detail(NamedTuple):
    """How much of an answer is shown: *longest* characters of a text, *most* entries of a list.

    With *merges*, rounds that failed the same checks are one entry whatever their answers say.
    """

    longest: int
    most: int | None = None
    merges: bool = False


DETAILS = (
    Detail(4000),
    Detail(1000, 5),
    Detail(400, 3),
    Detail(400, 1, merges=True),
    Detail(200, 0, merges=True),
    Detail(0, 0, merges=True),
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
            yield from () if detail.longest else ("",)


def _alike(run: Results, detail: Detail) -> Iterator[list[Cell]]:
    """Yield the failed cells of *run*, those of one column on one incident that fail alike."""
    groups: dict[object, list[Cell]] = {}
    for cell in run.cells:
        if cell.verdict in {"half", "wrong"}:
            failed = [str(check["name"]) for check in cell.checks if check["passed"] is False]
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
    if not detail.longest:
        what = (
            f"cannot be read ({cell.fault})"
            if cell.fault
            else ", ".join(str(check["name"]) for check in failed)
        )
        yield f"- {MARKS[cell.verdict]} {inline(name)} · {which}: {inline(what)}"
        return
    fault = ", the answer cannot be read" if cell.fault else ""
    yield f"**{MARKS[cell.verdict]} {inline(name)} · {which}: {HEADLINES[cell.verdict]}{fault}**"
    yield ""
    # Where the answer cannot be read, every check says just that.
    reasons = [
        f"- {inline(str(check['name']))}: {IN_WORDS.get(str(check['name']), 'failed')}; "
        f"{inline(detail_of(check))}"
        for check in ([] if cell.fault else failed)
    ]
    if cell.right_cause_ranked is not None and cell.right_cause_ranked > 1:
        reasons.append(f"- The right root cause stood at place {cell.right_cause_ranked}.")
    yield from ([*reasons, ""] if reasons else [])
    others = len({answer_text(one) for one in cells}) > 1
    shown = f"The answer of round {cell.key.round}; others differ" if others else "The answer"
    yield from (f"<details><summary>{in_html(shown)}</summary>", "")
    yield block(answer_text(cell, detail.longest, detail.most))
    yield from ("", "</details>", "")
