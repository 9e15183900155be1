"""Write incidents/held_out/connection-leak.yaml: two replicas of orders-api run out of connections, twice.

The traffic is simulated, so that gateway, service, database and metrics agree; what decides is written by hand.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from traffic import (
    Line,
    arrivals,
    counted,
    counter,
    gauge,
    hex_digits,
    periodic,
    rfc3339,
    staircase,
    stamp,
    stream_text,
    unified_diff,
    utc,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

START = utc("2026-10-07T13:00:00Z")
END = utc("2026-10-07T14:20:00Z")
STEP_S = 60
SAMPLES = 80
POOL = 10
GATEWAY_GIVES_UP_S = 25.0
GATEWAYS = ("checkout-web-5c86d79b4f-9hq2r", "checkout-web-5c86d79b4f-wd6kp")
GATEWAY_RELOAD = {
    GATEWAYS[0]: (utc("2026-10-07T13:21:07Z"), (62, 63)),
    GATEWAYS[1]: (utc("2026-10-07T13:21:12Z"), (58, 59)),
}
HOLD_LASTS = timedelta(seconds=180)
ORDERS_API = "192.0.2.20:8080"

APPLICATION = "com.example.orders.OrdersApplication"
RESERVE = "com.example.orders.reserve.ReserveService"
RETURNS = "com.example.orders.returns.ReturnService"
ERRORS = "com.example.orders.web.ApiErrorHandler"
RESOLVER = "org.springframework.web.servlet.mvc.support.DefaultHandlerExceptionResolver"
TOMCAT = "org.springframework.boot.web.embedded.tomcat.TomcatWebServer"
GRACEFUL = "org.springframework.boot.web.embedded.tomcat.GracefulShutdown"
CONTEXT = "org.apache.catalina.core.ContainerBase.[Tomcat].[localhost].[/]"
HIKARI = "com.zaxxer.hikari.HikariDataSource"


@dataclass
class Failure:
    """A request that waited for a connection in vain, as its replica saw it."""

    time: datetime
    waited_ms: int
    request: str
    thread: str


@dataclass
class Pod:
    """One replica of orders-api and what happened in it; *kept* are connections that never came back."""

    name: str
    version: str
    waits_s: int
    booted: datetime
    ready: datetime
    stopping: datetime
    gone: datetime
    kept: list[datetime] = field(default_factory=list)
    stuck: list[tuple[datetime, datetime]] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    rejected: list[datetime] = field(default_factory=list)
    refused: list[datetime] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    busy: dict[int, datetime] = field(default_factory=dict)

    @property
    def is_exhausted(self) -> bool:
        """Whether no connection is left."""
        return len(self.kept) >= POOL

    def waiting(self, time: datetime) -> int:
        """Return how many requests wait for a connection at *time*."""
        return sum(since < time < until for since, until in self.stuck)

    def worker(self, since: datetime, until: datetime, rng: random.Random) -> str:
        """Return a Tomcat worker that is free at *since*, and keep it busy; ten stand by, more are made on demand."""
        free = [number for number in range(1, 11) if self.busy.get(number, since) <= since]
        free.sort(key=lambda number: self.busy.get(number, self.booted))
        extra = next(number for number in range(11, 301) if self.busy.get(number, since) <= since)
        number = rng.choice(free[:4]) if free else extra
        self.busy[number] = until
        return f"http-nio-8080-exec-{number}"

    def say(self, time: datetime, level: str, logger: str, text: str, thread: str = "main") -> None:
        """Log *text* in Spring Boot's console layout, in the window."""
        if START <= time < END:
            head = f"{stamp(time, 'spring-boot')} {level:>5} 1 --- [orders-api]"
            where = f"[{thread[-15:]:>15}] {_logger(logger)}"
            self.lines.append((time, f"{head} {where} : {text}"))


def _logger(name: str) -> str:
    """Return *name* as Spring Boot prints it: packages shortened from the left until 39 characters are enough."""
    parts = name.split(".")
    for index in range(len(parts) - 1):
        if len(".".join(parts)) <= 39:
            break
        parts[index] = parts[index][0]
    return f"{'.'.join(parts)[-40:]:40}"


def _at(text: str) -> datetime:
    return utc(f"2026-10-07T{text}Z")


def _ms(count: float) -> timedelta:
    return timedelta(milliseconds=count)


def _pods() -> tuple[Pod, ...]:
    early, late = _at("00:00:00"), _at("23:00:00")
    return (
        Pod(
            "orders-api-6d9f7c5b8-x2k4q",
            "2.41.3",
            30,
            early,
            early,
            _at("13:06:59.204"),
            _at("13:07:00.9"),
        ),
        Pod(
            "orders-api-6d9f7c5b8-tn8zw",
            "2.41.3",
            30,
            early,
            early,
            _at("13:07:16.871"),
            _at("13:07:18.4"),
        ),
        Pod(
            "orders-api-7b84d6c9f5-jq7mv",
            "2.42.0",
            30,
            _at("13:06:46.118"),
            _at("13:06:57"),
            _at("13:44:52.377"),
            _at("13:45:13.2"),
        ),
        Pod(
            "orders-api-7b84d6c9f5-l4xdh",
            "2.42.0",
            30,
            _at("13:07:02.402"),
            _at("13:07:14"),
            _at("13:45:10.640"),
            _at("13:45:31.5"),
        ),
        Pod(
            "orders-api-c5f6w8n7d-8vbzt",
            "2.42.1",
            10,
            _at("13:44:39.530"),
            _at("13:44:50"),
            late,
            late,
        ),
        Pod(
            "orders-api-c5f6w8n7d-m2rks",
            "2.42.1",
            10,
            _at("13:44:56.017"),
            _at("13:45:08"),
            late,
            late,
        ),
    )


@dataclass
class Customer:
    """Who asks: an address, an agent and, when ordering, an order with one hold a line and perhaps a coupon."""

    client: str
    agent: str
    order: int = 0
    holds: tuple[int, ...] = ()
    coupon: str = ""
    attempts: int = 0
    is_served: bool = False


@dataclass
class Access:
    """One line of the gateway's access log, and of its error log where *error* says so."""

    time: datetime
    gateway: str
    customer: Customer
    request: str
    status: int
    size: int
    took_s: float
    error: str = ""


AGENTS = (
    "ShopApp/6.4.1 (iOS 18.6.2; iPhone15,3)",
    "ShopApp/6.4.0 (Android 15; Pixel 8)",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
)
COUPONS = ("SPRING15", "SPRING15", "SPRING15", "WELCOME10", "FREEPOST")
REJECTED = {
    "SPRING15": "ended 2026-10-04",
    "WELCOME10": "first order only",
    "FREEPOST": "below 60.00",
}
SIZES = {200: 412, 201: 238, 422: 131, 409: 118, 405: 104, 500: 96, 502: 157, 504: 167, 499: 0}


