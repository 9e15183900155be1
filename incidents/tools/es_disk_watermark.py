"""Write `held_out/es-disk-watermark.yaml`: the volume of one Elasticsearch node fills, and three services cannot write.

Only indices with a shard on that node are blocked; the master, another node, is the one that tells.
"""

from __future__ import annotations

import random
import uuid
from datetime import datetime, timedelta
from pathlib import Path
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
    from collections.abc import Callable, Iterable, Sequence

RNG = random.Random(20261117)
START, END = utc("2026-11-17T06:00:00Z"), utc("2026-11-17T10:00:00Z")
SAMPLES, STEP = 120, 120
GIB = 1024**3
SIZE = 196.61 * GIB
NODES = ("search-es-0", "search-es-1", "search-es-2")
MASTER = "search-es-1"
FULL = "[Yb3vQxW0TtKq8nDzL5mRcA][search-es-2][/usr/share/elasticsearch/data]"
ORDERS_OLD = ("orders-api-7c9f5b6d8-4tbxk", "orders-api-7c9f5b6d8-r8wmz")
ORDERS_NEW = ("orders-api-58d7fc9b44-hn5cq", "orders-api-58d7fc9b44-x2vtl")
CATALOG_OLD = ("catalog-api-6b7d9c5f9c-9lzjp", "catalog-api-6b7d9c5f9c-wq4kd")
CATALOG_NEW = ("catalog-api-84f6b8d5c7-5kmxh", "catalog-api-84f6b8d5c7-zr7tn")
AUDIT = ("audit-api-5f4b8c7d9d-c6pvw", "audit-api-5f4b8c7d9d-j9xkt")
SUGGEST = "suggest-builder-6d5c9f8b7-m2hqz"
ORDERS_OUT = utc("2026-11-17T08:12:30Z")
CATALOG_OUT = utc("2026-11-17T08:40:10Z")
STREAMS: dict[str, list[Line]] = {}
EVENTS: dict[str, list[datetime]] = {}


def later(time: datetime, count: float) -> datetime:
    """Return the time *count* seconds after *time*."""
    return time + timedelta(seconds=count)


def day(clock: str) -> datetime:
    """Return the time of day *clock* on the day of the window."""
    return utc(f"2026-11-17T{clock}Z")


def say(host: str, time: datetime, text: str, *, event: str = "") -> None:
    """Write *text* on *host*, and count the *event*."""
    STREAMS.setdefault(host, []).append((time, text))
    if event:
        EVENTS.setdefault(event, []).append(time)


# --- the volumes ------------------------------------------------------------------------------------------------------

# Free GiB of search-es-2: what is written, and two shards that the cluster still finds a place for.
FILLS_PER_MINUTE = 0.1712
MOVED = {"07:19": 3.11, "07:36": 2.38}


def decimal(value: float) -> str:
    """Return *value* cut to one decimal, or to none where that is 0, as Elasticsearch prints sizes."""
    return f"{int(value * 10) / 10:g}"


def run_free() -> tuple[list[tuple[datetime, float]], list[Line], datetime]:
    """Return the free bytes that the master sees every 30 s, what it says, and when the last threshold is passed."""
    seen: list[tuple[datetime, float]] = []
    said: list[Line] = []
    flooded: datetime | None = None
    low = high = False
    free, warned, moves = 33.06, START, dict(MOVED)
    for time in periodic(RNG, later(START, 13.4), END, 30, jitter_s=0.02):
        free -= (FILLS_PER_MINUTE / 2 if flooded is None else 0.0008) + RNG.gauss(0, 0.012)
        for clock in [clock for clock in moves if day(f"{clock}:40") < time]:
            free += moves.pop(clock)
        seen.append((time, free * GIB))
        share = free * GIB / SIZE * 100
        about = f"exceeded on {FULL} free: {decimal(free)}gb[{decimal(share)}%]"

        def tell(level: str, text: str, time: datetime = time) -> None:
            head = f"{stamp(time, 'elasticsearch')}[{level:<5}][o.e.c.r.a.DiskThresholdMonitor] [{MASTER}]"
            said.append((time, f"{head} {text}"))

        if share < 5:
            flooded = flooded or time
            tell(
                "WARN",
                f"flood stage disk watermark [95%] {about}, all indices on this node will be marked read-only",
            )
        elif share < 10:
            if not high or (time >= later(warned, 60) and not moves):
                warned, high = time, True
                moving = round(next(iter(moves.values()), 0.0) * GIB)
                hope = "below" if moving else "exceed"
                end = "be below" if hope == "below" else "continue to exceed"
                tell(
                    "INFO" if moving else "WARN",
                    f"high disk watermark [90%] {about}, shards will be relocated away from this node; currently relocating away "
                    f"shards totalling [{moving}] bytes; the node is expected to {end} the high disk watermark when these relocations are complete",
                )
        elif high:
            high = False
            tell(
                "INFO",
                f"high disk watermark [90%] no longer {about}, but low disk watermark [85%] is still exceeded",
            )
        elif share < 15 and not low:
            low = True
            tell(
                "INFO",
                f"low disk watermark [85%] {about}, replicas will not be assigned to this node",
            )
    if flooded is None:
        raise SystemExit("the volume did not fill")
    return seen, said, flooded


SEEN, SAID_BY_MASTER, FLOODED = run_free()
BLOCKED = later(FLOODED, 0.4)

# --- who writes -------------------------------------------------------------------------------------------------------


def blocked(index: str) -> str:
    """Return the reason that Elasticsearch gives for *index*."""
    return f"index [{index}] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];"


def alive(time: datetime, old: Sequence[str], new: Sequence[str], out: datetime) -> str:
    """Return a pod that takes requests at *time*: the second is replaced 40 s after the first."""
    n = RNG.randint(0, 1)
    return new[n] if time >= later(out, 40 * n + 12) else old[n]


