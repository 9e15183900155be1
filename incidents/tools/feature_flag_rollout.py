"""Write `held_out/feature-flag-rollout.yaml`: a flag goes from 5 % to 50 %, and with it code that cannot divide.

A basket keeps the engine that it was opened with, so the effect comes with new baskets.
"""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
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
    from collections.abc import Iterator, Sequence

RNG = random.Random(123)
START, END = utc("2026-11-03T12:30:00Z"), utc("2026-11-03T14:05:00Z")
SAMPLES = 95
RAISED = utc("2026-11-03T13:14:22Z")
FREIGHT_RAISED = utc("2026-11-03T13:15:31Z")
ROLLED_OUT = utc("2026-11-03T13:08:20Z")
# Each pod asks for the flags every 30 s, and began at a second of its own.
PRICING = {
    "pricing-api-5d8c7b9f64-4kzqm": 11.2,
    "pricing-api-5d8c7b9f64-h9vtx": 23.7,
    "pricing-api-5d8c7b9f64-wr2nc": 4.9,
}
OLD_PORTAL = ("trade-portal-7f6d5c8b49-6mxkd", "trade-portal-7f6d5c8b49-tq8hv")
NEW_PORTAL = ("trade-portal-64b9cdd78f-2plrw", "trade-portal-64b9cdd78f-zs5jn")
SWITCHED = (utc("2026-11-03T13:08:41Z"), utc("2026-11-03T13:09:04Z"))
CHECKOUT = ("checkout-api-6c97f4d8b5-d7fkp", "checkout-api-6c97f4d8b5-vn4wz")
ERP = "erp-sync-59c8b7d6f4-k8mrt"
EDGE = "edge-nginx-1"


def later(time: datetime, count: float) -> datetime:
    """Return the time *count* seconds after *time*."""
    return time + timedelta(seconds=count)


@dataclass
class Basket:
    """What one buyer puts together, at which prices."""

    number: int
    customer: int
    bucket: float
    freight_bucket: float
    rebate: str
    positions: int
    address: str
    on: bool = False


@dataclass
class World:
    """Everything that was written, by pod, and when what happened."""

    lines: dict[str, list[Line]] = field(default_factory=dict)
    quotes: dict[tuple[str, str], list[datetime]] = field(default_factory=dict)
    exposures: dict[tuple[str, str], list[datetime]] = field(default_factory=dict)
    events: dict[str, list[datetime]] = field(default_factory=dict)
    placed: int = 410266
    first_failure: datetime | None = None

    def add(self, host: str, time: datetime, text: str) -> None:
        """Write *text* on *host*."""
        self.lines.setdefault(host, []).append((time, text))

    def count(self, name: str, time: datetime) -> None:
        """Count an event of that *name*."""
        self.events.setdefault(name, []).append(time)


WORLD = World()
CUSTOMERS = [
    (
        20000 + RNG.randint(0, 79) + 80 * n,
        RNG.random(),
        RNG.random(),
        RNG.choice(("15.00", "20.00", "25.00", "40.00", "12.50"))
        if RNG.random() < 0.45
        else "0.00",
    )
    for n in range(600)
]

# --- pricing-api -----------------------------------------------------------------------------------------------

ENGINE = """\
package com.example.pricing.engine.v2;

import com.example.pricing.engine.Engine;
import com.example.pricing.engine.Priced;
import com.example.pricing.engine.PricedPosition;
import com.example.pricing.quote.QuoteRequest;
import com.example.pricing.terms.CustomerTerms;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

/** Prices position by position, so that an invoice can show what each one saved. */
@Component
class PriceEngineV2 implements Engine {

    private final RebateSplit split;
    private final Scale scale;

    PriceEngineV2(RebateSplit split, Scale scale) {
        this.split = split;
        this.scale = scale;
    }

    @Override
    public Priced price(QuoteRequest request, CustomerTerms terms) {
        List<PricedPosition> priced = new ArrayList<>(request.positions().size());
        BigDecimal saved = split.perPosition(terms.rebate(), request.positions().size());
        for (var position : request.positions()) {
            var list = scale.unitPrice(position, terms).multiply(position.quantity());
            priced.add(new PricedPosition(position, list, saved));
        }
        return Priced.of(priced);
    }
}
"""
SPLIT = """\
package com.example.pricing.engine.v2;

import java.math.BigDecimal;
import org.springframework.stereotype.Component;

/** Spreads the agreed rebate of an order over its positions. */
@Component
class RebateSplit {

    BigDecimal perPosition(BigDecimal rebate, int positions) {
        if (rebate.signum() == 0) {
            return BigDecimal.ZERO;
        }
        return rebate.divide(BigDecimal.valueOf(positions));
    }
}
"""
SELECTOR = """\
package com.example.pricing.engine;

import com.example.pricing.quote.QuoteRequest;
import com.example.pricing.terms.CustomerTerms;
import org.springframework.stereotype.Component;

/** Hands a request to the engine that prices it. */
@Component
public class EngineSelector {

    private final Engine engine;

    EngineSelector(Engine engine) {
        this.engine = engine;
    }

    public Priced price(QuoteRequest request, CustomerTerms terms) {
        return engine.price(request, terms);
    }
}
"""
SELECTOR_AFTER = """\
package com.example.pricing.engine;

import com.example.pricing.flags.Flags;
import com.example.pricing.quote.QuoteRequest;
import com.example.pricing.terms.CustomerTerms;
import org.springframework.stereotype.Component;

/** Hands a request to the engine that its basket was opened with. */
@Component
public class EngineSelector {

    private final Engine v1;
    private final Engine v2;
    private final Flags flags;

    EngineSelector(Engine priceEngineV1, Engine priceEngineV2, Flags flags) {
        this.v1 = priceEngineV1;
        this.v2 = priceEngineV2;
        this.flags = flags;
    }

    public Priced price(QuoteRequest request, CustomerTerms terms) {
        boolean next = flags.forBasket("new-price-engine", request.basket(), request.customer());
        return (next ? v2 : v1).price(request, terms);
    }
}
"""


def line_of(text: str, part: str) -> int:
    """Return the number of the first line of *text* that holds *part*."""
    return next(n for n, line in enumerate(text.splitlines(), 1) if part in line)


