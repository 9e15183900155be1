"""Write `held_out/autoscaler-cap.yaml`: off-season traffic quadruples and the autoscaler stops at two replicas.

A small model gives requests a second, pods and waiting time; lines are a sample of one request in 2,000.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeAlias

from traffic import (
    Line,
    arrivals,
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

Add: TypeAlias = Callable[[str, str, str, Sequence[float | None]], None]

RNG = random.Random(618)
START, END = utc("2026-06-18T16:30:00Z"), utc("2026-06-18T18:20:00Z")
SAMPLES = 110
LOGGED_ONE_IN = 2000
PER_POD = 94.0  # requests a second that one pod can work off: 0.6 cores at 6.4 ms


def at(clock: str) -> datetime:
    """Return the time of day *clock* on the day of the window."""
    return utc(f"2026-06-18T{clock}Z")


def after(time: datetime, seconds: float) -> datetime:
    """Return the time *seconds* after *time*."""
    return time + timedelta(seconds=seconds)


# Pod of catalog-api: node, address, first and last moment in which it gets requests.
OLD, NEW, SECOND = (
    "catalog-api-5f7c9d8b66-nq4tz",
    "catalog-api-7b6d4fc9c8-m8xrl",
    "catalog-api-7b6d4fc9c8-k2vhd",
)
CATALOG = {
    OLD: ("north-1-w05", "10.42.5.23", START, at("16:58:37")),
    NEW: ("north-1-w07", "10.42.7.31", at("16:58:36"), END),
    SECOND: ("north-1-w03", "10.42.3.19", at("17:38:41"), END),
}  # fmt: skip
STOREFRONT = {
    "storefront-web-6c8f5b97d4-7hzmw": ("10.42.3.11", START, at("17:31:49")),
    "storefront-web-6c8f5b97d4-tq9ks": ("10.42.8.14", START, at("17:32:21")),
    "storefront-web-74d5b8f6bb-5xgcn": ("10.42.8.20", at("17:31:48"), END),
    "storefront-web-74d5b8f6bb-wl2rv": ("10.42.5.30", at("17:32:20"), END),
}
INGRESS = {
    "ingress-nginx-controller-6b9c44d7c8-gx2tp": 38,
    "ingress-nginx-controller-6b9c44d7c8-zw7mj": 41,
}
IMPORTER = "feed-importer-6d9b7c5c7f-2kqxs"
STREAMS: dict[str, list[Line]] = {}


def say(host: str, time: datetime, text: str) -> None:
    """Write *text*, a line or a whole trace, to the stream of *host*."""
    STREAMS.setdefault(host, []).append((time, text))


# --- the model -------------------------------------------------------------------------------------------------


def demand(time: datetime) -> float:
    """Return the requests a second that catalog-api is asked at *time*."""
    second = (time - at("17:40:30")).total_seconds()
    rise = 1 / (1 + math.exp(-max(-60.0, min(60.0, second / 75))))
    ebb = 1 - 0.00004 * max(0.0, second - 900)
    return (57 + 2.5 * math.sin(second / 700)) * (1 + 3.15 * rise * ebb)


def pods(time: datetime) -> list[str]:
    """Return the catalog-api pods that get requests at *time*."""
    return [pod for pod, (_, _, first, last) in CATALOG.items() if first <= time < last]


def load(time: datetime) -> float:
    """Return the demand as a share of what the pods can do."""
    return demand(time) / (PER_POD * len(pods(time)))


def waits() -> list[float]:
    """Return the median wait, by second of the window: it grows while more comes in than goes out, until callers give up."""
    out, wait = [], 0.0
    for second in range(int((END - START).total_seconds())):
        over = load(after(START, second)) - 1
        wait = min(max(0.0, wait + over), 2.05 + 2.3 * max(0.0, over))
        out.append(wait)
    return out


WAIT = waits()


def took_s(time: datetime, median: float = 0.046, spread: float = 0.82) -> float:
    """Return how long one request that comes at *time* would take catalog-api."""
    busy = 1 + 3 * max(0.0, load(time) - 0.7) if load(time) < 1 else 2.0
    served = RNG.lognormvariate(math.log(median), spread) * busy
    return min(served, 0.9) + WAIT[int((time - START).total_seconds())] * RNG.lognormvariate(
        0, 0.34
    )


# --- requests ----------------------------------------------------------------------------------------------------

BROWSERS = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0",
)
APPS = {
    "nordvik-app/5.3.1 (Android 15)": 30.0,
    "nordvik-app/5.3.1 (iOS 18.5)": 30.0,
    "nordvik-app/5.1.0 (Android 13)": 3.5,
}
CATEGORIES = ("touring-skis", "bindings", "shells", "goggles", "tents", "trail-shoes")
CLEARANCE = (40122, 40125, 40178, 40203, 40260)


def visitor() -> str:
    """Return a visitor's address, from the ranges that are reserved for documentation."""
    network = RNG.choice(("192.0.2", "198.51.100", "203.0.113"))
    return f"{network}.{RNG.randint(2, 253)}"


def from_letter(time: datetime) -> bool:
    """Return whether one visitor at *time* is one of those who came on top of the usual ones."""
    return RNG.random() > 57 / demand(time) - 0.04


def upstream(name: str, address: str, size: int, seconds: float, status: str) -> str:
    """Return the fields of the ingress about the upstream."""
    return f"[{name}] [] {address}:8080 {size} {seconds:.3f} {status}"


def access(  # noqa: PLR0913 - the fields of one line
    time: datetime,
    request: str,
    status: int,
    seconds: float,
    behind: str,
    *,
    agent: str,
    host: str,
    request_id: str,
    client: str,
    size: int = 0,
    referer: str = "-",
) -> None:
    """Write one access line of the ingress, which stamps it when the request is done."""
    done = after(time, seconds)
    if done < END:
        text = f'{client} - - {stamp(done, "nginx-access")} "{request}" {status} {size} "{referer}" "{agent}" {RNG.randint(58, 610)} {seconds:.3f} {behind} {request_id}'
        say(f"{host} access", done, text)


def catalog_line(
    pod: str, time: datetime, path: str, seconds: float, request_id: str, *, gave_up: bool = False
) -> None:
    """Write what catalog-api says of one request: it sees a caller that hung up as 499."""
    done = after(time, seconds)
    end = 'status=499 err="context canceled"' if gave_up else "status=200"
    if done < END:
        say(
            pod,
            done,
            f"{stamp(done, 'plain')} INFO request method=GET path={path} {end} dur={seconds * 1000:.0f}ms id={request_id}",
        )


def app_request(time: datetime) -> None:
    """Write one request of the app, which reaches catalog-api through the ingress (proxy_read_timeout 4s)."""
    pod, host, request_id = RNG.choice(pods(time)), RNG.choice(list(INGRESS)), hex_digits(RNG, 32)
    agent, client, took = RNG.choice(list(APPS)), visitor(), took_s(time)
    product = RNG.choice(CLEARANCE) if from_letter(time) else RNG.randint(20100, 41900)
    path = RNG.choice(
        (
            f"/v2/products/{product}",
            f"/v2/products/{product}",
            f"/v2/categories/{RNG.choice(CATEGORIES)}/products",
            f"/v2/products/{product}/sizes",
        )
    )
    address, name = CATALOG[pod][1], "retail-catalog-api-http"
    request, patience = f"GET {path} HTTP/2.0", APPS[agent] + RNG.uniform(0, 0.02)
    if took > min(4.0, patience):
        gone = patience < 4.0
        waited = patience if gone else 4.0 + RNG.uniform(0.0, 0.003)
        behind = upstream(name, address, 0, waited, "-" if gone else "504")
        access(
            time,
            request,
            499 if gone else 504,
            waited,
            behind,
            agent=agent,
            host=host,
            request_id=request_id,
            client=client,
            size=0 if gone else 160,
        )
        catalog_line(pod, time, path, waited, request_id, gave_up=True)
        if not gone and after(time, waited) < END:
            done = after(time, waited)
            worker = INGRESS[host]
            text = (
                f"{stamp(done, 'nginx-error')} [error] {worker}#{worker}: *{connection(done, host)} upstream timed out (110: Operation timed out) "
                f'while reading response header from upstream, client: {client}, server: api.nordvik.example.invalid, request: "{request}", '
                f'upstream: "http://{address}:8080{path}", host: "api.nordvik.example.invalid"'
            )
            say(f"{host} error", done, text)
        return
    size = RNG.randint(700, 9200)
    access(
        time,
        request,
        200,
        took,
        upstream(name, address, size, took, "200"),
        agent=agent,
        host=host,
        request_id=request_id,
        client=client,
        size=size,
    )
    catalog_line(pod, time, path, took - 0.001, request_id)


def connection(time: datetime, host: str) -> int:
    """Return a running number of the connections of one ingress controller."""
    served = sum(
        demand(after(START, second)) for second in range(0, int((time - START).total_seconds()), 30)
    )
    return 61_207_400 + 1_000_003 * (INGRESS[host] % 7) + round(9 * served) + RNG.randint(0, 40)


def boot(time: datetime, level: str, thread: str, logger: str, message: str) -> str:
    """Return one record in Spring Boot's console layout."""
    return f"{stamp(time, 'spring-boot')} {level:>5} 1 --- [storefront-web] [{thread[-15:]:>15}] {logger:<40.40} : {message}"


def worker(time: datetime) -> str:
    """Return a Tomcat thread: more of them exist once pages wait."""
    return f"http-nio-8080-exec-{RNG.randint(1, 22 if WAIT[int((time - START).total_seconds())] < 0.5 else 184)}"


