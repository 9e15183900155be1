"""Write `incidents/held_out/table-rewrite-migration.yaml`: a release rewrites a table that everything reads.

Requests are simulated against the two small pools of the shipping service while one session holds the table.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from traffic import (
    Line,
    arrivals,
    counted,
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
    from collections.abc import Callable

RNG = random.Random(42)
DAY = "2026-11-12T"
MINUTES = 100


def at(clock: str) -> datetime:
    """Return the time of *clock* on the day of the window."""
    return utc(f"{DAY}{clock}Z")


def s(count: float) -> timedelta:
    """Return *count* seconds."""
    return timedelta(seconds=count)


START, END = at("07:30:00"), at("09:10:00")
LOCKED, RELEASED = at("08:31:06.417"), at("08:39:52.803")
TABLE, DATABASE, POOL = 24817, 16411, 5
INDEX_FROM, INDEX_TO = at("07:42:31.870"), at("07:44:44.213")


@dataclass
class Pod:
    """A pod of a service: when it is ready, when it is stopped, and what its pool does."""

    service: str
    name: str
    address: str
    ready: datetime
    stop: datetime = END + s(60)
    stuck: list[datetime] = field(default_factory=list)  # when each blocked connection was taken
    waits: list[tuple[datetime, datetime]] = field(default_factory=list)


@dataclass
class Proc:
    """A server process of the database."""

    begin: datetime
    user: str
    address: str
    end: datetime
    pid: int = 0
    port: int = 0


S_PODS = [
    Pod("shipping-api", "shipping-api-7c9d5b8f66-4xk2d", "10.42.1.17", at("06:02:11"), at("07:45:06")),
    Pod("shipping-api", "shipping-api-7c9d5b8f66-wq8rn", "10.42.2.23", at("06:02:48"), at("07:45:43")),
    Pod("shipping-api", "shipping-api-5f6b7d94c8-g7tpl", "10.42.3.20", at("07:44:59.2"), at("08:40:10")),
    Pod("shipping-api", "shipping-api-5f6b7d94c8-m2vzh", "10.42.1.29", at("07:45:37.4"), at("08:40:49")),
    Pod("shipping-api", "shipping-api-6d8c4f7b59-9hjcs", "10.42.3.31", at("08:40:05.6")),
    Pod("shipping-api", "shipping-api-6d8c4f7b59-t5lqx", "10.42.2.37", at("08:40:43.9")),
]  # fmt: skip
T_PODS = [
    Pod("tracking-web", "tracking-web-84f5c7d9b6-2kdvn", "10.42.1.11", at("05:00:00"), at("08:30:16")),
    Pod("tracking-web", "tracking-web-84f5c7d9b6-p6xzw", "10.42.2.14", at("05:00:00"), at("08:30:24")),
    Pod("tracking-web", "tracking-web-58bd6c7f94-c8rml", "10.42.3.30", at("08:30:15")),
    Pod("tracking-web", "tracking-web-58bd6c7f94-zn4qt", "10.42.1.36", at("08:30:23")),
]  # fmt: skip
O_PODS = [
    Pod("orders-api", "orders-api-76b9f8c5d4-hl7gk", "10.42.2.19", at("05:00:00"), at("08:12:07")),
    Pod("orders-api", "orders-api-6958d4b7fc-r4wtz", "10.42.1.33", at("08:12:02.6")),
]
FORMATS = {"shipping-api": "spring-boot", "orders-api": "spring-boot", "tracking-web": "plain"}
STREAMS: dict[tuple[str, str, str], list[Line]] = {}
COUNTS: dict[str, list[datetime]] = {
    name: [] for name in ("pages", "errors", "orders", "pool", "outbox")
}


def log(service: str, host: str, layout: str, time: datetime, text: str) -> None:
    """Write *text* to the stream of *host*."""
    STREAMS.setdefault((service, host, layout), []).append((time, text))


def app(
    pod: Pod, time: datetime, level: str, text: str, logger: str = "", thread: str = ""
) -> None:
    """Write a line of an application as its framework prints it; a pod that is gone writes nothing."""
    layout = FORMATS[pod.service]
    if layout == "plain":
        line = f"{stamp(time, layout)} {level} {text}"
    else:
        thread = thread or f"nio-8080-exec-{RNG.randint(1, 10)}"
        head = f"{stamp(time, layout)} {level:>5} 1 --- [{pod.service}] [{thread[-15:]:>15}]"
        line = f"{head} {logger:<40} : {text}"
    log(pod.service, pod.name, layout, time, line)


def serving(pods: list[Pod], time: datetime) -> Pod:
    """Return a pod that serves at *time*."""
    return RNG.choice([pod for pod in pods if pod.ready <= time < pod.stop])


# --- the sessions of the database -------------------------------------------------------------------------------

PROCS: list[Proc] = []
OF_POD: dict[str, list[Proc]] = {pod.name: [] for pod in S_PODS}
BOARD: list[Proc] = []
VACUUMS: list[tuple[str, Proc]] = []


def pool_sessions() -> None:
    """Plan the sessions of each pod's pool, which are replaced after half an hour."""
    for pod in S_PODS:
        for slot in range(POOL):
            begin = pod.ready - s(RNG.uniform(3.4, 4.1) - 0.04 * slot)
            while begin < pod.stop:
                end = min(begin + s(1800 - RNG.uniform(2, 44)), pod.stop + s(0.4))
                if LOCKED < end < RELEASED:  # in use, and so retired when it comes back
                    end = RELEASED + s(RNG.uniform(0.5, 2))
                proc = Proc(begin, "shipping_app", pod.address, end)
                OF_POD[pod.name].append(proc)
                PROCS.append(proc)
                begin = end + s(RNG.uniform(0.01, 0.4))


def open_sessions() -> None:
    """Plan every process of the database that the window sees, and number them by time."""
    pool_sessions()
    for time in periodic(RNG, START + s(151), END, 300, jitter_s=1.2):
        took = RNG.uniform(2.1, 4.4)
        end = RELEASED + s(1.9) if LOCKED < time < RELEASED else time + s(took)
        if abs((time - INDEX_FROM).total_seconds()) < 6:
            end = time + s(9.6)
        BOARD.append(Proc(time, "depot_board", "10.20.8.14", end))
    for clock in ("07:33:41", "07:47:41", "08:00:42", "08:13:42", "08:26:42", "08:55:43"):
        begin = at(clock)
        VACUUMS.append(("shipments", Proc(begin, "", "", begin + s(RNG.uniform(9, 17)))))
    VACUUMS.extend(
        ("job_queue", Proc(time, "", "", time + s(RNG.uniform(0.2, 0.5))))
        for time in periodic(RNG, START + s(88), END, 300, jitter_s=0.9)
    )
    for first, last, address in (
        (INDEX_FROM, INDEX_TO, S_PODS[2].address),
        (LOCKED, RELEASED, S_PODS[4].address),
    ):
        PROCS.extend(
            Proc(first - s(early), "shipping_owner", address, last + s(0.3 + early / 10))
            for early in (1.31, 0.62)
        )
    for clock, address in (
        ("07:45:29.102", S_PODS[3].address),
        ("08:40:35.650", S_PODS[5].address),
    ):
        PROCS.append(Proc(at(clock), "shipping_owner", address, at(clock) + s(0.41)))
    PROCS.extend(BOARD)
    pid = 46210
    for proc in sorted([*PROCS, *(proc for _, proc in VACUUMS)], key=lambda proc: proc.begin):
        pid += RNG.randint(1, 9)
        proc.pid, proc.port = pid, RNG.randint(33000, 60000)


def db(time: datetime, proc: Proc, text: str, **more: str) -> None:
    """Write a line of the database's log, and what it joins to it (DETAIL, CONTEXT, HINT, STATEMENT)."""
    who = f"{proc.user}@shipping " if proc.user else ""
    head = f"{stamp(time, 'postgres')} [{proc.pid}] {who}"
    lines = [f"{head}{kind}:  {said}" for kind, said in {"LOG": text, **more}.items()]
    log("shipping-db", "shipping-db-0", "postgres", time, "\n".join(lines))


def session_lines() -> None:
    """Write who came and went."""
    for proc in PROCS:
        if START < proc.begin < END:
            received = f"connection received: host={proc.address} port={proc.port}"
            stranger = Proc(proc.begin, "", "", proc.end, proc.pid)
            head = (
                f"{stamp(proc.begin, 'postgres')} [{proc.pid}] [unknown]@[unknown] LOG:  {received}"
            )
            log("shipping-db", "shipping-db-0", "postgres", stranger.begin, head)
            method = "method=scram-sha-256 (/etc/postgresql/16/main/pg_hba.conf:118)"
            db(
                proc.begin + s(0.007),
                proc,
                f'connection authenticated: identity="{proc.user}" {method}',
            )
            db(
                proc.begin + s(0.0075),
                proc,
                f"connection authorized: user={proc.user} database=shipping",
            )
        if START < proc.end < END:
            took = str(proc.end - proc.begin)[:11]
            where = f"user={proc.user} database=shipping host={proc.address} port={proc.port}"
            db(proc.end, proc, f"disconnection: session time: {took} {where}")