def spring(
    host: str,
    time: datetime,
    level: str,
    thread: str,
    logger: str,
    message: str,
    *,
    event: str = "",
) -> None:
    """Write one line of orders-api as Spring Boot's console layout prints it."""
    head = f"{stamp(time, 'spring-boot')} {level:>5} 1 --- [orders-api]"
    say(host, time, f"{head} [{thread[-15:]:>15}] {logger:<40.40} : {message}", event=event)


NOTE_LOST = f"""\
co.elastic.clients.elasticsearch._types.ElasticsearchException: [es/update] failed: [cluster_block_exception] {blocked("orders-v7")}
\tat co.elastic.clients.transport.ElasticsearchTransportBase.getApiResponse(ElasticsearchTransportBase.java:350) ~[elasticsearch-java-8.19.4.jar!/:na]
\tat co.elastic.clients.transport.ElasticsearchTransportBase.performRequest(ElasticsearchTransportBase.java:147) ~[elasticsearch-java-8.19.4.jar!/:na]
\tat co.elastic.clients.elasticsearch.ElasticsearchClient.update(ElasticsearchClient.java:5190) ~[elasticsearch-java-8.19.4.jar!/:na]
\tat com.example.orders.search.OrderNotes.save(OrderNotes.java:44) ~[!/:5.22.0]"""


def orders() -> None:
    """Write what orders-api does: orders come in, go to the search index, and are looked up."""
    number = 774120
    for time in arrivals(RNG, later(START, 3), later(END, -9), 1.05):
        number += RNG.randint(1, 3)
        host = alive(time, ORDERS_OLD, ORDERS_NEW, ORDERS_OUT)
        thread = f"http-nio-8080-exec-{RNG.randint(1, 10)}"
        spring(
            host,
            time,
            "INFO",
            thread,
            "c.e.orders.OrderController",
            f"order {number} placed, {RNG.randint(1, 9)} lines",
            event="placed",
        )
        flush = later(time, RNG.uniform(0.9, 2.0))
        if flush < BLOCKED:
            spring(
                host,
                flush,
                "INFO",
                "order-indexer-1",
                "c.e.orders.search.OrderIndexer",
                f"write of 1 order to orders-v7 took {RNG.randint(9, 38)} ms: {number}",
                event="orders indexed",
            )
        else:
            EVENTS.setdefault("outbox", []).append(flush)
    for time in periodic(RNG, later(BLOCKED, 21), later(END, -2), 30, jitter_s=1.2):
        waiting = sum(at < time for at in EVENTS["outbox"])
        if waiting:
            spring(
                ORDERS_NEW[1],
                time,
                "ERROR",
                "order-indexer-1",
                "c.e.orders.search.OrderIndexer",
                f"{waiting} orders stay in the outbox, first [429] cluster_block_exception: {blocked('orders-v7')}",
            )
    for time in arrivals(RNG, later(START, 30), later(END, -9), 0.22):
        host = alive(time, ORDERS_OLD, ORDERS_NEW, ORDERS_OUT)
        order, thread = number - RNG.randint(400, 9000), f"http-nio-8080-exec-{RNG.randint(1, 10)}"
        if time < BLOCKED:
            spring(
                host,
                time,
                "INFO",
                thread,
                "c.e.orders.search.OrderNotes",
                f"note of order {order} written",
                event="note",
            )
        else:
            spring(
                host,
                time,
                "ERROR",
                thread,
                "c.e.orders.search.OrderNotes",
                f"note of order {order} lost\n\n{NOTE_LOST}",
                event="note lost",
            )
    for time in arrivals(RNG, later(START, 8), later(END, -9), 0.9):
        host = alive(time, ORDERS_OLD, ORDERS_NEW, ORDERS_OUT)
        thread = f"http-nio-8080-exec-{RNG.randint(1, 10)}"
        spring(
            host,
            time,
            "INFO",
            thread,
            "c.e.orders.search.OrderSearch",
            f"{RNG.randint(0, 60)} orders of customer {RNG.randint(30000, 89999)} found in {RNG.randint(4, 31)} ms",
            event="orders read",
        )
        if RNG.random() < 0.3:
            spring(
                host,
                later(time, 0.001),
                "WARN",
                thread,
                "org.elasticsearch.client.RestClient",
                DEPRECATED,
                event="deprecated",
            )


DEPRECATED = (
    "request [POST http://search-http:9200/orders-v7/_search?typed_keys=true&ignore_throttled=true] returned 1 warnings: "
    '[299 Elasticsearch-8.19.4-aa0e3f9c1d5b7a2846f0c8d1e3b5972604fadc18 "[ignore_throttled] parameter is deprecated because frozen '
    'indices have been deprecated. Consider cold or frozen tiers in place of frozen indices."]'
)


def plain(host: str, time: datetime, level: str, text: str, *, event: str = "") -> None:
    """Write one line of catalog-api."""
    say(host, time, f"{rfc3339(time, digits=3)} {level} {text}", event=event)


