"""Write `held_out/retry-storm.yaml`: after a short pause of one payments pod its client asks four times as often."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import TypeAlias

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

RNG = random.Random(20261112)
DAY = "2026-11-12"
Add: TypeAlias = Callable[[str, str, str, list[float | None]], None]
Count: TypeAlias = Callable[[list[datetime], int], list[float | None]]
START, END = utc(f"{DAY}T10:20:00Z"), utc(f"{DAY}T11:35:00Z")
MINUTES = 75
LOGGED_ONE_IN = 240


def at(clock: str) -> datetime:
    """Return the time of day *clock* on the day of the window."""
    return utc(f"{DAY}T{clock}Z")


def later(time: datetime, seconds: float) -> datetime:
    """Return the time *seconds* after *time*."""
    return time + timedelta(seconds=seconds)


ROLLED_OUT = at("10:40:31")
ONSET = at("10:58:07.300")
LAYOUT_READ = at("10:55:43")
PAYMENTS = ("payments-api-7c9d8b5f64-hk2zr", "payments-api-7c9d8b5f64-wq7pm")
PAYMENTS_ADDRESS = ("10.61.3.24:8080", "10.61.5.17:8080")
# Full collections of the old generation: pod, begin, seconds.
PAUSES = [
    (0, at("10:33:12.100"), 4.7),
    (1, ONSET, 4.9),
    (0, at("11:09:41.600"), 5.3),
    (1, at("11:19:20.200"), 5.6),
    (0, at("11:27:55.900"), 5.4),
]
# Some orders of the first pause are among those that are logged.
SEEN_IN_PAUSE = (at("10:33:12.600"), at("10:33:13.700"), at("10:33:14.900"), at("10:33:16.200"))
OLD_WEB = ("checkout-web-6b7f9d6c58-4nxtv", "checkout-web-6b7f9d6c58-zj8qd")
NEW_WEB = ("checkout-web-5dd5c8b7f9-lm6ks", "checkout-web-5dd5c8b7f9-t2vhw")
ADDRESS = dict(
    zip(OLD_WEB + NEW_WEB, ("10.61.2.41", "10.61.4.33", "10.61.2.57", "10.61.4.46"), strict=True)
)
SWITCHED = (at("10:40:58"), at("10:41:34"))  # each new pod takes over from its old one
EDGE, GATEWAY = "pay-edge-0", "payments-gw-6f8c7d9b5-rx4wn"

lines: dict[str, list[Line]] = {}


def log(host: str, time: datetime, text: str) -> None:
    """Write *text* into the stream of *host*."""
    lines.setdefault(host, []).append((time, text))


# --- orders ----------------------------------------------------------------------------------------------------


@dataclass
class Counts:
    """When the things happened that the exporters count."""

    asked: list[datetime] = field(default_factory=list)
    edge: dict[str, list[datetime]] = field(default_factory=lambda: {"200": [], "503": []})
    gateway: dict[str, list[datetime]] = field(
        default_factory=lambda: {"201": [], "503": [], "499": []}
    )
    payments: dict[tuple[int, str], list[datetime]] = field(default_factory=dict)
    retry: dict[tuple[str, str], list[datetime]] = field(default_factory=dict)
    slowest: list[dict[int, float]] = field(default_factory=lambda: [{}, {}])


COUNTS = Counts()
TURN = cycle((0, 1))


def web_pod(time: datetime) -> str:
    """Return a checkout-web pod that takes traffic at *time*."""
    side = RNG.choice((0, 1))
    return NEW_WEB[side] if time >= SWITCHED[side] else OLD_WEB[side]


def paused(pod: int, time: datetime) -> float:
    """Return for how many more seconds the payments *pod* is paused at *time*."""
    for which, begin, length in PAUSES:
        left = (later(begin, length) - time).total_seconds()
        if which == pod and begin <= time and left > 0:
            return left
    return 0.0


def treat(pod: int, time: datetime) -> tuple[bool, float]:
    """Return whether *pod* takes on a call that comes in at *time*, and after how many seconds it has answered."""
    since = (time - ONSET).total_seconds()
    wait = paused(pod, time)
    if (
        RNG.random() < 0.0012
    ):  # every so often a call is slow or turned away for no reason that matters
        return RNG.random() < 0.8, RNG.uniform(0.9, 1.7)
    if wait:
        return RNG.random() < (0.35 if since < 0 else 0.6), wait + RNG.uniform(0.02, 1.2)
    usual = 0.07 + RNG.gammavariate(2.6, 0.055)
    if since < 0:
        after = (time - later(PAUSES[0][1], PAUSES[0][2])).total_seconds()
        return True, usual + (0.6 * (1 - after / 4) if pod == 0 and 0 <= after < 4 else 0.0)
    strain = min(since / 45, 1.0)
    if RNG.random() < 0.52 * strain:
        return False, RNG.uniform(0.002, 0.007)
    if RNG.random() < strain:
        return True, RNG.gauss(1.13, 0.27) if RNG.random() < 0.94 else RNG.uniform(1.2, 1.9)
    return True, usual


def order(time: datetime, number: int, *, shown: bool) -> None:
    """Let a customer pay the order *number* at *time*, and log it if its number is among those that are logged."""
    pod = web_pod(time)
    is_new = pod in NEW_WEB
    most = 6 if is_new else 2
    sent, took, calls, failure = later(time, 0.004), 0.0, 0, ""
    while True:
        calls += 1
        intent = "pi_" + hex_digits(RNG, 14) if shown else ""
        took, failure = call(sent, number, intent, pod, shown=shown)
        done = later(sent, took)
        if not failure or calls == most:
            break
        wait = 0.0 if is_new else round(RNG.uniform(0.2, 0.6), 3)
        if shown:
            printed = f"PT{wait:.3f}".rstrip("0").rstrip(".") + "S"
            retry_event(
                pod,
                done,
                number,
                f", waiting {printed} until attempt '{calls}'. Last attempt failed with exception '{failure}'.",
            )
        sent = later(done, wait + RNG.uniform(0.001, 0.003))
    kind = ("successful" if not failure else "failed") + (
        "_without_retry" if calls == 1 else "_with_retry"
    )
    COUNTS.retry.setdefault((pod, kind), []).append(done)
    status = "503" if failure else "200"
    COUNTS.asked.append(time)
    COUNTS.edge[status].append(later(done, 0.006))
    if shown:
        settle(pod, time, done, number, calls, failure, intent)


def call(sent: datetime, number: int, intent: str, web: str, *, shown: bool) -> tuple[float, str]:
    """Make one call to payments-api; return how many seconds it took the client, and how it failed."""
    pod = next(TURN)
    accepted, served = treat(pod, sent)
    took = min(served + 0.003, 1.0 + RNG.uniform(0.0, 0.003))
    status = "499" if served + 0.003 >= 1.0 else "201" if accepted else "503"
    done, answered = later(sent, took), later(sent, served)
    COUNTS.gateway[status].append(done)
    COUNTS.payments.setdefault((pod, "201" if accepted else "503"), []).append(answered)
    if answered < END:
        minute = int((answered - START).total_seconds() // 60)
        COUNTS.slowest[pod][minute] = max(served, COUNTS.slowest[pod].get(minute, 0.0))
    if shown:
        log_call(
            pod, done, answered, number, intent, web, (status, took, served), accepted=accepted
        )
    if status == "201":
        return took, ""
    if status == "503":
        return (
            took,
            'org.springframework.web.client.HttpServerErrorException$ServiceUnavailable: 503 Service Unavailable: "{"code":"busy"}"',
        )
    return (
        took,
        'org.springframework.web.client.ResourceAccessException: I/O error on POST request for "http://payments-gw/v1/payment-intents": Read timed out',
    )


def log_call(
    pod: int,
    done: datetime,
    answered: datetime,
    number: int,
    intent: str,
    web: str,
    seen: tuple[str, float, float],
    *,
    accepted: bool,
) -> None:
    """Log one call at the gateway and, if it is answered in time for the window, at payments-api."""
    status, took, served = seen
    size = {"201": RNG.randint(402, 431), "503": 15, "499": 0}[status]
    upstream = "- -" if status == "499" else f"{served:.3f} {status}"
    log(
        GATEWAY,
        done,
        f'{ADDRESS[web]} - - {stamp(done, "nginx-access")} "POST /v1/payment-intents HTTP/1.1" {status} {size} "-" '
        f'"Java-http-client/21.0.8" {took:.3f} {PAYMENTS_ADDRESS[pod]} {upstream} order={number} s={LOGGED_ONE_IN}',
    )
    thread = f"nio-8080-exec-{RNG.randint(1, 24)}"
    if accepted:
        text = f"intent {intent} created for order {number}, 201 in {served * 1000:.0f} ms"
        if answered >= LAYOUT_READ:
            text += f" acquirer={RNG.randint(38, 79)}ms"
        spring(
            PAYMENTS[pod],
            answered,
            "INFO",
            thread,
            "c.e.payments.intent.IntentController",
            text,
            mdc=f"order-{number}",
        )
    else:
        text = (
            "Resolved [io.github.resilience4j.bulkhead.BulkheadFullException: "
            "Bulkhead 'payment-intents' is full and does not permit further calls]"
        )
        spring(
            PAYMENTS[pod],
            answered,
            "WARN",
            thread,
            ".m.m.a.ExceptionHandlerExceptionResolver",
            text,
            mdc=f"order-{number}",
        )


def spring(
    host: str, time: datetime, level: str, thread: str, logger: str, message: str, *, mdc: str = ""
) -> None:
    """Write one line as Spring Boot 3's console layout prints it, with the order as its correlation."""
    app = "payments-api" if host in PAYMENTS else "checkout-web"
    head = f"{stamp(time, 'spring-boot')} {level:>5} 1 --- [{app}] [{thread[-15:]:>15}] {f'[{mdc}] ' if mdc else ''}"
    log(host, time, f"{head}{logger:<40.40} : {message}")


