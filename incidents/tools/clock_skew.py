"""Write `incidents/held_out/clock-skew.yaml`: one of three nodes falls behind, and fresh tokens fail there.

True time is simulated first; what a process on node-3 stamps is true time minus `behind_s`.
"""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import accumulate, cycle
from pathlib import Path

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

RNG = random.Random(8)
START, END = utc("2026-10-07T12:00:00Z"), utc("2026-10-07T14:20:00Z")
MINUTES = 140
# The guest resumes on a host whose counter ticks 0.764 % slower than the rate it was booted with, after a pause.
MOVED = utc("2026-10-07T12:50:11.400Z")
PAUSE_S, LOST_PER_S = 0.31, 0.00764
NODES = ("node-1", "node-2", "node-3")

OLD_PODS = dict(zip(NODES, ("k7xqp", "m2vzd", "t9hlw"), strict=True))
NEW_PODS = dict(zip(NODES, ("q6vnz", "8wkcd", "x8r2v"), strict=True))
OLD_ADDRESS = dict(zip(NODES, ("10.42.1.21", "10.42.2.18", "10.42.3.27"), strict=True))
NEW_ADDRESS = dict(zip(NODES, ("10.42.1.34", "10.42.2.29", "10.42.3.31"), strict=True))
STOPPED = {
    "node-1": utc("2026-10-07T12:36:21.402Z"),
    "node-2": utc("2026-10-07T12:37:12.118Z"),
    "node-3": utc("2026-10-07T12:38:04.731Z"),
}
READY_AFTER = timedelta(seconds=21)
FLAGGED = utc("2026-10-07T12:27:00Z")
SUGGESTED = utc("2026-10-07T13:44:27Z")
ISSUERS = ("identity-issuer-6c4d8f7b9d-hz5wm", "identity-issuer-6c4d8f7b9d-r4tkb")
STOREFRONTS = ("storefront-bff-7b8f5d6c9c-lq2xv", "storefront-bff-7b8f5d6c9c-w9gnd")
STOREFRONT_ADDRESS = dict(zip(STOREFRONTS, ("10.42.1.52", "10.42.2.58"), strict=True))
PARTNER = "partner-feed-84c6b9f7d-n5jpz"
MAILER = "mailer-59d7c8b6f4-7htsk"


def behind_s(node: str, time: datetime) -> float:
    """Return how many seconds the clock of *node* is behind at the true *time*."""
    if node != "node-3" or time < MOVED:
        return 0.0
    return PAUSE_S + LOST_PER_S * (time - MOVED).total_seconds()


def on_node(node: str, time: datetime) -> datetime:
    """Return what the clock of *node* shows at the true *time*."""
    return time - timedelta(seconds=behind_s(node, time))


def seconds(count: float) -> timedelta:
    """Return *count* seconds."""
    return timedelta(seconds=count)


@dataclass
class Token:
    """An access token as its issuer made it."""

    client: str
    subject: str
    issued: datetime
    jti: str
    expired: bool = False


@dataclass
class Session:
    """What a client signs its calls with, until it is refused or the token is about to run out."""

    token: Token


@dataclass
class Call:
    """What a client does at a time, and what it does when it is refused."""

    time: datetime
    kind: str
    line: str
    session: Session
    address: str
    agent: str
    attempt: int = 1
    job: str = ""
    started: datetime = START


@dataclass
class World:
    """Everything that was written, by stream, each line with its true time."""

    edge: list[Line] = field(default_factory=list)
    gateway: dict[str, list[Line]] = field(default_factory=dict)
    issuer: dict[str, list[Line]] = field(default_factory=dict)
    storefront: dict[str, list[Line]] = field(default_factory=dict)
    partner: list[Line] = field(default_factory=list)
    mailer: list[Line] = field(default_factory=list)
    refused: dict[str, list[datetime]] = field(default_factory=lambda: {node: [] for node in NODES})
    passed: dict[str, list[datetime]] = field(default_factory=lambda: {node: [] for node in NODES})
    tokens: dict[str, list[datetime]] = field(default_factory=lambda: {pod: [] for pod in ISSUERS})
    retries: list[datetime] = field(default_factory=list)
    failed: list[datetime] = field(default_factory=list)
    retried: list[datetime] = field(default_factory=list)
    succeeded: list[datetime] = field(default_factory=list)
    first_refusal: datetime | None = None


WORLD = World()
TURN = (cycle(NODES), cycle(NODES))  # one round robin for each nginx worker
ISSUER_TURN = cycle(ISSUERS)


def issue(client: str, subject: str, time: datetime, grant: str) -> Token:
    """Return a new token of *client*, and log it where it was made."""
    token = Token(client, subject, time, hex_digits(RNG, 12))
    pod = next(ISSUER_TURN)
    thread = f"nio-8080-exec-{RNG.randint(1, 10)}"[-15:]
    ttl = {"partner-feed": 120, "storefront-web": 300, "mobile": 900}[client]
    text = (
        f"{stamp(time, 'spring-boot')}  INFO 1 --- [identity-issuer] [{thread}] "
        f"{'i.e.identity.token.TokenEndpoint':<40} : issued access token client={client} sub={subject} "
        f"grant={grant} jti={token.jti} kid=2026-10b ttl={ttl}s"
    )
    WORLD.issuer.setdefault(pod, []).append((time, text))
    WORLD.tokens[pod].append(time)
    return token


def address_of(node: str, time: datetime) -> str | None:
    """Return the address of the gateway pod that is ready on *node*, or None while it restarts."""
    if time < STOPPED[node]:
        return OLD_ADDRESS[node]
    return NEW_ADDRESS[node] if time > STOPPED[node] + READY_AFTER else None


def pod_of(node: str, time: datetime) -> str:
    """Return the gateway pod on *node* at the true *time*."""
    return "auth-gateway-" + (OLD_PODS if time <= STOPPED[node] + seconds(4) else NEW_PODS)[node]


def verdict_of(token: Token, node: str, time: datetime) -> str:
    """Return why the gateway on *node* refuses *token*, or nothing: PyJWT's own checks, no leeway."""
    if token.issued.replace(microsecond=0) > on_node(node, time):
        return "ImmatureSignatureError: The token is not yet valid (iat)"
    return "ExpiredSignatureError: Signature has expired" if token.expired else ""


def pass_edge(call: Call) -> bool:
    """Send *call* through the edge to the next gateway; return whether it was let in."""
    turn = RNG.choice(TURN)
    node = next(turn)
    while (address := address_of(node, call.time)) is None:
        node = next(turn)
    took = RNG.uniform(0.006, 0.021)
    verified = call.time + seconds(0.002 + took / 4)
    token = call.session.token
    refusal = verdict_of(token, node, verified)
    done = call.time + seconds(took)
    rid = hex_digits(RNG, 16)
    status, size = (401, 86) if refusal else (200, RNG.randint(180, 4200))
    lines = WORLD.gateway.setdefault(pod_of(node, call.time), [])
    if refusal:
        shown = on_node(node, verified)
        lines.append(
            (
                verified,
                (
                    f"{stamp(shown, 'python')} - auth_gateway.verify - INFO - {rid} rejected "
                    f"client={token.client} jti={token.jti} {refusal}"
                ),
            )
        )
    shown = on_node(node, done)
    who = "-" if refusal else token.subject
    lines.append(
        (
            done,
            (
                f"{stamp(shown, 'python')} - auth_gateway.access - INFO - {rid} {call.line} {status} "
                f"sub={who} {took * 1000 - 1:.0f}ms"
            ),
        )
    )
    total = took + RNG.uniform(0.001, 0.003)
    finished = call.time + seconds(total)
    WORLD.edge.append(
        (
            finished,
            (
                f'{call.address} - - {stamp(finished, "nginx-access")} "{call.line} HTTP/1.1" {status} {size} "-" '
                f'"{call.agent}" {total:.3f} {address}:8080 {status} {rid}'
            ),
        )
    )
    (WORLD.refused if refusal else WORLD.passed)[node].append(done)
    if refusal.startswith("Immature") and (
        WORLD.first_refusal is None or verified < WORLD.first_refusal
    ):
        WORLD.first_refusal = verified
    return not refusal