@dataclass
class Shop:
    """The simulation: who asked what of which replica, and what became of it."""

    rng: random.Random
    threads: random.Random
    pods: tuple[Pod, ...] = field(default_factory=_pods)
    accesses: list[Access] = field(default_factory=list)
    expired: list[Line] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    queue: list[tuple[datetime, int, str, Customer]] = field(default_factory=list)
    returned: int = 604_381

    def run(self) -> None:
        """Let everybody come, in the order of time."""
        self._invite()
        while self.queue:
            time, _, kind, customer = heapq.heappop(self.queue)
            pod = self.rng.choice([pod for pod in self.pods if pod.ready <= time < pod.stopping])
            if kind == "expiry":
                self._expire(time, customer)
            elif kind == "reserve":
                self._reserve(time, pod, customer)
            elif kind == "return":
                self._return(time, pod, customer)
            elif self.known:
                self._read(time, pod, customer, kind)
        for pod in self.pods:
            pod.failed.sort(key=lambda failure: failure.time)

    def _invite(self) -> None:
        rng = self.rng
        hold = 18_771_180
        # Who came before the window has holds that may still run out in it.
        for number, time in enumerate(arrivals(rng, START - timedelta(minutes=5), END, 7.0)):
            lines = rng.choices((1, 2, 3, 4), (26, 32, 25, 17))[0]
            customer = self._somebody()
            customer.order = 4_188_004 + number
            customer.holds = tuple(range(hold + 1, hold + 1 + lines))
            hold += lines
            customer.coupon = rng.choice(COUPONS) if rng.random() < 0.125 else ""
            asks = time + timedelta(seconds=rng.uniform(18, 70))
            if rng.random() < 0.93:
                customer.is_served = asks < START
                self._push(asks, "reserve", customer)
            self._push(time + HOLD_LASTS, "expiry", customer)
        for kind, per_minute in (("return", 1.7), ("status", 1.3), ("prefetch", 0.18)):
            for time in arrivals(rng, START, END, per_minute):
                self._push(time, kind, self._somebody())

    def _somebody(self) -> Customer:
        rng = self.rng
        network = rng.choice(("198.51.100.", "203.0.113."))
        return Customer(f"{network}{rng.randrange(2, 250)}", rng.choice(AGENTS))

    def _push(self, time: datetime, kind: str, customer: Customer) -> None:
        if START <= time < END:
            heapq.heappush(self.queue, (time, self.rng.getrandbits(40), kind, customer))

    def _expire(self, time: datetime, customer: Customer) -> None:
        for hold in () if customer.is_served else customer.holds:
            late = time + timedelta(seconds=self.rng.uniform(0.2, 29))
            sku = f"{self.rng.randrange(10, 70)}-{self.rng.randrange(1000, 9999)}"
            units = self.rng.choice((1, 1, 1, 2, 3))
            text = f"hold {hold} (order {customer.order}, sku {sku}) ran out after 3m0s, {units} put back on sale"
            if late < END:
                self.expired.append((late, f"{stamp(late, 'plain')} WARN {text}"))

    def _reserve(self, time: datetime, pod: Pod, customer: Customer) -> None:
        rng = self.rng
        order = customer.order
        path = f"/api/orders/{order}/reserve"
        customer.attempts += 1
        if pod.is_exhausted:
            self._wait(time, pod, f"POST {path}", customer)
            if customer.attempts < 3 and rng.random() < 0.35:
                self._push(time + timedelta(seconds=rng.uniform(28, 75)), "reserve", customer)
            return
        done = time + _ms(rng.gauss(46, 9))
        if customer.coupon:
            why = REJECTED[customer.coupon]
            self._tell(
                pod, done, RESERVE, f"order {order}: coupon {customer.coupon} rejected: {why}"
            )
            self._answer(time, done, f"POST {path}", 422, customer)
            pod.rejected.append(done)
            if pod.version != "2.41.3":
                pod.kept.append(done)
            customer.coupon = ""
            if rng.random() < 0.85:
                self._push(time + timedelta(seconds=rng.uniform(9, 40)), "reserve", customer)
            return
        customer.is_served = True
        self.known.append(order)
        lines = len(customer.holds)
        total = rng.uniform(18, 240) * lines**0.6
        self._tell(
            pod,
            done,
            RESERVE,
            f"order {order} reserved: {lines} line{'s' * (lines > 1)}, {total:.2f} AUD",
        )
        self._answer(time, done, f"POST {path}", 200, customer)

    def _return(self, time: datetime, pod: Pod, customer: Customer) -> None:
        rng = self.rng
        self.returned += 1
        request = f"POST /api/returns/{self.returned}"
        if pod.is_exhausted:
            self._wait(time, pod, request, customer)
            return
        done = time + _ms(rng.gauss(33, 6))
        if rng.random() < 0.64:
            order = rng.randrange(3_402_000, 3_811_000)
            text = f"return {self.returned} for order {order} refused: outside the 30 days"
            self._tell(pod, done, RETURNS, text)
            self._answer(time, done, request, 409, customer)
            pod.refused.append(done)
        else:
            order = rng.randrange(3_936_000, 4_171_000)
            self._tell(
                pod, done, RETURNS, f"return {self.returned} for order {order} opened, label queued"
            )
            self._answer(time, done, request, 201, customer)

    def _read(self, time: datetime, pod: Pod, customer: Customer, kind: str) -> None:
        rng = self.rng
        request = f"GET /api/orders/{rng.choice(self.known[-30:])}"
        if kind == "prefetch":
            done = time + _ms(rng.gauss(4, 0.7))
            error = "org.springframework.web.HttpRequestMethodNotSupportedException: Request method 'GET' is not supported"
            self._tell(pod, done, RESOLVER, f"Resolved [{error}]", "WARN")
            self._answer(time, done, f"{request}/reserve", 405, customer)
        elif pod.is_exhausted:
            self._wait(time, pod, request, customer)
        else:
            self._answer(time, time + _ms(rng.gauss(14, 2.5)), request, 200, customer)

    def _tell(self, pod: Pod, time: datetime, logger: str, text: str, level: str = "INFO") -> None:
        thread = pod.worker(time - _ms(60), time, self.threads)
        pod.say(time, level, logger, text, thread)

    def _answer(
        self,
        time: datetime,
        done: datetime,
        request: str,
        status: int,
        customer: Customer,
        error: str = "",
    ) -> None:
        took_s = (done - time).total_seconds()
        size = SIZES[status] + (self.rng.randrange(40) if status < 499 else 0)
        gateway = self.rng.choice(GATEWAYS)
        entry = Access(
            done + _ms(1),
            gateway,
            customer,
            f"{request} HTTP/2.0",
            status,
            size,
            took_s + 0.001,
            error,
        )
        self.accesses.append(entry)

    def _wait(self, time: datetime, pod: Pod, request: str, customer: Customer) -> None:
        """Let *request* wait for a connection until the pool, the gateway, the customer or the pod gives up."""
        rng = self.rng
        waited_ms = pod.waits_s * 1000 + rng.choice((0, 0, 1, 1, 2, 2, 3, 4, 6, 11))
        failed = time + _ms(waited_ms + 3)
        thread = pod.worker(time, failed, self.threads)
        pod.stuck.append((time, min(failed, pod.gone)))
        if failed < min(pod.gone, END):
            pod.failed.append(Failure(failed, waited_ms, request, thread))
        served = failed + _ms(rng.randrange(2, 6))
        given_up = time + timedelta(seconds=GATEWAY_GIVES_UP_S) + _ms(rng.randrange(1, 30))
        left = time + timedelta(seconds=rng.uniform(6, 24))
        while_reading = "while reading response header from upstream"
        if rng.random() < 0.12 and left < min(served, given_up, pod.gone):
            self._answer(time, left, request, 499, customer)
        elif pod.gone < min(served, given_up):
            error = f"upstream prematurely closed connection {while_reading}"
            self._answer(time, pod.gone, request, 502, customer, error)
        elif given_up < served:
            error = f"upstream timed out (110: Connection timed out) {while_reading}"
            self._answer(time, given_up, request, 504, customer, error)
        else:
            self._answer(time, served, request, 500, customer)


# What orders-api says of its own life.

POOL_FRAMES = """\
\tat com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:686) ~[HikariCP-5.1.0.jar!/:na]
\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:179) ~[HikariCP-5.1.0.jar!/:na]
\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:144) ~[HikariCP-5.1.0.jar!/:na]
\tat com.zaxxer.hikari.HikariDataSource.getConnection(HikariDataSource.java:127) ~[HikariCP-5.1.0.jar!/:na]
"""
# Six frames of each exception are printed, as logging.exception-conversion-word: "%wEx{6}" asks for.
TRACES = {
    "reserve": f"""\
{{error}}
{POOL_FRAMES}\tat com.example.orders.reserve.ReserveService.reserve(ReserveService.java:37) ~[!/:{{version}}]
\tat com.example.orders.reserve.ReserveController.reserve(ReserveController.java:38) ~[!/:{{version}}]
""",
    "returns": f"""\
org.springframework.transaction.CannotCreateTransactionException: Could not open JDBC Connection for transaction
\tat org.springframework.jdbc.datasource.DataSourceTransactionManager.doBegin(DataSourceTransactionManager.java:313) ~[spring-jdbc-6.2.10.jar!/:6.2.10]
\tat org.springframework.transaction.support.AbstractPlatformTransactionManager.startTransaction(AbstractPlatformTransactionManager.java:532) ~[spring-tx-6.2.10.jar!/:6.2.10]
\tat org.springframework.transaction.support.AbstractPlatformTransactionManager.getTransaction(AbstractPlatformTransactionManager.java:405) ~[spring-tx-6.2.10.jar!/:6.2.10]
\tat org.springframework.transaction.interceptor.TransactionAspectSupport.createTransactionIfNecessary(TransactionAspectSupport.java:639) ~[spring-tx-6.2.10.jar!/:6.2.10]
\tat org.springframework.transaction.interceptor.TransactionAspectSupport.invokeWithinTransaction(TransactionAspectSupport.java:374) ~[spring-tx-6.2.10.jar!/:6.2.10]
\tat org.springframework.transaction.interceptor.TransactionInterceptor.invoke(TransactionInterceptor.java:119) ~[spring-tx-6.2.10.jar!/:6.2.10]
Caused by: {{error}}
{POOL_FRAMES}\tat org.springframework.jdbc.datasource.DataSourceTransactionManager.doBegin(DataSourceTransactionManager.java:266) ~[spring-jdbc-6.2.10.jar!/:6.2.10]
\tat org.springframework.transaction.support.AbstractPlatformTransactionManager.startTransaction(AbstractPlatformTransactionManager.java:532) ~[spring-tx-6.2.10.jar!/:6.2.10]
""",
    "orders": f"""\
org.springframework.jdbc.CannotGetJdbcConnectionException: Failed to obtain JDBC Connection
\tat org.springframework.jdbc.datasource.DataSourceUtils.getConnection(DataSourceUtils.java:84) ~[spring-jdbc-6.2.10.jar!/:6.2.10]
\tat org.springframework.jdbc.core.JdbcTemplate.execute(JdbcTemplate.java:653) ~[spring-jdbc-6.2.10.jar!/:6.2.10]
\tat org.springframework.jdbc.core.JdbcTemplate.query(JdbcTemplate.java:732) ~[spring-jdbc-6.2.10.jar!/:6.2.10]
\tat org.springframework.jdbc.core.JdbcTemplate.query(JdbcTemplate.java:763) ~[spring-jdbc-6.2.10.jar!/:6.2.10]
\tat com.example.orders.query.OrderQuery.byId(OrderQuery.java:29) ~[!/:{{version}}]
\tat com.example.orders.query.OrderController.show(OrderController.java:24) ~[!/:{{version}}]
Caused by: {{error}}
{POOL_FRAMES}\tat org.springframework.jdbc.datasource.DataSourceUtils.fetchConnection(DataSourceUtils.java:160) ~[spring-jdbc-6.2.10.jar!/:6.2.10]
\tat org.springframework.jdbc.datasource.DataSourceUtils.doGetConnection(DataSourceUtils.java:118) ~[spring-jdbc-6.2.10.jar!/:6.2.10]
""",
}


