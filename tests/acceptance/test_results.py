"""One book of a run: the same however it ran, replayed without asking, kept when things break."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Bench

VERDICTS = {
    "half::sut::r1": "half",
    "pass::sut::r1": "pass",
    "unmeasured::sut::r1": "unmeasured",
    "wrong::sut::r1": "wrong",
}


@pytest.fixture
def four(bench: Bench) -> Bench:
    """Return a project in which every verdict occurs."""
    for answer in ("half", "pass", "unmeasured", "wrong"):
        bench.incident(answer, answer)
    return bench


def test_two_workers_give_the_results_of_one(four: Bench) -> None:
    """The results files differ in times, ids and arguments alone, and each cell is asked once."""
    assert four.ask("--rca-json=serial.json").ret == 1
    assert sorted(four.asked()) == ["half", "pass", "unmeasured", "wrong"]
    assert four.ask("--rca-json=n2.json", "-n2", "--rca-record=elsewhere").ret == 1
    assert sorted(four.asked()) == ["half", "pass", "unmeasured", "wrong"]

    assert four.verdicts("serial.json") == VERDICTS
    assert _timeless(four.results("serial.json")) == _timeless(four.results("n2.json"))


def test_the_record_holds_each_cell_once(four: Bench) -> None:
    """The journal has a start and an answer for each; the results stand beside it."""
    four.ask("--rca-json=results.json", "-n2")
    (run,) = (four.path / ".rcabench/runs").iterdir()
    events = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
    keys = sorted(VERDICTS)

    assert ["run", *["started"] * 4, *["answered"] * 4] == sorted(
        (event["event"] for event in events), key=["run", "started", "answered"].index
    )
    assert keys == sorted(_key(e) for e in events if e["event"] == "started")
    assert keys == sorted(_key(e["cell"]) for e in events if e["event"] == "answered")
    assert (run / "results.json").read_bytes() == (four.path / "results.json").read_bytes()


@pytest.mark.parametrize(("source", "more"), [("results.json", []), (".rcabench", ["-n2"])])
def test_a_replay_gives_the_same_verdicts_and_asks_nobody(
    four: Bench, source: str, more: list[str]
) -> None:
    """Columns and rounds come from the file; what had no answer then has none now."""
    four.ask("--rca-json=results.json")
    four.asked()

    result = four.run(f"--rca-replay={source}", "--rca-json=again.json", *more)

    assert result.ret == 1
    assert four.asked() == []
    assert four.verdicts("again.json") == VERDICTS
    before, after = four.results(), four.results("again.json")
    assert before["columns"] == after["columns"]
    assert [_answer(cell) for cell in before["cells"]] == [_answer(c) for c in after["cells"]]
    error = {cell["incident"]: cell["error"] for cell in after["cells"]}["unmeasured"]
    assert error == {"reason": "not recorded", "detail": "it had no answer then: declined"}


def test_a_worker_that_starts_late_replays_the_same_run(four: Bench) -> None:
    """The record has a newer run by then, the replay itself, and nobody takes that one."""
    four.ask("--rca-json=results.json")
    late = "import time\nimport pytest\n\n@pytest.hookimpl(tryfirst=True)\n"
    late += "def pytest_configure(config):\n"
    late += "    time.sleep(2 * (getattr(config, 'workerinput', {}).get('workerid') == 'gw1'))\n"
    (four.path / "conftest.py").write_text(late)

    four.run("--rca-replay=.rcabench", "--rca-json=again.json", "-n2")

    assert four.verdicts("again.json") == VERDICTS


def test_a_replay_takes_no_answer_for_another_incident(four: Bench) -> None:
    """Changed evidence is unmeasured, changed truth scored, both said; a new round is missing."""
    four.ask("--rca-json=results.json")
    four.incident("pass", "half")
    wrong = four.incident("wrong", "wrong")
    wrong.write_text(wrong.read_text().replace("connection*", "connections"))

    result = four.run("--rca-replay=results.json", "--rca-json=again.json", "--rca-repeat=2")

    result.stdout.fnmatch_lines(
        [
            "pass: this incident changed since the run: its evidence",
            "wrong: this incident changed since the run: its truth",
        ]
    )
    cells = {_key(cell): cell for cell in four.results("again.json")["cells"]}
    assert "evidence of this incident changed" in cells["pass::sut::r1"]["error"]["detail"]
    assert "holds no answer for this round" in cells["half::sut::r2"]["error"]["detail"]
    assert cells["half::sut::r1"]["verdict"] == "half"


def test_a_replay_shows_the_columns_that_are_named(four: Bench) -> None:
    """--rca-provider names some of the file's columns; another one is an error."""
    four.run("--rca-provider=control:oracle,control:silent", "--rca-json=results.json")

    four.run("--rca-replay=results.json", "--rca-provider=oracle").assert_outcomes(passed=4)
    result = four.run("--rca-replay=results.json", "--rca-provider=orcle")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*has no column 'orcle'; it has oracle, silent"])


def _timeless(results: dict[str, Any]) -> dict[str, Any]:
    for name in ("id", "started", "finished", "argv"):
        del results["run"][name]
    for cell in results["cells"]:
        cell["latency_s"] = 0
        for attempt in cell["attempts"]:
            attempt["latency_s"] = 0
    for entry in results["summary"]:
        _without_latency(entry)
    return results


def _without_latency(value: Any) -> None:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        for name in [name for name in value if "latency" in name]:
            del value[name]
        for inner in value.values():
            _without_latency(inner)


def _key(entry: dict[str, Any]) -> str:
    return f"{entry['incident']}::{entry['column']}::r{entry['round']}"


def _answer(cell: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in cell.items() if name != "error"}