PAGES = (
    "GET /v1/basket",
    "GET /v1/orders?limit=20",
    "GET /v1/profile",
    "GET /v1/addresses",
    "POST /v1/basket/items",
    "GET /v1/wishlist",
    "PATCH /v1/profile",
)
MOBILE = (
    "Lumo/5.3.1 (Android 16; okhttp/4.12.0)",
    "Lumo/5.3.0 (iOS 26.0.1; CFNetwork/3860.100.1)",
    "Lumo/5.2.4 (Android 15; okhttp/4.12.0)",
)
OLD_MOBILE = "Lumo/4.1.7 (Android 12; okhttp/4.9.3)"


def customer_address() -> str:
    """Return an address of somebody out there."""
    return f"{RNG.choice(('203.0.113', '198.51.100'))}.{RNG.randint(2, 250)}"


def sign_ins(rate: float) -> None:
    """Plan what people at the web shop do, *rate* sign-ins a minute."""

    # A one-tap flag brings a few more of them from 12:27 on.
    def per_minute(time: datetime) -> float:
        return rate * (1.1 if time > FLAGGED else 1.0)

    for time in arrivals(RNG, START + seconds(3), END - seconds(20), per_minute):
        subject = f"u-{RNG.randint(20000, 99999)}"
        pod = RNG.choice(STOREFRONTS)
        session = Session(issue("storefront-web", subject, time, "authorization_code"))
        one_tap = 0.25 if time > FLAGGED else 0.1
        method = (
            "one-tap" if RNG.random() < one_tap else RNG.choice(("password", "password", "link"))
        )
        log_storefront(
            pod,
            time + seconds(0.03),
            "INFO",
            f"sign-in sub={subject} method={method} jti={session.token.jti}",
        )
        if method == "link" or RNG.random() < 0.3:
            send_mail(pod, time + seconds(RNG.uniform(0.4, 1.1)), subject)
        at = time + seconds(RNG.uniform(0.11, 0.42))
        plan(
            Call(
                at,
                pod,
                "GET /v1/session",
                session,
                STOREFRONT_ADDRESS[pod],
                "storefront-bff/4.31.2",
            )
        )
        for _ in range(RNG.choice((2, 3, 3, 4, 5))):
            at += seconds(RNG.expovariate(1 / 38) + 1.4)
            if at < END - seconds(5):
                plan(
                    Call(
                        at,
                        pod,
                        RNG.choice(PAGES),
                        session,
                        STOREFRONT_ADDRESS[pod],
                        "storefront-bff/4.31.2",
                    )
                )


def mobile_use(rate: float) -> None:
    """Plan what the mobile app does, *rate* refreshes a minute, and the old app that never refreshes."""
    for time in arrivals(RNG, START + seconds(9), END - seconds(20), rate):
        subject = f"u-{RNG.randint(20000, 99999)}"
        session = Session(issue("mobile", subject, time, "refresh_token"))
        at, address, agent = (
            time + seconds(RNG.uniform(0.3, 0.9)),
            customer_address(),
            RNG.choice(MOBILE),
        )
        for _ in range(RNG.choice((1, 2, 3))):
            if at < END - seconds(8):
                plan(
                    Call(
                        at,
                        "mobile",
                        RNG.choice(("GET /v1/home", "GET /v1/orders?limit=5", "GET /v1/basket")),
                        session,
                        address,
                        agent,
                    )
                )
            at += seconds(RNG.expovariate(1 / 45) + 2)
    for time in arrivals(RNG, START + seconds(5), END - seconds(5), 0.62):
        stale = Token(
            "mobile",
            "",
            time - timedelta(hours=RNG.uniform(3, 400)),
            hex_digits(RNG, 12),
            expired=True,
        )
        plan(
            Call(time, "old-mobile", "GET /v1/home", Session(stale), customer_address(), OLD_MOBILE)
        )


def partner_tasks() -> None:
    """Plan the stock pushes of the partner worker, one a minute, each with a token of its own."""
    for time in periodic(RNG, START + seconds(7), END - seconds(30), 60, jitter_s=0.9):
        push(time, str(uuid.UUID(int=RNG.getrandbits(128), version=4)), attempt=1)


def push(time: datetime, job: str, *, attempt: int) -> None:
    """Plan one run of the task *job*; a repeat is received at once and held back until its time."""
    received = time if attempt == 1 else time - seconds(10)
    text = f"Task partner_feed.tasks.push_stock[{job}] received"
    WORLD.partner.append((received, f"{stamp(received, 'celery')}INFO/MainProcess] {text}"))
    started = time + seconds(RNG.uniform(0.002, 0.006))
    asked = started + seconds(RNG.uniform(0.02, 0.06))
    session = Session(issue("partner-feed", "svc-partner-feed", asked, "client_credentials"))
    at = asked + seconds(RNG.uniform(0.05, 0.19))
    call = Call(
        at, "partner", "POST /v1/partner/stock", session, "10.42.2.77", "python-requests/2.32.5"
    )
    plan(replace(call, attempt=attempt, job=job, started=started))


PENDING: list[Call] = []


def plan(call: Call) -> None:
    """Put *call* among those to come."""
    PENDING.append(call)


def run() -> None:
    """Make all planned calls in the order of their times, with the repeats that refusals lead to."""
    while PENDING:
        PENDING.sort(key=lambda call: call.time)
        call = PENDING.pop(0)
        renew(call)
        let_in = pass_edge(call)
        answered = call.time + seconds(RNG.uniform(0.03, 0.05))
        if call.kind == "partner":
            finish_push(call, answered, let_in=let_in)
        elif not let_in and call.kind != "old-mobile":
            repeat(call, answered)


def renew(call: Call) -> None:
    """Get a new token just before *call* where the old one is about to run out."""
    token = call.session.token
    limit = {"storefront-web": 270, "mobile": 870}.get(token.client)
    if limit and not token.expired and call.time - token.issued > seconds(limit):
        call.session.token = issue(
            token.client, token.subject, call.time - seconds(RNG.uniform(0.1, 0.2)), "refresh_token"
        )


def repeat(call: Call, answered: datetime) -> None:
    """Ask once more with a fresh token, as the web shop and the app do."""
    shop, token = call.kind.startswith("storefront"), call.session.token
    if call.attempt > 1:
        if shop:
            log_storefront(
                call.kind,
                answered,
                "ERROR",
                f"{call.line} refused again for sub={token.subject}, sending to /sign-in",
            )
        return
    if shop:
        log_storefront(
            call.kind,
            answered,
            "WARN",
            f"{call.line} answered 401 for sub={token.subject} jti={token.jti}, asking for a new token",
        )
        WORLD.retries.append(answered)
    issued = answered + seconds(RNG.uniform(0.02, 0.07) if shop else RNG.uniform(0.6, 1.3))
    call.session.token = issue(token.client, token.subject, issued, "refresh_token")
    at = issued + seconds(RNG.uniform(0.08, 0.2))
    plan(replace(call, time=at, attempt=call.attempt + 1))


def finish_push(call: Call, answered: datetime, *, let_in: bool) -> None:
    """Log how a stock push ended; it is repeated twice, 10 s later each time."""
    worker = f"ForkPoolWorker-{1 + int(call.job[0], 16) % 4}"
    task = f"Task partner_feed.tasks.push_stock[{call.job}]"
    head = stamp(answered, "celery")
    if let_in:
        took = (answered - call.started).total_seconds() - RNG.uniform(0.0002, 0.0009)
        text = f"{head}INFO/{worker}] {task} succeeded in {took:.15f}s: {{'rows': {RNG.randint(8, 160)}}}"
        WORLD.succeeded.append(answered)
    elif call.attempt < 3:
        error = "HTTPError('401 Client Error: Unauthorized for url: https://api.lumo.example.invalid/v1/partner/stock')"
        refused = f'{head}WARNING/{worker}] push_stock: 401 {{"error":"invalid_token"}} on attempt {call.attempt} of 3'
        text = f"{refused}\n{head}INFO/{worker}] {task} retry: Retry in 10s: {error}"
        WORLD.retried.append(answered)
        push(answered + seconds(10.01 + RNG.uniform(0.0, 0.02)), call.job, attempt=call.attempt + 1)
    else:
        text = PUSH_FAILED.format(head=head, worker=worker, task=task)
        WORLD.failed.append(answered)
    WORLD.partner.append((answered, text))


