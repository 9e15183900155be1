"""``rcabench verify``: how well each claim about a run, or about incidents alone, is proved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest_rcabench
from pytest_rcabench.cli.status import FINE, FOUND
from pytest_rcabench.cli.verify_repository import Repository
from pytest_rcabench.cli.verify_run import RunProof, claims_of_seals, commands_of_all
from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.files.git import ask_git
from pytest_rcabench.files.results import read_results
from pytest_rcabench.files.seal import SEAL_NAME
from pytest_rcabench.reports.figures import counted
from pytest_rcabench.reports.proof import WRITTEN_WITH_IT, held_out_line
from pytest_rcabench.reports.safe_text import one_line, printable
from pytest_rcabench.version import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Container, Iterable, Sequence

    from pytest_rcabench.domain.proof import Claim
    from pytest_rcabench.domain.run import IncidentInfo

_UNSEEN = """\
No program can see from here: runs that were made and never published, answers given before the
files that hold them, times that were forged without contradiction, a history that was rewritten
as a whole before anybody had a copy. docs/explanation/honesty.md says more."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "results",
        type=Path,
        nargs="*",
        metavar="RESULTS",
        help="files of --rca-json or folders of runs; none: the incidents of the repository",
    )
    parser.add_argument(
        "--repository", type=Path, default=Path(), metavar="DIR", help="default: this folder"
    )
    parser.add_argument(
        "--seal",
        type=Path,
        metavar="FILE",
        help=f"hold all RESULTS against this one; default: the {SEAL_NAME} of each run's commit",
    )
    parser.add_argument(
        "--ca", type=Path, metavar="FILE", help="certificates (PEM) of a time stamp authority"
    )


def run(given: argparse.Namespace) -> int:
    """Print each claim with its word; a broken one is a finding. Raises: RcabenchError."""
    if not given.repository.is_dir():
        raise OptionError(
            f"{given.repository}: no such folder; name that of the repository: --repository"
        )
    runs = sorted(map(read_results, given.results), key=lambda results: results.run.started)
    repository = Repository(given.repository, given.seal)
    top = repository.history.top if repository.history else None
    for note in (*_about_program(top), *_replacements(top)):
        print(note)
    proofs = [RunProof(repository, results) for results in runs]
    claims: list[Claim] = []
    for proof in proofs:
        run = proof.results.run
        print(one_line(f"run {run.id}, by pytest-rcabench {run.package or '(unknown)'}"))
        claims += _show(proof.claims(proofs[0]))
        claims += _show_incidents(list(proof.incidents()), proof.known_to_prompt)
    if not proofs:
        found = list(repository.incidents())
        known = frozenset(trail.incident for _, trail, _ in found if trail.older_than_prompt)
        claims += _show_incidents([(info, claim) for info, _, claim in found], known)
    claims += _show(claims_of_seals(repository, proofs, given.ca))
    if top:
        print("Check it without this program, in a clone of your own:")
        for line in commands_of_all(repository, proofs):
            print(f"  {printable(line)}")
    print(_UNSEEN)
    return FOUND if any(claim.word == "broken" for claim in claims) else FINE


def _about_program(top: Path | None) -> Iterable[str]:
    own = Path(pytest_rcabench.__file__).resolve()
    if top and own.is_relative_to(top):
        yield (
            "This is the code of the repository itself, which may say what it likes; verify with "
            f"the released package: pipx run --spec pytest-rcabench=={__version__} rcabench verify"
        )


def _replacements(top: Path | None) -> Iterable[str]:
    if top and (found := ask_git(top, "for-each-ref", "refs/replace").splitlines()):
        yield f"not heeded: {counted(len(found), 'replacement')} of objects (git replace)"


def _show(claims: Iterable[Claim], known: Container[str] = ()) -> list[Claim]:
    shown = list(claims)
    width = max((len(claim.about) for claim in shown), default=0)
    for claim in shown:
        print(f"  {one_line(claim.about):<{width}}  {claim.word:<9}  {printable(claim.why)}")
        if claim.about in known:
            print(f"  {'':<{width}}  {'':<9}  {WRITTEN_WITH_IT}")
    return shown


def _show_incidents(
    found: Sequence[tuple[IncidentInfo, Claim]], known: frozenset[str]
) -> list[Claim]:
    claims = _show((claim for _, claim in found), known)
    held_out = {info.id: claim.word for info, claim in found if info.set == "held_out"}
    print(f"  {held_out_line(held_out.values(), len(known & held_out.keys()))}")
    return claims