TIMED_OUT = """\
GET {page} 503 in {took} ms id={request_id}

org.springframework.web.client.ResourceAccessException: I/O error on GET request for "http://catalog-api.retail.svc.cluster.local:8080{path}": Read timed out
\tat org.springframework.web.client.DefaultRestClient$DefaultRequestBodyUriSpec.createResourceAccessException(DefaultRestClient.java:706) ~[spring-web-6.2.7.jar!/:6.2.7]
\tat org.springframework.web.client.DefaultRestClient$DefaultRequestBodyUriSpec.exchangeInternal(DefaultRestClient.java:582) ~[spring-web-6.2.7.jar!/:6.2.7]
\tat org.springframework.web.client.DefaultRestClient$DefaultResponseSpec.body(DefaultRestClient.java:769) ~[spring-web-6.2.7.jar!/:6.2.7]
\tat com.example.storefront.catalog.CatalogClient.{method}(CatalogClient.java:{line}) ~[!/:{version}]
Caused by: java.net.SocketTimeoutException: Read timed out
\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:278) ~[na:na]
\tat java.base/sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:304) ~[na:na]
\tat java.base/java.net.Socket$SocketInputStream.read(Socket.java:1099) ~[na:na]
\tat java.base/sun.net.www.http.HttpClient.parseHTTPHeader(HttpClient.java:791) ~[na:na]
\t... 41 common frames omitted"""


def page_request(time: datetime) -> None:
    """Write one page view: the ingress, storefront-web (which waits 3 s for catalog-api), and catalog-api."""
    front = RNG.choice(
        [pod for pod, (_, first, last) in STOREFRONT.items() if first <= time < last]
    )
    pod, host, request_id = RNG.choice(pods(time)), RNG.choice(list(INGRESS)), hex_digits(RNG, 32)
    page, path, method, line, query, referer = choose_page(time)
    rendering, called = RNG.uniform(0.018, 0.055), after(time, 0.006)
    wait, patience = took_s(called), RNG.lognormvariate(math.log(9), 0.7)
    agent, client, size = RNG.choice(BROWSERS), visitor(), RNG.randint(11_000, 52_000)
    failed = wait > 3.0
    if failed:
        wait = 3.0 + RNG.uniform(0.001, 0.004)
    total = wait + (0.012 if failed else rendering)
    status, answered = (503, "503") if failed else (200, "200")
    ended, done = total, after(time, total)
    if patience < total:  # the browser's user left; storefront-web works on and does not notice
        status, answered, size, ended = 499, "-", 0, patience
    elif failed:
        size = 3127
    name, address = "retail-storefront-web-http", STOREFRONT[front][0]
    access(
        time,
        f"GET {page}{query} HTTP/2.0",
        status,
        ended + 0.001,
        upstream(name, address, size, ended, answered),
        agent=agent,
        host=host,
        request_id=request_id,
        client=client,
        size=size,
        referer=referer,
    )
    catalog_line(pod, called, path, wait - 0.001, request_id, gave_up=failed)
    if done >= END:
        return
    took = round(total * 1000)
    if failed:
        version = "8.44.0" if "74d5b8f6bb" in front else "8.43.2"
        text = TIMED_OUT.format(
            page=page,
            took=took,
            request_id=request_id,
            path=path,
            method=method,
            line=line,
            version=version,
        )
        say(front, done, boot(done, "ERROR", worker(time), "c.e.storefront.web.PageErrors", text))
    else:
        say(
            front,
            done,
            boot(
                done,
                "INFO",
                worker(time),
                "c.e.storefront.web.PageLog",
                f"GET {page} 200 in {took} ms id={request_id}",
            ),
        )


def choose_page(time: datetime) -> tuple[str, str, str, int, str, str]:
    """Return a page, the call that it makes, the method and line that make it, and how the visitor came."""
    mail = "?utm_source=letter&utm_campaign=summer-clearance"
    if from_letter(time):
        if RNG.random() < 0.4:
            return "/clearance", "/v2/categories/clearance/products", "listing", 58, mail, "-"
        product = RNG.choice(CLEARANCE)
        return (
            f"/p/{product}",
            f"/v2/products/{product}",
            "product",
            41,
            "",
            "https://www.nordvik.example.invalid/clearance",
        )
    product, category = RNG.randint(20100, 41900), RNG.choice(CATEGORIES)
    if RNG.random() < 0.5:
        return (
            f"/c/{category}",
            f"/v2/categories/{category}/products",
            "listing",
            58,
            "",
            "https://www.nordvik.example.invalid/",
        )
    return (
        f"/p/{product}",
        f"/v2/products/{product}",
        "product",
        41,
        "",
        f"https://www.nordvik.example.invalid/c/{category}",
    )


# --- the services' other lines -----------------------------------------------------------------------------------

# Seconds after the container's start, and what a Go process says.
GO_START = """\
0.04 INFO maxprocs: Updating GOMAXPROCS=1: using minimum allowed GOMAXPROCS
0.05 INFO starting catalog-api version=3.19.0 commit={sha} go=go1.24.4
0.31 INFO pool ready host=catalog-db:5432 db=catalog max_conns=16
0.33 INFO cache ready addr=catalog-cache:6379 proto=3
{warm} INFO warmed categories=231 facets=1874 took={took}s
{serve} INFO serving addr=:8080"""
GO_STOP = """\
0.02 INFO signal received sig=terminated
0.03 INFO draining inflight=6
{end} INFO drained, closing pool
{bye} INFO stopped"""
SPRING_START = """\
2.9|main|INFO|c.e.storefront.StorefrontApplication|Starting StorefrontApplication v8.44.0 using Java 21.0.7 with PID 1 (/app/app.jar started by app in /app)
2.9|main|INFO|c.e.storefront.StorefrontApplication|The following 1 profile is active: "prod"
6.1|main|INFO|o.s.b.w.embedded.tomcat.TomcatWebServer|Tomcat initialized with port 8080 (http)
6.1|main|INFO|o.apache.catalina.core.StandardService|Starting service [Tomcat]
6.1|main|INFO|o.apache.catalina.core.StandardEngine|Starting Servlet engine: [Apache Tomcat/10.1.41]
6.2|main|INFO|o.a.c.c.C.[Tomcat].[localhost].[/]|Initializing Spring embedded WebApplicationContext
6.2|main|INFO|w.s.c.ServletWebServerApplicationContext|Root WebApplicationContext: initialization completed in {root} ms
9.4|main|INFO|o.s.b.a.e.web.EndpointLinksResolver|Exposing 2 endpoints beneath base path '/actuator'
9.6|main|INFO|o.s.b.w.embedded.tomcat.TomcatWebServer|Tomcat started on port 8080 (http) with context path '/'
9.7|main|INFO|c.e.storefront.StorefrontApplication|Started StorefrontApplication in {started} seconds (process running for {running})
{probe}|http-nio-8080-exec-1|INFO|o.a.c.c.C.[Tomcat].[localhost].[/]|Initializing Spring DispatcherServlet 'dispatcherServlet'
{probe}|http-nio-8080-exec-1|INFO|o.s.web.servlet.DispatcherServlet|Initializing Servlet 'dispatcherServlet'
{probe}|http-nio-8080-exec-1|INFO|o.s.web.servlet.DispatcherServlet|Completed initialization in 2 ms"""
SPRING_STOP = """\
0.1|SpringApplicationShutdownHook|INFO|o.s.b.w.e.tomcat.GracefulShutdown|Commencing graceful shutdown. Waiting for active requests to complete
1.3|tomcat-shutdown|INFO|o.s.b.w.e.tomcat.GracefulShutdown|Graceful shutdown complete"""


def go_lines(pod: str, start: datetime, text: str) -> None:
    """Write lines of catalog-api that are given as seconds after *start*, level and message."""
    for line in text.splitlines():
        offset, rest = line.split(" ", 1)
        time = after(start, float(offset))
        say(pod, time, f"{stamp(time, 'plain')} {rest}")


def spring_lines(pod: str, start: datetime, text: str) -> None:
    """Write lines of storefront-web that are given as seconds after *start*, thread, level, logger, message."""
    for number, line in enumerate(text.splitlines()):
        offset, thread, level, logger, message = line.split("|")
        time = after(start, float(offset) + number * 0.003)
        say(pod, time, boot(time, level, thread, logger, message))


def restarts() -> None:
    """Write how pods start and stop."""
    go_lines(
        NEW,
        at("16:58:22.4"),
        GO_START.format(sha=SHAS["facets"][:8], warm="6.27", took="5.93", serve="6.28"),
    )
    go_lines(OLD, at("16:58:37.1"), GO_STOP.format(end="1.12", bye="1.14"))
    go_lines(
        SECOND,
        at("17:38:26.2"),
        GO_START.format(sha=SHAS["facets"][:8], warm="6.41", took="6.07", serve="6.42"),
    )
    for pod, started in zip(list(STOREFRONT)[2:], ("17:31:34.6", "17:32:06.8"), strict=True):
        running = RNG.uniform(9.6, 9.9)
        said = SPRING_START.format(
            root=RNG.randint(2840, 3060),
            started=f"{running - 1.31:.3f}",
            running=f"{running:.3f}",
            probe="11.6",
        )
        spring_lines(pod, at(started), said)
    for pod, told in zip(list(STOREFRONT), ("17:31:49.4", "17:32:21.6"), strict=False):
        spring_lines(pod, at(told), SPRING_STOP)


REVIEWS = """\
reviews of product {product} left out

org.springframework.web.client.HttpServerErrorException$BadGateway: 502 Bad Gateway: "upstream connect error"
\tat org.springframework.web.client.HttpServerErrorException.create(HttpServerErrorException.java:103) ~[spring-web-6.2.7.jar!/:6.2.7]
\tat org.springframework.web.client.StatusHandler.lambda$defaultHandler$3(StatusHandler.java:86) ~[spring-web-6.2.7.jar!/:6.2.7]
\tat com.example.storefront.reviews.ReviewClient.latest(ReviewClient.java:37) ~[!/:{version}]"""


