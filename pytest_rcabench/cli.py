"""The command ``rcabench``: everything that works on files and needs no pytest run.

Each command imports what it needs when it runs, so that ``rcabench --help`` answers at once.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import OptionError, RcabenchError
from pytest_rcabench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_rcabench.domain.incident import Incident
    from pytest_rcabench.domain.run import Results

_FINE, _FOUND, _USAGE = 0, 1, 2
_RESULTS = "a file of --rca-json, or the folder of a run or of all runs"
_SETTINGS = """\
Let a bare `pytest` run them: in pytest.ini, or in tox.ini,

    [pytest]
    testpaths = {directory}

and see the grid with `pytest`. Without such a file, `pytest {directory}` does the same."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 when all is fine, 1 when it found something, 2 for a wrong use."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot print a character shows its number instead of ending the command.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    given = _parser().parse_args(arguments)
    try:
        status: int = given.run(given)
        sys.stdout.flush()
    except RcabenchError as error:
        print(error, file=sys.stderr)
        return _USAGE
    except BrokenPipeError:
        # The reader has seen enough (`| head`); without this Python complains again at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FOUND
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rcabench",
        description="Works on incident files and on the results of runs; `pytest` makes the runs.",
        epilog="exit status: 0 all is fine, 1 something was found, 2 wrong use or unusable input",
    )
    parser.add_argument("--version", action="version", version=f"rcabench {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(
        name: str, run: Callable[[argparse.Namespace], int], about: str, example: str
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.",
            epilog=f"example: {example}",
        )
        command.set_defaults(run=run)
        return command

    init = add("init", _init, "copy the shipped incidents into a folder", "rcabench init incidents")
    init.add_argument(
        "directory",
        type=Path,
        nargs="?",
        default=Path("incidents"),
        metavar="DIR",
        help="default: incidents",
    )

    lint = add("lint", _lint, "check that incidents are fair", "rcabench lint incidents")
    lint.add_argument("paths", type=Path, nargs="*", metavar="PATH", help="default: incidents")

    add("schema", _schema, "print the JSON Schema of incident files", "rcabench schema > i.json")

    importer = add(
        "import",
        _import,
        "turn another data set into incident files",
        "rcabench import rootcausebench ../RootCauseBench --out incidents/rootcausebench",
    )
    importer.add_argument("format", metavar="FORMAT", help="rootcausebench")
    importer.add_argument("path", type=Path, metavar="PATH", help="the data set's folder")
    importer.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="a folder of its own"
    )

    report = add(
        "report",
        _report,
        "show results: in the terminal, or as the files that are named",
        "rcabench report gemini.json claude.json --markdown report.md",
    )
    report.add_argument("results", type=Path, nargs="+", metavar="RESULTS", help=_RESULTS)
    report.add_argument("--markdown", type=Path, metavar="PATH", help="all RESULTS side by side")
    report.add_argument("--json", type=Path, metavar="PATH", help="one RESULTS as a results file")

    rescore = add(
        "rescore",
        _rescore,
        "score kept answers with this version and show the verdicts that change",
        "rcabench rescore results.json --out rescored.json",
    )
    rescore.add_argument("results", type=Path, metavar="RESULTS", help=_RESULTS)
    rescore.add_argument(
        "--incidents",
        type=Path,
        nargs="+",
        default=[],
        metavar="DIR",
        help="default: the paths in RESULTS, else the shipped set",
    )
    rescore.add_argument("--out", type=Path, metavar="PATH", help="write the new results here")
    return parser


def _init(given: argparse.Namespace) -> int:
    from pytest_rcabench.files.incident_set import copy_incidents  # noqa: PLC0415 - start-up time

    written, kept = copy_incidents(given.directory)
    for path in kept:
        print(f"{path}: is there already and differs; remove it to get the shipped one")
    print(f"{len(written)} incidents written to {given.directory}")
    print(_SETTINGS.format(directory=given.directory))
    return _FOUND if kept else _FINE