READ = "SELECT s.id, s.code, s.state, s.carrier, s.carrier_ref::text, s.eta FROM shipments s WHERE s.code = $1"
INSERT = "INSERT INTO shipments (code, order_id, depot, carrier, state) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (order_id) DO NOTHING RETURNING id"
DUE = "SELECT s.id, s.carrier, s.carrier_ref::text FROM shipments s WHERE s.poll_after <= $1 ORDER BY s.poll_after LIMIT 50"
COUNT = "SELECT s.depot, s.state, count(*) FROM shipments s WHERE s.shipped_on = current_date GROUP BY s.depot, s.state"
QUEUE: list[tuple[datetime, Proc, str]] = []


def lock_lines() -> None:
    """Write who waited for the table, in the order in which they asked for it."""
    holder = next(
        proc for proc in PROCS if proc.user == "shipping_owner" and proc.begin == LOCKED - s(0.62)
    )
    waiting = sorted(QUEUE, key=lambda entry: entry[0])
    for place, (time, proc, statement) in enumerate(waiting):
        mode = "RowExclusiveLock" if statement == INSERT else "AccessShareLock"
        # A statement that the driver has prepared on the server is not parsed again and has no place in a text.
        character = (
            f" at character {statement.index('shipments') + 1}" if RNG.random() < 0.6 else ""
        )
        what = f"{mode} on relation {TABLE} of database {DATABASE}"
        seen = time + s(1.0001 + RNG.uniform(0, 0.0004))
        queue = [str(other.pid) for asked, other, _ in waiting if asked < seen]
        db(
            seen,
            proc,
            f"process {proc.pid} still waiting for {what} after {(seen - time).total_seconds() * 1000:.3f} ms{character}",
            DETAIL=f"Process holding the lock: {holder.pid}. Wait queue: {', '.join(queue)}.",
            STATEMENT=statement,
        )
        got = RELEASED + s(0.0004 * place + RNG.uniform(0.0001, 0.0003))
        after = (got - time).total_seconds() * 1000
        db(
            got,
            proc,
            f"process {proc.pid} acquired {what} after {after:.3f} ms{character}",
            STATEMENT=statement,
        )


def ordinary_database() -> None:
    """Write what the database says on any day: row locks, vacuums, checkpoints."""
    update = "UPDATE shipments SET state = $1, eta = $2, poll_after = $3 WHERE id = $4"
    for clock, block in (
        ("07:38:22.310", 18802),
        ("08:07:51.904", 40117),
        ("08:22:13.077", 39904),
        ("08:58:40.551", 2213),
    ):
        time = at(clock)
        one, two = RNG.sample(
            [
                p
                for p in PROCS
                if p.user == "shipping_app" and p.begin < time - s(60) and p.end > time + s(60)
            ],
            2,
        )
        what = f"ShareLock on transaction {xid(time) - 3}"
        context = f'while updating tuple ({block},{RNG.randint(2, 40)}) in relation "shipments"'
        db(
            time,
            one,
            f"process {one.pid} still waiting for {what} after 1000.{RNG.randint(80, 290):03} ms",
            DETAIL=f"Process holding the lock: {two.pid}. Wait queue: {one.pid}.",
            CONTEXT=context,
            STATEMENT=update,
        )
        took = RNG.uniform(0.2, 1.4)
        db(
            time + s(took),
            one,
            f"process {one.pid} acquired {what} after {1000 + took * 1000:.3f} ms",
            CONTEXT=context,
            STATEMENT=update,
        )
    board = next(proc for proc in BOARD if abs((proc.begin - INDEX_FROM).total_seconds()) < 6)
    owner = next(
        proc
        for proc in PROCS
        if proc.user == "shipping_owner" and proc.begin == INDEX_FROM - s(0.62)
    )
    asked = INDEX_FROM + s(0.083)
    statement = "CREATE INDEX CONCURRENTLY shipments_depot_day_idx ON shipments (depot, shipped_on)"
    what = "ShareLock on virtual transaction 21/40877"
    db(
        asked + s(1.0002),
        owner,
        f"process {owner.pid} still waiting for {what} after 1000.207 ms",
        DETAIL=f"Process holding the lock: {board.pid}. Wait queue: {owner.pid}.",
        STATEMENT=statement,
    )
    freed = board.end - s(0.05)
    db(
        freed,
        owner,
        f"process {owner.pid} acquired {what} after {(freed - asked).total_seconds() * 1000:.3f} ms",
        STATEMENT=statement,
    )
    for table, proc in VACUUMS:
        vacuum(table, proc)
    checkpoints()


def xid(time: datetime) -> int:
    """Return about which transaction ran at *time*: fewer while the table is held."""
    held = max(0.0, (min(time, RELEASED) - LOCKED).total_seconds())
    return 98_811_040 + int(((time - START).total_seconds() - 0.8 * held) * 3.1)


def vacuum(table: str, proc: Proc) -> None:
    """Write what an autovacuum worker reports; an old transaction keeps it from removing what died since."""
    kept = LOCKED < proc.end < RELEASED
    took = (proc.end - proc.begin).total_seconds()
    if table == "job_queue":
        dead, remain, pages, scanned = (
            RNG.randint(880, 1020),
            RNG.randint(40, 90),
            64,
            RNG.randint(40, 64),
        )
        index, size = "job_queue_pkey", 19
    else:
        dead, remain, pages, scanned = (
            RNG.randint(17000, 26000),
            41_206_800 + RNG.randint(0, 2000),
            792_440,
            RNG.randint(9000, 14000),
        )
        index, size = "shipments_pkey", 113_020
    if kept:
        dead //= 5
    cutoff = xid(LOCKED) + 1 if kept else xid(proc.begin) - 1
    old = xid(proc.end) - cutoff
    found = min(scanned, RNG.randint(38, 60) if table == "job_queue" else scanned * 7 // 9)
    needed = (
        "index scan not needed: 0 pages from table (0.00% of total) had 0 dead item identifiers removed"
        if kept
        else f"index scan needed: {found} pages from table ({100 * found / pages:.2f}% of total) had {dead} dead item identifiers removed"
    )
    text = f'automatic vacuum of table "shipping.public.{table}": index scans: {0 if kept else 1}'
    db(
        proc.end,
        proc,
        f"{text}\n\tpages: 0 removed, {pages} remain, {scanned} scanned ({100 * scanned / pages:.2f}% of total)\n"
        f"\ttuples: {0 if kept else dead} removed, {remain + (dead if kept else 0)} remain, {dead if kept else 0} are dead but not yet removable\n"
        f"\tremovable cutoff: {cutoff}, which was {old} XIDs old when operation ended\n\t{needed}\n"
        + (
            ""
            if kept
            else f'\tindex "{index}": pages: {size} in total, 0 newly deleted, 0 currently deleted, 0 reusable\n'
        )
        + f"\tavg read rate: {0 if table == 'job_queue' else RNG.uniform(3, 7):.3f} MB/s, avg write rate: {RNG.uniform(0.4, 2):.3f} MB/s\n"
        f"\tbuffer usage: {scanned * 3 + RNG.randint(20, 90)} hits, {0 if table == 'job_queue' else RNG.randint(6000, 9000)} misses, {scanned // 3} dirtied\n"
        f"\tWAL usage: {scanned + RNG.randint(3, 30)} records, {RNG.randint(1, 9)} full page images, {scanned * 181 + RNG.randint(100, 9000)} bytes\n"
        f"\tsystem usage: CPU: user: {took / 40:.2f} s, system: {took / 90:.2f} s, elapsed: {took:.2f} s",
    )
    if table == "job_queue" and not kept:
        db(
            proc.end + s(0.06),
            proc,
            f'automatic analyze of table "shipping.public.{table}"\n\tavg read rate: 0.000 MB/s, avg write rate: {RNG.uniform(0.2, 1):.3f} MB/s\n'
            f"\tbuffer usage: {RNG.randint(180, 260)} hits, 0 misses, 2 dirtied\n\tsystem usage: CPU: user: 0.00 s, system: 0.00 s, elapsed: 0.03 s",
        )


CHECKPOINTS: list[tuple[datetime, bool]] = []


def checkpoints() -> None:
    """Write the checkpoints: one in five minutes, and one for each 33 segments of log that are filled before."""
    process = Proc(START, "", "", END, 27)
    forced = [INDEX_TO - s(63.1), INDEX_TO - s(26.4), LOCKED + s(25.2)]
    while forced[-1] < RELEASED - s(24):
        forced.append(forced[-1] + s(RNG.uniform(23.1, 28.9)))
    time = START + s(47.3)
    for wal in (*forced, END - s(25)):
        while time < wal:
            CHECKPOINTS.append((time, False))
            time += s(300.02)
        if wal in forced:
            CHECKPOINTS.append((wal, True))
            time = wal + s(300.02)
    redo, estimate, last = 0x2C_1147_3A68, 9200, START
    for (time, busy), (following, _) in zip(
        CHECKPOINTS, [*CHECKPOINTS[1:], (END, False)], strict=True
    ):
        apart = (time - last).total_seconds()
        if busy and apart < 29.9:
            db(
                time - s(0.003),
                process,
                f"checkpoints are occurring too frequently ({int(apart)} seconds apart)",
                HINT='Consider increasing the configuration parameter "max_wal_size".',
            )
        db(time, process, f"checkpoint starting: {'wal' if busy else 'time'}")
        distance = RNG.randint(540_580, 541_400) if busy else RNG.randint(5200, 11_400)
        redo += distance * 1024 + RNG.randint(0, 900) // 8 * 8
        estimate = distance if distance > estimate else int(estimate * 0.9 + distance * 0.1)
        wrote = RNG.randint(19_000, 24_500) if busy else RNG.randint(900, 2100)
        took = min(
            RNG.uniform(17, 20.5) if busy else RNG.uniform(88, 214),
            (following - time).total_seconds() - 1.4,
        )
        sync = RNG.uniform(0.2, 0.9) if busy else RNG.uniform(0.01, 0.05)
        files = RNG.randint(9, 16) if busy else RNG.randint(31, 58)
        ahead = redo + (RNG.randint(380, 430) << 20 if busy else RNG.randint(1, 4) << 20) + 0x1D8
        done = time + s(took + sync + 0.02)
        db(
            done,
            process,
            f"checkpoint complete: wrote {wrote} buffers ({wrote / 2621.44:.1f}%); 0 WAL file(s) added, 0 removed, {distance // 16384} recycled; "
            f"write={took:.3f} s, sync={sync:.3f} s, total={took + sync + 0.02:.3f} s; sync files={files}, longest={sync / 2:.3f} s, average={sync / files:.3f} s; "
            f"distance={distance} kB, estimate={estimate} kB; lsn={ahead >> 32:X}/{ahead & 0xFFFFFFFF:X}, redo lsn={redo >> 32:X}/{redo & 0xFFFFFFFF:X}",
        )
        last = time


# --- requests ---------------------------------------------------------------------------------------------------

CONTROLLER, PROBLEMS = "i.e.n.shipping.web.ShipmentController", "i.e.n.shipping.web.ProblemAdvice"
NO_CONNECTION = """\
503 {line} rid={rid}
org.springframework.jdbc.CannotGetJdbcConnectionException: Failed to obtain JDBC Connection
\tat org.springframework.jdbc.datasource.DataSourceUtils.getConnection(DataSourceUtils.java:84)
\tat org.springframework.jdbc.core.JdbcTemplate.execute(JdbcTemplate.java:653)
Caused by: java.sql.SQLTransientConnectionException: shipping-pool - Connection is not available, request timed out after {took}ms (total=5, active=5, idle=0, waiting={{waiting}})
\t... 78 common frames omitted"""
FAILED: list[tuple[Pod, datetime, str, str]] = []


def take(pod: Pod, time: datetime, statement: str) -> tuple[str, datetime]:
    """Take a connection of *pod* for *statement*; return how it ends (done, late, failed) and when."""
    if not LOCKED <= time < RELEASED:
        return "done", time + s(RNG.uniform(0.003, 0.012))
    if len(pod.stuck) < POOL:
        free = [p for p in OF_POD[pod.name] if p.begin < time < p.end]
        pod.stuck.append(time)
        QUEUE.append((time + s(0.001), free[(len(pod.stuck) * 3) % POOL], statement))
        return "late", RELEASED + s(RNG.uniform(0.02, 0.3))
    gone = time + s(30 + RNG.uniform(0.0005, 0.003))
    pod.waits.append((time, min(gone, RELEASED + s(0.1))))
    return ("failed", gone) if gone < RELEASED else ("late", RELEASED + s(RNG.uniform(0.1, 0.5)))


def shipping(time: datetime, line: str, rid: str, statement: str, found: str) -> datetime | None:
    """Ask shipping-api; return when it answered, or None where the caller will have given up."""
    pod = serving(S_PODS, time)
    thread = f"nio-8080-exec-{RNG.randint(1, 10) if not LOCKED < time < RELEASED else RNG.randint(8, 60)}"
    how, ended = take(pod, time + s(0.004), statement)
    took = (ended - time).total_seconds() * 1000
    if how == "failed":
        text = NO_CONNECTION.format(line=line, rid=rid, took=30000 + RNG.choice((0, 0, 1, 1, 2)))
        FAILED.append((pod, ended, text, thread))
        COUNTS["pool"].append(ended)
        return None
    app(pod, ended, "INFO", f"{line} {found} in {took:.0f} ms rid={rid}", CONTROLLER, thread)
    return ended if ended - time < s(5) else None


AGENTS = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
)