def old_noise() -> None:
    """Write what all services have been saying for weeks."""
    for time in periodic(RNG, at("16:33:08"), END, 431, jitter_s=40):
        front = RNG.choice(
            [pod for pod, (_, first, last) in STOREFRONT.items() if after(first, 15) <= time < last]
        )
        text = REVIEWS.format(
            product=RNG.choice((20418, 23377, 31002)),
            version="8.44.0" if "74d5b8f6bb" in front else "8.43.2",
        )
        say(
            front,
            time,
            boot(time, "ERROR", worker(time), "c.e.storefront.reviews.ReviewPanel", text),
        )
    for time in arrivals(RNG, START, END, 0.2):
        text = f"{stamp(time, 'plain')} WARN image missing sku={RNG.choice(('NV-20418-S', 'NV-23377-L', 'NV-33590-M', 'NV-27004-XL'))} served=placeholder"
        say(RNG.choice(pods(time)), time, text)
    file = 295_331
    for time in arrivals(RNG, START, END, 0.16):
        host = RNG.choice(list(INGRESS))
        number, pid, file = connection(time, host), INGRESS[host], file + RNG.randint(1, 9)
        text = (
            f"{stamp(time, 'nginx-error')} [warn] {pid}#{pid}: *{number} an upstream response is buffered to a temporary file "
            f"/tmp/nginx/proxy-temp/{file % 10}/{file // 10 % 100:02}/{file:010} while reading upstream, client: {visitor()}, "  # noqa: S108 - nginx's folder
            'server: www.nordvik.example.invalid, request: "GET /sitemap-products.xml HTTP/1.1", '
            'upstream: "http://10.42.11.7:8080/sitemap-products.xml", host: "www.nordvik.example.invalid"'
        )
        say(f"{host} error", time, text)


FEED_REFUSED = """\
feed ridgeline-stock failed
Traceback (most recent call last):
  File "/srv/importer/run.py", line 71, in import_feed
    rows = fetch(feed.url, timeout=30)
  File "/srv/importer/fetch.py", line 28, in fetch
    response.raise_for_status()
  File "/usr/local/lib/python3.12/site-packages/requests/models.py", line 1026, in raise_for_status
    raise HTTPError(http_error_msg, response=self)
requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: https://feeds.ridgeline.example.invalid/v1/stock.csv"""


REPORT = (
    "SELECT brand, sum(on_hand * cost) FROM stock_level JOIN product USING (sku) GROUP BY brand"
)


def importer_and_database() -> None:
    """Write the feed importer, which has been refused by one supplier for days, and catalog-db."""

    def imported(time: datetime, name: str, level: str, text: str) -> None:
        say(IMPORTER, time, f"{stamp(time, 'python')} - importer.{name} - {level} - {text}")

    for number, time in enumerate(periodic(RNG, at("16:32:00.2"), END, 300, jitter_s=0.3)):
        rows = RNG.randint(1890, 2410)
        imported(time, "run", "INFO", f"feed skarvet-stock: {rows} rows fetched")
        done = after(time, RNG.uniform(4.1, 6.9))
        imported(
            done,
            "load",
            "INFO",
            f"feed skarvet-stock: {rows - 3} rows upserted, {RNG.randint(12, 66)} changed",
        )
        imported(
            after(done, 0.01),
            "load",
            "WARNING",
            "feed skarvet-stock: 3 rows skipped, gtin is empty",
        )
        if number % 2 == 0:
            imported(after(done, RNG.uniform(0.4, 0.8)), "run", "ERROR", FEED_REFUSED)
    for time in periodic(RNG, at("16:34:41.3"), END, 300, jitter_s=0.05):
        buffers = RNG.randint(640, 910)
        wrote = buffers / 10 - RNG.uniform(0.1, 0.6)
        text = (
            f"checkpoint complete: wrote {buffers} buffers ({buffers / 32768 * 100:.1f}%); 0 WAL file(s) added, 0 removed, 0 recycled; "
            f"write={wrote:.3f} s, sync=0.0{RNG.randint(11, 29)} s, total={wrote + 0.06:.3f} s; sync files={RNG.randint(48, 77)}, longest=0.00{RNG.randint(3, 8)} s, average=0.001 s; "
            f"distance={RNG.randint(4900, 6300)} kB, estimate={RNG.randint(6350, 6700)} kB"
        )
        say("catalog-db-0", time, f"{stamp(time, 'postgres')} [58] LOG:  checkpoint starting: time")
        done = after(time, wrote + 0.06)
        if done < END:
            say("catalog-db-0", done, f"{stamp(done, 'postgres')} [58] LOG:  {text}")
    backend = 20714
    for time in periodic(RNG, at("16:36:15.6"), END, 720, jitter_s=2):
        backend += RNG.randint(31, 72)
        text = f"duration: {RNG.uniform(2110, 2690):.3f} ms  statement: {REPORT}"
        say("catalog-db-0", time, f"{stamp(time, 'postgres')} [{backend}] LOG:  {text}")


# --- Kubernetes --------------------------------------------------------------------------------------------------

# By hand: the roll-outs, and all that the autoscaler says in two hours.
EVENTS = """\
16:58:21 Normal ScalingReplicaSet Deployment/catalog-api Scaled up replica set catalog-api-7b6d4fc9c8 from 0 to 1
16:58:21 Normal SuccessfulCreate ReplicaSet/catalog-api-7b6d4fc9c8 Created pod: catalog-api-7b6d4fc9c8-m8xrl
16:58:21 Normal Scheduled Pod/catalog-api-7b6d4fc9c8-m8xrl Successfully assigned retail/catalog-api-7b6d4fc9c8-m8xrl to north-1-w07
16:58:21 Normal Pulling Pod/catalog-api-7b6d4fc9c8-m8xrl Pulling image "registry.example.invalid/retail/catalog-api:3.19.0"
16:58:22 Normal Pulled Pod/catalog-api-7b6d4fc9c8-m8xrl Successfully pulled image "registry.example.invalid/retail/catalog-api:3.19.0" in 914ms (914ms including waiting). Image size: 24118044 bytes.
16:58:22 Normal Created Pod/catalog-api-7b6d4fc9c8-m8xrl Created container: catalog-api
16:58:22 Normal Started Pod/catalog-api-7b6d4fc9c8-m8xrl Started container catalog-api
16:58:26 Warning Unhealthy Pod/catalog-api-7b6d4fc9c8-m8xrl Readiness probe failed: Get "http://10.42.7.31:8080/readyz": dial tcp 10.42.7.31:8080: connect: connection refused
16:58:37 Normal ScalingReplicaSet Deployment/catalog-api Scaled down replica set catalog-api-5f7c9d8b66 from 1 to 0
16:58:37 Normal SuccessfulDelete ReplicaSet/catalog-api-5f7c9d8b66 Deleted pod: catalog-api-5f7c9d8b66-nq4tz
16:58:37 Normal Killing Pod/catalog-api-5f7c9d8b66-nq4tz Stopping container catalog-api
16:58:54 Warning FailedGetResourceMetric HorizontalPodAutoscaler/catalog-api failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)
16:58:54 Warning FailedComputeMetricsReplicas HorizontalPodAutoscaler/catalog-api invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)
17:31:33 Normal ScalingReplicaSet Deployment/storefront-web Scaled up replica set storefront-web-74d5b8f6bb from 0 to 1
17:31:33 Normal SuccessfulCreate ReplicaSet/storefront-web-74d5b8f6bb Created pod: storefront-web-74d5b8f6bb-5xgcn
17:31:33 Normal Scheduled Pod/storefront-web-74d5b8f6bb-5xgcn Successfully assigned retail/storefront-web-74d5b8f6bb-5xgcn to north-1-w08
17:31:33 Normal Pulling Pod/storefront-web-74d5b8f6bb-5xgcn Pulling image "registry.example.invalid/retail/storefront-web:8.44.0"
17:31:34 Normal Pulled Pod/storefront-web-74d5b8f6bb-5xgcn Successfully pulled image "registry.example.invalid/retail/storefront-web:8.44.0" in 1.207s (1.207s including waiting). Image size: 187402361 bytes.
17:31:34 Normal Created Pod/storefront-web-74d5b8f6bb-5xgcn Created container: storefront-web
17:31:34 Normal Started Pod/storefront-web-74d5b8f6bb-5xgcn Started container storefront-web
17:31:40 Warning Unhealthy Pod/storefront-web-74d5b8f6bb-5xgcn Readiness probe failed: Get "http://10.42.8.20:8080/actuator/health/readiness": dial tcp 10.42.8.20:8080: connect: connection refused
17:31:49 Normal ScalingReplicaSet Deployment/storefront-web Scaled down replica set storefront-web-6c8f5b97d4 from 2 to 1
17:31:49 Normal SuccessfulDelete ReplicaSet/storefront-web-6c8f5b97d4 Deleted pod: storefront-web-6c8f5b97d4-7hzmw
17:31:49 Normal Killing Pod/storefront-web-6c8f5b97d4-7hzmw Stopping container storefront-web
17:32:05 Normal ScalingReplicaSet Deployment/storefront-web Scaled up replica set storefront-web-74d5b8f6bb from 1 to 2
17:32:05 Normal SuccessfulCreate ReplicaSet/storefront-web-74d5b8f6bb Created pod: storefront-web-74d5b8f6bb-wl2rv
17:32:05 Normal Scheduled Pod/storefront-web-74d5b8f6bb-wl2rv Successfully assigned retail/storefront-web-74d5b8f6bb-wl2rv to north-1-w05
17:32:05 Normal Pulling Pod/storefront-web-74d5b8f6bb-wl2rv Pulling image "registry.example.invalid/retail/storefront-web:8.44.0"
17:32:06 Normal Pulled Pod/storefront-web-74d5b8f6bb-wl2rv Successfully pulled image "registry.example.invalid/retail/storefront-web:8.44.0" in 1.166s (1.166s including waiting). Image size: 187402361 bytes.
17:32:06 Normal Created Pod/storefront-web-74d5b8f6bb-wl2rv Created container: storefront-web
17:32:06 Normal Started Pod/storefront-web-74d5b8f6bb-wl2rv Started container storefront-web
17:32:12 Warning Unhealthy Pod/storefront-web-74d5b8f6bb-wl2rv Readiness probe failed: Get "http://10.42.5.30:8080/actuator/health/readiness": dial tcp 10.42.5.30:8080: connect: connection refused
17:32:21 Normal ScalingReplicaSet Deployment/storefront-web Scaled down replica set storefront-web-6c8f5b97d4 from 1 to 0
17:32:21 Normal SuccessfulDelete ReplicaSet/storefront-web-6c8f5b97d4 Deleted pod: storefront-web-6c8f5b97d4-tq9ks
17:32:21 Normal Killing Pod/storefront-web-6c8f5b97d4-tq9ks Stopping container storefront-web
17:38:24 Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: 2; reason: cpu resource utilization (percentage of request) above target
17:38:24 Normal ScalingReplicaSet Deployment/catalog-api Scaled up replica set catalog-api-7b6d4fc9c8 from 1 to 2
17:38:24 Normal SuccessfulCreate ReplicaSet/catalog-api-7b6d4fc9c8 Created pod: catalog-api-7b6d4fc9c8-k2vhd
17:38:24 Normal Scheduled Pod/catalog-api-7b6d4fc9c8-k2vhd Successfully assigned retail/catalog-api-7b6d4fc9c8-k2vhd to north-1-w03
17:38:25 Normal Pulling Pod/catalog-api-7b6d4fc9c8-k2vhd Pulling image "registry.example.invalid/retail/catalog-api:3.19.0"
17:38:26 Normal Pulled Pod/catalog-api-7b6d4fc9c8-k2vhd Successfully pulled image "registry.example.invalid/retail/catalog-api:3.19.0" in 887ms (887ms including waiting). Image size: 24118044 bytes.
17:38:26 Normal Created Pod/catalog-api-7b6d4fc9c8-k2vhd Created container: catalog-api
17:38:26 Normal Started Pod/catalog-api-7b6d4fc9c8-k2vhd Started container catalog-api
17:38:31 Warning Unhealthy Pod/catalog-api-7b6d4fc9c8-k2vhd Readiness probe failed: Get "http://10.42.3.19:8080/readyz": dial tcp 10.42.3.19:8080: connect: connection refused"""
# Probes that came back too late: the pod, its node's kubelet says so too.
LATE_PROBES = """\
17:43:46 m8xrl
17:45:03 k2vhd
17:46:16 m8xrl
17:49:26 m8xrl
17:51:33 k2vhd
17:53:06 m8xrl
17:57:13 k2vhd
17:58:36 m8xrl
18:01:53 k2vhd
18:04:46 m8xrl
18:09:06 m8xrl
18:12:43 k2vhd
18:16:26 m8xrl"""
KUBELET = 1127
UID = "c41f6b0e-7d0a-4c58-9a43-5e2bb1d7f960"


