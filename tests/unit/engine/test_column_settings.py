"""What ``--rca-column`` says, read into checked values."""

from __future__ import annotations

import pytest

from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.engine.column_settings import (
    ColumnSettings,
    check_names,
    parse_column_settings,
)


def test_every_setting_is_read() -> None:
    """Counts are whole numbers, prices may have a fraction, a label any sign but a comma."""
    text = (
        "gemini: label=Flash 1.2: new, parallel=3, free=no, rpm=10, tpm=250000, rpd=20, "
        "max_tokens=9000, context=32768, effort=low, usd_in=0.5, usd_out=2"
    )

    assert parse_column_settings([text]) == {
        "gemini": ColumnSettings(
            label="Flash 1.2: new",
            parallel=3,
            free=False,
            rpm=10,
            tpm=250_000,
            rpd=20,
            max_tokens=9000,
            context=32_768,
            effort="low",
            usd_in=0.5,
            usd_out=2.0,
        )
    }


def test_a_later_setting_adds_to_an_earlier_one_and_beats_it() -> None:
    """As an ini file's line and a flag may."""
    settings = parse_column_settings(["a: rpm=1, rpd=2", "b: rpm=9", "a: rpm=3"])

    assert settings == {"a": ColumnSettings(rpm=3, rpd=2), "b": ColumnSettings(rpm=9)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gemini", 'is not "NAME: key=value, key=value"'),
        ("gemini: rpm", 'is not "NAME: key=value, key=value"'),
        ("gemini: rpm=1,", 'is not "NAME: key=value, key=value"'),
        ("gemini: speed=1", "unknown setting 'speed'; known: label, parallel, free, rpm"),
        ("gemini: rpm=0", "rpm=0 is not a whole number from 1 on"),
        ("gemini: rpm=1.5", "rpm=1.5 is not a whole number from 1 on"),
        ("gemini: tpm=²", "tpm=² is not a whole number from 1 on"),
        ("gemini: rpd=-1", "rpd=-1 is not a whole number from 1 on"),
        ("gemini: max_tokens=", "max_tokens= is not a whole number from 1 on"),
        ("gemini: usd_in=cheap, usd_out=1", "usd_in=cheap is no price in US dollars"),
        ("gemini: usd_in=1, usd_out=inf", "usd_out=inf is no price"),
        ("gemini: usd_in=nan, usd_out=1", "usd_in=nan is no price"),
        ("gemini: usd_in=-1, usd_out=1", "usd_in=-1 is no price"),
        ("mine: free=true", "free=true is neither yes nor no"),
        ("gemini: usd_in=1", "usd_in and usd_out go together"),
    ],
)
def test_a_setting_that_makes_no_sense_is_told(text: str, said: str) -> None:
    """With the column, and with what would make sense."""
    with pytest.raises(OptionError) as caught:
        parse_column_settings([text])

    assert said in str(caught.value)
    assert "--rca-column" in str(caught.value)


def test_a_free_model_has_a_price_of_zero() -> None:
    """A local model costs nothing, which is not unknown."""
    assert parse_column_settings(["local: usd_in=0, usd_out=0"])["local"].usd_in == 0.0


def test_settings_of_no_column_are_told() -> None:
    """A slip in a name would ask without its limits."""
    check_names(["a"], ["a", "b"])

    with pytest.raises(OptionError, match="'c': no such column; the columns are a, b"):
        check_names(["a", "c"], ["a", "b"])
