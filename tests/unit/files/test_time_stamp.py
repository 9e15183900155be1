"""Time stamps."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.files.time_stamp import read_time_stamp

DATA = Path(__file__).parents[2] / "data" / "time_stamp"
HASH = hashlib.sha256((DATA / "rcabench.seal").read_bytes()).digest()


@pytest.mark.parametrize(("name", "is_token"), [("response.tsr", False), ("token.tst", True)])
def test_a_stamp_tells_hash_and_time(name: str, *, is_token: bool) -> None:
    """The response of an authority and the token in it say the same."""
    stamp = read_time_stamp((DATA / name).read_bytes(), name)

    assert (stamp.sha256, stamp.is_token) == (HASH, is_token)
    assert stamp.at.startswith("2026-11-30T")


@pytest.mark.parametrize("size", [0, 1, 2, 5, 30, 60, 120, 200, 300])
def test_a_stamp_that_is_cut_off_is_refused_with_a_remedy(size: int) -> None:
    """No length that a file claims is believed."""
    content = (DATA / "response.tsr").read_bytes()[:size]

    with pytest.raises(RecordError, match=r"^cut: is no RFC 3161 time stamp .*; ask an authority"):
        read_time_stamp(content, "cut")


def test_every_byte_may_be_wrong() -> None:
    """Damage anywhere is an error with its place, or another hash or time; never a crash."""
    content = (DATA / "token.tst").read_bytes()
    told = set[bool | None]()
    for at in range(len(content)):
        damaged = content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]
        try:
            told.add(read_time_stamp(damaged, "damaged").sha256 == HASH)
        except RecordError:
            told.add(None)

    assert told == {True, False, None}


@pytest.mark.parametrize("name", ["sha512.tsr", "authority.pem", "rcabench.seal"])
def test_what_is_no_stamp_of_a_sha256_is_refused(name: str) -> None:
    """Another hash, a certificate or a text cannot witness a seal."""
    with pytest.raises(RecordError, match="is no RFC 3161 time stamp of a sha256"):
        read_time_stamp((DATA / name).read_bytes(), name)
