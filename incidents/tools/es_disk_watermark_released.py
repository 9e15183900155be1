"""Write `held_out/es-disk-watermark-released.yaml`: a node touches its first disk threshold, an old index goes, all is well.

Nothing is ever blocked: replicas would have gone elsewhere for three quarters of an hour.
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
    stamp,
    stream_text,
    unified_diff,
    utc,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RNG = random.Random(20261030)
START, END = utc("2026-10-30T12:00:00Z"), utc("2026-10-30T15:10:00Z")
SAMPLES, STEP = 95, 120
GIB = 1024**3
SIZE = 196.61 * GIB
MASTER = "search-es-0"
TOUCHED = "[pF7cXe2uRdq0WkZ9hJt4Sg][search-es-1][/usr/share/elasticsearch/data]"
ORDERS = ("orders-api-6f8b9d5c77-8dkvt", "orders-api-6f8b9d5c77-qm4xz")
CATALOG = ("catalog-api-77d5f9b8c4-hx9wl", "catalog-api-77d5f9b8c4-vb2rn")
AUDIT_OLD = ("audit-api-64c8d9f5b7-5tqhk", "audit-api-64c8d9f5b7-ztm8d")
AUDIT_NEW = ("audit-api-6d7fb94c58-gx6lp", "audit-api-6d7fb94c58-rk2wv")
SUGGEST = "suggest-builder-5b9c7d6f8-t6ncx"
AUDIT_OUT = utc("2026-10-30T12:51:40Z")
REMOVED = utc("2026-10-30T13:53:07.612Z")
STREAMS: dict[str, list[Line]] = {}
EVENTS: dict[str, list[datetime]] = {}


def later(time: datetime, count: float) -> datetime:
    """Return the time *count* seconds after *time*."""
    return time + timedelta(seconds=count)


def day(clock: str) -> datetime:
    """Return the time of day *clock* on the day of the window."""
    return utc(f"2026-10-30T{clock}Z")


def say(host: str, time: datetime, text: str, *, event: str = "") -> None:
    """Write *text* on *host*, and count the *event*."""
    STREAMS.setdefault(host, []).append((time, text))
    if event:
        EVENTS.setdefault(event, []).append(time)


# --- the volumes ------------------------------------------------------------------------------------------------------


def free_at(time: datetime) -> float:
    """Return the free bytes of search-es-1; it holds the primary of the index that goes at the end of its term."""
    minutes = (time - START).total_seconds() / 60
    return (31.31 - 0.0272 * minutes + (24.62 if time > REMOVED else 0.0)) * GIB


def elastic(node: str, time: datetime, level: str, logger: str, text: str) -> None:
    """Write one line of Elasticsearch."""
    say(node, time, f"{stamp(time, 'elasticsearch')}[{level:<5}][{logger:<25}] [{node}] {text}")


def watch() -> None:
    """Write what the master says of the volumes, which it sees every 30 s."""
    exceeded = False
    for time in periodic(RNG, later(START, 21.8), END, 30, jitter_s=0.02):
        free = free_at(time) + RNG.gauss(0, 0.002) * GIB
        share = free / SIZE * 100
        if (share < 15) == exceeded:
            continue
        exceeded = not exceeded
        about = f"{TOUCHED} free: {decimal(free / GIB)}gb[{decimal(share)}%]"
        text = (
            f"exceeded on {about}, replicas will not be assigned to this node"
            if exceeded
            else f"no longer exceeded on {about}"
        )
        elastic(
            MASTER,
            time,
            "INFO",
            "o.e.c.r.a.DiskThresholdMonitor",
            f"low disk watermark [85%] {text}",
        )


def decimal(value: float) -> str:
    """Return *value* cut to one decimal, or to none where that is 0, as Elasticsearch prints sizes."""
    return f"{int(value * 10) / 10:g}"


TERM = (
    "wait-for-shard-history-leases",
    "wait-until-time-series-end-time-passes",
    "cleanup-snapshot",
    "delete",
)


def end_of_term() -> None:
    """Write how the index of August is removed, at the next poll after its term was set to ninety days."""
    before, time = '{"phase":"hot","action":"complete","name":"complete"}', later(REMOVED, -1.41)
    for name in TERM:
        step = f'{{"phase":"delete","action":"delete","name":"{name}"}}'
        elastic(
            MASTER,
            time,
            "INFO",
            "o.e.x.i.IndexLifecycleTransition",
            f"moving index [audit-2026.08] from [{before}] to [{step}] in policy [audit-retention]",
        )
        before, time = step, later(time, RNG.uniform(0.2, 0.4))
    elastic(
        MASTER,
        REMOVED,
        "INFO",
        "o.e.c.m.MetadataDeleteIndexService",
        "[audit-2026.08/J0y6uTnLRqOe3cVfW8sKxA] deleting index",
    )


# --- who writes -------------------------------------------------------------------------------------------------------


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


DEPRECATED = (
    "request [POST http://search-http:9200/orders-v7/_search?typed_keys=true&ignore_throttled=true] returned 1 warnings: "
    '[299 Elasticsearch-8.19.4-aa0e3f9c1d5b7a2846f0c8d1e3b5972604fadc18 "[ignore_throttled] parameter is deprecated because frozen '
    'indices have been deprecated. Consider cold or frozen tiers in place of frozen indices."]'
)
MAIL_REFUSED = """\
confirmation of order {order} not sent