def edge(time: datetime, asked: datetime, line: str, status: int, size: int, rid: str) -> None:
    """Write the access line of the edge."""
    client = f"{RNG.choice(('198.51.100', '203.0.113'))}.{RNG.randint(3, 250)}"
    took = (time - asked).total_seconds() + 0.002
    text = f'{client} - - {stamp(time, "nginx-access")} "{line} HTTP/2.0" {status} {size} "-" "{RNG.choice(AGENTS)}" rt={took:.3f} rid={rid}'
    log("edge", "edge-6b7d8c9f5-vx2nl", "nginx-access", time, text)


def track(time: datetime) -> None:
    """Open a tracking page: shipping-api is asked up to twice, five seconds each."""
    code, rid = f"NF{RNG.randint(30_000_000, 41_000_000)}", hex_digits(RNG, 12)
    pod = serving(T_PODS, time)
    path, asked = f"/v2/shipments/{code}", time + s(0.004)
    state = RNG.choice(("IN_TRANSIT", "IN_TRANSIT", "AT_DEPOT", "DELIVERED", "ANNOUNCED"))
    for attempt in (1, 2):
        answered = shipping(asked, f"GET {path}", rid, READ, f"state={state}")
        if answered:
            ended = answered + s(RNG.uniform(0.012, 0.03))
            COUNTS["pages"].append(ended)
            app(
                pod,
                ended,
                "INFO",
                f"rid={rid} GET /t/{code} 200 {(ended - time).total_seconds() * 1000:.0f}ms",
            )
            return edge(ended, time, f"GET /t/{code}", 200, RNG.randint(5100, 7900), rid)
        asked += s(5.001 + RNG.uniform(0, 0.003))
        app(
            pod,
            asked,
            "WARN",
            f"rid={rid} shipping-api GET {path} attempt {attempt} of 2: no answer within 5000ms",
        )
        asked += s(0.2)
    ended = asked - s(0.19)
    COUNTS["errors"].append(ended)
    app(
        pod,
        ended,
        "ERROR",
        f"rid={rid} GET /t/{code} 504 {(ended - time).total_seconds() * 1000:.0f}ms: shipment not loaded",
    )
    return edge(ended, time, f"GET /t/{code}", 504, 1412, rid)


OUTBOX: list[tuple[datetime, int, str]] = []
ORDER = iter(range(5_512_031, 5_600_000))
CLIENT, JOB = "i.e.norrfrakt.orders.ShippingClient", "i.e.norrfrakt.orders.OutboxJob"


def request_shipment(time: datetime, order: int, rid: str, pod: Pod) -> bool:
    """Ask shipping-api for a shipment of *order*; what fails is kept in the outbox."""
    answered = shipping(time, "POST /v2/shipments", rid, INSERT, f"order={order} state=ANNOUNCED")
    if answered:
        app(
            pod,
            answered + s(0.003),
            "INFO",
            f"shipment of order {order} requested rid={rid}",
            CLIENT,
            "task-2",
        )
        return True
    text = f'shipment of order {order} stays in the outbox rid={rid}: I/O error on POST request for "http://shipping-api:8080/v2/shipments": Read timed out'
    app(pod, time + s(8.002 + RNG.uniform(0, 0.004)), "WARN", text, CLIENT, "task-2")
    return False


def order(time: datetime) -> None:
    """Take an order."""
    number, rid = next(ORDER), hex_digits(RNG, 12)
    pod = serving(O_PODS, time)
    done = time + s(RNG.uniform(0.03, 0.07))
    app(
        pod,
        done,
        "INFO",
        f"order {number} accepted, {RNG.randint(1, 6)} lines rid={rid}",
        "i.e.norrfrakt.orders.OrderController",
    )
    edge(done + s(0.001), time, "POST /api/orders", 201, RNG.randint(300, 460), rid)
    COUNTS["orders"].append(done)
    if not request_shipment(done + s(0.4), number, rid, pod):
        OUTBOX.append((done, number, rid))


def outbox(time: datetime) -> None:
    """Try the oldest entry of the outbox once a minute, and the rest when that works."""
    pod = serving(O_PODS, time)
    waiting = [entry for entry in OUTBOX if entry[0] < time - s(9)]
    if not waiting:
        return
    oldest = (time - waiting[0][0]).total_seconds()
    app(
        pod,
        time,
        "WARN",
        f"{len(waiting)} shipments not requested yet, the oldest for {oldest:.0f} s",
        JOB,
        "scheduling-1",
    )
    for number, entry in enumerate(waiting):
        if not request_shipment(time + s(0.02 + 0.03 * number), entry[1], entry[2], pod):
            return
        OUTBOX.remove(entry)


def polls() -> None:
    """Poll the carriers from each pod of shipping-api, a minute after the last poll ended."""
    for pod in S_PODS:
        time = max(pod.ready + s(12), START + s(RNG.uniform(2, 50)))
        while time < min(pod.stop, END - s(5)):
            stuck = LOCKED <= time < RELEASED
            if stuck:
                take(pod, time, DUE)
            due = RNG.randint(9, 50)
            ended = RELEASED + s(RNG.uniform(2, 4)) if stuck else time + s(RNG.uniform(0.8, 2.6))
            app(
                pod,
                ended,
                "INFO",
                f"polled {due} shipments, {due // RNG.randint(3, 6)} changed",
                "i.e.n.shipping.carrier.CarrierPoll",
                "scheduling-1",
            )
            time = ended + s(60)