TRACE = f"""\

java.lang.ArithmeticException: Non-terminating decimal expansion; no exact representable decimal result.
\tat java.base/java.math.BigDecimal.divide(BigDecimal.java:1780) ~[na:na]
\tat com.example.pricing.engine.v2.RebateSplit.perPosition(RebateSplit.java:{line_of(SPLIT, ".divide(")}) ~[!/:6.8.2]
\tat com.example.pricing.engine.v2.PriceEngineV2.price(PriceEngineV2.java:{line_of(ENGINE, "split.per")}) ~[!/:6.8.2]
\tat com.example.pricing.engine.EngineSelector.price(EngineSelector.java:{line_of(SELECTOR_AFTER, "(next ?")}) ~[!/:6.8.2]
\tat com.example.pricing.quote.QuoteController.quote(QuoteController.java:52) ~[!/:6.8.2]
\tat java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103) ~[na:na]
\tat java.base/java.lang.reflect.Method.invoke(Method.java:580) ~[na:na]"""


def spring(host: str, time: datetime, level: str, thread: str, logger: str, message: str) -> None:
    """Write one line of pricing-api as Spring Boot's console layout prints it."""
    head = f"{stamp(time, 'spring-boot')} {level:>5} 1 --- [pricing-api]"
    WORLD.add(host, time, f"{head} [{thread[-15:]:>15}] {logger:<40} : {message}")


def seen(flag_time: datetime, host: str) -> datetime:
    """Return when the pod *host* sees a flag that was set at *flag_time*: at its next poll."""
    since = ((flag_time - START).total_seconds() - PRICING[host]) % 30
    return later(flag_time, 30 - since + 0.2)


def divides(rebate: str, positions: int) -> bool:
    """Return whether *rebate* over *positions* is a decimal that ends."""
    rest = Fraction(rebate) / positions
    below = rest.denominator
    for prime in (2, 5):
        while below % prime == 0:
            below //= prime
    return below == 1


def quote(time: datetime, basket: Basket, caller: str) -> str:
    """Ask for prices of *basket*; return `priced`, `failed`, or `unlisted` where an article has no price."""
    host = RNG.choice(list(PRICING))
    freight = basket.freight_bucket < (0.5 if time >= seen(FREIGHT_RAISED, host) else 0.1)
    engine = "v2" if basket.on else "v1"
    unlisted = RNG.random() < 0.006
    failed = basket.on and not unlisted and not divides(basket.rebate, basket.positions)
    outcome = "unlisted" if unlisted else "failed" if failed else "priced"
    if START <= time < later(END, -1):
        WORLD.quotes.setdefault((engine, outcome), []).append(time)
        flags = {"new-price-engine": basket.on, "tiered-freight": freight}
        for key, on in flags.items():
            WORLD.exposures.setdefault((key, "on" if on else "off"), []).append(time)
        variants = ", ".join(f"{key}={'on' if on else 'off'}" for key, on in flags.items())
        took = (
            round(RNG.lognormvariate(2.75 if basket.on else 2.6, 0.35))
            if not failed
            else RNG.randint(4, 9)
        )
        about = (
            f"quote {hex_digits(RNG, 8)} basket=B-{basket.number} customer=C-{basket.customer} "
            f"positions={basket.positions} rebate={basket.rebate} caller={caller} variants=[{variants}]"
        )
        thread = f"http-nio-8080-exec-{RNG.randint(1, 10)}"
        controller = "c.e.pricing.quote.QuoteController"
        if failed:
            WORLD.count("failed", time)
            if time > RAISED and WORLD.first_failure is None:
                WORLD.first_failure = time
            spring(host, time, "ERROR", thread, controller, f"{about} not priced\n{TRACE}")
        elif unlisted:
            article = RNG.randint(71000, 79999)
            spring(
                host,
                time,
                "WARN",
                thread,
                controller,
                f"{about} no list price for article {article}",
            )
        else:
            total = basket.positions * RNG.uniform(18, 140)
            spring(host, time, "INFO", thread, controller, f"{about} total={total:.2f} {took} ms")
    return outcome


# --- who asks -----------------------------------------------------------------------------------------------------


def portal_pod(time: datetime) -> str:
    """Return a trade-portal pod that takes requests at *time*."""
    n = RNG.randint(0, 1)
    return NEW_PORTAL[n] if time >= SWITCHED[n] else OLD_PORTAL[n]


def access(time: datetime, basket: Basket, request: str, status: int, size: int) -> None:
    """Write the line of the edge for one request."""
    took = RNG.uniform(0.03, 0.14)
    WORLD.add(
        EDGE,
        later(time, took),
        f'{basket.address} - - {stamp(later(time, took), "nginx-access")} "{request} HTTP/2.0" {status} {size} '
        f'"https://trade.example.invalid/basket/B-{basket.number}" "{AGENTS[basket.customer % len(AGENTS)]}" {took:.3f}',
    )
    WORLD.count(f"edge {status}", later(time, took))


AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
)


def show(time: datetime, basket: Basket) -> None:
    """Show a basket page, without prices where there are none."""
    pod = portal_pod(time)
    outcome = quote(later(time, 0.011), basket, "trade-portal")
    access(time, basket, f"POST /basket/B-{basket.number}/positions", 200, RNG.randint(5200, 14800))
    WORLD.count("page", time)
    done = later(time, 0.03)
    if outcome == "failed":
        WORLD.count("priceless", done)
        WORLD.add(
            pod,
            done,
            f"{rfc3339(done, digits=3)} ERROR quote for basket B-{basket.number} answered 500 Internal Server Error",
        )
        WORLD.add(
            pod,
            later(done, 0.001),
            f"{rfc3339(later(done, 0.001), digits=3)} WARN basket B-{basket.number} rendered with prices on request",
        )
    elif RNG.random() < 0.25:
        WORLD.add(
            pod,
            done,
            f"{rfc3339(done, digits=3)} INFO basket B-{basket.number} saved, {basket.positions} positions",
        )