def event(time: datetime, text: str, *, namespace: str = "retail") -> None:
    """Write one event: TYPE REASON OBJECT MESSAGE."""
    say(f"north-1/{namespace}", time, f"{stamp(time, 'kubernetes-event')} {text}")


def node_line(time: datetime, tag: str, text: str) -> None:
    """Write a line of the syslog of north-1-w07."""
    say("north-1-w07", time, f"{stamp(time, 'syslog')} north-1-w07 {tag}: {text}")


def kubelet(time: datetime, place: str, text: str) -> None:
    """Write a line of the kubelet of north-1-w07, which repeats its own time."""
    node_line(time, f"kubelet[{KUBELET}]", f"I{time:%m%d %H:%M:%S.%f} {KUBELET:>7} {place}] {text}")


def cluster() -> None:
    """Write the events of the shop's namespace; the node of the first new catalog-api pod hears of late probes too."""
    for line in EVENTS.splitlines():
        clock, text = line.split(" ", 1)
        event(at(clock), text)
    pod = f'pod="retail/{NEW}" podUID="{UID}" containerName="catalog-api"'
    for line in LATE_PROBES.splitlines():
        clock, suffix = line.split()
        name = NEW if suffix == "m8xrl" else SECOND
        late = f'Get "http://{CATALOG[name][1]}:8080/readyz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
        event(at(clock), f"Warning Unhealthy Pod/{name} Readiness probe failed: {late}")
        if name == NEW:
            quoted = late.replace('"', '\\"')
            kubelet(
                after(at(clock), RNG.uniform(0.1, 0.8)),
                "prober.go:107",
                f'"Probe failed" probeType="Readiness" {pod} probeResult="failure" output="{quoted}"',
            )
    for number, time in enumerate(periodic(RNG, at("16:40:00.4"), END, 1200, jitter_s=1.2)):
        job = f"stock-snapshot-{29696680 + 20 * number}"
        took, suffix = RNG.randint(21, 29), "".join(RNG.choices("bcdfghjklmnpqrstvwxz2456789", k=5))
        event(time, f"Normal SuccessfulCreate CronJob/stock-snapshot Created job {job}")
        event(time, f"Normal SuccessfulCreate Job/{job} Created pod: {job}-{suffix}")
        event(
            time,
            f"Normal Scheduled Pod/{job}-{suffix} Successfully assigned retail/{job}-{suffix} to {RNG.choice(('north-1-w05', 'north-1-w08', 'north-1-w11'))}",
        )
        event(after(time, took), f"Normal Completed Job/{job} Job completed")
        event(
            after(time, took),
            f"Normal SawCompletedJob CronJob/stock-snapshot Saw completed job: {job}, condition: Complete",
        )


def preview() -> None:
    """Write the events of a preview in another namespace whose image does not exist."""
    image, pod = (
        "registry.example.invalid/sandbox/label-preview:pr-418",
        "Pod/label-preview-6f59d8bcc7-vb4jd",
    )
    for time in periodic(RNG, at("16:31:27"), END, 304, jitter_s=9):
        lines = (
            (0, f'Normal Pulling {pod} Pulling image "{image}"'),
            (
                1,
                f'Warning Failed {pod} Failed to pull image "{image}": rpc error: code = NotFound desc = failed to pull and unpack image "{image}": failed to resolve reference "{image}": {image}: not found',
            ),
            (1, f"Warning Failed {pod} Error: ErrImagePull"),
            (14, f'Normal BackOff {pod} Back-off pulling image "{image}"'),
            (14, f"Warning Failed {pod} Error: ImagePullBackOff"),
        )
        for late, text in lines:
            if after(time, late) < END:
                event(after(time, late), text, namespace="sandbox")


def node() -> None:
    """Write the rest of the syslog of north-1-w07."""
    for time in periodic(RNG, at("16:33:50"), END, 900, jitter_s=60):
        node_line(time, "chronyd[702]", f"Selected source 10.20.0.{RNG.choice((5, 6))}")
    for time in periodic(RNG, at("16:30:00.1"), END, 600, jitter_s=0.9):
        node_line(
            time,
            "systemd[1]",
            "Starting sysstat-collect.service - system activity accounting tool...",
        )
        node_line(
            after(time, 0.02), "systemd[1]", "sysstat-collect.service: Deactivated successfully."
        )
        node_line(
            after(time, 0.02),
            "systemd[1]",
            "Finished sysstat-collect.service - system activity accounting tool.",
        )
    kubelet(
        at("16:58:21.318442"),
        "kubelet.go:2421",
        f'"SyncLoop ADD" source="api" pods=["retail/{NEW}"]',
    )
    volume = '"operationExecutor.VerifyControllerAttachedVolume started for volume \\"kube-api-access-r6v4t\\" (UniqueName: \\"kubernetes.io/projected/{uid}-kube-api-access-r6v4t\\") pod \\"{pod}\\" (UID: \\"{uid}\\") " pod="retail/{pod}"'
    kubelet(at("16:58:21.402915"), "reconciler_common.go:251", volume.format(uid=UID, pod=NEW))
    times = 'podCreationTimestamp="2026-06-18 16:58:21 +0000 UTC" firstStartedPulling="2026-06-18 16:58:21.508 +0000 UTC" lastFinishedPulling="2026-06-18 16:58:22.422 +0000 UTC"'
    kubelet(
        at("16:58:23.316114"),
        "pod_startup_latency_tracker.go:104",
        f'"Observed pod startup duration" pod="retail/{NEW}" podStartSLOduration=1.402114 podStartE2EDuration="2.316114s" {times}',
    )


# --- metrics -----------------------------------------------------------------------------------------------------


def minute(index: int) -> datetime:
    """Return the time of sample *index*, within the window."""
    return after(START, 60 * index)


def wait_at(index: int) -> float:
    """Return the median wait of the minute before sample *index*."""
    window = WAIT[max(0, 60 * index - 60) : 60 * index + 1]
    return sum(window) / len(window)


def failing(index: int, patience: float) -> float:
    """Return the share of requests around sample *index* that wait longer than *patience* seconds."""
    wait = wait_at(index)
    return 0.5 * math.erfc(math.log(patience / wait) / 0.34 / math.sqrt(2)) if wait > 0.2 else 0.0