def catalog() -> None:
    """Write what catalog-api does: it answers searches, and writes the changes of the assortment every four minutes."""
    words = (
        "lamp",
        "desk lamp",
        "oak table",
        "rug 200",
        "chair",
        "bed linen",
        "mirror",
        "shelf white",
        "sofa",
        "vase",
    )
    for time in arrivals(RNG, later(START, 2), later(END, -4), 1.7):
        host = alive(time, CATALOG_OLD, CATALOG_NEW, CATALOG_OUT)
        plain(
            host,
            time,
            "INFO",
            f'search "{RNG.choice(words)}" {RNG.randint(3, 480)} hits {RNG.randint(5, 44)} ms',
            event="catalog read",
        )
    waiting = 0
    for time in periodic(RNG, later(START, 75), later(END, -5), 240, jitter_s=2.5):
        host = alive(time, CATALOG_OLD[:1] * 2, CATALOG_NEW[:1] * 2, CATALOG_OUT)
        count = RNG.randint(18, 90) + waiting
        if time < BLOCKED:
            plain(
                host,
                time,
                "INFO",
                f"assortment: {count} products written to catalog-v31 in {RNG.randint(60, 240)} ms",
                event="catalog written",
            )
        else:
            waiting = count
            plain(
                host,
                time,
                "WARN",
                f"assortment: {count} of {count} items came back, first 429 cluster_block_exception: {blocked('catalog-v31')}",
                event="catalog failed",
            )
            plain(
                host,
                later(time, 0.004),
                "ERROR",
                f"assortment: shop shows prices and stock as of the last run, {count} products late",
            )


def python(host: str, time: datetime, level: str, text: str, *, event: str = "") -> None:
    """Write one line of audit-api or suggest-builder."""
    say(
        host,
        time,
        f"{stamp(time, 'python')} - {text.replace(' | ', f' - {level} - ', 1)}",
        event=event,
    )


def audit() -> None:
    """Write what audit-api does: a batch a minute on each pod, kept on a volume of its own when nobody takes it."""
    for n, host in enumerate(AUDIT):
        spooled = 0
        for number, time in enumerate(
            periodic(RNG, later(START, 11 + 23 * n), later(END, -20), 60, jitter_s=0.7),
            40218 + 9000 * n,
        ):
            events = RNG.randint(310, 520)
            if time < BLOCKED:
                python(
                    host,
                    time,
                    "INFO",
                    f"audit.sink | batch {number}: {events} events to audit-2026.11, {RNG.randint(70, 190)} ms",
                    event="batch",
                )
                if RNG.random() < 0.07:
                    bad_event(host, later(time, 0.02))
                continue
            for wait in (2, 5):
                python(
                    host,
                    time,
                    "WARNING",
                    f"audit.sink | batch {number}: {events} of {events} events came back, first 429 cluster_block_exception: {blocked('audit-2026.11')}, again in {wait} s",
                    event="batch failed",
                )
                time = later(time, wait + RNG.uniform(0.02, 0.06))  # noqa: PLW2901 - the same batch, later
            spooled += 1
            python(
                host,
                time,
                "ERROR",
                f"audit.spool | batch {number} kept on disk, {spooled} batches in /var/spool/audit",
                event="spooled",
            )
            if RNG.random() < 0.07:
                bad_event(host, later(time, 0.3))


def bad_event(host: str, time: datetime) -> None:
    """Write the old noise: a partner sends a host name where an address belongs."""
    name = hex_digits(RNG, 20)
    python(
        host,
        time,
        "ERROR",
        f"audit.schema | event {name} dropped: field [client.ip] of type [ip]: 'gw-{RNG.randint(1, 4)}.partner.example.invalid' is not an IP string literal.",
        event="bad event",
    )


def suggest() -> None:
    """Write what suggest-builder does; its index has no shard on the full node."""
    for time in periodic(RNG, later(START, 140), later(END, -5), 300, jitter_s=3):
        python(
            SUGGEST,
            time,
            "INFO",
            f"suggest.build | {RNG.randint(900, 1400)} terms written to suggest-2026.47 in {RNG.randint(310, 620)} ms",
            event="suggest",
        )


# --- the cluster ------------------------------------------------------------------------------------------------------

NODE_LINES = """\
06:04:31,118 search-es-1 INFO o.e.c.m.MetadataMappingService [audit-2026.11/hQ7m2XkVTiyT0bJxw3ZpNg] update_mapping [_doc]
06:31:09,640 search-es-0 WARN o.e.m.j.JvmGcMonitorService [gc][1184216] overhead, spent [618ms] collecting in the last [1.1s]
06:45:52,207 search-es-1 INFO o.e.x.s.SnapshotLifecycleTask snapshot lifecycle policy [six-hourly] issuing create snapshot [six-hourly-2026.11.17-e0v3kq2tr5w]
06:45:52,391 search-es-1 INFO o.e.s.SnapshotsService snapshot [backup:six-hourly-2026.11.17-e0v3kq2tr5w/4Tn0cR2VQeWqb71yJxLsPA] started
06:52:17,880 search-es-1 INFO o.e.s.SnapshotsService snapshot [backup:six-hourly-2026.11.17-e0v3kq2tr5w/4Tn0cR2VQeWqb71yJxLsPA] completed with state [SUCCESS]
07:13:40,015 search-es-2 INFO o.e.m.j.JvmGcMonitorService [gc][1186744] overhead, spent [288ms] collecting in the last [1s]
07:30:00,004 search-es-1 INFO o.e.x.m.MlDailyMaintenanceService triggering scheduled [ML] maintenance tasks
07:30:00,019 search-es-1 INFO o.e.x.m.MlDailyMaintenanceService Successfully completed [ML] maintenance task: triggerDeleteExpiredDataTask
08:02:44,906 search-es-0 INFO o.e.m.j.JvmGcMonitorService [gc][1189691] overhead, spent [301ms] collecting in the last [1s]
08:20:13,377 search-es-1 INFO o.e.c.m.MetadataMappingService [orders-v7/sB1kLr9wQ3Sx5nPzVt8eYg] update_mapping [_doc]
08:31:25,552 search-es-2 WARN o.e.m.j.JvmGcMonitorService [gc][1191409] overhead, spent [590ms] collecting in the last [1.1s]
09:12:08,731 search-es-0 INFO o.e.m.j.JvmGcMonitorService [gc][1193853] overhead, spent [276ms] collecting in the last [1s]
09:41:37,263 search-es-2 INFO o.e.m.j.JvmGcMonitorService [gc][1195617] overhead, spent [265ms] collecting in the last [1s]"""
CLUSTER = """\
06:15:00 Normal SuccessfulCreate CronJob/price-feed Created job price-feed-29914935
06:15:38 Normal Completed Job/price-feed-29914935 Job completed
07:15:00 Normal SuccessfulCreate CronJob/price-feed Created job price-feed-29914995
07:15:41 Normal Completed Job/price-feed-29914995 Job completed
07:26:12 Warning Unhealthy Pod/suggest-builder-6d5c9f8b7-m2hqz Liveness probe failed: Get "http://10.36.2.41:8081/live": context deadline exceeded (Client.Timeout exceeded while awaiting headers)
08:06:05 Normal VolumeModify PersistentVolumeClaim/data-search-es-0 external resizer is modifying volume data-search-es-0 with vac fast-2
{orders}
08:15:00 Normal SuccessfulCreate CronJob/price-feed Created job price-feed-29915055
08:15:36 Normal Completed Job/price-feed-29915055 Job completed
08:20:47 Normal VolumeModifySuccessful PersistentVolumeClaim/data-search-es-0 external resizer modified volume data-search-es-0 with vac fast-2 successfully
{catalog}
09:15:00 Normal SuccessfulCreate CronJob/price-feed Created job price-feed-29915115
09:15:44 Normal Completed Job/price-feed-29915115 Job completed"""