def check_out(time: datetime, basket: Basket) -> None:
    """Place the order of *basket*; it waits where there is no price."""
    pod = RNG.choice(CHECKOUT)
    outcome = quote(later(time, 0.02), basket, "checkout-api")
    done = later(time, 0.05)
    WORLD.placed += 1
    name = f"order W-{WORLD.placed} basket=B-{basket.number}"
    head = f"{stamp(done, 'python')} - checkout"
    if outcome == "failed":
        WORLD.add(
            pod,
            done,
            f"{head}.orders - ERROR - {name} final quote answered 500, nothing to confirm",
        )
        WORLD.add(
            pod,
            later(done, 0.002),
            f"{stamp(later(done, 0.002), 'python')} - checkout.parking - WARNING - {name} parked for the sales desk",
        )
        WORLD.count("parked", done)
        access(time, basket, f"POST /basket/B-{basket.number}/order", 202, 611)
    else:
        WORLD.add(
            pod, done, f"{head}.orders - INFO - {name} confirmed, {basket.positions} positions"
        )
        WORLD.count("confirmed", done)
        access(time, basket, f"POST /basket/B-{basket.number}/order", 201, RNG.randint(1900, 2400))


def shop() -> None:
    """Open baskets, fill and order them."""
    for number, opened in enumerate(
        arrivals(RNG, later(START, -1500), later(END, -8), 1.8), 338120
    ):
        customer, bucket, freight, rebate = RNG.choice(CUSTOMERS)
        basket = Basket(
            number,
            customer,
            bucket,
            freight,
            rebate,
            RNG.randint(1, 4),
            f"{RNG.choice(('203.0.113', '198.51.100'))}.{customer % 250 + 2}",
        )
        share = 0.5 if opened >= seen(RAISED, RNG.choice(list(PRICING))) else 0.05
        basket.on = bucket < share
        time = opened
        for _ in range(RNG.choice((2, 3, 3, 4, 5, 6, 7))):
            if START <= time < later(END, -6):
                show(time, basket)
            time = later(time, 20 + RNG.expovariate(1 / 130))
            basket.positions += RNG.choice((0, 1, 1, 1, 2, 3))
        if RNG.random() < 0.55 and later(START, 2) <= time < later(END, -6):
            check_out(time, basket)


# --- the rest -----------------------------------------------------------------------------------------------------

BENIGN = """\
12:41:07.318|pricing-api-5d8c7b9f64-h9vtx|INFO|pricing-terms-1|c.e.pricing.terms.TermsCache|terms of 4212 customers loaded in 1893 ms
12:52:30.044|pricing-api-5d8c7b9f64-wr2nc|WARN|HikariPool-1 housekeeper|com.zaxxer.hikari.pool.HikariPool|HikariPool-1 - Thread starvation or clock leap detected (housekeeper delta=46s118ms).
12:56:19.702|pricing-api-5d8c7b9f64-4kzqm|INFO|pricing-terms-1|c.e.pricing.terms.TermsCache|terms of 4212 customers loaded in 1764 ms
13:11:08.126|pricing-api-5d8c7b9f64-wr2nc|INFO|pricing-terms-1|c.e.pricing.terms.TermsCache|terms of 4212 customers loaded in 1822 ms
13:41:07.455|pricing-api-5d8c7b9f64-h9vtx|INFO|pricing-terms-1|c.e.pricing.terms.TermsCache|terms of 4213 customers loaded in 1907 ms
13:56:19.880|pricing-api-5d8c7b9f64-4kzqm|INFO|pricing-terms-1|c.e.pricing.terms.TermsCache|terms of 4213 customers loaded in 1790 ms"""
CLUSTER = """\
12:30:14 Warning Unhealthy Pod/erp-sync-59c8b7d6f4-k8mrt Readiness probe failed: Get "http://10.42.3.19:9000/ready": context deadline exceeded (Client.Timeout exceeded while awaiting headers)
12:40:01 Normal SuccessfulCreate CronJob/price-list-export Created job price-list-export-29895160
12:40:19 Normal Completed Job/price-list-export-29895160 Job completed
12:40:19 Normal SawCompletedJob CronJob/price-list-export Saw completed job: price-list-export-29895160, condition: Complete
13:08:21 Normal ScalingReplicaSet Deployment/trade-portal Scaled up replica set trade-portal-64b9cdd78f from 0 to 1
13:08:21 Normal SuccessfulCreate ReplicaSet/trade-portal-64b9cdd78f Created pod: trade-portal-64b9cdd78f-2plrw
13:08:22 Normal Scheduled Pod/trade-portal-64b9cdd78f-2plrw Successfully assigned trade/trade-portal-64b9cdd78f-2plrw to trade-w2
13:08:23 Normal Pulling Pod/trade-portal-64b9cdd78f-2plrw Pulling image "registry.example.invalid/trade/trade-portal:9.31.0"
13:08:29 Normal Pulled Pod/trade-portal-64b9cdd78f-2plrw Successfully pulled image "registry.example.invalid/trade/trade-portal:9.31.0" in 5.918s (5.918s including waiting). Image size: 148220417 bytes.
13:08:29 Normal Started Pod/trade-portal-64b9cdd78f-2plrw Started container trade-portal
13:08:40 Normal ScalingReplicaSet Deployment/trade-portal Scaled down replica set trade-portal-7f6d5c8b49 from 2 to 1
13:08:40 Normal SuccessfulDelete ReplicaSet/trade-portal-7f6d5c8b49 Deleted pod: trade-portal-7f6d5c8b49-6mxkd
13:08:40 Normal Killing Pod/trade-portal-7f6d5c8b49-6mxkd Stopping container trade-portal
13:08:41 Normal ScalingReplicaSet Deployment/trade-portal Scaled up replica set trade-portal-64b9cdd78f from 1 to 2
13:08:41 Normal SuccessfulCreate ReplicaSet/trade-portal-64b9cdd78f Created pod: trade-portal-64b9cdd78f-zs5jn
13:08:41 Normal Scheduled Pod/trade-portal-64b9cdd78f-zs5jn Successfully assigned trade/trade-portal-64b9cdd78f-zs5jn to trade-w4
13:08:43 Normal Pulling Pod/trade-portal-64b9cdd78f-zs5jn Pulling image "registry.example.invalid/trade/trade-portal:9.31.0"
13:08:50 Normal Pulled Pod/trade-portal-64b9cdd78f-zs5jn Successfully pulled image "registry.example.invalid/trade/trade-portal:9.31.0" in 6.204s (6.204s including waiting). Image size: 148220417 bytes.
13:08:50 Normal Started Pod/trade-portal-64b9cdd78f-zs5jn Started container trade-portal
13:09:03 Normal ScalingReplicaSet Deployment/trade-portal Scaled down replica set trade-portal-7f6d5c8b49 from 1 to 0
13:09:03 Normal SuccessfulDelete ReplicaSet/trade-portal-7f6d5c8b49 Deleted pod: trade-portal-7f6d5c8b49-tq8hv
13:09:03 Normal Killing Pod/trade-portal-7f6d5c8b49-tq8hv Stopping container trade-portal
13:40:01 Normal SuccessfulCreate CronJob/price-list-export Created job price-list-export-29895220
13:40:20 Normal Completed Job/price-list-export-29895220 Job completed
13:40:20 Normal SawCompletedJob CronJob/price-list-export Saw completed job: price-list-export-29895220, condition: Complete"""
ERP_TRACE = """\
Traceback (most recent call last):
  File "/srv/erp_sync/tasks.py", line 4, in pull_articles
    for article in erp.changed_articles(cursor, limit=200, timeout=20):
  File "/srv/erp_sync/erp.py", line 61, in changed_articles
    response = self._session.get(self._url, params=query, timeout=timeout)
requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='erp.example.invalid', port=8443): Read timed out. (read timeout=20)"""
PORTAL_STARTS = ("13:08:30", "13:08:51")


