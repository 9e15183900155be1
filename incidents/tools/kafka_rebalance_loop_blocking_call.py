"""Write `held_out/kafka-rebalance-loop-blocking-call.yaml`: one member of six waits for an answer inside its poll loop.

The consumer group is simulated as in the twin; here the batches stay small, and what takes minutes is one look-up of
one pod, whose kept connection leads to a backend of a registry abroad that answers late.
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
RNG = random.Random(3437)
START, END = utc("2026-11-12T13:00:00Z"), utc("2026-11-12T15:00:00Z")
SECONDS = (END - START).total_seconds()
MINUTES = 120
GROUP, TOPIC, OFFSETS = "billing-events", "billing.events", "__consumer_offsets-27"
COORDINATOR = "kafka-1.kafka.example.invalid:9092 (id: 2147483646 rack: null)"
POLL_LIMIT_S = 300.0
PODS = tuple(f"billing-consumer-{n}" for n in range(6))
IPS = dict(zip(PODS, ("10.42.4.19", "10.42.5.23", "10.42.6.31", "10.42.7.12", "10.42.8.44", "10.42.9.17"), strict=True))
INVOICE_PODS = ("invoice-api-5b7f9d6c84-t6mqx", "invoice-api-5b7f9d6c84-w9dkp")


def s(clock: str) -> float:
    """Return the seconds from the window's start to *clock*."""
    return (utc(f"2026-11-12T{clock}Z") - START).total_seconds()


def at(second: float) -> datetime:
    """Return the time *second* seconds into the window."""
    return START + timedelta(seconds=second)


RESTARTS = ((s("13:24:37"), "3.49.0"),)
HANDSHAKE_S = 0.016  # of each posting, until connections to the ledger are kept
SLOW_POD, SLOW_FROM = "billing-consumer-4", s("14:01:52")
RUNS = (
    (s("13:10:00.3"), 118.0, 7211, "hourly-rating hour=12"),
    (s("14:10:00.5"), 121.0, 7368, "hourly-rating hour=13"),
)
SHARE = tuple(RNG.uniform(0.9, 1.1) / 12 for _ in range(12))
FIRST = tuple(RNG.randint(11_200_000, 11_900_000) for _ in range(12))
BASE_PER_S = 9.4
EPOCHS = [19, 22, 18] * 4


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
    """Return how many records a poll may bring; it never brings as many."""
    del second
    return 2000


def beat_s(second: float) -> float:
    """Return how often a member sends a heartbeat."""
    del second
    return 3.0


def handshake_s(second: float) -> float:
    """Return how much of a posting the handshake with the ledger takes."""
    return HANDSHAKE_S if second < RESTARTS[0][0] else 0.0


def is_foreign(part: int, offset: int) -> bool:
    """Return whether the event needs its zone looked up."""
    return (offset * 2654435761 + part * 40503) % 41 == 3


@dataclass
class Batch:
    """What one poll brought: (partition, first offset, offset after the last) and the time each event takes."""

    begin: float
    per_event: float
    parts: list[tuple[int, int, int]]
    ended: float | None = None
    waits_at: int = -1
    waits_s: float = 0.0

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