def noises() -> None:
    """Write what fails on any day: an outline map that is missing, a carrier's slow answers, old phones."""
    for time in periodic(RNG, START + s(40), END - s(150), 175, jitter_s=140):
        app(
            serving(T_PODS, time),
            time,
            "ERROR",
            f"map tile /tiles/9/{RNG.randint(271, 279)}/{RNG.randint(147, 153)}.png missing, page rendered without it",
        )
    for time in arrivals(RNG, START, END, 0.15):
        app(
            serving(O_PODS, time),
            time,
            "WARN",
            f"price list of customer {RNG.randint(2100, 2900)} is older than 30 days",
            "i.e.norrfrakt.orders.PriceLists",
        )
    for clock, orders, moved, kept in (
        ("07:40:00.914", 53, 194, 38_214),
        ("08:40:00.862", 61, 222, 38_190),
    ):
        app(
            next(pod for pod in O_PODS if at(clock) < pod.stop),
            at(clock),
            "INFO",
            f"{orders} orders closed, {moved} lines moved to the archive, {kept} lines stay",
            "i.e.norrfrakt.orders.ArchiveJob",
            "scheduling-1",
        )
    for time in arrivals(RNG, START, END, 0.22):
        app(
            serving(S_PODS, time),
            time,
            "WARN",
            f"carrier velox answered 429, next poll in {RNG.randint(2, 5)} min",
            "i.e.n.shipping.carrier.VeloxClient",
            "scheduling-1",
        )


# --- releases ---------------------------------------------------------------------------------------------------

MIGRATE, EXECUTOR, VALIDATE = (
    "o.f.core.internal.command.DbMigrate",
    "org.flywaydb.core.FlywayExecutor",
    "o.f.core.internal.command.DbValidate",
)


def boot(pod: Pod, version: str, flyway: list[tuple[datetime, str, str]]) -> None:
    """Write the start of a Spring Boot pod around its *flyway* lines."""
    name = {
        "shipping-api": ("shipping", "ShippingApiApplication"),
        "orders-api": ("orders", "OrdersApiApplication"),
    }[pod.service]
    logger = f"i.e.n.{name[0]}.{name[1]}"
    first, last = flyway[0][0], flyway[-1][0]
    pool = f"{name[0]}-pool"
    begin = first - s(12.4)
    uptime = (pod.ready - begin).total_seconds()
    lines = [
        (begin, logger, f"Starting {name[1]} v{version} using Java 21.0.8 with PID 1 (/app/app.jar started by app in /app)"),
        (begin + s(0.01), logger, 'The following 1 profile is active: "production"'),
        (begin + s(4.1), "o.s.b.w.embedded.tomcat.TomcatWebServer", "Tomcat initialized with port 8080 (http)"),
        (begin + s(4.2), "o.apache.catalina.core.StandardService", "Starting service [Tomcat]"),
        (begin + s(4.7), "w.s.c.ServletWebServerApplicationContext", "Root WebApplicationContext: initialization completed in 4601 ms"),
        *flyway,
        (pod.ready - s(4.2), "com.zaxxer.hikari.HikariDataSource", f"{pool} - Starting..."),
        (pod.ready - s(4.05), "com.zaxxer.hikari.pool.HikariPool", f"{pool} - Added connection org.postgresql.jdbc.PgConnection@{hex_digits(RNG, 8)}"),
        (pod.ready - s(4.04), "com.zaxxer.hikari.HikariDataSource", f"{pool} - Start completed."),
        (pod.ready - s(0.2), "o.s.b.w.embedded.tomcat.TomcatWebServer", "Tomcat started on port 8080 (http) with context path '/'"),
        (pod.ready, logger, f"Started {name[1]} in {uptime:.3f} seconds (process running for {uptime + 0.9:.3f})"),
    ]  # fmt: skip
    assert last < pod.ready - s(4.2)  # noqa: S101 - the pool opens after the migrations
    for time, where, text in lines:
        app(pod, time, "INFO", text, where, "main")


def flyway(
    time: datetime, database: str, host: str, count: int, rest: list[tuple[datetime, str]]
) -> list[tuple[datetime, str, str]]:
    """Return what Flyway prints before it migrates, and the *rest*."""
    return [
        (time - s(0.5), EXECUTOR, f"Database: jdbc:postgresql://{host}:5432/{database} (PostgreSQL 16.10)"),
        (time - s(0.1), VALIDATE, f"Successfully validated {count} migrations (execution time 00:00.0{RNG.randint(41, 88)}s)"),
        *((when, MIGRATE, text) for when, text in rest),
    ]  # fmt: skip


def took(time: timedelta) -> str:
    """Return *time* as Flyway prints it."""
    total = time.total_seconds()
    return f"(execution time {int(total // 60):02}:{total % 60:06.3f}s)"


def stop(pod: Pod) -> None:
    """Write the end of a Spring Boot pod."""
    pool = f"{pod.service.split('-')[0]}-pool"
    hook = "ionShutdownHook"
    app(
        pod,
        pod.stop + s(0.1),
        "INFO",
        "Commencing graceful shutdown. Waiting for active requests to complete",
        "o.s.b.w.e.tomcat.GracefulShutdown",
        hook,
    )
    app(
        pod,
        pod.stop + s(0.2),
        "INFO",
        "Graceful shutdown complete",
        "o.s.b.w.e.tomcat.GracefulShutdown",
        "tomcat-shutdown",
    )
    app(
        pod,
        pod.stop + s(0.3),
        "INFO",
        f"{pool} - Shutdown initiated...",
        "com.zaxxer.hikari.HikariDataSource",
        hook,
    )
    app(
        pod,
        pod.stop + s(0.4),
        "INFO",
        f"{pool} - Shutdown completed.",
        "com.zaxxer.hikari.HikariDataSource",
        hook,
    )


def event(time: datetime, kind: str, reason: str, thing: str, text: str) -> None:
    """Write a cluster event."""
    log(
        "cluster",
        "events",
        "kubernetes-event",
        time,
        f"{stamp(time, 'kubernetes-event')} {kind} {reason} {thing} {text}",
    )


def place(pod: Pod, created: datetime, pull: float, tag: str, old: Pod | None) -> None:
    """Write the events of a new pod from its creation to the end of the one it replaces."""
    thing, rs = f"Pod/{pod.name}", pod.name.rsplit("-", 1)[0]
    event(created, "Normal", "SuccessfulCreate", f"ReplicaSet/{rs}", f"Created pod: {pod.name}")
    event(
        created + s(0.1),
        "Normal",
        "Scheduled",
        thing,
        f"Successfully assigned norrfrakt/{pod.name} to node-{pod.address.split('.')[2]}",
    )
    image = f"registry.norrfrakt.example.invalid/{pod.service}:{tag}"
    if pull:
        event(created + s(0.9), "Normal", "Pulling", thing, f'Pulling image "{image}"')
        event(
            created + s(0.9 + pull),
            "Normal",
            "Pulled",
            thing,
            f'Successfully pulled image "{image}" in {pull:.3f}s ({pull:.3f}s including waiting). Image size: {RNG.randint(198_000_000, 216_000_000)} bytes.',
        )
    else:
        event(
            created + s(0.9),
            "Normal",
            "Pulled",
            thing,
            f'Container image "{image}" already present on machine',
        )
    begun = created + s(1.2 + pull)
    event(begun, "Normal", "Created", thing, f"Created container: {pod.service}")
    event(begun + s(0.2), "Normal", "Started", thing, f"Started container {pod.service}")
    for probe in periodic(RNG, begun + s(15), pod.ready, 30, jitter_s=0.3):
        url = f"http://{pod.address}:8080/actuator/health/liveness"
        event(
            probe,
            "Warning",
            "Unhealthy",
            thing,
            f'Startup probe failed: Get "{url}": dial tcp {pod.address}:8080: connect: connection refused',
        )
    if old:
        event(
            old.stop - s(0.4),
            "Normal",
            "SuccessfulDelete",
            f"ReplicaSet/{old.name.rsplit('-', 1)[0]}",
            f"Deleted pod: {old.name}",
        )
        event(
            old.stop - s(0.1),
            "Normal",
            "Killing",
            f"Pod/{old.name}",
            f"Stopping container {pod.service}",
        )


