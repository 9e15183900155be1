from __future__ import annotations

import re
import textwrap
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_rcabench.domain.incident import Window
from pytest_rcabench.files.incident_document import incident_json_schema
from pytest_rcabench.files.incident_yaml import read_incident_text
from pytest_rcabench.files.log_formats import FORMATS, parse_stream

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "incident-file.md").read_text("utf-8")
WHOLE = re.findall(r"(?s)```yaml\n(.*?)```", PAGE)[0]
CHANGES = re.findall(r"(?s)```yaml changes\n(.*?)```", PAGE)[0]
LAYOUTS = re.findall(r"(?m)^\| `([a-z-]+)` \| (printed|needed) \| `(.*)` \|$", PAGE)
WINDOW = Window(datetime(2026, 10, 7, 13, tzinfo=UTC), datetime(2026, 10, 7, 14, tzinfo=UTC))


def test_the_whole_file_of_the_page_is_read() -> None:
    """A user who copies the example has an incident."""
    incident = read_incident_text(WHOLE, "coupon-leak.yaml")

    assert incident.evidence.changes[0].files == ("src/CouponCheck.java",)
    assert len(incident.evidence.logs) == 3


def test_every_change_type_of_the_schema_has_an_example_that_is_read() -> None:
    """The page shows each type, with values that stay as they are written."""
    start = WHOLE.index("changes:\n") + len("changes:\n")
    end = WHOLE.index("alerts:\n")
    commit_of_the_distractor = WHOLE[WHOLE.index("  - type: commit\n    sha: 1a2b") : end]
    text = WHOLE[:start] + textwrap.indent(CHANGES, "  ") + commit_of_the_distractor + WHOLE[end:]
    changes = read_incident_text(text, "coupon-leak.yaml").evidence.changes

    known = [branch["$ref"] for branch in incident_json_schema()["$defs"]["change"]["oneOf"]]
    assert [f"#/$defs/{change.type}_change" for change in changes[:-1]] == known
    assert (changes[2].before, changes[2].after) == ("off", "on")
    assert changes[1].version == "2.10"


@pytest.mark.parametrize(("name", "zone", "line"), LAYOUTS, ids=lambda text: text[:16])
def test_the_line_of_every_layout_is_read(name: str, zone: str, line: str) -> None:
    """The table says which layouts print a zone, and shows a line that is one."""
    layout = FORMATS[name]
    parsed = parse_stream(line, layout, window=WINDOW, zone=UTC if layout.needs_zone else None)

    assert (zone == "needed") == layout.needs_zone
    assert (len(parsed.records), parsed.wrong) == (1, ())


def test_every_layout_and_every_key_is_on_the_page() -> None:
    """Nothing can be written that the page does not explain."""
    assert [name for name, _, _ in LAYOUTS] == list(FORMATS)

    def names(schema: object) -> set[str]:
        if isinstance(schema, list):
            return {name for item in schema for name in names(item)}
        if not isinstance(schema, dict):
            return set()
        own = set(schema.get("properties", ()))
        return own | {name for inner in schema.values() for name in names(inner)}

    assert {name for name in names(incident_json_schema()) if f"`{name}`" not in PAGE} == set()