def complain(pod: Pod, rng: random.Random) -> None:
    """Log each request that waited in vain; the handler prints a trace for the first of each kind."""
    traced = set()
    for failure in pod.failed:
        error = (
            f"java.sql.SQLTransientConnectionException: orders-pool - Connection is not available, request timed out "
            f"after {failure.waited_ms}ms (total=10, active=10, idle=0, waiting={pod.waiting(failure.time)})"
        )
        kind = next(
            kind for kind in TRACES if kind in failure.request.removeprefix("POST /api/orders")
        )
        trace = (
            "" if kind in traced else f"\n\n{TRACES[kind].format(error=error, version=pod.version)}"
        )
        traced.add(kind)
        text = f"{failure.request} answered 500: {error}{trace}"
        pod.say(failure.time + _ms(rng.randrange(1, 3)), "ERROR", ERRORS, text, failure.thread)


def boot(pod: Pod, context_ms: int, seconds: float, connection: str) -> None:
    """Log the start of a replica; a readiness probe is its first request."""
    standard = "org.apache.catalina.core.Standard"
    servlet = "org.springframework.web.servlet.DispatcherServlet"
    web_context = "org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext"
    endpoints = "org.springframework.boot.actuate.endpoint.web.EndpointLinksResolver"
    worker = "http-nio-8080-exec-1"
    starting = f"Starting OrdersApplication v{pod.version} using Java 21.0.8 with PID 1 (/app/orders-api.jar started by spring in /app)"
    for after_s, logger, text, thread in (
        (0, APPLICATION, starting, "main"),
        (0.004, APPLICATION, 'The following 1 profile is active: "prod"', "main"),
        (2.871, TOMCAT, "Tomcat initialized with port 8080 (http)", "main"),
        (2.903, f"{standard}Service", "Starting service [Tomcat]", "main"),
        (2.904, f"{standard}Engine", "Starting Servlet engine: [Apache Tomcat/10.1.44]", "main"),
        (2.968, CONTEXT, "Initializing Spring embedded WebApplicationContext", "main"),
        (
            2.970,
            web_context,
            f"Root WebApplicationContext: initialization completed in {context_ms} ms",
            "main",
        ),
        (4.417, HIKARI, "orders-pool - Starting...", "main"),
        (
            4.702,
            "com.zaxxer.hikari.pool.HikariPool",
            f"orders-pool - Added connection org.postgresql.jdbc.PgConnection@{connection}",
            "main",
        ),
        (4.704, HIKARI, "orders-pool - Start completed.", "main"),
        (seconds - 0.71, endpoints, "Exposing 2 endpoints beneath base path '/actuator'", "main"),
        (
            seconds - 0.33,
            TOMCAT,
            "Tomcat started on port 8080 (http) with context path '/'",
            "main",
        ),
        (
            seconds - 0.30,
            APPLICATION,
            f"Started OrdersApplication in {seconds:.3f} seconds (process running for {seconds + 0.618:.3f})",
            "main",
        ),
        (
            seconds + 0.94,
            CONTEXT,
            "Initializing Spring DispatcherServlet 'dispatcherServlet'",
            worker,
        ),
        (seconds + 0.94, servlet, "Initializing Servlet 'dispatcherServlet'", worker),
        (seconds + 0.942, servlet, "Completed initialization in 2 ms", worker),
    ):
        pod.say(pod.booted + timedelta(seconds=after_s), "INFO", logger, text, thread)


def stop(pod: Pod) -> None:
    """Log the end of a replica, which waits 20 seconds for requests that are still open."""
    hook, closing = "SpringApplicationShutdownHook", pod.gone - _ms(410)
    pod.say(
        pod.stopping,
        "INFO",
        GRACEFUL,
        "Commencing graceful shutdown. Waiting for active requests to complete",
        hook,
    )
    if pod.stuck:
        late = pod.stopping + _ms(20_004)
        text = "Shutdown phase 2147482623 ends with 1 bean still running after timeout of 20000ms: [webServerGracefulShutdown]"
        pod.say(
            late,
            "INFO",
            "org.springframework.context.support.DefaultLifecycleProcessor",
            text,
            hook,
        )
        pod.say(
            late + _ms(5),
            "INFO",
            GRACEFUL,
            "Graceful shutdown aborted with one or more requests still active",
            "tomcat-shutdown",
        )
    else:
        pod.say(
            pod.stopping + _ms(27),
            "INFO",
            GRACEFUL,
            "Graceful shutdown complete",
            "tomcat-shutdown",
        )
    pod.say(closing, "INFO", HIKARI, "orders-pool - Shutdown initiated...", hook)
    pod.say(closing + _ms(38), "INFO", HIKARI, "orders-pool - Shutdown completed.", hook)


# The other streams.


def gateway_logs(shop: Shop, rng: random.Random, gateway: str) -> tuple[str, str]:
    """Return the access log and the error log of one pod of checkout-web, whose workers a reload replaces."""
    access: list[Line] = []
    errors: list[Line] = []
    reloaded, replaced = GATEWAY_RELOAD[gateway]
    for after_s, text in (
        (0, f"1#1: signal 1 (SIGHUP) received from {replaced[0] - 1}, reconfiguring"),
        (0, "1#1: reconfiguring"),
        (0, '1#1: using the "epoll" event method'),
        (0, "1#1: start worker processes"),
        *((0, f"1#1: start worker process {worker}") for worker in replaced),
        *((1, f"{worker}#{worker}: gracefully shutting down") for worker in (29, 30)),
        *((1, f"{worker}#{worker}: exiting") for worker in (29, 30)),
        *((1, f"{worker}#{worker}: exit") for worker in (29, 30)),
        (1, "1#1: signal 17 (SIGCHLD) received from 30"),
        *((1, f"1#1: worker process {worker} exited with code 0") for worker in (29, 30)),
        (1, "1#1: signal 29 (SIGIO) received"),
    ):
        time = reloaded + timedelta(seconds=after_s)
        errors.append((time, f"{stamp(time, 'nginx-error')} [notice] {text}"))

    def error(time: datetime, connection: int, text: str) -> None:
        worker = rng.choice(replaced if time > reloaded + timedelta(seconds=1) else (29, 30))
        errors.append(
            (time, f"{stamp(time, 'nginx-error')} [error] {worker}#{worker}: *{connection} {text}")
        )

    site = "server: shop.example.invalid"
    entries = [entry for entry in shop.accesses if entry.gateway == gateway and entry.time < END]
    for entry in sorted(entries, key=lambda entry: entry.time):
        began = entry.time - timedelta(seconds=entry.took_s)
        line = (
            f'{entry.customer.client} - - {stamp(entry.time, "nginx-access")} "{entry.request}" {entry.status} {entry.size} '
            f'"-" "{entry.customer.agent}" rt={entry.took_s:.3f} urt={entry.took_s - 0.001:.3f}'
        )
        access.append((entry.time, line))
        if entry.error:
            path = entry.request.split()[1]
            who = f'client: {entry.customer.client}, {site}, request: "{entry.request}"'
            upstream = f'upstream: "http://{ORDERS_API}{path}", host: "shop.example.invalid"'
            error(entry.time, _connection(began, gateway), f"{entry.error}, {who}, {upstream}")
    for time in arrivals(rng, START, END, 0.42):
        icon = rng.choice(
            ("apple-touch-icon-precomposed.png", "apple-touch-icon.png", "apple-touch-icon.png")
        )
        who = f'client: 198.51.100.{rng.randrange(2, 250)}, {site}, request: "GET /{icon} HTTP/2.0", host: "shop.example.invalid"'
        text = f'open() "/usr/share/nginx/html/{icon}" failed (2: No such file or directory), {who}'
        error(time, _connection(time, gateway), text)
    return stream_text(access), stream_text(errors)


