"""Hears the witnesses of a seal: what each shows without a network, and what it leaves unshown."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
import zipfile
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import RcabenchError, RecordError
from pytest_rcabench.domain.proof import Hearing
from pytest_rcabench.files.git import ask_git, blob_id, blobs_in
from pytest_rcabench.files.seal import seal_hash, witnesses_of
from pytest_rcabench.files.time_stamp import read_time_stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TAG = "tag:"
_DEADLINE_S = 30


def digest_of_witness(seal: Path, source: str) -> str:
    """Return what names the witness *source*: a file's sha256, or the id of the tag after ``tag:``.

    Raises: RcabenchError: if there is no such file (seen from the seal's folder) or tag.
    """
    if source.startswith(_TAG):
        name = f"refs/tags/{source.removeprefix(_TAG)}"
        return os.fsdecode(ask_git(seal.parent, "rev-parse", "--verify", "-q", name)).strip()
    try:
        with (seal.parent / source).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RecordError(
            f"{seal.parent / source}: cannot be read: {error.strerror}; name a time stamp, a wheel "
            "or sdist, or tag:NAME"
        ) from error


def hear(seal: Path, source: str, authority: Path | None) -> Hearing:
    """Return what the witness *source* shows of *seal*, named as for `digest_of_witness`.

    *authority* holds the certificates (PEM) of a time stamp authority that the reader trusts.

    Raises: RcabenchError: if *source* cannot be read, or is nothing that can witness.
    """
    if source.startswith(_TAG):
        return _tag(seal, source.removeprefix(_TAG))
    path = seal.parent / source
    if zipfile.is_zipfile(path) or tarfile.is_tarfile(path):
        return _archive(seal, path)
    return _time_stamp(seal, path, authority)


def hear_recorded(seal: Path, authority: Path | None) -> Iterator[Hearing]:
    """Yield what each recorded witness of *seal* shows now."""
    for digest, source in witnesses_of(seal):
        try:
            if digest_of_witness(seal, source) != digest:
                yield Hearing("broken", f"{source}: is not what was recorded")
            else:
                yield hear(seal, source, authority)
        except RcabenchError as error:
            yield Hearing("unproved", str(error).partition("\n")[0])


def _tag(seal: Path, name: str) -> Hearing:
    ref = f"refs/tags/{name}"
    found = blobs_in(seal.parent, f"{ref}^{{commit}}")
    if blob_id(seal.parent, seal.read_bytes()) not in found.values():
        return Hearing("broken", f"tag {name}: its commit does not hold this seal")
    kind = ask_git(seal.parent, "cat-file", "-t", ref).strip()
    signed = kind == b"tag" and b"\n-----BEGIN " in ask_git(seal.parent, "cat-file", "tag", ref)
    about = f"is signed (`git verify-tag {name}` says by whom)" if signed else "is not signed"
    why = f"tag {name}: its commit holds this seal, and it {about}"
    return Hearing("stated", f"{why}; when it was pushed, its host knows")


def _archive(seal: Path, path: Path) -> Hearing:
    content = seal.read_bytes()
    if content not in _alike(path, len(content)):
        return Hearing("broken", f"{path.name}: does not carry this seal")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    why = (
        f"{path.name}: carries this seal; when it was uploaded, its index knows, for the file of "
        f"sha256 {digest}"
    )
    return Hearing("stated", why)


def _alike(path: Path, size: int) -> Iterator[bytes]:
    """Yield the files of *size* bytes in an archive; no other is unpacked."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if entry.file_size == size:
                    yield archive.read(entry)
        return
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.size == size else None
            if file:
                yield file.read()


def _time_stamp(seal: Path, path: Path, authority: Path | None) -> Hearing:
    stamp = read_time_stamp(path.read_bytes(), str(path))
    if stamp.sha256 != seal_hash(seal):
        return Hearing("broken", f"{path.name}: is the time stamp of another file")
    said = f"{path.name}: its authority says it was shown this seal by {stamp.at}"
    openssl = shutil.which("openssl")
    if authority is None or openssl is None:
        missing = "certificates of an authority you trust (--ca FILE)" if openssl else "openssl"
        why = f"{said}; its signature was not checked, for want of {missing}"
        return Hearing("stated", why, stamp.at)
    checked = subprocess.run(
        [
            *(openssl, "ts", "-verify", "-in", str(path.resolve())),
            *("-data", str(seal.resolve()), "-CAfile", str(authority.resolve())),
            *(["-token_in"] if stamp.is_token else []),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_DEADLINE_S,
        check=False,
    )
    if checked.returncode:
        why = f"{said}; no authority of {authority.name} signed that"
        return Hearing("stated", why, stamp.at)
    return Hearing("witnessed", f"{said}, signed by an authority of {authority.name}", stamp.at)
