"""Write `held_out/kafka-rebalance-loop-expected.yaml`: a release passes through a consumer group, two pods at a time.

The consumer group is simulated as in the twins; here it rebalances six times in well under a minute because six
members leave and come back, and what a day's usage brings later is worked off in seconds.
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
RNG = random.Random(4919)
START, END = utc("2026-11-24T08:00:00Z"), utc("2026-11-24T10:00:00Z")
SECONDS = (END - START).total_seconds()
MINUTES = 120
GROUP, TOPIC, OFFSETS = "billing-events", "billing.events", "__consumer_offsets-27"
COORDINATOR = "kafka-1.kafka.example.invalid:9092 (id: 2147483646 rack: null)"
PODS = tuple(f"billing-consumer-{n}" for n in range(6))
IPS = dict(zip(PODS, ("10.42.2.14", "10.42.3.18", "10.42.4.27", "10.42.5.33", "10.42.6.20", "10.42.7.39"), strict=True))
INVOICE_PODS = ("invoice-api-84f6d9b7c5-b5gzn", "invoice-api-84f6d9b7c5-m8xrt")


def s(clock: str) -> float:
    """Return the seconds from the window's start to *clock*."""
    return (utc(f"2026-11-24T{clock}Z") - START).total_seconds()


def at(second: float) -> datetime:
    """Return the time *second* seconds into the window."""
    return START + timedelta(seconds=second)