def _lint(given: argparse.Namespace) -> int:
    from pytest_rcabench.lint.rules import lint_paths  # noqa: PLC0415 - start-up time

    report = lint_paths(given.paths or [Path("incidents")])
    print(report)
    return _FOUND if report.errors else _FINE


def _schema(given: argparse.Namespace) -> int:
    del given
    schema = resources.files("pytest_rcabench") / "schema" / "incident.json"
    print(schema.read_text("utf-8"), end="")
    return _FINE


def _import(given: argparse.Namespace) -> int:
    from pytest_rcabench.importers import IMPORTERS  # noqa: PLC0415 - start-up time

    if given.format not in IMPORTERS:
        known = ", ".join(sorted(IMPORTERS))
        raise OptionError(f"import: {given.format!r} is no known format; choose one of {known}")
    print(IMPORTERS[given.format](given.path, given.out))
    return _FINE


def _report(given: argparse.Namespace) -> int:
    from pytest_rcabench.files.results import read_results  # noqa: PLC0415 - start-up time
    from pytest_rcabench.files.writing import write_whole  # noqa: PLC0415 - start-up time
    from pytest_rcabench.reports.markdown import render_markdown  # noqa: PLC0415 - start-up time

    if given.json and len(given.results) > 1:
        raise OptionError("report: --json takes one RESULTS; runs are not merged into one file")
    runs = [read_results(path) for path in given.results]
    if given.markdown:
        write_whole(given.markdown, render_markdown(*runs))
    if given.json:
        _write(given.json, runs[0])
    if not given.markdown and not given.json:
        for run in runs:
            _show(run)
    return _FINE


def _rescore(given: argparse.Namespace) -> int:
    from pytest_rcabench.files.incident_set import find_incidents  # noqa: PLC0415 - start-up time
    from pytest_rcabench.files.results import read_results  # noqa: PLC0415 - start-up time
    from pytest_rcabench.reports.rescoring import (  # noqa: PLC0415 - start-up time
        changed_incidents,
        rescore,
    )

    results = read_results(given.results)
    wanted = {incident.id: incident.path for incident in results.incidents}
    incidents = find_incidents(wanted, given.incidents)
    again, changes = rescore(results, incidents)
    notes = changed_incidents(results, incidents)
    if again.scorer_digest != results.scorer_digest:
        print(f"scored by {again.scorer_digest[:12]}; the run was by {results.scorer_digest[:12]}")
    for line in (*notes, *changes):
        print(line)
    measured = sum(cell.is_measured for cell in results.cells)
    print(f"{len(changes)} of {measured} verdicts changed")
    if given.out:
        _write(given.out, _with_controls(again, incidents))
    return _FOUND if changes or notes else _FINE


def _with_controls(results: Results, incidents: Mapping[str, Incident]) -> Results:
    """Return *results* with its controls scored afresh; they answer at once and keep no reply."""
    from pytest_rcabench.domain.scoring import score  # noqa: PLC0415 - start-up time
    from pytest_rcabench.engine.protocols import analyze  # noqa: PLC0415 - start-up time
    from pytest_rcabench.engine.systems.controls import control  # noqa: PLC0415 - start-up time

    controls = []
    for old in results.controls:
        if incident := incidents.get(old.incident):
            analysis = analyze(control(old.control), incident, 1)
            controls.append(replace(old, verdict=score(analysis, incident).mark))
    return replace(results, controls=tuple(controls))


def _write(path: Path, results: Results) -> None:
    from pytest_rcabench.files.results import write_results  # noqa: PLC0415 - start-up time
    from pytest_rcabench.reports.summary import (  # noqa: PLC0415 - start-up time
        summarize,
        summary_to_json,
    )

    write_results(path, results, summary_to_json(summarize(results)))


def _show(results: Results) -> None:
    from pytest_rcabench.reports.terminal import render_terminal  # noqa: PLC0415 - start-up time

    width = shutil.get_terminal_size().columns
    try:
        "✓½✗⚠".encode(sys.stdout.encoding or "ascii")
        is_unicode = True
    except UnicodeEncodeError:
        is_unicode = False
    for text, _ in render_terminal(results, width=width, unicode=is_unicode):
        print(text)