def _connection(time: datetime, gateway: str) -> int:
    base = {GATEWAYS[0]: 1_839_204, GATEWAYS[1]: 1_822_871}[gateway]
    return base + int((time - START).total_seconds() * 0.71)


REPORT_QUERIES = {
    "daily_margin_by_category": "SELECT p.category, sum(l.amount - l.cost) FROM order_lines l JOIN products p ON p.sku = l.sku WHERE l.store = {store} AND l.sold_on = '2026-10-06' GROUP BY 1",
    "basket_pairs": "SELECT a.sku, b.sku, count(*) FROM order_lines a JOIN order_lines b ON b.order_id = a.order_id AND a.sku < b.sku WHERE a.store = {store} AND a.sold_on >= '2026-09-30' GROUP BY 1, 2 HAVING count(*) > 4",
}


def report_logs(rng: random.Random) -> tuple[list[Line], list[Line]]:
    """Return what the nightly report and the database say of the report's slow queries, from before the window on."""
    report: list[Line] = []
    database: list[Line] = []
    for number, time in enumerate(periodic(rng, START + timedelta(seconds=6), END, 57, jitter_s=9)):
        store = 114 + number
        name = rng.choice(("daily_margin_by_category", "basket_pairs", "basket_pairs"))
        took_s = max(2.1, rng.gauss(4.6 if name == "basket_pairs" else 3.2, 0.6))
        done = time + timedelta(seconds=took_s)
        slow = f"slow query {name} for store {store}: {took_s + 0.01:.2f} s, {rng.randrange(300, 9000)} rows"
        written = done + _ms(rng.randrange(300, 900))
        if written >= END:
            continue
        statement = REPORT_QUERIES[name].format(store=store)
        database.append(
            (
                done,
                f"{stamp(done, 'postgres')} [20417] LOG:  duration: {took_s * 1000:.3f} ms  statement: {statement}",
            )
        )
        report.append(
            (
                done + _ms(12),
                f"{stamp(done + _ms(12), 'python')} - sales_report.queries - WARNING - {slow}",
            )
        )
        report.append(
            (
                written,
                f"{stamp(written, 'python')} - sales_report.nightly - INFO - store {store} of 260 written",
            )
        )
    return report, database


def database_log(shop: Shop, rng: random.Random, slow: list[Line]) -> str:
    """Return the log of orders-db: the report's queries, checkpoints, and sessions that replicas left behind."""
    lines = list(slow)

    def log(time: datetime, pid: int, text: str) -> None:
        if time < END:
            lines.append((time, f"{stamp(time, 'postgres')} [{pid}] LOG:  {text}"))

    redo = 0x2C_3A41C8B8
    for time in periodic(rng, START + timedelta(seconds=131), END, 300, jitter_s=0.2):
        log(time, 61, "checkpoint starting: time")
        buffers, spread_s = rng.randrange(1900, 2600), rng.uniform(188, 231)
        distance = rng.randrange(14_000, 21_000)
        redo += distance * 1024 + 8 * rng.randrange(128)
        here = redo + 8 * rng.randrange(90_000, 200_000)
        log(
            time + timedelta(seconds=spread_s),
            61,
            f"checkpoint complete: wrote {buffers} buffers ({buffers / 5242.88:.1f}%); 0 WAL file(s) added, 0 removed, 1 recycled; "
            f"write={spread_s - 0.03:.3f} s, sync=0.011 s, total={spread_s:.3f} s; sync files={rng.randrange(41, 66)}, longest=0.004 s, average=0.001 s; "
            f"distance={distance} kB, estimate={distance + rng.randrange(900, 3000)} kB; lsn={_lsn(here)}, redo lsn={_lsn(redo)}",
        )
    for pod, first_pid in zip(shop.pods[2:4], (21160, 21193), strict=True):
        pids = rng.sample(range(first_pid, first_pid + 14), POOL)
        for number, pid in enumerate(pids):
            log(
                pod.gone - _ms(401 - number * 0.4),
                pid,
                "unexpected EOF on client connection with an open transaction",
            )
    return stream_text(lines)


def _lsn(position: int) -> str:
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"


def inventory_log(shop: Shop, rng: random.Random) -> str:
    """Return the log of inventory-api: holds that ran out, and a word each five minutes about the rest."""
    lines = list(shop.expired)
    for time in periodic(rng, START + timedelta(seconds=2), END, 300, jitter_s=0.3):
        text = f"stock snapshot published: {rng.randrange(11_800, 11_930)} skus in {rng.randrange(340, 460)}ms"
        lines.append((time, f"{stamp(time, 'plain')} INFO {text}"))
    return stream_text(lines)


def cluster_events(shop: Shop) -> str:
    """Return the events that Kubernetes told of the two rollouts, and of a job that runs by the clock."""
    events: list[Line] = []

    def tell(time: datetime, kind: str, reason: str, thing: str, text: str) -> None:
        events.append((time, f"{rfc3339(time)} {kind} {reason} {thing} {text}"))

    for number, minute in enumerate(range(0, 80, 20)):
        job, time = (
            f"cart-cleanup-{29_856_300 + 20 * number}",
            START + timedelta(minutes=minute, seconds=1),
        )
        tell(time, "Normal", "SuccessfulCreate", "CronJob/cart-cleanup", f"Created job {job}")
        tell(
            time + timedelta(seconds=7),
            "Normal",
            "SawCompletedJob",
            "CronJob/cart-cleanup",
            f"Saw completed job: {job}, condition: Complete",
        )
    for old, new, nodes in (
        (shop.pods[0:2], shop.pods[2:4], "13"),
        (shop.pods[2:4], shop.pods[4:6], "24"),
    ):
        for number, pod in enumerate(new):
            replica_set, created = pod.name[:-6], pod.booted - timedelta(seconds=5)
            thing, address = f"Pod/{pod.name}", f"192.0.2.{60 + len(new) * int(nodes[number])}"
            image = f"registry.example.invalid/shop/orders-api:{pod.version}"
            tell(
                created,
                "Normal",
                "ScalingReplicaSet",
                "Deployment/orders-api",
                f"Scaled up replica set {replica_set} to {number + 1} from {number}",
            )
            tell(
                created,
                "Normal",
                "SuccessfulCreate",
                f"ReplicaSet/{replica_set}",
                f"Created pod: {pod.name}",
            )
            tell(
                created,
                "Normal",
                "Scheduled",
                thing,
                f"Successfully assigned shop/{pod.name} to node-{nodes[number]}",
            )
            tell(
                created + timedelta(seconds=1),
                "Normal",
                "Pulling",
                thing,
                f'Pulling image "{image}"',
            )
            took, size = (
                f"1.{937 - 118 * number}s",
                {"2.42.0": 218_443_612, "2.42.1": 218_443_609}[pod.version],
            )
            tell(
                created + timedelta(seconds=3),
                "Normal",
                "Pulled",
                thing,
                f'Successfully pulled image "{image}" in {took} ({took} including waiting). Image size: {size} bytes.',
            )
            tell(
                created + timedelta(seconds=3),
                "Normal",
                "Created",
                thing,
                "Created container: orders-api",
            )
            tell(
                created + timedelta(seconds=3),
                "Normal",
                "Started",
                thing,
                "Started container orders-api",
            )
            tell(
                pod.booted + timedelta(seconds=4),
                "Warning",
                "Unhealthy",
                thing,
                f'Readiness probe failed: Get "http://{address}:8080/actuator/health/readiness": dial tcp {address}:8080: connect: connection refused',
            )
            left = len(old) - number - 1
            tell(
                old[number].stopping,
                "Normal",
                "ScalingReplicaSet",
                "Deployment/orders-api",
                f"Scaled down replica set {old[0].name[:-6]} to {left} from {left + 1}",
            )
            tell(
                old[number].stopping,
                "Normal",
                "SuccessfulDelete",
                f"ReplicaSet/{old[0].name[:-6]}",
                f"Deleted pod: {old[number].name}",
            )
            tell(
                old[number].stopping,
                "Normal",
                "Killing",
                f"Pod/{old[number].name}",
                "Stopping container orders-api",
            )
    return stream_text(events)


