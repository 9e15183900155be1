"""Write `held_out/traffic-spike-absorbed.yaml`: a mailing triples the traffic, the autoscaler follows, nothing is wrong."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeAlias

from traffic import (
    Line,
    arrivals,
    counted,
    counter,
    gauge,
    hex_digits,
    periodic,
    staircase,
    stamp,
    stream_text,
    unified_diff,
    utc,
    write,
)

Add: TypeAlias = Callable[[str, str, str, Sequence[float | None]], None]

RNG = random.Random(20261015)
START = utc("2026-10-15T17:30:00Z")
END = utc("2026-10-15T19:10:00Z")
SAMPLES = 100
LOGGED_ONE_IN = 4000
REPLICA_SET = "catalog-api-66d9c7b49f"
IMAGE = "registry.example.invalid/shop/catalog-api:2.61.3"


def at(clock: str) -> datetime:
    """Return the time of day *clock* on the day of the window."""
    return utc(f"2026-10-15T{clock}Z")


@dataclass
class Pod:
    """One catalog-api pod: where it runs, when it takes traffic, and what it wrote."""

    suffix: str
    node: str
    ip: str
    ready: datetime
    gone: datetime
    lines: list[Line] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The pod's full name."""
        return f"{REPLICA_SET}-{self.suffix}"


OLD = [
    Pod("7k2mz", "shop-prod-w2", "10.42.2.31", START, END),
    Pod("hq8wd", "shop-prod-w4", "10.42.4.18", START, END),
    Pod("vx4tn", "shop-prod-w5", "10.42.5.27", START, END),
]
FIRST_WAVE = [
    Pod("9cb5j", "shop-prod-w3", "10.42.3.44", at("18:16:13"), at("18:54:04")),
    Pod("lz6rk", "shop-prod-w1", "10.42.1.36", at("18:16:15"), at("18:49:49")),
    Pod("t5wqp", "shop-prod-w6", "10.42.6.14", at("18:16:19"), at("18:48:49")),
]
SECOND_WAVE = [
    Pod("4dnx8", "shop-prod-w1", "10.42.1.37", at("18:28:11"), at("18:48:49")),
    Pod("gs7fv", "shop-prod-w3", "10.42.3.45", at("18:28:13"), at("18:47:48")),
    Pod("p2hjc", "shop-prod-w2", "10.42.2.58", at("18:28:16"), at("18:46:48")),
]
PODS = OLD + FIRST_WAVE + SECOND_WAVE
RESIZES = [
    (at("18:15:47"), 6),
    (at("18:27:47"), 9),
    (at("18:46:48"), 8),
    (at("18:47:48"), 7),
    (at("18:48:49"), 5),
    (at("18:49:49"), 4),
    (at("18:54:04"), 3),
]
INGRESS = {
    "ingress-nginx-controller-7c6b9d8f5c-mm4kd": 29,
    "ingress-nginx-controller-7c6b9d8f5c-q8wzl": 31,
}
STOREFRONT = {
    "storefront-web-5b8f6c9d74-2xqvn": "10.42.1.22",
    "storefront-web-5b8f6c9d74-r6ltj": "10.42.5.19",
}

access: dict[str, list[Line]] = {host: [] for host in INGRESS}
nginx_errors: dict[str, list[Line]] = {host: [] for host in INGRESS}
pages: dict[str, list[Line]] = {host: [] for host in STOREFRONT}
events: list[Line] = []
database: list[Line] = []
failed_feeds: list[datetime] = []


def api_rps(time: datetime) -> float:
    """Return the requests a second that the shop's visitors send to catalog-api."""
    second = (time - START).total_seconds()

    def step(middle: float, width: float) -> float:
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, (second - middle) / width))))

    usual = 118 + second / 1000
    leave = step(4330, 30)
    waves = 132 * step(2668, 8) + 124 * step(3375, 8)
    return usual + waves * (1 - leave) + 14 * leave * math.exp(-max(0.0, second - 4330) / 900)


# --- catalog-api -----------------------------------------------------------------------------------------------


def boot(time: datetime, level: str, thread: str, logger: str, message: str) -> Line:
    """Return one line as Spring Boot's console layout prints it."""
    head = f"{stamp(time, 'spring-boot')} {level:>5} 1 --- [catalog-api]"
    return time, f"{head} [{thread[-15:]:>15}] {logger:<40.40} : {message}"


def worker() -> str:
    """Return the name of a Tomcat worker thread."""
    return f"http-nio-8080-exec-{RNG.choice((*range(1, 11), *range(1, 11), *range(11, 19)))}"


# Seconds after the container's start, thread, level, logger, message; {…} is what differs between two starts.
# The first probe that gets through makes Tomcat initialise the servlet.
STARTUP = """\
2.31|main|INFO|c.e.catalog.CatalogApiApplication|Starting CatalogApiApplication v2.61.3 using Java 21.0.4 with PID 1 (/app/app.jar started by app in /app)
2.33|main|INFO|c.e.catalog.CatalogApiApplication|The following 1 profile is active: "prod"
4.71|main|INFO|.s.d.r.c.RepositoryConfigurationDelegate|Bootstrapping Spring Data JPA repositories in DEFAULT mode.
5.02|main|INFO|.s.d.r.c.RepositoryConfigurationDelegate|Finished Spring Data repository scanning in {scan} ms. Found 11 JPA repository interfaces.
6.20|main|INFO|o.s.b.w.embedded.tomcat.TomcatWebServer|Tomcat initialized with port 8080 (http)
6.22|main|INFO|o.apache.catalina.core.StandardService|Starting service [Tomcat]
6.22|main|INFO|o.apache.catalina.core.StandardEngine|Starting Servlet engine: [Apache Tomcat/10.1.28]
6.31|main|INFO|o.a.c.c.C.[Tomcat].[localhost].[/]|Initializing Spring embedded WebApplicationContext
6.32|main|INFO|w.s.c.ServletWebServerApplicationContext|Root WebApplicationContext: initialization completed in {root} ms
7.05|main|INFO|o.hibernate.jpa.internal.util.LogHelper|HHH000204: Processing PersistenceUnitInfo [name: default]
7.14|main|INFO|org.hibernate.Version|HHH000412: Hibernate ORM core version 6.5.2.Final
7.21|main|INFO|o.h.c.internal.RegionFactoryInitiator|HHH000026: Second-level cache disabled
7.58|main|INFO|o.s.o.j.p.SpringPersistenceUnitInfo|No LoadTimeWeaver setup: ignoring JPA class transformer
7.63|main|INFO|com.zaxxer.hikari.HikariDataSource|catalog-pool - Starting...
7.88|main|INFO|com.zaxxer.hikari.pool.HikariPool|catalog-pool - Added connection org.postgresql.jdbc.PgConnection@{connection}
7.89|main|INFO|com.zaxxer.hikari.HikariDataSource|catalog-pool - Start completed.
10.14|main|INFO|o.h.e.t.j.p.i.JtaPlatformInitiator|HHH000489: No JTA platform available (set 'hibernate.transaction.jta.platform' to enable JTA platform integration)
10.37|main|INFO|j.LocalContainerEntityManagerFactoryBean|Initialized JPA EntityManagerFactory for persistence unit 'default'
12.02|main|WARN|JpaBaseConfiguration$JpaWebConfiguration|spring.jpa.open-in-view is enabled by default. Therefore, database queries may be performed during view rendering. Explicitly configure spring.jpa.open-in-view to disable this warning
13.66|main|INFO|o.s.b.a.e.web.EndpointLinksResolver|Exposing 3 endpoints beneath base path '/actuator'
13.79|main|INFO|o.s.b.w.embedded.tomcat.TomcatWebServer|Tomcat started on port 8080 (http) with context path '/'
13.84|main|INFO|c.e.catalog.CatalogApiApplication|Started CatalogApiApplication in {started} seconds (process running for {running})
probe|http-nio-8080-exec-1|INFO|o.a.c.c.C.[Tomcat].[localhost].[/]|Initializing Spring DispatcherServlet 'dispatcherServlet'
probe|http-nio-8080-exec-1|INFO|o.s.web.servlet.DispatcherServlet|Initializing Servlet 'dispatcherServlet'
probe|http-nio-8080-exec-1|INFO|o.s.web.servlet.DispatcherServlet|Completed initialization in {dispatcher} ms
18.05|main|INFO|c.e.catalog.assortment.SnapshotRefresh|first snapshot: {products} products in {snapshot} ms"""