org.springframework.mail.MailSendException: Failed messages: jakarta.mail.SendFailedException: Invalid Addresses;
  nested exception is:
\tcom.sun.mail.smtp.SMTPAddressFailedException: 550 5.1.1 mailbox unavailable
\tat org.springframework.mail.javamail.JavaMailSenderImpl.doSend(JavaMailSenderImpl.java:489) ~[spring-context-support-6.2.11.jar!/:6.2.11]
\tat com.example.orders.mail.Confirmations.send(Confirmations.java:58) ~[!/:5.20.2]"""


def orders() -> None:
    """Write what orders-api does: orders come in, go to the search index, and are looked up; some addresses are wrong."""
    number = 741377
    for time in arrivals(RNG, later(START, 3), later(END, -9), 1.2):
        number += RNG.randint(1, 3)
        host, thread = RNG.choice(ORDERS), f"http-nio-8080-exec-{RNG.randint(1, 10)}"
        spring(
            host,
            time,
            "INFO",
            thread,
            "c.e.orders.OrderController",
            f"order {number} placed, {RNG.randint(1, 9)} lines",
            event="placed",
        )
        flush = later(time, RNG.uniform(0.4, 1.1))
        spring(
            host,
            flush,
            "INFO",
            "order-indexer-1",
            "c.e.orders.search.OrderIndexer",
            f"write of 1 order to orders-v7 took {RNG.randint(9, 38)} ms: {number}",
            event="orders indexed",
        )
        if RNG.random() < 0.1:
            spring(
                host,
                later(time, 1.9),
                "ERROR",
                "mail-1",
                "c.e.orders.mail.Confirmations",
                MAIL_REFUSED.format(order=number),
                event="mail refused",
            )
    for time in arrivals(RNG, later(START, 8), later(END, -9), 1.1):
        host, thread = RNG.choice(ORDERS), f"http-nio-8080-exec-{RNG.randint(1, 10)}"
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
            )


def catalog() -> None:
    """Write what catalog-api does: it answers searches, and writes the changes of the assortment every four minutes."""
    words = (
        "rain coat",
        "boots 42",
        "scarf",
        "wool hat",
        "gloves",
        "umbrella red",
        "parka",
        "socks",
        "backpack",
        "jumper",
    )
    for time in arrivals(RNG, later(START, 2), later(END, -4), 1.9):
        say(
            RNG.choice(CATALOG),
            time,
            f'{rfc3339(time, digits=3)} INFO search "{RNG.choice(words)}" {RNG.randint(3, 480)} hits {RNG.randint(5, 44)} ms',
            event="catalog read",
        )
    busy = 9  # the run that meets a long collection
    for run, time in enumerate(
        periodic(RNG, later(START, 131), later(END, -25), 240, jitter_s=2.5)
    ):
        count, done = RNG.randint(18, 90), time
        if run == busy:
            late = RNG.randint(2, 9)
            say(
                CATALOG[0],
                time,
                f"{rfc3339(time, digits=3)} WARN assortment: {late} of {count} items came back, first 429 circuit_breaking_exception: {TOO_LARGE}, again in 4 s",
                event="catalog again",
            )
            done = later(time, 4.07)
        say(
            CATALOG[0],
            done,
            f"{rfc3339(done, digits=3)} INFO assortment: {count} products written to catalog-v29 in {RNG.randint(60, 240) + (4007 if run == busy else 0)} ms",
            event="catalog written",
        )


TOO_LARGE = (
    "[parent] Data too large, data for [indices:data/write/bulk[s]] would be [6124781064/5.7gb], which is larger than the limit of "
    "[6120328396/5.6gb], real usage: [6124708352/5.7gb], new bytes reserved: [72712/71kb]"
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
    """Write what audit-api does: a batch a minute on each pod, from another pod after the rollout."""
    for n, (old, new) in enumerate(zip(AUDIT_OLD, AUDIT_NEW, strict=True)):
        switched = later(AUDIT_OUT, 35 * n + 9)
        for number, time in enumerate(
            periodic(RNG, later(START, 17 + 19 * n), later(END, -20), 60, jitter_s=0.7),
            11790 + 9000 * n,
        ):
            host = new if time >= switched else old
            python(
                host,
                time,
                "INFO",
                f"audit.sink | batch {number}: {RNG.randint(310, 520)} events to audit-2026.10, {RNG.randint(70, 190)} ms",
                event="batch",
            )
            if RNG.random() < 0.09:
                name, gate = hex_digits(RNG, 20), RNG.randint(1, 4)
                python(
                    host,
                    later(time, 0.02),
                    "ERROR",
                    f"audit.schema | event {name} dropped: field [client.ip] of type [ip]: 'gw-{gate}.partner.example.invalid' is not an IP string literal.",
                    event="bad event",
                )
        python(old, later(switched, 0.6), "INFO", "audit.main | told to stop, batch handed over")
        python(
            new,
            later(switched, -6.2),
            "INFO",
            "audit.main | audit-api 2.31.0, elasticsearch-py 8.19.1",
        )
        python(
            new,
            later(switched, -5.9),
            "WARNING",
            "audit.main | no batch number yet, asking the other pod",
        )
        python(new, later(switched, -4.4), "INFO", "audit.main | ready")


def suggest() -> None:
    """Write what suggest-builder does."""
    for time in periodic(RNG, later(START, 95), later(END, -5), 300, jitter_s=3):
        python(
            SUGGEST,
            time,
            "INFO",
            f"suggest.build | {RNG.randint(900, 1400)} terms written to suggest-2026.44 in {RNG.randint(310, 620)} ms",
            event="suggest",
        )


# --- the cluster ------------------------------------------------------------------------------------------------------

NODE_LINES = """\
12:07:55,480 search-es-0 INFO o.e.c.m.MetadataMappingService [audit-2026.10/aD8wZr1kQ6mYx4TvLpNc2w] update_mapping [_doc]
12:22:41,019 search-es-2 INFO o.e.m.j.JvmGcMonitorService [gc][871204] overhead, spent [291ms] collecting in the last [1s]
12:38:12,336 search-es-1 WARN o.e.m.j.JvmGcMonitorService [gc][872135] overhead, spent [604ms] collecting in the last [1.1s]
12:46:02,114 search-es-0 INFO o.e.x.s.SnapshotLifecycleTask snapshot lifecycle policy [six-hourly] issuing create snapshot [six-hourly-2026.10.30-w7d2nb5jqki]
12:46:02,290 search-es-0 INFO o.e.s.SnapshotsService snapshot [backup:six-hourly-2026.10.30-w7d2nb5jqki/m3KfZ0bTQ9yWv7RjXc5PdA] started
12:53:39,807 search-es-0 INFO o.e.s.SnapshotsService snapshot [backup:six-hourly-2026.10.30-w7d2nb5jqki/m3KfZ0bTQ9yWv7RjXc5PdA] completed with state [SUCCESS]
13:30:00,003 search-es-0 INFO o.e.x.m.MlDailyMaintenanceService triggering scheduled [ML] maintenance tasks
13:30:00,021 search-es-0 INFO o.e.x.m.MlDailyMaintenanceService Successfully completed [ML] maintenance task: triggerDeleteExpiredDataTask
13:37:26,952 search-es-1 INFO o.e.m.j.JvmGcMonitorService [gc][875688] overhead, spent [279ms] collecting in the last [1s]
14:19:47,668 search-es-2 WARN o.e.m.j.JvmGcMonitorService [gc][878224] overhead, spent [577ms] collecting in the last [1.1s]
14:33:10,245 search-es-0 INFO o.e.c.m.MetadataMappingService [orders-v7/sB1kLr9wQ3Sx5nPzVt8eYg] update_mapping [_doc]
14:51:33,731 search-es-1 INFO o.e.m.j.JvmGcMonitorService [gc][880131] overhead, spent [268ms] collecting in the last [1s]"""
CLUSTER = """\
12:15:00 Normal SuccessfulCreate CronJob/price-feed Created job price-feed-29889375
12:15:39 Normal Completed Job/price-feed-29889375 Job completed
{rollout}
13:15:00 Normal SuccessfulCreate CronJob/price-feed Created job price-feed-29889435
13:15:37 Normal Completed Job/price-feed-29889435 Job completed
13:58:21 Warning Unhealthy Pod/suggest-builder-5b9c7d6f8-t6ncx Liveness probe failed: Get "http://10.36.3.17:8081/live": context deadline exceeded (Client.Timeout exceeded while awaiting headers)
14:15:00 Normal SuccessfulCreate CronJob/price-feed Created job price-feed-29889495
14:15:42 Normal Completed Job/price-feed-29889495 Job completed"""


def cluster() -> None:
    """Write what the nodes and Kubernetes say."""
    watch()
    end_of_term()
    for line in NODE_LINES.splitlines():
        clock, node, level, logger, text = line.split(" ", 4)
        elastic(node, day(clock.replace(",", ".")), level, logger, text)
    before, after = (pods[0].rsplit("-", 1)[0] for pods in (AUDIT_OLD, AUDIT_NEW))
    rollout = "\n".join(
        f"{later(AUDIT_OUT, 35 * n + wait):%H:%M:%S} Normal {text}"
        for n in (0, 1)
        for wait, text in (
            (
                0,
                f"ScalingReplicaSet Deployment/audit-api Scaled up replica set {after} from {n} to {n + 1}",
            ),
            (0, f"SuccessfulCreate ReplicaSet/{after} Created pod: {AUDIT_NEW[n]}"),
            (
                0,
                f"Scheduled Pod/{AUDIT_NEW[n]} Successfully assigned shop/{AUDIT_NEW[n]} to shop-w{2 + n}",
            ),
            (1, f"Started Pod/{AUDIT_NEW[n]} Started container audit-api"),
            (
                9,
                f"ScalingReplicaSet Deployment/audit-api Scaled down replica set {before} from {2 - n} to {1 - n}",
            ),
            (9, f"Killing Pod/{AUDIT_OLD[n]} Stopping container audit-api"),
        )
    )
    for line in CLUSTER.format(rollout=rollout).splitlines():
        clock, text = line.split(" ", 1)
        say("shop", day(clock), f"{stamp(day(clock), 'kubernetes-event')} {text}")


# --- metrics ----------------------------------------------------------------------------------------------------------


def metrics() -> list[dict[str, object]]:
    """Return the series, one sample every two minutes."""
    found: list[dict[str, object]] = []

    def add(service: str, name: str, unit: str, values: Sequence[float]) -> None:
        found.append(
            {
                "name": name,
                "service": service,
                "unit": unit,
                "start": rfc3339(START),
                "step_s": STEP,
                "values": values,
            }
        )

    def count(service: str, name: str, unit: str, event: str, first: int) -> None:
        add(service, name, unit, counted(EVENTS[event], START, STEP, SAMPLES, first=first))

    def at(index: int) -> datetime:
        return later(START, index * STEP)

    levels: dict[str, Callable[[int], float]] = {
        "search-es-0": lambda k: (44.8 - 0.004 * k) * GIB,
        "search-es-1": lambda k: free_at(at(k)),
        "search-es-2": lambda k: (36.2 - 0.049 * k + (24.62 if at(k) > REMOVED else 0)) * GIB,
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
    for node, writes in (("search-es-0", 590), ("search-es-1", 1690), ("search-es-2", 2140)):
        add(
            "search",
            f'elasticsearch_indices_indexing_index_total{{name="{node}"}}',
            "documents",
            counter(RNG, SAMPLES, writes, start=RNG.randint(50_000_000, 70_000_000)),
        )
        add(
            "search",
            f'elasticsearch_indices_search_query_total{{name="{node}"}}',
            "queries",
            counter(RNG, SAMPLES, 6100, start=RNG.randint(150_000_000, 300_000_000), spread=0.05),
        )
        add(
            "search",
            f'elasticsearch_jvm_memory_used_bytes{{area="heap",name="{node}"}}',
            "bytes",
            gauge(RNG, SAMPLES, 3.7 * GIB, 0.6 * GIB, low=1.9 * GIB, high=5.5 * GIB),
        )
    add(
        "search",
        'elasticsearch_cluster_health_status{cluster="search",color="green"}',
        "state",
        [1] * SAMPLES,
    )
    add(
        "search",
        'elasticsearch_cluster_health_relocating_shards{cluster="search"}',
        "shards",
        [0] * SAMPLES,
    )
    add(
        "search",
        'elasticsearch_indices_settings_stats_read_only_indices{cluster="search"}',
        "indices",
        [0] * SAMPLES,
    )
    count("orders-api", "orders_placed_total", "orders", "placed", 32604)
    count("orders-api", "orders_indexed_total", "orders", "orders indexed", 32604)
    placed = zip(EVENTS["placed"], EVENTS["orders indexed"], strict=True)
    waits = list(placed)
    add(
        "orders-api",
        "orders_outbox_size",
        "orders",
        [sum(came <= at(k) < went for came, went in waits) for k in range(SAMPLES)],
    )
    count("orders-api", "orders_confirmations_refused_total", "mails", "mail refused", 3011)
    add(
        "orders-api",
        "http_server_requests_seconds_p95",
        "seconds",
        gauge(RNG, SAMPLES, 0.079, 0.008, digits=3),
    )
    count("catalog-api", "catalog_search_requests_total", "requests", "catalog read", 7204877)
    count(
        "catalog-api",
        'catalog_assortment_runs_total{outcome="written"}',
        "runs",
        "catalog written",
        1874,
    )
    count("audit-api", 'audit_batches_total{outcome="sent"}', "batches", "batch", 20790)
    add("audit-api", 'audit_batches_total{outcome="spooled"}', "batches", [14] * SAMPLES)
    count("audit-api", "audit_events_dropped_total", "events", "bad event", 402)
    add(
        "audit-api",
        "process_resident_memory_bytes",
        "bytes",
        [4096 * pages for pages in gauge(RNG, SAMPLES, 50840, 600)],
    )
    count("suggest-builder", "suggest_runs_total", "runs", "suggest", 1190)
    return found


# --- changes ----------------------------------------------------------------------------------------------------------

POLICY = """\
{
  "policy": {
    "phases": {
      "hot": {"actions": {"set_priority": {"priority": 100}}},
      "delete": {"min_age": "120d", "actions": {"delete": {}}}
    }
  }
}
"""
BATCH = """\
class OrderIndexer {

