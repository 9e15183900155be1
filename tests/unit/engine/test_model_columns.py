"""Columns that ask a model share limits and money, and are checked before anything runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.column_settings import ColumnSettings
from pytest_rcabench.engine.model_columns import ModelColumns, day_zone, default_name
from pytest_rcabench.engine.pacing import Ceiling

ENVIRON = {"GEMINI_API_KEY": "key", "ANTHROPIC_API_KEY": "key"}


@pytest.fixture
def columns() -> ModelColumns:
    """Return the maker of a run without a ceiling."""
    return ModelColumns(ENVIRON, Ceiling(None), 300.0)


def test_columns_of_one_model_share_its_limits(columns: ModelColumns) -> None:
    """The quota is the key's; another model has its own."""
    first = columns.analyzer("a", "gemini", "", ColumnSettings(rpm=5))
    second = columns.analyzer("b", "gemini", "", ColumnSettings(effort="low"))
    other = columns.analyzer("c", "claude", "", ColumnSettings())

    assert first.pacer is second.pacer
    assert other.pacer is not first.pacer
    assert first.pacer.limits.rpm == 5


def test_the_order_of_columns_does_not_matter_for_their_limits(columns: ModelColumns) -> None:
    """The quota may be declared for the second of them."""
    first = columns.analyzer("a", "gemini", "", ColumnSettings())
    second = columns.analyzer("b", "gemini", "", ColumnSettings(rpd=20))

    assert first.pacer is second.pacer
    assert first.pacer.limits.rpd == 20


def test_limits_that_contradict_each_other_are_told(columns: ModelColumns) -> None:
    """With the column that had others first."""
    columns.analyzer("a", "gemini", "", ColumnSettings(rpm=5))

    with pytest.raises(OptionError, match="'b': 'a' asks the same model and so has the same rpm"):
        columns.analyzer("b", "gemini", "", ColumnSettings(rpm=6))


def test_an_effort_that_a_vendor_does_not_know_is_told(columns: ModelColumns) -> None:
    """Each has words of its own."""
    with pytest.raises(
        OptionError, match="effort=minimal is unknown to claude; known: low, medium"
    ):
        columns.analyzer("a", "claude", "", ColumnSettings(effort="minimal"))


def test_a_missing_key_is_told_before_anything_runs() -> None:
    """With the variable to set."""
    with pytest.raises(OptionError, match="no key: set ANTHROPIC_API_KEY"):
        ModelColumns({}, Ceiling(None), 1.0).analyzer("a", "claude", "", ColumnSettings())


def test_a_ceiling_wants_a_price_that_somebody_knows() -> None:
    """Told with the remedy; a price in the settings, or in the table, will do."""
    columns = ModelColumns(ENVIRON, Ceiling(1.0), 300.0)
    columns.analyzer("a", "claude", "", ColumnSettings())
    columns.analyzer("b", "claude", "mine", ColumnSettings(usd_in=1.0, usd_out=2.0))

    with pytest.raises(OptionError, match=r'price of mine; say it: --rca-column "c: usd_in=…'):
        columns.analyzer("c", "claude", "mine", ColumnSettings())


def test_what_decides_about_requests_is_told(columns: ModelColumns) -> None:
    """For the record: a run with other settings is another run."""
    analyzer = columns.analyzer("a", "claude", "", ColumnSettings(effort="high", max_tokens=99))

    assert analyzer.settings == {
        "to": "https://api.anthropic.com",
        "max_tokens": 99,
        "prompt_tokens": 150_000,
        "effort": "high",
    }


@pytest.mark.parametrize(
    ("settings", "prompt", "answer"),
    [
        (ColumnSettings(), 150_000, 16_384),
        (ColumnSettings(context=8_192), 6_144, 2_048),
        (ColumnSettings(context=8_192, max_tokens=1_000), 7_192, 1_000),
        (ColumnSettings(context=1_000_000), 983_616, 16_384),
    ],
)
def test_a_context_is_shared_by_prompt_and_answer(
    columns: ModelColumns, settings: ColumnSettings, prompt: int, answer: int
) -> None:
    """An answer gets a quarter of it, and no more than it has without one."""
    analyzer = columns.analyzer("a", "claude", "", settings)

    assert analyzer.settings["prompt_tokens"] == prompt
    assert analyzer.settings["max_tokens"] == answer


def test_a_context_that_holds_no_question_is_told(columns: ModelColumns) -> None:
    """With what takes the room."""
    with pytest.raises(OptionError, match="context=5000 less 1250 for the answer leaves no room"):
        columns.analyzer("a", "claude", "", ColumnSettings(context=5_000))


def test_a_day_of_gemini_ends_at_midnight_in_california() -> None:
    """And everybody else's in Greenwich."""
    noon = datetime(2026, 7, 1, 12, tzinfo=UTC)

    assert noon.astimezone(day_zone("gemini")).utcoffset() == timedelta(hours=-7)
    assert noon.astimezone(day_zone("claude")).utcoffset() == timedelta(0)


def test_the_providers_of_models_are_those_with_a_model_of_their_own() -> None:
    """An empty name says that a provider is none of them."""
    assert [default_name(name) for name in ("gemini", "claude", "control")] == [
        "gemini-3.6-flash",
        "claude-sonnet-5",
        "",
    ]
