"""Write `held_out/autoscaler-cap-campaign.yaml`: a campaign quadruples the traffic, the autoscaler follows, nothing is wrong.

The twin of autoscaler-cap: the same services and words, a ceiling that is not reached, a cache that takes the campaign.
Lines are a sample of one request in 4,000.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
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
    rfc3339,
    staircase,
    stamp,
    stream_text,
    unified_diff,
    utc,
    write,
)

Add: TypeAlias = Callable[[str, str, str, Sequence[float | None]], None]

RNG = random.Random(20261112)
START, END = utc("2026-11-12T06:50:00Z"), utc("2026-11-12T08:30:00Z")
SAMPLES = 100
LOGGED_ONE_IN = 4000


def at(clock: str) -> datetime:
    """Return the time of day *clock* on the day of the window."""
    return utc(f"2026-11-12T{clock}Z")


def after(time: datetime, seconds: float) -> datetime:
    """Return the time *seconds* after *time*."""
    return time + timedelta(seconds=seconds)


# Pod of catalog-api: node, address, first and last moment in which it gets requests.
SET = "catalog-api-86c9f5d7b4"
CATALOG = {
    f"{SET}-4bqxn": ("north-2-w21", "10.68.21.40", START, END),
    f"{SET}-h7tzk": ("north-2-w24", "10.68.24.17", START, END),
    f"{SET}-rd5wl": ("north-2-w26", "10.68.26.33", START, END),
    f"{SET}-x9pgm": ("north-2-w27", "10.68.27.9", START, END),
    f"{SET}-c2vjs": ("north-2-w22", "10.68.22.51", at("07:37:08"), at("08:23:41")),
    f"{SET}-n6lfh": ("north-2-w25", "10.68.25.28", at("07:38:09"), at("08:18:26")),
    f"{SET}-zt8qd": ("north-2-w21", "10.68.21.44", at("07:39:23"), at("08:15:11")),
}
FIRST, FIFTH = next(iter(CATALOG)), list(CATALOG)[4]
RESIZES = [
    (at("07:36:56"), 5),
    (at("07:37:56"), 6),
    (at("07:39:11"), 7),
    (at("08:15:11"), 6),
    (at("08:18:26"), 5),
    (at("08:23:41"), 4),
]
STOREFRONT = {
    "storefront-web-59d4c7f6bd-8lqwx": "10.68.22.14",
    "storefront-web-59d4c7f6bd-gk4hv": "10.68.25.11",
    "storefront-web-59d4c7f6bd-tm7cz": "10.68.27.21",
}
INGRESS = {
    "ingress-nginx-controller-75f8bd9c64-b6xpl": 33,
    "ingress-nginx-controller-75f8bd9c64-dv2hn": 36,
}
IMPORTER = "feed-importer-58c7f4d6b9-wq7nd"
STREAMS: dict[str, list[Line]] = {}
REFUSED_REVIEWS: list[datetime] = []


def say(host: str, time: datetime, text: str) -> None:
    """Write *text*, a line or a whole trace, to the stream of *host*."""
    STREAMS.setdefault(host, []).append((time, text))


# --- the model -------------------------------------------------------------------------------------------------


def curve(time: datetime, middle: str, width_s: float) -> float:
    """Return how far a change around *middle* has got, from 0 to 1."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, (time - at(middle)).total_seconds() / width_s))))


def demand(time: datetime) -> float:
    """Return the requests a second that catalog-api is asked at *time*."""
    usual = 128 + 3 * math.sin((time - START).total_seconds() / 640)
    return usual * (
        1 + 3.05 * curve(time, "07:36:20", 52) * (1 - 0.66 * curve(time, "08:11:00", 150))
    )


def campaign(time: datetime) -> float:
    """Return the share of the requests that the campaign brings, all for a few products."""
    return max(0.0, 1 - 128 / demand(time))


def hit_share(time: datetime) -> float:
    """Return the share of look-ups that catalog-cache answers."""
    return 0.964 + 0.036 * campaign(time)


def pods(time: datetime) -> list[str]:
    """Return the catalog-api pods that get requests at *time*."""
    return [pod for pod, (_, _, first, last) in CATALOG.items() if first <= time < last]


def cores(time: datetime) -> float:
    """Return the CPU cores that one catalog-api pod uses: 5.9 ms a request, less where the cache answers."""
    return demand(time) * (0.0059 - 0.0013 * campaign(time)) / len(pods(time))


def took_s(time: datetime) -> float:
    """Return how long a request that comes at *time* takes catalog-api."""
    busy = 1 + 3 * max(0.0, cores(time) / 0.6 - 0.7)
    return min(RNG.lognormvariate(math.log(0.046 - 0.006 * campaign(time)), 0.82) * busy, 0.82)


# --- requests ----------------------------------------------------------------------------------------------------

BROWSERS = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
)
APPS = (
    "nordvik-app/5.9.2 (Android 16)",
    "nordvik-app/5.9.2 (iOS 26.1)",
    "nordvik-app/5.8.0 (Android 14)",
)
CATEGORIES = ("touring-skis", "bindings", "shells", "goggles", "base-layers", "avalanche-kits")
DEALS = (61207, 61233, 61240, 61288)


def visitor() -> str:
    """Return a visitor's address, from the ranges that are reserved for documentation."""
    return f"{RNG.choice(('192.0.2', '198.51.100', '203.0.113'))}.{RNG.randint(2, 253)}"


def access(
    time: datetime, request: str, size: int, agent: str, fields: str, *, referer: str = "-"
) -> None:
    """Write one access line of either ingress controller; *fields* are the times, the upstream and the id."""
    text = f'{visitor()} - - {stamp(time, "nginx-access")} "{request}" 200 {size} "{referer}" "{agent}" {RNG.randint(58, 610)} {fields}'
    say(f"{RNG.choice(list(INGRESS))} access", time, text)


def catalog_line(pod: str, time: datetime, path: str, seconds: float, request_id: str) -> None:
    """Write what catalog-api says of one request."""
    say(
        pod,
        time,
        f"{stamp(time, 'plain')} INFO request method=GET path={path} status=200 dur={seconds * 1000:.0f}ms id={request_id}",
    )