    private static final int BATCH = 250;
    private static final Duration LINGER = Duration.ofSeconds(1);
    private static final int PARALLEL = 2;

    private final ElasticsearchClient client;
    private final Outbox outbox;
"""
REQUIREMENTS = """\
elasticsearch==8.17.2
fastapi==0.118.0
orjson==3.11.3
uvicorn==0.37.0
"""
CLIENT = """\
def connect(settings: Settings) -> Elasticsearch:
    return Elasticsearch(
        settings.search_url,
        request_timeout=30,
        max_retries=3,
        retry_on_status=[502, 503, 504],
    )
"""
CLIENT_AFTER = """\
def connect(settings: Settings) -> Elasticsearch:
    return Elasticsearch(
        settings.search_url,
        request_timeout=20,
        max_retries=3,
        retry_on_timeout=True,
        http_compress=True,
        retry_on_status=[429, 502, 503, 504],
    )
"""
EVENT = """\
class Event(BaseModel):
    actor: str
    action: str
    client: Client
    at: datetime
"""
SYNONYMS = """\
coat, jacket, parka
boots, wellingtons
jumper, sweater
"""
SHAS = {
    name: hex_digits(random.Random(f"released {name}"), 40)
    for name in ("policy", "batch", "client", "event", "synonyms")
}


def changes() -> list[dict[str, object]]:
    """Return what was changed, by time."""
    files = {
        "policy": {
            "clusters/shop/search/ilm/audit-retention.json": (POLICY, POLICY.replace("120d", "90d"))
        },
        "batch": {
            "src/main/java/com/example/orders/search/OrderIndexer.java": (
                BATCH,
                BATCH.replace("BATCH = 250", "BATCH = 100").replace(
                    "ofSeconds(1)", "ofMillis(500)"
                ),
            )
        },
        "client": {
            "requirements.txt": (REQUIREMENTS, REQUIREMENTS.replace("8.17.2", "8.19.1")),
            "audit/search.py": (CLIENT, CLIENT_AFTER),
        },
        "event": {
            "audit/event.py": (
                EVENT,
                EVENT.replace(
                    "    client: Client\n",
                    "    client: Client\n    tenant: str = Field(max_length=64)\n    reason: str | None = Field(default=None, max_length=2000)\n",
                ),
            )
        },
        "synonyms": {
            "config/synonyms.txt": (SYNONYMS, SYNONYMS + "beanie, wool hat\nrucksack, backpack\n")
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

    def deploy(name: str, time: str, service: str, version: str) -> dict[str, object]:
        return {
            "type": "deploy",
            "time": time,
            "service": service,
            "version": version,
            "sha": SHAS[name],
            "author": "shop-cd",
        }

    return [
        commit("batch", "2026-10-27T14:11:09Z", "m.sandoval", "orders-api", """\
Send orders to search in smaller batches

Two hundred and fifty were never reached; a hundred leave sooner.
"""),
        deploy("batch", "2026-10-28T09:02:31Z", "orders-api", "5.20.2"),
        {"type": "config", "time": "2026-10-29T13:40:12Z", "service": "search", "key": "cluster.routing.allocation.node_concurrent_recoveries", "before": "4", "after": "2", "author": "i.brandt", "message": "Back to the default after the move to the new pool"},
        commit("client", "2026-10-30T11:37:52Z", "t.okonjo", "audit-api", """\
Move the search client to the version of the nodes

Compress bodies, wait a little less, and treat a busy node like an
unreachable one.
"""),
        deploy("client", rfc3339(AUDIT_OUT), "audit-api", "2.31.0"),
        commit("event", "2026-10-30T12:58:15Z", "t.okonjo", "audit-api", """\
Let an event say its tenant and a reason

For the support desk. The fields are optional until every sender knows
them; nobody sends them yet.
"""),
        commit("policy", "2026-10-30T13:31:05Z", "i.brandt", "search", """\
Keep audit indices for ninety days

Legal settled on three months; what is older lies in the archive bucket.
"""),
        commit("synonyms", "2026-10-30T13:41:36Z", "e.vasquez", "suggest-builder", "Know two more words for winter\n"),
        {"type": "config", "time": "2026-10-30T13:46:32Z", "service": "search", "key": "ilm/audit-retention delete.min_age", "before": "120d", "after": "90d", "author": "search-cd", "message": "Applied from main"},
    ]  # fmt: skip


DISTRACTORS = [
    {"commit": SHAS["client"], "why": "rolled out a quarter of an hour before the first threshold; batches go as before, and the free space fell at the same rate before it"},
    {"commit": SHAS["event"], "why": "longer audit events, merged ten minutes before the first threshold; never deployed in the window"},
    {"commit": SHAS["batch"], "why": "another size of batches, live for two days; orders are indexed within a second"},
    {"commit": SHAS["policy"], "why": "removes an index of audit events, as it is meant to; nobody reads or writes that one"},
    {"noise": "partner events with a host name for an address", "match": "is not an IP string literal", "why": "a few an hour since before the window"},
    {"noise": "confirmations to mailboxes that do not exist", "match": "550 5.1.1 mailbox unavailable", "why": "one order in ten, all the time"},
    {"noise": "a deprecated parameter of order searches", "match": "ignore_throttled", "why": "one search in three, all the time"},
    {"noise": "a node that is short of heap for a moment", "match": "circuit_breaking_exception", "why": "once, during a long collection; the run is repeated after four seconds and written whole"},
]  # fmt: skip


def logs() -> list[dict[str, object]]:
    """Write all lines and return the streams, one a pod or node."""
    for part in (orders, catalog, audit, suggest, cluster):
        part()
    places = [(f"search-es-{n}", "search", "elasticsearch") for n in range(3)]
    places += [(pod, "orders-api", "spring-boot") for pod in ORDERS]
    places += [(pod, "catalog-api", "plain") for pod in CATALOG]
    places += [(pod, "audit-api", "python") for pod in AUDIT_OLD + AUDIT_NEW]
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
    document = {
        "schema": "rcabench/1",
        "id": "es-disk-watermark-released",
        "title": "Low disk watermark touched, and released by the end of an index's term",
        "kind": "healthy",
        "difficulty": "hard",
        "twin_of": "es-disk-watermark",
        "canary": f"rcabench canary {uuid.UUID(int=random.Random('es-disk-watermark-released').getrandbits(128), version=4).hex}",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": streams,
        "metrics": metrics(),
        "changes": changes(),
        "alerts": [
            {
                "time": "2026-10-30T13:19:30Z",
                "service": "search",
                "metric": "elasticsearch_filesystem_data_available_bytes",
                "summary": "SearchVolumeUse: a data volume of cluster search has less than 15 % free for ten minutes",
            }
        ],
        "distractors": DISTRACTORS,
    }
    write(document, Path(__file__).parents[1] / "held_out" / "es-disk-watermark-released.yaml")


if __name__ == "__main__":
    main()
