"""The reports that a run leaves as files, beside its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rcabench.files.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rcabench.domain.run import Results, RunKey
    from pytest_rcabench.engine.schedule import Planned
    from pytest_rcabench.plugin.run import Run
    from pytest_rcabench.reports.comparison import Comparison


def write_reports(
    results: Results,
    run: Run,
    plan: Mapping[RunKey, Planned],
    comparison: Comparison | None = None,
) -> None:
    """Write the reports on *plan* that were asked for. Raises: RecordError: if the disk refuses."""
    settings = run.settings
    if settings.markdown:
        from pytest_rcabench.reports.comparison_text import (  # noqa: PLC0415 - start-up time
            render_comparison,
        )
        from pytest_rcabench.reports.markdown import (  # noqa: PLC0415 - start-up time
            LONGEST,
            render_markdown,
        )

        # What changed may have half of the room, which both together keep to.
        against = f"\n{render_comparison(comparison, LONGEST // 2)}" if comparison else ""
        report = render_markdown(results, longest=LONGEST - len(against.encode()))
        write_whole(settings.markdown, report + against)
    if settings.html:
        # It needs jinja2, which a run without it must not.
        from pytest_rcabench.reports.html.page import render_html  # noqa: PLC0415

        paths = {planned.key.incident: planned.path for planned in plan.values()}
        incidents = {name: run.shelf.take(path) for name, path in paths.items()}
        page = render_html(results, incidents=incidents, comparison=comparison)
        write_whole(settings.html, page)
