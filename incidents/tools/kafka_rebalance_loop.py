"""Write `held_out/kafka-rebalance-loop.yaml`: what one poll brings no longer fits between two polls.

A consumer group of six is simulated with Kafka's classic eager protocol; the lines of clients and coordinator follow
from it, and so do the offsets, the lag and what the ledger is asked twice.
"""

from __future__ import annotations

import heapq
import math
import random
import uuid
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from traffic import (
    Line,
    arrivals,
    counted,
    counter,
    gauge,
    periodic,
    rfc3339,
    stamp,
    stream_text,
    unified_diff,
    utc,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

# fmt: off
RNG = random.Random(1120)
START, END = utc("2026-10-20T10:00:00Z"), utc("2026-10-20T12:06:00Z")
SECONDS = (END - START).total_seconds()
MINUTES = 126
GROUP, TOPIC, OFFSETS = "billing-events", "billing.events", "__consumer_offsets-27"
COORDINATOR = "kafka-1.kafka.example.invalid:9092 (id: 2147483646 rack: null)"
POLL_LIMIT_S = 300.0
PODS = tuple(f"billing-consumer-{n}" for n in range(6))
IPS = dict(zip(PODS, ("10.42.1.41", "10.42.2.37", "10.42.3.52", "10.42.1.44", "10.42.2.40", "10.42.3.57"), strict=True))
INVOICE_PODS = ("invoice-api-7d5c9f8b64-kx2vm", "invoice-api-7d5c9f8b64-zq8lt")


def s(clock: str) -> float:
    """Return the seconds from the window's start to *clock*."""
    return (utc(f"2026-10-20T{clock}Z") - START).total_seconds()


def at(second: float) -> datetime:
    """Return the time *second* seconds into the window."""
    return START + timedelta(seconds=second)


# Both restarts stop all six and start all six.
RESTARTS = ((s("10:33:52"), "3.40.2"), (s("11:02:11"), "3.41.0"))
BROKER_DOWN, BROKER_UP = s("10:04:17"), s("10:04:41")
RUNS = (
    (s("10:10:00.4"), 76.0, 9014, "hourly-rating hour=09"),
    (s("11:10:00.3"), 74.0, 8873, "hourly-rating hour=10"),
    (s("11:24:00.6"), 182.0, 60212, "daily-rating day=2026-10-19"),
)
SHARE = tuple(RNG.uniform(0.9, 1.1) / 12 for _ in range(12))
FIRST = tuple(RNG.randint(8_700_000, 9_300_000) for _ in range(12))
BASE_PER_S = 10.8
EPOCHS = [14, 17, 15] * 4


def produced(part: int, second: float) -> int:
    """Return the log end offset of partition *part* at *second*."""
    swell = 70 * math.sin(second / 640 + 0.3) + 9 * math.sin(second / 53 + part) + 6 * math.sin(second / 19 + 2 * part)
    total = BASE_PER_S * (second + swell + 25 * (1 + part % 3))
    for begin, took, size, _ in RUNS:
        total += size * min(max((second - begin) / took, 0.0), 1.0)
    return FIRST[part] + int(total * SHARE[part])


def produced_at(part: int, offset: int) -> float:
    """Return when the record at *offset* was produced, to half a second."""
    low, high = -900.0, SECONDS
    while high - low > 0.5:
        middle = (low + high) / 2
        low, high = (middle, high) if produced(part, middle) <= offset else (low, middle)
    return high


def per_poll(second: float) -> int:
    """Return how many records a poll may bring."""
    return 200 if second < RESTARTS[0][0] + 5 else 2000


def beat_s(second: float) -> float:
    """Return how often a member sends a heartbeat."""
    return 3.0 if second < RESTARTS[0][0] + 5 else 15.0


@dataclass
class Batch:
    """What one poll brought: (partition, first offset, offset after the last) and the time each event takes."""

    begin: float
    per_event: float
    parts: list[tuple[int, int, int]]
    ended: float | None = None

    @property
    def size(self) -> int:
        """The number of events."""
        return sum(after - first for _, first, after in self.parts)


@dataclass
class Member:
    """One consumer: a pod, and what its client knows of the group."""

    pod: str
    speed: float
    id: str = ""
    state: str = "down"  # down | joining | ready | batch
    rejoin: bool = False
    owned: list[int] = field(default_factory=list)
    position: dict[int, int] = field(default_factory=dict)
    batch: Batch | None = None
    turn: int = 0
    lines: list[Line] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)
    polls: list[float] = field(default_factory=list)
    rebalances: list[float] = field(default_factory=list)
    ups: list[float] = field(default_factory=list)
    waiting: float = 0.0

    def wait(self, second: float) -> None:
        """Note the polls up to *second* that came back empty, one each five seconds, while the group rebalanced."""
        while self.waiting + 5 < second:
            self.waiting += 5
            self.polls.append(self.waiting)

    def say(self, second: float, logger: str, text: str, *, level: str = "INFO", thread: str = "ntainer#0-0-C-1") -> None:
        """Log *text* at *second*."""
        shown = stamp(at(second), "spring-boot")
        self.lines.append((at(second), f"{shown} {level:>5} 1 --- [billing-consumer] [{thread:>15}] {logger:<40} : {text}"))

    def kafka(self, second: float, text: str, logger: str = "o.a.k.c.c.internals.ConsumerCoordinator", *, level: str = "INFO", beat: bool = False) -> None:
        """Log *text* of the Kafka client, from the heartbeat's thread if *beat*."""
        self.say(second, logger, f"[Consumer clientId=consumer-{GROUP}-1, groupId={GROUP}] {text}", level=level, thread=f" {GROUP}" if beat else "ntainer#0-0-C-1")


INVOKER = "k.c.c.i.ConsumerRebalanceListenerInvoker"
CONTAINER = "o.s.k.l.KafkaMessageListenerContainer"


def names(parts: list[int]) -> str:
    """Return the partitions as the client lists them."""
    return ", ".join(f"{TOPIC}-{part}" for part in parts)