def rollout(name: str, old: Sequence[str], new: Sequence[str], out: datetime) -> Iterable[str]:
    """Yield the events of a rolling update, one pod after the other."""
    before, after = (pods[0].rsplit("-", 1)[0] for pods in (old, new))
    for n in (0, 1):
        at = later(out, 40 * n)
        for wait, text in (
            (
                0,
                f"ScalingReplicaSet Deployment/{name} Scaled up replica set {after} from {n} to {n + 1}",
            ),
            (0, f"SuccessfulCreate ReplicaSet/{after} Created pod: {new[n]}"),
            (1, f"Scheduled Pod/{new[n]} Successfully assigned shop/{new[n]} to shop-w{3 + n}"),
            (2, f"Started Pod/{new[n]} Started container {name}"),
            (
                12,
                f"ScalingReplicaSet Deployment/{name} Scaled down replica set {before} from {2 - n} to {1 - n}",
            ),
            (12, f"Killing Pod/{old[n]} Stopping container {name}"),
        ):
            yield f"{later(at, wait):%H:%M:%S} Normal {text}"


def cluster() -> None:
    """Write what the nodes and Kubernetes say."""
    for time, text in SAID_BY_MASTER:
        say(MASTER, time, text)
    for line in NODE_LINES.splitlines():
        clock, node, level, logger, text = line.split(" ", 4)
        time = day(clock.replace(",", "."))
        say(node, time, f"{stamp(time, 'elasticsearch')}[{level:<5}][{logger:<25}] [{node}] {text}")
    rollouts = {
        "orders": "\n".join(rollout("orders-api", ORDERS_OLD, ORDERS_NEW, ORDERS_OUT)),
        "catalog": "\n".join(rollout("catalog-api", CATALOG_OLD, CATALOG_NEW, CATALOG_OUT)),
    }
    for line in CLUSTER.format(**rollouts).splitlines():
        clock, text = line.split(" ", 1)
        say("shop", day(clock), f"{stamp(day(clock), 'kubernetes-event')} {text}")
    for n in (0, 1):
        at = later(ORDERS_OUT, 40 * n)
        spring(
            ORDERS_OLD[n],
            later(at, 12.3),
            "INFO",
            "SpringApplicationShutdownHook",
            "o.s.b.w.e.tomcat.GracefulShutdown",
            "Commencing graceful shutdown. Waiting for active requests to complete",
        )
        spring(
            ORDERS_OLD[n],
            later(at, 13.0),
            "INFO",
            "tomcat-shutdown",
            "o.s.b.w.e.tomcat.GracefulShutdown",
            "Graceful shutdown complete",
        )
        for wait, logger, text in (
            (
                3.1,
                "c.example.orders.OrdersApplication",
                "Starting OrdersApplication v5.22.0 using Java 21.0.8 with PID 1 (/app/app.jar started by app in /app)",
            ),
            (
                7.4,
                "o.s.b.w.embedded.tomcat.TomcatWebServer",
                "Tomcat initialized with port 8080 (http)",
            ),
            (
                11.3,
                "o.s.b.w.embedded.tomcat.TomcatWebServer",
                "Tomcat started on port 8080 (http) with context path '/'",
            ),
            (
                11.4,
                "c.example.orders.OrdersApplication",
                f"Started OrdersApplication in 8.{RNG.randint(100, 899)} seconds (process running for 9.{RNG.randint(100, 899)})",
            ),
        ):
            spring(ORDERS_NEW[n], later(at, wait), "INFO", "main", logger, text)
        at = later(CATALOG_OUT, 40 * n)
        plain(CATALOG_OLD[n], later(at, 12.2), "INFO", "SIGTERM, 0 requests open, closing")
        plain(
            CATALOG_NEW[n],
            later(at, 3.4),
            "INFO",
            "catalog-api 3.41.2, node v22.11.0, @elastic/elasticsearch 8.19.1",
        )
        plain(CATALOG_NEW[n], later(at, 4.9), "INFO", "listening on :8080")


# --- metrics ----------------------------------------------------------------------------------------------------------