def app_request(time: datetime) -> None:
    """Write one request of the app, which reaches catalog-api through the ingress."""
    pod, request_id, took, size = (
        RNG.choice(pods(time)),
        hex_digits(RNG, 32),
        took_s(time),
        RNG.randint(700, 9200),
    )
    product = RNG.choice(DEALS) if RNG.random() < campaign(time) else RNG.randint(20100, 61300)
    path = RNG.choice(
        (
            f"/v2/products/{product}",
            f"/v2/products/{product}",
            f"/v2/products/{product}/sizes",
            f"/v2/categories/{RNG.choice(CATEGORIES)}/products",
        )
    )
    done, address = after(time, took), CATALOG[pod][1]
    access(
        done,
        f"GET {path} HTTP/2.0",
        size,
        RNG.choice(APPS),
        f"{took:.3f} [retail-catalog-api-http] [] {address}:8080 {size} {took:.3f} 200 {request_id}",
    )
    catalog_line(pod, done, path, took - 0.001, request_id)


def boot(time: datetime, level: str, logger: str, message: str) -> str:
    """Return one record of storefront-web in Spring Boot's console layout."""
    thread = f"http-nio-8080-exec-{RNG.randint(1, 24)}"
    return f"{stamp(time, 'spring-boot')} {level:>5} 1 --- [storefront-web] [{thread[-15:]:>15}] {logger:<40.40} : {message}"


def page_request(time: datetime) -> None:
    """Write one page view: the ingress, storefront-web, and catalog-api."""
    front, pod, request_id = (
        RNG.choice(list(STOREFRONT)),
        RNG.choice(pods(time)),
        hex_digits(RNG, 32),
    )
    page, path, query, referer = choose_page(time)
    took, size = took_s(time), RNG.randint(11_000, 52_000)
    total = took + RNG.uniform(0.018, 0.055)
    done = after(time, total)
    access(
        done,
        f"GET {page}{query} HTTP/2.0",
        size,
        RNG.choice(BROWSERS),
        f"{total + 0.001:.3f} [retail-storefront-web-http] [] {STOREFRONT[front]}:8080 {size} {total:.3f} 200 {request_id}",
        referer=referer,
    )
    catalog_line(pod, after(time, 0.006 + took), path, took - 0.001, request_id)
    say(
        front,
        done,
        boot(
            done,
            "INFO",
            "c.e.storefront.web.PageLog",
            f"GET {page} 200 in {total * 1000:.0f} ms id={request_id}",
        ),
    )


def choose_page(time: datetime) -> tuple[str, str, str, str]:
    """Return a page, the call that it makes, its query, and how the visitor came."""
    shop = "https://www.nordvik.example.invalid"
    if RNG.random() < campaign(time):
        if RNG.random() < 0.5:
            return (
                "/morning-deal",
                "/v2/categories/morning-deal/products",
                "?utm_source=push&utm_campaign=morning-deal",
                "-",
            )
        product = RNG.choice(DEALS)
        return f"/p/{product}", f"/v2/products/{product}", "", f"{shop}/morning-deal"
    product, category = RNG.randint(20100, 61300), RNG.choice(CATEGORIES)
    if RNG.random() < 0.5:
        return f"/c/{category}", f"/v2/categories/{category}/products", "", f"{shop}/"
    return f"/p/{product}", f"/v2/products/{product}", "", f"{shop}/c/{category}"


# --- the services' other lines -----------------------------------------------------------------------------------

# Seconds after the container's start, and what a Go process says.
GO_START = """\
0.04 INFO maxprocs: Updating GOMAXPROCS=1: using minimum allowed GOMAXPROCS
0.05 INFO starting catalog-api version=4.2.0 commit={sha} go=go1.24.9
0.29 INFO pool ready host=catalog-db:5432 db=catalog max_conns=12
0.31 INFO cache ready addr=catalog-cache:6379 proto=3
{warm:.2f} INFO warmed categories=244 facets=2016 took={took:.2f}s
{serve:.2f} INFO serving addr=:8080"""
GO_STOP = """\
0.02 INFO signal received sig=terminated
0.03 INFO draining inflight={inflight}
{end:.2f} INFO drained, closing pool
{bye:.2f} INFO stopped"""
# Of each new pod: asked for, container started, first probe refused; of each that leaves, requests that it still had.
BORN = {
    FIFTH: ("07:36:56", "07:36:58", "07:37:02"),
    f"{SET}-n6lfh": ("07:37:56", "07:37:58", "07:38:03"),
    f"{SET}-zt8qd": ("07:39:11", "07:39:12.4", "07:39:17"),
}
LEFT = {FIFTH: 5, f"{SET}-n6lfh": 4, f"{SET}-zt8qd": 2}


def go_lines(pod: str, start: datetime, text: str) -> None:
    """Write lines of catalog-api that are given as seconds after *start*, level and message."""
    for line in text.splitlines():
        offset, rest = line.split(" ", 1)
        time = after(start, float(offset))
        say(pod, time, f"{stamp(time, 'plain')} {rest}")