def logs(shop: Shop, rng: random.Random) -> list[dict[str, object]]:
    """Return all streams."""
    starts = (
        (2, 2891, 8.873, "5f3c7b1a"),
        (3, 2934, 9.012, "2d8e64f7"),
        (4, 2877, 8.741, "7a1f9c35"),
        (5, 2902, 9.104, "41b6d2ce"),
    )
    for index, context_ms, seconds, connection in starts:
        boot(shop.pods[index], context_ms, seconds, connection)
    for pod in shop.pods:
        complain(pod, rng)
        stop(pod)
    report, slow = report_logs(rng)
    streams: list[dict[str, object]] = []
    for gateway in GATEWAYS:
        access, errors = gateway_logs(shop, rng, gateway)
        streams.append(
            {"service": "checkout-web", "host": gateway, "format": "nginx-access", "lines": access}
        )
        streams.append(
            {
                "service": "checkout-web",
                "host": gateway,
                "format": "nginx-error",
                "zone": "+00:00",
                "lines": errors,
            }
        )
    streams += [
        {
            "service": "orders-api",
            "host": pod.name,
            "format": "spring-boot",
            "lines": stream_text(pod.lines),
        }
        for pod in shop.pods
    ]
    return [
        *streams,
        {
            "service": "inventory-api",
            "host": "inventory-api-84b9c7d6f-p5n2z",
            "format": "plain",
            "lines": inventory_log(shop, rng),
        },
        {
            "service": "orders-db",
            "host": "orders-db-0",
            "format": "postgres",
            "lines": database_log(shop, rng, slow),
        },
        {
            "service": "sales-report",
            "host": "sales-report-29856240-7kxwq",
            "format": "python",
            "zone": "+00:00",
            "lines": stream_text(report),
        },
        {
            "service": "kubernetes",
            "host": "shop-control-1",
            "format": "kubernetes-event",
            "lines": cluster_events(shop),
        },
    ]


def _grid() -> list[datetime]:
    return [START + timedelta(seconds=STEP_S * index) for index in range(SAMPLES)]


def _series(
    service: str, name: str, unit: str, values: Sequence[float | None]
) -> dict[str, object]:
    head = {"name": name, "service": service, "unit": unit, "start": rfc3339(START)}
    return {**head, "step_s": STEP_S, "values": list(values)}


def _count(times: list[datetime], first: int = 0) -> list[int]:
    return counted(times, START, STEP_S, SAMPLES, first=first)


def replica_metrics(shop: Shop, rng: random.Random) -> list[dict[str, object]]:
    """Return the series of orders-api, which last as long as their replica."""
    series: list[dict[str, object]] = []

    def add_of(pod: Pod, name: str, labels: str, unit: str, values: Sequence[float]) -> None:
        shown = [
            value if pod.ready < time < pod.stopping else None
            for time, value in zip(_grid(), values, strict=True)
        ]
        series.append(_series("orders-api", f'{name}{{{labels}pod="{pod.name}"}}', unit, shown))

    pool = 'pool="orders-pool",'
    for pod in shop.pods:
        kept = staircase(
            [(time, number + 1) for number, time in enumerate(pod.kept)], START, STEP_S, SAMPLES
        )
        busy = [number if number == POOL else number + (rng.random() < 0.11) for number in kept]
        add_of(pod, "hikaricp_connections_active", pool, "connections", busy)
    rolled_out = shop.pods[2:]
    for pod in rolled_out:
        add_of(
            pod,
            "hikaricp_connections_pending",
            pool,
            "threads",
            [pod.waiting(time) for time in _grid()],
        )
    for pod in rolled_out:
        add_of(
            pod,
            "hikaricp_connections_timeout_total",
            pool,
            "connections",
            _count([failure.time for failure in pod.failed]),
        )
    for pod in (rolled_out[0], rolled_out[2]):
        add_of(pod, "hikaricp_connections_max", pool, "connections", [POOL] * SAMPLES)
        runs_dry = pod.stuck[0][0]
        used = gauge(rng, SAMPLES, 0.071, 0.012, low=0.04, digits=4)
        used = [
            value if time < runs_dry + timedelta(minutes=3) else 0.0
            for time, value in zip(_grid(), used, strict=True)
        ]
        waited = gauge(rng, SAMPLES, 0.0006, 0.0002, low=0.0002, digits=5)
        first_failure = pod.failed[0].time
        waited = [
            value if time < first_failure else pod.waits_s + 0.001 * (1 + index % 7)
            for index, (time, value) in enumerate(zip(_grid(), waited, strict=True))
        ]
        add_of(pod, "hikaricp_connections_usage_seconds_max", pool, "seconds", used)
        add_of(pod, "hikaricp_connections_acquire_seconds_max", pool, "seconds", waited)
        busy = [min(25, pod.waiting(time) + 1) for time in _grid()]
        add_of(pod, "tomcat_threads_busy_threads", 'name="http-nio-8080",', "threads", busy)
    for pod in rolled_out:
        labels = 'method="POST",uri="/api/orders/{id}/reserve",status="422",'
        add_of(pod, "http_server_requests_seconds_count", labels, "requests", _count(pod.rejected))
    for pod in rolled_out:
        labels = 'method="POST",uri="/api/returns/{id}",status="409",'
        add_of(pod, "http_server_requests_seconds_count", labels, "requests", _count(pod.refused))
    return series


def other_metrics(shop: Shop, rng: random.Random) -> list[dict[str, object]]:
    """Return the series of the gateway, the database and inventory-api."""
    series: list[dict[str, object]] = []

    def add(service: str, name: str, unit: str, values: Sequence[float]) -> None:
        series.append(_series(service, name, unit, values))

    for code, first in (("2xx", 1_204_877), ("4xx", 52_310), ("5xx", 388)):
        times = [entry.time for entry in shop.accesses if f"{entry.status}"[0] == code[0]]
        add(
            "checkout-web",
            f'nginx_vts_upstream_requests_total{{upstream="orders-api",backend="{ORDERS_API}",code="{code}"}}',
            "requests",
            _count(times, first),
        )
    kept_now = [
        sum(
            pod.ready < time < pod.gone and sum(since < time for since in pod.kept)
            for pod in shop.pods
        )
        for time in _grid()
    ]
    oldest = [
        min(
            (since for pod in shop.pods for since in pod.kept if since < time < pod.gone),
            default=time,
        )
        for time in _grid()
    ]
    sessions = [10 * sum(pod.booted < time < pod.gone for pod in shop.pods) for time in _grid()]
    idle = "pg_stat_activity_count"
    in_transaction = 'datname="orders",state="idle in transaction"'
    add(
        "orders-db",
        f'{idle}{{datname="orders",state="active"}}',
        "sessions",
        gauge(rng, SAMPLES, 1.6, 0.6, low=1),
    )
    add(
        "orders-db",
        f'{idle}{{datname="orders",state="idle"}}',
        "sessions",
        [all_of - open_ + 3 for all_of, open_ in zip(sessions, kept_now, strict=True)],
    )
    add("orders-db", f"{idle}{{{in_transaction}}}", "sessions", kept_now)
    add(
        "orders-db",
        f"pg_stat_activity_max_tx_duration{{{in_transaction}}}",
        "seconds",
        [
            round((time - since).total_seconds(), 2)
            for time, since in zip(_grid(), oldest, strict=True)
        ],
    )
    answered = _count([entry.time for entry in shop.accesses if entry.status in {200, 201}])
    polled = counter(rng, SAMPLES, 96, start=88_120_417, spread=0.04)
    add(
        "orders-db",
        'pg_stat_database_xact_commit{datname="orders"}',
        "transactions",
        [done * 2 + other for done, other in zip(answered, polled, strict=True)],
    )
    add(
        "orders-db",
        'node_load1{instance="orders-db-0"}',
        "load",
        gauge(rng, SAMPLES, 1.34, 0.14, digits=2),
    )
    add(
        "inventory-api",
        "inventory_holds_expired_total",
        "holds",
        _count([time for time, _ in shop.expired], 90_417),
    )
    return series


# The changes.