def releases() -> None:
    """Write the three roll-outs of the window and the start and end of each pod."""
    a, b, c, d, e, f = S_PODS
    boot(c, "3.18.0", flyway(INDEX_FROM, "shipping", "shipping-db", 41, [
        (INDEX_FROM - s(0.06), 'Current version of schema "public": 40'),
        (INDEX_FROM, 'Migrating schema "public" to version "41 - index depot day" [non-transactional]'),
        (INDEX_TO, f'Successfully applied 1 migration to schema "public", now at version v41 {took(INDEX_TO - INDEX_FROM)}')]))  # fmt: skip
    boot(e, "3.19.0", flyway(LOCKED, "shipping", "shipping-db", 42, [
        (LOCKED - s(0.07), 'Current version of schema "public": 41'),
        (LOCKED - s(0.006), 'Migrating schema "public" to version "42 - widen reference"'),
        (RELEASED + s(0.02), f'Successfully applied 1 migration to schema "public", now at version v42 {took(RELEASED - LOCKED + s(0.026))}')]))  # fmt: skip
    for pod, version, number, clock in (
        (d, "3.18.0", 41, "07:45:29.720"),
        (f, "3.19.0", 42, "08:40:36.270"),
    ):
        boot(pod, version, flyway(at(clock), "shipping", "shipping-db", number, [
            (at(clock) - s(0.05), f'Current version of schema "public": {number}'), (at(clock), 'Schema "public" is up to date. No migration necessary.')]))  # fmt: skip
    when = at("08:11:55.330")
    boot(O_PODS[1], "7.4.0", flyway(when, "orders", "orders-db", 118, [
        (when - s(0.05), 'Current version of schema "public": 117'), (when, 'Migrating schema "public" to version "118 - quantity with decimals"'),
        (when + s(0.69), 'Successfully applied 1 migration to schema "public", now at version v118 (execution time 00:00.684s)')]))  # fmt: skip
    for pod in (a, b, c, d, O_PODS[0]):
        stop(pod)
    for pod in T_PODS[:2]:
        app(pod, pod.stop + s(0.1), "INFO", "SIGTERM received, closing")
        app(pod, pod.stop + s(0.9), "INFO", "closed")
    for pod in T_PODS[2:]:
        app(
            pod,
            pod.ready - s(2.2),
            "INFO",
            "tracking-web 2.61.0 on node v22.19.0, cache of texts warmed in 812ms",
        )
        app(pod, pod.ready - s(1), "INFO", "Server listening at http://0.0.0.0:3000")
    place(c, at("07:42:05"), 11.9, "3.18.0", a)
    place(d, at("07:45:06.5"), 8.1, "3.18.0", b)
    place(e, at("08:29:52"), 58.6, "3.19.0", c)
    place(f, at("08:40:10.6"), 9.4, "3.19.0", d)
    place(O_PODS[1], at("08:11:34"), 7.3, "7.4.0", O_PODS[0])
    place(T_PODS[2], at("08:30:06"), 4.2, "2.61.0", T_PODS[0])
    place(T_PODS[3], at("08:30:16.4"), 3.1, "2.61.0", T_PODS[1])
    for time in periodic(RNG, START + s(61), END, 900, jitter_s=0.5):
        job = f"label-archive-{int(time.timestamp()) // 60}"
        event(time, "Normal", "SuccessfulCreate", "CronJob/label-archive", f"Created job {job}")
        event(
            time + s(RNG.uniform(14, 31)),
            "Normal",
            "SawCompletedJob",
            "CronJob/label-archive",
            f"Saw completed job: {job}, condition: Complete",
        )
    for time in arrivals(RNG, START, END, 0.11):
        event(
            time,
            "Warning",
            "Unhealthy",
            "Pod/tile-cache-5b6c8d7f94-s2qwm",
            "Readiness probe failed: HTTP probe failed with statuscode: 503",
        )


def run() -> None:
    """Simulate the window."""
    open_sessions()
    polls()
    # Clients that gave up try again while the table is held, so the calls are made in the order of their times.
    calls = [(time, track) for time in arrivals(RNG, START, END - s(12), 3.0)]
    calls += [(time, order) for time in arrivals(RNG, START, END - s(12), 0.95)]
    calls += [
        (time, outbox) for time in periodic(RNG, START + s(33), END - s(12), 60, jitter_s=0.05)
    ]
    for time, call in sorted(calls, key=lambda entry: entry[0]):
        call(time)
    QUEUE.extend(
        (proc.begin + s(0.03), proc, COUNT) for proc in BOARD if LOCKED < proc.begin < RELEASED
    )
    for pod, time, text, thread in FAILED:
        waiting = sum(begin < time - s(0.01) and end > time + s(0.004) for begin, end in pod.waits)
        app(pod, time, "ERROR", text.format(waiting=waiting), PROBLEMS, thread)
    noises()
    releases()
    session_lines()
    lock_lines()
    ordinary_database()


# --- metrics ----------------------------------------------------------------------------------------------------


def held_share(index: int) -> float:
    """Return how far the rewrite is at the sample *index*: 0 before it, 1 at its end, -1 after it."""
    share = (START + s(60 * index) - LOCKED).total_seconds() / (RELEASED - LOCKED).total_seconds()
    return max(0.0, share) if share < 1 else -1.0


SERIES: list[dict[str, object]] = []


def add(service: str, name: str, unit: str, values: list[float] | list[int]) -> None:
    """Add a series, one sample a minute."""
    series = {"name": name, "service": service, "unit": unit, "start": rfc3339(START), "step_s": 60}
    SERIES.append({**series, "values": values})


def busy(low: float, high: float) -> Callable[[int], float]:
    """Return a level that is *high* while the table is rewritten."""
    return lambda index: high if held_share(index) > 0 else low


def stuck(index: int) -> int:
    """Return how many connections of the pools wait for the table at the sample *index*."""
    time = START + s(60 * index)
    return sum(taken <= time < RELEASED for pod in S_PODS for taken in pod.stuck)


def total(level: Callable[[int], float], spread: float, start: int) -> list[int]:
    """Return a counter that grows by about *level* a minute."""
    values = [start]
    for index in range(1, MINUTES):
        values.append(values[-1] + max(0, int(RNG.gauss(level(index), spread))))
    return values


def database_metrics() -> None:
    """Add the series of the database; the counts of sessions follow the simulated queue."""
    indexes = range(MINUTES)
    asking = [sum(asked <= START + s(60 * i) < RELEASED for asked, _, _ in QUEUE) for i in indexes]
    writers = [
        sum(asked <= START + s(60 * i) < RELEASED and text == INSERT for asked, _, text in QUEUE)
        for i in indexes
    ]
    database = "shipping-db"
    lock = 'pg_locks_count{{datname="shipping",mode="{}"}}'
    add(
        database,
        lock.format("accessexclusivelock"),
        "locks",
        [1 + (RNG.random() < 0.3) if held_share(i) > 0 else 0 for i in indexes],
    )
    add(
        database,
        lock.format("accesssharelock"),
        "locks",
        [asking[i] - writers[i] + RNG.randint(1, 4) for i in indexes],
    )
    add(
        database,
        lock.format("rowexclusivelock"),
        "locks",
        [writers[i] + RNG.randint(0, 2) for i in indexes],
    )
    add(
        database,
        lock.format("shareupdateexclusivelock"),
        "locks",
        [1 if INDEX_FROM < START + s(60 * i) < INDEX_TO else 0 for i in indexes],
    )
    activity = 'pg_stat_activity_count{{datname="shipping",state="{}"}}'
    add(
        database,
        activity.format("active"),
        "sessions",
        [
            asking[i]
            + 1
            + RNG.randint(0, 1)
            + (held_share(i) > 0)
            + (INDEX_FROM < START + s(60 * i) < INDEX_TO)
            for i in indexes
        ],
    )
    add(database, activity.format("idle in transaction"), "sessions", gauge(RNG, MINUTES, 0.2, 0.3))
    longest = []
    for i in indexes:
        time = START + s(60 * i)
        begun = LOCKED if LOCKED < time < RELEASED else time - s(RNG.uniform(0.1, 2.5))
        longest.append(round((time - begun).total_seconds(), 3))
    add(
        database,
        'pg_stat_activity_max_tx_duration{datname="shipping",state="active"}',
        "seconds",
        longest,
    )
    add(
        database,
        'pg_stat_database_tup_fetched{datname="shipping"}',
        "rows",
        total(busy(41_200, 2_900), 1500, 8_812_204_117),
    )
    add(
        database,
        'pg_stat_database_tup_updated{datname="shipping"}',
        "rows",
        total(busy(1_310, 240), 60, 120_447_006),
    )
    add(database, 'pg_stat_database_deadlocks{datname="shipping"}', "deadlocks", [3] * MINUTES)
    times, forced = [t for t, wal in CHECKPOINTS if not wal], [t for t, wal in CHECKPOINTS if wal]
    add(
        database,
        "pg_stat_bgwriter_checkpoints_timed_total",
        "checkpoints",
        counted(times, START, 60, MINUTES, first=41_207),
    )
    add(
        database,
        "pg_stat_bgwriter_checkpoints_req_total",
        "checkpoints",
        counted(forced, START, 60, MINUTES, first=118),
    )
    grown = [
        int(11.4e9 * held_share(i))
        if held_share(i) > 0
        else (0 if held_share(i) == 0 else -160_000_000)
        for i in indexes
    ]
    index_built = [1_190_000_000 if START + s(60 * i) > INDEX_TO else 0 for i in indexes]
    size = [
        14_120_448_000 + 41_000 * i + RNG.randint(0, 30_000) + grown[i] + index_built[i]
        for i in indexes
    ]
    add(database, 'pg_database_size_bytes{datname="shipping"}', "bytes", size)
    add(
        database,
        'node_filesystem_avail_bytes{mountpoint="/var/lib/postgresql"}',
        "bytes",
        [96_300_000_000 - value for value in size],
    )

    def written(index: int) -> float:
        time = START + s(60 * index)
        return (
            2.61e9
            if held_share(index) > 0
            else 6.9e8
            if INDEX_FROM < time < INDEX_TO + s(30)
            else 1.9e7
        )

    add(
        database,
        'node_disk_written_bytes_total{device="nvme1n1"}',
        "bytes",
        total(written, 3e6, 7_118_402_662_400),
    )
    add(database, "node_load1", "load", gauge(RNG, MINUTES, busy(0.4, 1.7), 0.12, digits=2))
    add(
        database,
        'pg_replication_lag_seconds{instance="shipping-db-1"}',
        "seconds",
        gauge(
            RNG,
            MINUTES,
            lambda i: 2.2 + 5 * held_share(i) if held_share(i) > 0 else 0.05,
            0.03,
            digits=3,
        ),
    )