def metrics() -> list[dict[str, object]]:
    """Return the series, one sample every two minutes."""
    found: list[dict[str, object]] = []

    def add(service: str, name: str, unit: str, values: Sequence[float | None]) -> None:
        found.append(
            ({"unit": unit} if unit else {})
            | {
                "name": name,
                "service": service,
                "start": rfc3339(START),
                "step_s": STEP,
                "values": values,
            }
        )

    def count(service: str, name: str, unit: str, event: str, first: int) -> None:
        add(service, name, unit, counted(EVENTS.get(event, []), START, STEP, SAMPLES, first=first))

    def at(index: int) -> datetime:
        return later(START, index * STEP)

    def free(index: int) -> float:
        return next((byte for time, byte in reversed(SEEN) if time <= at(index)), 33.06 * GIB)

    def moved(index: int) -> float:
        return sum(size for clock, size in MOVED.items() if day(f"{clock}:40") < at(index))

    stop = (FLOODED - START).total_seconds() / STEP
    levels: dict[str, Callable[[int], float]] = {
        "search-es-0": lambda k: (57.9 - 0.098 * 2 * min(k, stop)) * GIB - moved(k) * GIB,
        "search-es-1": lambda k: (41.2 - 0.011 * 2 * k) * GIB,
        "search-es-2": free,
    }
    for node, level in levels.items():
        add(
            "search",
            f'elasticsearch_filesystem_data_available_bytes{{name="{node}"}}',
            "bytes",
            gauge(RNG, SAMPLES, level, 3e6),
        )
        add(
            "search",
            f'elasticsearch_filesystem_data_size_bytes{{name="{node}"}}',
            "bytes",
            [round(SIZE)] * SAMPLES,
        )

    def switched(before: int, after: int) -> Callable[[int], float]:
        return lambda k: before if k <= stop else after

    writes = {
        "search-es-0": (2140, 480),
        "search-es-1": (590, 490),
        "search-es-2": (1690, 0),
    }
    for node, (before, after) in writes.items():
        add(
            "search",
            f'elasticsearch_indices_indexing_index_total{{name="{node}"}}',
            "documents",
            counter(
                RNG, SAMPLES, switched(before, after), start=RNG.randint(70_000_000, 99_000_000)
            ),
        )
        add(
            "search",
            f'elasticsearch_indices_search_query_total{{name="{node}"}}',
            "queries",
            counter(RNG, SAMPLES, 5900, start=RNG.randint(200_000_000, 400_000_000), spread=0.05),
        )
        add(
            "search",
            f'elasticsearch_jvm_memory_used_bytes{{area="heap",name="{node}"}}',
            "bytes",
            gauge(RNG, SAMPLES, 4.9 * GIB, 0.8 * GIB, low=2.4 * GIB, high=7.2 * GIB),
        )
    add(
        "search",
        'elasticsearch_cluster_health_status{cluster="search",color="green"}',
        "",
        [1] * SAMPLES,
    )
    add(
        "search",
        'elasticsearch_cluster_health_relocating_shards{cluster="search"}',
        "shards",
        staircase(
            [
                (day("07:16:20"), 1),
                (day("07:19:20"), 0),
                (day("07:33:50"), 1),
                (day("07:36:20"), 0),
            ],
            START,
            STEP,
            SAMPLES,
        ),
    )
    add(
        "search",
        'elasticsearch_indices_settings_stats_read_only_indices{cluster="search"}',
        "indices",
        staircase([(later(BLOCKED, 20), 6)], START, STEP, SAMPLES),
    )
    count("orders-api", "orders_placed_total", "orders", "placed", 51877)
    count("orders-api", "orders_indexed_total", "orders", "orders indexed", 51870)
    failed = EVENTS["outbox"]
    add(
        "orders-api",
        "orders_outbox_size",
        "orders",
        [sum(time < at(k) for time in failed) for k in range(SAMPLES)],
    )
    add(
        "orders-api",
        "http_server_requests_seconds_p95",
        "seconds",
        gauge(RNG, SAMPLES, 0.082, 0.009, digits=3),
    )
    count("catalog-api", "catalog_search_requests_total", "requests", "catalog read", 8120441)
    count(
        "catalog-api",
        'catalog_assortment_runs_total{outcome="written"}',
        "runs",
        "catalog written",
        2210,
    )
    count(
        "catalog-api",
        'catalog_assortment_runs_total{outcome="failed"}',
        "runs",
        "catalog failed",
        3,
    )
    count("audit-api", 'audit_batches_total{outcome="sent"}', "batches", "batch", 49210)
    count("audit-api", 'audit_batches_total{outcome="spooled"}', "batches", "spooled", 14)
    count("audit-api", "audit_events_dropped_total", "events", "bad event", 871)
    add(
        "audit-api",
        "process_resident_memory_bytes",
        "bytes",
        [4096 * pages for pages in gauge(RNG, SAMPLES, 51200, 600)],
    )
    count("suggest-builder", "suggest_runs_total", "runs", "suggest", 5512)
    return found


# --- changes ----------------------------------------------------------------------------------------------------------