# Seconds after the container was told to stop.
SHUTDOWN = """\
0.21|SpringApplicationShutdownHook|INFO|o.s.b.w.e.tomcat.GracefulShutdown|Commencing graceful shutdown. Waiting for active requests to complete
{drained}|tomcat-shutdown|INFO|o.s.b.w.e.tomcat.GracefulShutdown|Graceful shutdown complete
{closing}|SpringApplicationShutdownHook|INFO|j.LocalContainerEntityManagerFactoryBean|Closing JPA EntityManagerFactory for persistence unit 'default'
{pool}|SpringApplicationShutdownHook|INFO|com.zaxxer.hikari.HikariDataSource|catalog-pool - Shutdown initiated...
{end}|SpringApplicationShutdownHook|INFO|com.zaxxer.hikari.HikariDataSource|catalog-pool - Shutdown completed."""


def start_up(pod: Pod, started: datetime) -> None:
    """Write what *pod* says while it starts; its snapshot is loaded just before the probe that finds it ready."""
    stretch = ((pod.ready - started).total_seconds() - 0.6) / 18.05
    running = 13.9 * stretch
    said = STARTUP.format(
        scan=RNG.randint(228, 305),
        root=round(3980 * stretch + RNG.randint(-60, 60)),
        connection=hex_digits(RNG, 8),
        started=f"{running - RNG.uniform(1.1, 1.4):.3f}".rstrip("0"),
        running=f"{running:.3f}".rstrip("0"),
        dispatcher=RNG.randint(2, 4),
        products=products_at(started),
        snapshot=round(3610 * stretch + RNG.randint(-90, 90)),
    )
    answered = next(
        line.split()[0] for line in PROBES.splitlines() if line.endswith(f"{pod.suffix} 503")
    )
    probe, time = at(answered) + timedelta(milliseconds=RNG.randint(90, 420)), started
    for line in said.splitlines():
        offset, thread, level, logger, message = line.split("|")
        planned = (
            probe if offset == "probe" else started + timedelta(seconds=float(offset) * stretch)
        )
        time = max(planned, time) + timedelta(milliseconds=RNG.randint(0, 6))
        pod.lines.append(boot(time, level, thread, logger, message))


def shut_down(pod: Pod) -> None:
    """Write what *pod* says when it is told to stop."""
    drained = RNG.uniform(0.9, 2.6)
    said = SHUTDOWN.format(
        drained=drained,
        closing=drained + 0.012,
        pool=drained + 0.031,
        end=drained + RNG.uniform(0.05, 0.12),
    )
    for line in said.splitlines():
        offset, thread, level, logger, message = line.split("|")
        pod.lines.append(
            boot(pod.gone + timedelta(seconds=float(offset)), level, thread, logger, message)
        )


def products_at(time: datetime) -> int:
    """Return the size of the assortment, which the importer changes every quarter of an hour."""
    quarter = int((time - START).total_seconds() // 900)
    return 48211 + (0, 3, 3, 8, 6, 9, 14, 14)[quarter]


BAD_CURSOR = """\
Servlet.service() for servlet [dispatcherServlet] in context with path [] threw exception [Request processing failed: java.lang.NumberFormatException: For input string: "undefined"] with root cause

java.lang.NumberFormatException: For input string: "undefined"
\tat java.base/java.lang.NumberFormatException.forInputString(NumberFormatException.java:67) ~[na:na]
\tat java.base/java.lang.Long.parseLong(Long.java:709) ~[na:na]
\tat java.base/java.lang.Long.parseLong(Long.java:832) ~[na:na]
\tat com.example.catalog.feed.OfferCursor.parse(OfferCursor.java:38) ~[!/:2.61.3]
\tat com.example.catalog.feed.OfferFeedController.page(OfferFeedController.java:64) ~[!/:2.61.3]
\tat java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103) ~[na:na]
\tat java.base/java.lang.reflect.Method.invoke(Method.java:580) ~[na:na]
\tat org.springframework.web.method.support.InvocableHandlerMethod.doInvoke(InvocableHandlerMethod.java:255) ~[spring-web-6.1.12.jar!/:6.1.12]"""


def feed_fails(time: datetime) -> None:
    """Write the old noise: a price crawler that has long been asking for the cursor "undefined"."""
    pod = pick_pod(time)
    took = RNG.randint(4, 11)
    dispatcher = "o.a.c.c.C.[.[.[/].[dispatcherServlet]"
    pod.lines.append(boot(time, "ERROR", worker(), dispatcher, BAD_CURSOR))
    failed_feeds.append(time)
    access_line(
        time + timedelta(milliseconds=2),
        client="198.51.100.77",
        request="GET /api/v1/feeds/offers?cursor=undefined HTTP/1.1",
        status=500,
        size=112,
        agent="pricecrawl/3.2 (+https://pricecrawl.example.invalid/bot)",
        upstream=("shop-catalog-api-http", f"{pod.ip}:8080", "112", f"0.{took:03}", "500"),
        request_id=hex_digits(RNG, 32),
    )


def pick_pod(time: datetime) -> Pod:
    """Return a pod that takes traffic at *time*."""
    return RNG.choice([pod for pod in PODS if pod.ready <= time < pod.gone])


# Time, busy pod, product, pod that answered instead, milliseconds of both attempts, via the ingress or storefront-web.
FULL = [
    (at("18:14:52.318"), "hq8wd", 81244, "vx4tn", 54, 93, "ingress"),
    (at("18:15:03.771"), "7k2mz", 80917, "hq8wd", 52, 121, "ingress"),
    (at("18:15:04.406"), "7k2mz", 81244, "vx4tn", 51, 88, "storefront"),
    (at("18:15:29.140"), "vx4tn", 79530, "7k2mz", 53, 147, "ingress"),
    (at("18:26:41.902"), "t5wqp", 81251, "hq8wd", 51, 76, "ingress"),
    (at("18:27:20.655"), "7k2mz", 81244, "9cb5j", 52, 102, "storefront"),
]


def turned_away() -> None:
    """Write the few calls that found all price look-ups taken and were answered by another pod."""
    by_suffix = {pod.suffix: pod for pod in PODS}
    for time, busy, product, other, first, second, caller in FULL:
        request_id = hex_digits(RNG, 32)
        path = f"/api/v1/products/{product}/prices"
        text = (
            f"503 for GET {path} id={request_id}: io.github.resilience4j.bulkhead.BulkheadFullException: "
            "Bulkhead 'price-lookup' is full and does not permit further calls"
        )
        by_suffix[busy].lines.append(
            boot(time, "WARN", worker(), "c.e.catalog.web.ApiErrors", text)
        )
        done = time + timedelta(milliseconds=second + 3)
        if caller == "storefront":
            host = RNG.choice(list(STOREFRONT))
            soon = time + timedelta(milliseconds=4)
            later = soon + timedelta(milliseconds=60 + second + 5)
            call = f"catalog GET {path} id={request_id}"
            pages[host].append(
                (soon, f"{stamp(soon, 'plain')} WARN {call}: 503, attempt 1 of 3, next in 60 ms")
            )
            pages[host].append(
                (later, f"{stamp(later, 'plain')} INFO {call}: 200 on attempt 2, {second + 4} ms")
            )
            continue
        addresses = f"{by_suffix[busy].ip}:8080, {by_suffix[other].ip}:8080"
        times = f"0.{first:03}, 0.{second:03}"
        access_line(
            done,
            client=client(),
            request=f"GET {path} HTTP/2.0",
            status=200,
            size=1846,
            referer=f"https://shop.example.invalid/p/{product}",
            agent=RNG.choice(AGENTS[:4]),
            upstream=("shop-catalog-api-http", addresses, "97, 1846", times, "503, 200"),
            request_id=request_id,
        )


# --- the edge and the shop's pages -------------------------------------------------------------------------------

AGENTS = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:143.0) Gecko/20100101 Firefox/143.0",
    "shop-app/7.12.0 (Android 15)",
    "shop-app/7.12.1 (iOS 18.6)",
)
CATEGORIES = ("linen", "knitwear", "outerwear", "shoes", "bags", "home-textiles")
WORDS = ("wool+coat", "linen+shirt", "scarf", "rain+jacket", "boots+39", "cardigan", "table+runner")
LOOKBOOK = (81244, 81251, 80917, 79530, 80922, 81260)