def cores(time: datetime) -> float:
    """Return the CPU cores that one catalog-api pod uses."""
    return 0.6 * min(load(time), 0.995)


def lived(pod: str, values: Sequence[float]) -> list[float | None]:
    """Return *values* with gaps where *pod* was not there to be scraped."""
    _, _, first, last = CATALOG[pod]
    return [value if first <= minute(index) < last else None for index, value in enumerate(values)]


def from_birth(
    pod: str, per_minute: float, spread: float = 0.008, start: int = 0
) -> list[float | None]:
    """Return a counter of *pod*: *per_minute* for each request a second that it gets, from its own start."""
    _, _, first, last = CATALOG[pod]

    def grown(index: int) -> float:
        time = minute(index)
        if not first <= after(time, -30) < last:
            return 0.0
        share = min(1.0, max(0.1, (time - first).total_seconds() / 60))
        return per_minute * share * demand(after(time, -30)) / len(pods(after(time, -30)))

    return lived(pod, counter(RNG, SAMPLES, grown, start=start, spread=spread))


def metrics() -> list[dict[str, object]]:
    """Return all series on the scrape grid of one minute."""
    series: list[dict[str, object]] = []

    def add(service: str, name: str, unit: str, values: Sequence[float | None]) -> None:
        series.append(
            {
                "name": name,
                "service": service,
                "unit": unit,
                "start": rfc3339(START),
                "step_s": 60,
                "values": list(values),
            }
        )

    edge(add)
    catalog(add)
    autoscalers(add)
    neighbours(add)
    return series


def edge(add: Add) -> None:
    """Add what the ingress exports."""
    name = 'nginx_ingress_controller_requests{{ingress="{}",status="{}"}}'

    def requests(ingress: str, status: int, share: Callable[[int], float], start: int) -> None:
        values = counter(
            RNG,
            SAMPLES,
            lambda i: 60 * demand(after(minute(i), -30)) * share(i),
            start=start,
            spread=0.02,
        )
        add("ingress-nginx", name.format(ingress, status), "requests", values)

    requests(
        "catalog-api",
        200,
        lambda i: 0.4 * (1 - 0.67 * failing(i, 4) - 0.33 * failing(i, 3.5)),
        48_211_903,
    )
    requests("catalog-api", 499, lambda i: 0.4 * (0.0002 + 0.33 * failing(i, 3.5)), 11_380)
    requests("catalog-api", 504, lambda i: 0.4 * 0.67 * failing(i, 4), 212)
    requests("storefront-web", 200, lambda i: 0.6 * (1 - failing(i, 3)), 70_118_442)
    requests("storefront-web", 503, lambda i: 0.6 * 0.96 * failing(i, 3), 1_904)
    slow = gauge(
        RNG,
        SAMPLES,
        lambda i: min(
            4.002, 0.184 * (1 + 2 * max(0.0, min(load(minute(i)), 1) - 0.7)) + 1.75 * wait_at(i)
        ),
        0.011,
        low=0.15,
        high=4.004,
        digits=3,
    )
    add(
        "ingress-nginx",
        'ingress:request_duration_seconds:p95{ingress="catalog-api"}',
        "seconds",
        slow,
    )


def catalog(add: Add) -> None:
    """Add what catalog-api's pods and their containers export."""
    for pod, start in ((OLD, 4_604_110), (NEW, 0), (SECOND, 0)):
        add(
            "catalog-api",
            f'http_requests_total{{pod="{pod}"}}',
            "requests",
            from_birth(pod, 60, start=start),
        )
    for pod, start in ((OLD, 29_518), (NEW, 0), (SECOND, 0)):
        used, total = [], float(start)
        for index in range(SAMPLES):
            ran_s = min(60.0, max(0.0, (minute(index) - CATALOG[pod][2]).total_seconds()))
            total += RNG.gauss(1, 0.006) * cores(max(START, after(minute(index), -30))) * ran_s
            used.append(round(total, 2))
        add(
            "catalog-api",
            f'container_cpu_usage_seconds_total{{pod="{pod}",container="catalog-api"}}',
            "seconds",
            lived(pod, used),
        )
    for pod in (NEW, SECOND):
        throttled = counter(
            RNG,
            SAMPLES,
            lambda i: 575 if load(minute(i)) > 0.99 else 9 + 60 * max(0.0, load(minute(i)) - 0.55),
            start=0,
            spread=0.03,
        )
        first = next(index for index in range(SAMPLES) if minute(index) >= CATALOG[pod][2])
        add(
            "catalog-api",
            f'container_cpu_cfs_throttled_periods_total{{pod="{pod}",container="catalog-api"}}',
            "periods",
            lived(pod, [max(0, value - throttled[first] + 14) for value in throttled]),
        )
    memory = gauge(
        RNG,
        SAMPLES,
        lambda i: 148e6 + 1.2e6 * math.log1p(i) + (21e6 if wait_at(i) > 1 else 0),
        2.1e6,
    )
    add(
        "catalog-api",
        f'container_memory_working_set_bytes{{pod="{NEW}",container="catalog-api"}}',
        "bytes",
        lived(NEW, memory),
    )
    locked = counter(
        RNG, SAMPLES, lambda i: 3 * demand(minute(i)) / len(pods(minute(i))), spread=0.1
    )
    base = locked[next(i for i in range(SAMPLES) if minute(i) >= CATALOG[NEW][2])] - 170
    add(
        "catalog-api",
        f'go_sync_mutex_wait_total_seconds_total{{pod="{NEW}"}}',
        "seconds",
        lived(NEW, [max(0, value - base) / 10_000 for value in locked]),
    )
    acquired = gauge(
        RNG, SAMPLES, lambda i: 2.1 if load(minute(i)) < 0.9 else 5.2, 0.8, low=0, high=9
    )
    add(
        "catalog-api", f'pgxpool_acquired_conns{{pod="{NEW}"}}', "connections", lived(NEW, acquired)
    )
    add(
        "catalog-api",
        f'pgxpool_empty_acquire_total{{pod="{NEW}"}}',
        "acquires",
        lived(NEW, [3] * SAMPLES),
    )


def autoscalers(add: Add) -> None:
    """Add what kube-state-metrics says of both autoscalers."""
    cpu = ',metric_name="cpu",metric_target_type="utilization"'
    limited = ',condition="ScalingLimited",status="true"'
    grown = [(at("17:38:24"), 2)]

    def hpa(service: str, field: str, unit: str, values: Sequence[float], labels: str = "") -> None:
        add(
            service,
            f'kube_horizontalpodautoscaler_{field}{{namespace="retail",horizontalpodautoscaler="{service}"{labels}}}',
            unit,
            values,
        )

    reading = [
        round(100 * cores(max(START, after(minute(i), -45))) / 0.6 + RNG.gauss(0, 1.1))
        for i in range(SAMPLES)
    ]
    hpa("catalog-api", "spec_max_replicas", "replicas", [2] * SAMPLES)
    hpa(
        "catalog-api",
        "status_current_replicas",
        "replicas",
        staircase([(at("17:38:39"), 2)], START, 60, SAMPLES, first=1),
    )
    hpa(
        "catalog-api",
        "status_desired_replicas",
        "replicas",
        staircase(grown, START, 60, SAMPLES, first=1),
    )
    hpa(
        "catalog-api",
        "status_condition",
        "bool",
        staircase([(at("17:41:24"), 1)], START, 60, SAMPLES),
        limited,
    )
    hpa("catalog-api", "spec_target_metric", "percent", [70] * SAMPLES, cpu)
    hpa(
        "catalog-api",
        "status_target_metric",
        "percent",
        [min(100, value) for value in reading],
        cpu,
    )
    # At its minimum of two it would want one pod, which is a limit as well; with more work it wants two.
    pages = gauge(
        RNG,
        SAMPLES,
        lambda i: (
            4 + 7.5 * demand(max(START, after(minute(i), -45))) / 57 + (9 if 62 <= i <= 63 else 0)
        ),
        0.9,
    )
    hpa("storefront-web", "status_current_replicas", "replicas", [2] * SAMPLES)
    hpa(
        "storefront-web",
        "status_condition",
        "bool",
        [0 if i > 72 else 1 for i in range(SAMPLES)],
        limited,
    )
    hpa("storefront-web", "spec_target_metric", "percent", [60] * SAMPLES, cpu)
    hpa("storefront-web", "status_target_metric", "percent", pages, cpu)
    unavailable = staircase([(at("17:38:24"), 1), (at("17:38:41"), 0)], START, 60, SAMPLES)
    add(
        "catalog-api",
        'kube_deployment_status_replicas_unavailable{namespace="retail",deployment="catalog-api"}',
        "replicas",
        unavailable,
    )
    add(
        "kubernetes",
        'sum:kube_pod_status_phase{namespace="retail",phase="Pending"}',
        "pods",
        [0] * SAMPLES,
    )


def views_at(constant: float | None, i: int) -> float:
    """Return page views in the minute of sample *i*: a constant, or in step with demand."""
    return constant or 60 * 0.29 * demand(max(START, after(minute(i), -30)))