def day(clock: str) -> datetime:
    """Return the time of day *clock* on the day of the window."""
    return utc(f"2026-11-03T{clock}Z")


def others() -> None:
    """Write what does not depend on prices."""
    for line in BENIGN.splitlines():
        clock, host, level, thread, logger, message = line.split("|")
        spring(host, day(clock), level, thread, logger, message)
    for line in CLUSTER.splitlines():
        clock, text = line.split(" ", 1)
        WORLD.add("trade", day(clock), f"{stamp(day(clock), 'kubernetes-event')} {text}")
    for n, clock in enumerate(PORTAL_STARTS):
        for offset, text in (
            (0.417, "starting trade-portal 9.31.0 on node v22.11.0"),
            (2.108, "templates compiled, 41 views"),
            (3.266, "listening on :3000"),
        ):
            time = later(day(clock), offset + n * 0.3)
            WORLD.add(NEW_PORTAL[n], time, f"{rfc3339(time, digits=3)} INFO {text}")
        time = later(SWITCHED[n], -0.4)
        for offset, text in ((0.0, "SIGTERM received, draining"), (1.2, "closed, bye")):
            WORLD.add(
                OLD_PORTAL[n],
                later(time, offset),
                f"{rfc3339(later(time, offset), digits=3)} INFO {text}",
            )
    WORLD.add(
        OLD_PORTAL[0],
        day("12:43:51.206"),
        f"{rfc3339(day('12:43:51.206'), digits=3)} WARN no messages for locale sv-FI, using sv",
    )
    deprecated()
    sync()
    for time in periodic(RNG, later(START, 22), END, 40, jitter_s=0.4):
        waiting = sum(at < time for at in WORLD.events.get("parked", ()))
        level, text = (
            ("WARNING", f"{waiting} orders wait at the sales desk")
            if waiting
            else ("INFO", f"{waiting} orders wait at the sales desk")
        )
        WORLD.add(
            CHECKOUT[0], time, f"{stamp(time, 'python')} - checkout.parking - {level} - {text}"
        )


def deprecated() -> None:
    """Write the old noise: purchasing systems of buyers that still call the first API."""
    for time in arrivals(RNG, later(START, 4), later(END, -4), 0.95):
        buyer = RNG.choice(("PunchOut/2.1", "SRM-Connect/4.0", "PunchOut/2.1", "ocitool/1.7"))
        text = f"deprecated endpoint GET /api/v1/basket/total called by {buyer}, use /api/v3/baskets (sunset 2027-03-31)"
        if all(abs((time - at).total_seconds()) > 3 for at in SWITCHED):
            WORLD.add(portal_pod(time), time, f"{rfc3339(time, digits=3)} WARN {text}")
            WORLD.count("deprecated", time)


def sync() -> None:
    """Write what erp-sync does: it copies articles, and the ERP is slow now and then."""
    for n, time in enumerate(periodic(RNG, later(START, 41), later(END, -30), 180, jitter_s=1.5)):
        head = f"{stamp(time, 'celery')}INFO/MainProcess]"
        task = f"erp_sync.tasks.pull_articles[{uuid.UUID(int=RNG.getrandbits(128), version=4)}]"
        WORLD.add(ERP, time, f"{head} Task {task} received")
        took = RNG.uniform(3.1, 6.8)
        done = later(time, took)
        worker = f"ForkPoolWorker-{1 + n % 2}"
        if n % 4 == 0:
            done = later(time, 20.02)
            WORLD.add(
                ERP,
                done,
                f"{stamp(done, 'celery')}ERROR/{worker}] Task {task} raised unexpected: ReadTimeout(ReadTimeoutError(\"HTTPSConnectionPool(host='erp.example.invalid', port=8443): Read timed out. (read timeout=20)\"))\n{ERP_TRACE}",
            )
            WORLD.count("erp failed", done)
        else:
            WORLD.add(
                ERP,
                done,
                f"{stamp(done, 'celery')}INFO/{worker}] Task {task} succeeded in {took:.3f}s: {RNG.randint(0, 31)}",
            )


# --- metrics ------------------------------------------------------------------------------------------------------


def by_portal_pod(
    level: float, noise: float, digits: int
) -> Iterator[tuple[str, list[float | None]]]:
    """Yield each trade-portal pod and its samples around *level* while it runs."""
    for old, new, switched in zip(OLD_PORTAL, NEW_PORTAL, SWITCHED, strict=True):
        for pod in (old, new):
            values = gauge(RNG, SAMPLES, level, noise, low=0.004, digits=digits)
            yield (
                pod,
                [
                    value if (later(START, 60 * k) < switched) == (pod == old) else None
                    for k, value in enumerate(values)
                ],
            )