class Group:
    """The coordinator, its six clients, and the clock that drives them."""

    def __init__(self) -> None:
        self.members = [Member(pod, RNG.gauss(1, 0.012)) for pod in PODS]
        self.state, self.generation = "Empty", 36
        self.joined: list[Member] = []
        self.known: list[Member] = []
        self.committed = {part: produced(part, -2.0) for part in range(12)}
        self.commits: list[tuple[float, dict[int, int]]] = [(-1.0, dict(self.committed))]
        self.sizes: list[tuple[float, int]] = []
        self.broker: list[Line] = []
        self.heap: list[tuple[float, int, str, Member | None, object]] = []
        self.order = count()
        self.due = 0

    def later(self, second: float, what: str, member: Member | None = None, token: object = None) -> None:
        """Have *what* happen to *member* at *second*."""
        heapq.heappush(self.heap, (second, next(self.order), what, member, token))

    def log(self, second: float, text: str) -> None:
        """Log *text* of the coordinator."""
        self.broker.append((at(second), f"{stamp(at(second), 'kafka')} INFO [GroupCoordinator 1]: {text} (kafka.coordinator.group.GroupCoordinator)"))

    def run(self) -> None:
        """Let everything happen up to the window's end."""
        while self.heap:
            second, _, what, member, token = heapq.heappop(self.heap)
            if second < SECONDS + 1:
                getattr(self, what)(second, member, token)
        for one in self.members:
            if one.state == "joining":
                one.wait(SECONDS)

    def resize(self, second: float) -> None:
        """Note how many members the group has."""
        self.sizes.append((second, len(self.known)))

    # --- membership ---

    def prepare(self, second: float, reason: str) -> None:
        """Begin a rebalance; members hear of it with their next heartbeat."""
        if self.state == "Preparing":
            return
        was_empty = self.state == "Empty"
        self.state, self.joined = "Preparing", []
        self.log(second, f"Preparing to rebalance group {GROUP} in state PreparingRebalance with old generation {self.generation} ({OFFSETS}) (reason: {reason})")
        for member in self.known:
            if member.state in {"ready", "batch"}:
                self.later(second + RNG.uniform(0.05, 1) * beat_s(second), "hear", member, member.id)
        self.due += 1
        if was_empty:
            self.later(second + 3.002, "complete", None, self.due)

    def hear(self, second: float, member: Member, token: object) -> None:
        """Let *member* learn from a heartbeat that the group rebalances."""
        if self.state != "Preparing" or member.id != token or member.state not in {"ready", "batch"}:
            return
        member.kafka(second, "Request joining group due to: group is already rebalancing", beat=True)
        member.rejoin = True
        if member.state == "batch":
            self.later(second + beat_s(second) + RNG.uniform(0.001, 0.02), "hear", member, token)

    def leave(self, second: float, member: Member, why: str, *, beat: bool) -> None:
        """Take *member* out at its own wish."""
        member.kafka(second, f"Member {member.id} sending LeaveGroup request to coordinator {COORDINATOR} due to {why}", beat=beat)
        member.kafka(second + 0.001, "Resetting generation and member id due to: consumer pro-actively leaving the group", beat=beat)
        member.kafka(second + 0.001, "Request joining group due to: consumer pro-actively leaving the group", beat=beat)
        self.known.remove(member)
        self.joined = [other for other in self.joined if other is not member]
        told = second + 0.002
        reason = f"client reason: {why}"
        self.prepare(told, f"Removing member {member.id} on LeaveGroup; {reason}")
        if not self.known:
            self.generation += 1
            self.state = "Empty"
            self.log(told + 0.001, f"Group {GROUP} with generation {self.generation} is now empty ({OFFSETS})")
        held = f"MemberMetadata(memberId={member.id}, groupInstanceId=None, clientId=consumer-{GROUP}-1, clientHost=/{IPS[member.pod]}, sessionTimeoutMs={15 * 3000 if beat_s(second) < 5 else 60000}, rebalanceTimeoutMs=300000, supportedProtocols=List(range, cooperative-sticky))"
        self.log(told + 0.001, f"Member {held} has left group {GROUP} through explicit `LeaveGroup`; {reason}")
        member.id, member.rejoin = "", True
        self.resize(told)
        self.settle(told)

    def join(self, second: float, member: Member) -> None:
        """Send a JoinGroup of *member*, which gives up what it owns first."""
        if member.owned:
            revoked = names(member.owned)
            if member.id:
                member.kafka(second, f"Revoke previously assigned partitions {revoked}", INVOKER)
            else:
                member.kafka(second, "Giving away all assigned partitions as lost since generation/memberID has been reset,indicating that consumer is in old state or no longer part of the group")
                member.kafka(second, f"Lost previously assigned partitions {revoked}", INVOKER)
                member.say(second, CONTAINER, f"{GROUP}: partitions lost: [{revoked}]")
            member.say(second, CONTAINER, f"{GROUP}: partitions revoked: [{revoked}]")
            member.owned = []
        member.state, member.rejoin, member.waiting = "joining", False, second
        member.polls.append(second)
        member.kafka(second + 0.001, "(Re-)joining group")
        if not member.id:
            member.id = f"consumer-{GROUP}-1-{uuid.UUID(int=RNG.getrandbits(128), version=4)}"
            word = {"Preparing": "PreparingRebalance"}.get(self.state, self.state)
            self.log(second + 0.003, f"Dynamic member with unknown member id joins group {GROUP} in {word} state. Created a new member id {member.id} and request the member to rejoin with this id.")
            member.kafka(second + 0.004, f"Request joining group due to: need to re-join with the given member-id: {member.id}")
            member.kafka(second + 0.005, "(Re-)joining group")
            self.later(second + 0.006, "enter", member, member.id)
        else:
            self.joined.append(member)
            self.settle(second + 0.002)

    def enter(self, second: float, member: Member, token: object) -> None:
        """Let *member* in under its new id."""
        del token
        self.prepare(second, f"Adding new member {member.id} with group instance id None; client reason: need to re-join with the given member-id: {member.id}")
        self.known.append(member)
        self.joined.append(member)
        self.resize(second)
        self.settle(second)

    def settle(self, second: float) -> None:
        """Complete the rebalance when all members have joined, unless an empty group waits for more."""
        first_wait = any(what == "complete" for _, _, what, _, token in self.heap if token == self.due)
        if self.state == "Preparing" and self.known and len(self.joined) == len(self.known) and not first_wait:
            self.due += 1
            self.later(second + 0.004, "complete", None, self.due)

    def complete(self, second: float, member: Member | None, token: object) -> None:
        """Begin the next generation and hand out the partitions by range."""
        del member
        if token != self.due or self.state != "Preparing" or len(self.joined) < len(self.known):
            return
        self.generation += 1
        self.state = "Stable"
        self.log(second, f"Stabilized group {GROUP} generation {self.generation} ({OFFSETS}) with {len(self.known)} members")
        ordered = sorted(self.known, key=lambda one: one.id)
        each, more = divmod(12, len(ordered))
        begin = 0
        for place, one in enumerate(ordered):
            size = each + (place < more)
            one.owned = list(range(begin, begin + size))
            begin += size
        leader = self.joined[0]
        plan = ", ".join(f"{one.id}=Assignment(partitions=[{names(one.owned)}])" for one in self.known)
        assigned = second + RNG.uniform(0.008, 0.02)
        leader.kafka(assigned - 0.003, f"Finished assignment for group at generation {self.generation}: {{{plan}}}")
        self.log(assigned, f"Assignment received from leader {leader.id} for group {GROUP} for generation {self.generation}. The group has {len(self.known)} members, 0 of which are static.")
        for one in self.known:
            self.start_with(second + 0.002, assigned + RNG.uniform(0.002, 0.006), one)

    def start_with(self, joined: float, synced: float, one: Member) -> None:
        """Let *one* begin at the committed offsets of what it was given."""
        generation = f"Generation{{generationId={self.generation}, memberId='{one.id}', protocol='range'}}"
        one.kafka(joined, f"Successfully joined group with generation {generation}")
        one.kafka(synced, f"Successfully synced group in generation {generation}")
        one.kafka(synced, f"Notifying assignor about the new Assignment(partitions=[{names(one.owned)}])")
        one.kafka(synced + 0.001, f"Adding newly assigned partitions: {names(one.owned)}", INVOKER)
        for part in one.owned:
            broker = f"kafka-{part % 3}.kafka.example.invalid:9092 (id: {part % 3} rack: null)"
            epoch = EPOCHS[part]
            one.say(synced + 0.006, "o.a.k.c.c.internals.ConsumerUtils", f"Setting offset for partition {TOPIC}-{part} to the committed offset FetchPosition{{offset={self.committed[part]}, offsetEpoch=Optional[{epoch}], currentLeader=LeaderAndEpoch{{leader=Optional[{broker}], epoch={epoch}}}}}")
        one.say(synced + 0.007, CONTAINER, f"{GROUP}: partitions assigned: [{names(one.owned)}]")
        one.wait(joined)
        one.position = {part: self.committed[part] for part in one.owned}
        one.state = "ready"
        one.rebalances.append(synced)
        self.later(synced + 0.05, "poll", one, one.id)

    # --- the poll loop ---

    def poll(self, second: float, member: Member, token: object) -> None:
        """Fetch what is there and work on it, or join first."""
        if member.id != token or member.state != "ready":
            return
        if self.state == "Preparing" and not member.rejoin:
            member.kafka(second, "Request joining group due to: group is already rebalancing", beat=True)
            member.rejoin = True
        if member.rejoin:
            self.join(second, member)
            return
        member.polls.append(second)
        room, parts = per_poll(second), []
        member.turn += 1
        for place in range(len(member.owned)):
            part = member.owned[(place + member.turn) % len(member.owned)]
            first = member.position[part]
            size = min(room, produced(part, second) - first, 2700)
            if size > 0:
                parts.append((part, first, first + size))
                member.position[part] = first + size
                room -= size
        if not parts:
            self.later(second + RNG.uniform(0.2, 0.5), "poll", member, token)
            return
        self.work(second, member, parts)

    def work(self, second: float, member: Member, parts: list[tuple[int, int, int]]) -> None:
        """Post the events of *parts* one by one."""
        batch = Batch(second, RNG.gauss(0.1545, 0.0042) * member.speed, parts)
        took = 0.004 + batch.per_event * batch.size
        batch.ended = second + took
        member.batch, member.state = batch, "batch"
        member.batches.append(batch)
        self.later(second + took, "finish", member, batch)
        if took > POLL_LIMIT_S:
            self.later(second + POLL_LIMIT_S + RNG.uniform(0.02, 0.1), "overdue", member, batch)

    def overdue(self, second: float, member: Member, token: object) -> None:
        """Let the heartbeat thread notice that no poll came."""
        if member.batch is not token or member.state != "batch":
            return
        member.kafka(second, POLL_TIMEOUT, level="WARN", beat=True)
        self.leave(second + 0.001, member, "consumer poll timeout has expired.", beat=True)

    def finish(self, second: float, member: Member, token: object) -> None:
        """Commit a batch, in vain if the member is no longer one."""
        batch = member.batch
        if batch is None or batch is not token:
            return
        member.batch, member.state = None, "ready"
        if member.id:
            self.committed.update({part: after for part, _, after in batch.parts})
            self.commits.append((second, dict(self.committed)))
        else:
            member.kafka(second, "Failing OffsetCommit request since the consumer is not part of an active group")
            member.say(second + 0.001, CONTAINER, f"Consumer exception\n\n{COMMIT_FAILED}\n", level="ERROR")
        self.later(second + 0.003, "poll", member, member.id)

    # --- restarts ---

    def stop(self, second: float, member: Member, token: object) -> None:
        """Shut *member* down, after the batch at hand."""
        if member.batch and member.batch.ended and member.batch.ended > second:
            self.later(member.batch.ended + 0.002, "stop", member, token)
            return
        if member.owned:
            member.kafka(second, f"Revoke previously assigned partitions {names(member.owned)}", INVOKER)
            member.say(second, CONTAINER, f"{GROUP}: partitions revoked: [{names(member.owned)}]")
        self.leave(second + 0.002, member, "the consumer unsubscribed from all topics", beat=False)
        member.kafka(second + 0.004, "Unsubscribed all topics or patterns and assigned partitions", "o.a.k.c.c.i.ClassicKafkaConsumer")
        for pause, logger, text in CLOSING:
            member.say(second + pause, logger, text)
        member.state, member.owned, member.rejoin = "down", [], False

    def boot(self, second: float, member: Member, token: object) -> None:
        """Start *member* anew, in the version *token*."""
        took = RNG.uniform(11.2, 14.9)
        member.ups.append(second + took)
        member.say(second, "c.e.billing.BillingConsumerApplication", f"Starting BillingConsumerApplication v{token} using Java 21.0.8 with PID 1 (/app/billing-consumer.jar started by app in /app)", thread="main")
        member.say(second + 0.01, "c.e.billing.BillingConsumerApplication", 'The following 1 profile is active: "prod"', thread="main")
        member.say(second + took * 0.62, "o.s.b.w.embedded.tomcat.TomcatWebServer", "Tomcat initialized with port 8081 (http)", thread="main")
        begun = second + took - 0.4
        member.say(begun, "o.a.kafka.common.utils.AppInfoParser", "Kafka version: 3.9.1", thread="main")
        member.kafka(begun + 0.02, f"Subscribed to topic(s): {TOPIC}", "o.a.k.c.c.i.ClassicKafkaConsumer")
        member.say(begun + 0.2, "o.s.b.w.embedded.tomcat.TomcatWebServer", "Tomcat started on port 8081 (http) with context path '/'", thread="main")
        member.say(begun + 0.4, "c.e.billing.BillingConsumerApplication", f"Started BillingConsumerApplication in {took:.3f} seconds (process running for {took + 0.9:.3f})", thread="main")
        member.kafka(begun + 0.31, "Cluster ID: pL7qk3TzQ0mVbX2nRfW8sA", "org.apache.kafka.clients.Metadata")
        member.kafka(begun + 0.33, f"Discovered group coordinator {COORDINATOR}")
        member.state = "joining"
        self.later(begun + 0.335, "come", member)

    def come(self, second: float, member: Member, token: object) -> None:
        """Join for the first time."""
        del token
        self.join(second, member)