def client() -> str:
    """Return a visitor's address, from the ranges that are reserved for documentation."""
    if RNG.random() < 0.55:
        network = RNG.choice(("192.0.2", "198.51.100", "203.0.113"))
        return f"{network}.{RNG.randint(2, 253)}"
    return f"2001:db8:{RNG.randint(1, 0xFFFF):x}:{RNG.randint(1, 0xFFFF):x}::{RNG.randint(2, 0xFFFF):x}"


def access_line(  # noqa: PLR0913 - the fields of one access line
    time: datetime,
    *,
    client: str,
    request: str,
    status: int,
    size: int,
    agent: str,
    upstream: tuple[str, str, str, str, str],
    request_id: str,
    referer: str = "-",
) -> None:
    """Write one line of the ingress in its own layout: combined, then the upstream's fields and the request id."""
    name, addresses, lengths, times, statuses = upstream
    took = sum(float(one) for one in times.split(",")) + RNG.choice((0.0, 0.0, 0.001))
    line = (
        f'{client} - - {stamp(time, "nginx-access")} "{request}" {status} {size} "{referer}" "{agent}" '
        f"{RNG.randint(62, 940)} {took:.3f} [{name}] [] {addresses} {lengths} {times} {statuses} {request_id}"
    )
    access[RNG.choice(list(INGRESS))].append((time, line))


def slowness(time: datetime) -> float:
    """Return how many times slower than usual requests are at *time*: the pods that are there share the load."""
    ready = sum(pod.ready <= time < pod.gone for pod in PODS)
    return (
        max(0.95, 1 + 0.62 * (api_rps(time) / ready / 40 - 1) ** 1.2)
        if api_rps(time) / ready > 40
        else 1.0
    )


def api_request(time: datetime) -> None:
    """Write one request that was sampled for logging: the line of the ingress and that of the pod."""
    pod = pick_pod(time)
    product = (
        RNG.choice(LOOKBOOK) if RNG.random() < mailing_share(time) else RNG.randint(61200, 81300)
    )
    path, referer = RNG.choice(
        (
            (f"/api/v1/products/{product}", f"/p/{product}"),
            (f"/api/v1/products/{product}/prices", f"/p/{product}"),
            (
                f"/api/v1/categories/{RNG.choice(CATEGORIES)}/products?page={RNG.choice((1, 1, 1, 2, 3))}",
                "/",
            ),
            (f"/api/v1/search?q={RNG.choice(WORDS)}&sort=relevance", "/search"),
        )
    )
    took = round(min(max(RNG.lognormvariate(math.log(38), 0.93), 6), 620) * slowness(time))
    size, request_id = RNG.randint(900, 18400), hex_digits(RNG, 32)
    message = f"GET {path} 200 {max(took - RNG.randint(0, 2), 1)} ms id={request_id}"
    pod.lines.append(boot(time, "INFO", worker(), "c.e.catalog.web.RequestSampler", message))
    agent = RNG.choice(AGENTS)
    access_line(
        time + timedelta(milliseconds=RNG.randint(0, 2)),
        client=client(),
        request=f"GET {path} HTTP/2.0",
        status=200,
        size=size,
        referer="-" if agent.startswith("shop-app") else f"https://shop.example.invalid{referer}",
        agent=agent,
        upstream=(
            "shop-catalog-api-http",
            f"{pod.ip}:8080",
            str(size),
            f"{took / 1000:.3f}",
            "200",
        ),
        request_id=request_id,
    )


def mailing_share(time: datetime) -> float:
    """Return the share of visitors at *time* who come from the mailing."""
    usual = 118 + (time - START).total_seconds() / 1000
    return max(0.0, 1 - usual / api_rps(time))


def page_request(time: datetime) -> None:
    """Write one page view that was sampled for logging: the line of the ingress and that of storefront-web."""
    host = RNG.choice(list(STOREFRONT))
    agent, referer = RNG.choice(AGENTS[:4]), "-"
    if RNG.random() < mailing_share(time):
        wave = 1 if time < at("18:26:00") else RNG.choice((1, 2, 2))
        path = f"/lookbook?utm_source=letter&utm_medium=mail&utm_campaign=lookbook-41-{wave}"
        if RNG.random() < 0.45:
            path, referer = f"/p/{RNG.choice(LOOKBOOK)}", "https://shop.example.invalid/lookbook"
    else:
        product, category = RNG.randint(61200, 81300), RNG.choice(CATEGORIES)
        path = RNG.choice(("/", f"/c/{category}", f"/p/{product}", f"/p/{product}", "/cart"))
    took, size, request_id = (
        round(RNG.lognormvariate(math.log(64), 0.5)),
        RNG.randint(9100, 41800),
        hex_digits(RNG, 32),
    )
    text = f"{stamp(time, 'plain')} INFO GET {path.split('?')[0]} 200 {took} ms id={request_id}"
    pages[host].append((time, text))
    access_line(
        time + timedelta(milliseconds=1),
        client=client(),
        request=f"GET {path} HTTP/2.0",
        status=200,
        size=size,
        referer=referer,
        agent=agent,
        upstream=(
            "shop-storefront-web-http",
            f"{STOREFRONT[host]}:3000",
            str(size),
            f"{(took + 1) / 1000:.3f}",
            "200",
        ),
        request_id=request_id,
    )


RATINGS_GONE = """\
ERROR ratings: tile of product {product} left out: ProviderError: 410 Gone
    at RatingsClient.fetch (/app/dist/clients/ratings.js:88:13)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
    at async TileCache.refresh (/app/dist/cache/tiles.js:52:21)"""


def storefront_noise() -> None:
    """Write what storefront-web has been saying for weeks: untranslated texts and withdrawn ratings."""
    for host, first, ratings in zip(
        STOREFRONT, ("17:31:12.4", "17:33:40.9"), (388.0, 391.0), strict=True
    ):
        for time in periodic(RNG, at(first), END, 300, jitter_s=0.4):
            text = f"{stamp(time, 'plain')} WARN i18n: bundle nb-NO lacks 3 of 1184 keys, falling back to en"
            pages[host].append((time, text))
        for time in periodic(RNG, at(first) + timedelta(seconds=97), END, ratings, jitter_s=2):
            text = RATINGS_GONE.format(product=RNG.choice((20418, 20433, 33071)))
            pages[host].append((time, f"{stamp(time, 'plain')} {text}"))