def neighbours(add: Add) -> None:
    """Add storefront-web's threads, the cache, the database and a node."""
    busy = gauge(
        RNG,
        SAMPLES,
        lambda i: 2 + 0.3 * demand(minute(i)) * (0.09 + min(wait_at(i), 2.5)),
        1.3,
        low=0,
    )
    add(
        "storefront-web",
        f'tomcat_threads_busy_threads{{pod="{list(STOREFRONT)[2]}",name="http-nio-8080"}}',
        "threads",
        [None if i < 62 else value for i, value in enumerate(busy)],
    )
    # The edge keeps the start page, and its two places ask for it anew once a minute.
    for uri, views in (("/", 2.0), ("/p/{product}", None)):
        asked = gauge(
            RNG,
            SAMPLES,
            partial(views_at, views),
            0.3 if views else 21,
            low=1,
        )
        add(
            "storefront-web",
            f'uri:http_server_requests:increase1m{{uri="{uri}"}}',
            "requests",
            asked,
        )
    throttled = counter(RNG, SAMPLES, lambda i: 2 if i < 70 else 4, start=61, spread=0.5)
    add(
        "storefront-web",
        f'container_cpu_cfs_throttled_periods_total{{pod="{list(STOREFRONT)[2]}",container="storefront-web"}}',
        "periods",
        [None if i < 62 else value for i, value in enumerate(throttled)],
    )
    hits = counter(
        RNG,
        SAMPLES,
        lambda i: 60 * 3.1 * min(demand(minute(i)), 188) * (0.971 if i < 70 else 0.986),
        start=30_410_337,
        spread=0.01,
    )
    misses = counter(
        RNG,
        SAMPLES,
        lambda i: 60 * 3.1 * min(demand(minute(i)), 188) * (0.029 if i < 70 else 0.014),
        start=933_018,
        spread=0.03,
    )
    add("catalog-cache", "redis_keyspace_hits_total", "lookups", hits)
    add("catalog-cache", "redis_keyspace_misses_total", "lookups", misses)
    add("catalog-cache", "redis_evicted_keys_total", "keys", [0] * SAMPLES)
    add(
        "catalog-cache",
        "redis_memory_used_bytes",
        "bytes",
        gauge(RNG, SAMPLES, lambda i: 641e6 + 40e3 * i, 9e5),
    )
    add(
        "catalog-db",
        'pg_stat_activity_count{datname="catalog",state="active"}',
        "connections",
        gauge(RNG, SAMPLES, lambda i: 3.2 if i < 70 else 5.1, 0.9, low=1),
    )
    used = gauge(RNG, SAMPLES, lambda i: 0.27 + (0.12 if i > 70 else 0), 0.011, digits=3)
    add("kubernetes", 'instance:node_cpu_utilisation:rate5m{instance="north-1-w03"}', "ratio", used)


# --- changes -------------------------------------------------------------------------------------------------------

HPA = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {name}
  namespace: retail
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {name}
  minReplicas: {low}
  maxReplicas: {high}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {target}
"""
POOL = """\
package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Open returns a pool for the catalog database.
func Open(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 40
	cfg.MaxConnIdleTime = 30 * time.Minute
	return pgxpool.NewWithConfig(ctx, cfg)
}
"""
POOL_AFTER = POOL.replace(
    "// Open returns a pool for the catalog database.\nfunc Open(ctx context.Context, dsn string)",
    "// Open returns a pool for the catalog database with at most max connections.\nfunc Open(ctx context.Context, dsn string, max int32)",
).replace("cfg.MaxConns = 40", "cfg.MaxConns = max").replace("30 * time.Minute", "5 * time.Minute")  # fmt: skip
MAIN = """\
	pool, err := db.Open(ctx, cfg.DSN)
	if err != nil {
		log.Error("pool", "err", err)
		os.Exit(1)
	}
"""
PROD = """\
listen: ":8080"
database:
  host: catalog-db:5432
  name: catalog
cache:
  addr: catalog-cache:6379
  ttl: 10m
"""
CACHE = """\
catalog-cache:
  image: registry.example.invalid/mirror/redis:7.4.3
  config:
    maxmemory: 3gb
    maxmemory-policy: allkeys-lru
    save: ""
  resources:
    requests:
      cpu: 250m
      memory: 3584Mi
    limits:
      memory: 3584Mi
"""
READY = """\
          readinessProbe:
            httpGet:
              path: /readyz
              port: http
            periodSeconds: 10
            timeoutSeconds: 1
            failureThreshold: 3
          resources:
            requests:
              cpu: 600m
              memory: 256Mi
            limits:
              cpu: 600m
              memory: 256Mi
"""
PAGES = """\
          env:
            - name: JAVA_TOOL_OPTIONS
              value: -XX:MaxRAMPercentage=70
          resources:
            requests:
              cpu: "3"
              memory: 1536Mi
            limits:
              cpu: "3"
              memory: 1536Mi
"""
FACETS = """\
package listing

import "context"

// Facets counts the values that the products of one page share.
func (s *Service) Facets(ctx context.Context, page []Product) (map[string]map[string]int, error) {
	counts := make(map[string]map[string]int, len(s.fields))
	for _, product := range page {
		for _, field := range s.fields {
			if counts[field] == nil {
				counts[field] = make(map[string]int)
			}
			counts[field][product.Value(field)]++
		}
	}
	return counts, nil
}
"""
FACETS_AFTER = """\
package listing

import (
	"context"
	"sort"
	"time"
)

const keepFacets = 10 * time.Minute

// Facets counts the values that all products of a category share, most frequent first.
func (s *Service) Facets(ctx context.Context, category string) ([]Facet, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.facets[category]; ok && time.Since(kept.at) < keepFacets {
		return kept.facets, nil
	}
	products, err := s.store.All(ctx, category)
	if err != nil {
		return nil, err
	}
	facets := make([]Facet, 0, len(s.fields))
	for _, field := range s.fields {
		counts := make(map[string]int)
		for _, product := range products {
			for _, variant := range product.Variants {
				counts[variant.Value(field)]++
			}
		}
		facets = append(facets, newFacet(field, counts))
	}
	s.facets[category] = counted{facets: facets, at: time.Now()}
	return facets, nil
}

func newFacet(field string, counts map[string]int) Facet {
	values := make([]FacetValue, 0, len(counts))
	for value, count := range counts {
		values = append(values, FacetValue{Value: value, Count: count})
	}
	sort.Slice(values, func(i, j int) bool { return values[i].Count > values[j].Count })
	return Facet{Field: field, Values: values}
}
"""
HANDLER = """\
func (h *Handler) Products(w http.ResponseWriter, r *http.Request) {
	page, err := h.listing.Page(r.Context(), r.PathValue("category"), pageOf(r))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	facets, err := h.listing.Facets(r.Context(), page)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.json(w, r, listingBody{Products: page, Facets: facets})
}
"""
BANNER = """\
<main th:fragment="start">
  <h1 th:text="#{start.title}">Nordvik</h1>
  <section class="teasers">
    <article th:each="teaser : ${teasers}" th:insert="~{parts/teaser :: card(${teaser})}"></article>
  </section>
</main>
"""
BANNER_AFTER = BANNER.replace(
    '  <section class="teasers">\n',
    """\
  <section class="banner" th:unless="${clearance.empty}">
    <h2 th:text="#{start.clearance}">Summer clearance</h2>
    <article th:each="product : ${clearance}" th:insert="~{parts/product :: tile(${product})}"></article>
  </section>
  <section class="teasers">
""",
)
START_PAGE = """\
    @GetMapping("/")
    String start(Model model) {
        model.addAttribute("teasers", catalog.teasers());
        return "start";
    }
"""
CLEARANCE_STRIP = """\
        model.addAttribute("clearance", catalog.listing("clearance").stream()
                .map(entry -> catalog.product(entry.id()))
                .filter(Product::inStock)
                .toList());
"""
TEXTS = """\
start.title=Nordvik
start.more=More
"""
TEXTS_SV = "start.title=Nordvik\nstart.more=Mer\n"
TILES = """\
.teasers article {
  border: 1px solid var(--line);
  padding: 12px;
}
"""
SHAS = {
    name: hex_digits(random.Random(f"north-1 {name}"), 40)
    for name in ("pool", "pages", "trim", "cache", "ready", "facets", "banner", "tiles")
}
HPA_PATH = "clusters/north-1/retail/{}/hpa.yaml"


def hpa_change(
    name: str, low: int, target: int, high: tuple[int, int], target_after: int | None = None
) -> tuple[str, str]:
    """Return the manifest of one autoscaler before and after its change."""
    before, now = high
    return (
        HPA.format(name=name, low=low, high=before, target=target),
        HPA.format(name=name, low=low, high=now, target=target_after or target),
    )


def diffs() -> dict[str, str]:
    """Return the diff of each commit."""
    files = {
        "pool": {
            "internal/db/pool.go": (POOL, POOL_AFTER),
            "cmd/catalog-api/main.go": (MAIN, MAIN.replace("cfg.DSN)", "cfg.DSN, cfg.Database.MaxConns)")),
            "config/prod.yaml": (PROD, PROD.replace("  name: catalog\n", "  name: catalog\n  max_conns: 16\n")),
        },
        "pages": {
            "clusters/north-1/retail/storefront-web/deployment.yaml": (PAGES, PAGES.replace('cpu: "3"', 'cpu: "1"')),
            HPA_PATH.format("storefront-web"): hpa_change("storefront-web", 2, 70, (16, 2), 60),
        },
        "trim": {
            HPA_PATH.format("address-check"): hpa_change("address-check", 1, 80, (6, 1)),
            HPA_PATH.format("catalog-api"): hpa_change("catalog-api", 1, 70, (10, 2)),
            HPA_PATH.format("thumbnailer"): hpa_change("thumbnailer", 1, 80, (8, 2)),
        },
        "cache": {
            "clusters/north-1/retail/catalog-cache/values.yaml": (CACHE, CACHE.replace("3gb", "1gb").replace("3584Mi", "1280Mi")),
        },
        "ready": {
            "clusters/north-1/retail/catalog-api/deployment.yaml": (READY, READY.replace("timeoutSeconds: 1", "timeoutSeconds: 3").replace("Threshold: 3", "Threshold: 5")),
        },
        "facets": {
            "internal/listing/facets.go": (FACETS, FACETS_AFTER),
            "internal/web/products.go": (HANDLER, HANDLER.replace("Facets(r.Context(), page)", 'Facets(r.Context(), r.PathValue("category"))')),
        },
        "banner": {
            "src/main/resources/templates/start.html": (BANNER, BANNER_AFTER),
            "src/main/java/com/example/storefront/web/StartController.java": (START_PAGE, START_PAGE.replace("        return", CLEARANCE_STRIP + "        return")),
            "src/main/resources/messages.properties": (TEXTS, TEXTS + "start.clearance=Summer clearance\n"),
            "src/main/resources/messages_sv.properties": (TEXTS_SV, TEXTS_SV + "start.clearance=Sommarrea\n"),
        },
        "tiles": {"src/main/resources/static/css/start.css": (TILES, TILES.replace("12px;", "12px;\n  border-radius: 6px;"))},
    }  # fmt: skip
    return {name: unified_diff(changed) for name, changed in files.items()}


def changes() -> list[dict[str, object]]:
    """Return what was changed, by time."""
    diff = diffs()

    def commit(name: str, time: str, author: str, service: str, message: str) -> dict[str, object]:
        head = {
            "type": "commit",
            "sha": SHAS[name],
            "time": time,
            "author": author,
            "service": service,
        }
        return {**head, "message": message, "diff": diff[name]}

    def deploy(name: str, time: str, service: str, version: str) -> dict[str, object]:
        return {
            "type": "deploy",
            "time": time,
            "service": service,
            "version": version,
            "sha": SHAS[name],
            "author": "ship-bot",
            "message": f"Roll out {version} to north-1",
        }

    return [
        {"type": "config", "time": "2026-06-03T09:20:11Z", "service": "platform", "key": "log-collector.retail.keep", "before": "1/200", "after": "1/2000", "author": "j.aalto", "message": "Keep one request in 2,000 by its id, with all that any service says of it; lines without an id stay whole"},
        commit("pool", "2026-06-09T12:44:53Z", "h.lindahl", "catalog-api", """\