POLL_TIMEOUT = "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, which typically implies that the poll loop is spending too much time processing messages. You can address this either by increasing max.poll.interval.ms or by reducing the maximum size of batches returned in poll() with max.poll.records."
_KAFKA, _SPRING = "~[kafka-clients-3.9.1.jar!/:na]", "~[spring-kafka-3.3.8.jar!/:3.3.8]"
_LISTENER = "org.springframework.kafka.listener.KafkaMessageListenerContainer$ListenerConsumer"
COMMIT_FAILED = f"""\
java.lang.IllegalStateException: This error handler cannot process 'org.apache.kafka.clients.consumer.CommitFailedException's; no record information is available
	at org.springframework.kafka.listener.DefaultErrorHandler.handleOtherException(DefaultErrorHandler.java:198) {_SPRING}
	at {_LISTENER}.handleConsumerException(KafkaMessageListenerContainer.java:2004) {_SPRING}
	at {_LISTENER}.run(KafkaMessageListenerContainer.java:1404) {_SPRING}
	at java.base/java.util.concurrent.CompletableFuture$AsyncRun.run(CompletableFuture.java:1804) ~[na:na]
	at java.base/java.lang.Thread.run(Thread.java:1583) ~[na:na]
Caused by: org.apache.kafka.clients.consumer.CommitFailedException: Offset commit cannot be completed since the consumer is not part of an active group for auto partition assignment; it is likely that the consumer was kicked out of the group.
	at org.apache.kafka.clients.consumer.internals.ConsumerCoordinator.sendOffsetCommitRequest(ConsumerCoordinator.java:1340) {_KAFKA}
	at org.apache.kafka.clients.consumer.internals.ConsumerCoordinator.commitOffsetsSync(ConsumerCoordinator.java:1197) {_KAFKA}
	at org.apache.kafka.clients.consumer.internals.ClassicKafkaConsumer.commitSync(ClassicKafkaConsumer.java:742) {_KAFKA}
	at org.apache.kafka.clients.consumer.KafkaConsumer.commitSync(KafkaConsumer.java:1053) {_KAFKA}
	at {_LISTENER}.doCommitSync(KafkaMessageListenerContainer.java:3190) {_SPRING}
"""
CLOSING = (
    (0.005, "org.apache.kafka.common.metrics.Metrics", "Metrics scheduler closed"),
    (0.006, "org.apache.kafka.common.metrics.Metrics", "Closing reporter org.apache.kafka.common.metrics.JmxReporter"),
    (0.006, "org.apache.kafka.common.metrics.Metrics", "Metrics reporters closed"),
    (0.012, "o.a.kafka.common.utils.AppInfoParser", f"App info kafka.consumer for consumer-{GROUP}-1 unregistered"),
    (0.014, CONTAINER, f"{GROUP}: Consumer stopped"),
)


# --- the other services ---


def events_of(group: Group) -> list[tuple[float, str, int, int, bool]]:
    """Return what was posted to the ledger: (time, pod, partition, offset, whether it was there already)."""
    posted = []
    for member in group.members:
        for batch in member.batches:
            second = batch.begin + 0.002
            for part, first, after in batch.parts:
                for offset in range(first, after):
                    second += batch.per_event
                    if second < SECONDS:
                        posted.append((second, member.pod, part, offset))
    seen: set[tuple[int, int]] = set()
    out = []
    for second, pod, part, offset in sorted(posted):
        out.append((second, pod, part, offset, (part, offset) in seen))
        seen.add((part, offset))
    return out


def summaries(group: Group, posted: list[tuple[float, str, int, int, bool]]) -> None:
    """Have each pod say every five minutes what it did."""
    for number, member in enumerate(group.members):
        mine = [(second, again) for second, pod, _, _, again in posted if pod == member.pod]
        starts = [*member.ups, SECONDS]
        for up, until in pairwise(starts):
            begin = max(up, 0.0) if up > 0 else 11.0 * number
            while begin + 300 < min(until - 25, SECONDS):
                window = [again for second, again in mine if begin <= second < begin + 300]
                done = sum(1 for batch in member.batches if begin <= (batch.ended or 0) < begin + 300)
                begin += 300
                member.say(begin + RNG.uniform(0, 0.004), "c.e.billing.posting.PostingSummary", f"last 5 min: {len(window)} events sent to ledger, {sum(window)} of them known there, {done} batches done", thread="scheduling-1")


def broker_blip(group: Group) -> None:
    """Let the clients see kafka-2 go and come back."""
    for member in group.members:
        begin = BROKER_DOWN + RNG.uniform(2.9, 3.4)
        member.kafka(begin, "Node 2 disconnected.", "org.apache.kafka.clients.NetworkClient")
        member.kafka(begin + 0.001, f"Error sending fetch request (sessionId={RNG.randint(10**8, 2 * 10**9)}, epoch={RNG.randint(40000, 90000)}) to node 2:\n\norg.apache.kafka.common.errors.DisconnectException: null\n", "o.a.kafka.clients.FetchSessionHandler")
        if RNG.random() < 0.7:
            member.kafka(begin + RNG.uniform(1, 9), "Connection to node 2 (kafka-2.kafka.example.invalid/10.42.7.12:9092) could not be established. Node may not be available.", "org.apache.kafka.clients.NetworkClient", level="WARN")


def ledger_lines(posted: list[tuple[float, str, int, int, bool]]) -> list[Line]:
    """Return the ledger's sample of its requests, and what it grumbles about."""
    lines = []
    for second, _, part, offset, again in posted:
        if (offset + part * 37) % 1499 == 7:
            took = RNG.gauss(147, 4)
            answer = f"200 {took:.0f}ms entry exists" if again else f"201 {took:.0f}ms"
            lines.append((at(second), f"{stamp(at(second), 'plain')} INFO POST /v1/entries key={TOPIC}-{part}@{offset} account={40000 + offset * 7919 % 51000} {answer}"))
    lines += [
        (time, f"{stamp(time, 'plain')} WARN account lock waited {RNG.randint(210, 460)}ms, account={40000 + RNG.randint(0, 50999)}, holder=month-to-date")
        for time in periodic(RNG, START + timedelta(seconds=100), END, 540, jitter_s=80)
    ]
    time = at(s("10:18:36.214"))
    lines += [
        (time, f"{stamp(time, 'plain')} INFO shutting down, 3 requests in flight"),
        (time + timedelta(seconds=2.9), f"{stamp(time + timedelta(seconds=2.9), 'plain')} INFO ledger 7.12.0 listening on :8080, 2 replicas behind the service"),
    ]
    return lines


