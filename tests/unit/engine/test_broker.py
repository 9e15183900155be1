"""Workers hand in plans and wait; the controller answers over a real connection."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from pytest_rcabench.domain.analysis import Analysis, AnswerFault, Attempt, Issue, Severity, Usage
from pytest_rcabench.domain.errors import Unmeasured
from pytest_rcabench.domain.run import RunKey
from pytest_rcabench.engine.broker import Broker, BrokerClient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rcabench.engine.schedule import Planned

FULL = Analysis(
    issues=(Issue("t", Severity.CRITICAL, "s", "c ½", ("abc",), ("def",), ("line",), "because"),),
    notes=("note",),
    usage=Usage(1, None, 0.5),
    fault=AnswerFault("crashed", "exit 1"),
    repairs=("fence",),
    reply="{…}",
    attempts=(Attempt(0.25, "429"), Attempt(1.5, "ok")),
)


class Controller:
    """A broker, the plans it was given, and the keys it was asked for."""

    def __init__(self) -> None:
        self.plans: list[tuple[Planned, ...]] = []
        self.keys: list[RunKey] = []
        self.broker = Broker(self.plans.append, self._answer)

    def _answer(self, key: RunKey) -> Analysis:
        self.keys.append(key)
        if key.round == 2:
            raise Unmeasured("quota", "tomorrow")
        return FULL


@pytest.fixture
def controller() -> Iterator[Controller]:
    """Return a controller that takes workers."""
    controller = Controller()
    yield controller
    controller.broker.close()


def test_a_worker_gets_the_whole_answer(controller: Controller, plan: tuple[Planned, ...]) -> None:
    """Nothing of an analysis, a plan or a reason is lost on the way."""
    worker = BrokerClient(controller.broker.address)
    worker.hand_in(plan)

    assert controller.plans == [plan]
    assert worker.wait(RunKey("leak", "sut", 1)) == FULL
    with pytest.raises(Unmeasured) as caught:
        worker.wait(RunKey("leak", "sut", 2))
    assert (caught.value.reason, caught.value.detail) == ("quota", "tomorrow")


def test_many_workers_are_served_at_once(controller: Controller) -> None:
    """Twelve connect at the same moment and each gets its own answer."""
    answers: list[Analysis] = []

    def work(number: int) -> None:
        worker = BrokerClient(controller.broker.address)
        answers.append(worker.wait(RunKey("leak", "sut", 10 + number)))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in workers:
        thread.start()
    for thread in workers:
        thread.join(20)

    assert answers == [FULL] * 12
    assert {key.round for key in controller.keys} == set(range(10, 22))


def test_a_stranger_is_turned_away_and_the_next_worker_served(controller: Controller) -> None:
    """Without the secret there is no answer, and the controller lives on."""
    where, _ = controller.broker.address

    with pytest.raises(Exception, match="digest"):
        BrokerClient([where, "00" * 32])
    worker = BrokerClient(controller.broker.address)
    assert worker.wait(RunKey("leak", "sut", 1)) == FULL