Read the size of the pool from the configuration

catalog-db has 100 connections for everybody, and 40 for each of our pods
was never a considered number. Sixteen is what the busiest hour of March
took, times two. Idle connections go back after five minutes so that the
importer finds some at night.
"""),
        deploy("pool", "2026-06-10T08:31:20Z", "catalog-api", "3.18.0"),
        commit("cache", "2026-06-15T13:52:08Z", "s.dahlen", "platform", """\
Give catalog-cache the memory that it uses

It has held some 640 MB since the images left it in April. Keep a
third in reserve.
"""),
        commit("trim", "2026-06-16T09:17:42Z", "j.aalto", "platform", """\
Cost trim for off season

Sizes follow what the week of 1 June used, as agreed with the teams
that own them.
"""),
        commit("pages", "2026-06-17T11:05:37Z", "j.aalto", "platform", """\
Fit storefront-web to two pods

Pages mostly wait for other services, and the pods use a twentieth of
what they reserve. Two carried all of last July; the target goes down
with it.
"""),
        commit("ready", "2026-06-17T14:26:19Z", "s.dahlen", "platform", """\
Be patient with catalog-api's readiness

One late answer during the nightly import took the only pod out of
the service for half a minute.
"""),
        commit("facets", "2026-06-18T13:40:55Z", "h.lindahl", "catalog-api", """\
Count facets over the whole category

Shoppers saw the counts of one page and took them for all. Load every
product of the category and count every variant, one count at a time, and
list frequent values first.
"""),
        deploy("facets", "2026-06-18T16:58:20Z", "catalog-api", "3.19.0"),
        commit("banner", "2026-06-18T17:22:31Z", "p.engstrom", "storefront-web", """\
Show the summer clearance on the start page

