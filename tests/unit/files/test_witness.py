"""What witnesses of a seal are worth."""

from __future__ import annotations

import io
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest

from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.files.seal import record_witness
from pytest_rcabench.files.witness import digest_of_witness, hear, hear_recorded
from tests.conftest import git

DATA = Path(__file__).parents[2] / "data" / "time_stamp"
AUTHORITY = DATA / "authority.pem"


@pytest.fixture
def seal(tmp_path: Path) -> Path:
    """Return a seal in a folder with time stamps of it."""
    for file in DATA.iterdir():
        shutil.copy(file, tmp_path)
    return tmp_path / "rcabench.seal"


@pytest.mark.parametrize("name", ["response.tsr", "token.tst"])
def test_a_stamp_whose_signature_is_checked_is_a_witness(seal: Path, name: str) -> None:
    """The one clock that is not the author's and can be heard offline."""
    if shutil.which("openssl") is None:
        pytest.skip("the program openssl is missing, which checks signatures")
    heard = hear(seal, name, AUTHORITY)

    assert heard.word == "witnessed"
    assert "signed by an authority of authority.pem" in heard.why
    assert heard.at.startswith("2026-11-30T")


def test_a_stamp_whose_signature_nobody_checked_is_stated(
    seal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody can write a time stamp; without an authority or openssl it is no more than that."""
    unnamed = hear(seal, "response.tsr", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    unchecked = hear(seal, "response.tsr", AUTHORITY)

    assert (unnamed.word, unchecked.word) == ("stated", "stated")
    assert "for want of openssl" in unchecked.why


def test_a_stamp_that_the_authority_did_not_sign_is_stated(seal: Path) -> None:
    """A changed signature, or another authority's, is worth nothing more."""
    if shutil.which("openssl") is None:
        pytest.skip("the program openssl is missing, which checks signatures")
    stamp = seal.with_name("response.tsr")
    content = stamp.read_bytes()
    stamp.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    heard = hear(seal, "response.tsr", AUTHORITY)

    assert heard.word == "stated"
    assert "no authority of authority.pem signed that" in heard.why


def test_a_stamp_of_another_file_is_broken(seal: Path) -> None:
    """The hash in it is not that of this seal."""
    seal.write_text(seal.read_text() + "# one more round\n")

    assert hear(seal, "response.tsr", AUTHORITY).word == "broken"


def test_an_archive_that_carries_the_seal_states_it(seal: Path) -> None:
    """When it was uploaded only its index knows, so that is never better than stated."""
    content = seal.read_bytes()
    with zipfile.ZipFile(seal.with_name("a.whl"), "w") as wheel:
        wheel.writestr("a/rcabench.seal", content)
    with tarfile.open(seal.with_name("a.tar.gz"), "w:gz") as sdist:
        entry = tarfile.TarInfo("a/rcabench.seal")
        entry.size = len(content)
        sdist.addfile(entry, io.BytesIO(content))
    with zipfile.ZipFile(seal.with_name("b.whl"), "w") as other:
        other.writestr("a/rcabench.seal", content.replace(b"rounds 2", b"rounds 1"))
    heard = [hear(seal, name, None) for name in ("a.whl", "a.tar.gz", "b.whl")]

    assert [one.word for one in heard] == ["stated", "stated", "broken"]
    assert "its index knows, for the file of sha256" in heard[0].why


def test_a_tag_whose_commit_holds_the_seal_states_it(seal: Path) -> None:
    """A tag's date is its author's; when it was pushed only the host knows."""
    folder = seal.parent
    git(folder, "init", "-q")
    git(folder, "commit", "-qm", "empty", "--allow-empty")
    git(folder, "tag", "before")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Seal")
    git(folder, "tag", "-a", "-m", "sealed", "sealed")
    heard = hear(seal, "tag:sealed", None)

    assert (heard.word, hear(seal, "tag:before", None).word) == ("stated", "broken")
    assert "it is not signed" in heard.why
    with pytest.raises(RcabenchError, match="rev-parse"):
        digest_of_witness(seal, "tag:none")


def test_recorded_witnesses_are_heard_again(seal: Path) -> None:
    """One that changed is broken, one that is gone proves nothing."""
    for name in ("response.tsr", "token.tst", "sha512.tsr"):
        record_witness(seal, digest_of_witness(seal, name), name)
    seal.with_name("token.tst").write_bytes(b"another")
    seal.with_name("sha512.tsr").unlink()

    assert [one.word for one in hear_recorded(seal, None)] == ["stated", "broken", "unproved"]
