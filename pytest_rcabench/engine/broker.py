"""Workers hand in their plan and wait for answers; the controller alone asks, and gives them out.

One connection a worker, one JSON text a message: the plan once, then a key at a time. Nothing is
pickled.
"""

from __future__ import annotations

import json
import secrets
import threading
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener
from typing import TYPE_CHECKING

from pytest_rcabench.domain.errors import Unmeasured
from pytest_rcabench.domain.run import RunKey
from pytest_rcabench.engine.schedule import plan_from_json, plan_to_json
from pytest_rcabench.engine.wire import analysis_from_wire, analysis_to_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.connection import Connection

    from pytest_rcabench.domain.analysis import Analysis
    from pytest_rcabench.engine.schedule import Planned


class Broker:
    """The controller's side.

    *on_plan* takes a worker's plan, *answer* blocks until a key has its answer.
    """

    def __init__(
        self,
        on_plan: Callable[[tuple[Planned, ...]], None],
        answer: Callable[[RunKey], Analysis],
    ) -> None:
        self._on_plan = on_plan
        self._answer = answer
        self._secret = secrets.token_bytes(32)
        self._listener = Listener(authkey=self._secret)
        self._is_open = True
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> list[str]:
        """The address and the secret that a worker connects with, as plain texts."""
        return [json.dumps(self._listener.address), self._secret.hex()]

    def close(self) -> None:
        """Take no more workers."""
        self._is_open = False
        self._listener.close()

    def _accept(self) -> None:
        while self._is_open:
            try:
                connection = self._listener.accept()
            except (OSError, EOFError, AuthenticationError):  # closed, or a stranger
                continue
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        with connection:
            while True:
                try:
                    message = json.loads(connection.recv_bytes())
                    reply = self._reply(message)
                    connection.send_bytes(json.dumps(reply).encode())
                except (OSError, EOFError):  # the worker is gone; its answers stay in the record
                    return

    def _reply(self, message: dict[str, object]) -> object:
        if "plan" in message:
            self._on_plan(plan_from_json(message["plan"]))  # type: ignore[arg-type]  # what ask() wrote
            return None
        try:
            return {"answer": analysis_to_wire(self._answer(RunKey(*message["key"])))}  # type: ignore[misc]  # same
        except Unmeasured as reason:
            return {"unmeasured": [reason.reason, reason.detail]}


class BrokerClient:
    """A worker's side of the connection."""

    def __init__(self, address: list[str]) -> None:
        where, secret = address
        at = json.loads(where)
        self._connection = Client(
            tuple(at) if isinstance(at, list) else at, authkey=bytes.fromhex(secret)
        )
        self._one_at_a_time = threading.Lock()

    def hand_in(self, plan: Iterable[Planned]) -> None:
        """Tell the controller which cells this worker's session selected."""
        self._ask({"plan": plan_to_json(plan)})

    def wait(self, key: RunKey) -> Analysis:
        """Return the answer for *key*. Raises: Unmeasured: if there is none."""
        reply = self._ask({"key": [key.incident, key.column, key.round]})
        if "unmeasured" in reply:
            reason, detail = reply["unmeasured"]
            raise Unmeasured(reason, detail)
        return analysis_from_wire(reply["answer"])

    def _ask(self, message: dict[str, object]) -> dict[str, list[str]]:
        with self._one_at_a_time:
            try:
                self._connection.send_bytes(json.dumps(message).encode())
                reply: dict[str, list[str]] = json.loads(self._connection.recv_bytes())
            except (OSError, EOFError) as error:
                raise Unmeasured("interrupted", "the controller is gone") from error
        return reply