# The stateful set is updated from its highest ordinal down, two pods at a time.
VERSION = "3.52.0"
DOWN = {f"billing-consumer-{n}": s("09:02:13.2") + 14.1 * ((5 - n) // 2) for n in range(6)}
PAUSE_S = 9.6
RUNS = (
    (s("08:10:00.4"), 9.0, 31_218, "hourly-rating hour=07"),
    (s("09:10:00.3"), 9.3, 32_077, "hourly-rating hour=08"),
    (s("09:25:00.5"), 36.0, 118_640, "daily-rating day=2026-11-23"),
)
SHARE = tuple(RNG.uniform(0.9, 1.1) / 12 for _ in range(12))
FIRST = tuple(RNG.randint(21_300_000, 22_600_000) for _ in range(12))
BASE_PER_S = 33.0
EPOCHS = [24, 26, 25] * 4


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


def is_down(pod: str, second: float) -> bool:
    """Return whether *pod* is not there to be asked."""
    return DOWN[pod] < second < DOWN[pod] + PAUSE_S + 8


def per_poll(pod: str, second: float) -> int:
    """Return how many records a poll of *pod* may bring."""
    return 200 if second < DOWN[pod] + 5 else 2000


def beat_s(second: float) -> float:
    """Return how often a member sends a heartbeat."""
    del second
    return 3.0


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
        self.state, self.generation = "Empty", 264
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
        held = f"MemberMetadata(memberId={member.id}, groupInstanceId=None, clientId=consumer-{GROUP}-1, clientHost=/{IPS[member.pod]}, sessionTimeoutMs=45000, rebalanceTimeoutMs=300000, supportedProtocols=List(range, cooperative-sticky))"
        self.log(told + 0.001, f"Member {held} has left group {GROUP} through explicit `LeaveGroup`; {reason}")
        member.id, member.rejoin = "", True
        self.resize(told)
        self.settle(told)

    def join(self, second: float, member: Member) -> None:
        """Send a JoinGroup of *member*, which gives up what it owns first."""
        if member.owned:
            revoked = names(member.owned)
            member.kafka(second, f"Revoke previously assigned partitions {revoked}", INVOKER)
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
        room, parts = per_poll(member.pod, second), []
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
        batch = Batch(second, RNG.gauss(0.0066, 0.0003) * member.speed, parts)
        took = 0.044 + batch.per_event * batch.size
        batch.ended = second + took
        member.batch, member.state = batch, "batch"
        member.batches.append(batch)
        self.later(second + took, "finish", member, batch)

    def finish(self, second: float, member: Member, token: object) -> None:
        """Commit a batch."""
        batch = member.batch
        if batch is None or batch is not token:
            return
        member.batch, member.state = None, "ready"
        self.committed.update({part: after for part, _, after in batch.parts})
        self.commits.append((second, dict(self.committed)))
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
        took = RNG.uniform(5.5, 5.62)
        member.ups.append(second + took)
        member.say(second, "c.e.billing.BillingConsumerApplication", f"Starting BillingConsumerApplication v{token} using Java 21.0.8 with PID 1 (/app/billing-consumer.jar started by app in /app)", thread="main")
        member.say(second + 0.01, "c.e.billing.BillingConsumerApplication", 'The following 1 profile is active: "prod"', thread="main")
        member.say(second + took * 0.55, "i.m.core.instrument.MeterRegistry", "This Gauge has been already registered (MeterId{name='billing.poll.events.max', tags=[]}), the registration will be ignored. Note that subsequent logs will be logged at debug level.", level="WARN", thread="main")
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
            second = batch.begin + 0.04
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
            while begin + 300 < min(until - 15, SECONDS):
                window = [again for second, again in mine if begin <= second < begin + 300]
                done = sum(1 for batch in member.batches if begin <= (batch.ended or 0) < begin + 300)
                begin += 300
                member.say(begin + RNG.uniform(0, 0.004), "c.e.billing.posting.PostingSummary", f"last 5 min: {len(window)} events sent to ledger, {sum(window)} of them known there, {done} batches done", thread="scheduling-1")


def ledger_lines(posted: list[tuple[float, str, int, int, bool]]) -> list[Line]:
    """Return the ledger's sample of its requests, and what it grumbles about."""
    lines = []
    for second, _, part, offset, again in posted:
        if (offset + part * 37) % 4093 == 7:
            took = RNG.gauss(46, 4)
            answer = f"200 {took:.0f}ms entry exists" if again else f"201 {took:.0f}ms"
            lines.append((at(second), f"{stamp(at(second), 'plain')} INFO POST /v1/entries key={TOPIC}-{part}@{offset} account={40000 + offset * 7919 % 51000} {answer}"))
    lines += [
        (time, f"{stamp(time, 'plain')} WARN account lock waited {RNG.randint(160, 390)}ms, account={40000 + RNG.randint(0, 50999)}, holder=month-to-date")
        for time in periodic(RNG, START + timedelta(seconds=340), END, 510, jitter_s=90)
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
    number = 838120

    def say(pod: str, time: datetime, level: str, thread: str, logger: str, text: str) -> None:
        out.api[pod].append((time, f"{stamp(time, 'spring-boot')} {level:>5} 1 --- [invoice-api] [{thread:>15}] {logger:<40} : {text}"))

    for time in arrivals(RNG, START + timedelta(seconds=4), END - timedelta(seconds=5), 2.6):
        second = (time - START).total_seconds()
        number += RNG.randint(1, 4)
        pod, account = RNG.choice(INVOICE_PODS), 40000 + RNG.randint(0, 50999)
        mark = marks[int(second // 30)]
        web = RNG.random() < 0.4
        thread = f"nio-8080-exec-{RNG.randint(1, 10)}" if web else "scheduling-1"
        name = f"INV-2026-{number}"
        if second // 30 * 30 - mark > 20:
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
        say(RNG.choice(INVOICE_PODS), time, "ERROR", "scheduling-1", "c.e.invoice.mail.MailQueue", f"mail for INV-2026-{RNG.randint(837000, 838000)} not taken: 451 4.3.0 mailbox of the recipient is full, next attempt in 60 min")
    for time in arrivals(RNG, START, END, 0.4):
        path, size = RNG.choice((("GET /billing", 8841), ("GET /api/usage/today", 618), ("GET /assets/app.2b81f.js", 192655), ("GET /api/contracts", 1840)))
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
    for place, time in enumerate(periodic(RNG, START + timedelta(seconds=22.6), END, 60, jitter_s=0.6)):
        offset = 70218 + (place * 13) % 283
        why = RNG.choice(("Expecting ',' delimiter: line 1 column 212 (char 211)", "Expecting value: line 1 column 88 (char 87)", "Unterminated string starting at: line 1 column 440 (char 439)"))
        lines.append((time, f"{stamp(time, 'python')} - deadletter.replay - ERROR - {TOPIC}.DLT-0@{offset} does not parse: {why}; left where it is"))
    return lines


def rater() -> list[Line]:
    """Return what the producer says."""
    lines = []
    for time in periodic(RNG, START + timedelta(seconds=47), END, 300, jitter_s=0.2):
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
            say(broker, (time - START).total_seconds(), f"[SocketServer listenerType=BROKER, nodeId={broker}] Failed authentication with /10.42.10.8 (channelId=10.42.8.3{broker}:9093-10.42.10.8:{RNG.randint(33000, 60000)}-{RNG.randint(2000, 9000)}) (SSL handshake failed) (org.apache.kafka.common.network.Selector)")
    return lines


ROLLED = {
    1: (("usage.raw", 4, "08:05:40.318"), (TOPIC, 10, "08:10:06.254"), (TOPIC, 1, "09:10:04.902"), ("usage.raw", 1, "09:16:12.471"), (TOPIC, 7, "09:25:19.633"), (TOPIC, 4, "09:25:28.107")),
    2: (("usage.raw", 2, "08:22:58.045"), (TOPIC, 5, "08:54:31.700"), ("usage.raw", 5, "09:08:15.992"), (TOPIC, 2, "09:25:24.386"), (TOPIC, 11, "09:25:31.240")),
}


def cluster_events() -> list[Line]:
    """Return what the cluster reports: the update of the consumers, and a probe that is slow now and then."""
    lines = []

    def say(second: float, kind: str, reason: str, what: str, text: str) -> None:
        lines.append((at(second), f"{rfc3339(at(second))} {kind} {reason} {what} {text}"))

    for pod in reversed(PODS):
        begin = DOWN[pod]
        say(begin, "Normal", "SuccessfulDelete", "StatefulSet/billing-consumer", f"delete Pod {pod} in StatefulSet billing-consumer successful")
        say(begin, "Normal", "Killing", f"Pod/{pod}", "Stopping container billing-consumer")
        created = begin + 2.1 + RNG.uniform(0, 0.3)
        say(created, "Normal", "SuccessfulCreate", "StatefulSet/billing-consumer", f"create Pod {pod} in StatefulSet billing-consumer successful")
        say(created + 1, "Normal", "Pulled", f"Pod/{pod}", f'Container image "registry.example.invalid/billing/consumer:{VERSION}" already present on machine')
        say(created + 1.2, "Normal", "Started", f"Pod/{pod}", "Started container billing-consumer")
        say(created + 6, "Warning", "Unhealthy", f"Pod/{pod}", f'Readiness probe failed: Get "http://{IPS[pod]}:8081/actuator/health/readiness": dial tcp {IPS[pod]}:8081: connect: connection refused')
    for time in arrivals(RNG, START + timedelta(minutes=3), END, 0.07):
        pod, ip = RNG.choice(tuple(zip(INVOICE_PODS, ("10.42.3.60", "10.42.6.48"), strict=True)))
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
    for part in (0, 7):
        add(f'kafka_consumergroup_lag{{{labels},partition="{part}"}}', "kafka", "records", [lag[part] for lag in lags])
    sizes = [(-1.0, 6), *group.sizes]
    add(f'kafka_consumergroup_members{{consumergroup="{GROUP}"}}', "kafka", "members", [[size for second, size in sizes if second <= minute][-1] for minute in scraped])
    add('kafka_consumergroup_lag_sum{consumergroup="invoice-mail",topic="invoice.mail"}', "kafka", "records", gauge(RNG, MINUTES, 2, 1.5))
    add('kafka_consumergroup_members{consumergroup="invoice-mail"}', "kafka", "members", [2] * MINUTES)
    for part in (0, 7):
        add(f'kafka_topic_partition_current_offset{{topic="{TOPIC}",partition="{part}"}}', "kafka", "offset", [produced(part, second) for second in scraped])
    add(f'kafka_topic_partition_under_replicated_partition{{topic="{TOPIC}",partition="8"}}', "kafka", "partitions", [0] * MINUTES)
    for broker in (0, 1, 2):
        add(f'kafka_network_requestmetrics_totaltimems{{request="Produce",quantile="0.99",pod="kafka-{broker}"}}', "kafka", "ms", gauge(RNG, MINUTES, 6.2 + broker, 0.7, low=3, digits=1))
    for broker in (0, 1, 2):
        add(f'container_cpu_usage_seconds_total{{pod="kafka-{broker}"}}', "kafka", "s", counter(RNG, MINUTES, 24 + broker, start=RNG.randint(60, 90), spread=0.05))
    for name, unit, values in consumer_series(group, posted, minutes):
        add(name, "billing-consumer", unit, values)
    for code, wanted in (("201", False), ("200", True)):
        add(f'http_request_duration_seconds_count{{route="/v1/entries",code="{code}"}}', "ledger", "requests", counted([at(second) for second, _, _, _, again in posted if again is wanted], START, 60, MINUTES, first=903 if wanted else 140_216_733))
    add('http_request_duration_seconds{route="/v1/entries",quantile="0.99"}', "ledger", "s", gauge(RNG, MINUTES, 0.072, 0.004, digits=3))
    add('container_cpu_usage_seconds_total{pod="ledger-7b5d9c8f66-x6hvp"}', "ledger", "s", counter(RNG, MINUTES, 17, start=3304, spread=0.06))
    add("invoices_held", "invoice-api", "invoices", [held_now(done, second) for second in minutes])
    add("invoices_issued_total", "invoice-api", "invoices", counted(done.issued, START, 60, MINUTES, first=24_630))
    add(f'deadletter_parse_errors_total{{topic="{TOPIC}.DLT"}}', "dead-letter-replay", "errors", [66_450 + n for n in range(MINUTES)])
    return out


def consumer_series(group: Group, posted: list[tuple[float, str, int, int, bool]], minutes: list[float]) -> list[tuple[str, str, Sequence[float | None]]]:
    """Return what the consumers report of themselves: name, unit and values of each series."""
    out: list[tuple[str, str, Sequence[float | None]]] = []

    def add(name: str, unit: str, values: Sequence[float | None]) -> None:
        out.append((name, unit, values))

    for member in (group.members[0], group.members[2], group.members[5]):
        ago: list[float | None] = []
        for second in minutes:
            last = bisect_left(member.polls, second)
            is_up = not is_down(member.pod, second)
            ago.append(round(second - member.polls[last - 1], 1) if last and is_up else (None if not is_up else 0.3))
        add(f'kafka_consumer_last_poll_seconds_ago{{client_id="consumer-{GROUP}-1",pod="{member.pod}"}}', "s", ago)
    for member in (group.members[1], group.members[5]):
        add(f'kafka_consumer_coordinator_rebalance_total{{client_id="consumer-{GROUP}-1",pod="{member.pod}"}}', "rebalances", since_start(member, minutes, member.rebalances, 2))
        ends = [(batch.ended or 0.0, (batch.ended or 0.0) - batch.begin, batch.begin, batch.size) for batch in member.batches]
        add(f'spring_kafka_listener_seconds_max{{name="{GROUP}-0",result="success",pod="{member.pod}"}}', "s", [round(max((took for end, took, _, _ in ends if second - 180 < end <= second), default=0.0), 3) for second in minutes])
        add(f'billing_poll_events_max{{pod="{member.pod}"}}', "events", [max((size for _, _, begin, size in ends if second - 180 < begin <= second), default=0) for second in minutes])
        times = [second for second, pod, _, _, _ in posted if pod == member.pod]
        calls = since_start(member, minutes, times, 412_390)
        if member.pod != PODS[5]:
            continue
        add(f'http_client_requests_seconds_count{{client_name="ledger",uri="/v1/entries",pod="{member.pod}"}}', "requests", calls)
        add(f'http_client_requests_seconds_sum{{client_name="ledger",uri="/v1/entries",pod="{member.pod}"}}', "s", [None if value is None else round(value * 0.0488, 1) for value in calls])
    return out


def since_start(member: Member, minutes: list[float], times: list[float], first: int) -> list[float | None]:
    """Return how many of *times* there were since the pod started, with a gap while it is down."""
    ordered = sorted(times)
    values: list[float | None] = []
    for second in minutes:
        if is_down(member.pod, second):
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

BULK = "82d5f0a63be7149c0c5a8e21f9d4370b6ef1c893"
KEYS = "16c4b97ef0d2385a7be94d60c8a1f53e2970d8b4"
ROUND_TRIPS = "e7a03f9c5d1864b2f08b7e3d96c2415af0e8d37b"
KINDS = "5d90b2e8741fc6a3390ed75b18f42ac6e0b3971d"
DRAFTS = "b3f7168ad05e29c47f1c80b6e2d9435a7c05f8e1"
TABLE = "09ea4c7d63b1f825e0d7936c5b48a2f170ce6d3b"

CONFIG_BEFORE = """\
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
      enable-auto-commit: false
      max-poll-records: 200
      fetch-max-wait: 500ms
    listener:
      type: batch
      ack-mode: batch
"""
CONFIG_AFTER = CONFIG_BEFORE.replace("max-poll-records: 200\n", "max-poll-records: 2000\n")
CLIENT_BEFORE = """\
    private static final int AT_ONCE = 1;

    private final RestClient http;

    LedgerClient(RestClient.Builder builder, LedgerProperties properties) {
        this.http = builder.baseUrl(properties.url()).build();
    }

    void post(List<Entry> entries) {
        for (Entry entry : entries) {
            http.post().uri("/v1/entries").body(entry).retrieve().toBodilessEntity();
        }
    }
"""
CLIENT_AFTER = CLIENT_BEFORE.replace("AT_ONCE = 1;", "AT_ONCE = 8;").replace(
    """\
        for (Entry entry : entries) {
            http.post().uri("/v1/entries").body(entry).retrieve().toBodilessEntity();
        }
""",
    """\
        Semaphore free = new Semaphore(AT_ONCE);
        try (var tasks = new StructuredTasks(virtualThreads)) {
            for (List<Entry> account : byAccount(entries)) {
                free.acquireUninterruptibly();
                tasks.run(() -> {
                    try {
                        account.forEach(this::postOne);
                    } finally {
                        free.release();
                    }
                });
            }
            tasks.joinOrThrow();
        }
    }

    private void postOne(Entry entry) {
        http.post().uri("/v1/entries").body(entry).retrieve().toBodilessEntity();
    }

    /** Entries of one account stay in their order; accounts do not wait for each other. */
    private static Collection<List<Entry>> byAccount(List<Entry> entries) {
        return entries.stream()
                .collect(groupingBy(Entry::account, LinkedHashMap::new, toList()))
                .values();
""",
)
KEYS_AFTER = """\
-- Keys are asked for by retries, and none is older than a week. Ninety days are kept.
CREATE TABLE entry_keys_by_day (
    key  text NOT NULL,
    day  date NOT NULL,
    PRIMARY KEY (key, day)
) PARTITION BY RANGE (day);

INSERT INTO entry_keys_by_day (key, day)
SELECT key, at::date FROM entries WHERE at > now() - interval '90 days';

ALTER TABLE entry_keys RENAME TO entry_keys_old;
ALTER TABLE entry_keys_by_day RENAME TO entry_keys;
"""
KINDS_BEFORE = """\
    @KafkaListener(topics = "billing.events")
    void post(List<ConsumerRecord<String, BillingEvent>> records) {
        polls.brought(records.size());
        ledger.post(records.stream().map(Entry::of).toList());
    }
"""
KINDS_AFTER = KINDS_BEFORE.replace(
    "        ledger.post(",
    "        records.forEach(record -> kinds.labels(record.value().kind()).increment());\n        ledger.post(",
)
COUNTERS_AFTER = """\
package com.example.billing.posting;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import org.springframework.stereotype.Component;

/** How many events of each kind the consumer took from its group's partitions. */
@Component
class EventKinds {

    private final Map<Kind, Counter> counters = new EnumMap<>(Kind.class);

    EventKinds(MeterRegistry registry) {
        for (Kind kind : Kind.values()) {
            counters.put(kind, registry.counter("billing.events.taken", "kind", kind.name().toLowerCase()));
        }
    }

    Counter labels(Kind kind) {
        return counters.get(kind);
    }
}
"""
DRAFTS_BEFORE = """\
# invoice-api, prod
server:
  port: 8080
invoice:
  draft:
    every: 5m
    page-size: 100
    tolerance: 20s
  mail:
    attempts: 5
    pause: 60m
"""
DRAFTS_AFTER = DRAFTS_BEFORE.replace("tolerance: 20s", "tolerance: 90s")
TABLE_BEFORE = """\
.usage-chart .bar {
  border-radius: 2px;
  min-width: 4px;
}
"""
TABLE_AFTER = TABLE_BEFORE.replace("min-width: 4px", "min-width: 6px")


def changes() -> list[dict[str, object]]:
    """Return what was changed, by time."""
    source = "src/main/java/com/example/billing/posting"
    return [
        {
            "type": "commit", "sha": BULK, "time": "2026-11-19T13:28:16Z", "author": "h.lindqvist", "service": "billing-consumer",
            "message": "Post entries of different accounts side by side\n\nEight at a time; those of one account keep their order. A posting waits for the disk\nof the ledger most of its time.\n",
            "diff": unified_diff({f"{source}/LedgerClient.java": ("\n" * 21 + CLIENT_BEFORE, "\n" * 21 + CLIENT_AFTER)}),
        },
        {"type": "deploy", "time": "2026-11-20T09:14:03Z", "service": "billing-consumer", "version": "3.50.0", "sha": BULK, "author": "release-bot"},
        {
            "type": "commit", "sha": KEYS, "time": "2026-11-23T10:06:44Z", "author": "n.castellano", "service": "ledger",
            "message": "Keep the keys of entries by day\n\nDropping a day is cheaper than deleting its rows.\n",
            "diff": unified_diff({"migrations/0061_entry_keys_by_day.sql": ("", KEYS_AFTER)}),
        },
        {"type": "deploy", "time": "2026-11-23T15:31:20Z", "service": "ledger", "version": "7.15.0", "sha": KEYS, "author": "n.castellano"},
        {"type": "deploy", "time": "2026-11-24T07:12:40Z", "service": "kafka", "version": "3.9.2", "author": "platform-bot", "message": "Rolling upgrade from 3.9.1, done at 07:48"},
        {
            "type": "commit", "sha": ROUND_TRIPS, "time": "2026-11-24T08:17:29Z", "author": "j.marchetti", "service": "billing-consumer",
            "message": "Fewer round trips for billing-consumer\n\nWith eight postings at a time 200 events are a second and a half of work. Comes with the\nnext release.\n",
            "diff": unified_diff({"billing-consumer/application-prod.yaml": (CONFIG_BEFORE, CONFIG_AFTER)}, context=5),
        },
        {
            "type": "commit", "sha": KINDS, "time": "2026-11-24T08:36:51Z", "author": "h.lindqvist", "service": "billing-consumer",
            "message": "Count events by kind\n",
            "diff": unified_diff({f"{source}/EventKinds.java": ("", COUNTERS_AFTER), f"{source}/PostingListener.java": ("\n" * 26 + KINDS_BEFORE, "\n" * 26 + KINDS_AFTER)}),
        },
        {"type": "deploy", "time": "2026-11-24T09:02:10Z", "service": "billing-consumer", "version": VERSION, "sha": KINDS, "author": "release-bot", "message": "Two pods at a time, with configuration revision 447"},
        {
            "type": "commit", "sha": DRAFTS, "time": "2026-11-24T09:21:38Z", "author": "o.ferreira", "service": "invoice-api",
            "message": "Be more patient with late entries\n\nThe daily run needs a minute and a half now and will not need less.\n",
            "diff": unified_diff({"invoice-api/application-prod.yaml": (DRAFTS_BEFORE, DRAFTS_AFTER)}),
        },
        {
            "type": "commit", "sha": TABLE, "time": "2026-11-24T09:44:05Z", "author": "y.tanaka", "service": "customer-portal",
            "message": "Make thin bars easier to hit\n",
            "diff": unified_diff({"src/styles/chart.css": (TABLE_BEFORE, TABLE_AFTER)}),
        },
    ]  # fmt: skip


ALERTS = [
    {"time": "2026-11-24T09:03:15Z", "service": "kafka", "metric": "kafka_consumer_coordinator_rebalance_total", "summary": "Consumer group billing-events rebalanced more than 4 times in 5 minutes"},
    {"time": "2026-11-24T09:26:20Z", "service": "kafka", "metric": "kafka_consumergroup_lag_sum", "summary": "billing-events lags by more than 50,000 records"},
]

DISTRACTORS = [
    {"commit": ROUND_TRIPS, "why": "the change that ruins the group elsewhere; 2,000 events are 13 seconds of work here, and no poll is late"},
    {"commit": KINDS, "why": "its release is why the group rebalanced, once for each pair of pods that left and once for each that came"},
    {"commit": BULK, "why": "how the consumer works, for four days; no call fails"},
    {"commit": KEYS, "why": "a table of the ledger copied and renamed the day before; its answers take what they took"},
    {"commit": DRAFTS, "why": "in the service that complains most; loosens a limit, not rolled out"},
    {"commit": TABLE, "why": "the newest commit; a style"},
    {"noise": "dead letters that do not parse", "match": r"DLT-0@\d+ does not parse", "why": "one a minute all morning"},
    {"noise": "mail that a full mailbox refuses", "match": r"mail for INV-\d+-\d+ not taken: 451", "why": "as old as the mail queue"},
    {"noise": "invoices held for a while after a run", "match": r"held: entries are complete until", "why": "after each run, before the release as after it, and issued at the next attempt"},
    {"noise": "probes of pods that start", "match": r"Readiness probe failed", "why": "a new pod answers when it has started; the slow answers of invoice-api are older than the window"},
]


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
        begin = DOWN[member.pod]
        group.later(begin + RNG.uniform(0.3, 0.45), "stop", member)
        group.later(begin + RNG.uniform(4.0, 4.2), "boot", member, VERSION)
    group.run()
    posted = events_of(group)
    summaries(group, posted)
    done = invoices(complete_until(posted))
    brokers = broker_lines(group)
    streams: list[tuple[str, str, str, list[Line]]] = [
        ("dead-letter-replay", "dead-letter-replay-0", "python", dead_letters()),
        ("usage-rater", "usage-rater-5c8d9b7f6d-v7nqj", "plain", rater()),
        ("kafka", "kafka-1", "kafka", brokers[1]),
        ("kafka", "kafka-2", "kafka", brokers[2]),
        *(("billing-consumer", member.pod, "spring-boot", member.lines) for member in group.members),
        ("ledger", "ledger-7b5d9c8f66-x6hvp", "plain", ledger_lines(posted)),
        *(("invoice-api", pod, "spring-boot", done.api[pod]) for pod in INVOICE_PODS),
        ("customer-portal", "customer-portal-7c9f6d8b55-k4wzs", "nginx-access", done.portal),
        ("kubernetes", "billing-prod", "kubernetes-event", cluster_events()),
    ]
    logs = [
        {"service": service, "host": host, "format": layout, **({"zone": "+00:00"} if layout in {"kafka", "python"} else {}), "lines": stream_text(line for line in lines if START <= line[0] < END)}
        for service, host, layout, lines in streams
    ]
    document = {
        "schema": "rcabench/1",
        "id": "kafka-rebalance-loop-expected",
        "title": "Deploy with expected Kafka rebalances",
        "kind": "healthy",
        "difficulty": "medium",
        "canary": "rcabench canary 71b5c2e84f0d4a9ab6938e2d05f7c14a",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": logs,
        "metrics": metrics(group, posted, done),
        "changes": changes(),
        "alerts": ALERTS,
        "distractors": DISTRACTORS,
        "twin_of": "kafka-rebalance-loop",
    }
    write(document, Path(__file__).parents[1] / "held_out" / "kafka-rebalance-loop-expected.yaml")


if __name__ == "__main__":
    main()