def refused(time: datetime, pod: Pod, other: Pod, host: str, path: str) -> None:
    """Write one call that reached a pod in the moment it left, and the second attempt that was answered."""
    visitor, request_id, took = client(), hex_digits(RNG, 32), RNG.randint(31, 70)
    text = (
        f"{nginx_head(time, 'error', host)} connect() failed (111: Connection refused) while connecting to upstream, "
        f'client: {visitor}, server: api.shop.example.invalid, request: "GET {path} HTTP/2.0", '
        f'upstream: "http://{pod.ip}:8080{path}", host: "api.shop.example.invalid"'
    )
    nginx_errors[host].append((time, text))
    line = (
        f'{visitor} - - {stamp(time, "nginx-access")} "GET {path} HTTP/2.0" 200 2210 "-" "{AGENTS[4]}" 212 0.{took + 1:03} '
        f"[shop-catalog-api-http] [] {pod.ip}:8080, {other.ip}:8080 0, 2210 0.001, 0.{took:03} 502, 200 {request_id}"
    )
    access[host].append((time + timedelta(milliseconds=took), line))


def nginx_head(time: datetime, level: str, host: str) -> str:
    """Return how nginx begins an error line: time, level, worker and the running number of the connection."""
    worker_id = INGRESS[host]
    seconds = range(0, round((time - START).total_seconds()), 10)
    opened = sum(2.6 * api_rps(START + timedelta(seconds=second)) for second in seconds)
    connection = 2_941_037 * worker_id + round(opened) + RNG.randint(0, 90)
    return f"{stamp(time, 'nginx-error')} [{level}] {worker_id}#{worker_id}: *{connection}"


def edge_noise() -> None:
    """Write the warning of the ingress about large uploads, which are as frequent as ever."""
    files = dict(zip(INGRESS, (411, 298), strict=True))
    uploads = arrivals(RNG, START, END, 0.24)
    for time in uploads:
        host = RNG.choice(list(INGRESS))
        files[host] += RNG.randint(1, 2)
        text = (
            f"{nginx_head(time, 'warn', host)} a client request body is buffered to a temporary file "
            f"/tmp/nginx/client-body/{files[host]:010}, client: {client()}, server: shop.example.invalid, "  # noqa: S108 - nginx's folder
            'request: "POST /account/returns/photo HTTP/2.0", host: "shop.example.invalid"'
        )
        nginx_errors[host].append((time, text))


# --- Kubernetes and the database -----------------------------------------------------------------------------------


def event(clock: datetime | str, text: str) -> None:
    """Write one event: TYPE REASON OBJECT MESSAGE."""
    time = at(clock) if isinstance(clock, str) else clock
    events.append((time, f"{stamp(time, 'kubernetes-event')} {text}"))


RESIZED = """\
18:15:47 Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: 6; reason: cpu resource utilization (percentage of request) above target
18:15:47 Normal ScalingReplicaSet Deployment/catalog-api Scaled up replica set catalog-api-66d9c7b49f from 3 to 6
18:27:47 Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: 9; reason: cpu resource utilization (percentage of request) above target
18:27:47 Normal ScalingReplicaSet Deployment/catalog-api Scaled up replica set catalog-api-66d9c7b49f from 6 to 9
18:46:48 Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: 8; reason: All metrics below target
18:46:48 Normal ScalingReplicaSet Deployment/catalog-api Scaled down replica set catalog-api-66d9c7b49f from 9 to 8
18:47:48 Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: 7; reason: All metrics below target
18:47:48 Normal ScalingReplicaSet Deployment/catalog-api Scaled down replica set catalog-api-66d9c7b49f from 8 to 7
18:48:49 Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: 5; reason: All metrics below target
18:48:49 Normal ScalingReplicaSet Deployment/catalog-api Scaled down replica set catalog-api-66d9c7b49f from 7 to 5
18:49:49 Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: 4; reason: All metrics below target
18:49:49 Normal ScalingReplicaSet Deployment/catalog-api Scaled down replica set catalog-api-66d9c7b49f from 5 to 4
18:54:04 Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: 3; reason: All metrics below target
18:54:04 Normal ScalingReplicaSet Deployment/catalog-api Scaled down replica set catalog-api-66d9c7b49f from 4 to 3"""

# Seconds that the image took on nodes that did not have it yet.
PULLS = {"9cb5j": 2.914, "lz6rk": 3.207, "t5wqp": 3.402}

# Probes of new pods: nothing listens yet; then the server answers 503 until the first snapshot is loaded.
PROBES = """\
18:15:58 9cb5j refused
18:16:03 9cb5j refused
18:16:08 9cb5j 503
18:16:00 lz6rk refused
18:16:05 lz6rk refused
18:16:10 lz6rk 503
18:15:59 t5wqp refused
18:16:04 t5wqp refused
18:16:09 t5wqp refused
18:16:14 t5wqp 503
18:27:56 4dnx8 refused
18:28:01 4dnx8 refused
18:28:06 4dnx8 503
18:27:58 gs7fv refused
18:28:03 gs7fv refused
18:28:08 gs7fv 503
18:27:56 p2hjc refused
18:28:01 p2hjc refused
18:28:06 p2hjc refused
18:28:11 p2hjc 503
18:47:51 gs7fv refused
18:48:52 t5wqp refused
18:54:07 9cb5j refused"""


def life_of_pods() -> None:
    """Write the events of every pod that came and went, and what the pods said meanwhile."""
    for line in RESIZED.splitlines():
        clock, text = line.split(" ", 1)
        event(clock, text)
    for pod in FIRST_WAVE + SECOND_WAVE:
        asked = RESIZES[0][0] if pod in FIRST_WAVE else RESIZES[1][0]
        pull_s = PULLS.get(pod.suffix, 0.0)
        started = asked + timedelta(seconds=1.4 + pull_s)
        event(asked, f"Normal SuccessfulCreate ReplicaSet/{REPLICA_SET} Created pod: {pod.name}")
        event(
            asked,
            f"Normal Scheduled Pod/{pod.name} Successfully assigned shop/{pod.name} to {pod.node}",
        )
        if pull_s:
            event(
                asked + timedelta(seconds=1),
                f'Normal Pulling Pod/{pod.name} Pulling image "{IMAGE}"',
            )
            pulled = f'Successfully pulled image "{IMAGE}" in {pull_s}s ({pull_s}s including waiting). Image size: 231840912 bytes.'
        else:
            pulled = f'Container image "{IMAGE}" already present on machine'
        event(started, f"Normal Pulled Pod/{pod.name} {pulled}")
        event(started, f"Normal Created Pod/{pod.name} Created container: catalog-api")
        event(started, f"Normal Started Pod/{pod.name} Started container catalog-api")
        start_up(pod, started)
        event(pod.gone, f"Normal SuccessfulDelete ReplicaSet/{REPLICA_SET} Deleted pod: {pod.name}")
        event(pod.gone, f"Normal Killing Pod/{pod.name} Stopping container catalog-api")
        shut_down(pod)
    by_suffix = {pod.suffix: pod for pod in PODS}
    for line in PROBES.splitlines():
        clock, suffix, answer = line.split()
        pod = by_suffix[suffix]
        said = (
            "HTTP probe failed with statuscode: 503"
            if answer == "503"
            else f'Get "http://{pod.ip}:8080/actuator/health/readiness": dial tcp {pod.ip}:8080: connect: connection refused'
        )
        event(clock, f"Warning Unhealthy Pod/{pod.name} Readiness probe failed: {said}")