def thread_of(number: int) -> str:
    """Return the thread of checkout-web that serves the order from its first call to its last."""
    return f"nio-8080-exec-{number * 7 % 40 + 1}"


def retry_event(pod: str, time: datetime, number: int, text: str, level: str = "INFO") -> None:
    """Log what the client's library says about a call that failed."""
    shown = rfc3339(time, digits=6).replace("Z", f"{RNG.randint(100, 999)}Z[Etc/UTC]")
    spring(
        pod,
        time,
        level,
        thread_of(number),
        "c.e.checkout.outbound.CallEvents",
        f"{shown}: Retry 'payments'{text}",
        mdc=f"order-{number}",
    )


AGENTS = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
)


def settle(
    pod: str, time: datetime, done: datetime, number: int, calls: int, failure: str, intent: str
) -> None:
    """Log how the payment of an order ended, in checkout-web and at the edge."""
    took = (done - time).total_seconds()
    if failure:
        text = f" recorded a failed retry attempt. Number of retry attempts: '{calls}'. Giving up. Last exception was: '{failure}'."
        retry_event(pod, done, number, text, "WARN")
        said = f"no intent for order {number}, offering to pay by invoice"
    else:
        said = f"order {number} pays with {intent}, {took * 1000:.0f} ms"
    spring(
        pod,
        later(done, 0.001),
        "INFO",
        thread_of(number),
        "c.e.checkout.pay.PayController",
        said,
        mdc=f"order-{number}",
    )
    seen = later(done, 0.006)
    client = f"{RNG.choice(('192.0.2', '198.51.100', '203.0.113'))}.{RNG.randint(2, 250)}"
    status, size = ("503", RNG.randint(611, 640)) if failure else ("200", RNG.randint(812, 1290))
    log(
        EDGE,
        seen,
        f'{client} - - {stamp(seen, "nginx-access")} "POST /orders/{number}/pay HTTP/2.0" {status} {size} '
        f'"https://shop.example.invalid/checkout" "{RNG.choice(AGENTS)}" {took + 0.006:.3f} {ADDRESS[pod]}:8080 {status} s={LOGGED_ONE_IN}',
    )


# --- everything else that goes on ------------------------------------------------------------------------------

BOT_LIMITED: list[datetime] = []
BOT_SEEN: list[datetime] = []


def bot() -> None:
    """Write the old noise: one address that asks the edge for /health all day, partly cut off by a limit."""
    connection = 88_120_417
    for time in arrivals(RNG, START, END, 44):
        limited = RNG.random() < 0.3
        BOT_SEEN.append(time)
        connection += RNG.randint(9, 31)
        if limited:
            BOT_LIMITED.append(time)
            if RNG.random() < 1 / 15:
                log(
                    "pay-edge-0 errors",
                    time,
                    f"{stamp(time, 'nginx-error')} [error] 31#31: *{connection} limiting requests, excess: {RNG.uniform(5.02, 5.98):.3f} "
                    f'by zone "probe", client: 198.51.100.201, server: pay.example.invalid, request: "GET /health HTTP/1.1", host: "pay.example.invalid"',
                )
        if RNG.random() < 1 / 20:
            status, size = ("429", 162) if limited else ("204", 0)
            log(
                EDGE,
                time,
                f'198.51.100.201 - - {stamp(time, "nginx-access")} "GET /health HTTP/1.1" {status} {size} "-" "uptime-scout/0.9" 0.000 - - s=20',
            )


def old_habits() -> None:
    """Write what the services have been saying for weeks: forged webhooks, an expired recommendation, a breaker."""
    for time in arrivals(RNG, START, END, 0.42):
        spring(
            RNG.choice(PAYMENTS), time, "ERROR", f"nio-8080-exec-{RNG.randint(1, 24)}", "c.e.payments.webhook.WebhookController",
            f"signature of webhook evt_{hex_digits(RNG, 12)} from 203.0.113.88 does not match, dropped",
        )  # fmt: skip
    for time in periodic(RNG, later(START, 47), END, 300, jitter_s=0.6):
        spring(
            web_pod(time), time, "WARN", "scheduling-1", "c.e.checkout.config.FeatureTexts",
            "text bundle sv-FI lacks 4 of 212 keys, falling back to sv",
        )  # fmt: skip
    for pod, (first, second) in zip(
        OLD_WEB, (("10:27:08.412", "10:28:08.431"), ("10:27:09.027", "10:28:09.040")), strict=True
    ):
        for clock, old, new in ((first, "CLOSED", "OPEN"), (second, "OPEN", "HALF_OPEN")):
            time = at(clock)
            spring(
                pod, time, "WARN", "loyalty-1", "c.e.checkout.outbound.CallEvents",
                f"{rfc3339(time, digits=6).replace('Z', '338Z[Etc/UTC]')}: CircuitBreaker 'loyalty' changed state from {old} to {new}",
            )  # fmt: skip
        time = later(at(second), RNG.uniform(2, 5))
        spring(
            pod, time, "INFO", "loyalty-1", "c.e.checkout.outbound.CallEvents",
            f"{rfc3339(time, digits=6).replace('Z', '102Z[Etc/UTC]')}: CircuitBreaker 'loyalty' changed state from HALF_OPEN to CLOSED",
        )  # fmt: skip
    for side, host in enumerate(PAYMENTS):
        for time in periodic(RNG, later(START, 33 + 71 * side), END, 900, jitter_s=0.3):
            spring(
                host, later(time, paused(side, time)), "INFO", "scheduling-1", "c.e.payments.keys.SigningKeys",
                "signing keys read again: active=2026-q4, known=2",
            )  # fmt: skip
        read = later(LAYOUT_READ, 4.2 * side)
        spring(
            host, read, "INFO", "logback-1", "c.e.payments.PaymentsApiApplication",
            "logging configuration read again from /etc/payments-api/logback-spring.xml",
        )  # fmt: skip


