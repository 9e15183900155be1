"""Models are asked by one process, each cell once; what the wire does becomes verdict or reason."""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.conftest import Bench
    from tests.wires.fake import FakeWires

CLAUDE = "--rca-provider=claude=claude:fake-sonnet"
EACH_WAY = pytest.mark.parametrize("more", [["-n0"], ["-n2"]], ids=["serial", "n2"])

RIGHT = json.dumps(
    {
        "issues": [
            {
                "title": "Connections are never closed",
                "severity": "error",
                "service": "orders-api",
                "cause": "a connection leak on the error path",
                "commits": ["c0ffee0" + "0" * 33],
            }
        ]
    }
)
# What happens on the wire -> what comes of the cell: verdict, fault or reason, attempts.
OK = {"text": RIGHT}
ROWS: dict[str, tuple[list[dict[str, Any]], tuple[str, str, list[str]]]] = {
    "ok": ([OK], ("pass", "", ["ok"])),
    "fenced": ([{"text": f"```json\n{RIGHT}\n```"}], ("pass", "", ["ok"])),
    "prose": ([{"text": "I cannot tell."}], ("wrong", "not_json", ["ok"])),
    "truncated": ([{"stop_reason": "max_tokens"}], ("wrong", "truncated", ["ok"])),
    "refused": ([{"stop_reason": "refusal", "content": []}], ("wrong", "refused", ["ok"])),
    "broken": ([{"body": "{oops"}, OK], ("pass", "", ["bad body", "ok"])),
    "limited": (
        [{"status": 429, "headers": {"retry-after": "2"}, "body": "{}"}, OK],
        ("pass", "", ["429", "ok"]),
    ),
    "failing": ([{"status": 500, "body": "{}"}, OK], ("pass", "", ["500", "ok"])),
    "reset": ([{"breaks": "reset"}, OK], ("pass", "", ["reset", "ok"])),
    "dribble": ([{"breaks": "dribble"}], ("unmeasured", "deadline", ["timeout"])),
    "huge": (
        [{"status": 413, "body": {"error": {"message": "too large"}}}],
        ("unmeasured", "bad request", ["413"]),
    ),
}