def cluster_noise() -> None:
    """Write the events of any evening: the sitemap job every quarter of an hour and a node agent's name servers."""
    for number, time in enumerate(periodic(RNG, START, END, 900, jitter_s=1.5)):
        job, old = f"sitemap-{29868090 + 15 * number}", f"sitemap-{29868090 + 15 * (number - 3)}"
        pod, took = (
            f"{job}-{''.join(RNG.choices('bcdfghjklmnpqrstvwxz2456789', k=5))}",
            RNG.randint(38, 55),
        )
        node, second = (
            RNG.choice(("shop-prod-w1", "shop-prod-w3", "shop-prod-w5")),
            timedelta(seconds=1),
        )
        image = "registry.example.invalid/shop/sitemap:1.9.0"
        event(time, f"Normal SuccessfulCreate CronJob/sitemap Created job {job}")
        event(time, f"Normal SuccessfulCreate Job/{job} Created pod: {pod}")
        event(time, f"Normal Scheduled Pod/{pod} Successfully assigned shop/{pod} to {node}")
        event(
            time + second,
            f'Normal Pulled Pod/{pod} Container image "{image}" already present on machine',
        )
        event(time + second, f"Normal Created Pod/{pod} Created container: sitemap")
        event(time + second, f"Normal Started Pod/{pod} Started container sitemap")
        event(time + took * second, f"Normal Completed Job/{job} Job completed")
        event(
            time + took * second,
            f"Normal SawCompletedJob CronJob/sitemap Saw completed job: {job}, condition: Complete",
        )
        event(time + took * second, f"Normal SuccessfulDelete CronJob/sitemap Deleted job {old}")
    for time in periodic(RNG, at("17:32:21"), END, 318, jitter_s=25):
        event(
            time,
            "Warning DNSConfigForming Pod/node-agent-x8k4d Nameserver limits were exceeded, some nameservers have been omitted, "
            "the applied nameserver line is: 192.0.2.53 192.0.2.54 198.51.100.53",
        )


EXPORT = (
    "SELECT p.id, p.sku, s.amount, s.currency FROM product p "
    "JOIN price_snapshot s ON s.product_id = p.id WHERE s.valid_from > $1"
)


def database_log() -> None:
    """Write catalog-db's log: a checkpoint every five minutes and the slow read of the price export."""
    redo, estimate = 0x4F_29E0_B1A0, 11_204.0
    for time in periodic(RNG, at("17:32:10.0"), at("19:06:00"), 300, jitter_s=0.06):
        buffers, distance = RNG.randint(1050, 1390), RNG.randint(9100, 11900)
        wrote, sync, rest = (
            buffers / 10 - RNG.uniform(0.1, 0.6),
            RNG.uniform(0.011, 0.028),
            RNG.uniform(0.019, 0.044),
        )
        done, redo = (
            time + timedelta(seconds=wrote + sync + rest),
            redo + distance * 1024 - RNG.randint(0, 120) * 8,
        )
        # Postgres follows a rise at once and forgets slowly. Source: UpdateCheckPointDistanceEstimate in xlog.c.
        estimate = distance if distance > estimate else 0.9 * estimate + 0.1 * distance
        lsn = redo + RNG.randint(21_000, 90_000) * 8
        text = (
            f"checkpoint complete: wrote {buffers} buffers ({buffers / 16384 * 100:.1f}%); 0 WAL file(s) added, 0 removed, 1 recycled; "
            f"write={wrote:.3f} s, sync={sync:.3f} s, total={wrote + sync + rest:.3f} s; sync files={RNG.randint(71, 104)}, "
            f"longest=0.00{RNG.randint(3, 8)} s, average=0.001 s; distance={distance} kB, estimate={estimate:.0f} kB; "
            f"lsn={lsn >> 32:X}/{lsn & 0xFFFFFFFF:X}, redo lsn={redo >> 32:X}/{redo & 0xFFFFFFFF:X}"
        )
        database.append((time, f"{stamp(time, 'postgres')} [71] LOG:  checkpoint starting: time"))
        database.append((done, f"{stamp(done, 'postgres')} [71] LOG:  {text}"))
    backend = 41188
    for time in periodic(RNG, at("17:36:02.2"), END, 600, jitter_s=1.2):
        backend += RNG.randint(61, 118)
        ran = f"duration: {RNG.uniform(1080, 1410):.3f} ms  execute <unnamed>:"
        text = f"{ran} {EXPORT}"
        database.append((time, f"{stamp(time, 'postgres')} [{backend}] LOG:  {text}"))


# --- changes ---------------------------------------------------------------------------------------------------------

HPA = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: catalog-api
  namespace: shop
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: catalog-api
  minReplicas: 3
  maxReplicas: 16
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: 70
"""
POOL = """\
spring:
  application:
    name: catalog-api
  main:
    banner-mode: "off"
  datasource:
    url: jdbc:postgresql://catalog-db:5432/catalog
    username: catalog
    hikari:
      pool-name: catalog-pool
      maximum-pool-size: 20
      minimum-idle: 20
      connection-timeout: 5000
      max-lifetime: 1740000
server:
  port: 8080
  shutdown: graceful
"""
PRICES = """\
package com.example.catalog.price;

import java.util.List;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Asks pricing-api for the prices of one product. */
@Component
public class PriceClient {

    private final RestClient pricing;

    PriceClient(RestClient.Builder builder, PriceProperties properties) {
        this.pricing = builder.baseUrl(properties.url()).build();
    }

    public List<Price> pricesOf(long productId) {
        return pricing.get()
                .uri("/v2/prices/{id}", productId)
                .retrieve()
                .body(PriceList.class)
                .prices();
    }
}
"""
PRICES_AFTER = PRICES.replace(
    "import java.util.List;",
    "import io.github.resilience4j.bulkhead.annotation.Bulkhead;\nimport java.util.List;",
).replace("    public List<Price>", '    @Bulkhead(name = "price-lookup")\n    public List<Price>')
LIMITS = """\
management:
  endpoints:
    web:
      exposure:
        include: health,info,prometheus
"""
LIMITS_AFTER = (
    LIMITS
    + """\
resilience4j:
  bulkhead:
    instances:
      price-lookup:
        max-concurrent-calls: 32
        max-wait-duration: 50ms
"""
)
ERRORS = """\
package com.example.catalog.web;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestControllerAdvice
class ApiErrors {

    private static final Logger log = LoggerFactory.getLogger(ApiErrors.class);

    @ExceptionHandler(UnknownProductException.class)
    ResponseEntity<ProblemDetail> unknown(UnknownProductException e) {
        return ResponseEntity.of(ProblemDetail.forStatus(404)).build();
    }
}
"""
ERRORS_AFTER = ERRORS.replace(
    "import org.slf4j.Logger;",
    "import io.github.resilience4j.bulkhead.BulkheadFullException;\n"
    "import jakarta.servlet.http.HttpServletRequest;\nimport org.slf4j.Logger;",
).replace(
    "ProblemDetail.forStatus(404)).build();\n    }\n",
    """\
ProblemDetail.forStatus(404)).build();
    }

    @ExceptionHandler(BulkheadFullException.class)
    ResponseEntity<ProblemDetail> busy(BulkheadFullException e, HttpServletRequest request) {
        log.warn("503 for {} {} id={}: {}", request.getMethod(), request.getRequestURI(),
                request.getHeader("X-Request-ID"), e.toString());
        return ResponseEntity.status(503)
                .header("Retry-After", "1")
                .body(ProblemDetail.forStatus(503));
    }
""",
)
TILES = """\
import { useEffect, useRef, useState } from "react";
import { fetchLook, type Look } from "../clients/catalog";
import { Tile } from "./Tile";