def service_metrics() -> None:
    """Add the series of the services."""
    indexes = range(MINUTES)
    service, pool = "shipping-api", '{pool="shipping-pool"}'
    active = [max(stuck(i), int(RNG.random() < 0.4)) for i in indexes]
    add(service, f"hikaricp_connections_active{pool}", "connections", active)
    add(
        service,
        f"hikaricp_connections_idle{pool}",
        "connections",
        [2 * POOL - value for value in active],
    )
    add(
        service,
        f"hikaricp_connections_pending{pool}",
        "threads",
        [sum(b <= START + s(60 * i) < e for pod in S_PODS for b, e in pod.waits) for i in indexes],
    )
    add(service, f"hikaricp_connections_max{pool}", "connections", [2 * POOL] * MINUTES)
    timeouts = counted(COUNTS["pool"], START, 60, MINUTES)
    gone = bisect_left([START + s(60 * i) for i in indexes], at("08:41:00"))
    add(
        service,
        f"hikaricp_connections_timeout_total{pool}",
        "timeouts",
        [*timeouts[:gone], *([0] * (MINUTES - gone))],
    )
    add(
        service,
        "process_cpu_usage",
        "ratio",
        gauge(RNG, MINUTES, busy(0.062, 0.018), 0.006, low=0.004, digits=3),
    )
    add(
        "tracking-web",
        'http_requests_total{route="/t/:code",status="200"}',
        "requests",
        counted(COUNTS["pages"], START, 60, MINUTES, first=20_714),
    )
    add(
        "tracking-web",
        'http_requests_total{route="/t/:code",status="504"}',
        "requests",
        counted(COUNTS["errors"], START, 60, MINUTES, first=6),
    )
    add(
        "tracking-web",
        "nodejs_eventloop_lag_p99_seconds",
        "seconds",
        gauge(RNG, MINUTES, 0.0121, 0.0008, digits=4),
    )
    add(
        "orders-api",
        'hikaricp_connections_active{pool="orders-pool"}',
        "connections",
        gauge(RNG, MINUTES, 0.5, 0.5),
    )
    add(
        "orders-db",
        'pg_locks_count{datname="orders",mode="accessexclusivelock"}',
        "locks",
        [0] * MINUTES,
    )
    add(
        "orders-db",
        'pg_stat_activity_max_tx_duration{datname="orders",state="active"}',
        "seconds",
        gauge(RNG, MINUTES, 0.2, 0.1, low=0.01, digits=3),
    )
    lines = (
        'pg_stat_user_tables_n_live_tup{datname="orders",relname="order_lines",schemaname="public"}'
    )
    moved = ((at("07:40:01"), 38_214), (at("08:40:01"), 38_190))
    kept = staircase(moved, START, 60, MINUTES, first=38_375)
    since = [START] * MINUTES
    for time, _ in moved:
        since = [time if time <= START + s(60 * i) else was for i, was in enumerate(since)]
    grown = [int(3.3 * (START + s(60 * i) - since[i]).total_seconds() / 60) for i in indexes]
    add("orders-db", lines, "rows", [a + b for a, b in zip(kept, grown, strict=True)])
    add(
        "edge",
        "nginx_http_requests_total",
        "requests",
        counted(
            [t for key, lines in STREAMS.items() if key[0] == "edge" for t, _ in lines],
            START,
            60,
            MINUTES,
            first=1_204_881,
        ),
    )


# --- changes ----------------------------------------------------------------------------------------------------

INDEX, RANGES, WIDEN, PATIENCE, QUANTITY, ANSWERS, DEPOTS, LISTS = (
    hex_digits(RNG, 40) for _ in range(8)
)
MIGRATIONS, JAVA = "src/main/resources/db/migration", "src/main/java/invalid/example/norrfrakt"

SETTINGS = """\
spring:
  application:
    name: shipping-api
  datasource:
    url: jdbc:postgresql://shipping-db:5432/shipping
    username: shipping_app
    hikari:
      pool-name: shipping-pool
      maximum-pool-size: 5
      connection-timeout: 30000
  flyway:
    user: shipping_owner
    password: ${FLYWAY_PASSWORD}
"""
SETTINGS_INDEX = SETTINGS.replace(
    "    user: shipping_owner\n",
    "    user: shipping_owner\n    postgresql:\n      transactional-lock: false\n",
)
INDEX_SQL = """\
-- The depot board counts one day of one depot. Built beside the traffic, so outside a transaction.
-- Where it is interrupted it leaves an index marked as not valid: drop that by hand,
-- run flyway repair, and start the pod again. The board works without it, only slower,
-- so there is no hurry with any of this.
CREATE INDEX CONCURRENTLY shipments_depot_day_idx
    ON shipments (depot, shipped_on);
"""
INDEX_CONF = "executeInTransaction=false\n"

WIDEN_SQL = """\
-- Give up rather than queue in front of others.
SET LOCAL lock_timeout = '3s';

ALTER TABLE shipments
    ALTER COLUMN carrier_ref TYPE bigint;
"""
CARRIER_REF = """\
package invalid.example.norrfrakt.shipping.carrier;

import java.util.regex.Pattern;

/** The number that a carrier gives to a parcel. */
record CarrierRef(String digits) {

    private static final Pattern FORM = Pattern.compile("[1-9][0-9]{0,8}");

    CarrierRef {
        if (!FORM.matcher(digits).matches()) {
            throw new IllegalArgumentException("number of a carrier: " + digits);
        }
    }

    int asNumber() {
        return Integer.parseInt(digits);
    }
}
"""
CARRIER_REF_AFTER = (
    CARRIER_REF.replace("{0,8}", "{0,9}")
    .replace("int asNumber", "long asNumber")
    .replace("Integer.parseInt", "Long.parseLong")
)
CARRIER_REF_TEST = """\
class CarrierRefTest {

    @ParameterizedTest
    @ValueSource(strings = {"7", "100000001", "999999999"})
    void numbersOfCarriersAreTaken(String digits) {
        assertThat(new CarrierRef(digits).asNumber()).asString().isEqualTo(digits);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "0123", "12a", "1000000000"})
    void whatIsNoNumberOfACarrierIsRefused(String digits) {
        assertThatIllegalArgumentException().isThrownBy(() -> new CarrierRef(digits));
    }
}
"""
CARRIER_REF_TEST_AFTER = CARRIER_REF_TEST.replace(
    '"999999999"}', '"999999999", "9999999999"}'
).replace('"1000000000"}', '"10000000000"}')
QUANTITY_SQL = """\
-- Cable and gravel are sold by the metre and the kilo.
-- Locks come first and for all of it, or the nightly export gets in between.
LOCK TABLE orders, order_lines IN ACCESS EXCLUSIVE MODE;

ALTER TABLE order_lines
    ALTER COLUMN quantity TYPE numeric(12, 3),
    ADD COLUMN unit text NOT NULL DEFAULT 'piece',
    ADD CONSTRAINT order_lines_quantity_check CHECK (quantity > 0);
UPDATE order_lines l SET unit = a.unit FROM articles a WHERE a.number = l.article;

CREATE INDEX order_lines_article_unit_idx ON order_lines (article, unit);
"""
ORDER_LINE = """\
package invalid.example.norrfrakt.orders;

public record OrderLine(String article, int quantity) {

    public OrderLine {
        if (quantity < 1) {
            throw new IllegalArgumentException("quantity of " + article);
        }
    }
}
"""
ORDER_LINE_AFTER = (
    ORDER_LINE.replace("int quantity) {", "BigDecimal quantity, String unit) {")
    .replace("quantity < 1", "quantity.signum() < 1")
    .replace(".orders;\n", ".orders;\n\nimport java.math.BigDecimal;\n")
)
LINE_MAPPER = """\
class OrderLineRowMapper implements RowMapper<OrderLine> {

    @Override
    public OrderLine mapRow(ResultSet row, int number) throws SQLException {
        return new OrderLine(row.getString("article"), row.getInt("quantity"));
    }
}
"""
VELOX = """\
    Answer poll(List<Shipment> due) {
        String body = http.post().uri("/track").body(refs(due)).retrieve().body(String.class);
        log.debug("velox said {}", body);
        return parse(body);
    }

    private List<String> refs(List<Shipment> due) {
        return due.stream().map(shipment -> shipment.carrierRef()).toList();
    }
"""
VELOX_AFTER = VELOX.replace(
    '        log.debug("velox said {}", body);\n',
    '        log.atDebug().addKeyValue("carrier", "velox").addKeyValue("size", body.length()).log("answer");\n',
)
LOGBACK = """\
<configuration>
  <include resource="org/springframework/boot/logging/logback/base.xml"/>
  <logger name="invalid.example.norrfrakt" level="INFO"/>
</configuration>
"""
ETA_BEFORE = """\
import { format } from "date-fns";
import type { Shipment } from "./shipments";

export function etaText(shipment: Shipment, locale: Locale): string {
  if (shipment.state === "DELIVERED") {
    return texts(locale).delivered(format(shipment.deliveredAt, "PPp", { locale }));
  }
  if (!shipment.eta) {
    return texts(locale).etaUnknown;
  }
  return texts(locale).eta(format(shipment.eta, "PPp", { locale }));
}
"""
ETA_AFTER = """\
import { addMinutes, format, isSameDay, roundToNearestMinutes } from "date-fns";
import type { Shipment } from "./shipments";

const HALF_WIDTH: Record<Shipment["state"], number> = {
  ANNOUNCED: 240,
  IN_TRANSIT: 120,
  AT_DEPOT: 60,
  DELIVERED: 0,
};

export function etaRange(shipment: Shipment): [Date, Date] | undefined {
  if (!shipment.eta) {
    return undefined;
  }
  const width = HALF_WIDTH[shipment.state];
  const round = (time: Date) => roundToNearestMinutes(time, { nearestTo: 30 });
  return [round(addMinutes(shipment.eta, -width)), round(addMinutes(shipment.eta, width))];
}

export function etaText(shipment: Shipment, locale: Locale): string {
  if (shipment.state === "DELIVERED") {
    return texts(locale).delivered(format(shipment.deliveredAt, "PPp", { locale }));
  }
  const range = etaRange(shipment);
  if (!range) {
    return texts(locale).etaUnknown;
  }
  const [from, to] = range;
  if (!isSameDay(from, to)) {
    return texts(locale).etaDays(format(from, "PP", { locale }), format(to, "PP", { locale }));
  }
  return texts(locale).etaHours(format(from, "PP", { locale }), format(from, "p", { locale }), format(to, "p", { locale }));
}
"""
TEXTS = """\
export const en = {
  delivered: (at: string) => `Delivered ${at}`,
  eta: (at: string) => `Expected ${at}`,
  etaUnknown: "We do not know yet when it arrives",
};
"""
TEXTS_AFTER = TEXTS.replace(
    "  eta: (at: string) => `Expected ${at}`,\n",
    "  etaDays: (from: string, to: string) => `Expected between ${from} and ${to}`,\n  etaHours: (day: string, from: string, to: string) => `Expected ${day}, ${from} to ${to}`,\n",
)
NORWEGIAN = "export const nb = {\n  eta: (at: string) => `Ventet ${at}`,\n};\n"
NORWEGIAN_AFTER = "export const nb = {\n  etaDays: (from: string, to: string) => `Ventet mellom ${from} og ${to}`,\n  etaHours: (day: string, from: string, to: string) => `Ventet ${day}, ${from} til ${to}`,\n};\n"
SWEDISH = NORWEGIAN.replace("nb", "sv").replace("Ventet", "Väntas")
SWEDISH_AFTER = (
    NORWEGIAN_AFTER.replace("nb", "sv")
    .replace("Ventet", "Väntas")
    .replace("mellom", "mellan")
    .replace(" og ", " och ")
    .replace("} til $", "} till $")
)
DEPOT = """\
export async function depotPage(request: Request): Promise<Page> {
  const depot = await depots.load(request.params.depot);
  const open = openingHours(depot, new Date());
  return render("depot", { depot, open });
}
"""
DEPOT_AFTER = DEPOT.replace(
    "await depots.load(request.params.depot)",
    "await depots.cached(request.params.depot, { maxAge: 3600 })",
)
LISTS_BEFORE = """\
package invalid.example.norrfrakt.orders;

import java.time.Clock;
import java.time.LocalDate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;

class PriceLists {

    private static final Logger log = LoggerFactory.getLogger(PriceLists.class);

    private final JdbcTemplate jdbc;
    private final Clock clock;

    PriceList of(Order order) {
        PriceList list = read(order.customer());
        if (list.from().isBefore(LocalDate.now(clock).minusDays(30))) {
            log.warn("price list of customer {} is older than 30 days", list.customer());
        }
        return list;
    }
"""
LISTS_AFTER = (
    LISTS_BEFORE.replace("LocalDate;\n", "LocalDate;\nimport java.time.Period;\n")
    .replace("class);\n", "class);\n    private static final Period MAX_AGE = Period.ofDays(30);\n")
    .replace("minusDays(30)", "minus(MAX_AGE)")
    .replace("older than 30 days", "older than {} days")
    .replace("list.customer())", "list.customer(), MAX_AGE.getDays())")
)