PUSH_FAILED = """\
{head}ERROR/{worker}] {task} raised unexpected: HTTPError('401 Client Error: Unauthorized for url: https://api.lumo.example.invalid/v1/partner/stock')
Traceback (most recent call last):
  File "/usr/local/lib/python3.12/site-packages/celery/app/trace.py", line 453, in trace_task
    R = retval = fun(*args, **kwargs)
                 ^^^^^^^^^^^^^^^^^^^^
  File "/usr/local/lib/python3.12/site-packages/celery/app/trace.py", line 736, in __protected_call__
    return self.run(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/srv/partner_feed/tasks.py", line 24, in push_stock
    raise self.retry(exc=exc)
          ^^^^^^^^^^^^^^^^^^^
  File "/usr/local/lib/python3.12/site-packages/celery/app/task.py", line 737, in retry
    raise_with_context(exc)
  File "/srv/partner_feed/tasks.py", line 21, in push_stock
    response.raise_for_status()
  File "/usr/local/lib/python3.12/site-packages/requests/models.py", line 1026, in raise_for_status
    raise HTTPError(http_error_msg, response=self)
requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://api.lumo.example.invalid/v1/partner/stock"""


def log_storefront(pod: str, time: datetime, level: str, message: str) -> None:
    """Log *message* in the storefront pod."""
    WORLD.storefront.setdefault(pod, []).append((time, f"{stamp(time, 'plain')} {level} {message}"))


MAIL_NUMBER = iter(range(77104, 79000))


def send_mail(pod: str, time: datetime, subject: str) -> None:
    """Queue a mail in the storefront and deliver it from node-3, whose stamps are its own."""
    job = f"mj-{next(MAIL_NUMBER)}"
    log_storefront(pod, time, "INFO", f"queued mail job={job} template=new-sign-in sub={subject}")
    taken = time + seconds(RNG.uniform(0.02, 0.2))
    sent = taken + seconds(RNG.uniform(0.3, 1.4))
    for at, text in (
        (taken, f"INFO took job={job} template=new-sign-in"),
        (
            sent,
            f"INFO delivered job={job} relay=10.20.4.25 reply=250 queue_id={hex_digits(RNG, 10).upper()}",
        ),
    ):
        WORLD.mailer.append((at, f"{stamp(on_node('node-3', at), 'plain')} {text}"))


def lead_in_and_noise() -> None:
    """Log what goes on all day: a recommendations service that fails now and then, repeated link clicks, cache misses."""
    for time in arrivals(RNG, START, END, 0.22):
        pod = RNG.choice(STOREFRONTS)
        log_storefront(
            pod,
            time,
            "ERROR",
            f"recommendations answered 503 after {RNG.randint(210, 460)}ms, page rendered without them",
        )
    for time in arrivals(RNG, START, END, 0.12):
        log_storefront(
            RNG.choice(STOREFRONTS),
            time,
            "WARN",
            f"image cache miss rate {RNG.randint(21, 34)} % over the last 500 pages",
        )
    for time in arrivals(RNG, START, END, 0.09):
        pod = RNG.choice(ISSUERS)
        WORLD.issuer.setdefault(pod, []).append(
            (
                time,
                (
                    f"{stamp(time, 'spring-boot')}  WARN 1 --- [identity-issuer] [nio-8080-exec-{RNG.randint(1, 9)}] "
                    f"{'i.e.identity.token.TokenEndpoint':<40} : invalid_grant client=storefront-web: authorization code already used"
                ),
            )
        )
    for time in periodic(RNG, START + seconds(41), END, 600, jitter_s=0.4):
        for pod, late in zip(ISSUERS, (0, 3.7), strict=True):
            at = time + seconds(late)
            WORLD.issuer.setdefault(pod, []).append(
                (
                    at,
                    (
                        f"{stamp(at, 'spring-boot')}  INFO 1 --- [identity-issuer] [   scheduling-1] "
                        f"{'i.e.identity.keys.KeyRing':<40} : key set served: active=2026-10b, verify=[2026-07a, 2026-10b]"
                    ),
                )
            )
    for time in arrivals(RNG, START, END, 0.06):
        text = f"{stamp(on_node('node-3', time), 'plain')} WARN relay 10.20.4.26 deferred one recipient: 450 4.2.1 mailbox busy"
        WORLD.mailer.append((time, text))


def restart_gateways() -> None:
    """Log how each gateway pod stops and its successor on the same node starts."""
    for node in NODES:
        down = STOPPED[node]
        old, new = "auth-gateway-" + OLD_PODS[node], "auth-gateway-" + NEW_PODS[node]
        for at, text in (
            (0.03, "uvicorn.error - INFO - Shutting down"),
            (0.14, "uvicorn.error - INFO - Waiting for application shutdown."),
            (0.15, "uvicorn.error - INFO - Application shutdown complete."),
            (0.16, "uvicorn.error - INFO - Finished server process [1]"),
        ):
            time = down + seconds(at)
            WORLD.gateway[old].append((time, f"{stamp(time, 'python')} - {text}"))
        for at, text in (
            (9.2, "uvicorn.error - INFO - Started server process [1]"),
            (9.21, "uvicorn.error - INFO - Waiting for application startup."),
            (
                9.83,
                "auth_gateway.keys - INFO - loaded 2 keys from https://id.lumo.example.invalid/.well-known/jwks.json: 2026-07a, 2026-10b",
            ),
            (9.84, "auth_gateway.config - INFO - accepting audiences lumo-api, lumo-partner"),
            (9.86, "uvicorn.error - INFO - Application startup complete."),
            (
                9.87,
                "uvicorn.error - INFO - Uvicorn running on http://0.0.0.0:8080 (Press CTRL+C to quit)",
            ),
        ):
            time = down + seconds(at + RNG.uniform(0, 0.004))
            WORLD.gateway.setdefault(new, []).append((time, f"{stamp(time, 'python')} - {text}"))
    for node in NODES:
        for time in periodic(
            RNG, START + seconds(100 + 61 * NODES.index(node)), END, 900, jitter_s=0.5
        ):
            if abs((time - STOPPED[node]).total_seconds()) > 40:
                text = "auth_gateway.keys - INFO - key set unchanged: 2026-07a, 2026-10b"
                WORLD.gateway[pod_of(node, time)].append(
                    (time, f"{stamp(on_node(node, time), 'python')} - {text}")
                )


# --- the hosts -------------------------------------------------------------------------------------------------

