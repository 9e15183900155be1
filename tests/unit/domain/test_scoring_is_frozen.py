"""The digest that says which scorer gave a verdict."""

from __future__ import annotations

from importlib import resources

import pytest

from pytest_rcabench.domain.scoring import FROZEN_MODULES, digest_of, scorer_digest

# Frozen with the eleven incidents and before any model was asked. A change here is a decision that
# voids every comparison with earlier verdicts; the changelog must say why.
FROZEN_DIGEST = "e99ec2ceba515b90c4edd290a13b4cf728aaaf8994907c3430d6cd0bed2dbee6"


def sources() -> dict[str, bytes]:
    """Return the scorer's own source."""
    folder = resources.files("pytest_rcabench.domain")
    return {name: folder.joinpath(name).read_bytes() for name in FROZEN_MODULES}


def test_the_scorer_is_the_one_that_was_frozen() -> None:
    """No incident is judged by a changed scorer."""
    assert scorer_digest() == FROZEN_DIGEST


def test_the_digest_is_that_of_the_source_at_hand() -> None:
    """64 hex digits, the same for every call."""
    assert scorer_digest() == digest_of(sources()) == scorer_digest()
    assert len(bytes.fromhex(scorer_digest())) == 32


@pytest.mark.parametrize("name", FROZEN_MODULES)
def test_the_digest_changes_with_any_module(name: str) -> None:
    """No step from reply to verdict can change unnoticed."""
    changed = {**sources(), name: sources()[name] + b"# changed\n"}

    assert digest_of(changed) != scorer_digest()


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"])
def test_line_ends_change_nothing(line_end: bytes) -> None:
    """A checkout on Windows is the same scorer."""
    assert (
        digest_of({name: text.replace(b"\n", line_end) for name, text in sources().items()})
        == scorer_digest()
    )


def test_text_that_moves_to_another_module_is_a_change() -> None:
    """The digest is of modules, not of one long text."""
    assert digest_of({"a": b"12", "b": b"3"}) != digest_of({"a": b"1", "b": b"23"})


def test_every_module_the_scorer_reads_is_in_the_digest() -> None:
    """A new step from reply to verdict must be added to the list."""
    imported = {
        line.split()[1].rpartition(".")[2] + ".py"
        for source in sources().values()
        for line in source.decode().splitlines()
        if line.startswith("from pytest_rcabench.domain.")
    }

    assert imported - {"incident.py"} <= set(FROZEN_MODULES)