HEAP = """\
      nodeSets:
        - name: es
          count: 3
          config:
            node.roles: [master, data, ingest]
          podTemplate:
            spec:
              containers:
                - name: elasticsearch
                  env:
                    - name: ES_JAVA_OPTS
                      value: -Xms6g -Xmx6g
                  resources:
                    limits:
                      memory: 12Gi
"""
SINK = """\
    def _send(self, batch: Batch) -> None:
        try:
            helpers.bulk(self._client, batch.actions(), chunk_size=500)
        except helpers.BulkIndexError as error:
            log.warning("batch failed: %r", error)
            raise
        log.info("batch sent")
"""
SINK_AFTER = """\
    def _send(self, batch: Batch) -> None:
        for wait in (2, 5):
            try:
                took = helpers.bulk(self._client, batch.actions(), chunk_size=500)
            except helpers.BulkIndexError as error:
                log.warning("batch %d: %s, again in %d s", batch.number, came_back(error, batch), wait)
                self._clock.sleep(wait)
            else:
                log.info("batch %d: %d events to %s, %d ms", batch.number, len(batch), batch.index, took)
                return
        self._spool.keep(batch)
"""
SPOOL = """\
\"\"\"Where batches wait when nobody takes them.\"\"\"

from __future__ import annotations

import gzip
import logging
from pathlib import Path

from audit.batch import Batch

log = logging.getLogger("audit.spool")


class Spool:
    \"\"\"A folder of batches, oldest first.\"\"\"

    def __init__(self, folder: Path = Path("/var/spool/audit")) -> None:
        self._folder = folder

    def keep(self, batch: Batch) -> None:
        \"\"\"Write *batch*, compressed, under its number.\"\"\"
        with gzip.open(self._folder / f"{batch.number:09}.gz", "wb") as file:
            file.write(batch.to_json())
        log.error("batch %d kept on disk, %d batches in %s", batch.number, len(self), self._folder)

    def __len__(self) -> int:
        return sum(1 for _ in self._folder.glob("*.gz"))
"""
PACKAGE = """\
  "name": "catalog-api",
  "version": "3.41.1",
  "type": "module",
  "dependencies": {
    "@elastic/elasticsearch": "8.17.1",
    "fastify": "5.6.1",
    "pino": "9.12.0"
  }
"""
SEARCH_JS = """\
import { Client } from '@elastic/elasticsearch';

export const client = new Client({ node: config.search, maxRetries: 3, requestTimeout: 30000 });

export async function write(products) {
  const { errors, items } = await client.bulk({ operations: products.flatMap(operation), refresh: false });
  return errors ? items.filter((item) => item.update.error) : [];
}
"""
INDEXER = """\
@Component
class OrderIndexer {

    private static final int BATCH = 100;
    private static final Duration LINGER = Duration.ofMillis(500);

    private final ElasticsearchClient client;
    private final Outbox outbox;

    @Scheduled(fixedDelay = 500)
    void flush() throws IOException {
        var orders = outbox.oldest(BATCH);
        if (orders.isEmpty()) {
            return;
        }
        client.bulk(request -> request.index("orders-v7").operations(orders.stream().map(this::operation).toList()));
        outbox.remove(orders);
    }
}
"""
TERMS = """\
suggest:
  index: suggest-%G.%V
  every: 5m
  keep_weeks: 6
"""
FIELDS = """\
client:
  properties:
    ip: {type: ip}
    agent: {type: keyword, ignore_above: 256}
"""
SHAS = {
    name: hex_digits(random.Random(f"flood {name}"), 40)
    for name in ("heap", "spool", "client", "bulk", "terms", "fields")
}


def changes() -> list[dict[str, object]]:
    """Return what was changed, by time."""
    files = {
        "heap": {
            "clusters/shop/search/elasticsearch.yaml": (
                HEAP,
                HEAP.replace("-Xms6g -Xmx6g", "-Xms8g -Xmx8g").replace("12Gi", "16Gi"),
            )
        },
        "spool": {"audit/sink.py": (SINK, SINK_AFTER), "audit/spool.py": ("", SPOOL)},
        "client": {
            "package.json": (
                PACKAGE,
                PACKAGE.replace("8.17.1", "8.19.1").replace("3.41.1", "3.41.2"),
            ),
            "src/search.js": (
                SEARCH_JS,
                SEARCH_JS.replace(
                    "maxRetries: 3, requestTimeout: 30000",
                    "maxRetries: 5, requestTimeout: 20000, compression: true",
                ),
            ),
        },
        "bulk": {
            "src/main/java/com/example/orders/search/OrderIndexer.java": (
                INDEXER,
                INDEXER.replace("BATCH = 100", "BATCH = 500")
                .replace("ofMillis(500)", "ofSeconds(2)")
                .replace("fixedDelay = 500", "fixedDelay = 1_000"),
            )
        },
        "terms": {"config/suggest.yaml": (TERMS, TERMS.replace("keep_weeks: 6", "keep_weeks: 4"))},
        "fields": {
            "audit/mapping.yaml": (
                FIELDS,
                FIELDS.replace("type: ip}", "type: ip, ignore_malformed: true}"),
            )
        },
    }

    def commit(name: str, time: str, author: str, service: str, message: str) -> dict[str, object]:
        return {
            "type": "commit",
            "sha": SHAS[name],
            "time": time,
            "author": author,
            "service": service,
            "message": message,
            "diff": unified_diff(files[name]),
        }

    def deploy(name: str, time: datetime, service: str, version: str) -> dict[str, object]:
        return {
            "type": "deploy",
            "time": rfc3339(time),
            "service": service,
            "version": version,
            "sha": SHAS[name],
            "author": "shop-cd",
        }

    return [
        commit("heap", "2026-11-02T10:14:38Z", "i.brandt", "search", """\
Give the search nodes two more gigabytes of heap

Aggregations of the finance report collect often. The pods have the
memory since the node pool was renewed.
"""),
        {"type": "config", "time": "2026-11-06T14:02:55Z", "service": "search", "key": "indices.recovery.max_bytes_per_sec", "before": "40mb", "after": "60mb", "author": "i.brandt", "message": "A restart of one node took all evening to settle"},
        commit("spool", "2026-11-10T09:41:02Z", "t.okonjo", "audit-api", """\
Keep audit batches that nobody takes

Auditors accept a delay and no gap. Try three times, then put the batch
on the pod's own volume, from where the next start picks it up.
"""),
        commit("client", "2026-11-16T15:27:19Z", "e.vasquez", "catalog-api", """\
Move to the minor version that the search nodes run

The old client logs no trace ids. Compress bodies, try a little more
often and wait a little less.
"""),
        commit("bulk", "2026-11-17T07:31:44Z", "m.sandoval", "orders-api", """\
Send orders to search in larger batches

On sale days a hundred at a time does not keep up. Five hundred, and a
little patience to fill them.
"""),
        commit("terms", "2026-11-17T08:03:27Z", "e.vasquez", "suggest-builder", """\
Keep suggestions for four weeks

Older ones are never looked at.
"""),
        {"type": "event", "time": "2026-11-17T08:06:05Z", "host": "search-es-0", "author": "i.brandt", "message": "data-search-es-0 goes to volume class fast-2, online; the others follow next week"},
        deploy("bulk", ORDERS_OUT, "orders-api", "5.22.0"),
        deploy("client", CATALOG_OUT, "catalog-api", "3.41.2"),
        commit("fields", "2026-11-17T09:22:50Z", "t.okonjo", "audit-api", "Accept partner events without an address\n"),
    ]  # fmt: skip