def changes() -> list[dict[str, object]]:
    """Return what was changed, by time."""

    def commit(
        sha: str,
        time: str,
        author: str,
        service: str,
        message: str,
        files: dict[str, tuple[str, str]],
    ) -> dict[str, object]:
        return {
            "type": "commit",
            "sha": sha,
            "time": time,
            "author": author,
            "service": service,
            "message": message,
            "diff": unified_diff(files),
        }

    def deploy(
        clock: str, service: str, version: str, sha: str, author: str, message: str
    ) -> dict[str, object]:
        return {
            "type": "deploy",
            "time": f"{DAY}{clock}Z",
            "service": service,
            "version": version,
            "sha": sha,
            "author": author,
            "message": message,
        }

    return [
        commit(INDEX, "2026-11-10T15:41:20Z", "t.hauge", "shipping-api",
            "Index shipments by depot and day\n\nThe board in the depots reads a whole day to show one depot. An index that is built\nbeside the traffic needs Flyway to step aside meanwhile.\n",
            {"src/main/resources/application.yml": (SETTINGS, SETTINGS_INDEX), f"{MIGRATIONS}/V41__index_depot_day.sql": ("", INDEX_SQL), f"{MIGRATIONS}/V41__index_depot_day.sql.conf": ("", INDEX_CONF)}),
        commit(RANGES, "2026-11-11T10:26:44Z", "i.sorensen", "tracking-web",
            "Say when a parcel arrives as a span of time\n\nA minute that we miss is a call to the hotline; a span of two hours is a promise that\nwe keep nine times of ten. Widths are those that the depots agreed to.\n",
            {"src/eta.ts": (ETA_BEFORE, ETA_AFTER), "src/texts/en.ts": (TEXTS, TEXTS_AFTER), "src/texts/nb.ts": (NORWEGIAN, NORWEGIAN_AFTER), "src/texts/sv.ts": (SWEDISH, SWEDISH_AFTER)}),
        commit(PATIENCE, "2026-11-11T11:48:09Z", "t.hauge", "shipping-api",
            "Wait three seconds for a connection, not thirty\n\nNo caller of ours waits longer than eight seconds, so nobody is there any more when the\npool gives up. Agreed with the people of tracking and orders.\n",
            {"src/main/resources/application.yml": (SETTINGS_INDEX, SETTINGS_INDEX.replace("connection-timeout: 30000", "connection-timeout: 3000"))}),
        commit(WIDEN, "2026-11-11T14:05:31Z", "k.nyberg", "shipping-api",
            "Accept ten-digit numbers of carriers\n\nVelox hands out such numbers from 1 December, and we refuse them. Callers have always\ngot them as text, so the API stays as it is.\n",
            {f"{JAVA}/shipping/carrier/CarrierRef.java": (CARRIER_REF, CARRIER_REF_AFTER), f"{MIGRATIONS}/V42__widen_reference.sql": ("", WIDEN_SQL), "src/test/java/invalid/example/norrfrakt/shipping/carrier/CarrierRefTest.java": (CARRIER_REF_TEST, CARRIER_REF_TEST_AFTER)}),
        commit(QUANTITY, f"{DAY}07:12:57Z", "m.aalto", "orders-api",
            "Sell by the metre and by the kilo\n\nQuantities get three decimals and each line its unit. The catalogue already sends them\nso. On staging, where V118 ran for six minutes, it met the nightly export in a deadlock,\nhence the locks at its head.\n",
            {f"{JAVA}/orders/OrderLine.java": (ORDER_LINE, ORDER_LINE_AFTER), f"{JAVA}/orders/OrderLineRowMapper.java": (LINE_MAPPER, LINE_MAPPER.replace('row.getInt("quantity")', 'row.getBigDecimal("quantity"), row.getString("unit")')), f"{MIGRATIONS}/V118__quantity_with_decimals.sql": ("", QUANTITY_SQL)}),
        deploy("07:42:03", "shipping-api", "3.18.0", INDEX, "t.hauge", "Cut on Tuesday at four"),
        commit(ANSWERS, f"{DAY}07:58:16Z", "k.nyberg", "shipping-api",
            "Log the size of a carrier's answer, not its body\n\nAddresses do not belong into the log.\n",
            {f"{JAVA}/shipping/carrier/VeloxClient.java": (VELOX, VELOX_AFTER), "src/main/resources/logback-spring.xml": (LOGBACK, LOGBACK.replace('level="INFO"/>', 'level="INFO"/>\n  <logger name="invalid.example.norrfrakt.shipping.carrier" level="${CARRIER_LEVEL:-INFO}"/>'))}),
        deploy("08:11:31", "orders-api", "7.4.0", QUANTITY, "m.aalto", "Decimals for the catalogue of the week"),
        commit(DEPOTS, f"{DAY}08:21:49Z", "i.sorensen", "tracking-web",
            "Keep depot pages for an hour\n\nOpening hours change twice a year.\n",
            {"src/pages/depot.ts": (DEPOT, DEPOT_AFTER)}),
        deploy("08:29:48", "shipping-api", "3.19.0", ANSWERS, "t.hauge", "Cut this morning"),
        deploy("08:30:04", "tracking-web", "2.61.0", DEPOTS, "i.sorensen", "Spans of time, kept depot pages"),
        commit(LISTS, f"{DAY}08:35:02Z", "m.aalto", "orders-api",
            "Name the age of a price list once\n",
            {f"{JAVA}/orders/PriceLists.java": (LISTS_BEFORE, LISTS_AFTER)}),
    ]  # fmt: skip


