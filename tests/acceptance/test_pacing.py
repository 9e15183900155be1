"""Declared quotas hold however many workers wait, and the next day goes on where one ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Bench
    from tests.wires.fake import FakeWires

EACH_WAY = pytest.mark.parametrize("more", [["-n0"], ["-n2"]], ids=["serial", "n2"])
GEMINI = "--rca-provider=gemini=gemini:fake-flash"
MINUTE_S = 3.0
# A minute of three seconds, and a calendar that the file `days` moves on.
QUICK = f"""
from datetime import timedelta
from pathlib import Path

from pytest_rcabench.engine import model_columns
from pytest_rcabench.engine.pacing import Pacer

DAYS = Path(__file__).with_name("days")

def quick(*args, today, **kwargs):
    passed = timedelta(days=int(DAYS.read_text()) if DAYS.exists() else 0)
    return Pacer(*args, today=lambda: today() + passed, window_s={MINUTE_S}, **kwargs)

model_columns.Pacer = quick
"""


@pytest.fixture
def quick(models: Bench) -> Bench:
    """Return a project of seven incidents, whose minutes are short."""
    models.pytester.makeconftest(QUICK)
    models.windows(*(f"window-{number}" for number in range(7)))
    return models


@EACH_WAY
def test_no_minute_ever_holds_more_requests_than_rpm(
    quick: Bench, wires: FakeWires, more: list[str]
) -> None:
    """As the server counts them, with all that arrive late; two columns of one model share it."""
    quick.run(
        GEMINI, "--rca-provider=again=gemini:fake-flash", "--rca-column=gemini: rpm=5",
        "--rca-concurrency=14", "--rca-json=results.json", *more,
    )  # fmt: skip

    assert set(quick.verdicts().values()) == {"pass"}
    assert len(wires.seen) == 14
    assert wires.most_in(MINUTE_S) == 5


def test_a_used_up_day_ends_cleanly_and_the_next_one_goes_on(
    quick: Bench, wires: FakeWires
) -> None:
    """The plan says so before the first call; what was asked is never asked again."""
    args = (GEMINI, "--rca-column=gemini: rpd=5", "--rca-json=results.json")

    first = quick.run(*args)
    first.stdout.fnmatch_lines(["*gemini: 7 calls*rpd=5 leaves 2 for --rca-resume on another day"])
    assert first.ret == 1
    reasons = [cell["error"] for cell in quick.results()["cells"] if cell["error"]]
    assert [reason["reason"] for reason in reasons] == ["quota", "quota"]
    assert len(wires.seen) == 5

    quick.run(*args, "--rca-resume")
    assert len(wires.seen) == 5

    (quick.path / "days").write_text("1")
    second = quick.run(*args, "--rca-resume", "-n2")
    assert second.ret == 0
    assert set(quick.verdicts().values()) == {"pass"}
    assert quick.results()["complete"]
    assert [wires.asked(f"wanted: window-{number}") for number in range(7)] == [1] * 7