def metrics() -> list[dict[str, object]]:
    """Return the series, one sample a minute; those of requests count what the logs show."""
    found: list[dict[str, object]] = []

    def add(service: str, name: str, unit: str, values: Sequence[float | None]) -> None:
        found.append(
            {
                "name": name,
                "service": service,
                "unit": unit,
                "start": rfc3339(START),
                "step_s": 60,
                "values": values,
            }
        )

    def count(service: str, name: str, unit: str, times: list[datetime], first: int) -> None:
        add(service, name, unit, counted(times, START, 60, SAMPLES, first=first))

    api, portal, checkout, kube = "pricing-api", "trade-portal", "checkout-api", "kubernetes"
    for engine, outcome, first in (
        ("v1", "priced", 61874),
        ("v1", "unlisted", 377),
        ("v2", "priced", 2688),
        ("v2", "failed", 541),
        ("v2", "unlisted", 18),
    ):
        count(
            api,
            f'pricing_quotes_total{{engine="{engine}",outcome="{outcome}"}}',
            "quotes",
            WORLD.quotes.get((engine, outcome), []),
            first,
        )
    for key, variant, first in (
        ("new-price-engine", "on", 3247),
        ("new-price-engine", "off", 62251),
        ("tiered-freight", "on", 6481),
        ("tiered-freight", "off", 59017),
    ):
        count(
            api,
            f'flag_evaluations_total{{flag="{key}",variant="{variant}"}}',
            "evaluations",
            WORLD.exposures.get((key, variant), []),
            first,
        )
    for pod, started in zip(
        PRICING,
        ("2026-10-29T09:16:42Z", "2026-10-29T09:17:31Z", "2026-10-29T09:18:20Z"),
        strict=True,
    ):
        add(
            kube,
            f'kube_pod_start_time{{namespace="trade",pod="{pod}"}}',
            "seconds",
            [int(utc(started).timestamp())] * SAMPLES,
        )
    add(
        kube,
        'kube_deployment_status_observed_generation{namespace="trade",deployment="pricing-api"}',
        "generation",
        [87] * SAMPLES,
    )
    add(
        kube,
        'kube_deployment_status_observed_generation{namespace="trade",deployment="trade-portal"}',
        "generation",
        staircase([(ROLLED_OUT, 214)], START, 60, SAMPLES, first=213),
    )
    add(
        kube,
        'kube_deployment_status_replicas_available{namespace="trade",deployment="pricing-api"}',
        "pods",
        [3] * SAMPLES,
    )
    for name, first in (("page", 71902), ("priceless", 433), ("deprecated", 9120)):
        title = {
            "page": "portal_basket_pages_total",
            "priceless": 'portal_basket_pages_total{prices="on_request"}',
            "deprecated": 'portal_api_requests_total{version="v1"}',
        }[name]
        count(portal, title, "requests", WORLD.events[name], first)
    for title, unit, level, noise, digits in (
        ("nodejs_eventloop_lag_p99_seconds", "seconds", 0.0141, 0.0019, 4),
        ("nodejs_heap_size_used_bytes", "bytes", 96e6, 7e6, 0),
    ):
        for pod, values in by_portal_pod(level, noise, digits):
            add(portal, f'{title}{{pod="{pod}"}}', unit, values)
    parked = WORLD.events["parked"]
    count(checkout, "checkout_orders_confirmed_total", "orders", WORLD.events["confirmed"], 10412)
    count(checkout, "checkout_orders_parked", "orders", parked, 1)
    add(
        checkout,
        "process_resident_memory_bytes",
        "bytes",
        [m * 4096 for m in gauge(RNG, SAMPLES, 46210, 380)],
    )
    for status, first in (("200", 180233), ("201", 10412), ("202", 66)):
        count(
            "edge-nginx",
            f'nginx_http_requests_total{{status="{status}"}}',
            "requests",
            WORLD.events.get(f"edge {status}", []),
            first,
        )
    add(
        "pricing-db",
        'pg_stat_database_numbackends{datname="pricing"}',
        "connections",
        gauge(RNG, SAMPLES, 21, 0.8, low=18),
    )
    add(
        "pricing-db",
        'pg_stat_database_xact_commit{datname="pricing"}',
        "transactions",
        counter(RNG, SAMPLES, 640, start=88120417, spread=0.05),
    )
    count(
        "erp-sync",
        'celery_task_failed_total{name="erp_sync.tasks.pull_articles"}',
        "tasks",
        WORLD.events["erp failed"],
        1206,
    )
    return found


# --- changes ------------------------------------------------------------------------------------------------------

