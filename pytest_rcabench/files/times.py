"""Times and UTC offsets as text -> aware UTC datetimes. No zone is ever assumed.

Source: RFC 3339, section 5.6.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

# Other centuries are typing errors, and arithmetic near the year 1 or 9999 overflows.
_RFC3339 = re.compile(
    r"(?:19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
    r"(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_OFFSET = re.compile(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])")
_HOUR = slice(11, 13)


def read_time(text: str) -> datetime:
    """Return the instant that the RFC 3339 time *text* names, in UTC.

    A fraction is cut after six digits; a leap second is the last microsecond of its day.

    Raises:
        ValueError: if *text* is no such time or has no zone, in words for the author of the file.
    """
    if not _RFC3339.fullmatch(text):
        raise ValueError(f"{text!r} is no RFC 3339 time; write it like 2026-10-07T13:00:00Z")
    return to_utc(text.upper())


def to_utc(text: str, zone: timezone | None = None) -> datetime:
    """Return the ISO 8601 time *text* in UTC; *zone* is the offset of a text that prints none.

    Raises:
        ValueError: if there is no such time, or no zone to read it in.
    """
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return _leap_second(text, zone)
    if text[_HOUR] == "24":  # Python 3.13 takes it for the next day, earlier ones do not take it
        raise _no_such_time(text)
    if time.tzinfo is None:
        if zone is None:
            raise ValueError(f"{text!r} has no zone; end it in Z or an offset such as +02:00")
        time = time.replace(tzinfo=zone)
    return time if time.tzinfo is UTC else time.astimezone(UTC)


def _leap_second(text: str, zone: timezone | None) -> datetime:
    second_before = re.sub(r"(:[0-9]{2}):60", r"\1:59", text, count=1)
    if second_before == text:
        raise _no_such_time(text)
    time = to_utc(second_before, zone)
    if (time.hour, time.minute) != (23, 59):
        raise _no_such_time(text)
    return time.replace(microsecond=999_999)


def _no_such_time(text: str) -> ValueError:
    return ValueError(f"{text!r} is a time that does not exist; correct the date or the clock")


def read_offset(text: str) -> timezone:
    """Return the UTC offset that *text* names, such as ``+00:00`` or ``-03:30``.

    Raises:
        ValueError: if it is written in another way.
    """
    found = _OFFSET.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is no UTC offset; write it like +00:00 or -03:30")
    offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
    return timezone(-offset if found[1] == "-" else offset)
