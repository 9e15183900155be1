"""``rcabench seal``: what a run will be, written down before it, and who else saw that."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.cli.status import FINE, FOUND
from pytest_rcabench.domain.errors import OptionError
from pytest_rcabench.domain.incident import evidence_digest, format_time, truth_digest
from pytest_rcabench.domain.scoring import scorer_digest
from pytest_rcabench.domain.seal import Seal
from pytest_rcabench.engine.columns import parse_specs
from pytest_rcabench.engine.model_columns import default_name
from pytest_rcabench.engine.prompt import prompt_digest
from pytest_rcabench.files.incident_names import looks_like_incident
from pytest_rcabench.files.incident_yaml import read_incident
from pytest_rcabench.files.seal import SEAL_NAME, read_seal, record_witness, render_seal
from pytest_rcabench.files.witness import digest_of_witness, hear
from pytest_rcabench.files.writing import write_whole
from pytest_rcabench.reports.figures import counted
from pytest_rcabench.version import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

_NEXT = """\
Commit it before the run; or let a foreign clock see it too, for instance
    openssl ts -query -sha256 -cert -data {seal} -out {seal}.tsq
sent to an authority, whose answer is recorded by
    rcabench seal --witness {seal}.tsr"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("paths", type=Path, nargs="*", metavar="PATH", help="default: incidents")
    parser.add_argument(
        "--provider",
        action="append",
        default=[],
        metavar="[NAME=]SPEC",
        help="a column, as for --rca-provider; repeatable; default: heuristic",
    )
    parser.add_argument(
        "--repeat", type=int, default=1, metavar="N", help="rounds, as for --rca-repeat"
    )
    parser.add_argument(
        "--seal", type=Path, default=Path(SEAL_NAME), metavar="FILE", help=f"default: {SEAL_NAME}"
    )
    parser.add_argument(
        "--witness",
        metavar="FILE",
        help="record who saw the seal that is there: a time stamp (RFC 3161), a wheel or sdist "
        "that carries it, or tag:NAME",
    )
    parser.add_argument(
        "--ca", type=Path, metavar="FILE", help="certificates (PEM) of the witnessing authority"
    )


def run(given: argparse.Namespace) -> int:
    """Write a seal, or record a witness; one that contradicts the seal is a finding.

    Raises: RcabenchError: if an option makes no sense or a file cannot be read or written.
    """
    if given.witness:
        return _record(given.seal, given.witness, given.ca)
    if given.seal.exists():
        raise OptionError(
            f"{given.seal}: is there already, and a seal is never changed; name another --seal"
        )
    if given.repeat < 1:
        raise OptionError(f"seal: --repeat {given.repeat}: name at least one round")
    specs = parse_specs(given.provider or ["heuristic"], os.environ)
    incidents = [read_incident(path) for path in _files(given.paths or [Path("incidents")])]
    if not incidents:
        raise OptionError("seal: no incident there; name files or folders of incidents")
    seal = Seal(
        date=format_time(datetime.now(UTC).replace(microsecond=0)),
        package=__version__,
        scorer=scorer_digest(),
        prompt=prompt_digest(),
        rounds=given.repeat,
        columns=tuple(
            (spec.name, spec.provider, default and (spec.argument or default))
            for spec in specs
            for default in [default_name(spec.provider)]
        ),
        incidents=tuple(
            (one.id, evidence_digest(one.evidence), truth_digest(one))
            for one in sorted(incidents, key=lambda one: one.id)
        ),
    )
    write_whole(given.seal, render_seal(seal))
    cells = len(seal.incidents) * len(seal.columns) * seal.rounds
    names = ", ".join(spec.name for spec in specs)
    told = counted(len(seal.incidents), "incident")
    print(f"{given.seal}: {told}, {counted(cells, 'answer')} of {names}")
    print(_NEXT.format(seal=given.seal))
    return FINE


def _record(seal: Path, source: str, authority: Path | None) -> int:
    read_seal(seal)
    if not source.startswith("tag:"):  # files are named from the seal's folder, to move with it
        source = os.path.relpath(source, seal.parent)
    digest = digest_of_witness(seal, source)
    heard = hear(seal, source, authority)
    print(f"{heard.word}: {heard.why}")
    if heard.word == "broken":
        return FOUND
    print(f"recorded in {record_witness(seal, digest, source)}; commit it with the seal")
    return FINE


def _files(paths: Iterable[Path]) -> list[Path]:
    found = []
    for path in paths:
        if not path.exists():
            raise OptionError(f"{path}: no such file or folder; name incidents")
        files = [path] if path.is_file() else path.rglob("*.y*ml")
        found += [file for file in files if looks_like_incident(file)]
    return sorted(found)
