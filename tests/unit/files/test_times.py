from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pytest_rcabench.files.times import read_offset, read_time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-10-07T13:00:04Z", datetime(2026, 10, 7, 13, 0, 4, tzinfo=UTC)),
        ("2026-10-07 15:00:04.5+02:00", datetime(2026, 10, 7, 13, 0, 4, 500_000, UTC)),
        ("2026-10-07t13:00:04z", datetime(2026, 10, 7, 13, 0, 4, tzinfo=UTC)),
        ("2026-10-07T13:00:59.9999999Z", datetime(2026, 10, 7, 13, 0, 59, 999_999, UTC)),
        ("2016-12-31T23:59:60.5Z", datetime(2016, 12, 31, 23, 59, 59, 999_999, UTC)),
        ("2017-01-01T00:59:60+01:00", datetime(2016, 12, 31, 23, 59, 59, 999_999, UTC)),
    ],
)
def test_a_time_is_read_in_utc(text: str, time: datetime) -> None:
    """Zones are converted, digits after the sixth are cut and never rounded up to 60 (D29)."""
    assert read_time(text) == time
    assert read_time(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    ["2026-10-07", "13:00", "1759842004", "2026-10-07T13:00Z", "2026-10-07T13:00:04,5Z", "now"],
)
def test_any_other_way_of_writing_a_time_is_refused(text: str) -> None:
    """One form is right, and the problem shows it."""
    with pytest.raises(ValueError, match="write it like 2026-10-07T13:00:00Z"):
        read_time(text)


@pytest.mark.parametrize("text", ["2026-10-07T13:60:60Z", "2026-10-07T23:59:60+00:60"])
def test_a_sixtieth_second_does_not_excuse_another_mistake(text: str) -> None:
    """Only a leap second is one."""
    with pytest.raises(ValueError, match="does not exist"):
        read_time(text)


@pytest.mark.parametrize(
    ("text", "minutes"), [("+00:00", 0), ("-03:30", -210), ("+14:00", 840), ("-00:00", 0)]
)
def test_an_offset_is_hours_and_minutes(text: str, minutes: int) -> None:
    """Half hours and both signs count."""
    assert read_offset(text).utcoffset(None) == timedelta(minutes=minutes)


@pytest.mark.parametrize("text", ["Z", "UTC", "+2", "+0200", "+24:00", "\N{MINUS SIGN}02:00"])
def test_any_other_way_of_writing_an_offset_is_refused(text: str) -> None:
    """A name such as CET means several offsets."""
    with pytest.raises(ValueError, match="write it like"):
        read_offset(text)
