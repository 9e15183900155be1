"""The ceiling of a run is never passed, as the server adds it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Bench
    from tests.wires.fake import FakeWires

CLAUDE = "--rca-provider=claude=claude:fake-sonnet"
PRICED = "--rca-column=claude: usd_in=10, usd_out=100, max_tokens=200"
COST = (150 * 10 + 50 * 100) / 1e6  # of each answer of the fake: 150 tokens in, 50 out


def test_no_ceiling_is_ever_passed_with_32_in_flight(models: Bench, wires: FakeWires) -> None:
    """Ten ceilings: what the server has billed stays below each, and the rest says why."""
    models.windows(*(f"window-{number}" for number in range(4)))
    billed, asked = [], []
    for cents in (1, 12, 15, 17, 20, 23, 26, 30, 40, 60):
        wires.seen.clear()
        models.pytester.runpytest_inprocess(
            CLAUDE, PRICED, f"--rca-max-cost={cents / 100}", "--rca-repeat=10",
            "--rca-concurrency=32", "--rca-json=results.json", "-pno:xdist", "-q",
        )  # fmt: skip
        cells = models.results()["cells"]
        missing = [cell["error"]["reason"] for cell in cells if cell["error"]]
        asked.append(len(wires.seen))
        billed.append(asked[-1] * COST <= cents / 100)

        assert missing == ["budget"] * (40 - asked[-1])

    assert all(billed)
    assert asked[0] == 0
    assert asked[-1] == 40
    assert asked == sorted(asked)


def test_calls_that_may_have_been_billed_count_as_the_most_they_can_cost(
    models: Bench, wires: FakeWires
) -> None:
    """A connection that broke is money of which nobody knows, in this process and in the next."""
    models.windows("first", "second")
    wires.play({"breaks": "reset"}, to="wanted: first")
    args = (CLAUDE, PRICED, "--rca-max-cost=0.25", "--rca-concurrency=1", "--rca-json=results.json")

    models.run(*args)
    reasons = {cell["incident"]: cell["error"]["reason"] for cell in models.results()["cells"]}
    assert reasons == {"first": "budget", "second": "budget"}
    asked = len(wires.seen)
    wires.play({"breaks": ""}, to="wanted: first")
    models.run(*args, "--rca-resume")

    assert asked == len(wires.seen) == 2


def test_a_ceiling_wants_a_price(models: Bench, wires: FakeWires) -> None:
    """Unknown is not free; the message says how to tell the price."""
    models.windows("first")

    result = models.run(CLAUDE, "--rca-max-cost=1")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ['*nobody knows the price of fake-sonnet; say it: --rca-column "claude: usd_in=*']
    )
    assert wires.seen == []
