"""Times and UTC offsets as text -> aware UTC datetimes. RFC 3339 and nothing else: no zone is ever assumed.

Source: RFC 3339, section 5.6.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_RFC3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ](?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
    r"(?P<zone>[Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_OFFSET = re.compile(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])")
_LAST_SECOND = (23, 59, 59)
_EXAMPLE = "write it like 2026-10-07T13:00:00Z"


def read_time(text: str) -> datetime:
    """Return the instant that *text* names, in UTC.

    A fraction is cut after six digits; a leap second is the last microsecond of its day.

    Raises:
        ValueError: if *text* is no RFC 3339 time with a zone, in words for the author of the file.
    """
    found = _RFC3339.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is no RFC 3339 time; {_EXAMPLE}")
    if not found["zone"]:
        raise ValueError(f"{text!r} has no zone; end it in Z or an offset such as +02:00")
    return to_utc(text)


def to_utc(text: str, zone: timezone | None = None) -> datetime:
    """Return the ISO 8601 time *text* in UTC; *zone* is the offset of a text that prints none.

    Raises:
        ValueError: if there is no such time, or no zone to read it in.
    """
    try:
        time = datetime.fromisoformat(text.upper())
        if time.tzinfo is None:
            if zone is None:
                raise ValueError("no zone")
            time = time.replace(tzinfo=zone)
        return time.astimezone(UTC)
    except (ValueError, OverflowError):
        if ":60" in text:
            return _leap_second(text, zone)
        if zone is None and _is_naive(text):
            raise ValueError(
                f"{text!r} has no zone; a time without one is never taken for UTC"
            ) from None
        raise ValueError(f"{text!r} is a time that no clock shows; {_EXAMPLE}") from None


def _leap_second(text: str, zone: timezone | None) -> datetime:
    time = to_utc(text.replace(":60", ":59", 1), zone)
    if (time.hour, time.minute, time.second) != _LAST_SECOND:
        raise ValueError(f"{text!r} has a 60th second that is no leap second; {_EXAMPLE}")
    return time.replace(microsecond=999_999)


def _is_naive(text: str) -> bool:
    try:
        return datetime.fromisoformat(text.upper()).tzinfo is None
    except ValueError:
        return False


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