# What chronyd prints on each node, by hand, in the node's own time: it speaks when it changes its source. After the
# move of node-3 no answer reaches it: an unanswered source stays selected (chrony's sources.c), so it says nothing.
CHRONYD = {
    "node-1": (
        "698",
        (
            "12:05:48 Selected source 10.20.0.6",
            "12:21:03 Selected source 10.20.0.5",
            "12:58:31 Selected source 10.20.0.6",
            "13:37:12 Selected source 10.20.0.5",
            "14:09:55 Selected source 10.20.0.6",
        ),
    ),
    "node-2": (
        "712",
        (
            "12:17:26 Selected source 10.20.0.5",
            "12:44:09 Selected source 10.20.0.6",
            "13:14:40 Selected source 10.20.0.5",
            "13:52:17 Selected source 10.20.0.6",
        ),
    ),
    "node-3": (
        "705",
        (
            "12:09:37 Selected source 10.20.0.5",
            "12:31:54 Selected source 10.20.0.6",
            "12:43:22 Selected source 10.20.0.5",
        ),
    ),
}
KUBELET = {"node-1": 1088, "node-2": 1117, "node-3": 1103}
# Where the ten-minute session-gc job landed, and how long it ran.
COLLECTIONS = (
    ("12:00", "node-1", "2wqvd"), ("12:10", "node-2", "m8rkx"), ("12:20", "node-3", "zt5hq"), ("12:30", "node-1", "9c6jb"),
    ("12:40", "node-2", "f7xlw"), ("12:50", "node-1", "4nvgs"), ("13:00", "node-3", "kd2pz"), ("13:10", "node-1", "w5tcm"),
    ("13:20", "node-2", "h6qrj"), ("13:30", "node-3", "bx9vf"), ("13:40", "node-2", "7lzns"), ("13:50", "node-3", "t4gwk"),
    ("14:00", "node-1", "c8mdx"), ("14:10", "node-3", "r2jfq"),
)  # fmt: skip

HOSTS: dict[str, list[Line]] = {node: [] for node in NODES}
EVENTS: list[Line] = []


def journal(node: str, time: datetime, tag: str, message: str) -> None:
    """Write a line to the journal of *node* at the true *time*, stamped by the node."""
    HOSTS[node].append((time, f"{stamp(on_node(node, time), 'syslog')} {node} {tag}: {message}"))


def event(
    time: datetime, kind: str, reason: str, thing: str, message: str, *, seen_by: str = ""
) -> None:
    """Write a cluster event at the true *time*; a kubelet's own events bear the stamp of its node."""
    shown = on_node(seen_by, time)
    EVENTS.append((time, f"{stamp(shown, 'kubernetes-event')} {kind} {reason} {thing} {message}"))


def true_time(node: str, shown: datetime) -> datetime:
    """Return the true time at which the clock of *node* shows *shown*."""
    time = shown
    for _ in range(6):
        time = shown + seconds(behind_s(node, time))
    return time


def klog(node: str, time: datetime, place: str, message: str) -> None:
    """Write a kubelet line, which repeats the node's time in its own head."""
    shown = on_node(node, time)
    pid = KUBELET[node]
    journal(node, time, f"kubelet[{pid}]", f"I{shown:%m%d %H:%M:%S.%f} {pid:>7} {place}] {message}")


def run_pod(
    node: str, time: datetime, namespace: str, pod: str, image: str, container: str
) -> tuple[str, str]:
    """Write how *pod* is placed on *node* and started there; return the ids of pod and container."""
    uid, ident = str(uuid.UUID(int=RNG.getrandbits(128), version=4)), hex_digits(RNG, 64)
    event(
        time,
        "Normal",
        "Scheduled",
        f"Pod/{pod}",
        f"Successfully assigned {namespace}/{pod} to {node}",
    )
    klog(
        node,
        time + seconds(RNG.uniform(0.02, 0.06)),
        "kubelet.go:2537",
        f'"SyncLoop ADD" source="api" pods=["{namespace}/{pod}"]',
    )
    pulled = time + seconds(RNG.uniform(0.7, 1.2))
    event(
        pulled,
        "Normal",
        "Pulled",
        f"Pod/{pod}",
        f'Container image "registry.lumo.example.invalid/{image}" already present on machine',
        seen_by=node,
    )
    event(
        pulled + seconds(0.05),
        "Normal",
        "Created",
        f"Pod/{pod}",
        f"Created container: {container}",
        seen_by=node,
    )
    started = pulled + seconds(0.19)
    event(
        started, "Normal", "Started", f"Pod/{pod}", f"Started container {container}", seen_by=node
    )
    shown = rfc3339(on_node(node, started), digits=6).replace("Z", f"{RNG.randint(100, 999)}Z")
    journal(
        node,
        started,
        "containerd[641]",
        f'time="{shown}" level=info msg="StartContainer for \\"{ident}\\" returns successfully"',
    )
    pleg(node, started + seconds(0.6), f"{namespace}/{pod}", uid, "ContainerStarted", ident)
    return uid, ident


def pleg(node: str, time: datetime, pod: str, uid: str, what: str, container: str) -> None:
    """Write the kubelet's note that *container* of *pod* started or died."""
    said = f'{{"ID":"{uid}","Type":"{what}","Data":"{container}"}}'
    klog(
        node, time, "kubelet.go:2569", f'"SyncLoop (PLEG): event for pod" pod="{pod}" event={said}'
    )


def cluster() -> None:
    """Write what the cluster did: the roll-out of the gateway, the ten-minute job, an old readiness failure."""
    for node in NODES:
        down, old, new = (
            STOPPED[node],
            "auth-gateway-" + OLD_PODS[node],
            "auth-gateway-" + NEW_PODS[node],
        )
        event(
            down - seconds(0.9),
            "Normal",
            "SuccessfulDelete",
            "DaemonSet/auth-gateway",
            f"Deleted pod: {old}",
        )
        event(
            down - seconds(0.6),
            "Normal",
            "Killing",
            f"Pod/{old}",
            "Stopping container auth-gateway",
            seen_by=node,
        )
        klog(
            node,
            down - seconds(0.7),
            "kubelet.go:2553",
            f'"SyncLoop DELETE" source="api" pods=["identity/{old}"]',
        )
        event(
            down + seconds(5.4),
            "Normal",
            "SuccessfulCreate",
            "DaemonSet/auth-gateway",
            f"Created pod: {new}",
        )
        run_pod(
            node,
            down + seconds(5.5),
            "identity",
            new,
            "identity/auth-gateway:2.14.1",
            "auth-gateway",
        )
    for clock, node, suffix in COLLECTIONS:
        time = utc(f"2026-10-07T{clock}:00Z") + seconds(RNG.uniform(0.02, 0.4))
        job = f"session-gc-{int(time.timestamp()) // 60}"
        pod = f"{job}-{suffix}"
        event(time, "Normal", "SuccessfulCreate", "CronJob/session-gc", f"Created job {job}")
        event(
            time + seconds(0.03), "Normal", "SuccessfulCreate", f"Job/{job}", f"Created pod: {pod}"
        )
        at, image = time + seconds(0.06), "identity/session-gc:1.9.2"
        uid, container = run_pod(node, at, "identity", pod, image, "session-gc")
        ended = time + seconds(RNG.uniform(5.5, 9.0))
        pleg(node, ended, f"identity/{pod}", uid, "ContainerDied", container)
        event(ended + seconds(1.1), "Normal", "Completed", f"Job/{job}", "Job completed")
        event(
            ended + seconds(1.2),
            "Normal",
            "SawCompletedJob",
            "CronJob/session-gc",
            f"Saw completed job: {job}, condition: Complete",
        )
    for time in arrivals(RNG, START + seconds(60), END, 0.11):
        pod = (
            "recommendations-6f9d8c7b5d-v4kxz"
            if time < SUGGESTED
            else "recommendations-7c5f4b8d69-jd2ws"
        )
        event(
            time,
            "Warning",
            "Unhealthy",
            f"Pod/{pod}",
            "Readiness probe failed: HTTP probe failed with statuscode: 503",
            seen_by="node-1",
        )
    new = "recommendations-7c5f4b8d69"
    event(
        SUGGESTED,
        "Normal",
        "ScalingReplicaSet",
        "Deployment/recommendations",
        f"Scaled up replica set {new} from 0 to 1",
    )
    event(
        SUGGESTED + seconds(0.04),
        "Normal",
        "SuccessfulCreate",
        f"ReplicaSet/{new}",
        f"Created pod: {new}-jd2ws",
    )
    run_pod(
        "node-1",
        SUGGESTED + seconds(0.07),
        "shop",
        f"{new}-jd2ws",
        "shop/recommendations:1.22.0",
        "recommendations",
    )
    event(
        SUGGESTED + seconds(31.2),
        "Normal",
        "ScalingReplicaSet",
        "Deployment/recommendations",
        "Scaled down replica set recommendations-6f9d8c7b5d from 1 to 0",
    )
    event(
        SUGGESTED + seconds(31.6),
        "Normal",
        "Killing",
        "Pod/recommendations-6f9d8c7b5d-v4kxz",
        "Stopping container recommendations",
        seen_by="node-1",
    )