PARKING = """\
\"\"\"Orders that cannot be confirmed at once: they wait for the sales desk and are never lost.\"\"\"

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from checkout.baskets import Basket
from checkout.mail import Mailer
from checkout.store import OrderStore

log = logging.getLogger("checkout.parking")
REMIND_AFTER = timedelta(hours=2)


@dataclass(frozen=True)
class ParkedOrder:
    \"\"\"An order, the basket it came from, and why nothing could be confirmed.\"\"\"

    order: str
    customer: str
    basket: str
    positions: int
    rebate: str
    reason: str
    since: datetime

    def is_due(self, now: datetime) -> bool:
        \"\"\"Return whether the sales desk should hear of it again.\"\"\"
        return now - self.since > REMIND_AFTER


class Parking:
    \"\"\"Where orders wait until somebody at the sales desk takes them.\"\"\"

    def __init__(self, store: OrderStore, mailer: Mailer) -> None:
        self._store = store
        self._mailer = mailer

    def park(self, order: str, basket: Basket, reason: str) -> ParkedOrder:
        \"\"\"Keep *order* and tell the sales desk.\"\"\"
        parked = ParkedOrder(
            order, basket.customer, basket.id, basket.positions, basket.rebate, reason, datetime.now(UTC)
        )
        self._store.save_parked(parked)
        self._mailer.to_sales_desk(
            subject=f"Order {order} waits for a quote",
            lines=[
                f"basket {basket.id} of customer {basket.customer}, total on request",
                f"{basket.positions} positions with a rebate of {basket.rebate}",
                f"final quote answered {reason}, or no list price: nothing to confirm yet",
            ],
        )
        log.warning("order %s basket=%s parked for the sales desk", order, basket.id)
        return parked

    def release(self, order: str) -> None:
        \"\"\"Forget *order*, which the sales desk has taken.\"\"\"
        self._store.delete_parked(order)
        log.info("order %s taken by the sales desk", order)

    def remind(self, now: datetime) -> int:
        \"\"\"Mail once about all orders that have waited too long; return how many wait.\"\"\"
        waiting = self._store.all_parked()
        due = [parked for parked in waiting if parked.is_due(now)]
        if due:
            self._mailer.to_sales_desk(
                subject=f"{len(due)} orders have waited for more than two hours",
                lines=[f"{parked.order} since {parked.since:%H:%M}" for parked in due],
            )
        level = logging.WARNING if waiting else logging.INFO
        log.log(level, "%d orders wait at the sales desk", len(waiting))
        return len(waiting)
"""
ORDERS = """\
    def place(self, basket: Basket) -> Placed:
        quote = self._quotes.final(basket)
        if quote.status != 200:
            log.error("order %s basket=%s final quote answered %d", self.next, basket.id, quote.status)
            raise NoQuote(basket.id)
        return self._confirm(basket, quote)
"""
TAX = """\
package com.example.pricing.tax;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** The tax that is shown beside each position. */
final class ShownTax {

    static BigDecimal of(BigDecimal net, BigDecimal percent) {
        return net.multiply(percent).divide(BigDecimal.valueOf(100), 4, RoundingMode.HALF_UP);
    }
}
"""
TEXTS = """\
basket.title=Your basket
basket.empty=There is nothing here yet.
basket.rebate=Your agreed rebate
basket.prices.on_request=Prices on request
basket.freight=Freight
basket.order=Order now
"""
ARTICLES = """\
@app.task(name="erp_sync.tasks.pull_articles", acks_late=True)
def pull_articles() -> int:
    changed = []
    page = 0
    while True:
        got = erp.articles(since=cursor.load(), page=page, limit=500, timeout=30)
        changed.extend(got)
        page += 1
        if len(got) < 500:
            break
    for article in changed:
        catalogue.upsert(article)
    cursor.save()
    return len(changed)
"""
ARTICLES_AFTER = """\
@app.task(name="erp_sync.tasks.pull_articles", acks_late=True)
def pull_articles() -> int:
    count = 0
    for article in erp.changed_articles(cursor, limit=200, timeout=20):
        catalogue.upsert(article)
        count += 1
    return count
"""
FOOTER = """\
<footer class="foot">
  <a href="/terms">Terms of trade</a>
  <a href="/contact">Contact</a>
</footer>
"""
SHAS = {
    name: hex_digits(random.Random(f"trade {name}"), 40)
    for name in ("articles", "engine", "parking", "tax", "texts", "footer")
}
V2 = "src/main/java/com/example/pricing/engine/"