def complete_until(posted: list[tuple[float, str, int, int, bool]]) -> list[float]:
    """Return for each half minute until when all events are in the ledger."""
    reached = [produced(part, -2.0) for part in range(12)]
    marks, place = [], 0
    for step in range(int(SECONDS // 30) + 1):
        while place < len(posted) and posted[place][0] <= step * 30:
            _, _, part, offset, _ = posted[place]
            reached[part] = max(reached[part], offset + 1)
            place += 1
        marks.append(min((produced_at(part, reached[part]) if reached[part] < produced(part, step * 30.0) else step * 30.0) for part in range(12)))
    return marks


@dataclass
class Invoices:
    """What invoice-api and the portal in front of it wrote."""

    api: dict[str, list[Line]] = field(default_factory=lambda: {pod: [] for pod in INVOICE_PODS})
    portal: list[Line] = field(default_factory=list)
    held: list[tuple[float, float]] = field(default_factory=list)
    issued: list[datetime] = field(default_factory=list)


def invoices(marks: list[float]) -> Invoices:
    """Return what became of the invoices that customers and the schedule asked for."""
    out = Invoices()
    number = 771200

    def say(pod: str, time: datetime, level: str, thread: str, logger: str, text: str) -> None:
        out.api[pod].append((time, f"{stamp(time, 'spring-boot')} {level:>5} 1 --- [invoice-api] [{thread:>15}] {logger:<40} : {text}"))

    for time in arrivals(RNG, START + timedelta(seconds=4), END - timedelta(seconds=5), 2.1):
        second = (time - START).total_seconds()
        number += RNG.randint(1, 4)
        pod, account = RNG.choice(INVOICE_PODS), 40000 + RNG.randint(0, 50999)
        mark = marks[int(second // 30)]
        web = RNG.random() < 0.4
        thread = f"nio-8080-exec-{RNG.randint(1, 10)}" if web else "scheduling-1"
        name = f"INV-2026-{number}"
        if second - mark > 110:
            say(pod, time, "WARN", thread, "c.e.invoice.draft.DraftService", f"{name} for account {account} held: entries are complete until {rfc3339(at(mark))} only")
            out.held.append((second, mark))
            code, size = 409, 148
        else:
            say(pod, time, "INFO", thread, "c.e.invoice.draft.DraftService", f"{name} for account {account} issued, {RNG.randint(3, 240)} entries")
            out.issued.append(time)
            code, size = 200, RNG.randint(2100, 18400)
        if web:
            done = time + timedelta(seconds=RNG.uniform(0.01, 0.05))
            out.portal.append((done, f'{address()} - - {stamp(done, "nginx-access")} "POST /api/invoices/preview HTTP/1.1" {code} {size} "https://my.example.invalid/billing" "{RNG.choice(AGENTS)}" 0.{RNG.randint(31, 190):03}'))
    for time in arrivals(RNG, START + timedelta(seconds=40), END, 0.055):
        say(RNG.choice(INVOICE_PODS), time, "ERROR", "scheduling-1", "c.e.invoice.mail.MailQueue", f"mail for INV-2026-{RNG.randint(770100, 771100)} not taken: 451 4.3.0 mailbox of the recipient is full, next attempt in 60 min")
    for time in arrivals(RNG, START, END, 0.4):
        path, size = RNG.choice((("GET /billing", 8841), ("GET /api/usage/today", 612), ("GET /assets/app.7f31c.js", 188402), ("GET /api/contracts", 1840)))
        code = 304 if "assets" in path and RNG.random() < 0.6 else 200
        out.portal.append((time, f'{address()} - - {stamp(time, "nginx-access")} "{path} HTTP/1.1" {code} {0 if code == 304 else size} "-" "{RNG.choice(AGENTS)}" 0.{RNG.randint(4, 60):03}'))
    return out


AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
)


def address() -> str:
    """Return an address of somebody out there."""
    return f"{RNG.choice(('203.0.113', '198.51.100'))}.{RNG.randint(2, 250)}"


def dead_letters() -> list[Line]:
    """Return the pass over the dead letters, one a minute, as it has been for days."""
    lines = []
    for place, time in enumerate(periodic(RNG, START + timedelta(seconds=7.3), END, 60, jitter_s=0.6)):
        offset = 48112 + (place * 11) % 307
        why = RNG.choice(("Expecting ',' delimiter: line 1 column 212 (char 211)", "Expecting value: line 1 column 88 (char 87)", "Unterminated string starting at: line 1 column 305 (char 304)"))
        lines.append((time, f"{stamp(time, 'python')} - deadletter.replay - ERROR - {TOPIC}.DLT-0@{offset} does not parse: {why}; left where it is"))
    return lines


def rater() -> list[Line]:
    """Return what the producer says."""
    lines = []
    for time in periodic(RNG, START + timedelta(seconds=31), END, 300, jitter_s=0.2):
        second = (time - START).total_seconds()
        size = sum(produced(part, second) - produced(part, second - 300) for part in range(12))
        lines.append((time, f"{stamp(time, 'plain')} INFO {size} events acknowledged in the last 5 min, 0 retries, queue 0"))
    for begin, took, size, name in RUNS:
        for second, text in ((begin, f"run {name}: {size} events to publish"), (begin + took + 0.2, f"run {name}: done in {took:.1f} s, all acknowledged")):
            lines.append((at(second), f"{stamp(at(second), 'plain')} INFO {text}"))
    return lines


def broker_lines(group: Group) -> dict[int, list[Line]]:
    """Return the server logs of kafka-1, which coordinates the group, and kafka-2, which is restarted."""
    lines = {1: list(group.broker), 2: []}

    def say(broker: int, second: float, text: str, level: str = "INFO") -> None:
        lines[broker].append((at(second), f"{stamp(at(second), 'kafka')} {level} {text}"))

    for pause, text in DOWN:
        say(2, BROKER_DOWN + pause, text)
    for pause, text in UP:
        say(2, BROKER_UP + pause, text)
    for part in (1, 4, 7, 10):
        say(1, BROKER_UP + 9.4 + part * 0.11, f"[Partition {TOPIC}-{part} broker=1] ISR updated to 1,0,2  and version updated to {RNG.randint(61, 92)} (kafka.cluster.Partition)")
    for broker in (1, 2):
        for topic, part, clock in ROLLED[broker]:
            offset = produced(part, s(clock)) if topic == TOPIC else RNG.randint(10**6, 10**7)
            say(broker, s(clock), f"[LocalLog partition={topic}-{part}, dir=/var/lib/kafka/data] Rolled new log segment at offset {offset} in {RNG.randint(1, 4)} ms. (kafka.log.LocalLog)")
        for time in periodic(RNG, START + timedelta(seconds=500 + 90 * broker), END, 1800, jitter_s=4):
            say(broker, (time - START).total_seconds(), f"[SocketServer listenerType=BROKER, nodeId={broker}] Failed authentication with /10.42.9.30 (channelId=10.42.7.1{broker}:9093-10.42.9.30:{RNG.randint(33000, 60000)}-{RNG.randint(2000, 9000)}) (SSL handshake failed) (org.apache.kafka.common.network.Selector)")
    return lines


ROLLED = {
    1: (("usage.raw", 4, "10:12:31.402"), (TOPIC, 7, "10:50:02.118"), ("invoice.mail", 1, "11:02:47.099"), ("usage.raw", 1, "11:31:15.530"), (TOPIC, 10, "11:46:25.689")),
    2: (("usage.raw", 5, "10:21:09.877"), ("usage.raw", 2, "11:07:44.216"), (TOPIC, 5, "11:26:58.041"), (TOPIC, 8, "12:01:50.330")),
}
DOWN = (
    (0.0, "Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)"),
    (0.003, "[BrokerServer id=2] Transition from STARTED to SHUTTING_DOWN (kafka.server.BrokerServer)"),
    (0.003, "[BrokerServer id=2] shutting down (kafka.server.BrokerServer)"),
    (0.01, "[BrokerLifecycleManager id=2] Beginning controlled shutdown. (kafka.server.BrokerLifecycleManager)"),
    (0.04, "[BrokerLifecycleManager id=2] The broker is in PENDING_CONTROLLED_SHUTDOWN state, still waiting for the active controller. (kafka.server.BrokerLifecycleManager)"),
    (2.51, "[BrokerLifecycleManager id=2] The controller has asked us to exit controlled shutdown. (kafka.server.BrokerLifecycleManager)"),
    (2.52, "[SocketServer listenerType=BROKER, nodeId=2] Stopping socket server request processors (kafka.network.SocketServer)"),
    (2.55, "[SocketServer listenerType=BROKER, nodeId=2] Stopped socket server request processors (kafka.network.SocketServer)"),
    (2.71, "[ReplicaManager broker=2] Shutting down (kafka.server.ReplicaManager)"),
    (2.88, "[ReplicaManager broker=2] Shut down completely (kafka.server.ReplicaManager)"),
    (3.61, "[BrokerServer id=2] shut down completed (kafka.server.BrokerServer)"),
    (3.62, "[BrokerServer id=2] Transition from SHUTTING_DOWN to SHUTDOWN (kafka.server.BrokerServer)"),
    (3.62, "App info kafka.server for 2 unregistered (org.apache.kafka.common.utils.AppInfoParser)"),
)
UP = (
    (-11.3, "Registered `kafka:type=kafka.Log4jController` MBean (kafka.utils.Log4jControllerRegistration$)"),
    (-10.2, "Registered signal handlers for TERM, INT, HUP (org.apache.kafka.common.utils.LoggingSignalHandler)"),
    (-10.1, "[BrokerServer id=2] Transition from SHUTDOWN to STARTING (kafka.server.BrokerServer)"),
    (-10.1, "[BrokerServer id=2] Starting broker (kafka.server.BrokerServer)"),
    (-6.7, "[BrokerLifecycleManager id=2] Successfully registered broker 2 with broker epoch 918442 (kafka.server.BrokerLifecycleManager)"),
    (-3.2, "[LogLoader partition=billing.events-8, dir=/var/lib/kafka/data] Loading producer state till offset 9031177 with message format version 2 (kafka.log.UnifiedLog$)"),
    (-1.9, "[BrokerLifecycleManager id=2] The broker has caught up. Transitioning from STARTING to RECOVERY. (kafka.server.BrokerLifecycleManager)"),
    (-0.4, "[BrokerLifecycleManager id=2] The broker has been unfenced. Transitioning from RECOVERY to RUNNING. (kafka.server.BrokerLifecycleManager)"),
    (-0.2, "[BrokerServer id=2] Transition from STARTING to STARTED (kafka.server.BrokerServer)"),
    (-0.2, "Kafka version: 3.8.1 (org.apache.kafka.common.utils.AppInfoParser)"),
    (0.0, "[KafkaRaftServer nodeId=2] Kafka Server started (kafka.server.KafkaRaftServer)"),
)


def cluster_events() -> list[Line]:
    """Return what the cluster reports: both restarts of the consumers, and a probe that is slow now and then."""
    lines = []

    def say(second: float, kind: str, reason: str, what: str, text: str) -> None:
        lines.append((at(second), f"{rfc3339(at(second))} {kind} {reason} {what} {text}"))

    for begin, version in RESTARTS:
        for number, pod in reversed(list(enumerate(PODS))):
            say(begin + (5 - number) * 0.1, "Normal", "SuccessfulDelete", "StatefulSet/billing-consumer", f"delete Pod {pod} in StatefulSet billing-consumer successful")
            say(begin + (5 - number) * 0.1, "Normal", "Killing", f"Pod/{pod}", "Stopping container billing-consumer")
        for pod in PODS:
            created = begin + 6.2 + RNG.uniform(0, 0.6)
            say(created, "Normal", "SuccessfulCreate", "StatefulSet/billing-consumer", f"create Pod {pod} in StatefulSet billing-consumer successful")
            say(created + 2, "Normal", "Pulled", f"Pod/{pod}", f'Container image "registry.example.invalid/billing/consumer:{version}" already present on machine')
            say(created + 2.4, "Normal", "Started", f"Pod/{pod}", "Started container billing-consumer")
    say(BROKER_DOWN - 0.3, "Normal", "Killing", "Pod/kafka-2", "Stopping container kafka")
    say(BROKER_UP - 14, "Normal", "Started", "Pod/kafka-2", "Started container kafka")
    for time in arrivals(RNG, START + timedelta(minutes=3), END, 0.07):
        pod, ip = RNG.choice(tuple(zip(INVOICE_PODS, ("10.42.2.71", "10.42.3.66"), strict=True)))
        say((time - START).total_seconds(), "Warning", "Unhealthy", f"Pod/{pod}", f'Readiness probe failed: Get "http://{ip}:8080/actuator/health/readiness": context deadline exceeded (Client.Timeout exceeded while awaiting headers)')
    return lines


# --- metrics ---


def metrics(group: Group, posted: list[tuple[float, str, int, int, bool]], done: Invoices) -> list[dict[str, object]]:
    """Return the series, one sample a minute."""
    out: list[dict[str, object]] = []
    minutes = [60.0 * n for n in range(MINUTES)]

    def add(name: str, service: str, unit: str, values: Sequence[float | None]) -> None:
        out.append({"name": name, "service": service, "unit": unit, "start": rfc3339(START), "step_s": 60, "values": values})

    scraped = [second + 18 for second in minutes]  # the exporter's own turn

    def committed_at(second: float) -> dict[int, int]:
        return group.commits[max(bisect_left(group.commits, second, key=lambda entry: entry[0]) - 1, 0)][1]

    labels = f'consumergroup="{GROUP}",topic="{TOPIC}"'
    lags = [{part: produced(part, second) - committed_at(second)[part] for part in range(12)} for second in scraped]
    add(f"kafka_consumergroup_lag_sum{{{labels}}}", "kafka", "records", [sum(lag.values()) for lag in lags])
    for part in (3, 8):
        add(f'kafka_consumergroup_lag{{{labels},partition="{part}"}}', "kafka", "records", [lag[part] for lag in lags])
    sizes = [(-1.0, 6), *group.sizes]
    add(f'kafka_consumergroup_members{{consumergroup="{GROUP}"}}', "kafka", "members", [[size for second, size in sizes if second <= minute][-1] for minute in scraped])
    add('kafka_consumergroup_lag_sum{consumergroup="invoice-mail",topic="invoice.mail"}', "kafka", "records", gauge(RNG, MINUTES, 2, 1.5))
    add('kafka_consumergroup_members{consumergroup="invoice-mail"}', "kafka", "members", [2] * MINUTES)
    for part in (3, 8):
        add(f'kafka_topic_partition_current_offset{{topic="{TOPIC}",partition="{part}"}}', "kafka", "offset", [produced(part, second) for second in scraped])
    add(f'kafka_topic_partition_under_replicated_partition{{topic="{TOPIC}",partition="8"}}', "kafka", "partitions", [1 if BROKER_DOWN < second < BROKER_UP + 8 else 0 for second in minutes])
    for broker in (0, 1, 2):
        add(f'kafka_network_requestmetrics_totaltimems{{request="Produce",quantile="0.99",pod="kafka-{broker}"}}', "kafka", "ms", gauge(RNG, MINUTES, 6.2 + broker, 0.7, low=3, digits=1))
    for broker in (0, 1, 2):
        add(f'container_cpu_usage_seconds_total{{pod="kafka-{broker}"}}', "kafka", "s", counter(RNG, MINUTES, 21 + broker, start=RNG.randint(4000, 9000), spread=0.05) if broker < 2 else [*counter(RNG, 5, 23, start=8412, spread=0.05), *counter(RNG, MINUTES - 5, 23, start=31, spread=0.05)])
    for name, unit, values in consumer_series(group, posted, minutes):
        add(name, "billing-consumer", unit, values)
    for code, wanted in (("201", False), ("200", True)):
        add(f'http_request_duration_seconds_count{{route="/v1/entries",code="{code}"}}', "ledger", "requests", counted([at(second) for second, _, _, _, again in posted if again is wanted], START, 60, MINUTES, first=412 if wanted else 91_884_210))
    add('http_request_duration_seconds{route="/v1/entries",quantile="0.99"}', "ledger", "s", gauge(RNG, MINUTES, 0.171, 0.005, digits=3))
    add('container_cpu_usage_seconds_total{pod="ledger-5f8d7c9b66-w4tzn"}', "ledger", "s", counter(RNG, MINUTES, lambda n: 14 if n < 85 else 19, start=5120, spread=0.06))
    add("invoices_held", "invoice-api", "invoices", [held_now(done, second) for second in minutes])
    add("invoices_issued_total", "invoice-api", "invoices", counted(done.issued, START, 60, MINUTES, first=18_204))
    add(f'deadletter_parse_errors_total{{topic="{TOPIC}.DLT"}}', "dead-letter-replay", "errors", [40_117 + n for n in range(MINUTES)])
    return out


def consumer_series(group: Group, posted: list[tuple[float, str, int, int, bool]], minutes: list[float]) -> list[tuple[str, str, Sequence[float | None]]]:
    """Return what the consumers report of themselves: name, unit and values of each series."""
    out: list[tuple[str, str, Sequence[float | None]]] = []

    def add(name: str, unit: str, values: Sequence[float | None]) -> None:
        out.append((name, unit, values))

    for member in (group.members[0], group.members[3], group.members[4]):
        ago: list[float | None] = []
        for second in minutes:
            last = bisect_left(member.polls, second)
            is_up = not any(begin < second < begin + 26 for begin, _ in RESTARTS)
            ago.append(round(second - member.polls[last - 1], 1) if last and is_up else (None if not is_up else 0.3))
        add(f'kafka_consumer_last_poll_seconds_ago{{client_id="consumer-{GROUP}-1",pod="{member.pod}"}}', "s", ago)
    for member in (group.members[1], group.members[4]):
        add(f'kafka_consumer_coordinator_rebalance_total{{client_id="consumer-{GROUP}-1",pod="{member.pod}"}}', "rebalances", since_start(member, minutes, member.rebalances, 3))
        ends = [(batch.ended or 0.0, (batch.ended or 0.0) - batch.begin, batch.begin, batch.size) for batch in member.batches]
        add(f'spring_kafka_listener_seconds_max{{name="{GROUP}-0",result="success",pod="{member.pod}"}}', "s", [round(max((took for end, took, _, _ in ends if second - 180 < end <= second), default=0.0), 3) for second in minutes])
        add(f'billing_poll_events_max{{pod="{member.pod}"}}', "events", [max((size for _, _, begin, size in ends if second - 180 < begin <= second), default=0) if second > member.ups[-1] else None for second in minutes])
        times = [second for second, pod, _, _, _ in posted if pod == member.pod]
        calls = since_start(member, minutes, times, 88412)
        if member.pod != PODS[4]:
            continue
        add(f'http_client_requests_seconds_count{{client_name="ledger",uri="/v1/entries",pod="{member.pod}"}}', "requests", calls)
        add(f'http_client_requests_seconds_sum{{client_name="ledger",uri="/v1/entries",pod="{member.pod}"}}', "s", [None if value is None else round(value * 0.1513, 1) for value in calls])
    return out


def since_start(member: Member, minutes: list[float], times: list[float], first: int) -> list[float | None]:
    """Return how many of *times* there were since the pod started, with a gap while it is down."""
    ordered = sorted(times)
    values: list[float | None] = []
    for second in minutes:
        if any(begin < second < begin + 26 for begin, _ in RESTARTS):
            values.append(None)
            continue
        up = max(start for start in member.ups if start <= second)
        values.append(bisect_left(ordered, second) - bisect_left(ordered, up - 2) + (first if up < 0 else 0))
    return values


def held_now(done: Invoices, second: float) -> int:
    """Return how many invoices are held at *second*: those of the last run of holds."""
    recent = [when for when, _ in done.held if when <= second]
    held = 0
    for when in reversed(recent):
        if second - when > 420 and held == 0:
            return 0
        held += 1
        second = when
    return held


# --- changes ---

REGIONS = "5e0b7c1f94a83d26e1d7f05b8a6c3942d07e61fb"
BEATS = "c81f6a2d07e9b4530fd9821ac6e57b34908dfe15"
ROUND_TRIPS = "2f94d0e7ab5c61384e0d79f2b8136ac5470fe9d1"
ACCOUNT = "a7306ec94d1b58f2039e7ac46bd81f50e2c97d34"
POLL_METRIC = "6b18fd4037c2e95ad10f83b6794ea25c0d5f71e8"
DRAFTS = "e4c59a017fb26d83905e1ca84f7d3b620a9186cf"
TABLE = "90ad37f5c6e1824bb3f90762de14ca85f7310b4e"

CONFIG_FIRST = """\
# billing-consumer, prod
server:
  port: 8081
spring:
  application:
    name: billing-consumer
  kafka:
    bootstrap-servers: kafka-0.kafka.example.invalid:9092,kafka-1.kafka.example.invalid:9092
    consumer:
      group-id: billing-events
      auto-offset-reset: earliest
      enable-auto-commit: false
      max-poll-records: 200
      fetch-max-wait: 500ms
      value-deserializer: com.example.billing.event.EventDeserializer
      properties:
        session.timeout.ms: 45000
        heartbeat.interval.ms: 3000
        client.rack: ${NODE_ZONE:}
    listener:
      type: batch
      ack-mode: batch
ledger:
  url: http://ledger:8080
  connect-timeout: 1s
  read-timeout: 4s
"""
CONFIG_BEATS = CONFIG_FIRST.replace("session.timeout.ms: 45000", "session.timeout.ms: 60000").replace(
    "heartbeat.interval.ms: 3000", "heartbeat.interval.ms: 15000"
)
CONFIG_LAST = CONFIG_BEATS.replace("max-poll-records: 200\n", "max-poll-records: 2000\n")

RATER_BEFORE = """\
package publish

import (
	"context"
	"fmt"

	"example.invalid/usage/rating"
)

// Daily publishes what was rated for one day, tenant by tenant.
func (p *Publisher) Daily(ctx context.Context, day rating.Day) error {
	for _, tenant := range p.tenants.All() {
		events, err := p.rated.Of(ctx, tenant, day)
		if err != nil {
			return fmt.Errorf("daily %s, tenant %s: %w", day, tenant, err)
		}
		for _, event := range events {
			p.queue <- message{key: event.Account, value: event}
		}
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}
"""
RATER_AFTER = """\
package publish

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"example.invalid/usage/rating"
)

// regionsAtOnce is how many regions are read from the store side by side.
const regionsAtOnce = 4

// Daily publishes what was rated for one day, region by region.
func (p *Publisher) Daily(ctx context.Context, day rating.Day) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(regionsAtOnce)
	for _, region := range p.tenants.Regions() {
		group.Go(func() error {
			events, err := p.rated.OfRegion(ctx, region, day)
			if err != nil {
				return fmt.Errorf("daily %s, region %s: %w", day, region, err)
			}
			for _, event := range events {
				p.queue <- message{key: event.Account, value: event}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return p.flush(ctx)
}
"""
RATER_TEST = """\
package publish

import (
	"context"
	"testing"

	"example.invalid/usage/rating/ratingtest"
)

func TestDailyPublishesEachRegionOnce(t *testing.T) {
	sink := newSink(t)
	publisher := New(ratingtest.Store("north", "south", "east"), sink)

	if err := publisher.Daily(context.Background(), ratingtest.Monday); err != nil {
		t.Fatal(err)
	}

	if got, want := sink.PerRegion(), ratingtest.PerRegion(ratingtest.Monday); !got.Equal(want) {
		t.Errorf("published %v, want %v", got, want)
	}
}
"""
ENTRIES_BEFORE = "\n" * 33 + """\
// Post writes one entry; a key that is known already changes nothing.
func (s *Store) Post(ctx context.Context, entry Entry) (bool, error) {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return false, err
	}
	defer tx.Rollback(ctx)

	tag, err := tx.Exec(ctx, insertEntry, entry.Key, entry.Account, entry.Cents, entry.At)
	if err != nil {
		return false, err
	}
	if err := bumpBalance(ctx, tx, entry); err != nil {
		return false, err
	}
	return tag.RowsAffected() == 1, tx.Commit(ctx)
}
"""
ENTRIES_AFTER = ENTRIES_BEFORE.replace(
    """\
	tag, err :=""",
    """\
	var open bool
	if err := tx.QueryRow(ctx, accountOpen, entry.Account).Scan(&open); err != nil {
		return false, fmt.Errorf("account %d: %w", entry.Account, err)
	}
	if !open {
		return false, ErrClosed
	}

	tag, err :=""",
)
QUERIES_BEFORE = """\
package store

const insertEntry = `
	INSERT INTO entries (key, account, cents, at) VALUES ($1, $2, $3, $4)
	ON CONFLICT (key) DO NOTHING`
"""
QUERIES_AFTER = QUERIES_BEFORE + """
const accountOpen = `
	SELECT closed_at IS NULL FROM accounts WHERE id = $1 FOR SHARE`
"""
LISTENER_BEFORE = """\
package com.example.billing.posting;

import com.example.billing.event.BillingEvent;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

@Component
class PostingListener {

    private final LedgerClient ledger;

    PostingListener(LedgerClient ledger) {
        this.ledger = ledger;
    }

    @KafkaListener(topics = "billing.events")
    void post(List<ConsumerRecord<String, BillingEvent>> records) {
        for (ConsumerRecord<String, BillingEvent> record : records) {
            ledger.post(keyOf(record), record.value());
        }
    }
"""
LISTENER_AFTER = (
    LISTENER_BEFORE.replace(
        "    PostingListener(LedgerClient ledger) {\n        this.ledger = ledger;\n",
        "    PostingListener(LedgerClient ledger, PollMetrics polls) {\n        this.ledger = ledger;\n        this.polls = polls;\n",
    )
    .replace("    private final LedgerClient ledger;\n", "    private final LedgerClient ledger;\n    private final PollMetrics polls;\n")
    .replace("        for (Consumer", "        polls.brought(records.size());\n        for (Consumer")
)
POLLS_AFTER = """\
package com.example.billing.posting;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.distribution.TimeWindowMax;
import java.time.Duration;
import io.micrometer.core.instrument.Clock;
import org.springframework.stereotype.Component;

/** What the consumer gets from one poll of the broker, as the time between two polls depends on it. */
@Component
class PollMetrics {

    private final TimeWindowMax largest =
            new TimeWindowMax(Clock.SYSTEM, Duration.ofMinutes(3).toMillis(), 3);

    PollMetrics(MeterRegistry registry) {
        registry.gauge("billing.poll.events.max", largest, TimeWindowMax::poll);
    }

    /** Takes note that a poll returned so many records to the listener. */
    void brought(int records) {
        largest.record(records);
    }
}
"""
DRAFTS_BEFORE = """\
# invoice-api, prod
server:
  port: 8080
spring:
  application:
    name: invoice-api
invoice:
  draft:
    every: 5m
    page-size: 100
    tolerance: 110s
    order: account
    threads: 1
  document:
    renderer: pdf
    language: contract
    archive: s3
  mail:
    attempts: 5
    pause: 60m
"""
DRAFTS_AFTER = DRAFTS_BEFORE.replace("page-size: 100", "page-size: 1000").replace("every: 5m", "every: 1m").replace("threads: 1", "threads: 4").replace("order: account", "order: oldest-first")
TABLE_BEFORE = """\
.usage-table td {
  padding: 4px 8px;
  text-align: right;
}
"""
TABLE_AFTER = TABLE_BEFORE.replace("4px 8px", "6px 8px")


def changes() -> list[dict[str, object]]:
    """Return what was changed, by time."""
    config = "billing-consumer/application-prod.yaml"
    return [
        {
            "type": "commit", "sha": REGIONS, "time": "2026-10-19T13:12:25Z", "author": "p.adeyemi", "service": "usage-rater",
            "message": "Publish the daily run region by region\n\nReading tenant by tenant takes the store 25 minutes, most of it seeks. Four regions\nside by side take three; the keys stay the accounts, so nothing moves between partitions.\n",
            "diff": unified_diff({"publish/daily.go": (RATER_BEFORE, RATER_AFTER), "publish/daily_test.go": ("", RATER_TEST)}),
        },
        {"type": "deploy", "time": "2026-10-19T15:02:51Z", "service": "usage-rater", "version": "2.19.0", "sha": REGIONS, "author": "p.adeyemi"},
        {
            "type": "commit", "sha": BEATS, "time": "2026-10-20T07:41:09Z", "author": "h.lindqvist", "service": "prod-config",
            "message": "Beat slower, wait longer\n\nThe values that platform recommends for clients in shared clusters: a node that is busy\nfor half a minute should not cost us a member, and the coordinator has less to do.\n",
            "diff": unified_diff({config: (CONFIG_FIRST, CONFIG_BEATS)}),
        },
        {
            "type": "commit", "sha": ACCOUNT, "time": "2026-10-20T08:21:47Z", "author": "n.castellano", "service": "ledger",
            "message": "Refuse entries of closed accounts\n\nSupport had to reverse eleven of them by hand last quarter. One more look-up by primary\nkey in the same transaction, of a row\nthat the next statement reads anyway, so nobody should notice.\n",
            "diff": unified_diff({"store/entries.go": (ENTRIES_BEFORE, ENTRIES_AFTER), "store/queries.go": (QUERIES_BEFORE, QUERIES_AFTER)}),
        },
        {"type": "deploy", "time": "2026-10-20T08:55:14Z", "service": "kafka", "version": "3.8.1", "author": "platform-bot", "message": "Rolling upgrade from 3.7.1, one broker an hour at most, kafka-2 last"},
        {
            "type": "commit", "sha": ROUND_TRIPS, "time": "2026-10-20T09:26:40Z", "author": "j.marchetti", "service": "prod-config",
            "message": "Fewer round trips for billing-consumer\n\nAfter a run the six of them ask the brokers over and over for what one fetch\nholds anyway, and commit as often. Take it at once; the brokers are the better for it.\n",
            "diff": unified_diff({config: (CONFIG_BEATS, CONFIG_LAST)}, context=6),
        },
        {
            "type": "commit", "sha": POLL_METRIC, "time": "2026-10-20T09:56:37Z", "author": "h.lindqvist", "service": "billing-consumer",
            "message": "Show what a poll brings\n\nA gauge of the largest number of records that one poll returned in the last three\nminutes, for the board of the consumer group. Lag alone does not say how full a member has its hands.\n",
            "diff": unified_diff({"src/main/java/com/example/billing/posting/PollMetrics.java": ("", POLLS_AFTER), "src/main/java/com/example/billing/posting/PostingListener.java": (LISTENER_BEFORE, LISTENER_AFTER)}),
        },
        {
            "type": "commit", "sha": DRAFTS, "time": "2026-10-20T09:58:22Z", "author": "o.ferreira", "service": "prod-config",
            "message": "Draft more invoices at once\n\nThe drafts of the first of the month should be out before nine.\n",
            "diff": unified_diff({f"invoice-api/application-{stage}.yaml": (DRAFTS_BEFORE.replace("prod", stage), DRAFTS_AFTER.replace("prod", stage)) for stage in ("prod", "staging")}),
        },
        {"type": "deploy", "time": "2026-10-20T10:18:31Z", "service": "ledger", "version": "7.12.0", "sha": ACCOUNT, "author": "n.castellano"},
        {"type": "deploy", "time": "2026-10-20T10:33:50Z", "service": "billing-consumer", "version": "3.40.2", "author": "release-bot", "message": "Restart with configuration revision 412, image as before"},
        {"type": "deploy", "time": "2026-10-20T11:02:08Z", "service": "billing-consumer", "version": "3.41.0", "sha": POLL_METRIC, "author": "release-bot"},
        {
            "type": "commit", "sha": TABLE, "time": "2026-10-20T11:47:20Z", "author": "y.tanaka", "service": "customer-portal",
            "message": "Give usage rows some air\n",
            "diff": unified_diff({"src/styles/usage.css": (TABLE_BEFORE, TABLE_AFTER)}),
        },
    ]  # fmt: skip


ALERTS = [
    {"time": "2026-10-20T10:05:30Z", "service": "kafka", "metric": "kafka_topic_partition_under_replicated_partition", "summary": "Partitions of billing.events have too few replicas in sync"},
    {"time": "2026-10-20T11:45:00Z", "service": "invoice-api", "metric": "invoices_held", "summary": "More than 20 invoices held for 10 minutes"},
]

# --- truth ---

_THING = ("max poll records", "poll records", "poll size", "poll batch*", "batch*", "records per poll", "records a poll", "records each poll", "events per poll", "messages per poll", "poll bring*", "poll return*", "poll fetch*", "poll limit", "polls * records", "poll cap")
_GROWN = ("raised", "increased", "bumped", "upped", "enlarged", "grew", "too high", "too large", "too big", "oversize*", "tenfold", "ten times", "10x", "2000", "higher", "larger")
_GROWING = ("raise", "raised", "raising", "increase", "increased", "increasing", "higher", "larger", "bigger", "bump*", "oversize*", "huge", "excessive", "tenfold", "too large", "too big", "too high")
_UNFIT = ("batch* not fit", "records do not fit", "events do not fit", "records not fit", "2000 * not fit", "batch* no longer fit*", "batch* can not finish", "batch* can not be worked off", "not finish 2000", "not process 2000", "not handle 2000", "not post 2000", "not complete 2000", "not work off 2000", "not finish * batch* of 2000")
DIRECTION = [f"{thing} {grown}" for thing in ("records", "batch*", "poll size", "poll limit") for grown in _GROWN]
DIRECTION += [f"{growing} {thing}" for growing in _GROWING for thing in ("records", "batch*", "poll size")]

EXPECTED = {
    "service": "billing-consumer",
    "also_ok": ["billing-events"],
    "victims": ["ledger", "invoice-api", "customer-portal", "kafka"],
    "onset": "",
    "cause": [
        [*_THING, "too many records", "2000 records", "2000 events", "more records", "more events", "too many events", "too many messages", *_UNFIT],
        [*_UNFIT, "200 to 2000", "from 200 to", "2000 instead of 200", "2000 records", "2000 events", "2000 messages", "too many records", "more records * poll", "more events * poll", "poll * more records", "poll * more events", "ten times * records", "ten times * events", *DIRECTION],
    ],
    "must_not": [
        "poll records lowered", "poll records reduced", "poll records too small", "poll records too low", "lowered max poll records", "reduced max poll records",
        "batch* too small", "batches became smaller", "batch* reduced",
        "poll interval lowered", "poll interval shortened", "poll interval reduced", "poll interval was cut", "lowered * poll interval", "shortened * poll interval", "reduced * poll interval",
        "heartbeat* too slow", "heartbeat* too rare*", "heartbeat interval caused", "heartbeat interval raised", "heartbeat interval increased", "heartbeat interval too", "heartbeat* missed", "missed heartbeat*", "missing heartbeat*", "heartbeats every 15",
        "session timeout expires", "session timeout expired", "session timeout too", "session timeout caused", "session timeout raised", "session timeout increased", "session expired",
        "broker upgrade caused", "broker upgrade broke", "broker upgrade destabilised", "upgrade of kafka caused", "kafka upgrade caused", "kafka upgrade broke", "kafka 3.8.1 broke", "kafka 3.8.1 evicts", "since the broker upgrade",
        "broker* unstable", "broker* instability", "unstable broker*", "coordinator unstable", "coordinator is down", "coordinator unavailable", "coordinator overloaded", "network instability", "network problem*", "network partition",
        "ledger slowdown", "ledger became slow*", "ledger got slow*", "ledger is overloaded", "ledger overloaded", "ledger overload", "ledger regression", "ledger latency rose", "ledger latency increased", "slower ledger", "account check slow*", "account look up slow*", "closed accounts check",
        "too few consumers", "too few members", "not enough consumers", "not enough members", "underscaled", "scale out * consumers", "more consumers needed",
        "metric caused", "metric slow*", "poll metric broke", "gauge slow*", "drafts * at once cause*", "page size * cause*", "poison message*", "dead letter* block*", "dead letter* cause*", "parse error* cause*", "region by region overload*", "usage rater floods", "daily run floods",
    ],
    "commit": ROUND_TRIPS,
}  # fmt: skip

DISTRACTORS = [
    {"commit": BEATS, "why": "the same file, the same restart, and also about staying in the group; but members leave by themselves at the poll timeout and none is removed for want of heartbeats"},
    {"commit": POLL_METRIC, "why": "newer, and its release is nearest to onset and made the group rebalance; a run of an hour's usage was handled after it, and it only counts"},
    {"commit": ACCOUNT, "why": "one more query for each entry; the ledger's 99th percentile and the time of a call stay as they were"},
    {"commit": REGIONS, "why": "makes the daily run shorter and steeper and went out the day before. What is published stays even over the partitions, and the fetches hold it"},
    {"commit": DRAFTS, "why": "the newest before onset, and another page made ten times larger; of the service that complains most, which was not restarted"},
    {"commit": TABLE, "why": "the newest commit, after onset; a style"},
    {"noise": "dead letters that do not parse", "match": r"DLT-0@\d+ does not parse", "why": "one a minute, before and after"},
    {"noise": "mail that a full mailbox refuses", "match": r"mail for INV-\d+-\d+ not taken: 451", "why": "as old as the mail queue, the same rate throughout"},
    {"noise": "account locks of the month-to-date report", "match": r"account lock waited \d+ms", "why": "every nine minutes before and after onset"},
]

EXAMPLES = {
    "right": [
        "max.poll.records was raised from 200 to 2000, so one batch takes longer than max.poll.interval.ms and the member leaves the group",
        "Batches of up to 2000 records do not fit into the poll interval of five minutes; members are kicked out and start over",
        "The poll batch is too large: 2000 events at 155 ms each are 310 s, more than the 300 s that the client allows",
        "Too many records per poll since configuration revision 412, which makes the consumers miss the poll deadline in a loop",
        "max-poll-records: 200 -> 2000 in billing-consumer; the daily run fills the batches and the group rebalances for ever",
        "Config change increased max.poll.records tenfold. Processing exceeds the poll interval, commits fail and the same offsets are read again",
        "Oversized poll batches: the listener needs over 300 s before it polls again",
        "The poll size was bumped to 2000 records, so the poll loop times out and the group keeps rebalancing",
        "A larger batch size per poll means that the time between two polls exceeds max.poll.interval.ms",
        "Each poll now returns ten times more records than before and cannot be worked off before the poll timeout",
        "The heartbeat change is innocent. The consumer takes 2000 records a poll, which is more than it can post to the ledger in 5 minutes",
        "Rebalance loop in billing-events because one poll brings too many records for max.poll.interval.ms (300000)",
        "billing-consumer polls 2000 records instead of 200; no batch finishes before the poll interval ends",
        "Consumer poll timeout: the higher max-poll-records setting makes batches run past five minutes, not a broker problem",
    ],
    "wrong": [
        "The consumer group billing-events rebalances again and again",
        "Offset commit cannot be completed since the consumer is not part of an active group",
        "The lag of billing-events grows and invoices are held",
        "invoice-api holds invoices because entries are missing",
        "The broker upgrade caused the coordinator to evict members with large batches of 2000 records",
        "Kafka brokers are unstable after the upgrade to 3.8.1",
        "heartbeat.interval.ms was raised to 15 s, so members miss heartbeats and leave while their batches are too large",
        "The session timeout expires because heartbeats are sent too rarely",
        "The ledger became slow after the account check, so a batch takes more than five minutes",
        "Too few consumers for the daily run; scale billing-consumer out",
        "max.poll.records was lowered from 2000 to 200 and the consumer needs too many polls",
        "max.poll.interval.ms was shortened, so batches of 2000 records time out",
        "The new poll metric slows the listener down",
        "Dead letters that do not parse block the partition",
        "max.poll.records is not too high",
        "A raised max.poll.records was ruled out",
        "Either the poll batches are too large or the network drops heartbeats",
        POLL_TIMEOUT,
        "The daily run floods the topic since it is published region by region",
    ],
}  # fmt: skip


def main() -> None:
    """Simulate the window and write the file."""
    group = Group()
    for member in group.members:
        member.id = f"consumer-{GROUP}-1-{uuid.UUID(int=RNG.getrandbits(128), version=4)}"
        member.state = "ready"
        member.ups.append(-4000.0)
        group.known.append(member)
    group.state = "Stable"
    for place, member in enumerate(sorted(group.known, key=lambda one: one.id)):
        member.owned = [2 * place, 2 * place + 1]
        member.position = {part: group.committed[part] for part in member.owned}
        group.later(RNG.uniform(0, 1), "poll", member, member.id)
    for begin, version in RESTARTS:
        for member in group.members:
            group.later(begin + RNG.uniform(0.4, 1.2), "stop", member)
            group.later(begin + RNG.uniform(9, 10.5), "boot", member, version)
    group.run()
    onset = min(time for member in group.members for time, text in member.lines if "poll timeout has expired. This" in text)
    posted = events_of(group)
    summaries(group, posted)
    broker_blip(group)
    done = invoices(complete_until(posted))
    brokers = broker_lines(group)
    streams: list[tuple[str, str, str, list[Line]]] = [
        ("dead-letter-replay", "dead-letter-replay-0", "python", dead_letters()),
        ("usage-rater", "usage-rater-6f7b8d9c5-hm4wq", "plain", rater()),
        ("kafka", "kafka-1", "kafka", brokers[1]),
        ("kafka", "kafka-2", "kafka", brokers[2]),
        *(("billing-consumer", member.pod, "spring-boot", member.lines) for member in group.members),
        ("ledger", "ledger-5f8d7c9b66-w4tzn", "plain", ledger_lines(posted)),
        *(("invoice-api", pod, "spring-boot", done.api[pod]) for pod in INVOICE_PODS),
        ("customer-portal", "customer-portal-58c9d6b7f4-7rtxk", "nginx-access", done.portal),
        ("kubernetes", "billing-prod", "kubernetes-event", cluster_events()),
    ]
    logs = [
        {"service": service, "host": host, "format": layout, **({"zone": "+00:00"} if layout in {"kafka", "python"} else {}), "lines": stream_text(line for line in lines if START <= line[0] < END)}
        for service, host, layout, lines in streams
    ]
    document = {
        "schema": "rcabench/1",
        "id": "kafka-rebalance-loop",
        "title": "Kafka consumer rebalance loop after a poll-size change",
        "kind": "configuration",
        "difficulty": "medium",
        "canary": "rcabench canary 8d2f61b07c934ea5a1f6e3d95b7042ce",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": logs,
        "metrics": metrics(group, posted, done),
        "changes": changes(),
        "alerts": ALERTS,
        "expected": EXPECTED | {"onset": rfc3339(onset)},
        "distractors": DISTRACTORS,
        "said_in_evidence": [
            {"phrase": "max poll records", "why": "the client's warning of a missed poll names the setting, whatever the reason"},
            {"phrase": "poll records", "why": "part of that setting's name"},
            {"phrase": "batch*", "why": "the same warning speaks of batches, and the app's summary counts them"},
        ],
        "examples": EXAMPLES,
    }
    write(document, Path(__file__).parents[1] / "held_out" / "kafka-rebalance-loop.yaml")


if __name__ == "__main__":
    main()