def each(parts: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Return each event of *parts*, as partition and offset."""
    return [(part, offset) for part, first, after in parts for offset in range(first, after)]


INVOKER = "k.c.c.i.ConsumerRebalanceListenerInvoker"
CONTAINER = "o.s.k.l.KafkaMessageListenerContainer"


def names(parts: list[int]) -> str:
    """Return the partitions as the client lists them."""
    return ", ".join(f"{TOPIC}-{part}" for part in parts)


class Group:
    """The coordinator, its six clients, and the clock that drives them."""

    def __init__(self) -> None:
        self.members = [Member(pod, RNG.gauss(1, 0.012)) for pod in PODS]
        self.state, self.generation = "Empty", 117
        self.joined: list[Member] = []
        self.known: list[Member] = []
        self.committed = {part: produced(part, -2.0) for part in range(12)}
        self.commits: list[tuple[float, dict[int, int]]] = [(-1.0, dict(self.committed))]
        self.sizes: list[tuple[float, int]] = []
        self.broker: list[Line] = []
        self.heap: list[tuple[float, int, str, Member | None, object]] = []
        self.order = count()
        self.due = 0
        self.lookups: list[tuple[float, float]] = []

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
        held = f"MemberMetadata(memberId={member.id}, groupInstanceId=None, clientId=consumer-{GROUP}-1, clientHost=/{IPS[member.pod]}, sessionTimeoutMs=45000, rebalanceTimeoutMs=300000, supportedProtocols=List(range, cooperative-sticky))"
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
        batch = Batch(second, RNG.gauss(0.031, 0.001) * member.speed + handshake_s(second), parts)
        foreign = [index for index, (part, offset) in enumerate(each(parts)) if is_foreign(part, offset)]
        if foreign and member.pod == SLOW_POD and second > SLOW_FROM:
            batch.waits_at, batch.waits_s = foreign[0], RNG.uniform(317, 402)
            self.lookups.append((second, second + batch.waits_s))
        took = 0.004 + batch.per_event * batch.size + batch.waits_s + 0.09 * len(foreign)
        if batch.waits_s:
            self.later(second + 240 + RNG.uniform(0.2, 4.8), "watched", member, batch)
        batch.ended = second + took
        member.batch, member.state = batch, "batch"
        member.batches.append(batch)
        self.later(second + took, "finish", member, batch)
        if took > POLL_LIMIT_S:
            self.later(second + POLL_LIMIT_S + RNG.uniform(0.02, 0.1), "overdue", member, batch)

    def watched(self, second: float, member: Member, token: object) -> None:
        """Let the app's own watchdog say where the listener is."""
        batch = member.batch
        if batch is not None and batch is token:
            member.say(second, "c.e.billing.posting.ListenerWatchdog", f"{LISTENER_THREAD} has worked on one batch for {round(second - batch.begin)} s, now at\n{STACK}", level="WARN", thread="watchdog-1")

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
        took = RNG.uniform(12.1, 15.6)
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
LISTENER_THREAD = "org.springframework.kafka.KafkaListenerEndpointContainer#0-0-C-1"
STACK = """\
	at java.base/sun.nio.ch.Net.poll(Native Method)
	at java.base/sun.nio.ch.NioSocketImpl.park(NioSocketImpl.java:191)
	at java.base/sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:309)
	at java.base/sun.nio.ch.NioSocketImpl.read(NioSocketImpl.java:346)
	at java.base/sun.nio.ch.NioSocketImpl$1.read(NioSocketImpl.java:796)
	at java.base/java.net.Socket$SocketInputStream.read(Socket.java:1099)
	at java.base/sun.security.ssl.SSLSocketInputRecord.read(SSLSocketInputRecord.java:489)
	at java.base/sun.security.ssl.SSLSocketInputRecord.readHeader(SSLSocketInputRecord.java:483)
	at java.base/sun.security.ssl.SSLSocketInputRecord.bytesInCompletePacket(SSLSocketInputRecord.java:70)
	at java.base/sun.security.ssl.SSLSocketImpl.readApplicationRecord(SSLSocketImpl.java:1461)
	at java.base/sun.security.ssl.SSLSocketImpl$AppInputStream.read(SSLSocketImpl.java:1066)
	at org.apache.hc.core5.http.impl.io.SessionInputBufferImpl.fillBuffer(SessionInputBufferImpl.java:149)
	at org.apache.hc.core5.http.impl.io.SessionInputBufferImpl.readLine(SessionInputBufferImpl.java:280)
	at org.apache.hc.core5.http.impl.io.AbstractMessageParser.parse(AbstractMessageParser.java:247)
	at org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnection.receiveResponseHeader(DefaultBHttpClientConnection.java:300)
	at org.apache.hc.core5.http.impl.io.HttpRequestExecutor.execute(HttpRequestExecutor.java:187)
	at org.apache.hc.client5.http.impl.classic.InternalExecRuntime.execute(InternalExecRuntime.java:244)
	at org.apache.hc.client5.http.impl.classic.MainClientExec.execute(MainClientExec.java:107)
	at org.apache.hc.client5.http.impl.classic.ExecChainElement.execute(ExecChainElement.java:51)
	at org.apache.hc.client5.http.impl.classic.ConnectExec.execute(ConnectExec.java:198)
	at org.apache.hc.client5.http.impl.classic.ExecChainElement.execute(ExecChainElement.java:51)
	at org.apache.hc.client5.http.impl.classic.ProtocolExec.execute(ProtocolExec.java:192)
	at org.apache.hc.client5.http.impl.classic.ExecChainElement.execute(ExecChainElement.java:51)
	at org.apache.hc.client5.http.impl.classic.ContentCompressionExec.execute(ContentCompressionExec.java:150)
	at org.apache.hc.client5.http.impl.classic.ExecChainElement.execute(ExecChainElement.java:51)
	at org.apache.hc.client5.http.impl.classic.HttpRequestRetryExec.execute(HttpRequestRetryExec.java:113)
	at org.apache.hc.client5.http.impl.classic.ExecChainElement.execute(ExecChainElement.java:51)
	at org.apache.hc.client5.http.impl.classic.RedirectExec.execute(RedirectExec.java:116)
	at org.apache.hc.client5.http.impl.classic.ExecChainElement.execute(ExecChainElement.java:51)
	at org.apache.hc.client5.http.impl.classic.InternalHttpClient.doExecute(InternalHttpClient.java:174)
	at org.apache.hc.client5.http.classic.HttpClient.executeOpen(HttpClient.java:183)
	at org.springframework.http.client.HttpComponentsClientHttpRequest.executeInternal(HttpComponentsClientHttpRequest.java:99)
	at org.springframework.http.client.AbstractStreamingClientHttpRequest.executeInternal(AbstractStreamingClientHttpRequest.java:71)
	at org.springframework.http.client.AbstractClientHttpRequest.execute(AbstractClientHttpRequest.java:81)
	at org.springframework.web.client.DefaultRestClient$DefaultRequestBodyUriSpec.exchangeInternal(DefaultRestClient.java:571)
	at org.springframework.web.client.DefaultRestClient$DefaultRequestBodyUriSpec.exchange(DefaultRestClient.java:533)
	at org.springframework.web.client.DefaultRestClient$DefaultResponseSpec.executeAndExtract(DefaultRestClient.java:814)
	at org.springframework.web.client.DefaultRestClient$DefaultResponseSpec.readBody(DefaultRestClient.java:777)
	at org.springframework.web.client.DefaultRestClient$DefaultResponseSpec.body(DefaultRestClient.java:715)
	at com.example.billing.zone.VatZones.zoneOf(VatZones.java:28)
	at com.example.billing.posting.PostingListener.post(PostingListener.java:34)"""
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
            for index, (part, offset) in enumerate(each(batch.parts)):
                second += batch.per_event + (batch.waits_s if index == batch.waits_at else 0) + (0.09 if is_foreign(part, offset) else 0)
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


def zones_without(group: Group) -> None:
    """Let look-ups of ids that the registry does not know be noted, as ever."""
    for member in group.members:
        for time in arrivals(RNG, START + timedelta(minutes=2), END, 0.034):
            second = (time - START).total_seconds()
            is_busy = any(batch.begin <= second <= (batch.ended or 0) for batch in member.batches if batch.waits_s)
            if not is_busy and not any(begin < second < begin + 40 for begin, _ in RESTARTS):
                number = f"LU{RNG.randint(10**7, 10**8 - 1)}"
                member.say(second, "com.example.billing.zone.VatZones", f"no zone for {number}: 404, entry goes without", level="WARN")


def ledger_lines(posted: list[tuple[float, str, int, int, bool]]) -> list[Line]:
    """Return the ledger's sample of its requests, and what it grumbles about."""
    lines = []
    for second, _, part, offset, again in posted:
        if (offset + part * 37) % 811 == 7:
            took = RNG.gauss(24, 2)
            answer = f"200 {took:.0f}ms entry exists" if again else f"201 {took:.0f}ms"
            lines.append((at(second), f"{stamp(at(second), 'plain')} INFO POST /v1/entries key={TOPIC}-{part}@{offset} account={40000 + offset * 7919 % 51000} {answer}"))
    lines += [
        (time, f"{stamp(time, 'plain')} WARN account lock waited {RNG.randint(190, 430)}ms, account={40000 + RNG.randint(0, 50999)}, holder=month-to-date")
        for time in periodic(RNG, START + timedelta(seconds=210), END, 480, jitter_s=70)
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
    number = 804410

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
    for time in arrivals(RNG, START + timedelta(seconds=70), END, 0.2):
        say(RNG.choice(INVOICE_PODS), time, "WARN", f"pdf-{RNG.randint(1, 4)}", "c.e.invoice.document.PdfRenderer", f"INV-2026-{RNG.randint(803100, 804300)} took {RNG.randint(2004, 3900)} ms to render")
    for time in arrivals(RNG, START + timedelta(seconds=40), END, 0.055):
        say(RNG.choice(INVOICE_PODS), time, "ERROR", "scheduling-1", "c.e.invoice.mail.MailQueue", f"mail for INV-2026-{RNG.randint(803100, 804300)} not taken: 451 4.3.0 mailbox of the recipient is full, next attempt in 60 min")
    for time in arrivals(RNG, START, END, 0.4):
        path, size = RNG.choice((("GET /billing", 8902), ("GET /api/usage/today", 612), ("GET /assets/app.c09e4.js", 191077), ("GET /api/contracts", 1840)))
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
    for place, time in enumerate(periodic(RNG, START + timedelta(seconds=41.8), END, 60, jitter_s=0.6)):
        offset = 61370 + (place * 7) % 291
        why = RNG.choice(("Expecting ',' delimiter: line 1 column 178 (char 177)", "Expecting value: line 1 column 61 (char 60)", "Unterminated string starting at: line 1 column 305 (char 304)"))
        lines.append((time, f"{stamp(time, 'python')} - deadletter.replay - ERROR - {TOPIC}.DLT-0@{offset} does not parse: {why}; left where it is"))
    return lines


def rater() -> list[Line]:
    """Return what the producer says."""
    lines = []
    for time in periodic(RNG, START + timedelta(seconds=12), END, 300, jitter_s=0.2):
        second = (time - START).total_seconds()
        size = sum(produced(part, second) - produced(part, second - 300) for part in range(12))
        lines.append((time, f"{stamp(time, 'plain')} INFO {size} events acknowledged in the last 5 min, 0 retries, queue 0"))
    for begin, took, size, name in RUNS:
        for second, text in ((begin, f"run {name}: {size} events to publish"), (begin + took + 0.2, f"run {name}: done in {took:.1f} s, all acknowledged")):
            lines.append((at(second), f"{stamp(at(second), 'plain')} INFO {text}"))
    return lines


def broker_lines(group: Group) -> dict[int, list[Line]]:
    """Return the server logs of kafka-1, which coordinates the group, and kafka-2."""
    lines = {1: list(group.broker), 2: []}

    def say(broker: int, second: float, text: str, level: str = "INFO") -> None:
        lines[broker].append((at(second), f"{stamp(at(second), 'kafka')} {level} {text}"))

    for broker in (1, 2):
        for topic, part, clock in ROLLED[broker]:
            offset = produced(part, s(clock)) if topic == TOPIC else RNG.randint(10**6, 10**7)
            say(broker, s(clock), f"[LocalLog partition={topic}-{part}, dir=/var/lib/kafka/data] Rolled new log segment at offset {offset} in {RNG.randint(1, 4)} ms. (kafka.log.LocalLog)")
        for time in periodic(RNG, START + timedelta(seconds=500 + 90 * broker), END, 1800, jitter_s=4):
            say(broker, (time - START).total_seconds(), f"[SocketServer listenerType=BROKER, nodeId={broker}] Failed authentication with /10.42.11.6 (channelId=10.42.3.2{broker}:9093-10.42.11.6:{RNG.randint(33000, 60000)}-{RNG.randint(2000, 9000)}) (SSL handshake failed) (org.apache.kafka.common.network.Selector)")
    return lines


ROLLED = {
    1: (("usage.raw", 1, "13:08:55.310"), (TOPIC, 4, "13:36:17.402"), ("invoice.mail", 1, "14:00:51.833"), (TOPIC, 1, "14:34:40.027"), ("usage.raw", 4, "14:55:03.919")),
    2: (("usage.raw", 2, "13:19:33.104"), (TOPIC, 11, "13:52:08.715"), ("usage.raw", 5, "14:11:26.660"), (TOPIC, 2, "14:47:12.288")),
}


def cluster_events() -> list[Line]:
    """Return what the cluster reports: the restart of the consumers, and a probe that is slow now and then."""
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
    for time in arrivals(RNG, START + timedelta(minutes=3), END, 0.07):
        pod, ip = RNG.choice(tuple(zip(INVOICE_PODS, ("10.42.5.41", "10.42.8.29"), strict=True)))
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
    for part in (8, 9):
        add(f'kafka_consumergroup_lag{{{labels},partition="{part}"}}', "kafka", "records", [lag[part] for lag in lags])
    sizes = [(-1.0, 6), *group.sizes]
    add(f'kafka_consumergroup_members{{consumergroup="{GROUP}"}}', "kafka", "members", [[size for second, size in sizes if second <= minute][-1] for minute in scraped])
    add('kafka_consumergroup_lag_sum{consumergroup="invoice-mail",topic="invoice.mail"}', "kafka", "records", gauge(RNG, MINUTES, 2, 1.5))
    add('kafka_consumergroup_members{consumergroup="invoice-mail"}', "kafka", "members", [2] * MINUTES)
    for part in (8, 9):
        add(f'kafka_topic_partition_current_offset{{topic="{TOPIC}",partition="{part}"}}', "kafka", "offset", [produced(part, second) for second in scraped])
    add(f'kafka_topic_partition_under_replicated_partition{{topic="{TOPIC}",partition="8"}}', "kafka", "partitions", [0] * MINUTES)
    for broker in (0, 1, 2):
        add(f'kafka_network_requestmetrics_totaltimems{{request="Produce",quantile="0.99",pod="kafka-{broker}"}}', "kafka", "ms", gauge(RNG, MINUTES, 6.2 + broker, 0.7, low=3, digits=1))
    for broker in (0, 1, 2):
        add(f'container_cpu_usage_seconds_total{{pod="kafka-{broker}"}}', "kafka", "s", counter(RNG, MINUTES, 18 + broker, start=RNG.randint(400, 900), spread=0.05))
    for name, unit, values in consumer_series(group, posted, minutes):
        add(name, "billing-consumer", unit, values)
    for code, wanted in (("201", False), ("200", True)):
        add(f'http_request_duration_seconds_count{{route="/v1/entries",code="{code}"}}', "ledger", "requests", counted([at(second) for second, _, _, _, again in posted if again is wanted], START, 60, MINUTES, first=688 if wanted else 97_402_118))
    add('http_request_duration_seconds{route="/v1/entries",quantile="0.99"}', "ledger", "s", gauge(RNG, MINUTES, 0.041, 0.003, digits=3))
    add('container_cpu_usage_seconds_total{pod="ledger-6c9f7b8d54-n2qxk"}', "ledger", "s", counter(RNG, MINUTES, lambda minute: 11 + 120 * handshake_s(minutes[minute]), start=2210, spread=0.06))
    add("invoices_held", "invoice-api", "invoices", [held_now(done, second) for second in minutes])
    add("invoices_issued_total", "invoice-api", "invoices", counted(done.issued, START, 60, MINUTES, first=20_917))
    add(f'deadletter_parse_errors_total{{topic="{TOPIC}.DLT"}}', "dead-letter-replay", "errors", [53_882 + n for n in range(MINUTES)])
    return out


def consumer_series(group: Group, posted: list[tuple[float, str, int, int, bool]], minutes: list[float]) -> list[tuple[str, str, Sequence[float | None]]]:
    """Return what the consumers report of themselves: name, unit and values of each series."""
    out: list[tuple[str, str, Sequence[float | None]]] = []

    def add(name: str, unit: str, values: Sequence[float | None]) -> None:
        out.append((name, unit, values))

    for member in (group.members[0], group.members[2], group.members[4]):
        ago: list[float | None] = []
        for second in minutes:
            last = bisect_left(member.polls, second)
            is_up = not any(begin < second < begin + 26 for begin, _ in RESTARTS)
            ago.append(round(second - member.polls[last - 1], 1) if last and is_up else (None if not is_up else 0.3))
        add(f'kafka_consumer_last_poll_seconds_ago{{client_id="consumer-{GROUP}-1",pod="{member.pod}"}}', "s", ago)
    for member in (group.members[2], group.members[4]):
        add(f'kafka_consumer_coordinator_rebalance_total{{client_id="consumer-{GROUP}-1",pod="{member.pod}"}}', "rebalances", since_start(member, minutes, member.rebalances, 5))
        ends = [(batch.ended or 0.0, (batch.ended or 0.0) - batch.begin, batch.begin, batch.size) for batch in member.batches]
        add(f'spring_kafka_listener_seconds_max{{name="{GROUP}-0",result="success",pod="{member.pod}"}}', "s", [round(max((took for end, took, _, _ in ends if second - 180 < end <= second), default=0.0), 3) for second in minutes])
        add(f'billing_poll_events_max{{pod="{member.pod}"}}', "events", [max((size for _, _, begin, size in ends if second - 180 < begin <= second), default=0) for second in minutes])
        longest = gauge(RNG, MINUTES, 0.12, 0.025, low=0.07, digits=3)
        recent = [max((batch.waits_s for batch in member.batches if batch.waits_s and second - 180 < (batch.ended or 0) <= second), default=0.0) for second in minutes]
        add(f'http_client_requests_seconds_max{{client_name="registry.example.invalid",uri="/v2/zones/{{id}}",pod="{member.pod}"}}', "s", [round(max(one, other), 3) for one, other in zip(longest, recent, strict=True)])
        times = [second for second, pod, _, _, _ in posted if pod == member.pod]
        calls = since_start(member, minutes, times, 193_406)
        if member.pod != PODS[4]:
            continue
        add(f'http_client_requests_seconds_count{{client_name="ledger",uri="/v1/entries",pod="{member.pod}"}}', "requests", calls)
        add(f'http_client_requests_seconds_sum{{client_name="ledger",uri="/v1/entries",pod="{member.pod}"}}', "s", [None if value is None else round(value * (0.0271 + handshake_s(second)), 1) for second, value in zip(minutes, calls, strict=True)])
        add(f'http_client_requests_seconds_max{{client_name="ledger",uri="/v1/entries",pod="{member.pod}"}}', "s", gauge(RNG, MINUTES, lambda minute: 0.052 + 2 * handshake_s(minutes[minute]), 0.006, digits=3))
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

ROUND_TRIPS = "d30b86f1a5c7429e80fd6b3172e94ac05f1d8b67"
ACKS = "71fe0c2b9d8a45316cb7f09ae2d5184b36a0ce95"
POOLED = "0a9c5e74d1f2836b45e80c7f93ad61b2e47f5d08"
ZONES = "b56d1f38e0a7942c8d13f6057be9a42c70d8e1f3"
WATCHDOG = "48e7a2d90c6f15b3ae27d84c19f06b5e83d2a7c4"
DRAFT_TEXT = "f92b07c4e6a13d58709be2f41c6d85a03e17b9d2"
TABLE = "3dc8f61a07b4e295c18a60f3d7e92b5440a6fc1e"

CONFIG_BEFORE = """\
# billing-consumer, prod
spring:
  application:
    name: billing-consumer
  kafka:
    bootstrap-servers: kafka-0.kafka.example.invalid:9092,kafka-1.kafka.example.invalid:9092
    consumer:
      group-id: billing-events
      enable-auto-commit: false
      max-poll-records: 500
      fetch-max-wait: 500ms
    listener:
      type: batch
      ack-mode: batch
"""
CONFIG_AFTER = CONFIG_BEFORE.replace("max-poll-records: 500\n", "max-poll-records: 2000\n")
PRODUCER_BEFORE = """\
package publish

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func options(seeds []string) []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(seeds...),
		kgo.DefaultProduceTopic("billing.events"),
		kgo.RequiredAcks(kgo.LeaderAck()),
		kgo.DisableIdempotentWrite(),
		kgo.ProducerLinger(200 * time.Millisecond),
	}
}
"""
PRODUCER_AFTER = (
    PRODUCER_BEFORE.replace("kgo.RequiredAcks(kgo.LeaderAck()),\n		kgo.DisableIdempotentWrite()", "kgo.RequiredAcks(kgo.AllISRAcks())")
    .replace("200 * time.Millisecond", "50 * time.Millisecond")
)
PRODUCER_TEST = """\
package publish

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestNothingIsLostWithTheLeader publishes while the leader of the partition goes away.
func TestNothingIsLostWithTheLeader(t *testing.T) {
	const events = 2_000
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(1, "billing.events"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	client, err := kgo.NewClient(options(cluster.ListenAddrs())...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for n := range events {
		if n == events/2 {
			if err := cluster.MoveTopicPartition("billing.events", 0, 2); err != nil {
				t.Fatal(err)
			}
		}
		client.Produce(ctx, &kgo.Record{Key: []byte(fmt.Sprint(n % 7)), Value: []byte(fmt.Sprint(n))}, func(_ *kgo.Record, err error) {
			if err != nil {
				t.Errorf("event was not acknowledged: %v", err)
			}
		})
	}
	if err := client.Flush(ctx); err != nil {
		t.Fatal(err)
	}

	seen := readAll(t, ctx, cluster, "billing.events")
	if len(seen) != events {
		t.Errorf("published %d events, found %d", events, len(seen))
	}
	// Each event once: more would mean that a retry was written beside the first attempt,
	// which is what the idempotent producer is there to prevent.
	for n := range events {
		if seen[fmt.Sprint(n)] != 1 {
			t.Errorf("event %d is there %d times", n, seen[fmt.Sprint(n)])
		}
	}
}

// TestEventsDoNotLinger publishes a single event and waits no longer than a person would notice.
func TestEventsDoNotLinger(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "billing.events"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	client, err := kgo.NewClient(options(cluster.ListenAddrs())...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	begun := time.Now()
	if err := client.ProduceSync(context.Background(), &kgo.Record{Value: []byte("1")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 300*time.Millisecond {
		t.Errorf("one event took %s", took)
	}
}

// readAll reads the topic from its start until nothing comes any more, and returns how often
// each value is in it; a value that is in it twice was written twice.
func readAll(t *testing.T, ctx context.Context, cluster *kfake.Cluster, topic string) map[string]int {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.ConsumeTopics(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	seen := map[string]int{}
	for fetched := client.PollFetches(ctx); !fetched.Empty(); fetched = client.PollFetches(ctx) {
		fetched.EachRecord(func(record *kgo.Record) { seen[string(record.Value)]++ })
	}
	return seen
}
"""
LEDGER_CLIENT_BEFORE = """\
package com.example.billing.posting;

import com.example.billing.event.BillingEvent;
import java.time.Duration;
import org.springframework.http.MediaType;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Posts entries to the ledger, one request an entry. */
@Component
class LedgerClient {

    private final RestClient http;

    LedgerClient(RestClient.Builder builder, LedgerProperties properties) {
        SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
        requests.setConnectTimeout(Duration.ofSeconds(1));
        requests.setReadTimeout(Duration.ofSeconds(4));
        this.http = builder.baseUrl(properties.url())
                .defaultHeader("Connection", "close")
                .requestFactory(requests)
                .build();
    }

    void post(String key, BillingEvent event) {
"""
LEDGER_CLIENT_AFTER = """\
package com.example.billing.posting;

import com.example.billing.event.BillingEvent;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.util.TimeValue;
import org.springframework.http.MediaType;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Posts entries to the ledger, one request an entry, over a connection that is kept. */
@Component
class LedgerClient {

    private final RestClient http;

    LedgerClient(RestClient.Builder builder, LedgerProperties properties) {
        PoolingHttpClientConnectionManager connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setTimeToLive(TimeValue.ofHours(12))
                        .setValidateAfterInactivity(TimeValue.NEG_ONE_MILLISECOND)
                        .build())
                .setMaxConnPerRoute(1)
                .build();
        HttpComponentsClientHttpRequestFactory requests = new HttpComponentsClientHttpRequestFactory(
                HttpClients.custom().setConnectionManager(connections).build());
        this.http = builder.baseUrl(properties.url()).requestFactory(requests).build();
    }

    void post(String key, BillingEvent event) {
"""
LEDGER_TEST_AFTER = """\
package com.example.billing.posting;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LedgerConnectionsTest {

    private final FakeLedger server = FakeLedger.start();
    private final LedgerClient client = server.client();

    @Test
    void fiftyPostingsNeedOneConnection() {
        for (int offset = 0; offset < 50; offset++) {
            client.post("billing.events-3@" + offset, server.anEvent());
        }

        assertThat(server.connections()).isEqualTo(1);
    }
}
"""
LISTENER_BEFORE = """\
package com.example.billing.posting;

import com.example.billing.event.BillingEvent;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/** Posts each billing event to the ledger, under a key that makes a second posting harmless. */
@Component
class PostingListener {

    private final LedgerClient ledger;
    private final PollMetrics polls;

    PostingListener(
            LedgerClient ledger, PollMetrics polls) {
        this.ledger = ledger;
        this.polls = polls;
    }

    @KafkaListener(topics = "billing.events")
    void post(List<ConsumerRecord<String, BillingEvent>> records) {
        polls.brought(records.size());
        for (ConsumerRecord<String, BillingEvent> record : records) {
            ledger.post(keyOf(record), record.value());
        }
    }

    private static String keyOf(ConsumerRecord<?, ?> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }
}
"""
LISTENER_WATCHED = (
    LISTENER_BEFORE.replace("    private final PollMetrics polls;\n", "    private final PollMetrics polls;\n    private final ListenerWatchdog watchdog;\n")
    .replace("PollMetrics polls) {\n", "PollMetrics polls, ListenerWatchdog watchdog) {\n")
    .replace("        this.polls = polls;\n", "        this.polls = polls;\n        this.watchdog = watchdog;\n")
    .replace("        for (ConsumerRecord", "        watchdog.begin();\n        for (ConsumerRecord")
    .replace("            ledger.post(keyOf(record), record.value());\n        }\n", "            ledger.post(keyOf(record), record.value());\n        }\n        watchdog.end();\n")
)
LISTENER_AFTER = (
    LISTENER_WATCHED.replace("import java.util.List;\n", "import com.example.billing.zone.VatZones;\nimport java.util.List;\n")
    .replace("    private final ListenerWatchdog watchdog;\n", "    private final ListenerWatchdog watchdog;\n    private final VatZones zones;\n")
    .replace("ListenerWatchdog watchdog) {\n", "ListenerWatchdog watchdog, VatZones zones) {\n")
    .replace("        this.watchdog = watchdog;\n", "        this.watchdog = watchdog;\n        this.zones = zones;\n")
    .replace(
        "            ledger.post(keyOf(record), record.value());\n",
        """\
            BillingEvent event = record.value();
            if (event.zone() == null && event.vatId() != null) {
                event = event.in(zones.zoneOf(event.vatId()));
            }
            ledger.post(keyOf(record), event);
""",
    )
)
ZONES_AFTER = """\
package com.example.billing.zone;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

/** The zone of a customer abroad, from the registry. */
@Component
public class VatZones {

    private static final Logger log = LoggerFactory.getLogger(VatZones.class);
    private final RestClient registry;

    VatZones(RestClient.Builder builder, ZoneProperties properties) {
        HttpComponentsClientHttpRequestFactory requests = new HttpComponentsClientHttpRequestFactory();
        requests.setConnectTimeout(Duration.ofSeconds(2));
        requests.setConnectionRequestTimeout(Duration.ofSeconds(2));
        this.registry = builder.baseUrl(properties.url()).requestFactory(requests).build();
    }

    /** Returns the zone of the id, or null where the registry has none. */
    public String zoneOf(String vatId) {
        try {
            return registry.get().uri("/v2/zones/{id}", vatId).retrieve().body(Zone.class).code();
        } catch (HttpClientErrorException.NotFound unknown) {
            log.warn("no zone for {}: 404, entry goes without", vatId);
            return null;
        }
    }

    record Zone(String code) {}
}
"""
WATCHDOG_AFTER = """\
package com.example.billing.posting;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Says where the listener thread is while it works on one batch for long.
 *
 * <p>The next poll is due five minutes after the last one; until then there is time to see which
 * record the loop is at, and with what.
 */
@Component
class ListenerWatchdog {

    private static final Logger log = LoggerFactory.getLogger(ListenerWatchdog.class);
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private volatile Thread listener;
    private volatile Instant begun;
    private volatile boolean told;

    void begin() {
        listener = Thread.currentThread();
        told = false;
        begun = Instant.now();
    }

    void end() {
        begun = null;
    }

    @Scheduled(fixedDelay = 5_000, scheduler = "watchdog")
    void look() {
        Instant since = begun;
        if (since == null || told || Instant.now().isBefore(since.plus(PATIENCE))) {
            return;
        }
        told = true;
        log.warn("{} has worked on one batch for {} s, now at\\n{}", listener.getName(),
                Duration.between(since, Instant.now()).toSeconds(),
                Arrays.stream(listener.getStackTrace())
                        .filter(frame -> !frame.getClassName().startsWith("jdk.internal"))
                        .limit(41)
                        .map(frame -> "\\tat " + frame)
                        .collect(Collectors.joining("\\n")));
    }
}
"""
DRAFT_BEFORE = "\n" * 57 + """\
    List<Draft> due(Instant now) {
        return accounts.dueBefore(now).stream()
                .map(account -> draft(account, now))
                .toList();
    }
"""
DRAFT_AFTER = DRAFT_BEFORE.replace(".dueBefore(now).stream()\n", ".dueBefore(now).stream()\n                .sorted(comparing(Account::invoicedUntil))\n")
TABLE_BEFORE = """\
.invoice-list .amount {
  text-align: right;
}
"""
TABLE_AFTER = TABLE_BEFORE.replace("  text-align: right;\n", "  text-align: right;\n  font-variant-numeric: tabular-nums;\n")


def changes() -> list[dict[str, object]]:
    """Return what was changed, by time."""
    source = "src/main/java/com/example/billing"
    return [
        {
            "type": "commit", "sha": ACKS, "time": "2026-11-05T13:26:41Z", "author": "p.adeyemi", "service": "usage-rater",
            "message": "Wait for all replicas, linger less\n\nBilling events are money; a leader that dies must not take some with it. Idempotent\nwrites come with it, so the retries need no care of ours; the shorter linger makes up\nfor the wait. The test starts three brokers and takes the leader away.\n",
            "diff": unified_diff({"publish/options.go": (PRODUCER_BEFORE, PRODUCER_AFTER), "publish/options_test.go": ("", PRODUCER_TEST)}),
        },
        {"type": "deploy", "time": "2026-11-06T08:15:22Z", "service": "usage-rater", "version": "2.23.0", "sha": ACKS, "author": "p.adeyemi"},
        {
            "type": "commit", "sha": ROUND_TRIPS, "time": "2026-11-07T10:14:33Z", "author": "j.marchetti", "service": "billing-consumer",
            "message": "Fewer round trips after a restart\n\nWhat gathers while we are down is fetched in one go anyway. Staging has had it for a\nweek, and the board shows no difference in the time between two polls.\n",
            "diff": unified_diff({f"billing-consumer/application-{stage}.yaml": (CONFIG_BEFORE.replace("prod", stage), CONFIG_AFTER.replace("prod", stage)) for stage in ("prod", "staging")}, context=5),
        },
        {"type": "deploy", "time": "2026-11-07T11:02:10Z", "service": "billing-consumer", "version": "3.46.1", "author": "release-bot", "message": "Restart with configuration revision 431, image as before"},
        {
            "type": "commit", "sha": WATCHDOG, "time": "2026-11-10T08:52:19Z", "author": "h.lindqvist", "service": "billing-consumer",
            "message": "Say where a listener is after four minutes\n\nSo that nobody has to be awake to take a thread dump. Four minutes, because the group\ngives us five; it looks every five seconds and speaks once a batch, nothing more.\n",
            "diff": unified_diff({f"{source}/posting/ListenerWatchdog.java": ("", WATCHDOG_AFTER), f"{source}/posting/PostingListener.java": (LISTENER_BEFORE, LISTENER_WATCHED)}),
        },
        {
            "type": "commit", "sha": ZONES, "time": "2026-11-10T15:37:04Z", "author": "a.benchekroun", "service": "billing-consumer",
            "message": "Ask the registry for the zone of customers abroad\n\nContracts that came over from the old shop have a VAT id and no zone, and finance\nadds some forty a day by hand.\n",
            "diff": unified_diff({f"{source}/posting/PostingListener.java": (LISTENER_WATCHED, LISTENER_AFTER), f"{source}/zone/VatZones.java": ("", ZONES_AFTER)}),
        },
        {"type": "deploy", "time": "2026-11-11T08:40:26Z", "service": "billing-consumer", "version": "3.48.0", "sha": ZONES, "author": "release-bot"},
        {
            "type": "commit", "sha": POOLED, "time": "2026-11-11T17:41:57Z", "author": "h.lindqvist", "service": "billing-consumer",
            "message": "Keep the connection to the ledger\n\nMore than a third of a posting was the handshake since mutual TLS came. One connection\na pod is enough for one listener, and the ledger keeps its end open for a day, so that we\nneed not ask first whether it still stands.\n",
            "diff": unified_diff({f"{source}/posting/LedgerClient.java": (LEDGER_CLIENT_BEFORE, LEDGER_CLIENT_AFTER), "src/test/java/com/example/billing/posting/LedgerConnectionsTest.java": ("", LEDGER_TEST_AFTER)}),
        },
        {
            "type": "commit", "sha": DRAFT_TEXT, "time": "2026-11-12T12:53:12Z", "author": "o.ferreira", "service": "invoice-api",
            "message": "Draft the oldest invoices first\n\nSupport asked for it: who has waited longest complains first.\n",
            "diff": unified_diff({"src/main/java/com/example/invoice/draft/DraftService.java": (DRAFT_BEFORE, DRAFT_AFTER)}),
        },
        {"type": "deploy", "time": "2026-11-12T13:24:35Z", "service": "billing-consumer", "version": "3.49.0", "sha": POOLED, "author": "release-bot"},
        {
            "type": "commit", "sha": TABLE, "time": "2026-11-12T14:31:06Z", "author": "y.tanaka", "service": "customer-portal",
            "message": "Line up amounts\n",
            "diff": unified_diff({"src/styles/invoices.css": (TABLE_BEFORE, TABLE_AFTER)}),
        },
        {"type": "deploy", "time": "2026-11-12T14:42:50Z", "service": "customer-portal", "version": "9.6.0", "sha": TABLE, "author": "release-bot"},
    ]  # fmt: skip


ALERTS = [
    {"time": "2026-11-12T13:14:00Z", "service": "ledger", "metric": "http_request_duration_seconds_count", "summary": "Twice the usual postings a minute"},
    {"time": "2026-11-12T14:22:30Z", "service": "invoice-api", "metric": "invoices_held", "summary": "More than 10 invoices held for 10 minutes"},
]

# --- truth ---

EXPECTED = {
    "service": "billing-consumer",
    "also_ok": ["billing-consumer-4", "billing-events"],
    "victims": ["ledger", "invoice-api", "customer-portal", "kafka"],
    "onset": "",
    "cause": [
        [
            "vat", "vat zone*", "zone*", "registry", "look up*", "lookup*", "looks up", "looked up", "looking up", "enrich*", "http call*", "https call*", "http request*", "rest call*", "rest client",
            "remote call*", "external call*", "external api", "synchronous call*", "outbound call*", "outbound request*", "third party call*", "http client", "network call*",
        ],
        [
            "no timeout*", "no read timeout", "no response timeout", "no socket timeout", "no * timeout", "without timeout*", "without any timeout", "without * timeout*", "missing timeout*", "missing * timeout", "lack* timeout*", "lack* * timeout",
            "timeout* missing", "timeout* not set", "timeout* never set", "timeout* not configured", "not set * timeout", "never set* * timeout", "not configure * timeout", "timeout* absent", "not have * timeout", "no deadline", "without * deadline",
            "never times out", "not time out", "unbounded", "infinite*", "indefinite*", "unlimited wait*", "block*", "hang*", "hung", "stuck", "stall*", "waits forever", "wait* for ever", "wait* minutes", "waits for minutes", "wait* without limit", "take* minutes",
            "minutes to answer", "minutes for an answer", "never return*", "synchronously", "exceed* poll interval", "exceed* * poll interval", "longer than * poll interval", "past * poll interval", "synchronous* inside", "not return*", "no answer", "unanswered",
        ],
    ],
    "must_not": [
        "poll records too", "poll records raised", "poll records increased", "poll records is too", "raised * poll records", "raising * poll records", "increased max poll records", "increase * poll records", "high max poll records", "500 to 2000",
        "too many records", "too many events", "2000 records", "2000 events", "batch* too large", "batch* too big", "batch* are too", "batch* is too", "large batch*", "larger batch*", "oversize* batch*", "batch size too",
        "ledger client block*", "ledger client hang*", "ledger client wait*", "ledger call* block*", "ledger call* hang*", "ledger call* wait*", "ledger hang*", "ledger is slow", "ledger slow*", "ledger became slow*", "ledger does not answer", "slow ledger", "ledger connection* block*", "ledger connection* hang*", "ledger connection* stuck",
        "ledger connection* went stale", "ledger connection* stale", "stale ledger", "stale connection * ledger", "stale * connection * ledger", "dead ledger", "dead connection * ledger", "half open ledger", "half open connection * ledger", "kept ledger connection*", "kept connection * ledger", "hang* on the kept connection", "hang* on a dead connection", "dead connection hang*", "half open connection hang*",
        "ledger client is stuck", "ledger client stuck", "ledger client stall*", "ledger client never times out", "ledger http client", "http client for the ledger", "http client to the ledger", "pooled http client", "pooled ledger client hang*", "postings hang*", "postings block*", "a posting hang*", "posting to the ledger hang*", "posting to the ledger block*", "posts to the ledger hang*",
        "one connection per pod", "one connection a pod", "single connection * ledger", "single pooled connection", "dropped * timeouts", "timeouts dropped",
        "connection pool exhaust*", "pool * exhausted", "pooled connections to the ledger block*", "keep alive connections to the ledger",
        "broker upgrade caused", "broker upgrade broke", "kafka upgrade caused", "kafka upgrade broke", "upgrade hang*", "upgrade block*", "kafka 3.9.1 broke", "since the broker upgrade", "broker* unstable", "unstable broker*", "coordinator is down", "coordinator unavailable", "coordinator stuck", "network partition", "network instability",
        "watchdog block*", "watchdog hang*", "watchdog caused", "watchdog slow*", "watchdog thread stuck", "thread dump* slow*", "stack trace* slow*",
        "too few consumers", "too few members", "not enough consumers", "poison message*", "dead letter* block*", "parse error* cause*", "all replicas block*", "acks all block*", "waits for all replicas", "poll interval shortened", "poll interval lowered", "poll interval is too short", "poll interval too short",
        "404 block*", "404 answers block*",
    ],
    "commit": ZONES,
}  # fmt: skip

DISTRACTORS = [
    {"commit": ROUND_TRIPS, "why": "the setting that the warning names, but live for five days; the batches that time out hold one or two events, and 407 at once took another pod 13 seconds"},
    {"commit": POOLED, "why": "another HTTP client in the same loop, for every event, and nearest to onset in the service; it lost its limits, but its calls are shorter since and its longest one is flat, and the stuck frames are not its"},
    {"commit": WATCHDOG, "why": "it only tells, every time after the thread has stood still for four minutes"},
    {"commit": ACKS, "why": "concerns producers; what is published and the lag of the other members are as before"},
    {"commit": DRAFT_TEXT, "why": "the newest before onset, in the service that complains most; the order of drafts, and not rolled out"},
    {"commit": TABLE, "why": "the newest commit, after onset; a style"},
    {"noise": "dead letters that do not parse", "match": r"DLT-0@\d+ does not parse", "why": "one a minute, before and after"},
    {"noise": "VAT ids that the registry does not know", "match": r"no zone for [A-Z]{2}\d+: 404", "why": "on all six pods since the release, at the same rate; an answer, not a wait"},
    {"noise": "mail that a full mailbox refuses", "match": r"mail for INV-\d+-\d+ not taken: 451", "why": "as old as the mail queue, the same rate throughout"},
]

EXAMPLES = {
    "right": [
        "The VAT zone look-up in the listener has no read timeout; on billing-consumer-4 it waits minutes for the registry and the poll interval runs out",
        "A blocking HTTP call to the registry inside the poll loop hangs for over five minutes on one member",
        "VatZones.zoneOf calls the registry synchronously without a read timeout, so one listener thread is stuck in a socket read",
        "The enrichment call added with 3.48.0 blocks the poll loop of one consumer; max.poll.records plays no part",
        "Registry lookups hang and nothing limits the answer: the request factory has connect timeouts, but no read timeout",
        "billing-consumer-4 is stuck in an outbound request to the VAT registry, misses its poll deadline and leaves the group again and again",
        "No timeout on the external call that fetches VAT zones, hence one event takes six minutes",
        "The REST client for zones never times out; a slow answer keeps the Kafka listener from polling",
        "An unbounded remote call per event in PostingListener stalls one of the six members",
        "The zone look-up waits for an answer of the registry indefinitely and the coordinator loses the member",
        "Missing response timeout in VatZones. The batches are tiny, one or two events each.",
        "The registry look-up hangs without a read timeout. The ledger client lost its limits as well, but answers in 50 ms",
        "The lookup of VAT ids blocks the consumer thread; the poll settings are unchanged for days",
        "HTTP request to the registry hangs on one pod because no socket timeout was configured for it",
        "The new synchronous call for customers abroad takes minutes on one pod, which exceeds max.poll.interval.ms",
    ],
    "wrong": [
        "max.poll.records was raised from 500 to 2000, so a batch takes longer than the poll interval and the consumer hangs in its HTTP calls",
        "Batches are too large for max.poll.interval.ms and block the poll loop",
        "The consumer group billing-events rebalances every six minutes",
        "One consumer misses max.poll.interval.ms and is removed from the group",
        "The ledger is slow, so HTTP calls block the listener",
        "The pooled ledger client hangs: its HTTP call never returns",
        "The kept ledger connection went stale and, with its check switched off and no read timeout, the HTTP call blocks the listener",
        "With 3.49.0 the ledger HTTP client never times out and the consumer is stuck in a network call",
        "One connection per pod to the ledger: the listener thread blocks waiting for an HTTP call",
        "The broker upgrade caused lookups of the coordinator to hang",
        "The watchdog blocks the listener thread and slows the lookups down",
        "invoice-api holds invoices because entries are late",
        "Unknown VAT ids answered with 404 make entries go without a zone",
        "max.poll.interval.ms is too short for registry look-ups that block",
        "The zone look-up is not blocked and has a timeout",
        "A hanging registry call was ruled out",
        "Either the registry lookup hangs or the poll batches are the problem",
        "A network partition between billing-consumer-4 and the coordinator makes requests hang",
        "Dead letters that do not parse block the partition during enrichment",
        POLL_TIMEOUT,
        "The registry does not know all VAT ids",
        "The zone look-up answers at once, so the listener polls too often",
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
    onset = at(min(begin for begin, _ in group.lookups))
    posted = events_of(group)
    summaries(group, posted)
    zones_without(group)
    done = invoices(complete_until(posted))
    brokers = broker_lines(group)
    streams: list[tuple[str, str, str, list[Line]]] = [
        ("dead-letter-replay", "dead-letter-replay-0", "python", dead_letters()),
        ("usage-rater", "usage-rater-75d9c8f6b4-pz3kt", "plain", rater()),
        ("kafka", "kafka-1", "kafka", brokers[1]),
        ("kafka", "kafka-2", "kafka", brokers[2]),
        *(("billing-consumer", member.pod, "spring-boot", member.lines) for member in group.members),
        ("ledger", "ledger-6c9f7b8d54-n2qxk", "plain", ledger_lines(posted)),
        *(("invoice-api", pod, "spring-boot", done.api[pod]) for pod in INVOICE_PODS),
        ("customer-portal", "customer-portal-6f5d8c7b99-jw2hs", "nginx-access", done.portal),
        ("kubernetes", "billing-prod", "kubernetes-event", cluster_events()),
    ]
    logs = [
        {"service": service, "host": host, "format": layout, **({"zone": "+00:00"} if layout in {"kafka", "python"} else {}), "lines": stream_text(line for line in lines if START <= line[0] < END)}
        for service, host, layout, lines in streams
    ]
    document = {
        "schema": "rcabench/1",
        "id": "kafka-rebalance-loop-blocking-call",
        "title": "Blocking HTTP call inside the Kafka poll loop",
        "kind": "bad_deploy",
        "difficulty": "hard",
        "canary": "rcabench canary c47e09d25b8f4163927ad1f5e0836bca",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": logs,
        "metrics": metrics(group, posted, done),
        "changes": changes(),
        "alerts": ALERTS,
        "expected": EXPECTED | {"onset": rfc3339(onset)},
        "distractors": DISTRACTORS,
        "said_in_evidence": [
            {"phrase": "registry", "why": "the host of the client in Micrometer's series of every pod"},
            {"phrase": "vat", "why": "the class that warns of unknown ids, and the frame of a stack, bear it"},
            {"phrase": "zone*", "why": "as old as the warning of unknown ids"},
            {"phrase": "rest client", "why": "Spring's frame in a stack"},
            {"phrase": "http client", "why": "frame of the HTTP library in a stack, and prefix of its series"},
            {"phrase": "http request*", "why": "prefix of the ledger's series and part of Spring's class name"},
        ],
        "twin_of": "kafka-rebalance-loop",
        "examples": EXAMPLES,
    }
    write(document, Path(__file__).parents[1] / "held_out" / "kafka-rebalance-loop-blocking-call.yaml")


if __name__ == "__main__":
    main()