def changes() -> list[dict[str, object]]:
    """Return what was changed, by time."""
    files = {
        "articles": {"erp_sync/tasks.py": (ARTICLES, ARTICLES_AFTER)},
        "engine": {
            f"{V2}EngineSelector.java": (SELECTOR, SELECTOR_AFTER),
            f"{V2}v2/PriceEngineV2.java": ("", ENGINE),
            f"{V2}v2/RebateSplit.java": ("", SPLIT),
        },
        "parking": {
            "checkout/parking.py": ("", PARKING),
            "checkout/orders.py": (
                ORDERS,
                ORDERS.replace(
                    'answered %d", self', 'answered %d, nothing to confirm", self'
                ).replace(
                    "raise NoQuote(basket.id)",
                    "return Placed.later(self._parking.park(self.next, basket, str(quote.status)))",
                ),
            ),
            "tests/test_parking.py": (
                "",
                "def test_an_order_without_a_quote_waits(parking, store, basket):\n    parking.park('W-1', basket(positions=3, rebate='0.00'), '500 Internal Server Error')\n\n    assert [p.order for p in store.all_parked()] == ['W-1']\n",
            ),
            "checkout/templates/placed_later.html": (
                "",
                "<h1>Thank you</h1>\n<p>Our sales desk confirms your order and its prices by mail.</p>\n",
            ),
        },
        "tax": {
            "src/main/java/com/example/pricing/tax/ShownTax.java": (
                TAX,
                TAX.replace(
                    "100), 4, RoundingMode.HALF_UP)", "100)).setScale(2, RoundingMode.HALF_EVEN)"
                ),
            )
        },
        "texts": {
            "locales/en/basket.properties": (
                TEXTS,
                TEXTS.replace("Prices on request", "We confirm your prices by mail")
                .replace(
                    "There is nothing here yet.",
                    "Your basket is empty. Add articles by number or by file.",
                )
                .replace("Order now", "Order with obligation to pay"),
            )
        },
        "footer": {
            "views/footer.html": (
                FOOTER,
                FOOTER.replace(
                    '  <a href="/contact', '  <a href="/privacy">Privacy</a>\n  <a href="/contact'
                ),
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

    def deploy(name: str, time: str, service: str, version: str) -> dict[str, object]:
        return {
            "type": "deploy",
            "time": time,
            "service": service,
            "version": version,
            "sha": SHAS[name],
            "author": "trade-cd",
        }

    def flag(
        key: str, time: str, before: str, after: str, author: str, message: str
    ) -> dict[str, object]:
        return {
            "type": "flag",
            "time": time,
            "key": key,
            "before": before,
            "after": after,
            "author": author,
            "message": message,
        }

    return [
        commit("articles", "2026-10-08T14:20:05Z", "l.moreau", "erp-sync", """\
Pull fewer articles at a time

The ERP counts rows of all tenants. Two hundred a call keeps us under
its quota in the mornings, and the paging goes to where the cursor is.
"""),
        deploy("articles", "2026-10-08T15:02:48Z", "erp-sync", "2.14.3"),
        commit("engine", "2026-10-12T09:33:51Z", "n.castellanos", "pricing-api", """\
Price position by position in a second engine

Invoices should show what each position saved. The first engine takes
the rebate off the total and stays the default.
"""),
        flag("new-price-engine", "2026-10-29T10:05:12Z", "on for 0 %", "on for 5 %", "n.castellanos", "First customers, by agreement with finance"),
        commit("parking", "2026-11-02T08:47:30Z", "g.haddad", "checkout-api", """\
Keep orders that cannot be confirmed at once

A buyer who has typed forty article numbers must not see an error page.
Such orders wait for the sales desk, who call back within two hours and
confirm by hand. The desk hears of each by mail and again after two hours.
"""),
        deploy("parking", "2026-11-02T13:26:09Z", "checkout-api", "4.9.0"),
        commit("tax", "2026-11-03T12:54:16Z", "n.castellanos", "pricing-api", """\
Show the tax of a position with two digits

Accounting compares the column with the invoice line by line, and four
digits were two too many. Half even, as the invoice has it.
"""),
        commit("texts", "2026-11-03T12:59:43Z", "b.oyelaran", "trade-portal", """\
Say in the basket what legal asked for

New wording for the button and two friendlier lines.
"""),
        deploy("texts", rfc3339(ROLLED_OUT), "trade-portal", "9.31.0"),
        flag("new-price-engine", rfc3339(RAISED), "on for 5 %", "on for 50 %", "n.castellanos", "Second step of the plan"),
        flag("tiered-freight", rfc3339(FREIGHT_RAISED), "on for 10 %", "on for 50 %", "s.ivarsen", "Second step, agreed with logistics"),
        commit("footer", "2026-11-03T13:38:02Z", "b.oyelaran", "trade-portal", "Link the privacy notice\n"),
    ]  # fmt: skip


# --- the truth ----------------------------------------------------------------------------------------------------

EXPECTED = {
    "service": "pricing-api",
    "also_ok": ["price-engine-v2", "priceenginev2"],
    "victims": ["checkout-api", "trade-portal"],
    "cause": [
        ["feature flag", "flag", "flags", "flagged", "flip*", "toggle*", "feature toggle", "rollout", "rolled out", "roll out", "rolling out", "ramp*", "experiment", "percentage", "launchdarkly"],
        [
            "new price engine", "price engine", "pricing engine", "new engine", "second engine", "engine v2", "v2", "priceenginev2", "new pricing", "per position", "position by position",
            "rebate split*", "rebatesplit", "pricing flag", "price flag", "pricing api flag", "pricing rollout", "pricing api rollout", "new pricing path",
        ],
        [
            "raised", "raising", "raises", "raise", "increas*", "ramp*", "widen*", "expand*", "expos*", "rolled out to", "rollout to", "rolling out", "roll out to", "rollout of", "stepped up", "step to", "bumped", "moved to",
            "went to", "went from", "set to", "changed from", "changed to", "jump* to", "from 5", "5 to 50", "to 50", "at 50", "50 percent", "half of", "half the", "ten times", "tenfold", "10x", "more customers", "more baskets", "more traffic",
            "enabled", "enabling", "turned on", "switched on", "switch* to", "activated", "on for 50", "second step", "put * behind", "sent to", "sends", "routes", "routed", "routing", "moves", "shifted", "flip* to", "flipped on", "flag flip",
        ],
    ],
    "must_not": [
        "from 50 to 5", "flag lowered", "flag reduced", "rollout reduced", "rollout lowered", "flag was disabled at",
        "tiered freight cause*", "tiered freight break*", "tiered freight broke", "tiered freight flag raised", "tiered freight raised", "tiered freight rollout to", "raised tiered freight", "tiered freight fail*", "tiered freight made", "tiered freight makes", "turning tiered freight on", "turned tiered freight on", "tiered freight trigger*",
        "tiered freight increas*", "tiered freight turned on", "freight flag cause*", "freight flag broke", "freight flag break*", "freight flag raised", "freight tiers cause*", "freight tiers break*",
        "tax rounding cause*", "tax rounding broke", "tax rounding wrong", "tax commit cause*", "tax change cause*", "tax change broke", "tax commit broke", "caused by tax", "regression in tax",
        "copy text cause*", "copy text broke", "copy change cause*", "wording broke", "wording cause*", "portal 9 31 0 broke", "portal deploy cause*", "portal release cause*", "portal release broke", "9 31 0 cause*",
        "parking cause*", "parking feature broke", "parking broke", "deprecated endpoint cause*", "deprecated endpoints cause*", "deprecated calls cause*", "deprecated calls overload*", "punchout cause*",
        "erp timeout cause*", "erp time outs cause*", "erp is slow", "list price missing", "missing list price*", "articles without list price cause*", "clock leap cause*", "thread starvation cause*", "trouble thread starvation",
        "new release of pricing", "new version of pricing", "pricing api deploy cause*", "pricing api deploy broke", "deploy of pricing api cause*", "deploy of pricing api broke", "pricing api restarted", "flag service down", "flag service unavailable", "flags could not be", "flag polling fail*",
    ],
    "commit": "none",
    "contributing": [SHAS["engine"]],
}  # fmt: skip
DISTRACTORS = [
    {"commit": SHAS["texts"], "why": "rolled out six minutes before the flip and a text for missing prices; only the portal's pods are new, and checkout fails too"},
    {"commit": SHAS["tax"], "why": "a BigDecimal of pricing-api, merged before the onset; no pod of pricing-api is younger than five days and the version in the traces is the old one"},
    {"commit": SHAS["parking"], "why": "says the words of the warnings; it only keeps what failed, and has run since the day before"},
    {"commit": SHAS["articles"], "why": "shortened the time limit that the ERP now and then exceeds; weeks old and as frequent before as after"},
    {"commit": SHAS["footer"], "why": "the newest commit, after the onset and never deployed"},
    {"noise": "purchasing systems that call the first API", "match": "deprecated endpoint GET /api/v1", "why": "one a minute since before the window"},
    {"noise": "the ERP that does not answer in time", "match": "pull_articles\\[.*ReadTimeout", "why": "every twelve minutes since before the window"},
    {"noise": "articles without a list price", "match": "no list price for article", "why": "either engine, before and after"},
]  # fmt: skip
SAID = [
    {
        "phrase": "new price engine",
        "why": "pricing-api logs and counts which variant of each flag a quote got",
    },
    {"phrase": "tiered freight", "why": "the same line and counter name the other flag"},
]
EXAMPLES = {
    "right": [
        "The feature flag new-price-engine was raised from 5 % to 50 %, and the new engine divides rebates without rounding",
        "Rollout of new-price-engine to half of the customers exposes PriceEngineV2's ArithmeticException",
        "new-price-engine 5% -> 50%: the flag sends ten times as many baskets through the V2 path, which throws",
        "A flag flip, no deploy: PriceEngineV2 was ramped to 50 percent and cannot split some rebates",
        "The percentage rollout of the V2 price engine went from 5 to 50, failures grew with it",
        "Flag change at 13:14 enabled the new price engine for half of the traffic; it fails where the rebate does not divide evenly",
        "pricing-api serves engine v2 to many more customers since the toggle was turned up to 50 %, and v2 throws ArithmeticException",
        "The dormant V2 code is exposed by the flag; one in six of its quotes fails",
        "The copy-text release is not the cause. The flag new-price-engine was increased to 50 %",
        "Ramping the pricing flag tenfold put BigDecimal.divide without scale in front of half the buyers",
        "Errors only on variant on: the new-price-engine flag was widened to 50 % without a release of pricing-api",
        "tiered-freight is unrelated; what matters is that the flag for the new engine was stepped up from 5 %",
        "A rollout step moved new-price-engine to 50 %, RebateSplit divides without a rounding mode",
        "Feature flag enabled the faulty V2 pricing engine for 50% of baskets",
        "At 13:14:22 the new-price-engine feature flag was increased from 5% to 50%, routing far more quotes to PriceEngineV2, whose RebateSplit calls BigDecimal.divide without a rounding mode and throws ArithmeticException",
        "new-price-engine rollout to 50 % exposed a latent bug in the V2 engine; no pricing-api deploy happened and the tax commit is not deployed",
        "Increasing new-price-engine from on for 5 % to on for 50 % by its feature flag exposed baskets with a rebate to a division without MathContext",
        "Flag-driven exposure of PriceEngineV2 jumped tenfold. The tiered-freight flag was raised too, but it plays no part",
    ],
    "wrong": [
        "pricing-api answers 500 to one quote in twelve",
        "ArithmeticException in PriceEngineV2.RebateSplit",
        "A regression in pricing-api, caused by the tax rounding commit",
        "checkout-api parks orders because the final quote fails",
        "trade-portal 9.31.0 broke the basket page six minutes before",
        "The flag tiered-freight was raised to 50 % and breaks quotes in the price engine",
        "tiered-freight rollout to 50 % makes the new engine fail",
        "The flag new-price-engine was lowered from 50 % to 5 %",
        "The flag new-price-engine was reduced from 50 % to 5 %, which exposes the old engine",
        "The flag new-price-engine was not raised",
        "A rollout of the new price engine to 50 % was ruled out",
        "Perhaps the flag for the new engine was raised, or perhaps the tax rounding is wrong",
        "Deprecated endpoint calls overload the portal while the new price engine is rolled out to 50 %, deprecated calls cause the errors",
        "The ERP is slow, so articles have no list price",
        "The new release of pricing-api rolled out the V2 engine to everybody and it was enabled without tests",
        "quote 5f1c22aa basket=B-338180 positions=6 rebate=25.00 variants=[new-price-engine=on, tiered-freight=off] not priced java.lang.ArithmeticException: Non-terminating decimal expansion",
        "Turning tiered-freight on for 50 % makes the price engine fail",
        "Quotes fail for baskets whose number of positions is a multiple of three",
        "More customers with rebates order today, so more quotes fail",
        "The flag service is down and pricing-api falls back to the new engine, now enabled for all: flag polling fails",
        "Connection pool trouble in pricing-api: thread starvation or clock leap detected",
    ],
}  # fmt: skip


def logs() -> list[dict[str, object]]:
    """Write all lines and return the streams, one a pod."""
    shop()
    others()
    places = [(EDGE, "edge-nginx", "nginx-access")]
    places += [(pod, "trade-portal", "plain") for pod in OLD_PORTAL + NEW_PORTAL]
    places += [(pod, "checkout-api", "python") for pod in CHECKOUT]
    places += [(pod, "pricing-api", "spring-boot") for pod in PRICING]
    places += [(ERP, "erp-sync", "celery"), ("trade", "kubernetes", "kubernetes-event")]
    streams: list[dict[str, object]] = []
    for host, service, layout in places:
        zone = {"zone": "+00:00"} if layout in {"python", "celery"} else {}
        text = stream_text(line for line in WORLD.lines[host] if START <= line[0] < END)
        streams.append({"service": service, "host": host, "format": layout, **zone, "lines": text})
    return streams


def main() -> None:
    """Write the incident."""
    streams = logs()
    parked = sorted(WORLD.events["parked"])
    fourth = later(parked[3], 40).replace(microsecond=0)
    onset = WORLD.first_failure
    if onset is None:
        raise SystemExit("no quote failed")
    document = {
        "schema": "rcabench/1",
        "id": "feature-flag-rollout",
        "title": "Feature-flag rollout with no deploy",
        "kind": "configuration",
        "difficulty": "medium",
        "canary": "rcabench canary 5d0c8e1b7a624f39b6d2e4a1907f3c58",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": streams,
        "metrics": metrics(),
        "changes": changes(),
        "alerts": [
            {
                "time": rfc3339(fourth),
                "service": "checkout-api",
                "metric": "checkout_orders_parked",
                "summary": "OrdersWaiting: more than three orders wait at the sales desk",
            }
        ],
        "expected": EXPECTED | {"onset": rfc3339(onset)},
        "distractors": DISTRACTORS,
        "said_in_evidence": SAID,
        "examples": EXAMPLES,
    }
    write(document, Path(__file__).parents[1] / "held_out" / "feature-flag-rollout.yaml")


if __name__ == "__main__":
    main()