# Seconds after the container's start, logger, message.
STARTUP = """\
2.11|c.e.checkout.CheckoutWebApplication|Starting CheckoutWebApplication v5.18.0 using Java 21.0.8 with PID 1 (/app/app.jar started by app in /app)
2.12|c.e.checkout.CheckoutWebApplication|The following 1 profile is active: "prod"
4.87|o.s.b.w.embedded.tomcat.TomcatWebServer|Tomcat initialized with port 8080 (http)
4.90|o.apache.catalina.core.StandardService|Starting service [Tomcat]
4.90|o.apache.catalina.core.StandardEngine|Starting Servlet engine: [Apache Tomcat/10.1.44]
4.98|o.a.c.c.C.[Tomcat].[localhost].[/]|Initializing Spring embedded WebApplicationContext
4.98|w.s.c.ServletWebServerApplicationContext|Root WebApplicationContext: initialization completed in {root} ms
7.66|o.s.b.a.e.web.EndpointLinksResolver|Exposing 3 endpoints beneath base path '/actuator'
7.79|o.s.b.w.embedded.tomcat.TomcatWebServer|Tomcat started on port 8080 (http) with context path '/'
7.83|c.e.checkout.CheckoutWebApplication|Started CheckoutWebApplication in {started} seconds (process running for {running})"""


def roll_out() -> None:
    """Write how the checkout-web pods are replaced at 10:40, and the cluster's events about it."""
    event = "kubernetes"
    old_set, new_set = "checkout-web-6b7f9d6c58", "checkout-web-5dd5c8b7f9"

    def say(time: datetime, kind: str, reason: str, thing: str, message: str) -> None:
        log(event, time, f"{stamp(time, 'kubernetes-event')} {kind} {reason} {thing} {message}")

    for side, (old, new, taken) in enumerate(zip(OLD_WEB, NEW_WEB, SWITCHED, strict=True)):
        made, running = later(taken, -16), RNG.uniform(8.2, 8.7)
        say(
            made,
            "Normal",
            "ScalingReplicaSet",
            "Deployment/checkout-web",
            f"Scaled up replica set {new_set} from {side} to {side + 1}",
        )
        say(
            later(made, 0.1),
            "Normal",
            "SuccessfulCreate",
            f"ReplicaSet/{new_set}",
            f"Created pod: {new}",
        )
        say(
            later(made, 0.1),
            "Normal",
            "Scheduled",
            f"Pod/{new}",
            f"Successfully assigned shop/{new} to shop-w{2 + 2 * side}",
        )
        say(
            later(made, 1.2),
            "Normal",
            "Pulled",
            f"Pod/{new}",
            'Container image "registry.example.invalid/shop/checkout-web:5.18.0" already present on machine',
        )
        say(later(made, 1.3), "Normal", "Created", f"Pod/{new}", "Created container: checkout-web")
        say(later(made, 1.5), "Normal", "Started", f"Pod/{new}", "Started container checkout-web")
        said = STARTUP.format(
            root=RNG.randint(2710, 2840), started=f"{running - 0.9:.3f}", running=f"{running:.3f}"
        )
        for number, line in enumerate(said.splitlines(), start=3 + 4 * side):
            offset, logger, message = line.split("|")
            spring(
                new,
                later(made, 1.5 + float(offset) + 0.003 * number),
                "INFO",
                "main",
                logger,
                message,
            )
        say(
            later(taken, 1),
            "Normal",
            "ScalingReplicaSet",
            "Deployment/checkout-web",
            f"Scaled down replica set {old_set} from {2 - side} to {1 - side}",
        )
        say(
            later(taken, 1),
            "Normal",
            "SuccessfulDelete",
            f"ReplicaSet/{old_set}",
            f"Deleted pod: {old}",
        )
        say(later(taken, 1), "Normal", "Killing", f"Pod/{old}", "Stopping container checkout-web")
        hook = "SpringApplicationShutdownHook"
        graceful = "o.s.b.w.e.tomcat.GracefulShutdown"
        spring(
            old,
            later(taken, 1.4),
            "INFO",
            hook,
            graceful,
            "Commencing graceful shutdown. Waiting for active requests to complete",
        )
        spring(
            old,
            later(taken, 2.9),
            "INFO",
            "tomcat-shutdown",
            graceful,
            "Graceful shutdown complete",
        )
    for clock, kind, reason, thing, message in (
        ("10:23:14", "Warning", "DNSConfigForming", "Pod/pay-edge-0", "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 10.60.0.10 192.0.2.53 192.0.2.54"),
        ("10:30:00", "Normal", "SuccessfulCreate", "CronJob/settlement-export", "Created job settlement-export-29907990"),
        ("10:31:12", "Normal", "SawCompletedJob", "CronJob/settlement-export", "Saw completed job: settlement-export-29907990, condition: Complete"),
        ("10:58:14", "Warning", "Unhealthy", f"Pod/{PAYMENTS[1]}", 'Readiness probe failed: Get "http://10.61.5.17:8080/actuator/health/readiness": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'),
        ("10:33:16", "Warning", "Unhealthy", f"Pod/{PAYMENTS[0]}", 'Readiness probe failed: Get "http://10.61.3.24:8080/actuator/health/readiness": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'),
        ("11:00:00", "Normal", "SuccessfulCreate", "CronJob/settlement-export", "Created job settlement-export-29908020"),
        ("11:01:19", "Normal", "SawCompletedJob", "CronJob/settlement-export", "Saw completed job: settlement-export-29908020, condition: Complete"),
        ("11:23:20", "Warning", "DNSConfigForming", "Pod/pay-edge-0", "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 10.60.0.10 192.0.2.53 192.0.2.54"),
        ("11:30:00", "Normal", "SuccessfulCreate", "CronJob/settlement-export", "Created job settlement-export-29908050"),
        ("11:31:22", "Normal", "SawCompletedJob", "CronJob/settlement-export", "Saw completed job: settlement-export-29908050, condition: Complete"),
    ):  # fmt: skip
        say(at(clock), kind, reason, thing, message)


def streams() -> list[dict[str, object]]:
    """Return the log streams, one of each pod."""
    known = [
        ("pay-edge", EDGE, "nginx-access"),
        ("pay-edge", "pay-edge-0 errors", "nginx-error"),
        *(("checkout-web", host, "spring-boot") for host in OLD_WEB + NEW_WEB),
        ("payments-gw", GATEWAY, "nginx-access"),
        *(("payments-api", host, "spring-boot") for host in PAYMENTS),
        ("kubernetes", "kubernetes", "kubernetes-event"),
    ]
    found = []
    for service, host, layout in known:
        stream: dict[str, object] = {"service": service, "host": host.split()[0], "format": layout}
        if layout == "nginx-error":
            stream["zone"] = "+00:00"
        kept = [line for line in lines[host] if START <= line[0] < END]
        found.append(stream | {"lines": stream_text(kept)})
    return found


# --- metrics ---------------------------------------------------------------------------------------------------


