"""The two pages on models say what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_rcabench.engine.models import DEFAULT_MODELS, EFFORTS
from pytest_rcabench.engine.models.access import check_base_url, check_model

DOCS = Path(__file__).parents[4] / "docs"
HOW_TO = (DOCS / "how-to/ask-a-model.md").read_text(encoding="utf-8")
REFERENCE = (DOCS / "reference/models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [HOW_TO, REFERENCE], ids=["how-to", "reference"])
def test_both_pages_name_the_default_models(page: str) -> None:
    """A default that changes is a change of the pages."""
    assert [model for model in DEFAULT_MODELS.values() if f"`{model}`" not in page] == []


@pytest.mark.parametrize("provider", EFFORTS)
def test_the_reference_lists_the_efforts_in_order(provider: str) -> None:
    """They are the words of `--rca-column`."""
    assert ", ".join(f"`{word}`" for word in EFFORTS[provider]) in REFERENCE


def test_the_addresses_and_models_of_local_servers_are_taken_as_they_stand() -> None:
    """Whoever copies them is not refused."""
    rows = [line.split("|") for line in HOW_TO.splitlines() if line.count("|") == 4]
    addresses = [cells[2].strip(" `") for cells in rows if "http" in cells[2]]
    specs = [part for line in HOW_TO.split() if (part := line.partition("claude:")[2])]
    assert len(addresses) == 4
    assert "qwen3:8b" in specs

    for address in addresses:
        assert check_base_url({"URL": address}, "URL", "") == address
    for model in specs:
        check_model("claude", model.rstrip("`"))
