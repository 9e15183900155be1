"""What is an incident file, what is not, and what a broken one does to the run."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Bench

MANIFEST = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n---\n*not: [yaml\n"


def _break(path: Path) -> None:
    """Make ten different mistakes in an incident file."""
    text = path.read_text()
    for right, wrong in (
        ("kind: bad_deploy", "kind: bad_deplyo"),
        ("difficulty: easy", "difficulty: trivial"),
        ('"2026-10-07T14:00:00Z"', '"2026-10-07 14h"'),
        ("format: plain", "format: plane"),
        ("c0ffee0", "C0FFEE"),
        ('"2026-10-07T12:51:09Z"', "yesterday"),
        ("metrics: []", 'metrics: [{name: m, service: s, unit: u, start: "now", step_s: -1}]'),
        ("victims: [web]", "victims: web"),
        ("must_not:", "must_nut:"),
    ):
        assert right in text, right
        text = text.replace(right, wrong, 1)
    path.write_text(text + "colour: red\n")


@pytest.mark.parametrize("more", [[], ["-n2"]])
def test_a_broken_file_says_each_mistake_once_and_nothing_is_run(
    bench: Bench, more: list[str]
) -> None:
    """One line a mistake with its place, serial and with workers; the good files are not asked."""
    bench.incident("good")
    _break(bench.incident("broken"))

    result = bench.ask(*more)
    lines = [line for line in result.outlines if re.search(r"broken\.yaml:\d+:\d+: ", line)]

    assert len(lines) >= 10
    assert len(lines) == len(set(lines))
    assert result.ret in {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED}
    assert bench.asked() == []
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize("more", [[], ["-n2"]])
def test_the_good_files_run_where_that_is_asked_for(bench: Bench, more: list[str]) -> None:
    """--continue-on-collection-errors means what it means for Python tests."""
    bench.incident("good")
    _break(bench.incident("broken"))

    result = bench.ask("--continue-on-collection-errors", *more)

    result.assert_outcomes(passed=1, errors=1)
    assert bench.asked() == ["pass"]


def test_other_files_are_never_touched(bench: Bench) -> None:
    """Manifests, binaries, folders, unreadable files and loops of links are nobody's incidents."""
    bench.incident("leak", healthy=True)
    folder = bench.path / "incidents"
    (folder / "manifest.yaml").write_text(MANIFEST)
    (folder / "compose.yml").write_text("schema: compose/3\n" + MANIFEST)
    (folder / "binary.yaml").write_bytes(bytes(range(256)) * 8)
    (folder / "folder.yaml").mkdir()
    (folder / "folder.yaml" / "late.yaml").write_text("#" * 2000 + "\nschema: rcabench/1\n")
    (folder / "nowhere.yaml").symlink_to("missing.yaml")
    os.mkfifo(folder / "pipe.yaml")
    locked = folder / "locked.yaml"
    locked.write_text("schema: rcabench/1\n")
    locked.chmod(0)
    (folder / "notes.txt").write_text("schema: rcabench/1\n")
    if os.access(locked, os.R_OK):  # root reads everything
        locked.unlink()

    result = bench.run("--rca-provider=control:silent", "-W", "error")

    result.assert_outcomes(passed=1)


def test_a_loop_of_links_collects_each_incident_once(bench: Bench) -> None:
    """The same file under another name is the same incident."""
    bench.incident("leak", healthy=True)
    (bench.path / "incidents/again").symlink_to(".", target_is_directory=True)

    result = bench.run("--rca-provider=control:silent", "--rca-json=results.json")

    result.assert_outcomes(passed=1)
    assert bench.verdicts() == {"leak::silent::r1": "pass"}


def test_a_version_that_nobody_knows_is_an_error(bench: Bench) -> None:
    """A schema that is nearly ours is told, not skipped."""
    path = bench.incident("leak")
    path.write_text(path.read_text().replace("rcabench/1", "rcabench/2"))

    result = bench.run()

    result.assert_outcomes(errors=1)
    result.stdout.re_match_lines([r".*leak\.yaml:\d+:\d+: schema: .*rcabench/1"])


def test_a_file_anywhere_is_collected_and_names_are_an_ini_key(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A path outside the root works, and rca_files says which names may be incidents."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    bench.incident("leak").rename(elsewhere / "leak.yaml")
    moved = bench.incident("other", healthy=True)
    moved.rename(moved.with_name("other.incident"))
    bench.incident("ignored")

    oracle = "--rca-provider=control:oracle"
    result = bench.run(oracle, "--rca-json=results.json", "--rootdir=.", elsewhere / "leak.yaml")
    result.assert_outcomes(passed=1)
    assert str(elsewhere / "leak.yaml") == bench.results()["incidents"][0]["path"]

    (bench.path / "pytest.ini").write_text("[pytest]\nrca_files = *.incident *.rca\n")
    result = bench.run(oracle, "-v", "-W", "error")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["incidents/other.incident::oracle::r1 PASSED*"])


@pytest.mark.parametrize("more", [[], ["-n2"]])
def test_two_files_of_one_id_are_an_error_that_names_both(bench: Bench, more: list[str]) -> None:
    """A cell's identity is the incident's id."""
    bench.incident("leak")
    bench.incident("leak", folder="incidents/tuned")

    result = bench.ask(*more)

    assert bench.asked() == []
    said = [line for line in result.outlines if "'leak' is the id of" in line]
    assert len(said) == 1
    assert (
        "incidents/tuned/leak.yaml:1:1: id: 'leak' is the id of incidents/leak.yaml too" in said[0]
    )
    assert str(bench.path) not in said[0]
