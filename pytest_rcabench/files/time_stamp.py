"""Reads an RFC 3161 time stamp: which hash it is about and when its authority says it was shown.

The signature is no matter of this module; `openssl ts` checks it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.incident import format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEQUENCE, _OCTETS, _OBJECT, _TIME = 0x30, 0x04, 0x06, 0x18
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_TIME_STAMP_INFO = bytes.fromhex("2a864886f70d0109100104")
_SHA256 = bytes.fromhex("608648016503040201")


@dataclass(frozen=True, slots=True)
class TimeStamp:
    """What a time stamp says: *sha256* of the stamped file, and the time, RFC 3339 in UTC.

    *is_token* tells a bare token from a whole response around one.
    """

    sha256: bytes
    at: str
    is_token: bool


def read_time_stamp(content: bytes, place: str) -> TimeStamp:
    """Return what the token or response in *content* (DER) says; *place* names it in errors.

    Raises: RecordError: if it is no time stamp, or one over another hash than sha256.

    Source: RFC 3161, sections 2.4.2 (TimeStampResp, TSTInfo), and RFC 5652, section 5 (SignedData).
    """
    try:
        first, *others = _items(_inside(_items(content), _SEQUENCE))
        is_token = first[0] == _OBJECT
        token = (first, *others) if is_token else tuple(_items(others[0][1]))
        if token[0] == (_OBJECT, _SIGNED_DATA):
            signed = _inside(_items(token[1][1]), _SEQUENCE)
            named, wrapped = _items(_inside(_items(signed), _SEQUENCE))
            if named == (_OBJECT, _TIME_STAMP_INFO):
                info = _inside(_items(_inside(_items(wrapped[1]), _OCTETS)), _SEQUENCE)
                return _stamp(tuple(_items(info)), is_token=is_token)
        what = "it is signed data of another kind"
    except (ValueError, IndexError) as error:
        what = str(error)
    raise RecordError(
        f"{place}: is no RFC 3161 time stamp of a sha256 ({what}); ask an authority for one with "
        "`openssl ts -query -sha256 -cert -data SEAL`"
    )


def _stamp(info: tuple[tuple[int, bytes], ...], *, is_token: bool) -> TimeStamp:
    algorithm, hashed = _items(info[2][1])
    if next(_items(algorithm[1])) != (_OBJECT, _SHA256):
        raise ValueError("it is over another hash")
    text = _inside(iter(info[4:]), _TIME).decode("ascii")
    at = datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return TimeStamp(hashed[1], format_time(at), is_token)


def _inside(items: Iterator[tuple[int, bytes]], kind: int) -> bytes:
    """Return the content of the first of *items* of *kind*. Raises: ValueError: if none is."""
    for tag, content in items:
        if tag == kind:
            return content
    raise ValueError("it has another shape")


def _items(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield tag and content of each DER item of *content*. Raises: ValueError: if one is cut."""
    at = 0
    while at < len(content):
        kind, length, at = content[at], content[at + 1], at + 2
        if length & 0x80:
            size = length & 0x7F
            length, at = int.from_bytes(content[at : at + size]), at + size
        if at + length > len(content):
            raise ValueError("it is cut off")
        yield kind, content[at : at + length]
        at += length