# --- the truth --------------------------------------------------------------------------------------------------------

EXPECTED = {
    "service": "search-es-2",
    "also_ok": ["data-search-es-2"],
    "victims": ["orders-api", "catalog-api", "audit-api"],
    "cause": [
        ["disk*", "storage", "filesystem", "file system", "volume*", "space", "data path", "pvc", "persistent volume"],
        ["watermark*", "flood stage", "floodstage", "full", "filled", "filling", "fills", "read only", "readonly", "out of space", "out of disk", "no space", "ran out", "run out", "running out", "runs out", "exhaust*", "95", "under 5", "less than 5", "below 5", "at capacity"],
        [
            "full", "filled", "filling", "fills", "fill up", "out of space", "out of disk", "no space", "ran out", "run out", "running out", "runs out", "exhaust*", "write*", "writing", "indexing", "ingest*", "reject*", "crossed", "crosses", "crossing", "reached", "reaches", "reaching",
            "hit", "hits", "hitting", "breach*", "passed", "past", "over", "above", "went beyond", "surpass*", "went read only", "became read only", "turned read only", "made read only", "set read only", "put read only", "switched to read only", "forced read only", "indices are read only", "indices read only", "indexes read only",
            "its indices", "its indexes", "its shards", "block on", "blocks on", "blocking", "low on", "too little", "not enough", "at capacity", "grew", "growing", "grows", "three services", "trigger*", "enforc*", "impos*", "blocks", "causes", "causing", "leading to", "led to", "forc*", "stopp*", "prevent*",
        ],
    ],
    "must_not": [
        "is rate limit*", "being rate limit*", "rate limit* reject*", "rate limit* block*", "rate limit* cause*", "rate limited by", "exceed* rate limit*", "hit* rate limit*", "too many requests sent", "too many writes sent",
        "bulk size cause*", "bulk size overload*", "bulk size fill*", "bulk size filled", "larger batches cause*", "larger batches fill*", "larger batches filled", "larger batches overload*", "batches too large", "bulk requests too large", "batches of 500 fill*", "batches of 500 overload*", "batches of 500 cause*",
        "client library cause*", "client library broke", "client bump cause*", "client bump broke", "client upgrade cause*", "client upgrade broke", "new client cause*", "new client broke", "new client retries overload*", "compression cause*",
        "deprecat* cause*", "deprecat* block*", "frozen indices cause*", "malformed events cause*", "mapping error cause*", "mapping broke", "dropped events cause*",
        "disk failure", "disk failed", "disk broken", "disk error*", "disk corrupt*", "i o error*", "slow disk", "inode*", "disk is slow", "disk died",
        "watermark lowered", "watermark was changed", "watermark too low", "watermark misconfigured", "watermarks misconfigured", "watermarks too low",
        "search es 0 full", "search es 0 disk full", "search es 0 ran out", "search es 0 exceed*", "search es 0 crossed", "disk of search es 0 full", "search es 1 full", "search es 1 disk full", "search es 1 ran out", "search es 1 exceed*", "search es 1 crossed", "disk of search es 1 full",
        "all nodes full", "all three nodes full", "every node full", "fast 2 cause*", "move of search es 0 cause*", "volume class cause*", "volume class fill*", "volume move cause*", "volume migration cause*", "snapshot fill*", "snapshot filled", "snapshot cause*",
        "heap too small", "heap exhaust*", "garbage collection cause*", "gc overhead cause*", "recovery speed cause*", "recoveries fill*", "spool filled the disk", "spool fills the disk", "spool fill* disk", "audit api volume full", "var spool audit full", "disk of audit api full", "audit api disk full", "audit api ran out",
    ],
    "commit": "none",
}  # fmt: skip
DISTRACTORS = [
    {"commit": SHAS["bulk"], "why": "writes in larger batches, rolled out half an hour before the onset; the same orders a minute, and two other services are refused at the same second"},
    {"commit": SHAS["client"], "why": "a new version of the client, live five minutes before the onset; it wrote for two runs, and the others use other clients"},
    {"commit": SHAS["spool"], "why": "says the words of the loudest errors; it only keeps what came back, and keeps it on a volume of its own"},
    {"commit": SHAS["terms"], "why": "a retention, merged before the onset; it removes earlier and its index is the one that is still written"},
    {"commit": SHAS["fields"], "why": "the newest commit, after the onset"},
    {"commit": SHAS["heap"], "why": "the only change to the search nodes' manifest; heap is steady for two weeks"},
    {"noise": "a deprecated parameter of order searches", "match": "ignore_throttled", "why": "as frequent before as after"},
    {"noise": "partner events with a host name for an address", "match": "is not an IP string literal", "why": "a few an hour since before the window"},
    {"noise": "collections of the Java heap that take long", "match": "JvmGcMonitorService.*overhead", "why": "one an hour on every node"},
]  # fmt: skip
SAID = [
    {
        "phrase": "flood stage",
        "why": "Elasticsearch prints it every half minute and in every refusal",
    },
    {"phrase": "read only", "why": "the same lines, and the exporter's series of settings"},
    {"phrase": "95", "why": "the threshold in the same line"},
    {"phrase": "watermark*", "why": "Elasticsearch prints it at each of the thresholds"},
    {"phrase": "full", "why": "an everyday word"},
]
EXAMPLES = {
    "right": [
        "The disk of search-es-2 crossed the flood-stage watermark, so every index with a shard there went read-only and three services cannot write",
        "search-es-2 ran out of disk space; Elasticsearch put its read-only-allow-delete block on orders, catalog and audit",
        "Node search-es-2 hit the 95 % flood stage disk watermark and its indices are blocked for writes",
        "Data volume of search-es-2 is full",
        "Storage on search-es-2 filled up over hours, low, high, then flood stage; writers get 429 cluster_block_exception",
        "Elasticsearch blocks writes because the filesystem of search-es-2 is over 95 %",
        "The 429s are no rate limiting: the disk on search-es-2 reached the flood stage watermark",
        "search-es-2 has less than 5 % of its disk left, writes to indices on it are rejected",
        "Disk watermark exceeded on one data node, search-es-2, which makes its indices read-only",
        "The bulk size is innocent. search-es-2's disk is full and its shards are read-only",
        "Persistent volume of search-es-2 exhausted, no shard could be moved away, the cluster made all indices there read only",
        "Growing audit and order indices filled the disk of search-es-2 past the flood-stage watermark",
        "Disk usage on search-es-2 exceeded the flood-stage watermark (95%), so orders-v7, catalog-v31 and audit-2026.11 rejected writes with TOO_MANY_REQUESTS/12",
        "search-es-2 breached the flood stage watermark after running out of free disk; search-es-1 only reports it as master",
        "Writes blocked by index.blocks.read_only_allow_delete, since disk usage of search-es-2 rose above 95 percent",
    ],
    "wrong": [
        "Elasticsearch answers 429 to three services",
        "orders-api, catalog-api and audit-api are rate limited by Elasticsearch",
        "audit-api floods the cluster with too many requests",
        "The larger batches overload the cluster, bulk requests are too large and writes are rejected",
        "Larger batches of orders-api fill the disk to its watermark",
        "The client upgrade broke bulk writes of catalog-api while the disk was over its watermark",
        "audit-api's spool filled the disk of its pods, so writes are kept back",
        "The disk of search-es-0 is full after its move to fast-2",
        "search-es-1 exceeded the flood stage disk watermark and rejects writes",
        "The disk of search-es-2 is not full",
        "A full disk on search-es-2 was ruled out",
        "Perhaps the disk of search-es-2 is full, or perhaps the client is broken",
        "The flood stage watermark was lowered, so writes are blocked though the disk has space: watermark too low",
        "Disk failure on search-es-2 made its indices read-only and writes fail",
        "[2026-11-17T08:46:43,412][WARN ][o.e.c.r.a.DiskThresholdMonitor] [search-es-1] flood stage disk watermark [95%] exceeded on [Yb3vQxW0TtKq8nDzL5mRcA][search-es-2][/usr/share/elasticsearch/data] free: 9.8gb[4.9%], all indices on this node will be marked read-only",
        "index [orders-v7] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block]",
        "Long garbage collections on the search nodes slow down indexing",
        "Malformed partner events are refused by the audit index",
        "Deprecated search parameters cause the refusals, deprecation blocks writes",
        "Free disk space on search-es-2 rose after two shards moved away",
    ],
}  # fmt: skip