def minute_of(time: datetime) -> int:
    """Return the minute of the window that *time* lies in."""
    return int((time - START).total_seconds() // 60)


def metrics() -> list[dict[str, object]]:
    """Return the series, one sample a minute."""
    found: list[dict[str, object]] = []

    def add(service: str, name: str, unit: str, values: list[float | None]) -> None:
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

    def count(times: list[datetime], first: int) -> list[float | None]:
        return list(counted(times, START, 60, MINUTES, first=first))

    edge, gateway = COUNTS.edge, COUNTS.gateway
    limited = set(BOT_LIMITED)
    every = [*edge["200"], *edge["503"], *BOT_SEEN]
    add("pay-edge", "nginx_http_requests_total", "requests", count(every, 41_880_216))
    responses = 'nginx_http_response_count_total{{method="{}",status="{}"}}'
    add("pay-edge", responses.format("POST", "200"), "responses", count(edge["200"], 39_217_040))
    add("pay-edge", responses.format("POST", "503"), "responses", count(edge["503"], 11_702))
    add(
        "pay-edge",
        responses.format("GET", "204"),
        "responses",
        count([time for time in BOT_SEEN if time not in limited], 1_847_933),
    )
    add(
        "payments-gw",
        "nginx_http_requests_total",
        "requests",
        count([time for times in gateway.values() for time in times], 39_308_114),
    )
    for status, first in (("201", 39_243_377), ("503", 9_460), ("499", 55_277)):
        add(
            "payments-gw",
            responses.format("POST", status),
            "responses",
            count(gateway[status], first),
        )
    distinct = Counter(minute_of(time) for time in COUNTS.asked)
    add(
        "checkout-web",
        "checkout_distinct_orders_per_minute",
        "orders",
        [float(distinct[minute]) for minute in range(MINUTES)],
    )
    for pod in OLD_WEB + NEW_WEB:
        side = (OLD_WEB + NEW_WEB).index(pod) % 2
        switch = minute_of(SWITCHED[side])
        for kind, first in (
            ("successful_without_retry", 1_204_618),
            ("successful_with_retry", 1_312),
            ("failed_with_retry", 204),
        ):
            times = COUNTS.retry.get((pod, kind), [])
            is_old = pod in OLD_WEB
            values = count(times, first + 97 * side if is_old else 0)
            values = [
                value if (index <= switch) == is_old else None for index, value in enumerate(values)
            ]
            add(
                "checkout-web",
                f'resilience4j_retry_calls_total{{kind="{kind}",name="payments",pod="{pod}"}}',
                "calls",
                values,
            )
    busy_web = gauge(RNG, MINUTES, lambda minute: 0.21 if minute < 39 else 0.36, 0.015, digits=3)
    add("checkout-web", "process_cpu_usage", "share", list(busy_web))
    payments_metrics(add, count)
    return found


def payments_metrics(add: Add, count: Count) -> None:
    """Add the series of payments-api through *add*, with *count* to count times."""
    for pod, host in enumerate(PAYMENTS):
        for status, first in (("201", (5_238, 4_811)[pod]), ("503", 1)):
            name = f'http_server_requests_seconds_count{{method="POST",pod="{host}",status="{status}",uri="/v1/payment-intents"}}'
            add(
                "payments-api",
                name,
                "requests",
                count(COUNTS.payments[pod, status], first),
            )
        slowest = COUNTS.slowest[pod]
        name = f'http_server_requests_seconds_max{{pod="{host}",uri="/v1/payment-intents"}}'
        add(
            "payments-api",
            name,
            "seconds",
            [round(slowest.get(minute - 1, 0.512), 3) for minute in range(MINUTES)],
        )
        loaded = gauge(
            RNG, MINUTES, lambda minute: 0.46 if minute < 39 else 0.991, 0.018, high=1.0, digits=3
        )
        add("payments-api", f'process_cpu_usage{{pod="{host}"}}', "share", list(loaded))
        pauses: list[float | None] = [round(RNG.uniform(0.011, 0.034), 3) for _ in range(MINUTES)]
        for which, begin, length in PAUSES:
            if which == pod:
                for minute in (minute_of(begin) + 1, minute_of(begin) + 2):
                    pauses[minute] = length
        name = f'jvm_gc_pause_seconds_max{{action="end of major GC",cause="Allocation Failure",gc="MarkSweepCompact",pod="{host}"}}'
        add("payments-api", name, "seconds", pauses)
        free = gauge(RNG, MINUTES, lambda minute: 14.6 if minute < 39 else 0.4, 0.7, high=16)
        name = f'resilience4j_bulkhead_available_concurrent_calls{{name="payment-intents",pod="{host}"}}'
        add("payments-api", name, "calls", list(free))
    taken = sorted(time for pod in (0, 1) for time in COUNTS.payments[pod, "201"])
    again = [time for time in taken if RNG.random() < 0.0031]
    for kind, times, first in (
        ("successful_without_retry", sorted(set(taken) - set(again)), 10_019),
        ("successful_with_retry", again, 30),
        ("failed_with_retry", [], 0),
    ):
        add(
            "payments-api",
            f'resilience4j_retry_calls_total{{kind="{kind}",name="acquirer"}}',
            "calls",
            count(times, first),
        )
    acquirer = '{client_name="north.acquirer.example.invalid",uri="/v3/account-checks"}'
    add(
        "payments-api",
        f"http_client_requests_seconds_count{acquirer}",
        "requests",
        count([*taken, *again], 10_079),
    )
    add(
        "payments-api",
        f"http_client_requests_seconds_max{acquirer}",
        "seconds",
        list(gauge(RNG, MINUTES, 0.142, 0.02, low=0.09, digits=3)),
    )
    add(
        "payments-api",
        'hikaricp_connections_active{pool="payments-pool"}',
        "connections",
        list(gauge(RNG, MINUTES, lambda minute: 2.1 if minute < 39 else 4.2, 0.8, high=10)),
    )


# --- changes ---------------------------------------------------------------------------------------------------

SETTLEMENT = "b1d84e0c72f95a36487cd10e9f5b2a6038c4e7d1"
OUTBOUND = "5e0c9a71f3b248d6a9175c3e80b64df2719ae85c"
ACQUIRER = "c93f27b8104e6da5f0b1827c64d95e3fa207b61d"
BUTTON = "08b7d6e4a1f35c920e7db46c1f82a5937d60ec4b"
UPSTREAM = "f46a1c0d98e27b53d40fa6e19c7582b3e06d91a7"
FIELD = "a70e52d9c3b81f64e7250d8fb9164c3ae5d27f08"
DUTCH = "3cd1f8a06e942b75c18f0e3da65b97240fd83a1e"

SETTLEMENT_JAVA = """\
package com.example.payments.settlement;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.LocalDate;
import java.util.List;

import org.springframework.stereotype.Component;

/** Writes the settlement of a day as the accountants' CSV. */
@Component
class SettlementWriter {

    private final SettlementRepository repository;

    SettlementWriter(SettlementRepository repository) {
        this.repository = repository;
    }

    void write(LocalDate day, Writer out) {
        try {
            out.write("intent;captured_at;amount;currency;fee\\n");
            List<Settlement> all = repository.findByDay(day);
            for (Settlement one : all) {
                out.write(one.intent() + ";" + one.capturedAt() + ";" + one.amount());
                out.write(";" + one.currency() + ";" + one.fee() + "\\n");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
"""
SETTLEMENT_AFTER = (
    SETTLEMENT_JAVA.replace(
        """            out.write("intent;captured_at;amount;currency;fee\\n");
            List<Settlement> all = repository.findByDay(day);
            for (Settlement one : all) {
                out.write(one.intent() + ";" + one.capturedAt() + ";" + one.amount());
                out.write(";" + one.currency() + ";" + one.fee() + "\\n");
            }
""",
        """            out.write("intent;captured_at;amount;currency;fee;scheme\\n");
            long after = 0;
            List<Settlement> page = repository.findPage(day, after, PAGE);
            while (!page.isEmpty()) {
                for (Settlement one : page) {
                    out.write(row(one));
                }
                after = page.get(page.size() - 1).id();
                page = repository.findPage(day, after, PAGE);
            }
""",
    )
    .replace(
        "    private final SettlementRepository repository;\n",
        "    private static final int PAGE = 500;\n\n    private final SettlementRepository repository;\n",
    )
    .replace(
        "            throw new UncheckedIOException(e);\n        }\n    }\n",
        """            throw new UncheckedIOException(e);
        }
    }

    private static String row(Settlement one) {
        return String.join(
                ";",
                one.intent(),
                one.capturedAt().toString(),
                one.amount().toPlainString(),
                one.currency(),
                one.fee().toPlainString(),
                one.scheme())
            + "\\n";
    }
""",
    )
)
SETTLEMENT_SQL = """\
package com.example.payments.settlement;

import java.time.LocalDate;
import java.util.List;

import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

interface SettlementRepository extends Repository<Settlement, Long> {

    @Query("select * from settlement where day = :day order by id")
    List<Settlement> findByDay(LocalDate day);
}
"""
SETTLEMENT_SQL_AFTER = SETTLEMENT_SQL.replace(
    """    @Query("select * from settlement where day = :day order by id")
    List<Settlement> findByDay(LocalDate day);
""",
    """    @Query("select * from settlement where day = :day and id > :after order by id limit :size")
    List<Settlement> findPage(LocalDate day, long after, int size);
""",
)
SETTLEMENT_TEST = """\
package com.example.payments.settlement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.time.LocalDate;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class SettlementWriterTest extends DatabaseTest {

    @Autowired
    SettlementWriter writer;

    @Test
    void aDayOfSeveralPagesIsWrittenWhole() {
        insertSettlements(LocalDate.of(2026, 10, 31), 1_203);
        StringWriter out = new StringWriter();

        writer.write(LocalDate.of(2026, 10, 31), out);

        assertThat(out.toString().lines()).hasSize(1_204);
    }
}
"""

SETTLEMENT_MAIL = """\
package com.example.payments.settlement;

import java.io.StringWriter;
import java.time.LocalDate;

import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.stereotype.Component;

/** Sends the settlement of a day to the accountants. */
@Component
class SettlementMail {

    private final SettlementWriter writer;
    private final JavaMailSender mails;

    SettlementMail(SettlementWriter writer, JavaMailSender mails) {
        this.writer = writer;
        this.mails = mails;
    }

    void send(LocalDate day) {
        StringWriter csv = new StringWriter();
        writer.write(day, csv);
        SimpleMailMessage mail = new SimpleMailMessage();
        mail.setTo("accounting@example.invalid");
        mail.setSubject("Settlement " + day);
        mail.setText(csv.toString());
        mails.send(mail);
    }
}
"""

OUTBOUND_JAVA = """\
package com.example.checkout.outbound;

import com.example.checkout.address.AddressCalls;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.retry.RetryRegistry;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;

@Configuration
class OutboundConfig {

    @Bean
    Retry addresses(RetryRegistry registry, CallEvents events) {
        return events.follow(registry.retry("addresses", AddressCalls.settings()));
    }

    @Bean
    Retry payments(RetryRegistry registry, CallEvents events) {
        RetryConfig settings = RetryConfig.custom()
            .maxAttempts(2)
            .intervalFunction(IntervalFunction.ofExponentialRandomBackoff(Duration.ofMillis(400), 2.0))
            .retryExceptions(ResourceAccessException.class, HttpServerErrorException.class)
            .build();
        return events.follow(registry.retry("payments", settings));
    }
}
"""
OUTBOUND_AFTER = """\
package com.example.checkout.outbound;

import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class OutboundConfig {

    @Bean
    Retry addresses(RetryRegistry registry, CallEvents events) {
        return events.follow(registry.retry("addresses", InteractiveCalls.settings()));
    }

    @Bean
    Retry payments(RetryRegistry registry, CallEvents events) {
        return events.follow(registry.retry("payments", InteractiveCalls.settings()));
    }
}
"""
SHARED_JAVA = """\
package com.example.checkout.address;

import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;
import org.springframework.web.client.ResourceAccessException;

/** How the address form is served. */
public final class AddressCalls {

    public static RetryConfig settings() {
        return RetryConfig.custom()
            .maxAttempts(6)
            .waitDuration(Duration.ZERO)
            .retryExceptions(ResourceAccessException.class)
            .build();
    }
}
"""
SHARED_AFTER = (
    SHARED_JAVA.replace("checkout.address;", "checkout.outbound;")
    .replace("How the address form is served.", "What somebody waits for on the screen.")
    .replace("AddressCalls", "InteractiveCalls")
    .replace(
        "import org.springframework.web.client.ResourceAccessException;\n",
        "import org.springframework.web.client.HttpServerErrorException;\n"
        "import org.springframework.web.client.ResourceAccessException;\n",
    )
    .replace(
        "ResourceAccessException.class)",
        "ResourceAccessException.class, HttpServerErrorException.class)",
    )
)
OUTBOUND_TEST = """\
    @Test
    void bothClientsTellTheirEvents() {
        assertThat(context.getBean("payments", Retry.class).getName()).isEqualTo("payments");
        assertThat(context.getBean("addresses", Retry.class).getName()).isEqualTo("addresses");
    }
}
"""
OUTBOUND_TEST_BEFORE = OUTBOUND_TEST.replace(
    '        assertThat(context.getBean("addresses", Retry.class).getName()).isEqualTo("addresses");\n',
    "",
).replace("bothClientsTellTheirEvents", "thePaymentsClientTellsItsEvents")

ACQUIRER_YML = """\
payments:
  acquirer:
    base-url: https://acquirer.example.invalid/v3
    connect-timeout: 500ms
    read-timeout: 2s

resilience4j:
  bulkhead:
    instances:
      payment-intents:
        max-concurrent-calls: 16
        max-wait-duration: 0
  circuitbreaker:
    instances:
      acquirer:
        sliding-window-size: 40
        failure-rate-threshold: 50
        wait-duration-in-open-state: 30s
  retry:
    instances:
      acquirer:
        max-attempts: 2
        wait-duration: 300ms
        enable-exponential-backoff: true
        exponential-backoff-multiplier: 2
        retry-exceptions:
          - java.io.IOException
          - org.springframework.web.client.ResourceAccessException
"""
ACQUIRER_AFTER = (
    ACQUIRER_YML.replace("max-attempts: 2", "max-attempts: 12")
    .replace("wait-duration: 300ms\n", "wait-duration: 80ms\n")
    .replace(
        "        enable-exponential-backoff: true\n        exponential-backoff-multiplier: 2\n", ""
    )
    .replace("read-timeout: 2s", "read-timeout: 300ms")
    .replace(
        """  circuitbreaker:
    instances:
      acquirer:
        sliding-window-size: 40
        failure-rate-threshold: 50
        wait-duration-in-open-state: 30s
""",
        "",
    )
    .replace(
        "          - java.io.IOException\n          - org.springframework.web.client.ResourceAccessException\n",
        "          - org.springframework.web.client.RestClientException\n",
    )
    .replace(
        "    base-url: https://acquirer.example.invalid/v3\n",
        "    sites:\n      - https://north.acquirer.example.invalid/v3\n      - https://south.acquirer.example.invalid/v3\n",
    )
)
ACQUIRER_CLIENT = """\
package com.example.payments.acquirer;

import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.retry.annotation.Retry;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Asks the acquirer whether a card's account is open, before a payment intent is created. */
@Component
class AcquirerClient {

    private final RestClient client;

    AcquirerClient(RestClient client) {
        this.client = client;
    }

    @CircuitBreaker(name = "acquirer")
    @Retry(name = "acquirer")
    AccountCheck check(Card card) {
        return client.post()
            .uri("/account-checks")
            .body(AccountCheckRequest.of(card))
            .retrieve()
            .body(AccountCheck.class);
    }
}
"""
ACQUIRER_CLIENT_AFTER = (
    ACQUIRER_CLIENT.replace(
        "    private final RestClient client;\n",
        "    private final RestClient client;\n    private final Sites sites;\n",
    )
    .replace(
        "    AcquirerClient(RestClient client) {\n        this.client = client;\n",
        "    AcquirerClient(RestClient client, Sites sites) {\n        this.client = client;\n        this.sites = sites;\n",
    )
    .replace('    @CircuitBreaker(name = "acquirer")\n', "")
    .replace("import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;\n", "")
    .replace(
        """        return client.post()
            .uri("/account-checks")
            .body(AccountCheckRequest.of(card))
            .retrieve()
            .body(AccountCheck.class);
""",
        """        try {
            return check(card, sites.first());
        } catch (RestClientException gone) {
            return check(card, sites.second());
        }
    }

    private AccountCheck check(Card card, String site) {
        return client.post()
            .uri(site + "/account-checks")
            .body(AccountCheckRequest.of(card))
            .retrieve()
            .body(AccountCheck.class);
""",
    )
    .replace(
        "import org.springframework.web.client.RestClient;\n",
        "import org.springframework.web.client.RestClient;\nimport org.springframework.web.client.RestClientException;\n",
    )
)

SITES_TEST = """\
package com.example.payments.acquirer;

class AcquirerClientTest extends AcquirerStub {

    @Test
    void theSecondSiteAnswersWhereTheFirstIsAway() {
        north.respondWith(503);

        assertThat(client.check(CARD)).isEqualTo(OPEN);
        assertThat(south.requests()).hasSize(1);
    }
}
"""
SITES_JAVA = """\
package com.example.payments.acquirer;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;

@ConfigurationProperties("payments.acquirer")
record Sites(List<String> sites) {

    String first() {
        return sites.get(0);
    }

    String second() {
        return sites.get(1);
    }
}
"""

BUTTON_CSS = """\
.pay-button {
  display: inline-block;
  width: 100%;
  min-height: 48px;
  border-radius: 4px;
  background: var(--accent);
}

.pay-button[disabled] {
  opacity: 0.4;
}

.pay-methods {
  margin: 0 0 16px;
}
"""
BUTTON_AFTER = (
    BUTTON_CSS.replace("min-height: 48px", "min-height: 52px")
    .replace("border-radius: 4px", "border-radius: 10px")
    .replace("  opacity: 0.4;\n", "  opacity: 0.4;\n  cursor: progress;\n")
    .replace("margin: 0 0 16px;\n", "display: grid;\n  gap: 8px;\n  margin: 0 0 20px;\n")
)

PAY_HTML = """\
<form method="post" th:action="@{/orders/{id}/pay(id=${order.id})}">
  <fieldset class="pay-methods" th:insert="~{fragments/methods}"></fieldset>
  <button class="pay-button" type="submit" th:text="#{pay.confirm}">Pay</button>
</form>
"""
UPSTREAM_CONF = """\
upstream payments_api {
    zone payments_api 64k;
    server payments-api-0.payments.internal:8080 max_fails=0;
    server payments-api-1.payments.internal:8080 max_fails=0;
    keepalive 32;
}

server {
    listen 80;
    server_name payments-gw;

    location /v1/ {
        proxy_pass http://payments_api;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_connect_timeout 1s;
        proxy_read_timeout 10s;
        proxy_next_upstream off;
    }
}
"""
UPSTREAM_AFTER = (
    UPSTREAM_CONF.replace("max_fails=0", "max_fails=1 fail_timeout=30s")
    .replace("keepalive 32", "keepalive 64")
    .replace("proxy_read_timeout 10s", "proxy_read_timeout 3s")
    .replace("proxy_next_upstream off", "proxy_next_upstream error timeout non_idempotent")
)

FIELD_XML = """\
<configuration scan="true" scanPeriod="60 seconds">
  <include resource="org/springframework/boot/logging/logback/defaults.xml"/>
  <appender name="CONSOLE" class="ch.qos.logback.core.ConsoleAppender">
    <encoder>
      <pattern>${CONSOLE_LOG_PATTERN}</pattern>
    </encoder>
  </appender>
  <root level="INFO">
    <appender-ref ref="CONSOLE"/>
  </root>
</configuration>
"""
FIELD_AFTER = FIELD_XML.replace(
    "      <pattern>${CONSOLE_LOG_PATTERN}</pattern>\n",
    "      <pattern>%clr(%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX}){faint} %5p ${PID} --- [payments-api] [%15.15t] %X{order} %-40.40logger{39} : %m%replace( acquirer=%X{acquirerMs}ms){' acquirer=ms', ''}%n%wEx</pattern>\n",
)

DUTCH_BEFORE = """\
{
  "receipt.title": "Betaalbewijs",
  "receipt.card": "Card",
  "receipt.invoice": "Paid by invoice",
  "receipt.confirm": "Sum of the order",
  "receipt.back": "Terug"
}
"""
DUTCH_AFTER = (
    DUTCH_BEFORE.replace('"Card"', '"Kaart"')
    .replace('"Paid by invoice"', '"Achteraf betaald"')
    .replace('"Sum of the order"', '"Totaal van de bestelling"')
)


def commit(
    sha: str, time: str, author: str, service: str, message: str, files: dict[str, tuple[str, str]]
) -> dict[str, object]:
    """Return a commit of the list of changes."""
    return {
        "type": "commit",
        "sha": sha,
        "time": time,
        "author": author,
        "service": service,
        "message": message,
        "diff": unified_diff(files).replace(
            "+++ b/src/main/java/com/example/checkout/address/AddressCalls.java",
            "+++ b/src/main/java/com/example/checkout/outbound/InteractiveCalls.java",
        ),
    }


def changes() -> list[dict[str, object]]:
    """Return what was changed, by time."""
    checkout = "src/main/java/com/example/checkout"
    settlement = "src/main/java/com/example/payments/settlement"
    return [
        commit(SETTLEMENT, f"{DAY}T07:58:26Z", "t.ekholm", "payments-api",
            "Write the settlement export page by page\n\nMonth ends do not fit into the heap of a pod as one list any more. The accountants\nalso asked for the scheme as a column, and read the share instead of their mail.\n",
            {f"{settlement}/SettlementMail.java": (SETTLEMENT_MAIL, ""), f"{settlement}/SettlementRepository.java": (SETTLEMENT_SQL, SETTLEMENT_SQL_AFTER), f"{settlement}/SettlementWriter.java": (SETTLEMENT_JAVA, SETTLEMENT_AFTER), "src/test/java/com/example/payments/settlement/SettlementWriterTest.java": ("", SETTLEMENT_TEST)}),
        commit(OUTBOUND, f"{DAY}T08:52:40Z", "j.moreau", "checkout-web",
            "Share the settings of interactive calls\n\nOne place for what somebody waits for on the screen, as the address form has had\nsince spring.\n",
            {f"{checkout}/address/AddressCalls.java": (SHARED_JAVA, SHARED_AFTER), f"{checkout}/outbound/OutboundConfig.java": (OUTBOUND_JAVA, OUTBOUND_AFTER), "src/test/java/com/example/checkout/outbound/OutboundConfigTest.java": (OUTBOUND_TEST_BEFORE, OUTBOUND_TEST)}),
        commit(ACQUIRER, f"{DAY}T09:17:05Z", "s.iyer", "payments-api",
            "Bridge a change of site at the acquirer\n\nThey run two sites since October, and moving from one to the other takes them about a\nsecond. A dozen attempts bridge that. The breaker would keep us out for half a minute\nafter it, so it goes. Agreed with their integration desk on Monday.\n",
            {"src/main/java/com/example/payments/acquirer/AcquirerClient.java": (ACQUIRER_CLIENT, ACQUIRER_CLIENT_AFTER), "src/main/java/com/example/payments/acquirer/Sites.java": ("", SITES_JAVA), "src/main/resources/application.yml": (ACQUIRER_YML, ACQUIRER_AFTER), "src/test/java/com/example/payments/acquirer/AcquirerClientTest.java": ("", SITES_TEST)}),
        {"type": "deploy", "time": f"{DAY}T10:04:47Z", "service": "payments-api", "version": "7.41.0", "sha": ACQUIRER, "author": "s.iyer"},
        commit(BUTTON, f"{DAY}T10:26:52Z", "n.falk", "checkout-web",
            "Give the pay button the new corners\n\nDesign system 4.\n",
            {"src/main/resources/static/css/pay.css": (BUTTON_CSS, BUTTON_AFTER), "src/main/resources/templates/pay.html": (PAY_HTML, PAY_HTML.replace('class="pay-button"', 'class="pay-button ds4"'))}),
        {"type": "deploy", "time": f"{DAY}T10:40:31Z", "service": "checkout-web", "version": "5.18.0", "sha": BUTTON, "author": "n.falk"},
        commit(UPSTREAM, f"{DAY}T10:44:33Z", "p.wolski", "payments-gw",
            "Bring the gateway in line with the others\n\nSame numbers as catalog-gw and orders-gw, so that nobody has to remember which\none differs.\n",
            {"conf.d/payments.conf": (UPSTREAM_CONF, UPSTREAM_AFTER)}),
        {"type": "deploy", "time": f"{DAY}T10:47:10Z", "service": "payments-gw", "version": "1.12.4", "sha": UPSTREAM, "author": "p.wolski", "message": "nginx -s reload"},
        {"type": "event", "time": f"{DAY}T10:50:06Z", "service": "payments-api", "message": "From the acquirer's calendar: change of site today between 10:55 and 11:55 UTC"},
        commit(FIELD, f"{DAY}T10:54:04Z", "t.ekholm", "payments-api",
            "Log how long the acquirer took\n\nSo that the numbers can be held against theirs in the monthly review.\n",
            {"deploy/config/logback-spring.xml": (FIELD_XML, FIELD_AFTER)}),
        {"type": "config", "time": f"{DAY}T10:54:41Z", "service": "payments-api", "key": "configmap/payments-api-logback", "before": "revision 18", "after": "revision 19", "author": "t.ekholm", "message": "Read by running pods within a minute or so, no restart"},
        commit(DUTCH, f"{DAY}T11:22:18Z", "e.devries", "payments-api",
            "Finish the Dutch texts of the receipt\n",
            {"src/main/resources/receipts/nl.json": (DUTCH_BEFORE, DUTCH_AFTER)}),
    ]  # fmt: skip


EXPECTED = {
    "service": "checkout-web",
    "also_ok": ["checkout", "checkout-web-client", *NEW_WEB],
    "victims": ["payments-api", "payments-gw", "pay-edge"],
    "onset": "2026-11-12T10:58:08Z",
    "cause": [
        [
            "retry", "retries", "retrying", "retried", "re try", "re tries", "max attempts", "maxAttempts", "attempts", "repeated calls",
            "repeats calls", "repeats each call", "repeats every call", "repeats failed calls", "repeating calls", "resends", "resending", "calls again", "tries again", "six calls", "6 calls",
        ],
        [
            "storm", "storms", "amplif*", "multipl*", "fourfold", "4x", "4 times", "four times", "quadrupl*", "tripl*", "threefold", "six times", "sixfold", "6x",
            "no backoff", "no back off", "without backoff", "without back off", "without any backoff", "without any back off", "backoff removed", "back off removed", "removed backoff", "removed back off",
            "remov* backoff", "remov* back off", "drop* backoff", "drop* back off", "backoff dropped", "back off dropped", "lost backoff", "lost back off", "lost its backoff", "backoff gone", "back off gone",
            "deleted backoff", "deletes backoff", "zero backoff", "zero back off", "backoff zero", "backoff to zero", "back off to zero", "backoff disabled", "back off disabled", "disabled backoff", "missing backoff", "missing back off",
            "backoff missing", "back off missing", "lack* backoff", "lack* back off", "not back off", "never backs off", "no longer backs off", "no longer back off",
            "zero wait", "wait zero", "wait to zero", "wait of zero", "no wait*", "not wait*", "no longer waits", "without wait*", "without any wait*", "without a wait", "without pause", "without a pause", "without delay", "without any delay", "no delay", "no pause between", "zero delay", "delay zero", "delay of zero",
            "Duration.ZERO", "PT0S", "immediate*", "instant", "instantly", "at once", "back to back", "tight loop",
            "2 to 6", "two to six", "6 instead of 2", "six instead of two", "6 rather than 2", "six rather than two", "6 attempts", "six attempts", "six retries", "6 retries", "6 tries", "six tries", "attempts 6", "attempts to 6", "attempts to six", "attempts of 6",
            "up to six", "up to 6", "attempts raised", "attempts increased", "raised attempts", "increased attempts", "increase* attempts", "rais* attempts", "increase* retries", "rais* retries", "more attempts", "more retries", "more often",
            "too many retries", "too many attempts", "too many times", "excessive*", "aggressive*", "too eager*", "overly eager", "hammer*", "flood*", "bombard*", "swamp*", "self inflicted", "metastable", "positive feedback", "feedback loop", "self sustain*",
        ],
    ],
    "must_not": [
        "acquirer retr*", "retr* acquirer", "retries to the acquirer", "retries against the acquirer", "acquirer attempts", "acquirer backoff", "breaker removed", "removed breaker", "breaker gone", "removal of breaker", "12 attempts to acquirer", "12 attempts without", "twelve attempts without", "dozen attempts without", "attempts to 12", "attempts to twelve", "2 to 12", "two to twelve", "change of site multipl*", "change of site caus*", "change of site trigger*", "site change caus*", "site change trigger*", "acquirer calls multipl*", "acquirer calls amplif*",
        "retries of payments api", "payments api own retries", "retries inside payments api", "gateway retries each", "gateway retries failed", "nginx retries each", "nginx retries failed", "proxy next upstream multipl*", "next upstream amplif*", "next upstream doubles", "next upstream repeats", "next upstream resends", "gateway repeats", "gateway resends", "gateway sends again", "nginx repeats", "nginx resends", "non_idempotent lets", "non_idempotent repeats", "non_idempotent doubles", "max_fails takes", "max_fails 1 takes", "max_fails ejects", "ejects pod", "takes pod out",
        "performance regression", "regression in payments", "payments api regression", "payments api got slower after",
        "too few replicas", "not enough replicas", "too few pods", "too little capacity", "capacity of payments too small", "under provisioned", "underprovisioned", "payments too small", "needs more replicas", "needs more pods",
        "logging slow*", "logging overhead", "logging commit caus*", "logging change caus*", "logging change slow*", "logging overload*", "log pattern slow*", "log pattern caus*", "logback caus*", "logback block*", "logback overload*", "logback slow*",
        "pay button styl* caus*", "css broke", "css caus*", "css change caus*",
        "read timeout lowered", "lowered read timeout", "read timeout shortened", "shortened read timeout", "proxy read timeout caus*", "gateway timeout caus*", "gateway timeout too short", "gw was lowered", "gw was shortened", "gateway was lowered", "timeout lowered to 3",
        "bot overload*", "bot flood*", "bot hammer*", "bot exhaust*", "bot saturat*", "health check flood", "health flood*",
        "bulkhead too small", "bulkhead limit too low", "bulkhead lowered", "bulkhead reduced",
        "gc pauses overload*", "garbage collection is root cause", "gc is the root cause", "gc pause is the root cause", "heap too small", "memory leak",
        "too few retries", "too few attempts", "retries lowered", "retries reduced", "lowered retries", "reduced retries", "attempts lowered", "attempts reduced", "6 to 2", "six to two", "backoff too long", "back off too long", "waits too long", "checkout web is too long", "backoff raised", "backoff added", "back off added", "backoff increased",
        "traffic spike", "traffic surge", "surge of customers", "more orders than",
        "settlement export caus*", "settlement export overload*",
    ],
    "commit": OUTBOUND,
}  # fmt: skip

DISTRACTORS = [
    {"commit": FIELD, "why": "logging of the service that suffers, four minutes before onset; between its being read at 10:55:43 and 10:58 neither CPU nor latency moves"},
    {"commit": ACQUIRER, "why": "the culprit's own kind of change, and a worse one to read, in the service that suffers; live since 10:06, it still makes one call to the acquirer for each accepted intent, none takes over 0.3 s, hardly one in 300 is made again, and the announced change of site does not come: all calls go north"},
    {"commit": BUTTON, "why": "head of the same roll-out of checkout-web; a style sheet"},
    {"commit": UPSTREAM, "why": "passing on at the gateway between client and victim, and the roll-out nearest to onset that touches calls; yet every call it logs has one upstream, both pods get theirs in turn, and the client leaves after 1 s, long before 3 s"},
    {"commit": SETTLEMENT, "why": "the longest diff, in the service that suffers; the export runs at half past and at the hour as it always did"},
    {"commit": DUTCH, "why": "the newest commit, twenty minutes after onset"},
    {"noise": "one address asking the edge for /health all day", "match": r"limiting requests, excess: .* by zone \"probe\"", "why": "began before the window, same rate throughout, answered at the edge"},
    {"noise": "webhooks with a wrong signature", "match": r"signature of webhook evt_\w+ from 203\.0\.113\.88 does not match", "why": "somebody probes the webhook address, the same rate throughout"},
    {"noise": "texts that lack a translation", "match": r"text bundle sv-FI lacks 4 of 212 keys", "why": "every five minutes since before the window"},
]  # fmt: skip

EXAMPLES = {
    "right": [
        "checkout-web now makes up to six attempts without any back-off, so a short pause of one payments pod became a retry storm",
        "Retry storm from checkout-web: maxAttempts went from 2 to 6 and the wait between attempts is zero",
        "The client's retries multiply the load on payments-api; there is no backoff between them any more",
        "checkout-web retries failed payment calls immediately and six times; amplification of about four",
        "payments-api is overloaded by checkout-web's retries, which were raised from two to six attempts with no wait in between",
        "The exponential back-off of the payments client was removed and its retry count tripled",
        "Aggressive retrying in the payments client of checkout-web keeps payments-api saturated after a GC pause is long over",
        "The commit that shares the settings of interactive calls dropped the backoff of the payments client; its retries hammer payments-api",
        "A GC pause on one pod triggered a self-sustaining retry storm since checkout-web no longer waits before it tries again",
        "Orders are flat but each one produces four calls: checkout-web's retry policy amplifies failures",
        "The acquirer settings and the logging change are unrelated. checkout-web retries up to 6 times with no delay.",
        "Not the twelve attempts of the acquirer client: its calls are flat. checkout-web's payment calls now use InteractiveCalls, which retries six times with zero wait.",
        "Client-side retry policy became too aggressive (6 attempts, Duration.ZERO) and overloads a healthy backend",
        "Payment calls are repeated at once: the retry of checkout-web lost its backoff",
        "checkout-web: RetryConfig of the payments client raised to six attempts and waitDuration zero, a metastable overload of payments-api",
        "Rather than payments-api itself, the retry amplification in checkout-web is what saturates it",
    ],
    "wrong": [
        "payments-api is overloaded",
        "payments-api has a performance regression since its newest commit",
        "payments-api's CPU is at 100 % and its bulkhead rejects calls",
        "The logging change slows payments-api, and its callers run into their time limit of one second",
        "payments-api has too few replicas for the traffic; the retries of its clients multiply it",
        "Retries to the acquirer were raised to twelve without back-off and amplify the load on payments-api",
        "payments-api asks the acquirer up to 24 times at once since its circuit breaker was removed, a retry storm against two sites",
        "The gateway retries on error and multiplies the calls: proxy_next_upstream doubles them",
        "non_idempotent lets payments-gw send each payment again at once, and max_fails=1 takes a pod out after one failure, so retries multiply",
        "The read timeout of payments-gw was lowered to 3 s, so that calls are retried more often",
        "The acquirer's change of site triggers a storm of retries in payments-api, which has no breaker any more",
        "A bot hammers /health and exhausts the edge",
        "A long GC pause in payments-api makes calls time out",
        "The number of attempts was lowered from 6 to 2, so that a blip is no longer covered by a retry",
        "The back-off of checkout-web is too long, its retries pile up and amplify",
        "There is no retry storm, payments-api is just slow",
        "A retry storm from checkout-web was ruled out",
        "Perhaps a slow acquirer, perhaps something with timeouts",
        "The style sheet of the pay button makes customers click twice",
        "checkout-web answers 503 to customers who want to pay",
        "2026-11-12T11:04:11.207Z WARN 1 --- [checkout-web] Retry 'payments' recorded a failed retry attempt. Giving up.",
        "A surge of customers multiplies the retries of checkout-web",
        "Bulkhead 'payment-intents' is full and does not permit further calls",
    ],
}  # fmt: skip


def main() -> None:
    """Let the orders come in, and write the file."""
    number, previous = 48_213_306, START
    for time in arrivals(RNG, START, END, lambda now: 726 + 0.4 * minute_of(now)):
        number += RNG.choice((1, 1, 1, 2))
        seen = any(previous < moment <= time for moment in SEEN_IN_PAUSE)
        order(time, number, shown=seen or RNG.random() < 1 / LOGGED_ONE_IN)
        previous = time
    bot()
    old_habits()
    roll_out()
    document = {
        "schema": "rcabench/1",
        "id": "retry-storm",
        "title": "Retry storm from a client change overloads a healthy service",
        "kind": "bad_deploy",
        "difficulty": "medium",
        "canary": "rcabench canary 9c41e7d05b3a4f6e8a27d0f16cb59348",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": streams(),
        "metrics": metrics(),
        "changes": changes(),
        "alerts": [
            {"time": f"{DAY}T11:02:30Z", "service": "payments-api", "metric": "http_server_requests_seconds_max", "summary": "SlowRequests: payments-api /v1/payment-intents above 1 s for 3 minutes"},
            {"time": f"{DAY}T11:04:00Z", "service": "pay-edge", "metric": "nginx_http_response_count_total", "summary": "ServerErrors: more than 10 % of POST requests at pay-edge answered 5xx for 5 minutes"},
        ],
        "expected": EXPECTED,
        "distractors": DISTRACTORS,
        "said_in_evidence": [
            {"phrase": "retry", "why": "the library's own word in its events and metrics, for the acquirer's client too and before the onset"},
            {"phrase": "PT0S", "why": "Resilience4j prints its wait in each event"},
        ],
        "examples": EXAMPLES,
    }  # fmt: skip
    write(document, Path(__file__).parents[1] / "held_out" / "retry-storm.yaml")


if __name__ == "__main__":
    main()