RESERVE_HEAD = """\
package com.example.orders.reserve;

import com.example.orders.coupon.Coupon;
import com.example.orders.coupon.CouponRejected;
import com.example.orders.coupon.CouponRows;
import com.example.orders.order.Order;
import com.example.orders.order.OrderRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

@Service
public class ReserveService {

    private static final Logger log = LoggerFactory.getLogger(ReserveService.class);

    private final DataSource dataSource;
    private final OrderRows orders;
    private final StockRows stock;
    private final CouponRows coupons;
    private final Clock clock;

    public ReserveService(
            DataSource dataSource, OrderRows orders, StockRows stock, CouponRows coupons, Clock clock) {
        this.dataSource = dataSource;
        this.orders = orders;
        this.stock = stock;
        this.coupons = coupons;
        this.clock = clock;
    }

    public Reservation reserve(long orderId, ReserveRequest request) throws SQLException {
"""
RESERVE_BEFORE = (
    RESERVE_HEAD
    + """\
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        Order order = orders.read(connection, orderId);
        try {
            orders.lock(connection, orderId);
            stock.take(connection, order.lines());
            Reservation reservation = orders.markReserved(connection, order, request.paymentToken());
            if (request.couponCode() != null) {
                reservation = redeem(connection, reservation, request.couponCode());
            }
            connection.commit();
            return reservation;
        } catch (SQLException | RuntimeException failure) {
            connection.rollback();
            throw failure;
        } finally {
            connection.close();
        }
    }

    private Reservation redeem(Connection connection, Reservation reservation, String code) throws SQLException {
        Coupon coupon = coupons.find(connection, code);
        String reason = coupon.whyNotAt(clock.instant(), reservation.total());
        if (reason != null) {
            log.info("order {}: coupon {} rejected: {}", reservation.orderId(), code, reason);
            throw new CouponRejected(code, reason);
        }
        return coupons.redeem(connection, reservation, coupon);
    }
}
"""
)
RESERVE_AFTER = (
    RESERVE_HEAD
    + """\
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        Order order = orders.read(connection, orderId);
        Coupon coupon = validCoupon(connection, order, request.couponCode());
        try {
            orders.lock(connection, orderId);
            stock.take(connection, order.lines());
            Reservation reservation = orders.markReserved(connection, order, request.paymentToken());
            if (coupon != null) {
                reservation = coupons.redeem(connection, reservation, coupon);
            }
            connection.commit();
            return reservation;
        } catch (SQLException | RuntimeException failure) {
            connection.rollback();
            throw failure;
        } finally {
            connection.close();
        }
    }

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
}
"""
)
RESERVE_TEST = """\
package com.example.orders.reserve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.example.orders.coupon.CouponRejected;
import org.junit.jupiter.api.Test;

class ReserveServiceTest extends DatabaseTest {

    @Test
    void rejectsACouponThatHasEnded() {
        assertThatThrownBy(() -> service.reserve(DRAFT_ORDER, requestWith("ENDED")))
                .isInstanceOf(CouponRejected.class);
    }
"""
RESERVE_TEST_MORE = """\

    @Test
    void writesNothingForACouponThatHasEnded() {
        assertThatThrownBy(() -> service.reserve(DRAFT_ORDER, requestWith("ENDED")))
                .isInstanceOf(CouponRejected.class);

        assertThat(statements()).noneMatch(sql -> sql.startsWith("UPDATE"));
    }
"""
# The transaction owns the connection, which the diff does not show: closing it, or not, has no effect before its end.
RETURNS_HEAD = """\
package com.example.orders.returns;

import com.example.orders.order.Order;
import com.example.orders.order.OrderRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Period;
import java.time.ZoneId;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.lang.Nullable;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
@Transactional
public class ReturnService {

    private static final Logger log = LoggerFactory.getLogger(ReturnService.class);
    private static final Period RETURN_WINDOW = Period.ofDays(30);

    private final DataSource dataSource;
    private final OrderRows orders;
    private final ReturnRows returns;
    private final LabelQueue labels;
    private final Clock clock;
    private final ZoneId shopZone;

    public ReturnService(
            DataSource dataSource, OrderRows orders, ReturnRows returns, LabelQueue labels, Clock clock, ZoneId shopZone) {
        this.dataSource = new TransactionAwareDataSourceProxy(dataSource);
        this.orders = orders;
        this.returns = returns;
        this.labels = labels;
        this.clock = clock;
        this.shopZone = shopZone;
    }

    @Nullable
    public ReturnCase find(long returnId) {
        return returns.find(returnId);
    }

    @PreAuthorize("hasAuthority('returns:write')")
    public ReturnCase open(long returnId, ReturnRequest request) throws SQLException {
"""
RETURNS_TAIL = """\

    private boolean isTooLate(Order order) {
        return order.deliveredOn(shopZone).plus(RETURN_WINDOW).isBefore(clock.today(shopZone));
    }
}
"""
RETURNS_BEFORE = f"""\
{RETURNS_HEAD}\
        ReturnCase opened;
        try (Connection connection = dataSource.getConnection()) {{
            Order order = orders.read(connection, request.orderId());
            if (isTooLate(order)) {{
                log.info("return {{}} for order {{}} refused: outside the 30 days", returnId, order.id());
                throw new ReturnRefused(returnId, "outside the 30 days");
            }}
            opened = returns.insert(connection, returnId, order, request.reason());
        }}
        try (Connection connection = dataSource.getConnection()) {{
            labels.queue(connection, opened.id(), opened.address());
        }}
        log.info("return {{}} for order {{}} opened, label queued", returnId, opened.orderId());
        return opened;
    }}
{RETURNS_TAIL}"""
RETURNS_AFTER = f"""\
{RETURNS_HEAD}\
        Connection connection = dataSource.getConnection();
        Order order = orders.read(connection, request.orderId());
        if (isTooLate(order)) {{
            log.info("return {{}} for order {{}} refused: outside the 30 days", returnId, order.id());
            throw new ReturnRefused(returnId, "outside the 30 days");
        }}
        ReturnCase opened = returns.insert(connection, returnId, order, request.reason());
        labels.queue(connection, opened);
        log.info("return {{}} for order {{}} opened, label queued", returnId, opened.orderId());
        connection.close();
        return opened;
    }}
{RETURNS_TAIL}"""
LABELS = """\
package com.example.orders.returns;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.springframework.stereotype.Component;

@Component
class LabelQueue {{

    private static final String INSERT =
            "INSERT INTO return_labels (return_id, address, state) VALUES (?, ?, 'queued')";

    void queue(Connection connection, {arguments}) throws SQLException {{
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {{
            insert.setLong(1, {id});
            insert.setString(2, {address});
            insert.executeUpdate();
        }}
    }}
}}
"""
RETURNS_TEST = """\
package com.example.orders.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ReturnServiceTest extends DatabaseTest {

    @Test
    void opensAReturnInsideTheWindow() throws Exception {
        ReturnCase opened = service.open(17, request(deliveredDaysAgo(12)));

        assertThat(opened.orderId()).isEqualTo(DELIVERED_ORDER);
    }
"""
RETURNS_TEST_MORE = """\

    @Test
    void queuesNoLabelWhenTheReturnIsNotWritten() {
        givenReturn(17);

        assertThatThrownBy(() -> service.open(17, request(deliveredDaysAgo(12))))
                .isInstanceOf(DuplicateReturn.class);

        assertThat(labelsOf(17)).isEmpty();
    }
"""
APPLICATION_YAML = """\
spring:
  application:
    name: orders-api
  main:
    banner-mode: off
  datasource:
    url: jdbc:postgresql://orders-db.example.invalid:5432/orders
    username: orders
    hikari:
      pool-name: orders-pool
      maximum-pool-size: 10
      connection-timeout: {timeout}
  lifecycle:
    timeout-per-shutdown-phase: 20s

server:
  shutdown: graceful
  tomcat:
    threads:
      max: {threads}
      min-spare: 10
    accept-count: {backlog}
"""
GATEWAY_CONF = """\
upstream orders-api {
    server 192.0.2.20:8080;
    keepalive 32;
}

server {
    listen 8443 ssl;
    http2 on;
    server_name shop.example.invalid;
    root /usr/share/nginx/html;

    location /api/orders/ {
ORDERS_PROXY
        client_max_body_size 16k;
    }

    location /api/returns/ {
ORDERS_PROXY
        client_max_body_size 8m;
    }
}
"""
TO_ORDERS = """\
proxy_pass http://orders-api;
proxy_http_version 1.1;
proxy_set_header Connection "";
proxy_set_header Host $host;
proxy_set_header X-Real-IP $remote_addr;
proxy_set_header X-Request-Id $request_id;
proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
proxy_set_header X-Forwarded-Host $host;
proxy_set_header X-Forwarded-Proto https;
proxy_next_upstream off;
proxy_connect_timeout 2s;
proxy_read_timeout 25s;
"""
TO_ORDERS_NEW = TO_ORDERS.replace(
    "proxy_next", "proxy_set_header X-Campaign $campaign;\nproxy_next"
)
CAMPAIGN_MAP = """\
map $cookie_campaign $campaign {
    default            "";
    "~^[a-z0-9-]{1,24}$" $cookie_campaign;
}

"""
SWEEP = """\
package holds

import (
	"context"
	"log/slog"
	"time"
)

const (
	holdLasts  = 3 * time.Minute
	sweepEvery = {every} * time.Second
	sweepBatch = {batch}
)

// Sweep gives back the stock of holds that nobody confirmed.
func (s *Store) Sweep(ctx context.Context) error {{
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
"""
REPORT = """\
def write_margins(stores: list[int], day: date, target: Path) -> None:
    with target.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["store", "category", "margin"])
        for store in stores:
            for category, margin in margins(store, day):
                writer.writerow([store, category, f"{margin:.2f}"])
"""
REPORT_NEW = """\
def write_margins(stores: list[int], day: date, folder: Path) -> None:
    for store in stores:
        with (folder / f"margin-{store}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["category", "margin"])
            for category, margin in margins(store, day):
                writer.writerow([category, f"{margin:.2f}"])
"""
JAVA = "src/main/java/com/example/orders"
SETTINGS = "src/main/resources/application.yaml"