def logs() -> list[dict[str, object]]:
    """Write all lines and return the streams, one a pod or node."""
    for part in (orders, catalog, audit, suggest, cluster):
        part()
    places = [(node, "search", "elasticsearch") for node in NODES]
    places += [(pod, "orders-api", "spring-boot") for pod in ORDERS_OLD + ORDERS_NEW]
    places += [(pod, "catalog-api", "plain") for pod in CATALOG_OLD + CATALOG_NEW]
    places += [(pod, "audit-api", "python") for pod in AUDIT]
    places += [(SUGGEST, "suggest-builder", "python"), ("shop", "kubernetes", "kubernetes-event")]
    streams: list[dict[str, object]] = []
    for host, service, layout in places:
        zone = {"zone": "+00:00"} if layout in {"python", "elasticsearch"} else {}
        text = stream_text(line for line in STREAMS[host] if START <= line[0] < END)
        streams.append({"service": service, "host": host, "format": layout, **zone, "lines": text})
    return streams


def main() -> None:
    """Write the incident."""
    streams = logs()
    full_spool = later(sorted(EVENTS["spooled"])[19], 35).replace(microsecond=0)
    document = {
        "schema": "rcabench/1",
        "id": "es-disk-watermark",
        "title": "Elasticsearch disk watermark blocks writes for three services",
        "kind": "infrastructure",
        "difficulty": "hard",
        "canary": f"rcabench canary {uuid.UUID(int=random.Random('es-disk-watermark').getrandbits(128), version=4).hex}",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": streams,
        "metrics": metrics(),
        "changes": changes(),
        "alerts": [
            {
                "time": rfc3339(full_spool),
                "service": "audit-api",
                "metric": "audit_batches_total",
                "summary": "AuditDelayed: twenty batches or more wait in the spool",
            }
        ],
        "expected": EXPECTED | {"onset": rfc3339(FLOODED, digits=3)},
        "distractors": DISTRACTORS,
        "said_in_evidence": SAID,
        "examples": EXAMPLES,
    }
    write(document, Path(__file__).parents[1] / "held_out" / "es-disk-watermark.yaml")


if __name__ == "__main__":
    main()