def hosts() -> None:
    """Write the journals of the three nodes: their timers go by their own time."""
    for node in NODES:
        pid, lines = CHRONYD[node]
        for line in lines:
            shown, message = line.split(" ", 1)
            journal(node, true_time(node, utc(f"2026-10-07T{shown}Z")), f"chronyd[{pid}]", message)
        for step in range(14):
            own = START + seconds(600 * step + RNG.uniform(0.05, 0.6))
            at = true_time(node, own)
            if at < END:
                journal(
                    node,
                    at,
                    "systemd[1]",
                    "Starting sysstat-collect.service - system activity accounting tool...",
                )
                journal(
                    node,
                    at + seconds(0.04),
                    "systemd[1]",
                    "sysstat-collect.service: Deactivated successfully.",
                )
                journal(
                    node,
                    at + seconds(0.05),
                    "systemd[1]",
                    "Finished sysstat-collect.service - system activity accounting tool.",
                )
        for hour in ("12:17:01", "13:17:01"):
            at = true_time(node, utc(f"2026-10-07T{hour}Z"))
            cron = RNG.randint(61000, 88000)
            journal(
                node,
                at,
                f"CRON[{cron}]",
                "pam_unix(cron:session): session opened for user root(uid=0) by root(uid=0)",
            )
            journal(
                node,
                at + seconds(0.01),
                f"CRON[{cron + 1}]",
                "(root) CMD (cd / && run-parts --report /etc/cron.hourly)",
            )
            journal(
                node,
                at + seconds(0.06),
                f"CRON[{cron}]",
                "pam_unix(cron:session): session closed for user root",
            )
    journal(
        "node-1",
        utc("2026-10-07T12:26:44Z"),
        "systemd[1]",
        "Starting apt-daily.service - Daily apt download activities...",
    )
    journal(
        "node-1",
        utc("2026-10-07T12:26:52Z"),
        "systemd[1]",
        "apt-daily.service: Deactivated successfully.",
    )
    journal(
        "node-1",
        utc("2026-10-07T12:26:52Z"),
        "systemd[1]",
        "Finished apt-daily.service - Daily apt download activities.",
    )
    journal(
        "node-2",
        utc("2026-10-07T13:33:18Z"),
        "systemd[1]",
        "Starting logrotate.service - Rotate log files...",
    )
    journal(
        "node-2",
        utc("2026-10-07T13:33:18Z"),
        "systemd[1]",
        "logrotate.service: Deactivated successfully.",
    )
    journal(
        "node-2",
        utc("2026-10-07T13:33:19Z"),
        "systemd[1]",
        "Finished logrotate.service - Rotate log files.",
    )


NGINX_ERRORS = """\
2026/10/07 12:04:33 [warn] 2417#2417: *881204 an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/3/41/0000004413 while reading upstream, client: 203.0.113.71, server: api.lumo.example.invalid, request: "GET /assets/catalogue-autumn.pdf HTTP/1.1", upstream: "http://10.42.2.44:8080/assets/catalogue-autumn.pdf", host: "api.lumo.example.invalid"
2026/10/07 12:19:07 [info] 2418#2418: *881377 client closed connection while waiting for request, client: 198.51.100.19, server: 0.0.0.0:443
2026/10/07 12:33:50 [warn] 2417#2417: *881539 an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/4/41/0000004414 while reading upstream, client: 203.0.113.71, server: api.lumo.example.invalid, request: "GET /assets/catalogue-autumn.pdf HTTP/1.1", upstream: "http://10.42.2.44:8080/assets/catalogue-autumn.pdf", host: "api.lumo.example.invalid"
2026/10/07 13:04:12 [warn] 2418#2418: *881902 an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/5/41/0000004415 while reading upstream, client: 203.0.113.71, server: api.lumo.example.invalid, request: "GET /assets/catalogue-autumn.pdf HTTP/1.1", upstream: "http://10.42.2.44:8080/assets/catalogue-autumn.pdf", host: "api.lumo.example.invalid"
2026/10/07 13:26:41 [info] 2417#2417: *882160 client 203.0.113.188 closed keepalive connection
2026/10/07 13:33:55 [warn] 2417#2417: *882251 an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/6/41/0000004416 while reading upstream, client: 203.0.113.71, server: api.lumo.example.invalid, request: "GET /assets/catalogue-autumn.pdf HTTP/1.1", upstream: "http://10.42.2.44:8080/assets/catalogue-autumn.pdf", host: "api.lumo.example.invalid"
2026/10/07 14:03:58 [warn] 2418#2418: *882604 an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/7/41/0000004417 while reading upstream, client: 203.0.113.71, server: api.lumo.example.invalid, request: "GET /assets/catalogue-autumn.pdf HTTP/1.1", upstream: "http://10.42.2.44:8080/assets/catalogue-autumn.pdf", host: "api.lumo.example.invalid"
"""


def logs() -> list[dict[str, object]]:
    """Return the streams, the edge first."""
    for time in arrivals(RNG, START, END, 0.05):
        text = f"changed_rows: skipped {RNG.randint(1, 4)} rows without an article number"
        WORLD.partner.append(
            (time, f"{stamp(time, 'celery')}WARNING/ForkPoolWorker-{RNG.randint(1, 4)}] {text}")
        )

    # Every buffered answer in the error log is a request in the access log.
    for line in NGINX_ERRORS.splitlines():
        if "buffered" in line:
            time = datetime.strptime(line[:19] + "+0000", "%Y/%m/%d %H:%M:%S%z") + seconds(
                RNG.uniform(1.1, 1.9)
            )
            text = f'203.0.113.71 - - {stamp(time, "nginx-access")} "GET /assets/catalogue-autumn.pdf HTTP/1.1" 200 7340211 "-" "curl/8.14.1" {RNG.uniform(1.6, 2.9):.3f} 10.42.2.44:8080 200 {hex_digits(RNG, 16)}'
            WORLD.edge.append((time, text))

    def stream(service: str, host: str, layout: str, lines: list[Line]) -> dict[str, object]:
        entry: dict[str, object] = {"service": service, "host": host, "format": layout}
        if layout in {"nginx-error", "celery", "python", "syslog"}:
            entry["zone"] = "+00:00"
        return entry | {"lines": stream_text(lines)}

    out = [stream("edge-nginx", "edge-1", "nginx-access", WORLD.edge)]
    out.append(
        {
            "service": "edge-nginx",
            "host": "edge-1",
            "format": "nginx-error",
            "zone": "+00:00",
            "lines": NGINX_ERRORS,
        }
    )
    out += [stream("storefront-bff", pod, "plain", WORLD.storefront[pod]) for pod in STOREFRONTS]
    for pods in (OLD_PODS, NEW_PODS):
        out += [
            stream(
                "auth-gateway",
                f"auth-gateway-{pod}",
                "python",
                WORLD.gateway[f"auth-gateway-{pod}"],
            )
            for pod in pods.values()
        ]
    out += [stream("identity-issuer", pod, "spring-boot", WORLD.issuer[pod]) for pod in ISSUERS]
    out.append(stream("partner-feed", PARTNER, "celery", WORLD.partner))
    out.append(stream("mailer", MAILER, "plain", WORLD.mailer))
    out += [stream(node, node, "syslog", HOSTS[node]) for node in NODES]
    out.append(stream("kubernetes", "event-exporter-5c9b7d8f6-sz4lw", "kubernetes-event", EVENTS))
    return out


