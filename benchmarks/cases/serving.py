"""The server: point reads beside a writer, one feed to many clients, memory over many epochs.

Law: the server is a separate process, started as users start it, and is called over loopback. Every answer is
compared. The peer is a recursive view of SQLite's, computed again for each reading, in this process and without HTTP:
what a program does that asks a database after each change.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator

from benchmarks.cases.catalogue import Case, Group
from benchmarks.cases.served import CHAINS, LENGTH, chains, server
from benchmarks.cases.serving_rates import rates
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, median_of
from benchmarks.subject import kernel_ready

VIEW = """
CREATE VIEW reach AS WITH RECURSIVE r(x, y) AS (
    SELECT x, y FROM edge UNION SELECT e.x, r.y FROM edge e JOIN r ON e.y = r.x
) SELECT x, y FROM r
"""
READERS, SECONDS = 4, 5.0
CLIENTS, FED = 200, 50
EPOCHS = 100_000


def reads(options: Options) -> Iterator[Record]:
    """Rows of one key, read by some connections while another commits epochs."""
    count, seconds = (5, 0.3) if options.quick else (CHAINS, SECONDS)
    found = [_together(count, seconds) for _ in range(options.repeats(3))]
    peer = [_recomputed(count, seconds) for _ in range(options.repeats(3))]
    yield Record(
        "reads",
        "rows of one key beside a writer",
        (
            median_of("Tidelog reads", (read for read, _ in found), "a second", clock="wall", better="higher"),
            median_of("Tidelog epochs", (epochs for _, epochs in found), "a second", clock="wall", better="higher"),
            median_of("SQLite rounds", peer, "a second", clock="wall", better="higher"),
        ),
        {"rows": count * LENGTH * (LENGTH + 1) // 2, "readers": READERS},
    )


def _together(count: int, seconds: float) -> tuple[float, float]:
    """Reads and epochs a second."""
    with server() as served:
        writing = served.connection()
        served.ask(writing, "/epochs", {"insert": {"edge": chains(count)}, "rows": 0})
        stop, done = threading.Event(), [0] * READERS

        def read(place: int) -> None:
            connection = served.connection()
            while not stop.is_set():
                key = 1000 * (done[place] % count)
                if served.ask(connection, f"/views/reach?c1={key}")["total"] != LENGTH:
                    raise Disagreement("a read found other rows")
                done[place] += 1
            connection.close()

        threads = [threading.Thread(target=read, args=(place,)) for place in range(READERS)]
        for thread in threads:
            thread.start()
        epochs, began = 0, time.perf_counter()
        while (took := time.perf_counter() - began) < seconds:
            change = "delete" if epochs % 2 else "insert"
            served.ask(writing, "/epochs", {change: {"edge": [[-1, -2]]}, "rows": 0})
            epochs += 1
        total = sum(done)
        stop.set()
        for thread in threads:
            thread.join()
        writing.close()
        return total / took, epochs / took


def _recomputed(count: int, seconds: float) -> float:
    """Changes a second, each followed by one reading of a recursive view."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE edge (x INTEGER, y INTEGER, PRIMARY KEY (x, y)) WITHOUT ROWID")
    db.executemany("INSERT INTO edge VALUES (?, ?)", chains(count))
    db.execute("CREATE INDEX by_y ON edge (y)")
    db.execute(VIEW)
    rounds, began = 0, time.perf_counter()
    while (took := time.perf_counter() - began) < seconds:
        db.execute("DELETE FROM edge WHERE x = -1" if rounds % 2 else "INSERT INTO edge VALUES (-1, -2)")
        key = 1000 * (rounds % count)
        if len(db.execute("SELECT y FROM reach WHERE x = ?", (key,)).fetchall()) != LENGTH:
            raise Disagreement("SQLite found other rows")
        rounds += 1
    db.close()
    return rounds / took


def feeds(options: Options) -> Iterator[Record]:
    """One view, followed by many clients: from the answer to a commit to the last client that has it."""
    clients, epochs = (20, 5) if options.quick else (CLIENTS, FED)
    runs = [asyncio.run(_followed(clients, epochs)) for _ in range(options.repeats(3))]
    yield Record(
        "feeds",
        "one epoch to all clients",
        (
            median_of("all have it", (1e3 * late for late, _ in runs), "ms", clock="wall"),
            median_of("events", (rate for _, rate in runs), "a second", clock="wall", better="higher"),
        ),
        {"clients": clients, "epochs": epochs},
    )


async def _followed(clients: int, epochs: int) -> tuple[float, float]:
    """The median seconds until the last client has an epoch, and events a second."""
    with server() as served:
        connection = served.connection()
        since = served.ask(connection, "/epochs", {"insert": {"edge": [[0, 1]]}, "rows": 0})["epoch"]
        opened = [await asyncio.open_connection(served.host, served.port) for _ in range(clients)]
        headers = served.headers(Host=f"{served.host}:{served.port}", Accept="text/event-stream")
        lines = [f"{name}: {value}" for name, value in headers.items()]
        request = "\r\n".join([f"GET /v1/changes/edge?since={since} HTTP/1.1", *lines, "", ""])
        for reader, writer in opened:
            writer.write(request.encode())
            await reader.readuntil(b"retry:")
        late = []
        began = time.perf_counter()
        for number in range(epochs):
            body = {"insert": {"edge": [[number + 1, number + 2]]}, "rows": 0}
            answer = await asyncio.to_thread(served.ask, connection, "/epochs", body)
            answered = time.perf_counter()
            await asyncio.gather(*(reader.readuntil(f"id: {answer['epoch']}\n".encode()) for reader, _ in opened))
            late.append(max(0.0, time.perf_counter() - answered))
        took = time.perf_counter() - began
        for _, writer in opened:
            writer.close()
        connection.close()
        return sorted(late)[len(late) // 2], clients * epochs / took


def memory(options: Options) -> Iterator[Record]:
    """What the process of the server holds at first, and after many epochs of the same size."""
    epochs = options.chosen("epochs", EPOCHS, 200)
    with server() as served:
        connection = served.connection()
        served.ask(connection, "/epochs", {"insert": {"edge": chains(10)}, "rows": 0})
        held = {}
        for number in range(epochs + 1):
            if number in (epochs // 10, epochs):
                held[number] = served.ask(connection, "/statistics")["memory"]["process"] / 1e6
            change = "delete" if number % 2 else "insert"
            served.ask(connection, "/epochs", {change: {"edge": [[-1, 0]]}, "rows": 0})
        connection.close()
    first, last = held.values()
    yield Record(
        "memory",
        "memory of the process",
        (
            median_of("after a tenth", [first], "MB"),
            median_of("after all", [last], "MB"),
        ),
        {"epochs": epochs},
    )


GROUP = Group(
    {
        "rates": Case("checks, look-ups, batches and epochs a second, alone and beside a writer; needs wrk", rates),
        "reads": Case("rows of one key over HTTP beside a writer, beside a recursive view of SQLite's", reads),
        "feeds": Case("one view followed by two hundred clients", feeds),
        "memory": Case("memory of the server over a hundred thousand epochs (--epochs)", memory),
    },
    kernel_ready,
)