def new_pods() -> None:
    """Write how pods come and go: their own lines and their events."""
    image = "registry.example.invalid/retail/catalog-api:4.2.0"
    for pod, (asked, started, refused) in BORN.items():
        node, address, first, last = CATALOG[pod]
        warm = RNG.uniform(6.2, 6.9)
        go_lines(
            pod,
            after(at(started), RNG.uniform(0.2, 0.5)),
            GO_START.format(sha=SHAS["keys"][:8], warm=warm, took=warm - 0.33, serve=warm + 0.01),
        )
        event(at(asked), f"Normal SuccessfulCreate ReplicaSet/{SET} Created pod: {pod}")
        event(at(asked), f"Normal Scheduled Pod/{pod} Successfully assigned retail/{pod} to {node}")
        if node == "north-2-w21":
            event(
                at(started),
                f'Normal Pulled Pod/{pod} Container image "{image}" already present on machine',
            )
        else:
            pulled = RNG.randint(871, 1090)
            event(after(at(asked), 1), f'Normal Pulling Pod/{pod} Pulling image "{image}"')
            size = "Image size: 24530162 bytes."
            event(
                at(started),
                f'Normal Pulled Pod/{pod} Successfully pulled image "{image}" in {pulled}ms ({pulled}ms including waiting). {size}',
            )
        event(at(started), f"Normal Created Pod/{pod} Created container: catalog-api")
        event(at(started), f"Normal Started Pod/{pod} Started container catalog-api")
        event(
            at(refused),
            f'Warning Unhealthy Pod/{pod} Readiness probe failed: Get "http://{address}:8080/readyz": dial tcp {address}:8080: connect: connection refused',
        )
        event(last, f"Normal SuccessfulDelete ReplicaSet/{SET} Deleted pod: {pod}")
        event(last, f"Normal Killing Pod/{pod} Stopping container catalog-api")
        drained = RNG.uniform(0.4, 1.1)
        go_lines(
            pod,
            after(last, 0.1),
            GO_STOP.format(inflight=LEFT[pod], end=drained, bye=drained + 0.02),
        )
        assert first > at(started)  # noqa: S101 - a pod is ready after it has started


REVIEWS = """\
reviews of product {product} left out

org.springframework.web.client.HttpServerErrorException$BadGateway: 502 Bad Gateway: "upstream connect error"
\tat org.springframework.web.client.HttpServerErrorException.create(HttpServerErrorException.java:103) ~[spring-web-6.2.12.jar!/:6.2.12]
\tat org.springframework.web.client.StatusHandler.lambda$defaultHandler$3(StatusHandler.java:86) ~[spring-web-6.2.12.jar!/:6.2.12]
\tat com.example.storefront.reviews.ReviewClient.latest(ReviewClient.java:37) ~[!/:8.61.0]"""


def connection(time: datetime, host: str) -> int:
    """Return a running number of the connections of one ingress controller."""
    served = sum(
        demand(after(START, second)) for second in range(0, int((time - START).total_seconds()), 30)
    )
    return 118_402_100 + 3_000_017 * (INGRESS[host] % 5) + round(8 * served) + RNG.randint(0, 40)


def old_noise() -> None:
    """Write what the services say on any day; reviews that fail and pictures that lack are as frequent as pages are."""
    for time in arrivals(RNG, START, END, lambda now: 0.26 * demand(now) / 128):
        text = REVIEWS.format(product=RNG.choice((20418, 23377, 31002, 61233)))
        REFUSED_REVIEWS.append(time)
        say(
            RNG.choice(list(STOREFRONT)),
            time,
            boot(time, "ERROR", "c.e.storefront.reviews.ReviewPanel", text),
        )
    for time in arrivals(RNG, START, END, lambda now: 0.22 * demand(now) / 128):
        sku = RNG.choice(("NV-20418-S", "NV-23377-L", "NV-52119-M", "NV-60804-XL"))
        say(
            RNG.choice(pods(time)),
            time,
            f"{stamp(time, 'plain')} WARN image missing sku={sku} served=placeholder",
        )
    file = 811_904
    for time in arrivals(RNG, START, END, 0.15):
        host = RNG.choice(list(INGRESS))
        number, pid, file = connection(time, host), INGRESS[host], file + RNG.randint(1, 9)
        text = (
            f"{stamp(time, 'nginx-error')} [warn] {pid}#{pid}: *{number} an upstream response is buffered to a temporary file "
            f"/tmp/nginx/proxy-temp/{file % 10}/{file // 10 % 100:02}/{file:010} while reading upstream, client: {visitor()}, "  # noqa: S108 - nginx's folder
            'server: www.nordvik.example.invalid, request: "GET /sitemap-products.xml HTTP/1.1", '
            'upstream: "http://10.68.26.8:8080/sitemap-products.xml", host: "www.nordvik.example.invalid"'
        )
        say(f"{host} error", time, text)


# By hand: the one request that reached the seventh pod as it left, and was passed on to another.
def passed_on() -> None:
    """Write the refused attempt and the access line of the second one."""
    host, client, path, request_id = (
        next(iter(INGRESS)),
        "203.0.113.88",
        "/v2/products/61240",
        hex_digits(RNG, 32),
    )
    time, pid = at("08:15:12.318"), INGRESS[host]
    gone, other = CATALOG[f"{SET}-zt8qd"][1], CATALOG[FIFTH][1]
    say(f"{host} error", time, (
        f"{stamp(time, 'nginx-error')} [error] {pid}#{pid}: *{connection(time, host)} connect() failed (111: Connection refused) while connecting to upstream, "
        f'client: {client}, server: api.nordvik.example.invalid, request: "GET {path} HTTP/2.0", upstream: "http://{gone}:8080{path}", host: "api.nordvik.example.invalid"'
    ))  # fmt: skip
    done = after(time, 0.061)
    say(
        f"{host} access",
        done,
        f'{client} - - {stamp(done, "nginx-access")} "GET {path} HTTP/2.0" 200 4410 "-" "{APPS[0]}" 188 0.062 [retail-catalog-api-http] [] {gone}:8080, {other}:8080 0, 4410 0.001, 0.061 502, 200 {request_id}',
    )
    catalog_line(FIFTH, done, path, 0.06, request_id)


FEED_REFUSED = """\
feed ridgeline-stock failed
Traceback (most recent call last):
  File "/srv/importer/run.py", line 74, in import_feed
    rows = fetch(feed.url, timeout=30)
  File "/srv/importer/fetch.py", line 28, in fetch
    response.raise_for_status()
  File "/usr/local/lib/python3.12/site-packages/requests/models.py", line 1026, in raise_for_status
    raise HTTPError(http_error_msg, response=self)
requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: https://feeds.ridgeline.example.invalid/v2/stock.csv"""
REPORT = (
    "SELECT brand, sum(on_hand * cost) FROM stock_level JOIN product USING (sku) GROUP BY brand"
)


