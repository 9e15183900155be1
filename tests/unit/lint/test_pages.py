"""The page about an incident says what happened and what misleads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rcabench.domain.incident import Examples, Fault, Healthy, Incident
from pytest_rcabench.lint.pages import INDEX, incident_page, pages, write_pages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_page_tells_the_story_of_a_fault(fair: Incident) -> None:
    """From the truth, the examples, the distractors and the controls."""
    page = incident_page(replace(fair, examples=Examples(("Connections leak",)), twin_of="pool"))

    for told in (
        "# Connections of orders leak\n",
        "`leak`, bad_deploy, easy, held_out, twin of [pool](pool.md).",
        "60 log records of 3 services, 2 metric series, 4 changes and 1 alerts.",
        "> Connections leak",
        "**orders** (or orders-1) and shows from 2026-10-07T13:30:00Z on. Victims: edge.",
        "The culprit is `c0ffee0c0f` “Check coupons” (orders), 50 minutes before the onset.",
        "- `beef1e0bee` “New colours” (edge): only colours.",
        "- slow pages: as old as the report.",
        "“pool is too small”.",
        "all but the cause by latest-deploy",
        "`rcabench canary 1f2e`",
    ):
        assert told in page


def test_a_window_without_a_culprit_says_so(fair: Incident) -> None:
    """And one without claims has no naive reader."""
    assert isinstance(fair.truth, Fault)
    page = incident_page(replace(fair, truth=replace(fair.truth, commits=(), must_not=())))

    assert "No commit is at fault." in page
    assert "naive" not in page


def test_a_healthy_window_says_so(fair: Incident) -> None:
    """Silence is right, and the page names the controls that are silent."""
    page = incident_page(replace(fair, truth=Healthy(), kind="healthy", distractors=()))

    assert "Nothing is wrong. The right answer opens no issue above info." in page
    assert "Nothing is planted." in page
    assert "right by silent" in page


def test_the_index_names_each_page(fair: Incident) -> None:
    """In the order of their ids, with their kinds counted."""
    made = pages([fair, replace(fair, id="again", twin_of="leak")])

    assert list(made) == [INDEX, "again.md", "leak.md"]
    assert "2 windows: 2 bad_deploy." in made[INDEX]
    assert (
        "| [again](again.md) | Connections of orders leak | bad_deploy | easy | leak |"
        in made[INDEX]
    )


def test_pages_of_incidents_that_are_gone_are_deleted(
    tmp_path: Path, write_incident: Callable[..., Path]
) -> None:
    """What is written is what there is."""
    write_incident(tmp_path / "incidents" / "held_out", "one")
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "gone.md").touch()
    write_pages(tmp_path / "incidents", folder)

    assert sorted(file.name for file in folder.iterdir()) == [INDEX, "one.md"]