export function LookbookTiles({ first, total }: { first: Look; total: number }) {
  const [looks, setLooks] = useState<Look[]>([first]);
  const end = useRef<HTMLDivElement>(null);

  async function more() {
    if (looks.length >= total) return;
    const next = await fetchLook(looks.length + 1);
    setLooks((shown) => [...shown, next]);
  }

  useEffect(() => {
    const seen = new IntersectionObserver(([entry]) => entry.isIntersecting && more());
    if (end.current) seen.observe(end.current);
    return () => seen.disconnect();
  }, [looks]);

  return (
    <section className="lookbook">
      {looks.map((look) => (
        <Tile key={look.id} look={look} />
      ))}
      <div ref={end} />
    </section>
  );
}
"""
TILES_AFTER = TILES.replace(
    "  async function more() {\n    if (looks.length >= total) return;\n    const next = await fetchLook(looks.length + 1);\n",
    """\
  const ahead = useRef<Promise<Look> | null>(null);

  async function more() {
    if (looks.length >= total) return;
    const next = await (ahead.current ?? fetchLook(looks.length + 1));
    ahead.current = looks.length + 1 < total ? fetchLook(looks.length + 2) : null;
""",
).replace(
    "new IntersectionObserver(([entry]) => entry.isIntersecting && more());",
    'new IntersectionObserver(([entry]) => entry.isIntersecting && more(), {\n      rootMargin: "600px",\n    });',
)
ASSEMBLER = """\
package com.example.catalog.product;

import com.example.catalog.customer.Customer;
import com.example.catalog.price.PriceClient;
import java.util.List;
import org.springframework.stereotype.Component;

/** Puts together what a product list shows. */
@Component
class ListingAssembler {

    private final PriceClient prices;

    ListingAssembler(PriceClient prices) {
        this.prices = prices;
    }

    List<ListingItem> assemble(List<Product> products, Customer customer) {
        var lowest = prices.lowestOf(products.stream().map(Product::id).toList());
        return products.stream()
                .map(product -> ListingItem.of(product, lowest.get(product.id())))
                .toList();
    }
}
"""
ASSEMBLER_AFTER = ASSEMBLER.replace(
    """\
        var lowest = prices.lowestOf(products.stream().map(Product::id).toList());
        return products.stream()
                .map(product -> ListingItem.of(product, lowest.get(product.id())))
                .toList();
""",
    """\
        return products.stream()
                .map(product -> ListingItem.of(product, priceFor(product, customer)))
                .toList();
    }

    private Price priceFor(Product product, Customer customer) {
        return prices.pricesOf(product.id()).stream()
                .filter(price -> price.tier() == customer.tier())
                .findFirst()
                .orElseGet(() -> prices.lowestOf(product.id()));
""",
).replace(
    "import com.example.catalog.price.PriceClient;",
    "import com.example.catalog.price.Price;\nimport com.example.catalog.price.PriceClient;",
)
CSS = """\
.lookbook {
  display: grid;
  grid-template-columns: repeat(2, 1fr);
  gap: 12px;
}

.lookbook .tile img {
  width: 100%;
  height: auto;
}
"""
CSS_AFTER = CSS.replace(
    "  height: auto;\n", "  height: auto;\n  aspect-ratio: 4 / 5;\n  object-fit: cover;\n"
).replace("gap: 12px", "gap: 16px")

SHAS = {name: hex_digits(RNG, 40) for name in ("hpa", "pool", "prices", "tiles", "tiers", "css")}
CATALOG = "src/main"


def changes() -> list[dict[str, object]]:
    """Return what was changed before and in the window, by time."""
    hpa_after = HPA.replace("maxReplicas: 16", "maxReplicas: 12").replace(
        "Utilization: 70", "Utilization: 65"
    )
    pool_after = POOL.replace("pool-size: 20", "pool-size: 12").replace("idle: 20", "idle: 12")
    diffs = {
        "hpa": {"clusters/shop-prod/catalog-api/hpa.yaml": (HPA, hpa_after)},
        "pool": {f"{CATALOG}/resources/application.yaml": (POOL, pool_after)},
        "prices": {
            f"{CATALOG}/java/com/example/catalog/price/PriceClient.java": (PRICES, PRICES_AFTER),
            f"{CATALOG}/java/com/example/catalog/web/ApiErrors.java": (ERRORS, ERRORS_AFTER),
            f"{CATALOG}/resources/application-prod.yaml": (LIMITS, LIMITS_AFTER),
        },
        "tiles": {"src/pages/lookbook/LookbookTiles.tsx": (TILES, TILES_AFTER)},
        "tiers": {
            f"{CATALOG}/java/com/example/catalog/product/ListingAssembler.java": (
                ASSEMBLER,
                ASSEMBLER_AFTER,
            )
        },
        "css": {"src/styles/lookbook.css": (CSS, CSS_AFTER)},
    }

    def commit(name: str, time: str, author: str, service: str, message: str) -> dict[str, object]:
        return {
            "type": "commit",
            "sha": SHAS[name],
            "time": time,
            "author": author,
            "service": service,
            "message": message,
            "diff": unified_diff(diffs[name]),
        }

    return [
        commit("hpa", "2026-10-09T08:41:37Z", "d.okafor", "catalog-api", HPA_MESSAGE),
        commit("pool", "2026-10-12T13:05:22Z", "m.salonen", "catalog-api", POOL_MESSAGE),
        commit("prices", "2026-10-13T15:48:10Z", "i.brandt", "catalog-api", PRICES_MESSAGE),
        {
            "type": "deploy",
            "service": "catalog-api",
            "version": "2.61.3",
            "sha": SHAS["prices"],
            "time": "2026-10-14T09:12:44Z",
            "author": "release-bot",
            "message": "Roll out 2.61.3 to shop-prod",
        },
        {
            "type": "config",
            "service": "ingress-nginx",
            "key": "access-log-params",
            "before": "buffer=16k flush=5s",
            "after": "buffer=16k flush=5s if=$log_line",
            "time": "2026-10-14T13:40:05Z",
            "author": "d.okafor",
            "message": "Log one request in 4,000 (X-Log-Sample tells the services which), and all that met a 5xx upstream. The log index is mostly our access lines.",
        },
        commit("tiles", "2026-10-15T16:12:51Z", "y.haddad", "storefront-web", TILES_MESSAGE),
        {
            "type": "deploy",
            "service": "storefront-web",
            "version": "4.18.0",
            "sha": SHAS["tiles"],
            "time": "2026-10-15T17:18:29Z",
            "author": "release-bot",
            "message": "Roll out 4.18.0 to shop-prod",
        },
        commit("tiers", "2026-10-15T18:03:16Z", "i.brandt", "catalog-api", TIERS_MESSAGE),
        {
            "type": "flag",
            "service": "storefront-web",
            "key": "lookbook-teaser",
            "before": "off",
            "after": "on",
            "time": "2026-10-15T18:09:40Z",
            "author": "c.moreau",
            "message": "Show the lookbook teaser on the start page",
        },
        commit("css", "2026-10-15T18:33:08Z", "y.haddad", "storefront-web", CSS_MESSAGE),
    ]


HPA_MESSAGE = """\
Fit catalog-api into the pool's quota

The shop pool gives catalog-api 12 cores at one core a pod. Cap the
replicas there and start new ones a little earlier to make up for it.
"""
POOL_MESSAGE = """\
Size the pool for twelve pods

catalog-db allows 200 connections and the importer may take 40 of them.
Twelve pods at 12 make 144; the pool has not needed more than 9 so far.
"""
PRICES_MESSAGE = """\
Give price look-ups a bulkhead

Keep slow answers of pricing-api from taking all Tomcat threads. Whoever
finds no room gets a 503 with Retry-After; callers try another pod.
"""
TILES_MESSAGE = """\
Fetch the next look ahead of the scroll

Tiles popped in late on phones. Ask for one look more than is shown and
start before the end of the list is in view.
"""
TIERS_MESSAGE = """\
Show members the price of their tier in lists

Lists showed everyone the lowest price. Look the prices of each product up
and pick the customer's tier. Goes out with 2.62.0.
"""
CSS_MESSAGE = "Keep lookbook tiles in one shape\n"


# --- metrics ---------------------------------------------------------------------------------------------------------


def minute(index: int) -> datetime:
    """Return the time of sample *index*."""
    return START + timedelta(minutes=index)


# The autoscaler's own reading, one scrape of the metrics server behind the traffic.
CPU = {
    46: 112,
    47: 71,
    48: 67,
    49: 66,
    50: 64,
    51: 63,
    52: 62,
    57: 66,
    58: 93,
    59: 69,
    60: 67,
    61: 65,
    62: 64,
    63: 63,
}
CPU |= {
    64: 62,
    72: 59,
    73: 55,
    74: 39,
    75: 27,
    76: 24,
    77: 23,
    78: 26,
    79: 29,
    80: 39,
    81: 48,
    82: 47,
    83: 47,
    84: 47,
}
CPU |= {85: 62, 86: 61, 87: 61}
# The slowest twentieth of requests, milliseconds, where it is not the usual 181.
P95 = {
    45: 247,
    46: 233,
    47: 206,
    57: 261,
    58: 241,
    59: 211,
    72: 199,
    73: 187,
    74: 176,
    75: 173,
    76: 172,
    77: 173,
    78: 174,
    79: 176,
}


def cpu(index: int) -> float:
    """Return the utilisation that the autoscaler saw at sample *index*, percent of the request."""
    return CPU.get(index, 60.4 if 45 < index < 72 or index > 87 else 56.6)


def p95_ms(index: int) -> float:
    """Return the 95th percentile of catalog-api at sample *index*."""
    return P95.get(index, 203.0 if 47 < index < 72 else 181.0)


def samples_of_rate(factor: float) -> list[int]:
    """Return a counter that grows with the shop's requests, *factor* for each that reaches catalog-api."""
    first = RNG.randint(21_000_000, 94_000_000)
    half = timedelta(seconds=30)
    return counter(
        RNG, SAMPLES, lambda i: 60 * factor * api_rps(minute(i) - half), start=first, spread=0.012
    )


def edge_metrics(add: Add) -> None:
    """Add what the ingress exports."""
    requests = 'nginx_ingress_controller_requests{{ingress="{}",status="{}"}}'
    add("ingress-nginx", requests.format("catalog-api", 200), "requests", samples_of_rate(1))
    not_found = counter(RNG, SAMPLES, 41, start=804_117, spread=0.12)
    add("ingress-nginx", requests.format("catalog-api", 404), "requests", not_found)
    failed = counted(failed_feeds, START, 60, SAMPLES, first=9_214)
    add("ingress-nginx", requests.format("catalog-api", 500), "requests", failed)
    add("ingress-nginx", requests.format("catalog-api", 503), "requests", [37] * SAMPLES)
    add("ingress-nginx", requests.format("storefront-web", 200), "requests", samples_of_rate(0.37))
    connections = gauge(RNG, SAMPLES, lambda i: 610 + 9.4 * api_rps(minute(i)), 38)
    add(
        "ingress-nginx",
        'nginx_ingress_controller_nginx_process_connections{state="active"}',
        "connections",
        connections,
    )


def service_metrics(add: Add) -> None:
    """Add what the catalog-api pods export about their requests, look-ups and connections."""
    api = "catalog-api"
    median = gauge(RNG, SAMPLES, lambda i: 0.021 + p95_ms(i) / 10600, 0.0009, digits=4)
    p95 = gauge(RNG, SAMPLES, lambda i: p95_ms(i) / 1000, 0.0028, high=0.2638, digits=4)
    add(api, 'http_server_requests_seconds{quantile="0.5"}', "seconds", median)
    add(api, 'http_server_requests_seconds{quantile="0.95"}', "seconds", p95)
    for pod in OLD:
        times = [time for time, busy, *_ in FULL if busy == pod.suffix]
        values = [count or None for count in counted(times, START, 60, SAMPLES)]
        add(
            api,
            f'http_server_requests_seconds_count{{pod="{pod.name}",status="503"}}',
            "requests",
            values,
        )
    pricing = gauge(RNG, SAMPLES, lambda i: 0.021 + p95_ms(i) / 7600, 0.0011, digits=4)
    add(
        api,
        'http_client_requests_seconds{client_name="pricing-api",quantile="0.95"}',
        "seconds",
        pricing,
    )
    room = {45: 3, 46: 8, 57: 5, 58: 7}
    free = gauge(RNG, SAMPLES, lambda i: room.get(i, 23 if 44 < i < 72 else 26), 1.3, high=32)
    add(api, 'resilience4j_bulkhead_available_concurrent_calls{name="price-lookup"}', "calls", free)
    pool, busiest = '{pool="catalog-pool"}', {45: 8, 46: 7, 57: 8, 58: 7}
    active = gauge(
        RNG, SAMPLES, lambda i: busiest.get(i, 5 if 44 < i < 72 else 4), 0.7, low=1, high=8
    )
    add(api, f"hikaricp_connections_active{pool}", "connections", active)
    add(api, f"hikaricp_connections_pending{pool}", "threads", [0] * SAMPLES)
    add(api, f"hikaricp_connections_max{pool}", "connections", [12] * SAMPLES)
    add(api, f"hikaricp_connections_timeout_total{pool}", "connections", [0] * SAMPLES)
    pauses = gauge(
        RNG, SAMPLES, lambda i: 0.031 if 44 < i < 73 else 0.022, 0.004, low=0.011, digits=3
    )
    add(api, "jvm_gc_pause_seconds_max", "seconds", pauses)


def cluster_metrics(add: Add) -> None:
    """Add what kube-state-metrics and the kubelet say about catalog-api."""
    api = "catalog-api"
    hpa = 'kube_horizontalpodautoscaler_{}{{horizontalpodautoscaler="catalog-api"{}}}'
    current = [(time + timedelta(seconds=15), size) for time, size in RESIZES]
    cpu_metric = ',metric_name="cpu",metric_target_type="utilization"'
    limited = ',condition="ScalingLimited",status="true"'
    wanted = staircase(RESIZES, START, 60, SAMPLES, first=3)
    there = staircase(current, START, 60, SAMPLES, first=3)
    add(api, hpa.format("spec_max_replicas", ""), "replicas", [12] * SAMPLES)
    add(api, hpa.format("spec_min_replicas", ""), "replicas", [3] * SAMPLES)
    add(api, hpa.format("status_desired_replicas", ""), "replicas", wanted)
    add(api, hpa.format("status_current_replicas", ""), "replicas", there)
    add(api, hpa.format("status_condition", limited), "bool", [0] * SAMPLES)
    add(api, hpa.format("spec_target_metric", cpu_metric), "percent", [65] * SAMPLES)
    add(
        api,
        hpa.format("status_target_metric", cpu_metric),
        "percent",
        gauge(RNG, SAMPLES, cpu, 0.7),
    )
    starting = [(RESIZES[0][0], 3), (at("18:16:20"), 0), (RESIZES[1][0], 3), (at("18:28:17"), 0)]
    unavailable = staircase(starting, START, 60, SAMPLES)
    add(
        api,
        'kube_deployment_status_replicas_unavailable{deployment="catalog-api"}',
        "replicas",
        unavailable,
    )
    add(
        api,
        'kube_pod_container_status_restarts_total{container="catalog-api"}',
        "restarts",
        [0] * SAMPLES,
    )
    throttled = counter(
        RNG, SAMPLES, lambda i: 58 if i in {46, 57, 58} else 7, start=18_402, spread=0.3
    )
    add(
        api,
        f'container_cpu_cfs_throttled_periods_total{{pod="{OLD[0].name}"}}',
        "periods",
        throttled,
    )


def objective_metrics(add: Add) -> None:
    """Add the service level objectives: 95 % within 400 ms, 99.9 % without an error; a burn rate of 1 is allowed."""
    burn, goal = (
        'slo:current_burn_rate:ratio{{sloth_id="{}"}}',
        'slo:objective:ratio{{sloth_id="{}"}}',
    )
    slow = gauge(
        RNG, SAMPLES, lambda i: 0.115 + max(0.0, p95_ms(i) - 181) / 276, 0.008, low=0.06, digits=3
    )
    failed = gauge(
        RNG, SAMPLES, lambda i: 0.25 / (api_rps(minute(i)) * 60) / 0.001, 0.003, low=0.006, digits=4
    )
    for name, rate, objective in (("latency-400ms", slow, 0.95), ("availability", failed, 0.999)):
        add("catalog-api", burn.format(f"catalog-api-{name}"), "ratio", rate)
        add("catalog-api", goal.format(f"catalog-api-{name}"), "ratio", [objective] * SAMPLES)


def neighbour_metrics(add: Add) -> None:
    """Add what storefront-web and the database export."""
    lag = gauge(RNG, SAMPLES, lambda i: 0.0109 + api_rps(minute(i)) / 62000, 0.0006, digits=4)
    add("storefront-web", "nodejs_eventloop_lag_p99_seconds", "seconds", lag)
    # Four more than the pods' own: the exporter, the importer and the price export.
    pooled = [(time + timedelta(seconds=9), 12 * size + 4) for time, size in RESIZES]
    total = staircase(pooled, START, 60, SAMPLES, first=40)
    active = gauge(RNG, SAMPLES, lambda i: 3 + api_rps(minute(i)) / 46, 1.0, low=1)
    idle = [connected - running for connected, running in zip(total, active, strict=True)]
    state = 'pg_stat_activity_count{{datname="catalog",state="{}"}}'
    add("catalog-db", state.format("active"), "connections", active)
    add("catalog-db", state.format("idle"), "connections", idle)
    add("catalog-db", "pg_settings_max_connections", "connections", [200] * SAMPLES)
    add(
        "catalog-db",
        'pg_stat_database_xact_commit{datname="catalog"}',
        "transactions",
        samples_of_rate(0.62),
    )


def metrics() -> list[dict[str, object]]:
    """Return all series on the scrape grid of one minute."""
    series: list[dict[str, object]] = []

    def add(service: str, name: str, unit: str, values: Sequence[float | None]) -> None:
        start = stamp(START, "kubernetes-event")
        series.append(
            {
                "name": name,
                "service": service,
                "unit": unit,
                "start": start,
                "step_s": 60,
                "values": list(values),
            }
        )

    for part in (
        edge_metrics,
        service_metrics,
        cluster_metrics,
        objective_metrics,
        neighbour_metrics,
    ):
        part(add)
    return series


# --- the file --------------------------------------------------------------------------------------------------------


def write_traffic() -> None:
    """Write all lines of all streams."""
    for pod in PODS:
        for time in periodic(
            RNG, pod.ready + timedelta(seconds=RNG.uniform(5, 590)), pod.gone, 600, jitter_s=0.3
        ):
            text = f"snapshot: {products_at(time)} products, {RNG.randint(2, 40)} replaced, {RNG.randint(790, 1290)} ms"
            pod.lines.append(
                boot(time, "INFO", "scheduling-1", "c.e.catalog.assortment.SnapshotRefresh", text)
            )
    life_of_pods()
    turned_away()
    for time in arrivals(RNG, START, END, lambda now: 60 * api_rps(now) / LOGGED_ONE_IN):
        api_request(time)
    for time in arrivals(RNG, START, END, lambda now: 60 * 0.37 * api_rps(now) / LOGGED_ONE_IN):
        page_request(time)
    for time in periodic(RNG, at("17:31:44"), END, 241, jitter_s=26):
        feed_fails(time)
    storefront_noise()
    edge_noise()
    cluster_noise()
    database_log()
    first, second = INGRESS
    refused(at("18:47:48.412"), SECOND_WAVE[1], OLD[0], second, "/api/v1/products/80922")
    refused(
        at("18:49:49.377"), FIRST_WAVE[1], OLD[2], first, "/api/v1/categories/shoes/products?page=1"
    )
    host, time = next(iter(STOREFRONT)), at("18:48:49.306")
    call = f"catalog GET /api/v1/products/81260 id={hex_digits(RNG, 32)}"
    again = time + timedelta(milliseconds=97)
    pages[host].append(
        (
            time,
            f"{stamp(time, 'plain')} WARN {call}: connect ECONNREFUSED 10.43.118.20:8080, attempt 1 of 3, next in 60 ms",
        )
    )
    pages[host].append((again, f"{stamp(again, 'plain')} INFO {call}: 200 on attempt 2, 34 ms"))


def streams() -> list[dict[str, object]]:
    """Return the log streams, one a pod or host."""
    out: list[dict[str, object]] = []

    def add(service: str, host: str, layout: str, lines: list[Line]) -> None:
        zone = {"zone": "+00:00"} if layout == "nginx-error" else {}
        out.append(
            {
                "service": service,
                "host": host,
                "format": layout,
                **zone,
                "lines": stream_text(lines),
            }
        )

    for host, lines in access.items():
        add("ingress-nginx", host, "nginx-access", lines)
    for host, lines in nginx_errors.items():
        add("ingress-nginx", host, "nginx-error", lines)
    for pod in PODS:
        add("catalog-api", pod.name, "spring-boot", pod.lines)
    for host, lines in pages.items():
        add("storefront-web", host, "plain", lines)
    add("catalog-db", "catalog-db-1", "postgres", database)
    add("kubernetes", "shop-prod", "kubernetes-event", events)
    return out


DISTRACTORS = [
    {
        "commit": SHAS["hpa"],
        "why": "lowers the ceiling to 12 and the target to 65 %; nine replicas were enough and ScalingLimited stayed false",
    },
    {
        "commit": SHAS["pool"],
        "why": "a smaller pool; at most eight of 12 connections in use, none pending, no timeout",
    },
    {
        "commit": SHAS["prices"],
        "why": "makes the six 503s possible; each was answered by another pod, as it intends",
    },
    {
        "commit": SHAS["tiles"],
        "why": "asks for looks ahead; live an hour before the rise, and pages and API calls rise alike",
    },
    {
        "commit": SHAS["tiers"],
        "why": "one price call a product, eleven minutes before the rise; never rolled out, new pods start 2.61.3",
    },
    {"commit": SHAS["css"], "why": "the newest commit, styles only"},
    {
        "noise": "a price crawler that sends the cursor undefined",
        "match": "NumberFormatException: For input string",
        "why": "every four minutes before, during and after the rise",
    },
    {
        "noise": "ratings withdrawn by their provider",
        "match": "ratings: tile of product \\d+ left out",
        "why": "a timed refresh, the same rate all evening",
    },
    {
        "noise": "untranslated texts",
        "match": "bundle nb-NO lacks 3 of 1184 keys",
        "why": "every five minutes on both pods since before the window",
    },
    {
        "noise": "a node agent with too many name servers",
        "match": "Nameserver limits were exceeded",
        "why": "repeated by the kubelet all evening",
    },
    {
        "noise": "slow reads of the price export",
        "match": "duration: \\d+\\.\\d+ ms .*price_snapshot",
        "why": "a ten-minute job, as slow before as after",
    },
]


def document() -> dict[str, object]:
    """Return the whole incident in the contract's shape."""
    write_traffic()
    metric = "nginx_ingress_controller_requests"
    return {
        "schema": "rcabench/1",
        "id": "traffic-spike-absorbed",
        "title": "Traffic spike absorbed by autoscaling (nothing wrong)",
        "kind": "healthy",
        "difficulty": "medium",
        "canary": "rcabench canary 3d0b9a6e54c84f0f9c1b7e2a8d61f5c7",
        "source": {"origin": "written"},
        "window": {"start": "2026-10-15T17:30:00Z", "end": "2026-10-15T19:10:00Z"},
        "logs": streams(),
        "metrics": metrics(),
        "changes": changes(),
        "alerts": [
            {
                "time": "2026-10-15T18:16:30Z",
                "service": "catalog-api",
                "metric": metric,
                "summary": "TrafficAnomaly: catalog-api gets 2.0 times the requests forecast for Thursday 18:00 to 18:30",
            },
            {
                "time": "2026-10-15T18:28:30Z",
                "service": "catalog-api",
                "metric": metric,
                "summary": "TrafficAnomaly: catalog-api gets 3.0 times the requests forecast for Thursday 18:00 to 18:30",
            },
        ],
        "distractors": DISTRACTORS,
    }


if __name__ == "__main__":
    write(document(), Path(__file__).parent.parent / "held_out" / "traffic-spike-absorbed.yaml")