EXPECTED = {
    "service": "shipping-api",
    "also_ok": ["shipping-db", "shipping-db-0", S_PODS[4].name],
    "victims": ["tracking-web", "orders-api"],
    "onset": rfc3339(LOCKED, digits=3),
    "cause": [
        [
            "migration*", "migrate", "migrates", "migrating", "alter table", "alters table", "altering table", "altered table", "alter column", "alters column", "altering column", "alter type", "alter statement", "the alter",
            "schema change*", "schema update*", "schema upgrade*", "schema alteration", "change schema", "changes schema", "ddl", "v42", "version 42", "flyway",
            "type change", "column change*", "column type", "column to bigint", "change column", "changes column", "changing column", "changing type", "changes type", "carrier_ref to bigint", "integer to bigint", "int to bigint",
            "widen*", "widened column", "bigint",
        ],
        [
            "lock", "locks", "locked", "locking", "access exclusive", "exclusive lock", "accessexclusivelock", "table lock", "rewrit*", "rewrote", "block", "blocks", "blocked", "blocking",
            "holds up", "held up", "queue behind", "queued behind", "wait behind", "waits behind", "waiting behind", "stuck behind", "shut out", "keeps everyone out", "keeps out", "stalls", "stalled",
        ],
    ],
    "must_not": [
        "pool too small", "pool size too small", "pool of five too small", "not enough connections", "too few connections", "connection leak*", "leaked connections", "connections leak*",
        "timeout lowered", "lowered timeout", "timeout too short", "connection timeout change caused", "shorter connection timeout", "three second timeout", "timeout reduced", "reduced timeout",
        "deadlock*", "database down", "database crashed", "database is down",
        "create index concurrently locks", "create index concurrently blocks", "create index concurrently locked", "create index concurrently blocked", "create index locked", "create index blocks", "create index holds",
        "index build locks", "index build locked", "index build blocks", "index build blocked", "index build holds", "index migration locks", "index migration locked", "index migration blocks", "index migration blocked", "v41 locks", "v41 locked", "v41 blocks", "v41 holds", "v41 blocked", "shipments_depot_day_idx locks", "non transactional migration blocks", "transactional lock off",
        "order lines locked", "order_lines locked", "order_lines rewritten", "order lines rewritten", "locks order_lines", "rewrites order_lines", "rewrite of order_lines", "lock on order_lines", "locks order lines", "rewrites order lines", "v118 locks", "v118 rewrites", "v118 blocks", "v118 blocked", "lock table orders", "orders and order_lines locked", "locks orders and order_lines", "lock on orders and order_lines", "locks at head of v118", "update of order_lines", "updates order_lines", "backfill of order_lines", "backfill locks", "backfill blocks", "backfill holds", "backfill and lock", "quantity migration locks", "quantity migration blocks", "orders migration locks", "orders migration blocks", "orders api migration",
        "autovacuum locks", "autovacuum locked", "autovacuum blocks", "autovacuum holds", "autovacuum blocked", "vacuum blocks", "vacuum locks", "vacuum holds",
        "checkpoints too frequent cause", "checkpoint storm", "max_wal_size too small", "max_wal_size too low", "checkpoints stall", "checkpoints block", "checkpoints caused",
        "row lock contention", "depot board blocks", "depot board holds", "depot_board blocks", "depot_board holds", "report blocks", "report holds",
        "tracking release broke", "tracking web release caused", "2.61.0 broke", "kept depot pages caused", "depot cache caused", "logging change caused", "eta range caused",
    ],
    "commit": WIDEN,
}  # fmt: skip

DISTRACTORS = [
    {"commit": INDEX, "why": "a migration of the same table, but built beside the traffic: it ran from 07:42 to 07:44 with every page answered"},
    {"commit": QUANTITY, "why": "the culprit's kind of change, a worse one to read and nearer to onset, but in the orders database, whose order_lines holds 38 thousand rows where staging was never archived; done in 0.7 s at 08:11, and orders were taken all the time"},
    {"commit": PATIENCE, "why": "concerns the pool whose errors are seen; the failing pods still run with 30 s, so it is not live"},
    {"commit": ANSWERS, "why": "the head of the release that was rolled out; what a debug line says only"},
    {"commit": DEPOTS, "why": "the nearest commit before onset, rolled out nearest to it on the loudest service; pages of depots only"},
    {"commit": LISTS, "why": "the newest commit, four minutes after onset and not rolled out"},
    {"noise": "autovacuum reports of the same database", "match": r'automatic (vacuum|analyze) of table "shipping\.public', "why": "began before the window and goes on at its pace"},
    {"noise": "missing map tiles", "match": r"map tile /tiles/\S+ missing", "why": "began before the window, pages are shown without them"},
]  # fmt: skip

EXAMPLES = {
    "right": [
        "The Flyway migration V42 takes an AccessExclusiveLock on shipments while it rewrites the table",
        "ALTER TABLE shipments ALTER COLUMN carrier_ref TYPE bigint rewrites 41 million rows and blocks every read",
        "A schema change at the start of release 3.19.0 locks the shipments table for almost nine minutes",
        "Migration 42 widens a column; all queries on the table wait behind its exclusive lock",
        "The column type change from integer to bigint forces a full table rewrite under ACCESS EXCLUSIVE",
        "shipping-api 3.19.0 runs DDL at start that holds up all statements on shipments, so the pool runs dry",
        "Pool exhaustion is only the symptom: the widening of carrier_ref to bigint locked the table",
        "V42 rewrote shipments, and the application's sessions queued behind it",
        "A blocking schema migration: readers and writers of shipments are shut out until it commits",
        "The migration in shipping-api's rollout holds an exclusive lock on relation 24817",
        "Changing the type of carrier_ref makes Postgres rewrite the heap and its indexes, with the table locked meanwhile",
        "V118 of orders-api was over in 0.7 s and in another database; V42 of shipping-api, an ALTER COLUMN TYPE, holds the lock that all reads of shipments queue behind",
        "Not the index: that one was built without harm. V42 locks the whole table because int to bigint needs a rewrite.",
        "Release 3.19.0 starts with ALTER TABLE on a 14 GB database, and sessions are blocked by pid holding relation 24817",
    ],
    "wrong": [
        "shipping-pool is exhausted: Connection is not available, request timed out after 30000ms",
        "The pool of five is too small for the traffic, so a migration cannot get its lock",
        "tracking-web answers 504 because shipping-api is slow",
        "orders-api cannot request shipments and its outbox grows",
        "The connection timeout was lowered to three seconds",
        "CREATE INDEX CONCURRENTLY locks the shipments table since release 3.18.0",
        "The migration of orders-api locks order_lines: V118 rewrites the table",
        "V118 takes an ACCESS EXCLUSIVE lock on orders and order_lines, rewrites them and keeps both locked for six minutes",
        "orders-api 7.4.0 runs a blocking migration: LOCK TABLE orders and a backfill shut everyone out",
        "Autovacuum holds a lock on shipments and blocks the migration",
        "A deadlock in shipping-db between the migration and the readers' locks",
        "The migration does not lock the table",
        "A table rewrite by migration 42 was ruled out; the disk is slow",
        "Perhaps the migration locked the table, or perhaps the pool leaks connections",
        "process 47802 still waiting for AccessShareLock on relation 24817 of database 16411 after 1000.207 ms",
        "Checkpoints are occurring too frequently; max_wal_size is too small",
        "The tracking-web release 2.61.0 broke the page cache",
        "Lock contention in the database",
        "Row locks on shipments block the carrier poll",
        "The migration finished in 0.7 s and nothing was locked",
    ],
}

ORDER_OF_STREAMS = ("edge", "tracking-web", "orders-api", "shipping-api", "shipping-db", "cluster")


def main() -> None:
    """Simulate the window and write the file."""
    run()
    database_metrics()
    service_metrics()
    document = {
        "schema": "rcabench/1",
        "id": "table-rewrite-migration",
        "title": "Migration rewrites a large table and locks it",
        "kind": "bad_deploy",
        "difficulty": "medium",
        "canary": "rcabench canary 8e5d1c07b94a4f0a9c6237e1d05fb4a8",
        "source": {"origin": "written"},
        "window": {"start": rfc3339(START), "end": rfc3339(END)},
        "logs": [
            {"service": service, "host": host, "format": layout, "lines": stream_text(lines)}
            for (service, host, layout), lines in sorted(STREAMS.items(), key=lambda item: (ORDER_OF_STREAMS.index(item[0][0]), item[0]))
        ],
        "metrics": SERIES,
        "changes": changes(),
        "alerts": [{"time": f"{DAY}08:34:00Z", "service": "tracking-web", "metric": 'http_requests_total{route="/t/:code",status="504"}', "summary": "Fewer than 95 % of the tracking pages were answered for two minutes"}],
        "expected": EXPECTED,
        "distractors": DISTRACTORS,
        "said_in_evidence": [
            {"phrase": "widen*", "why": "Flyway prints the name of each migration"},
            {"phrase": "migrat*", "why": "Flyway's own words for each run, harmless ones too"},
            {"phrase": "flyway", "why": "Flyway's loggers"},
            {"phrase": "lock", "why": "PostgreSQL names the mode and the holder of each lock that is waited for"},
            {"phrase": "block*", "why": "a word of any log"},
        ],
        "examples": EXAMPLES,
    }  # fmt: skip
    write(document, Path(__file__).parents[1] / "held_out" / "table-rewrite-migration.yaml")


if __name__ == "__main__":
    main()