def metrics() -> list[dict[str, object]]:
    """Return the series, a sample a minute; what the logs tell is counted from them."""
    out: list[dict[str, object]] = []

    def add(name: str, service: str, unit: str, values: list[float] | list[int]) -> None:
        out.append(
            {
                "name": name,
                "service": service,
                "unit": unit,
                "start": rfc3339(START),
                "step_s": 60,
                "values": values,
            }
        )

    def count(times: list[datetime], first: int) -> list[int]:
        return counted(times, START, 60, MINUTES, first=first)

    grid = [START + seconds(60 * n) for n in range(MINUTES)]
    add(
        "nginx_http_requests_total",
        "edge-nginx",
        "requests",
        count([time for time, _ in WORLD.edge], 418207),
    )
    for node, first in zip(NODES, (38120, 38164, 38097), strict=True):
        for status, times, before in (
            ("2xx", WORLD.passed[node], first),
            ("4xx", WORLD.refused[node], first // 9),
        ):
            # The new process counts from zero.
            old = count([time for time in times if time < STOPPED[node]], before)
            new = count([time for time in times if time >= STOPPED[node]], 0)
            values = [
                o if time < STOPPED[node] + seconds(10) else n
                for time, o, n in zip(grid, old, new, strict=True)
            ]
            add(
                f'http_requests_total{{handler="/v1/{{path:path}}",status="{status}",node="{node}"}}',
                "auth-gateway",
                "requests",
                values,
            )
    for pod, first in zip(ISSUERS, (20511, 20498), strict=True):
        add(
            f'http_server_requests_seconds_count{{uri="/oauth2/token",status="200",pod="{pod}"}}',
            "identity-issuer",
            "requests",
            count(WORLD.tokens[pod], first),
        )
    add("storefront_token_retries_total", "storefront-bff", "retries", count(WORLD.retries, 12))
    add(
        "nodejs_eventloop_lag_p99_seconds",
        "storefront-bff",
        "s",
        gauge(RNG, MINUTES, 0.0124, 0.0009, low=0.01, digits=4),
    )
    for what, times, first in (
        ("succeeded", WORLD.succeeded, 9127),
        ("retried", WORLD.retried, 31),
        ("failed", WORLD.failed, 2),
    ):
        add(
            f'celery_task_{what}_total{{name="partner_feed.tasks.push_stock"}}',
            "partner-feed",
            "tasks",
            count(times, first),
        )
    for name, unit, samples in (
        ("node_time_seconds", "s", scraped_time),
        ("node_timex_maxerror_seconds", "s", max_error),
        ("node_timex_sync_status", "1", lambda _: [1] * MINUTES),
        ("node_timex_offset_seconds", "s", lambda _: [0] * MINUTES),
        ("node_load1", "1", lambda _: gauge(RNG, MINUTES, 0.64, 0.14, low=0.05, digits=2)),
    ):
        for node in NODES:
            add(f'{name}{{instance="{node}:9100"}}', node, unit, samples(node))
    rng = random.Random("the size of the nodes")
    for node, memory, disk in zip(
        NODES, (5.91e9, 6.34e9, 6.12e9), (21.7e9, 19.4e9, 23.1e9), strict=True
    ):
        labels = f'instance="{node}:9100"'
        free = gauge(rng, MINUTES, memory, 3.1e7)
        add(
            f"node_memory_MemAvailable_bytes{{{labels}}}",
            node,
            "bytes",
            [n // 4096 * 4096 for n in free],
        )
        # What containers log fills the disk, a little less or more each minute.
        filled = accumulate(rng.randint(40, 190) * 4096 for _ in range(MINUTES))
        left = [int(disk) // 4096 * 4096 - n for n in filled]
        add(f'node_filesystem_avail_bytes{{{labels},mountpoint="/"}}', node, "bytes", left)
    return out


def scraped_time(node: str) -> list[float]:
    """Return what the clock of *node* shows at each scrape, some milliseconds after the minute."""
    scrapes = (START + seconds(60 * n + RNG.uniform(0.004, 0.019)) for n in range(MINUTES))
    return [round(on_node(node, time).timestamp(), 3) for time in scrapes]


def max_error(node: str) -> list[float]:
    """Return the kernel's error bound: 500 µs more each second since the last of the 64 s updates by chronyd."""
    values, updated = [], START - seconds(RNG.uniform(0, 64))
    for minute in range(MINUTES):
        time = START + seconds(60 * minute)
        while (following := updated + seconds(64 + RNG.uniform(-0.9, 0.9))) <= time and not (
            node == "node-3" and following > MOVED
        ):
            updated = following
        values.append(
            round(
                0.0011
                + RNG.uniform(0, 0.0004)
                + 0.0005 * (on_node(node, time) - updated).total_seconds(),
                6,
            )
        )
    return values


def alert() -> dict[str, object]:
    """Return the alert on the second tokens that the web shop asked for, at the first minute that meets its rule."""
    count = counted(WORLD.retries, START, 60, MINUTES)
    minute = next(n for n in range(15, MINUTES) if count[n] - count[n - 15] > 4)
    return {
        "time": rfc3339(START + seconds(60 * minute + 14)),
        "service": "storefront-bff",
        "metric": "storefront_token_retries_total",
        "summary": "storefront-bff asked for a second token more than 4 times in 15 minutes",
    }


# --- the changes -----------------------------------------------------------------------------------------------

SHAS = random.Random(4711)
ROTATION, AUDIENCES, IMPORT, FINNISH, GROUPING = (hex_digits(SHAS, 40) for _ in range(5))

KEYS_BEFORE = """\
identity:
  issuer: https://id.lumo.example.invalid
  keys:
    active: 2026-07a
    verify:
      - 2026-04c
      - 2026-07a
    source: vault:identity/signing-key
  tokens:
    storefront-web: 300s
    mobile: 900s
    partner-feed: 120s
"""
KEYS_AFTER = KEYS_BEFORE.replace("active: 2026-07a", "active: 2026-10b").replace(
    "      - 2026-04c\n      - 2026-07a\n", "      - 2026-07a\n      - 2026-10b\n"
)
KEYRING_BEFORE = """\
package invalid.example.identity.keys;

import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class KeyRing {

    private static final Logger log = LoggerFactory.getLogger(KeyRing.class);

    private final Map<String, SigningKey> keys;
    private final String active;

    SigningKey active() {
        return keys.get(active);
    }

    List<SigningKey> published() {
        return List.copyOf(keys.values());
    }

    void report() {
        log.info("key set served: active={}", active);
    }
}
"""
KEYRING_AFTER = KEYRING_BEFORE.replace(
    '"key set served: active={}", active',
    '"key set served: active={}, verify={}", active, keys.keySet()',
)

KEYRING_TEST = """\
package invalid.example.identity.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RotationTest {

    private final KeyRing ring = KeyRing.of("2026-10b", List.of("2026-07a", "2026-10b"));

    @Test
    void signsWithTheActiveKey() {
        assertThat(ring.active().id()).isEqualTo("2026-10b");
    }

    @Test
    void publishesThePreviousKeyToo() {
        assertThat(ring.published()).extracting(SigningKey::id)
                .containsExactlyInAnyOrder("2026-07a", "2026-10b");
    }

    @Test
    void forgetsTheKeyBeforeThePreviousOne() {
        assertThat(ring.published()).extracting(SigningKey::id)
                .doesNotContain("2026-04c");
    }

    @Test
    void nothingSignsWithThePreviousKey() {
        for (int i = 0; i < 100; i++) {
            assertThat(ring.sign("{}").keyId()).isEqualTo("2026-10b");
        }
    }
}
"""

VERIFY_BEFORE = '''\
"""Token checks of the gateway: signature, audience and the registered claims."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import jwt

from auth_gateway.keys import KeySet

log = logging.getLogger(__name__)

ALGORITHMS = ["RS256"]
REQUIRED = ["exp", "iat", "sub", "aud"]


class Verifier:
    """Checks bearer tokens against the issuer's published keys."""

    def __init__(self, keys: KeySet) -> None:
        self._keys = keys

    def verify(self, token: str) -> dict[str, Any]:
        """Return the claims of *token*, or raise what PyJWT raises."""
        header = jwt.get_unverified_header(token)
        return jwt.decode(
            token,
            self._keys.get(header["kid"]),
            algorithms=ALGORITHMS,
            audience=["lumo-api", "lumo-partner", "lumo-legacy"],
            options={"require": REQUIRED},
        )
'''
VERIFY_MIDDLE = (
    VERIFY_BEFORE.replace(
        "    def __init__(self, keys: KeySet) -> None:\n        self._keys = keys\n",
        "    def __init__(self, keys: KeySet, audiences: Audiences) -> None:\n        self._keys = keys\n        self._audiences = audiences\n",
    )
    .replace(
        '            audience=["lumo-api", "lumo-partner", "lumo-legacy"],\n',
        "            audience=self._audiences.accepted(),\n",
    )
    .replace(
        "from auth_gateway.keys import KeySet\n",
        "from auth_gateway.config import Audiences\nfrom auth_gateway.keys import KeySet\n",
    )
)
VERIFY_AFTER = VERIFY_MIDDLE.replace("from datetime import timedelta\n", "")
CONFIG_AFTER = '''\
"""What the gateway reads from its config map."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Audiences:
    """The audiences that a token may be meant for."""

    path: Path = Path("/etc/auth-gateway/audiences")

    def accepted(self) -> list[str]:
        """Return them, read anew so that a changed map needs no restart."""
        names = self.path.read_text(encoding="utf-8").split()
        if not names:
            raise ValueError(f"{self.path} names no audience")
        return names
'''
FINNISH_BEFORE = """\
{
  "signIn.title": "Kirjaudu sisään",
  "signIn.password": "Password",
  "signIn.submit": "Kirjaudu",
  "signIn.forgot": "Forgot your password?",
  "signIn.link": "Send me a link",
  "signIn.oneTap": "One-tap sign-in"
}
"""
FINNISH_AFTER = (
    FINNISH_BEFORE.replace('"Password"', '"Salasana"')
    .replace('"Forgot your password?"', '"Unohditko salasanan?"')
    .replace('"Send me a link"', '"Lähetä minulle linkki"')
    .replace('"One-tap sign-in"', '"Kirjaudu yhdellä napautuksella"')
)

TASKS_BEFORE = """\
import logging
from itertools import islice

import requests

from partner_feed.auth import bearer
from partner_feed.celery import app
from partner_feed.stock import changed_rows

log = logging.getLogger(__name__)

ENDPOINT = "https://api.lumo.example.invalid/v1/partner/stock"


@app.task(bind=True, max_retries=2, default_retry_delay=10)
def push_stock(self):
    rows = list(islice(changed_rows(), 200))
    response = requests.post(ENDPOINT, json={"rows": rows}, auth=bearer(), timeout=5)
    attempt = self.request.retries + 1
    try:
        response.raise_for_status()
    except requests.HTTPError as exc:
        log.warning("push_stock: %s %s on attempt %s of 3", response.status_code, response.text, attempt)
        raise self.retry(exc=exc)
    return {"rows": len(rows)}
"""
TASKS_AFTER = (
    TASKS_BEFORE.replace(
        "from itertools import islice\n",
        "from itertools import groupby, islice\nfrom operator import itemgetter\n",
    )
    .replace('json={"rows": rows}', 'json={"warehouses": grouped}')
    .replace(
        "    rows = list(islice(changed_rows(), 200))\n",
        '    rows = sorted(islice(changed_rows(), 200), key=itemgetter("warehouse"))\n'
        '    grouped = {name: list(part) for name, part in groupby(rows, key=itemgetter("warehouse"))}\n',
    )
)


def changes() -> list[dict[str, object]]:
    """Return what was changed, by time."""
    move = "Guest moved from {} to {}; rolling firmware update of the virtualisation hosts, no restart of the guest"
    return [
        {
            "type": "commit", "sha": ROTATION, "time": "2026-10-06T11:18:42Z", "author": "s.okafor", "service": "identity-issuer",
            "message": "Sign with key 2026-10b\n\nQuarterly rotation. 2026-07a stays published for verification until every token\nsigned with it has run out; 2026-04c goes. The ring now also says in the log what\nit publishes, because we were asked twice last quarter.\n",
            "diff": unified_diff({"src/main/resources/application.yml": (KEYS_BEFORE, KEYS_AFTER), "src/main/java/invalid/example/identity/keys/KeyRing.java": (KEYRING_BEFORE, KEYRING_AFTER), "src/test/java/invalid/example/identity/keys/RotationTest.java": ("", KEYRING_TEST)}),
        },
        {"type": "deploy", "time": "2026-10-06T11:52:33Z", "service": "identity-issuer", "version": "5.8.0", "sha": ROTATION, "author": "s.okafor"},
        {
            "type": "commit", "sha": AUDIENCES, "time": "2026-10-07T08:40:16Z", "author": "l.brandt", "service": "auth-gateway",
            "message": "Read accepted audiences from the config map\n\nThe list was in the code, so each new partner API needed a release. lumo-legacy has\nhad no caller since August and is not carried over.\n",
            "diff": unified_diff({"auth_gateway/config.py": ("", CONFIG_AFTER), "auth_gateway/verify.py": (VERIFY_BEFORE, VERIFY_MIDDLE)}),
        },
        {
            "type": "commit", "sha": IMPORT, "time": "2026-10-07T12:06:51Z", "author": "l.brandt", "service": "auth-gateway",
            "message": "Drop an unused import from the verifier\n\nKeeps the linter quiet after the move to its newer release.\n",
            "diff": unified_diff({"auth_gateway/verify.py": (VERIFY_MIDDLE, VERIFY_AFTER)}),
        },
        {"type": "event", "time": "2026-10-07T12:14:27Z", "host": "node-1", "message": move.format("hv-05", "hv-09")},
        {"type": "flag", "time": "2026-10-07T12:27:00Z", "service": "identity-issuer", "key": "one-tap-sign-in", "before": "10 %", "after": "25 %", "author": "a.lindgren", "message": "Second step of the plan agreed on Monday"},
        {"type": "deploy", "time": "2026-10-07T12:36:18Z", "service": "auth-gateway", "version": "2.14.1", "sha": IMPORT, "author": "l.brandt", "message": "Roll out 2.14.1"},
        {"type": "event", "time": "2026-10-07T12:50:12Z", "host": "node-3", "message": move.format("hv-07", "hv-11")},
        {
            "type": "commit", "sha": FINNISH, "time": "2026-10-07T12:50:44Z", "author": "e.virtanen", "service": "storefront-bff",
            "message": "Finish the Finnish texts of the sign-in page\n",
            "diff": unified_diff({"locales/fi/sign-in.json": (FINNISH_BEFORE, FINNISH_AFTER)}),
        },
        {"type": "event", "time": "2026-10-07T13:08:09Z", "host": "node-2", "message": move.format("hv-06", "hv-09")},
        {
            "type": "commit", "sha": GROUPING, "time": "2026-10-07T13:29:03Z", "author": "m.castellanos", "service": "partner-feed",
            "message": "Group stock rows by warehouse before a push\n\nThe partner asked for one list a warehouse; saves them a sort on their side.\n",
            "diff": unified_diff({"partner_feed/tasks.py": (TASKS_BEFORE, TASKS_AFTER)}),
        },
        {"type": "deploy", "time": "2026-10-07T13:44:26Z", "service": "recommendations", "version": "1.22.0", "author": "a.lindgren", "message": "Model of the week"},
    ]  # fmt: skip


EXPECTED = {
    "service": "node-3",
    "also_ok": ["auth-gateway", f"auth-gateway-{NEW_PODS['node-3']}", "node3"],
    "victims": ["storefront-bff", "partner-feed"],
    "onset": "",
    "cause": [
        ["node 3", "node3", "node three", "node number 3", "third node", "3rd node", "third host",
         "one node", "single node", "one of * nodes", "one host", "hv 11", "x8r2v"],
        [
            "clock*", "timekeeping", "ntp", "system time", "host time", "node time", "wall time", "local time", "time source*",
            "time server*", "time sync*", "time drift*", "time skew*", "time lag*", "time offset", "time behind", "time slow",
            "time runs slow", "time runs behind", "timestamps behind", "timestamps lag*", "seconds behind", "seconds late",
            "seconds slow", "s behind", "40s behind", "41s behind", "behind real time", "behind true time", "behind actual time",
            "chrony*", "late time", "time late", "wrong time", "time wrong", "time on node 3", "not agree on the time", "right time", "out of sync", "lost sync*", "unsync*", "desync*", "watch", "trail*",
        ],
        [
            "behind", "slow", "slower", "slowly", "clock late", "late clock", "time late", "late time", "seconds late", "s late", "node 3 late", "lag*", "drift*", "skew*", "trail*", "slip*", "lose* time", "losing time", "lost time",
            "lose* second*", "losing second*", "lost second*", "retard*", "clock offset", "time offset", "clock deviat*", "wrong time", "time wrong", "in the past", "out of sync", "out of step", "desync*", "unsync*", "not sync*",
            "no longer sync*", "lost sync*", "loses sync*", "stopped sync*", "not disciplined", "undisciplined", "free running",
            "off by", "wrong by",
            "clock wrong", "wrong clock", "clock incorrect", "clock inaccurate", "losing sync*", "loss of sync*", "sync* lost", "sync* fail*", "without sync*",
        ],
    ],
    "must_not": [
        "clock ahead", "clock fast", "clock too fast", "clock runs fast", "clock gains", "fast clock", "clock jumped forward",
        "node 3 is ahead", "node 3 runs ahead", "node 3 clock ahead",
        "issuer clock ahead", "issuer clock fast", "issuer runs ahead", "issuer clock wrong", "issuer clock skewed", "issuer clock drifted",
        "node 1 clock lag*", "node 1 clock behind", "node 1 clock slow", "node 1 clock drift*", "node 2 clock lag*", "node 2 clock behind",
        "node 2 clock slow", "node 2 clock drift*",
        "tokens expire too early", "tokens expire too soon", "token lifetime too short", "expiry bug", "expiration bug", "token expiry bug",
        "expiry check wrong", "expiry handling broken",
        "key rotation broke", "key rotation caused", "key rotation invalidated", "key rotation to blame", "rotated key broke",
        "rotated key rejected", "key not loaded", "key not yet loaded", "stale jwks", "stale key set", "signing key mismatch", "uses old signing key",
        "removed import broke", "import removal broke", "import removal caused", "removing import broke", "missing import",
        "removed import caused", "unused import caused",
        "audience check broke", "audience check rejects", "audience list rejects", "audience change broke", "audience change caused",
        "leeway removed", "removed leeway", "leeway dropped", "dropped leeway", "leeway too small",
        "expired mobile tokens cause", "expired mobile tokens flood",
        "flag caused", "one tap overload*", "one tap sign in caused", "release broke token", "release broke verification",
        "deploy broke token", "deploy broke verification", "2.14.1 broke", "Finnish texts broke", "warehouse grouping broke",
    ],
    "commit": "none",
}  # fmt: skip

DISTRACTORS = [
    {
        "commit": IMPORT,
        "why": "touches the verifier and was rolled out a quarter of an hour before onset, but the import was not used and the same pods on node-1 and node-2 refuse nothing new",
    },
    {
        "commit": AUDIENCES,
        "why": "changes what the verifier accepts and shipped in the same release, but no refusal names the audience and two of three pods run it without harm",
    },
    {
        "commit": ROTATION,
        "why": "a day old; both keys are loaded on all three nodes and the refusals come after the signature check",
    },
    {"commit": FINNISH, "why": "the nearest commit before onset; texts of a page only"},
    {
        "commit": GROUPING,
        "why": "the newest commit; the worker was refused for half an hour before it",
    },
    {
        "noise": "expired tokens of an old mobile app",
        "match": r"rejected client=mobile jti=\w+ ExpiredSignatureError",
        "why": "began before the window, spread over all three nodes, same rate throughout",
    },
    {
        "noise": "the recommendations service answers 503 now and then",
        "match": r"recommendations answered 503",
        "why": "began before the window; pages are rendered without it",
    },
]

EXAMPLES = {
    "right": [
        "The clock of node-3 is about 40 s behind, so its auth-gateway takes fresh tokens for tokens from the future",
        "node-3 lost its time source after it moved to hv-11 and its clock drifts; tokens younger than the lag are refused there",
        "Clock skew on node-3: iat of new tokens lies after the node's own time",
        "NTP on node-3 no longer reaches its servers and the host has fallen 40 seconds behind its neighbours",
        "System time on node 3 runs slow by 0.76 %, which makes the gateway there reject valid tokens",
        "The third node's clock lags its peers, therefore one request in three fails with 401",
        "node-3's timestamps lag the ingress by up to 41 s; the host clock is slow",
        "node-3 is out of sync: its clock loses time since the live migration",
        "The time synchronisation of node-3 stopped, it drifts behind node-1 and node-2",
        "Host clock on node-3 not synchronised, free-running and late; auth-gateway on it has no leeway for that",
        "auth-gateway on node-3 sees tokens issued in its future because the host's clock is behind",
        "Key rotation and the import clean-up are unrelated. The clock on node-3 is slow.",
        "node-3 runs 40s behind the other nodes, so its JWT check calls new tokens immature",
        "Time drift on node-3 since 12:50: the VM's clock ticks too slowly on its new hypervisor",
    ],
    "wrong": [
        "auth-gateway rejects valid tokens with ImmatureSignatureError",
        "One request in three is answered 401",
        "storefront-bff has to ask for a second token for many calls",
        "partner-feed fails to push stock because its token is refused",
        "Token expiry bug in auth-gateway: tokens expire too early",
        "The key rotation broke verification on node-3, whose clock drift is a side effect",
        "The removed import broke the verifier in release 2.14.1",
        "The audience change broke validation for storefront and partner tokens",
        "Expired mobile tokens cause the rise of 401 answers",
        "The clock of node-3 is 40 s ahead, so tokens seem too old",
        "identity-issuer's clock is ahead and stamps tokens in the future",
        "Clock skew between the issuer and the gateways",
        "The clock of node-3 is not behind, the keys are stale",
        "A clock drift on node-3 was ruled out",
        "Maybe the key rotation broke the check, maybe node-3's clock is behind",
        "2026-10-07 13:41:02,113 - auth_gateway.verify - INFO - 9c1f4e rejected client=partner-feed jti=71ab ImmatureSignatureError: The token is not yet valid (iat)",
        "auth-gateway on node-3 is broken and must be restarted",
        "The one-tap sign-in flag caused more sign-ins than auth-gateway can verify",
        "A clock somewhere is behind and auth-gateway refuses new tokens",
    ],
}


def main() -> None:
    """Simulate the window and write the file."""
    lead_in_and_noise()
    sign_ins(0.44)
    mobile_use(0.31)
    partner_tasks()
    run()
    restart_gateways()
    cluster()
    hosts()
    assert WORLD.first_refusal is not None  # noqa: S101 - the story needs one
    document = {
        "schema": "rcabench/1",
        "id": "clock-skew",
        "title": "Clock skew on one node rejects valid tokens",
        "kind": "infrastructure",
        "difficulty": "hard",
        "canary": "rcabench canary 3f0b6a5e9d4c4e2fb7a1c85d20e96f74",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": logs(),
        "metrics": metrics(),
        "changes": changes(),
        "alerts": [alert()],
        "expected": EXPECTED | {"onset": rfc3339(WORLD.first_refusal)},
        "distractors": DISTRACTORS,
        "said_in_evidence": [
            {
                "phrase": "node 3",
                "why": "the host's name; journals, events and metrics of all three nodes bear theirs",
            },
        ],
        "examples": EXAMPLES,
    }
    write(document, Path(__file__).parents[1] / "held_out" / "clock-skew.yaml")


if __name__ == "__main__":
    main()
