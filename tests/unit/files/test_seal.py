"""Seals as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_rcabench.domain.errors import RecordError
from pytest_rcabench.domain.seal import Seal
from pytest_rcabench.files.seal import read_seal, record_witness, render_seal, witnesses_of

SEAL = Seal(
    date="2026-11-30T09:00:00Z",
    package="0.1.0",
    scorer="5" * 64,
    prompt="9" * 64,
    rounds=2,
    columns=(("gemini", "gemini", "gemini-3.6-flash"), ("sut", "my own # 'sut'", "")),
    incidents=(("connection-leak", "e" * 64, "7" * 64),),
)


def test_a_seal_comes_back_as_it_was(tmp_path: Path) -> None:
    """Whatever a provider is called, and without a model."""
    path = tmp_path / "a.seal"
    path.write_text(render_seal(SEAL))

    assert read_seal(path) == SEAL


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("# rcabench-seal/1", "# something", "is no seal; name a file written by"),
        ("rounds 2\n", "rounds two\n", "rounds is no number"),
        ("rounds 2\n", "", "rounds is missing"),
        ("rounds 2\n", "rounds 2\nrounds 3\n", r"line 9 \(rounds 3\) makes no sense"),
        ("column gemini gemini", "column gemini", r"line 9 .* makes no sense"),
        ("date", "'date", r"line 4 .* makes no sense"),
    ],
)
def test_what_was_damaged_is_named(tmp_path: Path, old: str, new: str, what: str) -> None:
    """Place, problem and remedy, in one line."""
    path = tmp_path / "a.seal"
    path.write_text(render_seal(SEAL).replace(old, new, 1))

    with pytest.raises(RecordError, match=what) as caught:
        read_seal(path)

    assert str(caught.value).startswith(f"{path}: ")


def test_a_missing_seal_is_told(tmp_path: Path) -> None:
    """No traceback for a wrong path."""
    with pytest.raises(RecordError, match="cannot be read: No such file"):
        read_seal(tmp_path / "none")


def test_witnesses_are_kept_once_each(tmp_path: Path) -> None:
    """The list beside the seal is one that sha256sum can check."""
    seal = tmp_path / "a.seal"
    for digest, source in (("aa", "one two.tsr"), ("bb", "tag:v1"), ("aa", "one two.tsr")):
        path = record_witness(seal, digest, source)

    assert path.read_text() == "aa  one two.tsr\nbb  tag:v1\n"
    assert witnesses_of(seal) == (("aa", "one two.tsr"), ("bb", "tag:v1"))
    assert witnesses_of(Path("none")) == ()