def _settings(timeout: int, threads: int, backlog: int) -> str:
    return APPLICATION_YAML.format(timeout=timeout, threads=threads, backlog=backlog)


def _sweep(every: int, batch: int) -> str:
    return SWEEP.format(every=every, batch=batch)


def _gateway(proxy: str) -> str:
    return GATEWAY_CONF.replace("ORDERS_PROXY\n", proxy)


def _diffs() -> dict[str, str]:
    old_label = LABELS.format(
        arguments="long returnId, String address", id="returnId", address="address"
    )
    new_label = LABELS.format(
        arguments="ReturnCase opened", id="opened.id()", address="opened.address()"
    )
    tests = "src/test/java/com/example/orders"
    return {
        "sweep": unified_diff({"internal/holds/sweep.go": (_sweep(60, 200), _sweep(30, 100))}),
        "threads": unified_diff(
            {SETTINGS: (_settings(30000, 200, 100), _settings(30000, 300, 200))}
        ),
        "coupon": unified_diff(
            {
                f"{JAVA}/reserve/ReserveService.java": (RESERVE_BEFORE, RESERVE_AFTER),
                f"{tests}/reserve/ReserveServiceTest.java": (
                    RESERVE_TEST + "}\n",
                    RESERVE_TEST + RESERVE_TEST_MORE + "}\n",
                ),
            }
        ),
        "returns": unified_diff(
            {
                f"{JAVA}/returns/LabelQueue.java": (old_label, new_label),
                f"{JAVA}/returns/ReturnService.java": (RETURNS_BEFORE, RETURNS_AFTER),
                f"{tests}/returns/ReturnServiceTest.java": (
                    RETURNS_TEST + "}\n",
                    RETURNS_TEST + RETURNS_TEST_MORE + "}\n",
                ),
            }
        ),
        "campaign": unified_diff(
            {
                "conf.d/shop.conf": (
                    _gateway(indent(TO_ORDERS, " " * 8)),
                    CAMPAIGN_MAP + _gateway("        include proxy/orders-api.conf;\n"),
                ),
                "proxy/orders-api.conf": ("", TO_ORDERS_NEW),
            }
        ),
        "timeout": unified_diff(
            {SETTINGS: (_settings(30000, 300, 200), _settings(10000, 300, 200))}
        ),
        "margins": unified_diff({"sales_report/margins.py": (REPORT, REPORT_NEW)}),
    }


SHAS = {
    "sweep": "0c5be13f7d92a8464e1bb07f35c2d9e86a7140fd",
    "threads": "b7e2094c61fd38a5970d4ec12b8f6635ad01c97e",
    "coupon": "4fa86d03e9b15c72d8307ae64c19f2b05d7e83a1",
    "returns": "e31c7f58a04d96b2217fc8503eba94d6187025bc",
    "campaign": "96d0a3e47bf81c25fe430b6d79c8152ea4f7038b",
    "timeout": "d8531bf62e7a09c4413d5fe8a672c09b3e16fd74",
    "margins": "27f9c4d8063be15fa92d7780c43e1fb6950ad2e8",
}


def changes() -> list[dict[str, object]]:
    """Return what people changed, by time."""
    diffs = _diffs()

    def commit(name: str, time: str, service: str, author: str, message: str) -> dict[str, object]:
        head = {
            "type": "commit",
            "sha": SHAS[name],
            "time": time,
            "author": author,
            "service": service,
        }
        return {**head, "message": message, "diff": diffs[name]}

    def deploy(name: str, time: str, service: str, author: str, version: str) -> dict[str, object]:
        return {
            "type": "deploy",
            "time": time,
            "service": service,
            "version": version,
            "sha": SHAS[name],
            "author": author,
        }

    return [
        commit(
            "sweep",
            "2026-10-06T22:41:17Z",
            "inventory-api",
            "o.brandvold",
            """\
Sweep twice a minute, in smaller batches

One large batch a minute shows up as a sawtooth on the stock page.
Half the batch twice as often is the same work, spread out.
""",
        ),
        deploy("sweep", "2026-10-06T23:20:44Z", "inventory-api", "o.brandvold", "1.9.0"),
        commit(
            "threads",
            "2026-10-07T01:12:30Z",
            "orders-api",
            "t.nakagawa",
            """\
Raise Tomcat worker threads for spring week

Last year we topped out at 180 busy workers on the Thursday.
300 leaves some air; the backlog grows with it.
""",
        ),
        commit(
            "coupon",
            "2026-10-07T02:37:55Z",
            "orders-api",
            "r.lindqvist",
            """\
Validate coupon before reserving

A coupon that is no good was found out last, with the stock rows taken
and locked, and all of it rolled back. Look at the coupon first, in the
same transaction.
""",
        ),
        commit(
            "returns",
            "2026-10-07T03:05:12Z",
            "orders-api",
            "m.okonjo",
            """\
Queue the return label together with the return

A return took a connection twice, once to be written and once for its
label. Once will do for both; the label takes number and address from
the return itself now, and a test says that none is queued when the
return was not written.
""",
        ),
        commit(
            "campaign",
            "2026-10-07T10:48:26Z",
            "checkout-web",
            "s.varga",
            """\
Pass the campaign cookie on to the services

Marketing wants to see which newsletter an order came from. Anything
that does not look like one of our slugs is dropped. What all
requests to orders-api share stands in one file now.
""",
        ),
        deploy("returns", "2026-10-07T13:06:38Z", "orders-api", "m.okonjo", "2.42.0"),
        commit(
            "timeout",
            "2026-10-07T13:14:08Z",
            "orders-api",
            "t.nakagawa",
            """\
Align the connection timeout with the gateway

The gateway gives up on us after 25 s, so 30 s here can only end in an
answer that nobody reads. 10 s, as in the other services.
""",
        ),
        deploy("campaign", "2026-10-07T13:21:02Z", "checkout-web", "s.varga", "5.18.3"),
        deploy("timeout", "2026-10-07T13:44:29Z", "orders-api", "t.nakagawa", "2.42.1"),
        commit(
            "margins",
            "2026-10-07T13:58:40Z",
            "sales-report",
            "e.duarte",
            """\
Write one margin file per store

Store managers only ever want their own.
""",
        ),
    ]


ALERTS = [
    {
        "time": "2026-10-07T13:04:00Z",
        "service": "sales-report",
        "metric": "sales_report_stores_written",
        "summary": "Nightly report is behind its plan: 117 of 260 stores at 00:04 local time",
    },
    {
        "time": "2026-10-07T13:37:15Z",
        "service": "checkout-web",
        "metric": "nginx_vts_upstream_requests_total",
        "summary": "More than 10 % of requests to /api answered 5xx for 3 minutes",
    },
]