def importer() -> None:
    """Write the feed importer, which one supplier refuses."""

    def imported(time: datetime, name: str, level: str, text: str) -> None:
        say(IMPORTER, time, f"{stamp(time, 'python')} - importer.{name} - {level} - {text}")

    for number, time in enumerate(periodic(RNG, at("06:53:00.1"), END, 300, jitter_s=0.3)):
        rows = RNG.randint(3310, 3980)
        done = after(time, RNG.uniform(5.2, 8.1))
        imported(time, "run", "INFO", f"feed skarvet-stock: {rows} rows fetched")
        imported(
            done,
            "load",
            "INFO",
            f"feed skarvet-stock: {rows - 5} rows upserted, {RNG.randint(40, 131)} changed",
        )
        imported(
            after(done, 0.01),
            "load",
            "WARNING",
            "feed skarvet-stock: 5 rows skipped, gtin is empty",
        )
        if number % 2:
            imported(after(done, RNG.uniform(0.4, 0.8)), "run", "ERROR", FEED_REFUSED)


def database() -> None:
    """Write catalog-db: a checkpoint every five minutes and the report of the buyers."""
    for time in periodic(RNG, at("06:51:17.8"), END, 300, jitter_s=0.05):
        buffers = RNG.randint(980, 1290)
        wrote = buffers / 10 - RNG.uniform(0.1, 0.6)
        done = after(time, wrote + 0.06)
        say("catalog-db-0", time, f"{stamp(time, 'postgres')} [61] LOG:  checkpoint starting: time")
        if done < END:
            text = (
                f"checkpoint complete: wrote {buffers} buffers ({buffers / 32768 * 100:.1f}%); 0 WAL file(s) added, 0 removed, 0 recycled; "
                f"write={wrote:.3f} s, sync=0.0{RNG.randint(11, 29)} s, total={wrote + 0.06:.3f} s; sync files={RNG.randint(60, 92)}, longest=0.00{RNG.randint(3, 8)} s, average=0.001 s; "
                f"distance={RNG.randint(7600, 9100)} kB, estimate={RNG.randint(9180, 9470)} kB"
            )
            say("catalog-db-0", done, f"{stamp(done, 'postgres')} [61] LOG:  {text}")
    backend = 33107
    for time in periodic(RNG, at("06:58:40.2"), END, 720, jitter_s=2):
        backend += RNG.randint(40, 90)
        say(
            "catalog-db-0",
            time,
            f"{stamp(time, 'postgres')} [{backend}] LOG:  duration: {RNG.uniform(2510, 2990):.3f} ms  statement: {REPORT}",
        )


# --- Kubernetes --------------------------------------------------------------------------------------------------

RESCALED = """\
07:36:56 5 4 cpu resource utilization (percentage of request) above target
07:37:56 6 5 cpu resource utilization (percentage of request) above target
07:39:11 7 6 cpu resource utilization (percentage of request) above target
08:15:11 6 7 All metrics below target
08:18:26 5 6 All metrics below target
08:23:41 4 5 All metrics below target"""
KUBELET = 1094
UID = "f0d2a98c-41b7-4c0e-8e7d-92b6a3c515ed"


def event(time: datetime, text: str, *, namespace: str = "retail") -> None:
    """Write one event: TYPE REASON OBJECT MESSAGE."""
    say(f"north-2/{namespace}", time, f"{stamp(time, 'kubernetes-event')} {text}")


def node_line(time: datetime, tag: str, text: str) -> None:
    """Write a line of the syslog of north-2-w22."""
    say("north-2-w22", time, f"{stamp(time, 'syslog')} north-2-w22 {tag}: {text}")


def kubelet(time: datetime, place: str, text: str) -> None:
    """Write a line of the kubelet of north-2-w22, which repeats its own time."""
    node_line(time, f"kubelet[{KUBELET}]", f"I{time:%m%d %H:%M:%S.%f} {KUBELET:>7} {place}] {text}")


def cluster() -> None:
    """Write the events of the shop's namespace."""
    for line in RESCALED.splitlines():
        clock, now, before, reason = line.split(" ", 3)
        way = "up" if now > before else "down"
        event(
            at(clock),
            f"Normal SuccessfulRescale HorizontalPodAutoscaler/catalog-api New size: {now}; reason: {reason}",
        )
        event(
            at(clock),
            f"Normal ScalingReplicaSet Deployment/catalog-api Scaled {way} replica set {SET} from {before} to {now}",
        )
    for number, time in enumerate(periodic(RNG, at("07:00:00.3"), END, 1200, jitter_s=1.2)):
        job = f"stock-snapshot-{29907780 + 20 * number}"
        took, suffix = RNG.randint(25, 34), "".join(RNG.choices("bcdfghjklmnpqrstvwxz2456789", k=5))
        event(time, f"Normal SuccessfulCreate CronJob/stock-snapshot Created job {job}")
        event(time, f"Normal SuccessfulCreate Job/{job} Created pod: {job}-{suffix}")
        event(
            time,
            f"Normal Scheduled Pod/{job}-{suffix} Successfully assigned retail/{job}-{suffix} to {RNG.choice(('north-2-w24', 'north-2-w26', 'north-2-w28'))}",
        )
        event(after(time, took), f"Normal Completed Job/{job} Job completed")
        event(
            after(time, took),
            f"Normal SawCompletedJob CronJob/stock-snapshot Saw completed job: {job}, condition: Complete",
        )


def preview() -> None:
    """Write the events of a preview in another namespace whose image does not exist."""
    image, pod = (
        "registry.example.invalid/sandbox/size-guide:pr-902",
        "Pod/size-guide-7d9f66c8b5-kx5rm",
    )
    for time in periodic(RNG, at("06:51:52"), END, 304, jitter_s=9):
        lines = (
            (0, f'Normal Pulling {pod} Pulling image "{image}"'),
            (
                1,
                f'Warning Failed {pod} Failed to pull image "{image}": rpc error: code = NotFound desc = failed to pull and unpack image "{image}": failed to resolve reference "{image}": {image}: not found',
            ),
            (1, f"Warning Failed {pod} Error: ErrImagePull"),
            (13, f'Normal BackOff {pod} Back-off pulling image "{image}"'),
            (13, f"Warning Failed {pod} Error: ImagePullBackOff"),
        )
        for late, text in lines:
            if after(time, late) < END:
                event(after(time, late), text, namespace="sandbox")


