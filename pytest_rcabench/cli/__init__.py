"""The command ``rcabench``: everything that works on files and needs no pytest run.

A command is a module of this folder with `add_arguments` and `run`; it is imported only when it is
named, so that ``rcabench --help`` answers at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from pytest_rcabench.cli.status import FOUND, USAGE
from pytest_rcabench.domain.errors import RcabenchError
from pytest_rcabench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class _Command:
    module: str
    about: str
    example: str


_COMMANDS = {
    "init": _Command("init", "copy the shipped incidents into a folder", "rcabench init incidents"),
    "lint": _Command("lint", "check that incidents are fair", "rcabench lint incidents"),
    "schema": _Command(
        "schema", "print the JSON Schema of incident files", "rcabench schema > i.json"
    ),
    "import": _Command(
        "importing",
        "turn another data set into incident files",
        "rcabench import rootcausebench ../RootCauseBench --out incidents/rootcausebench",
    ),
    "report": _Command(
        "report",
        "show results: in the terminal, or as the files that are named",
        "rcabench report gemini.json claude.json --markdown report.md",
    ),
    "compare": _Command(
        "compare",
        "hold a run against earlier ones, and say whether it got worse",
        "rcabench compare nightly/ results.json",
    ),
    "rescore": _Command(
        "rescore",
        "score kept answers with this version and show the verdicts that change",
        "rcabench rescore results.json --out rescored.json",
    ),
    "verify": _Command(
        "verify",
        "say how well it is proved that incidents were held out and verdicts left alone",
        "rcabench verify results.json",
    ),
    "seal": _Command(
        "seal",
        "write down what a run will be, before it",
        "rcabench seal incidents --provider gemini --repeat 3",
    ),
    "canary": _Command(
        "canary",
        "find answers that quote what stands in an incident's file alone",
        "rcabench canary results.json",
    ),
    "move": _Command(
        "move",
        "move an incident that led to a change from the held-out to the tuned set",
        'rcabench move clock-skew --because "the prompt shows hosts now" --change 1.2.10',
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 when all is fine, 1 when it found something, 2 for a wrong use."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot print a character shows its number instead of ending the command.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    arguments = sys.argv[1:] if arguments is None else arguments
    given = _parser(arguments).parse_args(arguments)
    try:
        status: int = given.run(given)
        sys.stdout.flush()
    except RcabenchError as error:
        print(error, file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        # The reader has seen enough (`| head`); without this Python complains again at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
    return status


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rcabench",
        description="Works on incident files and on the results of runs; `pytest` makes the runs.",
        epilog="exit status: 0 all is fine, 1 something was found, 2 wrong use or unusable input",
    )
    parser.add_argument("--version", action="version", version=f"rcabench {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in _COMMANDS.items():
        about = command.about
        own = commands.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.",
            epilog=f"example: {command.example}",
        )
        if name in arguments:
            module = import_module(f"pytest_rcabench.cli.{command.module}")
            module.add_arguments(own)
            own.set_defaults(run=module.run)
    return parser
