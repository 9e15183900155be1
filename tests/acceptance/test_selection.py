"""Every way that pytest selects tests selects incidents, and what is not selected is not asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Bench

ALL = [f"incidents/{name}.yaml::sut::r{number}" for name in ("calm", "leak") for number in (1, 2)]


@pytest.fixture
def two(bench: Bench) -> Bench:
    """Return a project with a healthy window and a faulty one."""
    bench.incident("calm", "silent", healthy=True)
    bench.incident("leak")
    return bench


@pytest.mark.parametrize(
    ("args", "selected"),
    [
        ([], ALL),
        (["-k", "leak and r2"], ALL[3:]),
        (["-m", "rca(kind='healthy')"], ALL[:2]),
        (["-m", "rca(incident='leak', round=1) or rca(provider='command', round=2)"], ALL[1:]),
        ([ALL[2]], ALL[2:3]),
        (["incidents/leak.yaml::sut"], ALL[2:]),
        (["--deselect", "incidents/leak.yaml::sut::r1"], [*ALL[:2], ALL[3]]),
    ],
)
def test_what_is_selected_is_collected_and_nobody_is_asked(
    two: Bench, args: list[str], selected: list[str]
) -> None:
    """--collect-only prints the nodes of the tree, in order, for free."""
    result = two.ask("--rca-repeat=2", "--co", "-q", *args)

    assert selected == [line for line in result.outlines if "::" in line]
    assert two.asked() == []


@pytest.mark.parametrize("args", [["--setup-plan"], ["--setup-only"], ["--setup-plan", "-n2"]])
def test_setting_up_asks_nobody(two: Bench, args: list[str]) -> None:
    """The two flags show fixtures; an answer may cost money."""
    result = two.ask("-q", *args)

    assert result.ret == 0
    assert two.asked() == []
    assert not (two.path / ".rcabench").exists()


def test_a_set_is_selected_by_the_folder(two: Bench) -> None:
    """Below a folder named tuned is the tuned set, everywhere else the held-out one."""
    two.incident("known", folder="incidents/tuned")

    result = two.run("--rca-set=tuned", "--co", "-q")

    assert [line for line in result.outlines if "::" in line] == [
        "incidents/tuned/known.yaml::heuristic::r1"
    ]


def test_what_failed_is_run_again_and_nothing_else(two: Bench) -> None:
    """--lf, --ff and --sw read the outcomes of incidents as those of any test."""
    two.incident("mist", "wrong")
    failed = "incidents/mist.yaml::sut::r1"

    assert two.ask("-q").ret == 1
    assert sorted(two.asked()) == ["pass", "silent", "wrong"]

    assert two.ask("--lf", "-q").ret == 1
    assert two.asked() == ["wrong"]

    last = two.ask("--lf", "-q", "-n2")
    last.assert_outcomes(failed=1)
    assert two.asked() == ["wrong"]

    first = two.ask("--ff", "-v", "--rca-concurrency=1")
    assert next(line for line in first.outlines if "::r1 " in line).startswith(failed)
    assert two.asked()[0] == "wrong"

    two.ask("--sw", "-q")
    two.asked()
    two.ask("--sw", "-q")
    assert two.asked() == ["wrong"]


@pytest.mark.parametrize("flag", ["-x", "--maxfail=1"])
def test_the_first_failure_stops_the_run(bench: Bench, flag: str) -> None:
    """What was in flight is kept, what was not begun is not asked."""
    for number in range(6):
        bench.incident(f"leak-{number}", "wrong")

    result = bench.ask(flag, "--rca-concurrency=1", "--rca-json=results.json")

    result.assert_outcomes(failed=1)
    asked = bench.asked()
    assert 1 <= len(asked) <= 2
    assert len(asked) == len(bench.verdicts())
    assert bench.results()["complete"] is False


@pytest.mark.parametrize(
    "args",
    [
        ["-p", "no:terminal"],
        ["-p", "no:cacheprovider", "-p", "no:xdist"],
        ["-W", "error", "--strict-markers", "--strict-config", "--import-mode=importlib"],
        ["-W", "error", "--strict-markers", "-n2"],
    ],
)
def test_flags_of_pytest_change_nothing(two: Bench, args: list[str]) -> None:
    """The same verdicts whatever else is switched on or off."""
    result = two.ask("--rca-json=results.json", *args)

    assert result.ret == 0
    assert two.verdicts() == {"calm::sut::r1": "pass", "leak::sut::r1": "pass"}
    assert sorted(two.asked()) == ["pass", "silent"]


@pytest.mark.parametrize("more", [[], ["-p", "xdist.plugin", "-n2"]])
def test_the_plugin_loads_by_name(
    two: Bench, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    """-p rcabench is enough where autoload is off."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    two.run("-p", "rcabench", "--rca-provider=control:oracle", *more).assert_outcomes(passed=2)


def test_the_plugin_can_be_switched_off(two: Bench) -> None:
    """-p no:rcabench leaves nothing behind."""
    result = two.run("-p", "no:rcabench")

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