def node() -> None:
    """Write the syslog of north-2-w22, where the fifth pod comes and goes."""
    for time in periodic(RNG, at("06:55:10"), END, 960, jitter_s=60):
        node_line(time, "chronyd[688]", f"Selected source 10.68.0.{RNG.choice((5, 6))}")
    for time in periodic(RNG, START, END, 600, jitter_s=0.9):
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
        at("07:36:56.402771"),
        "kubelet.go:2421",
        f'"SyncLoop ADD" source="api" pods=["retail/{FIFTH}"]',
    )
    volume = f'\\"kube-api-access-9hm2c\\" (UniqueName: \\"kubernetes.io/projected/{UID}-kube-api-access-9hm2c\\") pod \\"{FIFTH}\\" (UID: \\"{UID}\\") '
    kubelet(
        at("07:36:56.498130"),
        "reconciler_common.go:251",
        f'"operationExecutor.VerifyControllerAttachedVolume started for volume {volume}" pod="retail/{FIFTH}"',
    )
    times = 'podCreationTimestamp="2026-11-12 07:36:56 +0000 UTC" firstStartedPulling="2026-11-12 07:36:57.011 +0000 UTC" lastFinishedPulling="2026-11-12 07:36:57.954 +0000 UTC"'
    kubelet(
        at("07:36:58.870442"),
        "pod_startup_latency_tracker.go:104",
        f'"Observed pod startup duration" pod="retail/{FIFTH}" podStartSLOduration=1.927442 podStartE2EDuration="2.870442s" {times}',
    )
    kubelet(
        at("08:23:41.118904"),
        "kubelet.go:2437",
        f'"SyncLoop DELETE" source="api" pods=["retail/{FIFTH}"]',
    )
    kubelet(
        at("08:23:41.119377"),
        "kuberuntime_container.go:808",
        f'"Killing container with a grace period" pod="retail/{FIFTH}" podUID="{UID}" containerName="catalog-api" containerID="containerd://{hex_digits(RNG, 64)}" gracePeriod=30',
    )
    kubelet(
        at("08:23:43.007215"),
        "kubelet.go:2431",
        f'"SyncLoop REMOVE" source="api" pods=["retail/{FIFTH}"]',
    )


# --- metrics -----------------------------------------------------------------------------------------------------


def minute(index: int) -> datetime:
    """Return the time of sample *index*, within the window."""
    return after(START, 60 * index)


def before(index: int, seconds: float) -> datetime:
    """Return the time *seconds* before sample *index*, at the earliest the start."""
    return max(START, after(minute(index), -seconds))


def lived(pod: str, values: Sequence[float]) -> list[float | None]:
    """Return *values* with gaps where *pod* was not there to be scraped."""
    _, _, first, last = CATALOG[pod]
    return [value if first <= minute(index) < last else None for index, value in enumerate(values)]


def grown(
    pod: str, per_second: Callable[[datetime], float], *, start: int = 0, spread: float = 0.008
) -> list[float | None]:
    """Return a counter of *pod* that grows by *per_second* since the pod is there."""
    _, _, first, _ = CATALOG[pod]

    def step(index: int) -> float:
        lived_s = min(60.0, max(0.0, (minute(index) - first).total_seconds()))
        return lived_s * per_second(before(index, 30))

    return lived(pod, counter(RNG, SAMPLES, step, start=start, spread=spread))


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

    for part in (edge, catalog, autoscalers, neighbours):
        part(add)
    return series