All that is on sale, with the price and the stock of the moment: each
product is asked for anew, so that nobody runs after a sold-out size.
"""),
        deploy("banner", "2026-06-18T17:31:32Z", "storefront-web", "8.44.0"),
        commit("tiles", "2026-06-18T17:54:06Z", "p.engstrom", "storefront-web", "Round the teasers' corners\n"),
    ]  # fmt: skip


# --- the truth -----------------------------------------------------------------------------------------------------

ALERTS = [
    {
        "time": "2026-06-18T17:48:30Z",
        "service": "storefront-web",
        "metric": "nginx_ingress_controller_requests",
        "summary": "PagesUnavailable: more than 5 % of www.nordvik.example.invalid answered with 5xx for 5 minutes",
    }
]
EXPECTED = {
    "service": "catalog-api",
    "also_ok": ["catalog-api-hpa", "hpa-catalog-api", "catalog-api-horizontalpodautoscaler", "catalog-api-autoscaler", "hpa", "horizontalpodautoscaler"],
    "victims": ["storefront-web", "ingress-nginx"],
    "onset": "2026-06-18T17:41:48Z",
    "cause": [
        ["hpa", "hpas", "autoscal*", "auto scal*", "scaler", "replica*", "pod", "pods", "scale", "scales", "scaled", "scaling", "scale out", "instance", "instances", "copies"],
        [
            "max replica*", "maximum replica*", "maxreplicas", "replica* max*", "max number of replicas", "maximum number of", "max pods", "maximum pods", "maximum size",
            "maximum pod count", "max pod count", "max count", "hpa max*", "autoscal* max*", "max of 2", "max of two", "maximum of 2", "maximum of two", "maximum scale",
            "maximum 2", "maximum two", "max 2", "max two", "maximum to 2", "maximum to two", "max to 2", "max to two", "maximum from 10", "maximum from ten", "max from 10", "max from ten",
            "cap", "caps", "capped", "capping", "ceiling*", "upper bound*", "upper limit*", "scaling limit*", "scale limit*", "replica limit*", "replica count limit*",
            "hpa limit*", "autoscal* limit*", "limit* autoscal*", "limit* hpa", "limits replica*", "limited replica*", "limiting replica*", "limits catalog api scaling", "limit* to 2", "limit* to two",
            "no more than 2", "no more than two", "not more than two", "not more than 2", "at most 2", "at most two", "only up to 2", "only up to two", "no third",
            "scal* beyond 2", "scal* beyond two", "go* beyond 2", "go* beyond two", "grow* beyond 2", "grow* beyond two", "scal* past 2", "scal* past two", "go* past 2", "go* past two",
            "scal* above 2", "scal* above two", "go* above 2", "go* above two", "not exceed 2", "not exceed two", "scal* more than 2", "scal* more than two", "not run more than two", "not run more than 2",
            "stuck at 2", "stuck at two", "pinned at 2", "pinned at two", "pinned to 2", "pinned to two", "held at 2", "held at two", "clamp*", "stops at 2", "stops at two", "stopped at 2", "stopped at two",
            "stop* scaling at", "bounded at 2", "bounded at two", "restrict* to 2", "restrict* to two", "constrain* to 2", "constrain* to two", "10 to 2", "10 down to 2", "ten to two", "ten down to two",
        ],
        [
            "2", "two", "third", "lower", "lowers", "lowered", "lowering", "reduc*", "cut", "cuts", "cutting", "trimmed", "trims", "trimming", "decreas*", "drop", "drops", "dropped", "shrank", "shrunk", "shrink*",
            "slash*", "tighten*", "too low", "too small", "too tight", "down to",
        ],
    ],
    "must_not": [
        "max replicas raised", "max replicas increased", "raised max replicas", "raising max replicas", "increased max replicas", "max replicas too high", "maximum too high", "2 to 10", "two to ten",
        "too many replicas", "min replicas too low", "min replicas lowered", "min replicas reduced", "minimum replicas lowered", "minimum replicas too low", "minimum of one", "minimum too low", "minimum lowered",
        "hpa of storefront web", "hpa for storefront web", "storefront web hpa max*", "storefront web hpa cap*", "storefront web hpa limit*", "storefront web hpa lower*", "storefront web hpa reduced", "storefront web hpa cut",
        "autoscaler of storefront web", "autoscaler for storefront web", "storefront web autoscaler", "max replicas of storefront web", "max replicas for storefront web", "storefront web max replicas reduced", "storefront web max replicas lowered", "storefront web max replicas cut", "storefront web max replicas too low",
        "storefront web capped at", "storefront web was cut", "storefront web lost", "16 to 2", "sixteen to two", "from 16", "from sixteen", "one core each", "cpu of storefront web cut", "storefront web cpu cut", "storefront web throttl*", "storefront web cut to", "storefront web limited to", "thumbnailer max replicas caused", "thumbnailer capped at",
        "banner caused", "banner overload*", "banner doubled", "banner multiplies", "banner brought down", "banner broke", "banner release broke",
        "banner asks", "banner calls", "banner loads", "banner fetches", "banner requests", "start page asks", "start page calls", "start page loads", "start page fetches", "start page overload*", "start page caus*", "call for each product", "call per product", "calls per product", "asks catalog api for each product", "strip overload*", "strip multiplies", "request amplification",
        "facets cause*", "facets made", "facet count* slow*", "facet count* expensive", "facet count* exhaust*", "facet count* burns", "facet count* cause*", "facet count* overload*", "facet computation", "lock contention", "mutex contention", "lock serial*", "mutex serial*", "lock held", "mutex held", "holds lock", "holds mutex", "holding lock", "under one lock", "under global lock", "under a lock", "behind one lock", "behind a lock",
        "readiness timeout cause*", "readiness timeout keep*", "readiness timeout too", "readiness probe too", "readiness change caused", "readiness threshold cause*", "patient readiness",
        "pool * too small", "pool too small", "connection pool exhaust*", "connection pool starv*", "pool of 16", "max conns too", "pool size lowered", "pool size cut", "pool size reduced",
        "cache too small", "cache memory too", "cache evict*", "cache memory cut", "maxmemory lowered", "maxmemory too", "cache misses rise",
        "cpu limit too low", "cpu limit lowered", "cpu limits too low", "cpu limit reduced", "cpu limit cut", "cpu request too low", "capped by cpu",
        "cannot read metrics", "metrics server down", "metrics server fail*", "missing metrics", "failed to get cpu", "invalid metrics",
        "ddos", "denial of service", "bots", "bot traffic", "crawler*", "memory leak", "goroutine leak",
        "image pull back off keeps", "image pull back off prevents", "image pull back off blocks", "image pull fail* keep*", "image pull fail* prevent*", "pods pending", "pods are pending", "unschedulable", "not enough nodes", "too few nodes", "node pool cut", "node pool trim*", "node pool too small", "nodes cut", "nodes cause*", "out of nodes",
        "database overload*", "database too slow", "proxy read timeout too", "feed refused",
    ],
    "commit": SHAS["trim"],
}  # fmt: skip
DISTRACTORS = [
    {"commit": SHAS["pages"], "why": "the same kind of change and a deeper one, 16 to 2 and a third of the CPU, on the service that shouts, the day before; but its two pods stay far below their target, are not throttled, and its autoscaler wants no third"},
    {"commit": SHAS["facets"], "why": "all products of a category are loaded and counted under one lock, rolled out in the window; but next to nothing waits for a lock, and cores a request and waiting time are the same before and after, for 40 minutes"},
    {"commit": SHAS["banner"], "why": "a catalog call for every product on sale in each view of the start page, live ten minutes before the onset; storefront-web makes that page twice a minute all the time, and catalog-api gets one request for each at the ingress"},
    {"commit": SHAS["ready"], "why": "touches catalog-api's manifest the day before; it kept slow pods in service, none was ever unready"},
    {"commit": SHAS["cache"], "why": "a third of the memory is left; nothing is evicted and the share of hits rises"},
    {"commit": SHAS["pool"], "why": "fewer connections; a third of them in use, nobody waits for one"},
    {"commit": SHAS["tiles"], "why": "the newest commit, after the onset, styles only"},
    {"noise": "image-pull back-off of a preview in another namespace", "match": "ImagePullBackOff", "why": "every five minutes since before the window"},
    {"noise": "a supplier that refuses the feed importer", "match": "403 Client Error: Forbidden", "why": "every ten minutes since before the window"},
    {"noise": "reviews that cannot be shown", "match": "reviews of product \\d+ left out", "why": "an ERROR of storefront-web as rare after the onset as before"},
    {"noise": "an autoscaler without a reading just after a roll-out", "match": "did not receive metrics for targeted pods", "why": "once, as after every roll-out of a single pod; the reading is there a minute later"},
]  # fmt: skip
SAID = [
    {
        "phrase": "max replica*",
        "why": "kube-state-metrics has a series of that name for every autoscaler",
    },
    {
        "phrase": "hpa",
        "why": "the abbreviation of a kind, in file names of the platform repository",
    },
    {"phrase": "autoscal*", "why": "the kind HorizontalPodAutoscaler in events and metric names"},
    {"phrase": "replica*", "why": "events and series of every deployment"},
    {"phrase": "pod", "why": "events name pods"},
]
EXAMPLES = {
    "right": [
        "maxReplicas of the catalog-api HPA was lowered from 10 to 2, so it cannot scale out when the traffic quadruples",
        "The HPA for catalog-api is capped at 2 replicas since the cost trim",
        "Autoscaler limit cut to two pods; catalog-api saturates its CPU at four times the usual load",
        "catalog-api cannot scale beyond two replicas: the off-season trim reduced the HPA maximum from 10",
        "The replica ceiling of catalog-api was reduced to 2 and the campaign needs at least three",
        "HPA hits its maxReplicas of 2 (ScalingLimited), both pods are throttled and requests queue",
        "The cost trim dropped the upper bound of the autoscaler too low for a campaign",
        "Horizontal pod autoscaler pinned at two replicas by the lowered maximum, hence 504 at the ingress",
        "The autoscaler may run no more than two catalog-api pods after its maximum was trimmed",
        "Scaling limited: max replicas 10 -> 2. The traffic spike only exposes it",
        "catalog-api is limited to 2 replicas by its HPA; the banner is not the cause",
        "The HPA stops at two because its max was cut in the platform repo, so pages of storefront-web time out",
        "maxReplicas too low on the catalog-api autoscaler: desired stays clamped while utilisation is 99 % against a target of 70 %",
        "Off-season change leaves catalog-api with a replica cap of two, CPU throttled at the cap",
        "Replica maximum for catalog-api shrunk to 2, so the autoscaler went from one pod to two and then fell silent",
        "HPA max lowered to 2 on catalog-api. It is not the facet counting and not the cache",
        "The autoscaler was not allowed a third replica because the trim set the maximum to two",
    ],
    "wrong": [
        "A traffic spike overloads catalog-api",
        "Two replicas of catalog-api are not enough for four times the traffic",
        "storefront-web fails with Read timed out and shows 503 pages",
        "upstream timed out (110: Operation timed out) while reading response header from upstream",
        "The HPA of storefront-web was cut from 16 to 2 replicas, so pages fail",
        "maxReplicas was lowered from 16 to 2 with one core each, too small for a campaign",
        "The start page asks catalog-api for each product on its own, and two pods at their limit cannot follow",
        "An N+1 in the banner multiplies catalog calls while the autoscaler stops at two replicas",
        "Facets are counted under a global lock, so a second pod at the cap of two does not help",
        "storefront-web's autoscaler is capped at two pods and its threads run out",
        "maxReplicas of catalog-api was raised from 2 to 10 and the pods overload the database",
        "The banner overloads catalog-api with extra calls, two pods cannot scale past it",
        "Facet counting exhausts the CPU of both pods, the maximum of two is reached",
        "The readiness timeout keeps slow pods in service, so the two replicas at the cap time out",
        "The connection pool is too small: 16 connections for a pod limit of two",
        "catalog-cache memory cut to 1gb, the cache evicts and two pods at their limit recompute everything",
        "The CPU limit is too low: two pods are capped at 600m",
        "The HPA failed to get cpu utilization, so it stayed at two pods at most",
        "A DDoS hits catalog-api, whose autoscaler is capped at two",
        "Memory leak in catalog-api 3.19.0, two pods reach their limit",
        "The HPA's maxReplicas was not lowered",
        "A cap of two replicas on the autoscaler was ruled out",
        "Perhaps the HPA is capped at two, or perhaps the facet code is slow",
        "The HPA's minReplicas was lowered to one, too small a base to scale up to its max of two",
        "The node pool was cut to five nodes, pods are pending and the autoscaler cannot exceed two",
        "17:38:24 Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: 2; reason: cpu resource utilization (percentage of request) above target",
        "Image pull back-off keeps new pods from starting, so the HPA is stuck at two",
        "catalog-api reacts slowly because its autoscaler starts pods too late",
    ],
}  # fmt: skip


# --- the file ------------------------------------------------------------------------------------------------------


def logs() -> list[dict[str, object]]:
    """Write all lines and return the streams, one a pod or host."""
    for time in arrivals(
        RNG, START, after(END, -5), lambda now: 60 * 0.4 * demand(now) / LOGGED_ONE_IN
    ):
        app_request(time)
    for time in arrivals(
        RNG, START, after(END, -5), lambda now: 60 * 0.6 * demand(now) / LOGGED_ONE_IN
    ):
        page_request(time)
    restarts()
    old_noise()
    importer_and_database()
    cluster()
    preview()
    node()
    places = [(f"{host} access", "ingress-nginx", "nginx-access") for host in INGRESS]
    places += [(f"{host} error", "ingress-nginx", "nginx-error") for host in INGRESS]
    places += [(pod, "catalog-api", "plain") for pod in CATALOG]
    places += [(pod, "storefront-web", "spring-boot") for pod in STOREFRONT]
    places += [
        ("catalog-db-0", "catalog-db", "postgres"),
        (IMPORTER, "feed-importer", "python"),
        ("north-1-w07", "north-1-w07", "syslog"),
    ]
    places += [
        ("north-1/retail", "kubernetes", "kubernetes-event"),
        ("north-1/sandbox", "kubernetes", "kubernetes-event"),
    ]
    streams: list[dict[str, object]] = []
    for key, service, layout in places:
        zone = {"zone": "+00:00"} if layout in {"nginx-error", "python", "syslog"} else {}
        lines = [line for line in STREAMS[key] if START <= line[0] < END]
        streams.append(
            {
                "service": service,
                "host": key.split(" ")[0],
                "format": layout,
                **zone,
                "lines": stream_text(lines),
            }
        )
    return streams


def main() -> None:
    """Write the incident."""
    document = {
        "schema": "rcabench/1",
        "id": "autoscaler-cap",
        "title": "Autoscaler capped at 2 replicas during a traffic spike",
        "kind": "configuration",
        "difficulty": "medium",
        "canary": "rcabench canary 9b1f6c0d7e324a5fb8e2d4c3a6017f58",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": logs(),
        "metrics": metrics(),
        "changes": changes(),
        "alerts": ALERTS,
        "expected": EXPECTED,
        "distractors": DISTRACTORS,
        "said_in_evidence": SAID,
        "examples": EXAMPLES,
    }
    write(document, Path(__file__).parents[1] / "held_out" / "autoscaler-cap.yaml")


if __name__ == "__main__":
    main()