EXPECTED = {
    "service": "orders-api",
    "also_ok": ["orders-pool"],
    "victims": ["checkout-web", "inventory-api"],
    "onset": "2026-10-07T13:33:04Z",
    "cause": [
        ["connection*", "conn", "conns", "pool", "jdbc", "hikari*", "session*"],
        [
            "leak*", "not clos*", "not return*", "not releas*", "not give* back", "not hand* back", "not go* back", "not come* back",
            "not get * back", "not freed", "not relinquish*", "not let* go", "not clean* up",
            "not seen again", "not end* * transaction*", "instead of clos*", "instead of return*", "instead of releas*", "missing connection*",
            "kept the connection", "stay* out", "without clos*", "without return*", "without releas*", "without giving",
            "without handing", "without freeing", "without cleanup", "no cleanup", "skip* cleanup", "fail* to close", "fail* to release",
            "fail* to return", "forg* to close", "forg* to give", "forg* to hand", "forg* to release", "forg* to return", "forg* connection",
            "not frees", "not surrender*", "retain* connection", "bleed*", "cost* one connection", "cost* a connection", "left behind",
            "leave* behind", "held forever", "held for good", "hold* forever", "keep* forever", "keep* for good", "stay* borrowed",
            "remain* borrowed", "precede* the try", "ahead of the try", "not inside the try", "not in the try", "close * not execut*",
            "finally * not execut*", "circumvent* finally", "lose* one of", "unclosed", "unreleased", "unreturned", "left open", "stay* open",
            "remain* open", "open * never", "left checked out", "leave* checked out", "stay* checked out", "remain* checked out",
            "checked out for good", "checked out forever", "no close", "missing close", "missing finally", "missing try with resources",
            "miss* finally", "miss* close", "skip* close", "skip* finally", "bypass* close", "bypass* finally", "past the finally",
            "past the close", "close skipped", "close * not reached", "close * not run*", "close * not called", "finally * not reached",
            "finally * not run*", "not reach* close", "not reach* finally", "not get* to close", "before reaching", "before close",
            "before closing", "before * is closed", "close is missing", "release is missing", "lack* finally", "lack* try with resources",
            "no finally", "lose* connection*", "lost connection", "losing * connection*", "connection* lost", "connection* behind", "strand*",
            "dangling", "orphan*", "abandon* connection*", "connection* abandoned", "before the try", "outside the try",
            "outside any try", "before try finally", "outside try finally",
        ],
        [
            "coupon*", "voucher*", "discount*", "promo* code*", "validat* throws", "validat* fail*", "failed validation", "reserv*", "422", "error path", "exception path", "failure path",
            "early throw", "early exit", "early return", "throws early", "before the try", "outside the try", "outside any try",
            "before try finally", "outside try finally",
        ],
    ],
    "must_not": [
        "pool too small", "pool size too small", "pool is undersized", "undersized pool", "pool * not enough", "pool of 10 is too",
        "too few connections", "pool size * too", "database overload*", "overloaded database", "database is slow", "slow database",
        "database leak* session*", "database leak* connections", "slow queries * hold", "slow queries * exhaust*", "query * hog*",
        "report * hold* connections", "report * exhaust*", "report * starv*", "report leak*",
        "timeout * too short", "timeout * too low", "timeout caus*", "timeout broke", "timeout * leak*", "tomcat threads exhaust*",
        "tomcat threads caus*", "raising tomcat", "too many tomcat threads", "too many threads",
        "return* service leaks", "return* service leaked", "return* service leaking", "leak* in return service", "leak* in returns", "return* service not releas*", "return* service not clos*", "return* service not return*",
        "return* service los*", "return* service forget*", "return* service throws", "error path of returns", "error path of return service", "return refused skip*", "return refused leave*", "return refused bypass*", "return refused * thrown before",
        "refused return leave* connection*", "refused returns leave connection*", "refused returns leave their connection*", "refused returns keep * connection*", "refused return keep* * connection", "return is refused", "returns outside * 30 days",
        "opening a return leak*", "connection opened for a return", "returns path leak*", "returns handler leak*",
        "returns endpoint leak*", "returns change leak*", "returns refactor leak*", "returns refactor caus*", "refused returns leak*",
        "refused return leak*", "refused returns los*", "returns leak*",
        "campaign header caus*", "campaign header makes", "campaign header * upset*", "campaign cookie caus*", "campaign cookie makes",
        "out of stock * leak*", "sold out * leak*", "sweep* leak*", "aborted request* leak*", "aborted by gateway leak*", "aborted * leak*", "gateway abort* leak*", "timed out requests leak*",
        "hikari* not reclaim", "bug in hikari*", "hikari* bug", "fault is in * pool library", "clos* too early", "nothing is leaked",
    ],
    "commit": SHAS["coupon"],
    "contributing": [],
}  # fmt: skip

DISTRACTORS = [
    {
        "commit": SHAS["timeout"],
        "why": "lowers connectionTimeout from 30 s to 10 s: changes the number in the error, and was rolled out after the first errors",
    },
    {
        "commit": SHAS["returns"],
        "why": "closes its connection without try or finally, in the same release; but Spring's transaction owns it, as the stack of a failed return shows, and refused returns outnumber the connections that are missing",
    },
    {
        "commit": SHAS["threads"],
        "why": "raises Tomcat's worker threads: only a few workers are ever busy",
    },
    {
        "commit": SHAS["campaign"],
        "why": "rolled out at the service that is loud, nearest before the onset; adds a header, and keeps the others in a file that both paths share",
    },
    {
        "commit": SHAS["sweep"],
        "why": "changes how often inventory-api, which warns most, looks for ended holds; rolled out the day before",
    },
    {
        "noise": "slow-query warnings of the nightly report",
        "match": "slow query (daily_margin_by_category|basket_pairs) for store",
        "why": "began before the window and keeps its pace; the database's load is flat",
    },
    {
        "noise": "icons that browsers ask for and nobody made",
        "match": r'open\(\) "/usr/share/nginx/html/apple-touch-icon',
        "why": "an ERROR as old as the site",
    },
]

SAID = [
    {
        "phrase": "connection*",
        "why": "HikariCP's exception says that a connection is not available; its metrics carry the word",
    },
    {"phrase": "pool", "why": "the pool's own name stands in each of its messages and metrics"},
    {"phrase": "hikari*", "why": "package of the frames and prefix of the metrics"},
    {"phrase": "jdbc", "why": "Spring's exceptions carry the word"},
    {
        "phrase": "coupon*",
        "why": "a commit names what it changes, and the shop has coupons",
    },
]

EXAMPLES = {
    "right": [
        "Connections opened by the coupon check are never closed when it throws",
        "Connection leak in ReserveService: a rejected coupon throws before the try block whose finally closes the connection",
        "orders-pool is leaking: each CouponRejected leaves a connection checked out until all ten are gone",
        "JDBC connection leak on the coupon error path exhausts orders-pool",
        "The refactored reserve() does not release its connection to the pool when the coupon is invalid",
        "Hikari connections are not returned to orders-pool when validCoupon throws",
        "Missing try-with-resources around the connection in reserve(), so coupon rejections use up the pool",
        "Every rejected coupon leaks one database connection; after ten of them the replica has none",
        "The connection is acquired outside the try, so the exception path skips close()",
        "Pool exhaustion in orders-api because connections stay open, idle in transaction, after a rejected coupon",
        "ReserveService fails to close the connection if the coupon was rejected; the pool size is unchanged at 10",
        "Connection leak introduced by validating the coupon first. It is not the lowered timeout",
        "The early throw bypasses finally and the pooled connection is never given back",
        "Connections checked out by reserve() never come back once a coupon was rejected",
        "Rejected coupons leave reserve() before close(), which costs the pool one connection each time",
        "validCoupon runs between getConnection and the try, so each rejected coupon leaks a connection. Refused returns leave no trace in the pool.",
        "Leaked connections: an expired coupon makes reserve() leave without closing what it took from the pool",
    ],
    "wrong": [
        "The pool of 10 is too small for the traffic",
        "orders-pool is exhausted, connection requests time out after 30 s",
        "Connection is not available, request timed out after 30002ms (total=10, active=10, idle=0, waiting=3)",
        "The database is overloaded by the nightly report, so connections are slow to come back to the pool",
        "Slow queries of sales-report hold the connections of the pool and leak into the day",
        "The connection timeout was reduced from 30 s to 10 s, so requests fail while the pool is busy",
        "Raised Tomcat threads: 300 workers compete for 10 pooled connections and leak latency into the gateway",
        "checkout-web's proxy_read_timeout of 25 s is shorter than the connection timeout of the service",
        "The campaign header that the gateway passes on makes connections leak in the upstream",
        "inventory-api sweeps holds too often, so orders cannot be confirmed and connections pile up",
        "The returns refactor leaks connections: ReturnService throws before connection.close()",
        "ReturnRefused is thrown before close(), so each refused return leaks a connection of orders-pool",
        "A refused return leaves its connection unclosed, and reservations time out waiting for the pool",
        "There is no connection leak in the pool",
        "Possibly a connection leak, possibly a slow database, possibly the new timeout",
        "maximumPoolSize is too low, so requests leak past the gateway's patience",
        "A leak of connections from orders-pool was ruled out",
        "Connections are closed too early, before the pool can use them again",
        "The pool returns connections that the database has already dropped",
        "Expired coupons are rejected more often since the newsletter, which floods the orders API",
        "Something is wrong with the connection pool of orders-api",
        "orders-db refuses sessions: max_connections reached during the rollout",
    ],
}


def main() -> None:
    """Write the incident."""
    shop = Shop(random.Random(594), random.Random(8080))
    shop.run()
    dressing = random.Random(20261007)
    document = {
        "schema": "rcabench/1",
        "id": "connection-leak",
        "title": "Connection leak on an error path (pool size unchanged)",
        "kind": "bad_deploy",
        "difficulty": "medium",
        "canary": f"rcabench canary {hex_digits(dressing, 32)}",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": logs(shop, dressing),
        "metrics": replica_metrics(shop, dressing) + other_metrics(shop, dressing),
        "changes": changes(),
        "alerts": ALERTS,
        "expected": EXPECTED,
        "distractors": DISTRACTORS,
        "said_in_evidence": SAID,
        "examples": EXAMPLES,
    }
    write(document, Path(__file__).parents[1] / "held_out" / "connection-leak.yaml")


if __name__ == "__main__":
    main()