def edge(add: Add) -> None:
    """Add what the ingress exports: four times the requests, as few errors as ever."""

    def requests(ingress: str, status: int, share: float, start: int) -> None:
        values = counter(
            RNG, SAMPLES, lambda i: 60 * share * demand(before(i, 30)), start=start, spread=0.02
        )
        add(
            "ingress-nginx",
            f'nginx_ingress_controller_requests{{ingress="{ingress}",status="{status}"}}',
            "requests",
            values,
        )

    requests("catalog-api", 200, 0.4, 911_402_336)
    requests("catalog-api", 499, 0.00008, 402_117)
    requests("catalog-api", 504, 0, 1_077)
    requests("storefront-web", 200, 0.6, 1_384_207_551)
    requests("storefront-web", 503, 0, 6_240)
    slow = gauge(
        RNG,
        SAMPLES,
        lambda i: (
            (0.181 - 0.022 * campaign(minute(i)))
            * (1 + 3 * max(0.0, max(cores(before(i, 20)), cores(before(i, 50))) / 0.6 - 0.7))
        ),
        0.005,
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
    for pod, start in ((FIRST, 2_304_771), (FIFTH, 0)):
        add(
            "catalog-api",
            f'http_requests_total{{pod="{pod}"}}',
            "requests",
            grown(pod, lambda now: demand(now) / len(pods(now)), start=start),
        )
    for pod, start in ((FIRST, 13_503), (FIFTH, 0)):
        hundredths = grown(pod, lambda now: 100 * cores(now), start=100 * start)
        used = [None if value is None else value / 100 for value in hundredths]
        add(
            "catalog-api",
            f'container_cpu_usage_seconds_total{{pod="{pod}",container="catalog-api"}}',
            "seconds",
            used,
        )
    throttled = grown(
        FIRST, lambda now: 0.12 + 14 * max(0.0, cores(now) / 0.6 - 0.68), start=204, spread=0.2
    )
    add(
        "catalog-api",
        f'container_cpu_cfs_throttled_periods_total{{pod="{FIRST}",container="catalog-api"}}',
        "periods",
        throttled,
    )
    memory = gauge(RNG, SAMPLES, lambda i: 171e6 + (9e6 if 46 < i < 84 else 0), 1.9e6)
    add(
        "catalog-api",
        f'container_memory_working_set_bytes{{pod="{FIRST}",container="catalog-api"}}',
        "bytes",
        memory,
    )
    flight = gauge(RNG, SAMPLES, lambda i: demand(minute(i)) * 0.064, 2.2, low=1)
    add("catalog-api", "sum:http_requests_in_flight", "requests", flight)
    acquired = gauge(
        RNG,
        SAMPLES,
        lambda i: 2.2 + (1.4 if 46 <= i <= 48 else 0.3 * campaign(minute(i))),
        0.7,
        low=0,
        high=7,
    )
    add("catalog-api", f'pgxpool_acquired_conns{{pod="{FIRST}"}}', "connections", acquired)
    add("catalog-api", f'pgxpool_empty_acquire_total{{pod="{FIRST}"}}', "acquires", [41] * SAMPLES)


def autoscalers(add: Add) -> None:
    """Add what kube-state-metrics says of both autoscalers; below its minimum an autoscaler is limited as well."""
    cpu = ',metric_name="cpu",metric_target_type="utilization"'
    limited = ',condition="ScalingLimited",status="true"'

    def hpa(service: str, field: str, unit: str, values: Sequence[float], labels: str = "") -> None:
        add(
            service,
            f'kube_horizontalpodautoscaler_{field}{{namespace="retail",horizontalpodautoscaler="{service}"{labels}}}',
            unit,
            values,
        )

    current = [(after(time, 15), size) for time, size in RESIZES]
    reading = [round(100 * cores(before(i, 40)) / 0.6 + RNG.gauss(0, 0.8)) for i in range(SAMPLES)]
    hpa("catalog-api", "spec_min_replicas", "replicas", [4] * SAMPLES)
    hpa("catalog-api", "spec_max_replicas", "replicas", [12] * SAMPLES)
    hpa(
        "catalog-api",
        "status_current_replicas",
        "replicas",
        staircase(current, START, 60, SAMPLES, first=4),
    )
    hpa(
        "catalog-api",
        "status_desired_replicas",
        "replicas",
        staircase(RESIZES, START, 60, SAMPLES, first=4),
    )
    hpa(
        "catalog-api",
        "status_condition",
        "bool",
        staircase([(at("07:35:56"), 0)], START, 60, SAMPLES, first=1),
        limited,
    )
    hpa("catalog-api", "spec_target_metric", "percent", [60] * SAMPLES, cpu)
    hpa("catalog-api", "status_target_metric", "percent", reading, cpu)
    pages = gauge(RNG, SAMPLES, lambda i: 5 + 11.5 * demand(before(i, 45)) / 128, 0.9)
    hpa("storefront-web", "spec_max_replicas", "replicas", [8] * SAMPLES)
    hpa("storefront-web", "status_current_replicas", "replicas", [3] * SAMPLES)
    hpa(
        "storefront-web",
        "status_condition",
        "bool",
        staircase([(at("07:38:26"), 0), (at("08:16:11"), 1)], START, 60, SAMPLES, first=1),
        limited,
    )
    hpa("storefront-web", "spec_target_metric", "percent", [70] * SAMPLES, cpu)
    hpa("storefront-web", "status_target_metric", "percent", pages, cpu)
    # A pod counts as unavailable from the resize to its first good probe.
    starting = [(time, 1) for time, _ in RESIZES[:3]] + [(CATALOG[pod][2], 0) for pod in BORN]
    add(
        "catalog-api",
        'kube_deployment_status_replicas_unavailable{namespace="retail",deployment="catalog-api"}',
        "replicas",
        staircase(sorted(starting), START, 60, SAMPLES),
    )
    add(
        "kubernetes",
        'sum:kube_pod_status_phase{namespace="retail",phase="Pending"}',
        "pods",
        [0] * SAMPLES,
    )


def neighbours(add: Add) -> None:
    """Add storefront-web's threads and reviews, the cache, the database and two nodes."""
    busy = gauge(RNG, SAMPLES, lambda i: 1 + 0.2 * demand(minute(i)) * 0.09, 1.1, low=0)
    add(
        "storefront-web",
        f'tomcat_threads_busy_threads{{pod="{next(iter(STOREFRONT))}",name="http-nio-8080"}}',
        "threads",
        busy,
    )
    asked = counter(
        RNG, SAMPLES, lambda i: 60 * 0.21 * demand(before(i, 30)), start=5_884_190, spread=0.03
    )
    missing = counted(REFUSED_REVIEWS, START, 60, SAMPLES, first=371)
    for status, values in ((200, asked), (502, missing)):
        add(
            "storefront-web",
            f'http_client_requests_seconds_count{{client_name="reviews",status="{status}"}}',
            "requests",
            values,
        )
    hits = counter(
        RNG,
        SAMPLES,
        lambda i: 186 * demand(before(i, 30)) * hit_share(before(i, 30)),
        start=57_130_815,
        spread=0.01,
    )
    misses = counter(
        RNG,
        SAMPLES,
        lambda i: 186 * demand(before(i, 30)) * (1 - hit_share(before(i, 30))),
        start=2_104_377,
        spread=0.02,
    )
    add("catalog-cache", "redis_keyspace_hits_total", "lookups", hits)
    add("catalog-cache", "redis_keyspace_misses_total", "lookups", misses)
    add("catalog-cache", "redis_evicted_keys_total", "keys", [0] * SAMPLES)
    add(
        "catalog-cache",
        "redis_memory_used_bytes",
        "bytes",
        gauge(RNG, SAMPLES, lambda i: 1.168e9 + 30e3 * i, 1.2e6),
    )
    add("catalog-cache", "redis_memory_max_bytes", "bytes", [2_147_483_648] * SAMPLES)
    active = gauge(
        RNG,
        SAMPLES,
        lambda i: 6.1 + (2.5 if 46 <= i <= 49 else 1.1 * campaign(minute(i))),
        1.0,
        low=1,
    )
    add(
        "catalog-db",
        'pg_stat_activity_count{datname="catalog",state="active"}',
        "connections",
        active,
    )
    for name, idle in (("north-2-w21", 0.29), ("north-2-w22", 0.24)):
        extra = gauge(RNG, SAMPLES, lambda i: 0.17 * campaign(minute(i)), 0.011, low=-1, digits=3)
        used_share = [round(idle + value, 3) for value in extra]
        add(
            "kubernetes",
            f'instance:node_cpu_utilisation:rate5m{{instance="{name}"}}',
            "ratio",
            used_share,
        )


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
KEYS = """\
package cache

import "fmt"

// ListingKey names what is kept of one category page.
func ListingKey(category, visitor string, page int) string {
	return fmt.Sprintf("listing:%s:%s:%d", category, visitor, page)
}
"""
KEYS_AFTER = """\
package cache

import "fmt"

// ListingKey names what is kept of one category page, the same for all visitors.
func ListingKey(category string, page int) string {
	return fmt.Sprintf("listing:%s:%d", category, page)
}

// MarksKey names the products that one visitor has marked.
func MarksKey(visitor string) string {
	return "marks:" + visitor
}
"""
LISTING = """\
func (s *Service) Page(ctx context.Context, category, visitor string, page int) (Listing, error) {
	key := cache.ListingKey(category, visitor, page)
	var kept Listing
	if s.cache.Get(ctx, key, &kept) {
		return kept, nil
	}
	listing, err := s.store.Listing(ctx, category, visitor, page)
	if err != nil {
		return Listing{}, err
	}
	s.cache.Set(ctx, key, listing, s.ttl)
	return listing, nil
}
"""
LISTING_AFTER = """\
func (s *Service) Page(ctx context.Context, category, visitor string, page int) (Listing, error) {
	key := cache.ListingKey(category, page)
	var listing Listing
	if !s.cache.Get(ctx, key, &listing) {
		var err error
		if listing, err = s.store.Listing(ctx, category, page); err != nil {
			return Listing{}, err
		}
		s.cache.Set(ctx, key, listing, s.ttl)
	}
	return s.mark(ctx, listing, visitor), nil
}
"""
PROBE = """\
          readinessProbe:
            httpGet:
              path: /readyz
              port: http
            periodSeconds: 10
            timeoutSeconds: 3
            failureThreshold: 5
"""
CACHE = """\
catalog-cache:
  image: registry.example.invalid/mirror/redis:7.4.6
  config:
    maxmemory: 3gb
    maxmemory-policy: allkeys-lru
  resources:
    requests:
      cpu: 500m
      memory: 3584Mi
    limits:
      memory: 3584Mi
"""
DEAL = """\
@Controller
class DealController {

    private final CatalogClient catalog;

    DealController(CatalogClient catalog) {
        this.catalog = catalog;
    }
}
"""
DEAL_AFTER = DEAL.replace(
    "        this.catalog = catalog;\n    }\n",
    """\
        this.catalog = catalog;
    }

    @GetMapping("/morning-deal")
    String morning(Model model, Flags flags) {
        if (!flags.on("morning-deal")) {
            return "redirect:/";
        }
        model.addAttribute("listing", catalog.listing("morning-deal"));
        return "morning-deal";
    }
""",
)
DEAL_PAGE = """\
<main th:fragment="morning">
  <h1 th:text="#{deal.morning}">Morning deal</h1>
  <section class="tiles">
    <article th:each="product : ${listing.products}" th:insert="~{parts/tile :: card(${product})}"></article>
  </section>
</main>
"""
TEXTS = """\
start.title=Nordvik
start.more=More
"""
SIZES = """\
func (h *Handler) Sizes(w http.ResponseWriter, r *http.Request) {
	sizes, err := h.store.Sizes(r.Context(), r.PathValue("id"))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.json(w, r, sizes)
}
"""
SIZES_AFTER = SIZES.replace(
    "\th.json(w, r, sizes)\n",
    """\
	for i := range sizes {
		stock, err := h.stock.OnHand(r.Context(), sizes[i].SKU)
		if err != nil {
			h.fail(w, r, err)
			return
		}
		sizes[i].OnHand = stock
	}
	h.json(w, r, sizes)
""",
)
TILES = """\
.tiles article {
  border: 1px solid var(--line);
  padding: 10px;
}
"""
SHAS = {
    name: hex_digits(random.Random(f"north-2 {name}"), 40)
    for name in ("keys", "season", "rooms", "probe", "memory", "deal", "sizes", "tiles")
}
PLATFORM = "clusters/north-2/retail"


def diffs() -> dict[str, str]:
    """Return the diff of each commit."""
    main = "src/main/java/com/example/storefront/web/DealController.java"
    files = {
        "keys": {"internal/cache/keys.go": (KEYS, KEYS_AFTER), "internal/listing/page.go": (LISTING, LISTING_AFTER)},
        "rooms": {f"{PLATFORM}/storefront-web/hpa.yaml": (HPA.format(name="storefront-web", low=3, high=16, target=70), HPA.format(name="storefront-web", low=3, high=8, target=70))},
        "season": {
            f"{PLATFORM}/catalog-api/hpa.yaml": (HPA.format(name="catalog-api", low=2, high=24, target=60), HPA.format(name="catalog-api", low=4, high=12, target=60)),
            f"{PLATFORM}/thumbnailer/hpa.yaml": (HPA.format(name="thumbnailer", low=1, high=6, target=80), HPA.format(name="thumbnailer", low=1, high=3, target=80)),
        },
        "memory": {f"{PLATFORM}/catalog-cache/values.yaml": (CACHE, CACHE.replace("3gb", "2gb").replace("3584Mi", "2560Mi"))},
        "probe": {f"{PLATFORM}/catalog-api/deployment.yaml": (PROBE, PROBE.replace("periodSeconds: 10", "periodSeconds: 5").replace("timeoutSeconds: 3", "timeoutSeconds: 1"))},
        "deal": {
            main: (DEAL, DEAL_AFTER),
            "src/main/resources/templates/morning-deal.html": ("", DEAL_PAGE),
            "src/main/resources/messages.properties": (TEXTS, TEXTS + "deal.morning=Morning deal\n"),
        },
        "sizes": {"internal/web/sizes.go": (SIZES, SIZES_AFTER)},
        "tiles": {"src/main/resources/static/css/tiles.css": (TILES, TILES.replace("10px;", "12px;\n  background: var(--paper);"))},
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
            "message": f"Roll out {version} to north-2",
        }

    return [
        {"type": "config", "time": "2026-10-26T10:14:05Z", "service": "log-collector", "key": "retail.keep", "before": "1/2000", "after": "1/4000", "author": "s.dahlen", "message": "Keep one request in 4,000 by its id, with all that any service says of it; lines without an id stay whole"},
        commit("keys", "2026-11-04T09:33:40Z", "h.lindahl", "catalog-api", """\
Keep category pages once for all visitors

The key held the visitor only because of the little hearts. Pages are
shared now, the hearts have a key of their own.
"""),
        deploy("keys", "2026-11-05T08:02:57Z", "catalog-api", "4.2.0"),
        commit("rooms", "2026-11-06T12:21:14Z", "j.aalto", "storefront-web", """\
Fit storefront-web to what it used last November

Sixteen was a guess. Three pods did most of it.
"""),
        commit("season", "2026-11-09T14:48:31Z", "j.aalto", "catalog-api", """\
Sizes for the season

Start from four pods of catalog-api instead of two, and give back what
the cluster keeps free for pods that we have not seen since the spring.
"""),
        commit("memory", "2026-11-10T08:55:19Z", "s.dahlen", "catalog-cache", """\
Give catalog-cache two gigabytes

It is at 1.2 since listings are shared. The rest goes to the importer.
"""),
        commit("probe", "2026-11-11T10:07:46Z", "s.dahlen", "catalog-api", """\
Ask catalog-api twice as often whether it is ready

A pod that comes up should not wait ten seconds for its first request,
and one that hangs should not keep them for half a minute.
"""),
        commit("deal", "2026-11-11T15:36:02Z", "p.engstrom", "storefront-web", """\
Add the page of the morning deal

Four products, one morning, for members with the app. Redirects to the
start page while its flag is off.
"""),
        deploy("deal", "2026-11-12T06:05:18Z", "storefront-web", "8.61.0"),
        commit("sizes", "2026-11-12T07:19:25Z", "h.lindahl", "catalog-api", """\
Show the stock of each size

Asks the stock service for every size. Goes out with 4.3.0.
"""),
        {"type": "flag", "time": "2026-11-12T07:30:03Z", "service": "storefront-web", "key": "morning-deal", "before": "off", "after": "on", "author": "l.hovland", "message": "Open the morning deal; the push goes out at 07:35 UTC"},
        commit("tiles", "2026-11-12T07:51:44Z", "p.engstrom", "storefront-web", "Put tiles on paper\n"),
    ]  # fmt: skip


DISTRACTORS = [
    {"commit": SHAS["season"], "why": "halves the ceiling to twelve three days before; seven replicas are enough and ScalingLimited falls to 0 in the rise"},
    {"commit": SHAS["rooms"], "why": "halves the other ceiling to eight; three pods stay at or below their target"},
    {"commit": SHAS["memory"], "why": "a third less memory for the cache; half of it in use, nothing evicted, the share of hits rises to 99 %"},
    {"commit": SHAS["keys"], "why": "changes what is cached, a week before; the reason why the campaign is cheap"},
    {"commit": SHAS["probe"], "why": "a shorter readiness timeout; only pods that have just started fail a probe"},
    {"commit": SHAS["deal"], "why": "the campaign's page; it brings the traffic, which is answered"},
    {"commit": SHAS["sizes"], "why": "a call for each size, a quarter of an hour before the rise; not rolled out, new pods start 4.2.0"},
    {"commit": SHAS["tiles"], "why": "the newest commit, styles only"},
    {"noise": "image-pull back-off of a preview in another namespace", "match": "ImagePullBackOff", "why": "every five minutes all morning"},
    {"noise": "a supplier that refuses the feed importer", "match": "403 Client Error: Forbidden", "why": "every ten minutes all morning"},
    {"noise": "reviews that cannot be shown", "match": "reviews of product \\d+ left out", "why": "one in some 18,000 pages before, in and after the rise; the page is shown without them"},
    {"noise": "pictures that nobody has uploaded", "match": "image missing sku=", "why": "as frequent as requests are; a placeholder is served"},
]  # fmt: skip
ALERTS = [
    {
        "time": "2026-11-12T07:38:30Z",
        "service": "catalog-api",
        "metric": "container_cpu_usage_seconds_total",
        "summary": "PodCPUHigh: catalog-api pods above 70 % of their CPU limit for 1 minute",
    }
]


# --- the file ------------------------------------------------------------------------------------------------------


def logs() -> list[dict[str, object]]:
    """Write all lines and return the streams, one a pod or host."""
    for time in arrivals(RNG, START, after(END, -1), lambda now: 60 * demand(now) / LOGGED_ONE_IN):
        if RNG.random() < 0.4:
            app_request(time)
        else:
            page_request(time)
    for part in (passed_on, cluster, new_pods, old_noise, importer, database, preview, node):
        part()
    places = [(f"{host} access", "ingress-nginx", "nginx-access") for host in INGRESS]
    places += [(f"{host} error", "ingress-nginx", "nginx-error") for host in INGRESS]
    places += [(pod, "catalog-api", "plain") for pod in CATALOG]
    places += [(pod, "storefront-web", "spring-boot") for pod in STOREFRONT]
    places += [
        ("catalog-db-0", "catalog-db", "postgres"),
        (IMPORTER, "feed-importer", "python"),
        ("north-2-w22", "north-2-w22", "syslog"),
    ]
    places += [
        ("north-2/retail", "kubernetes", "kubernetes-event"),
        ("north-2/sandbox", "kubernetes", "kubernetes-event"),
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
        "id": "autoscaler-cap-campaign",
        "title": "Campaign traffic inside the autoscaler's range (nothing wrong)",
        "kind": "healthy",
        "difficulty": "easy",
        "canary": "rcabench canary 41d7e0b2c5ff4d0c8a36b97e2f1d8c04",
        "source": {"origin": "written"},
        "twin_of": "autoscaler-cap",
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": logs(),
        "metrics": metrics(),
        "changes": changes(),
        "alerts": ALERTS,
        "distractors": DISTRACTORS,
    }
    write(document, Path(__file__).parents[1] / "held_out" / "autoscaler-cap-campaign.yaml")


if __name__ == "__main__":
    main()