def event(wires: FakeWires, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - of an Event or of a message
    """Return an event of the fake, of its own fields or of those of a message of Claude."""
    return {"body": wires.claude_message(RIGHT, **fields)} if "stop_reason" in fields else fields


@EACH_WAY
def test_every_row_of_the_wire_table_becomes_its_outcome(
    models: Bench, wires: FakeWires, more: list[str]
) -> None:
    """Answers, faults of the model's own, and reasons; retries where they help alone."""
    models.windows(*ROWS)
    for name, (events, _) in ROWS.items():
        wires.play(*(event(wires, **one) for one in events), to=f"wanted: {name}")

    models.run(
        CLAUDE, "--rca-column=claude: usd_in=1, usd_out=10", "--rca-timeout=4",
        "--rca-concurrency=16", "--rca-json=results.json", *more,
    )  # fmt: skip

    cells = {cell["incident"]: cell for cell in models.results()["cells"]}
    assert {name: outcome for name, (_, outcome) in ROWS.items()} == {
        name: (
            cell["verdict"],
            cell["error"]["reason"] if cell["error"] else cell["fault"],
            [attempt["outcome"] for attempt in cell["attempts"]],
        )
        for name, cell in cells.items()
    }
    for name, (_, (_, _, attempts)) in ROWS.items():
        assert wires.asked(f"wanted: {name}") == len(attempts), name
    assert cells["limited"]["latency_s"] < 2  # the wait that was asked for is not in it
    assert "fence" in json.dumps(cells["fenced"]["analysis"]["repairs"])
    assert (cells["ok"]["model"], cells["ok"]["request_id"]) == ("claude-fake-1", "req_fake")
    assert (cells["huge"]["model"], cells["huge"]["request_id"]) == ("", "")
    assert cells["ok"]["usage"] == {"input_tokens": 150, "output_tokens": 50}
    assert cells["ok"]["cost_usd"] == pytest.approx(150e-6 + 500e-6)
    assert cells["dribble"]["cost_usd"] is None


@EACH_WAY
def test_a_model_that_is_over_is_not_asked_on_and_the_other_is(
    models: Bench, wires: FakeWires, more: list[str]
) -> None:
    """A refused key and a day's used-up quota end their column; two columns are two models."""
    models.windows(*(f"window-{number}" for number in range(6)))
    wires.play({"status": 401, "body": {"error": {"message": "no such key"}}}, to="fake-locked")
    violations = [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]
    details = [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": violations}]
    used_up = {"error": {"code": 429, "message": "quota", "details": details}}
    wires.play({"status": 429, "body": used_up}, to="fake-spent")

    models.run(
        "--rca-provider=locked=claude:fake-locked", "--rca-provider=spent=gemini:fake-spent",
        "--rca-provider=good=gemini:fake-flash", "--rca-concurrency=1",
        "--rca-json=results.json", *more,
    )  # fmt: skip

    reasons = {
        (cell["column"], cell["error"]["reason"] if cell["error"] else cell["verdict"])
        for cell in models.results()["cells"]
    }
    assert reasons == {("locked", "authentication"), ("spent", "quota"), ("good", "pass")}
    assert [wires.asked(model) for model in ("fake-locked", "fake-spent", "fake-flash")] == [
        1,
        1,
        6,
    ]


@EACH_WAY
def test_every_cell_is_asked_once_in_the_order_of_the_items(
    models: Bench, wires: FakeWires, more: list[str]
) -> None:
    """However many processes run the items."""
    names = [f"window-{number}" for number in range(5)]
    models.windows(*names)

    result = models.run(CLAUDE, "--rca-repeat=2", "--rca-concurrency=1", *more)

    assert result.ret == 0
    order = [name for seen in wires.seen for name in names if f"wanted: {name}" in seen.prompt]
    assert order == [name for name in names for _ in range(2)]


@EACH_WAY
def test_as_many_are_in_flight_as_allowed_and_no_more(
    models: Bench, wires: FakeWires, more: list[str]
) -> None:
    """The bound of the run is that of all columns and workers together."""
    models.windows(*(f"window-{number}" for number in range(6)))
    wires.play({"text": RIGHT, "latency_s": 0.4})

    models.run(CLAUDE, "--rca-provider=gemini=gemini:fake-flash", "--rca-concurrency=3", *more)

    assert len(wires.seen) == 12
    assert wires.most_at_once == 3


@EACH_WAY
def test_x_asks_nothing_new_and_waits_for_nobody(
    models: Bench, wires: FakeWires, more: list[str]
) -> None:
    """What was in flight gets a moment; the rest has no answer."""
    names = [f"window-{number:02}" for number in range(20)]
    models.windows(*names)
    wires.play({"text": '{"issues": []}', "latency_s": 0.5})
    wires.play({"breaks": "hang"}, to="wanted: window-03")

    result = models.run(CLAUDE, "-x", "--rca-concurrency=2", "--rca-json=results.json", *more)

    assert result.ret != 0
    results = models.results()
    assert not results["complete"]
    assert wires.asked("wanted: window-03") <= 1
    assert len(wires.seen) < 15
    answered = [cell["incident"] for cell in results["cells"] if cell["verdict"] == "wrong"]
    assert "window-00" in answered
    assert "window-03" not in answered


@EACH_WAY
def test_ctrl_c_keeps_what_was_answered(models: Bench, wires: FakeWires, more: list[str]) -> None:
    """One of the calls never comes back, and nobody waits for it."""
    models.windows("first", "second", "third")
    wires.play({"breaks": "hang"}, to="wanted: third")
    run = models.start(CLAUDE, "--rca-concurrency=1", *more)
    wait_until(lambda: wires.asked("wanted: third") == 1)

    run.send_signal(signal.SIGINT)
    output, _ = run.communicate()

    assert run.returncode == pytest.ExitCode.INTERRUPTED, output
    answered = [line["cell"] for line in models.journal() if line["event"] == "answered"]
    assert {"first", "second"} == {
        cell["incident"] for cell in answered if cell["verdict"] == "pass"
    }
    assert wires.asked() == 3


def test_a_worker_that_dies_costs_its_item_and_no_answer(models: Bench, wires: FakeWires) -> None:
    """The controller has asked, and keeps what it got; nothing is asked again."""
    models.windows(*(f"window-{number}" for number in range(6)))
    models.pytester.makeconftest(
        """
        import os, signal

        def pytest_runtest_teardown(item):
            if "window-2" in item.nodeid:
                os.kill(os.getpid(), signal.SIGKILL)
        """
    )

    result = models.run(CLAUDE, "-n2", "--rca-json=results.json")

    result.stdout.fnmatch_lines(["*worker * crashed while running *window-2*"])
    assert set(models.verdicts().values()) == {"pass"}
    assert len(models.verdicts()) == len(wires.seen) == 6


def test_a_call_names_its_model_and_turns_no_knob(models: Bench, wires: FakeWires) -> None:
    """Newer models refuse a temperature and a forced tool."""
    models.windows("window")

    models.run(
        "--rca-provider=claude:fake-a,claude:fake-b,gemini:fake-c", "--rca-concurrency=1",
        "-pno:xdist",
    )  # fmt: skip

    assert [seen.body.get("model", seen.path) for seen in wires.seen] == [
        "fake-a",
        "fake-b",
        "/v1/models/fake-c:generateContent",
    ]
    assert len({seen.prompt for seen in wires.seen}) == 1
    sent = json.dumps([seen.body for seen in wires.seen])
    assert "json_schema" in sent
    assert not any(knob in sent for knob in ("temperature", "topP", "top_p", "tool_choice"))


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until *is_so* returns True, a minute at most."""
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.02)
