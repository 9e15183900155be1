"""Write `held_out/connection-leak-idle-timeout.yaml`: pooled connections die at night on their way to the database.

The pools are simulated, so that flows, sessions, warnings and metrics agree; what decides is written by hand.
"""

from __future__ import annotations

import heapq
import math
import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from traffic import (
    Line,
    arrivals,
    counted,
    gauge,
    hex_digits,
    periodic,
    rfc3339,
    stamp,
    stream_text,
    unified_diff,
    utc,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

START, END = utc("2026-11-18T12:30:00Z"), utc("2026-11-18T14:22:00Z")
SAMPLES, STEP_S = 112, 60
GRID = [START + timedelta(seconds=STEP_S * index) for index in range(SAMPLES)]
DROPPED_AFTER_S = 60
SEED = 13
WAITS_S = 20.0
# 160, of which three are the superuser's; what is no pool's are exporter, report, replication and on-call.
SESSIONS_LIMIT, OTHER_SESSIONS = 157, 9
LIFETIME_S = 1800
BALANCER = "192.0.2.140:5432"
GATEWAY = "checkout-web-745c9f8d6b-t7zkd"
INVENTORY = "inventory-api-5f7d9c86b4-wq8xm"
BACKENDS = {"orders-api": "192.0.2.31:8080", "loyalty-api": "192.0.2.32:8080"}
Request: TypeAlias = tuple[str, int]
Action: TypeAlias = "Callable[[datetime], None]"

POOL_BASE = "com.zaxxer.hikari.pool.PoolBase"
HIKARI = "com.zaxxer.hikari.HikariDataSource"
TOMCAT = "org.springframework.boot.web.embedded.tomcat.TomcatWebServer"
GRACEFUL = "org.springframework.boot.web.embedded.tomcat.GracefulShutdown"
CONTEXT = "org.apache.catalina.core.ContainerBase.[Tomcat].[localhost].[/]"
AGENTS = (
    "ShopApp/6.7.0 (iOS 26.1; iPhone16,1)",
    "ShopApp/6.6.2 (Android 16; SM-S931B)",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15",
)
COUPONS = (
    ("GARDEN20", "below 80.00"),
    ("GARDEN20", "below 80.00"),
    ("HELLO5", "first order only"),
    ("OCTOBER", "ended 2026-10-31"),
)


def at(clock: str) -> datetime:
    """Return the time of day *clock* on the day of the window."""
    return utc(f"2026-11-18T{clock}Z")


def later(time: datetime, seconds: float) -> datetime:
    """Return the time *seconds* after *time*."""
    return time + timedelta(seconds=seconds)


def rate(time: datetime) -> float:
    """Return how many requests a second reach orders-api: the evening ends, the night begins."""
    minutes = (time - START).total_seconds() / 60
    return 0.1 + 6.4 * math.exp(-((minutes / 58) ** 2.3))


@dataclass(eq=False)
class Connection:
    """A connection of a pool, when it was *used* last, and the number its object is printed with."""

    used: datetime
    number: str


@dataclass(eq=False)
class Pod:
    """One replica, its pool and what happened to both."""

    name: str
    service: str
    version: str
    size: int
    ready: datetime
    stopping: datetime
    connections: list[Connection] = field(default_factory=list)
    waiting: list[tuple[datetime, int, Request]] = field(default_factory=list)
    is_adding: bool = False
    backoff_s: float = 0.01
    born: str = ""
    created: list[datetime] = field(default_factory=list)
    failed: list[datetime] = field(default_factory=list)
    rejected: list[datetime] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    traced: bool = False
    lines: list[Line] = field(default_factory=list)

    @property
    def pool(self) -> str:
        """The name of its pool."""
        return self.service.replace("-api", "-pool")

    def serves(self, time: datetime) -> bool:
        """Whether it is up at *time*."""
        return self.ready <= time < self.stopping

    def say(
        self, time: datetime, level: str, logger: str, text: str, thread: int | str = "main"
    ) -> None:
        """Log *text* in Spring Boot's console layout, if in the window."""
        where = f"http-nio-8080-exec-{thread}" if isinstance(thread, int) else thread
        if START <= time < END:
            head = f"{stamp(time, 'spring-boot')} {level:>5} 1 --- [{self.service}]"
            self.lines.append(
                (time, f"{head} [{where[-15:]:>15}] {_logger(logger)} : {text.rstrip()}")
            )


def _logger(name: str) -> str:
    """Return *name* as Spring Boot prints it: packages shortened from the left until 39 characters are enough."""
    parts = name.split(".")
    for index in range(len(parts) - 1):
        if len(".".join(parts)) <= 39:
            break
        parts[index] = parts[index][0]
    return f"{'.'.join(parts)[-40:]:40}"


def _pods() -> tuple[Pod, ...]:
    early, late = at("00:00:00"), at("23:00:00")
    first, second = at("12:51:52.120"), at("12:52:14.338")
    return (
        Pod("orders-api-5b8f6d7c94-kd9wz", "orders-api", "2.57.0", 10, early, later(first, 2.1)),
        Pod("orders-api-5b8f6d7c94-r5vtq", "orders-api", "2.57.0", 10, early, later(second, 2.4)),
        Pod("orders-api-78c9d5f6b8-4mxgn", "orders-api", "2.58.0", 10, first, late),
        Pod("orders-api-78c9d5f6b8-hz7lp", "orders-api", "2.58.0", 10, second, late),
        Pod("loyalty-api-6dc5b8f974-7tnqx", "loyalty-api", "1.34.2", 8, early, late),
    )


@dataclass
class Shop:
    """The simulation: who borrowed which connection when, and which of them the balancer had forgotten."""

    rng: random.Random
    pods: tuple[Pod, ...] = field(default_factory=_pods)
    queue: list[tuple[datetime, int, Action]] = field(default_factory=list)
    order: int = 5_302_117
    stranded: int = 0
    resets: list[datetime] = field(default_factory=list)
    opened: list[datetime] = field(default_factory=list)
    answered: list[tuple[datetime, str, int]] = field(default_factory=list)
    access: list[Line] = field(default_factory=list)
    database: list[Line] = field(default_factory=list)
    inventory: list[Line] = field(default_factory=list)
    stock: list[Connection] = field(default_factory=list)
    flows: list[int] = field(default_factory=list)
    sessions: list[int] = field(default_factory=list)
    first_warning: datetime = END
    pid: int = 30_412

    def run(self) -> None:
        """Let the evening pass, event by event."""
        self._open_pools()
        self.stock = [Connection(START, hex_digits(self.rng, 8)) for _ in range(4)]
        for time in arrivals(self.rng, START, END, lambda time: 60 * rate(time)):
            self._push(time, self._order)
        for time in arrivals(self.rng, START, END, lambda time: 24 * rate(time)):
            self._push(time, self._points)
        for time in arrivals(self.rng, START, END, lambda time: 9 * rate(time)):
            self._push(time, self._look_up_stock)
        for time in GRID:
            self._push(time, self._sample)
        while self.queue:
            time, _, act = heapq.heappop(self.queue)
            if time < END:
                act(time)

    def _open_pools(self) -> None:
        for pod in self.pods:
            for number in range(pod.size if pod.ready < START else 0):
                self._connect(pod, START, retires_s=253.7 + number * 1538 / pod.size)
        for index in (2, 3):
            self._push(self.pods[index].ready, self._roll_out(index))

    def _push(self, time: datetime, act: Action) -> None:
        heapq.heappush(self.queue, (time, self.rng.getrandbits(40), act))

    def _in_use(self) -> int:
        """Return how many sessions the database has, with and without a client."""
        pooled = sum(len(pod.connections) for pod in self.pods)
        return OTHER_SESSIONS + self.stranded + pooled + len(self.stock)

    def _sample(self, time: datetime) -> None:
        held = [*self.stock, *(c for pod in self.pods for c in pod.connections)]
        self.flows.append(sum(later(c.used, DROPPED_AFTER_S) >= time for c in held))
        self.sessions.append(self._in_use())
        for pod in self.pods:
            pod.totals.append(len(pod.connections))

    # How a pool lives.

    def _connect(self, pod: Pod, time: datetime, *, retires_s: float = 0.0) -> Connection:
        lasts = retires_s or LIFETIME_S - self.rng.uniform(0, LIFETIME_S / 40)
        connection = Connection(
            time, hex_digits(self.rng, 7 + (self.rng.random() < 0.8)).lstrip("0")
        )
        pod.connections.append(connection)
        pod.born = pod.born or connection.number
        self._push(later(time, lasts), lambda now: self._retire(pod, connection, now))
        return connection

    def _roll_out(self, index: int) -> Action:
        def replace(time: datetime) -> None:
            for _ in range(self.pods[index].size):
                self._connect(self.pods[index], time)
                self.opened.append(time)
                self.pods[index].created.append(time)
            old = self.pods[index - 2]
            self._push(old.stopping, lambda _: old.connections.clear())

        return replace

    def _retire(self, pod: Pod, connection: Connection, time: datetime) -> None:
        """End a connection of thirty minutes; the goodbye of one that was idle too long reaches nobody."""
        if connection in pod.connections:
            self._close(pod, connection, time)

    def _close(self, pod: Pod, connection: Connection, time: datetime) -> None:
        """Take *connection* out of the pool; if it was idle too long, its session stays behind."""
        if later(connection.used, DROPPED_AFTER_S) < time:
            self.stranded += 1
            self.resets.append(time)
        pod.connections.remove(connection)
        if not pod.is_adding:
            pod.is_adding, pod.backoff_s = True, 0.01
            self._push(later(time, 0.031), lambda now: self._add(pod, now))

    def _add(self, pod: Pod, time: datetime) -> None:
        """Open a connection, or try again after a pause that doubles up to five seconds, as HikariCP does."""
        if len(pod.connections) >= pod.size:
            pod.is_adding = False
            return
        self.opened.append(time)
        if self._is_admitted(time, pod.service.removesuffix("-api")):
            pod.created.append(time)
            connection, pod.backoff_s = self._connect(pod, time), 0.01
            for since, thread, request in pod.waiting:
                connection.used = time
                self._serve(pod, since, time, thread, request)
            pod.waiting.clear()
            self._push(later(time, 0.034), lambda now: self._add(pod, now))
        else:
            self._push(
                later(time, pod.backoff_s + self.rng.uniform(0.009, 0.017)),
                lambda now: self._add(pod, now),
            )
            pod.backoff_s = min(5.0, pod.backoff_s * 2)

    def _is_admitted(self, time: datetime, user: str) -> bool:
        self.pid += self.rng.choice((1, 1, 1, 2, 3))
        if self._in_use() < SESSIONS_LIMIT:
            return True
        text = "remaining connection slots are reserved for roles with the SUPERUSER attribute"
        head = f"{stamp(time, 'postgres')} [{self.pid}] {user}@orders"
        self.database.append((time, f"{head} FATAL:  {text}"))
        return False

    def _borrow(self, pod: Pod, time: datetime, request: Request) -> None:
        """Serve *request* with any connection that still answers: each thread has its own favourite."""
        busy = {thread for _, thread, _ in pod.waiting}
        thread = self.rng.choice([n for n in range(1, 11) if n not in busy] or [11 + len(busy)])
        for connection in self.rng.sample(pod.connections, len(pod.connections)):
            if self._answers(pod, connection, time, thread):
                connection.used = time
                self._serve(pod, time, time, thread, request)
                return
            time = later(time, self.rng.uniform(0.0012, 0.0031))
        pod.waiting.append((time, thread, request))
        waited_ms = int(WAITS_S * 1000) + self.rng.choice((0, 1, 1, 2, 3, 5))
        self._push(
            later(time, waited_ms / 1000),
            lambda now: self._give_up(pod, now, (time, thread, request), waited_ms),
        )

    def _answers(self, pod: Pod, connection: Connection, time: datetime, thread: int) -> bool:
        if later(connection.used, DROPPED_AFTER_S) >= time:
            return True
        self._close(pod, connection, time)
        self.first_warning = min(self.first_warning, time)
        text = (
            f"{pod.pool} - Failed to validate connection org.postgresql.jdbc.PgConnection@{connection.number} "
            "(This connection has been closed.). Possibly consider using a shorter maxLifetime value."
        )
        pod.say(later(time, 0.001), "WARN", POOL_BASE, text, thread)
        return False

    # What comes of a request.

    def _order(self, time: datetime) -> None:
        pod = self.rng.choice([p for p in self.pods[:4] if p.serves(time)])
        self.order += 1
        kind = "reserve" if self.rng.random() < 0.018 else "order"
        self._borrow(pod, time, (kind, self.order - self.rng.randrange(1, 40)))

    def _points(self, time: datetime) -> None:
        kind = "redeem" if self.rng.random() < 0.022 else "points"
        self._borrow(self.pods[4], time, (kind, self.rng.randrange(204_000, 968_000)))

    def _serve(
        self, pod: Pod, since: datetime, time: datetime, thread: int, request: Request
    ) -> None:
        kind, number = request
        done = later(time, max(0.004, self.rng.gauss(0.041 if kind == "reserve" else 0.014, 0.004)))
        status = 200
        if kind == "reserve" and self.rng.random() < 0.3:
            status, (coupon, why) = 422, self.rng.choice(COUPONS)
            text = f"order {number}: coupon {coupon} rejected: {why}"
            pod.say(done, "INFO", "com.example.orders.reserve.ReserveService", text, thread)
            pod.rejected.append(done)
        elif kind == "reserve":
            lines = self.rng.choice((1, 1, 2, 2, 3, 4))
            text = f"order {number} reserved: {lines} line{'s' * (lines > 1)}, {self.rng.uniform(19, 210) * lines**0.6:.2f} AUD"
            pod.say(done, "INFO", "com.example.orders.reserve.ReserveService", text, thread)
        elif kind == "redeem":
            text = f"{self.rng.randrange(2, 41) * 50} points of member {number} redeemed"
            pod.say(done, "INFO", "com.example.loyalty.redeem.RedeemService", text, thread)
        self._answer(pod, since, done, request, status)

    def _give_up(
        self, pod: Pod, time: datetime, waiting: tuple[datetime, int, Request], waited_ms: int
    ) -> None:
        if waiting not in pod.waiting:
            return
        pod.waiting.remove(waiting)
        pod.failed.append(time)
        since, thread, request = waiting
        total = len(pod.connections)
        error = (
            f"java.sql.SQLTransientConnectionException: {pod.pool} - Connection is not available, request timed out "
            f"after {waited_ms}ms (total={total}, active=0, idle={total}, waiting={len(pod.waiting)})"
        )
        trace = "" if pod.traced else f"\n\n{_trace(pod, error)}"
        pod.traced = True
        handler = f"com.example.{pod.service.removesuffix('-api')}.web.ApiErrorHandler"
        text = f"{_path(request)} answered 500: {error}{trace}"
        pod.say(later(time, 0.002), "ERROR", handler, text, thread)
        self._answer(pod, since, later(time, 0.004), request, 500)

    def _answer(
        self, pod: Pod, since: datetime, done: datetime, request: Request, status: int
    ) -> None:
        """Write the gateway's access line, which leaves out reads that went well."""
        self.answered.append((done, pod.service, status))
        if (status == 200 and request[0] in {"order", "points"}) or done >= END:
            return
        size = {200: 236, 422: 133, 500: 98}[status] + self.rng.randrange(38)
        client = f"{self.rng.choice(('198.51.100.', '203.0.113.'))}{self.rng.randrange(2, 251)}"
        took_s = (done - since).total_seconds()
        line = (
            f'{client} - - {stamp(done, "nginx-access")} "{_path(request)} HTTP/2.0" {status} {size} '
            f'"-" "{self.rng.choice(AGENTS)}" rt={took_s + 0.001:.3f} urt={took_s:.3f}'
        )
        self.access.append((done, line))

    def _look_up_stock(self, time: datetime) -> None:
        """Let inventory-api ask with one of its four connections; lib/pq finds out by asking."""
        order = self.order - self.rng.randrange(1, 60)
        if self.stock:
            chosen = self.rng.choice(self.stock)
            if later(chosen.used, DROPPED_AFTER_S) >= time:
                chosen.used = time
                return
            self.stock.remove(chosen)
            self.stranded += 1
            self.resets.append(time)
            self.first_warning = min(self.first_warning, time)
            port = 32_768 + int(chosen.number, 16) % 28_000
            text = f"stock of order {order} asked for again: read tcp 192.0.2.83:{port}->{BALANCER}: read: connection reset by peer"
            self.inventory.append((time, f"{stamp(time, 'plain')} WARN {text}"))
        opened = later(time, 0.004)
        self.opened.append(opened)
        if self._is_admitted(opened, "inventory"):
            self.stock.append(Connection(opened, hex_digits(self.rng, 8)))
        else:
            text = f"stock of order {order} unknown: pq: remaining connection slots are reserved for roles with the SUPERUSER attribute"
            self.inventory.append((opened, f"{stamp(opened, 'plain')} ERROR {text}"))


def _path(request: Request) -> str:
    kind, number = request
    return {
        "order": f"GET /api/orders/{number}",
        "reserve": f"POST /api/orders/{number}/reserve",
        "points": f"GET /api/points/{number}",
        "redeem": f"POST /api/points/{number}/redeem",
    }[kind]


# Six frames of each exception are printed, as logging.exception-conversion-word: "%wEx{6}" asks for.
def _trace(pod: Pod, error: str) -> str:
    frames = {
        "orders-api": "com.example.orders.query.OrderQuery.byId(OrderQuery.java:31)",
        "loyalty-api": "com.example.loyalty.points.PointsQuery.ofMember(PointsQuery.java:27)",
    }
    return f"""\
org.springframework.jdbc.CannotGetJdbcConnectionException: Failed to obtain JDBC Connection
\tat org.springframework.jdbc.datasource.DataSourceUtils.getConnection(DataSourceUtils.java:84) ~[spring-jdbc-6.2.12.jar!/:6.2.12]
\tat org.springframework.jdbc.core.JdbcTemplate.execute(JdbcTemplate.java:653) ~[spring-jdbc-6.2.12.jar!/:6.2.12]
\tat org.springframework.jdbc.core.JdbcTemplate.query(JdbcTemplate.java:732) ~[spring-jdbc-6.2.12.jar!/:6.2.12]
\tat org.springframework.jdbc.core.JdbcTemplate.query(JdbcTemplate.java:763) ~[spring-jdbc-6.2.12.jar!/:6.2.12]
\tat {frames[pod.service]} ~[!/:{pod.version}]
Caused by: {error}
\tat com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:686) ~[HikariCP-5.1.0.jar!/:na]
\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:179) ~[HikariCP-5.1.0.jar!/:na]
\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:144) ~[HikariCP-5.1.0.jar!/:na]
\tat com.zaxxer.hikari.HikariDataSource.getConnection(HikariDataSource.java:127) ~[HikariCP-5.1.0.jar!/:na]
Caused by: org.postgresql.util.PSQLException: FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute
\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2733) ~[postgresql-42.7.4.jar!/:42.7.4]
\tat org.postgresql.core.v3.QueryExecutorImpl.readStartupMessages(QueryExecutorImpl.java:2845) ~[postgresql-42.7.4.jar!/:42.7.4]
"""


def roll_out_lines(pod: Pod, seconds: float) -> None:
    """Log the start of a replica, which ended *seconds* after its main class began."""
    app = "com.example.orders.OrdersApplication"
    booted = later(pod.ready, -seconds - 1.4)
    for after_s, logger, text, thread in (
        (0.0, app, f"Starting OrdersApplication v{pod.version} using Java 21.0.9 with PID 1 (/app/orders-api.jar started by spring in /app)", "main"),
        (0.005, app, 'The following 1 profile is active: "prod"', "main"),
        (2.917, TOMCAT, "Tomcat initialized with port 8080 (http)", "main"),
        (2.951, "org.apache.catalina.core.StandardService", "Starting service [Tomcat]", "main"),
        (2.952, "org.apache.catalina.core.StandardEngine", "Starting Servlet engine: [Apache Tomcat/10.1.48]", "main"),
        (3.014, CONTEXT, "Initializing Spring embedded WebApplicationContext", "main"),
        (4.502, HIKARI, f"{pod.pool} - Starting...", "main"),
        (4.811, "com.zaxxer.hikari.pool.HikariPool", f"{pod.pool} - Added connection org.postgresql.jdbc.PgConnection@{pod.born}", "main"),
        (4.813, HIKARI, f"{pod.pool} - Start completed.", "main"),
        (seconds - 0.36, TOMCAT, "Tomcat started on port 8080 (http) with context path '/'", "main"),
        (seconds - 0.32, app, f"Started OrdersApplication in {seconds:.3f} seconds (process running for {seconds + 0.604:.3f})", "main"),
        (seconds + 0.88, CONTEXT, "Initializing Spring DispatcherServlet 'dispatcherServlet'", 1),
    ):  # fmt: skip
        pod.say(later(booted, after_s), "INFO", logger, text, thread)


def stop_lines(pod: Pod) -> None:
    """Log the end of a replica."""
    hook = "SpringApplicationShutdownHook"
    for after_s, logger, text, thread in (
        (0.0, GRACEFUL, "Commencing graceful shutdown. Waiting for active requests to complete", hook),
        (0.022, GRACEFUL, "Graceful shutdown complete", "tomcat-shutdown"),
        (1.304, HIKARI, f"{pod.pool} - Shutdown initiated...", hook),
        (1.339, HIKARI, f"{pod.pool} - Shutdown completed.", hook),
    ):  # fmt: skip
        pod.say(later(pod.stopping, after_s), "INFO", logger, text, thread)


def cluster_events(pods: Sequence[Pod]) -> str:
    """Return the events of the rollout, and of a job that runs by the clock."""
    events: list[Line] = []

    def tell(time: datetime, text: str) -> None:
        events.append((time, f"{rfc3339(time)} {text}"))

    for minute in range(0, 120, 20):
        time, job = (
            at("12:40:01") + timedelta(minutes=minute),
            f"cart-cleanup-{29_416_360 + minute}",
        )
        if time < END:
            tell(time, f"Normal SuccessfulCreate CronJob/cart-cleanup Created job {job}")
            text = f"Saw completed job: {job}, condition: Complete"
            tell(later(time, 6), f"Normal SawCompletedJob CronJob/cart-cleanup {text}")
    image = "registry.example.invalid/shop/orders-api:2.58.0"
    for number, (old, new) in enumerate(((pods[0], pods[2]), (pods[1], pods[3]))):
        made, left, address = later(new.ready, -16), 1 - number, f"192.0.2.{118 + 9 * number}"
        for after_s, text in (
            (0, f"Normal ScalingReplicaSet Deployment/orders-api Scaled up replica set {new.name[:-6]} to {number + 1} from {number}"),
            (0, f"Normal SuccessfulCreate ReplicaSet/{new.name[:-6]} Created pod: {new.name}"),
            (0, f"Normal Scheduled Pod/{new.name} Successfully assigned shop/{new.name} to node-{6 - number * 4}"),
            (1, f'Normal Pulled Pod/{new.name} Successfully pulled image "{image}" in 1.{712 + 95 * number}s (1.{712 + 95 * number}s including waiting). Image size: 219107458 bytes.'),
            (2, f"Normal Created Pod/{new.name} Created container: orders-api"),
            (2, f"Normal Started Pod/{new.name} Started container orders-api"),
            (9, f'Warning Unhealthy Pod/{new.name} Readiness probe failed: Get "http://{address}:8080/actuator/health/readiness": dial tcp {address}:8080: connect: connection refused'),
            (18, f"Normal ScalingReplicaSet Deployment/orders-api Scaled down replica set {old.name[:-6]} to {left} from {left + 1}"),
            (18, f"Normal SuccessfulDelete ReplicaSet/{old.name[:-6]} Deleted pod: {old.name}"),
            (18, f"Normal Killing Pod/{old.name} Stopping container orders-api"),
        ):  # fmt: skip
            tell(later(made, after_s), text)
    return stream_text(events)


# The other streams.

STATEMENT = "SELECT p.category, sum(l.amount - l.cost) FROM order_lines l JOIN products p ON p.sku = l.sku WHERE l.store = {store} AND l.sold_on >= '2026-11-01' GROUP BY 1"


def gateway_errors(rng: random.Random) -> str:
    """Return the gateway's error log: a file that phones ask for and nobody made, as ever."""
    lines: list[Line] = []
    connection = 4_410_283
    for time in arrivals(rng, START, END, 0.55):
        connection += rng.randrange(20, 400)
        who = f"client: 203.0.113.{rng.randrange(2, 251)}, server: shop.example.invalid"
        file = rng.choice((".well-known/assetlinks.json", ".well-known/traffic-advice"))
        text = f'open() "/usr/share/nginx/html/{file}" failed (2: No such file or directory), {who}, request: "GET /{file} HTTP/2.0", host: "shop.example.invalid"'
        worker = rng.choice((31, 32))
        lines.append(
            (time, f"{stamp(time, 'nginx-error')} [error] {worker}#{worker}: *{connection} {text}")
        )
    return stream_text(lines)


def report_logs(rng: random.Random) -> tuple[list[Line], list[Line]]:
    """Return what the margin report and the database say of the report's slow queries, all through the window."""
    report: list[Line] = []
    database: list[Line] = []
    for number, time in enumerate(periodic(rng, later(START, 11), END, 83, jitter_s=7)):
        store = 61 + number
        took_s = max(2.2, rng.gauss(3.9, 0.6))
        done = later(time, took_s)
        written = later(done, rng.uniform(0.3, 0.9))
        if written >= END:
            continue
        statement = STATEMENT.format(store=store)
        database.append(
            (
                done,
                f"{stamp(done, 'postgres')} [27733] sales_report@orders LOG:  duration: {took_s * 1000:.3f} ms  statement: {statement}",
            )
        )
        slow = f"slow query month_margin_by_category for store {store}: {took_s + 0.01:.2f} s, {rng.randrange(28, 64)} rows"
        heard = later(done, 0.012)
        report.append(
            (heard, f"{stamp(heard, 'python')} - sales_report.queries - WARNING - {slow}")
        )
        text = f"store {store} of 260 written"
        report.append(
            (written, f"{stamp(written, 'python')} - sales_report.monthly - INFO - {text}")
        )
    return report, database


def checkpoints(rng: random.Random) -> list[Line]:
    """Return the database's lines about its checkpoints."""
    lines: list[Line] = []
    redo = 0x41_1B07D2A0
    for time in periodic(rng, later(START, 74), END, 300, jitter_s=0.2):
        lines.append((time, f"{stamp(time, 'postgres')} [63] LOG:  checkpoint starting: time"))
        buffers, spread_s = rng.randrange(900, 1400), rng.uniform(92, 139)
        distance = rng.randrange(7_000, 12_000)
        redo += distance * 1024 + 8 * rng.randrange(128)
        here, done = redo + 8 * rng.randrange(20_000, 90_000), later(time, spread_s)
        text = (
            f"checkpoint complete: wrote {buffers} buffers ({buffers / 5242.88:.1f}%); 0 WAL file(s) added, 0 removed, 1 recycled; "
            f"write={spread_s - 0.031:.3f} s, sync=0.010 s, total={spread_s:.3f} s; sync files={rng.randrange(36, 60)}, longest=0.004 s, average=0.001 s; "
            f"distance={distance} kB, estimate={distance + rng.randrange(400, 2000)} kB; "
            f"lsn={here >> 32:X}/{here & 0xFFFFFFFF:X}, redo lsn={redo >> 32:X}/{redo & 0xFFFFFFFF:X}"
        )
        if done < END:
            lines.append((done, f"{stamp(done, 'postgres')} [63] LOG:  {text}"))
    return lines


def logs(shop: Shop, rng: random.Random) -> list[dict[str, object]]:
    """Return all streams."""
    report, slow = report_logs(rng)
    expired: list[Line] = []
    for time in arrivals(rng, START, END, lambda time: 0.45 * rate(time)):
        text = f"hold {24_118_006 + int((time - START).total_seconds() * 2.3)} (sku {rng.randrange(10, 70)}-{rng.randrange(1000, 9999)}) ran out after 3m0s, {rng.choice((1, 1, 2))} put back on sale"
        expired.append((time, f"{stamp(time, 'plain')} INFO {text}"))
    database = [*slow, *shop.database, *checkpoints(rng)]

    def stream(service: str, host: str, layout: str, text: str, **more: str) -> dict[str, object]:
        return {"service": service, "host": host, "format": layout, **more, "lines": text}

    return [
        stream("kubernetes", "shop-control-2", "kubernetes-event", cluster_events(shop.pods)),
        stream("checkout-web", GATEWAY, "nginx-access", stream_text(shop.access)),
        stream("checkout-web", GATEWAY, "nginx-error", gateway_errors(rng), zone="+00:00"),
        stream("inventory-api", INVENTORY, "plain", stream_text([*shop.inventory, *expired])),
        *(stream(p.service, p.name, "spring-boot", stream_text(p.lines)) for p in shop.pods),
        stream("orders-db", "orders-db-1", "postgres", stream_text(database)),
        stream("sales-report", "sales-report-29416320-dq5vh", "python", stream_text(report), zone="+00:00"),
    ]  # fmt: skip


def _series(
    service: str, name: str, unit: str, values: Sequence[float | None]
) -> dict[str, object]:
    head = {"name": name, "service": service, "unit": unit, "start": rfc3339(START)}
    return {**head, "step_s": STEP_S, "values": list(values)}


def _count(times: list[datetime], first: int = 0) -> list[int]:
    return counted(times, START, STEP_S, SAMPLES, first=first)


def service_metrics(shop: Shop, rng: random.Random) -> list[dict[str, object]]:
    """Return the series of the gateway and of the pools, which last as long as their replica."""
    series: list[dict[str, object]] = []
    for service, code, first in (
        ("orders-api", "2xx", 9_120_664),
        ("orders-api", "4xx", 70_113),
        ("orders-api", "5xx", 207),
        ("loyalty-api", "2xx", 3_508_120),
        ("loyalty-api", "5xx", 41),
    ):
        answers = (
            t
            for t, name, status in shop.answered
            if (name, f"{status // 100}xx") == (service, code)
        )
        name = f'nginx_vts_upstream_requests_total{{upstream="{service}",backend="{BACKENDS[service]}",code="{code}"}}'
        series.append(_series("checkout-web", name, "requests", _count(list(answers), first)))

    def add(pod: Pod, name: str, unit: str, values: Sequence[float], labels: str = "") -> None:
        shown = [v if pod.serves(t) else None for t, v in zip(GRID, values, strict=True)]
        labelled = labels or f'pool="{pod.pool}"'
        series.append(_series(pod.service, f'{name}{{{labelled},pod="{pod.name}"}}', unit, shown))

    now = shop.pods[2:]
    for pod in shop.pods:
        share = 0.5 if pod.service == "orders-api" else 0.4
        busy = [sum(rng.random() < share * rate(t) * 0.016 for _ in range(4)) for t in GRID]
        busy = [min(b, total) for b, total in zip(busy, pod.totals, strict=True)]
        add(pod, "hikaricp_connections_active", "connections", busy)
    for pod in now:
        add(pod, "hikaricp_connections", "connections", pod.totals)
    for pod in now:
        made = _count(pod.created, 388 if pod.service == "loyalty-api" else 0)
        add(pod, "hikaricp_connections_creation_seconds_count", "connections", made)
    for pod in now:
        add(pod, "hikaricp_connections_timeout_total", "connections", _count(pod.failed))
    for pod in now[:2]:
        labels = 'method="POST",uri="/api/orders/{id}/reserve",status="422"'
        add(pod, "http_server_requests_seconds_count", "requests", _count(pod.rejected), labels)
    return series


def network_metrics(shop: Shop, rng: random.Random) -> list[dict[str, object]]:
    """Return the series of the database and of the two balancers, CloudWatch's each over the minute before."""

    def each_minute(times: list[datetime], noise: float) -> list[int]:
        totals = counted(times, later(START, -STEP_S), STEP_S, SAMPLES + 1)
        return [b - a + round(abs(rng.gauss(0, noise))) for a, b in pairwise(totals)]

    active = gauge(rng, SAMPLES, 1.5, 0.6, low=1)
    idle = [count - busy for count, busy in zip(shop.sessions, active, strict=True)]
    commits = _count([t for t, _, status in shop.answered if status != 500], 412_880_517)
    pausing = [int(rng.random() < 0.05) for _ in GRID]
    longest = [round(abs(rng.gauss(0.02, 0.02)), 2) for _ in GRID]
    in_transaction = 'datname="orders",state="idle in transaction"'
    series = [
        _series("orders-db", name, unit, values)
        for name, unit, values in (
            ('pg_stat_activity_count{datname="orders",state="active"}', "sessions", active),
            ('pg_stat_activity_count{datname="orders",state="idle"}', "sessions", idle),
            (f"pg_stat_activity_count{{{in_transaction}}}", "sessions", pausing),
            (f"pg_stat_activity_max_tx_duration{{{in_transaction}}}", "seconds", longest),
            ("pg_settings_max_connections", "sessions", [SESSIONS_LIMIT + 3] * SAMPLES),
            ('pg_stat_database_xact_commit{datname="orders"}', "transactions", [2 * n for n in commits]),
            ('node_load1{instance="orders-db-1"}', "load", gauge(rng, SAMPLES, 0.92, 0.11, digits=2)),
        )
    ]  # fmt: skip
    steady, calm = gauge(rng, SAMPLES, 24, 0.4), arrivals(rng, START, END, 0.5)
    for name, key, flows, opened, resets in (
        ("orders-db-nlb", "3f81c09a7be2d564", shop.flows, shop.opened, shop.resets),
        ("cart-cache-nlb", "b06e4d2f91a8c537", steady, calm, []),
    ):
        held = [flow + 3 for flow in flows]
        for metric, unit, values in (
            ("active_flow_count_tcp_average", "flows", held),
            ("new_flow_count_tcp_sum", "flows", each_minute(opened, 1.4)),
            ("tcp_elb_reset_count_sum", "packets", each_minute(resets, 1.1)),
        ):
            labels = f'load_balancer="net/{name}/{key}"'
            series.append(_series(name, f"aws_networkelb_{metric}{{{labels}}}", unit, values))
    stock = _count(arrivals(rng, START, END, lambda time: 9 * rate(time)), 5_118_302)
    return [*series, _series("inventory-api", "inventory_stock_lookups_total", "lookups", stock)]


# The changes.

NLB_TF = """\
resource "aws_lb_listener" "{name}" {{
  load_balancer_arn        = aws_lb.{name}.arn
  port                     = {port}
  protocol                 = "TCP"
  tcp_idle_timeout_seconds = {idle}

  default_action {{
    type             = "forward"
    target_group_arn = aws_lb_target_group.{name}.arn
  }}
{tags}}}

resource "aws_route53_record" "{name}" {{
  zone_id = local.zone
  name    = "{host}.example.invalid"
  type    = "A"

  alias {{
    name                   = aws_lb.{name}.dns_name
    zone_id                = aws_lb.{name}.zone_id
    evaluate_target_health = false
  }}
}}
"""
LOCALS_TF = """\
locals {{
  zone    = "Z0SHOPEXAMPLE"
  subnets = ["subnet-a", "subnet-b"]
{more}}}
"""
RESERVE_JAVA = """\
    public Reservation reserve(long orderId, ReserveRequest request) throws SQLException {{
{body}\
        log.info("order {{}} reserved: {{}}", orderId, reservation.summary());
        return reservation;
    }}
"""
RESERVE_OLD = """\
        Reservation reservation;
        try (Connection connection = dataSource.getConnection()) {
            Order order = orders.lock(connection, orderId);
            stock.take(connection, order.lines());
            reservation = orders.markReserved(connection, order, request.paymentToken());
        }
        if (request.couponCode() != null) {
            try (Connection connection = dataSource.getConnection()) {
                Coupon coupon = coupons.find(connection, request.couponCode());
                String reason = coupon.whyNotAt(clock.instant(), reservation.total());
                if (reason != null) {
                    stock.giveBack(connection, reservation.lines());
                    log.info("order {}: coupon {} rejected: {}", orderId, coupon.code(), reason);
                    throw new CouponRejected(coupon.code(), reason);
                }
                reservation = coupons.redeem(connection, reservation, coupon);
            }
        }
"""
RESERVE_NEW = """\
        Connection connection = DataSourceUtils.getConnection(dataSource);
        Order order = orders.lock(connection, orderId);
        Coupon coupon = validCoupon(connection, order, request.couponCode());
        stock.take(connection, order.lines());
        Reservation reservation = orders.markReserved(connection, order, request.paymentToken());
        if (coupon != null) {
            reservation = coupons.redeem(connection, reservation, coupon);
        }
        DataSourceUtils.releaseConnection(connection, dataSource);
"""
VALID_COUPON = """\

    private Coupon validCoupon(Connection connection, Order order, String code) throws SQLException {
        if (code == null) {
            return null;
        }
        Coupon coupon = coupons.find(connection, code);
        String reason = coupon.whyNotAt(clock.instant(), order.total());
        if (reason != null) {
            log.info("order {}: coupon {} rejected: {}", order.id(), code, reason);
            throw new CouponRejected(code, reason);
        }
        return coupon;
    }
"""
POINTS_JAVA = """\
    public Redeemed redeem(long member, int points) {{
{body}\
    }}
"""
POINTS_OLD = """\
        int balance = jdbc.queryForObject(BALANCE_FOR_UPDATE, Integer.class, member);
        if (balance < points) {
            throw new NotEnoughPoints(member, balance);
        }
        jdbc.update(TAKE, points, member);
        jdbc.update(BOOK, member, -points, clock.instant());
        return new Redeemed(member, balance - points);
"""
POINTS_NEW = """\
        return jdbc.execute((Connection connection) -> {
            PreparedStatement take = connection.prepareStatement(TAKE_AND_BOOK);
            take.setInt(1, points);
            take.setLong(2, member);
            take.setTimestamp(3, Timestamp.from(clock.instant()));
            ResultSet left = take.executeQuery();
            if (!left.next()) {
                throw new NotEnoughPoints(member, points);
            }
            return new Redeemed(member, left.getInt("balance"));
        });
"""
SETTINGS_YAML = """\
spring:
  datasource:
    url: jdbc:postgresql://orders-db.example.invalid:5432/orders
    username: orders
    hikari:
      pool-name: orders-pool
      maximum-pool-size: 10
{more}      connection-timeout: 20000
      max-lifetime: {lifetime}
"""
GATEWAY_CONF = """\
upstream orders-api {{
    server 192.0.2.31:8080;
    keepalive {orders};
    keepalive_timeout {idle}s;
}}

upstream loyalty-api {{
    server 192.0.2.32:8080;
    keepalive {loyalty};
    keepalive_timeout {idle}s;
}}

access_log /var/log/nginx/access.log shop if=$is_write_or_failed;
"""
STOCK_GO = """\
func (s *Store) OfOrder(ctx context.Context, order int64) ([]Stock, error) {{
{body}}}
"""
STOCK_OLD = """\
	skus, err := s.skus(ctx, order)
	if err != nil {
		return nil, err
	}
	var found []Stock
	for _, sku := range skus {
		row := s.db.QueryRowContext(ctx, stockOfSku, sku)
		var stock Stock
		if err := row.Scan(&stock.Sku, &stock.Units); err != nil {
			return nil, err
		}
		found = append(found, stock)
	}
	return found, nil
"""
STOCK_NEW = """\
	rows, err := s.db.QueryContext(ctx, stockOfOrder, order)
	if err != nil {
		return nil, err
	}
	var found []Stock
	for rows.Next() {
		var stock Stock
		if err := rows.Scan(&stock.Sku, &stock.Units); err != nil {
			return nil, err
		}
		found = append(found, stock)
	}
	return found, rows.Err()
"""
MARGINS_PY = """\
def margin(amount: Decimal, cost: Decimal) -> Decimal:
    if not amount:
        return Decimal(0)
    return {value}
"""
ORDERS_TAGS = """\

  tags = {
    cost-centre = local.cost_centre
    owner       = "shop-data"
  }
"""
IDLE_LOCAL = """\

  # Network balancers: how long a flow without a packet is kept.
  flow_idle_s = 60
"""
COST_LOCAL = """\

  cost_centre = "4410"
"""
JAVA = "src/main/java/com/example"
SETTINGS = "src/main/resources/application.yaml"


def _nlb(name: str, port: int, idle: str, tags: str = "") -> str:
    return NLB_TF.format(name=name, port=port, idle=idle, tags=tags, host=name.replace("_", "-"))


def _diffs() -> dict[str, str]:
    head = "@Service\npublic class ReserveService {\n\n"
    half_hour = SETTINGS_YAML.format(more="", lifetime=1800000)
    shrinks = "      minimum-idle: 4\n      idle-timeout: 300000\n"
    return {
        "stock": unified_diff({"internal/stock/store.go": (STOCK_GO.format(body=STOCK_OLD), STOCK_GO.format(body=STOCK_NEW))}),
        "lifetime": unified_diff({SETTINGS: (SETTINGS_YAML.format(more="", lifetime=600000), half_hour)}),
        "cart": unified_diff({
            "live/shop/cart-cache/nlb.tf": (_nlb("cart_cache", 6379, "350"), _nlb("cart_cache", 6379, "local.flow_idle_s")),
            "live/shop/locals.tf": (LOCALS_TF.format(more=""), LOCALS_TF.format(more=IDLE_LOCAL)),
        }),
        "coupon": unified_diff({
            f"{JAVA}/orders/reserve/ReserveService.java": (
                head + RESERVE_JAVA.format(body=RESERVE_OLD),
                head + RESERVE_JAVA.format(body=RESERVE_NEW) + VALID_COUPON,
            )
        }),
        "database": unified_diff({
            "live/shop/locals.tf": (LOCALS_TF.format(more=IDLE_LOCAL), LOCALS_TF.format(more=IDLE_LOCAL + COST_LOCAL)),
            "live/shop/orders-db/nlb.tf": (_nlb("orders_db", 5432, "350"), _nlb("orders_db", 5432, "local.flow_idle_s", ORDERS_TAGS)),
        }),
        "points": unified_diff({f"{JAVA}/loyalty/redeem/RedeemService.java": (POINTS_JAVA.format(body=POINTS_OLD), POINTS_JAVA.format(body=POINTS_NEW))}),
        "gateway": unified_diff({"conf.d/upstreams.conf": (GATEWAY_CONF.format(orders=32, loyalty=32, idle=300), GATEWAY_CONF.format(orders=24, loyalty=8, idle=45))}),
        "shrink": unified_diff({SETTINGS: (half_hour, SETTINGS_YAML.format(more=shrinks, lifetime=1800000))}),
        "margins": unified_diff({"sales_report/margins.py": (MARGINS_PY.format(value="round((amount - cost) / amount, 2)"), MARGINS_PY.format(value="(amount - cost) / amount"))}),
    }  # fmt: skip


SHAS = {
    "stock": "81d7f0b4a92c5e36d0487bf1c69ea235f7d01c48",
    "lifetime": "c40e92a7f53b18d6e97d02c4815fb6a3309e7d12",
    "cart": "3ba67c1e08d94f52b7e0a16cd3f82954e1c70d9b",
    "coupon": "f91c38d5e7024ab6938d5f1027c4eb6a85d3190e",
    "database": "6e05b9d23c7f481aa1f84e7c902d5b36f8e4a017",
    "points": "a27d4fe9051cb836c5f09d72e48b1a63d7590ce4",
    "gateway": "1fc8e05a7d3942b6e81a50f4c7d92b3e6048fa75",
    "shrink": "d53a9071b6ec4f82907b3d15fe6a48c20c91e7b4",
    "margins": "07e4b6c91fa8235dd60c7f3b9e1524a8b37d06cf",
}


def changes() -> list[dict[str, object]]:
    """Return what people changed, by time."""
    diffs = _diffs()

    def commit(name: str, time: str, service: str, author: str, message: str) -> dict[str, object]:
        head = {"type": "commit", "sha": SHAS[name], "time": time, "author": author}
        return {**head, "service": service, "message": message, "diff": diffs[name]}

    def deploy(name: str, time: str, service: str, author: str, version: str) -> dict[str, object]:
        head = {"type": "deploy", "time": time, "service": service, "version": version}
        return {**head, "sha": SHAS[name], "author": author}

    return [
        commit("stock", "2026-11-16T03:17:22Z", "inventory-api", "p.whitlam", """\
Ask for the stock of an order in one query

A query for each line made large orders slow on the confirmation page.
"""),
        commit("lifetime", "2026-11-17T01:20:08Z", "orders-api", "h.castellan", """\
Keep pooled connections for half an hour

A login on every pod each minute is a lot of TLS and SCRAM for nothing.
loyalty-api has had thirty minutes, the library's own value, since spring.
"""),
        deploy("lifetime", "2026-11-17T01:58:41Z", "orders-api", "h.castellan", "2.57.0"),
        commit("cart", "2026-11-17T04:05:50Z", "shop-infra", "y.abara", """\
Give the cart cache's balancer the common flow setting

Every balancer had a figure of its own, copied from whichever came
before. One figure for all, in locals, and the cart cache is the first
to take it. It also keeps the bill for tracked flows down.
"""),
        commit("coupon", "2026-11-17T22:48:13Z", "orders-api", "k.mbeki", """\
Check the coupon before taking stock

Stock was taken first and given back when the coupon was no good, two
writes and a second connection for an order that never came to be.
Look at the coupon first, on the connection that we have; it is
released at the end, so that one borrow serves the whole reservation.
Rejected orders now leave no trace in the stock history, which the
planners had asked for more than once.
"""),
        commit("database", "2026-11-18T00:31:36Z", "shop-infra", "y.abara", """\
Bring the database's balancer in line with the cart cache

The same figure from locals here, and the tags that finance wants on
whatever has a bill of its own.
"""),
        deploy("database", "2026-11-18T03:12:09Z", "shop-infra", "y.abara", "run-1207"),
        commit("points", "2026-11-18T03:40:27Z", "loyalty-api", "d.ferreira", """\
Take and book points in one statement

Two members of a household could redeem the same points when both
pressed the button at once. One statement with RETURNING does both.
"""),
        commit("gateway", "2026-11-18T05:22:55Z", "checkout-web", "n.oyelaran", """\
Size the upstream connections by what each service needs

loyalty-api sees a third of the traffic and had as many spare
connections as orders-api. Fewer for both, and let go of them sooner,
so that a rollout does not drag old connections along. Measured on a
Sunday evening: eight and twenty-four are plenty.
"""),
        deploy("coupon", "2026-11-18T12:51:31Z", "orders-api", "k.mbeki", "2.58.0"),
        commit("shrink", "2026-11-18T13:02:44Z", "orders-api", "h.castellan", """\
Let the pool shrink at night

Ten for each pod is the lunch-time figure; four will do after midnight.
"""),
        commit("margins", "2026-11-18T13:51:10Z", "sales-report", "e.duarte", """\
Round margins only when printing

Sums over a category were off by a few cents.
"""),
    ]  # fmt: skip


ALERTS = [
    {
        "time": "2026-11-18T12:44:00Z",
        "service": "sales-report",
        "metric": "sales_report_stores_written",
        "summary": "Monthly margin report is behind its plan: 70 of 260 stores after 100 minutes",
    },
    {
        "time": "2026-11-18T14:13:15Z",
        "service": "checkout-web",
        "metric": "nginx_vts_upstream_requests_total",
        "summary": "More than 5 % of requests to /api answered 5xx for 2 minutes",
    },
]

EXPECTED = {
    "service": "orders-db-nlb",
    "also_ok": [
        "net/orders-db-nlb/3f81c09a7be2d564", "orders-db-load-balancer", "orders-db-lb", "orders-db-balancer", "nlb", "network load balancer",
        "load balancer", "aws_lb.orders_db", "aws_lb_listener.orders_db", BALANCER, BALANCER[:-5],
    ],
    "victims": ["orders-api", "loyalty-api", "inventory-api", "orders-db", "checkout-web"],
    "cause": [
        [
            "load balanc*", "balancer*", "nlb", "nlbs", "lb", "elb", "loadbalanc*", "orders-db-nlb", "listener*", "middlebox*", "tcp proxy",
            "network path",
        ],
        [
            "idle*", "idling", "inactiv*", "timeout*", "time out", "flow_idle_s", "without traffic", "without a packet", "without packets",
            "quiet flow*", "quiet connection*", "silent flow*", "silent connection*", "unused flow*", "unused connection*",
            "quiet for", "silent for", "unused for", "no traffic for", "at rest",
        ],
        [
            "lower*", "reduc*", "shorten*", "shorter than", "now shorter", "cut", "cuts", "cutting", "decreas*", "dropped from", "dropped to", "drop from", "drop to",
            "went from 350", "down to", "down from", "from 350", "350 to 60", "350s to 60s", "350 s to 60 s", "350 seconds to 60", "instead of 350",
            "rather than 350", "not 350", "trimm*", "tighten*", "slash*",
            "too short", "too low", "too aggressive*", "too early", "too soon", "too small", "too quickly", "less than", "lower than", "smaller than",
            "below", "under the", "undercut*", "set to 60", "set to local", "now 60", "only 60", "to 60", "of 60", "60 s idle", "60s idle",
            "60 second*", "60s", "60 s", "sixty second*", "one minute", "a minute", "1 minute", "minute idle",
            "reset* idle", "kill* idle", "drop* idle", "clos* idle", "cut* idle", "discard* idle", "expir* idle", "forget* idle", "forgot idle",
            "terminat* idle", "sever* idle", "reap* idle", "evict* idle", "tear* down idle", "tore down idle", "idle * dropped", "idle * killed",
            "idle * reset", "idle * discarded", "idle * severed", "idle * forgotten", "idle * cut off", "idle * terminated", "idle * expired",
        ],
    ],
    "must_not": [
        "connection leak in orders*", "connection leak in reserve*", "connection leak on*", "coupon* leak*", "leak* coupon*", "reserve* leak*",
        "leak in reserve*", "orders-api leak*", "orders-pool leak*", "leak in orders*", "leak from orders pool", "hikari* leak*", "pool* leak*",
        "application* leak*", "refactor* leak*", "coupon check * not releas*", "coupon check * not return*", "coupon check * not clos*",
        "coupon * keeps * connection*", "coupon * hold* connection*", "coupon * strand*", "coupon * exhaust*", "rejected coupon* cost*",
        "release 2.58.0 caus*", "redeem* leak*", "points * leak*", "loyalty-api leak*", "prepared statement* leak*", "statement* not closed",
        "lifetime rais*", "lifetime was rais*", "rais* max lifetime", "raised maxlifetime", "lifetime increas*", "increas* max lifetime",
        "lengthen* lifetime", "lifetime lengthen*", "lifetime tripled", "tripled lifetime", "lifetime from 10", "lifetime of orders pool caus*",
        "longer maxlifetime caus*", "max lifetime change",
        "hikari* idle timeout low*", "hikari* idle timeout set", "hikari* idle timeout of", "hikari* idle timeout reduc*", "pool's idle timeout",
        "pool idle timeout", "orders-pool idle timeout", "minimum idle", "shrink* pool", "pool shrink*", "pool * shrink at night",
        "keepalive lower*", "keepalive shorten*", "keepalive reduc*", "keepalive cut", "keepalive timeout lower*", "keepalive timeout reduc*",
        "keepalive timeout cut", "keepalive timeout shorten*", "keepalive timeout drop*", "keepalive timeout was lower*", "gateway clos* idle",
        "gateway drop* idle", "nginx clos* idle", "nginx drop* idle", "upstream keepalive caus*", "checkout-web clos* idle",
        "cart cache balancer lower*", "cart cache balancer reduc*", "cart cache balancer cut", "cart cache balancer drop*",
        "cart cache load balancer lower*", "cart cache load balancer reduc*", "cart cache load balancer drop*", "cart cache lower*",
        "cart-cache-nlb lower*", "cart-cache-nlb reduc*", "cart-cache-nlb cut", "cart-cache-nlb drop*", "cart-cache-nlb clos*",
        "cart-cache-nlb reset*", "redis nlb lower*", "redis nlb reduc*", "redis nlb drop*", "redis balancer drop*",
        "max connections too low", "max connections too small", "max connections * lower*", "max connections reduc*", "too few connection slots",
        "pool too small", "pool size too small", "pool * too small for", "database overload*", "overloaded database", "database is slow",
        "database clos* idle", "database kill*", "database drop* idle", "database terminat*", "postgres clos* idle", "postgres kill*",
        "postgres drop* idle", "postgres* idle session timeout", "idle session timeout", "server closes idle",
        "report * exhaust*", "report * hold*", "report * starv*", "report * hog*", "report leak*",
        "stock query * exhaust*", "stock query * leak*", "inventory-api leak*", "rows * not closed", "rows never closed", "inventory * hog*",
        "timeout rais*", "timeout was rais*", "rais* idle timeout", "rais* * timeout", "timeout increas*", "increas* * timeout", "timeout too long",
        "timeout too high", "timeout lengthen*", "60 to 350", "lower * connection timeout", "lowered connection timeout", "connection timeout lower*",
        "connection timeout reduc*", "connection timeout * too", "cross zone", "unhealthy target*", "health check* * too",
    ],
    "commit": SHAS["database"],
    "contributing": [],
}  # fmt: skip

DISTRACTORS = [
    {
        "commit": SHAS["coupon"],
        "why": "throws before it releases, in the release of the evening; runs in Spring's transaction, and active connections come back while rejections go on",
    },
    {
        "commit": SHAS["cart"],
        "why": "the same change at another balancer, rolled out by the same run; that one resets no more than before and keeps its flows",
    },
    {
        "commit": SHAS["lifetime"],
        "why": "the knob that the pool's hint names, but of one service only; loyalty-api has had thirty minutes all along, and ten would be no less than a minute",
    },
    {
        "commit": SHAS["shrink"],
        "why": "an idle timeout too, and the newest before the onset; no pod was started with it",
    },
    {
        "commit": SHAS["gateway"],
        "why": "lets go of idle connections sooner, but of those between gateway and services",
    },
    {
        "commit": SHAS["points"],
        "why": "leaves a statement open, which JDBC closes with its connection; never rolled out",
    },
    {
        "noise": "slow-query warnings of the monthly report",
        "match": "slow query month_margin_by_category for store",
        "why": "began before the window and keeps its pace",
    },
    {
        "noise": "files that phones ask for and nobody made",
        "match": r'open\(\) "/usr/share/nginx/html/\.well-known',
        "why": "an ERROR as old as the site",
    },
]

SAID = [
    {"phrase": "idle*", "why": "HikariCP's exception counts idle connections"},
    {"phrase": "timeout*", "why": "a method of HikariCP in the frames of its exception"},
]

EXAMPLES = {
    "right": [
        "The idle timeout of orders-db-nlb was lowered from 350 s to 60 s, so pooled connections that rest longer are dropped on the way to the database",
        "NLB idle timeout cut to 60 seconds, far below the pools' maxLifetime of 30 minutes; connections die unnoticed at night",
        "The load balancer in front of orders-db forgets idle flows after one minute; sessions pile up on Postgres until no slot is left",
        "orders-db-nlb silently drops idle connections and resets them when the pool validates",
        "Terraform run reduced tcp_idle_timeout_seconds on the database listener",
        "Load balancer idle timeout is now shorter than the life of pooled connections. It is no leak in the coupon check",
        "The network load balancer's idle timeout is too short for quiet hours: Hikari finds closed connections and every replacement strands a session",
        "Idle flows are killed by the balancer 60 s after their last packet, orphaning the sessions on the database",
        "TCP idle timeout of the NLB went from 350 to 60, so that connections of orders-pool and loyalty-pool are reset when used after a pause",
        "The listener of the database balancer now takes flow_idle_s, which is 60 instead of 350",
        "An infra change shortened the LB's inactivity limit; idle pool connections get RST and the database runs out of slots",
        "Pooled connections that stay unused for more than a minute are cut by the load balancer, in three services at once",
        "The idle timeout at the proxy layer (orders-db-nlb) dropped to 60 s and the zombie sessions exhaust max_connections",
        "Database balancer tightened to a 60 s idle timeout; the raised maxLifetime plays no part",
        "NLB reaps idle database flows too early since its timeout was aligned with the cart cache",
    ],
    "wrong": [
        "Connection leak in orders-api: validCoupon throws before releaseConnection",
        "The coupon check leaks connections, which sit idle until the load balancer times out at 60 s",
        "orders-pool is exhausted, connection requests time out after 20 s",
        "orders-pool - Failed to validate connection org.postgresql.jdbc.PgConnection@5f3c7b1a (This connection has been closed.). Possibly consider using a shorter maxLifetime value.",
        "maxLifetime was raised to 30 minutes and now exceeds the load balancer's idle timeout of 60 s",
        "max_connections too low: the database has no slots left for idle connections of the load balancer at night, only 60 s apart",
        "FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute",
        "The idle timeout of orders-db-nlb was raised from 60 s to 350 s, so dead flows are kept too long",
        "cart-cache-nlb idle timeout lowered to 60 s drops connections of the shop",
        "Hikari's idle timeout set to five minutes and minimum-idle 4 shrink the pool below what the balancer needs",
        "The gateway's keepalive_timeout was cut to 45 s, so idle upstream connections behind the balancer are closed",
        "The load balancer's idle timeout was not lowered",
        "A lowered idle timeout at the load balancer was ruled out",
        "Either the load balancer's idle timeout was lowered, or the coupon check does not release its connection",
        "The database kills idle sessions that come through the balancer after 60 s",
        "The monthly report hogs the database and idle connections of the balancer are reset below the limit",
        "inventory-api gets connection reset by peer from 192.0.2.140:5432",
        "Too many sessions on orders-db: idle connections pile up in three services",
        "The pools are too small for the night",
        "Something between the services and the database is slow",
        "Points redemption leaks prepared statements, so the balancer resets idle connections after 60 s",
    ],
}


def main() -> None:
    """Write the incident."""
    shop, dressing = Shop(random.Random(SEED)), random.Random(20261118)
    shop.run()
    for index, seconds in ((2, 9.127), (3, 9.348)):
        roll_out_lines(shop.pods[index], seconds)
        stop_lines(shop.pods[index - 2])
    onset = rfc3339(shop.first_warning.replace(microsecond=0))
    document = {
        "schema": "rcabench/1",
        "id": "connection-leak-idle-timeout",
        "title": "Balancer forgets idle database connections after 60 s, not 350 s",
        "kind": "configuration",
        "difficulty": "hard",
        "canary": f"rcabench canary {hex_digits(dressing, 32)}",
        "source": {"origin": "written"},
        "twin_of": "connection-leak",
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": logs(shop, dressing),
        "metrics": service_metrics(shop, dressing) + network_metrics(shop, dressing),
        "changes": changes(),
        "alerts": ALERTS,
        "expected": {**EXPECTED, "onset": onset},
        "distractors": DISTRACTORS,
        "said_in_evidence": SAID,
        "examples": EXAMPLES,
    }
    write(document, Path(__file__).parents[1] / "held_out" / "connection-leak-idle-timeout.yaml")


if __name__ == "__main__":
    main()
