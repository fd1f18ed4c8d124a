"""The server under load: checks, look-ups, batches and epochs, alone and beside a writer.

Law: requests come from wrk, over loopback and connections that stay open; each is answered with 2xx, and the state
afterwards has what was acknowledged. The processor time of the server per request does not depend on what else runs on
the machine; requests per second do.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from benchmarks.cases.served import CHAINS, LENGTH, Served, chains, server
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.peers import wrk
from benchmarks.record import Record, Target, median_of

CLIENTS, WRITERS, SECONDS, BATCH = 8, 64, 5.0, 1_000
HALF = 500  # epochs a second beside readers: half of the target of a writer alone


def rates(options: Options) -> Iterator[Record]:
    """Each kind of request, alone; then checks and look-ups beside a writer."""
    if not wrk.is_installed():
        return
    seconds = 0.5 if options.quick else SECONDS
    with server() as served:
        connection = served.connection()
        served.ask(connection, "/epochs", {"insert": {"edge": chains(CHAINS)}, "rows": 0})
        for name, method, targets, place, facts in _kinds():
            yield _record(served, name, method, targets, place, facts, CLIENTS, seconds)
        yield _epochs(served, seconds)
        with _writer(served, HALF) as written:
            for name, method, targets, place, facts in _kinds()[:2]:
                yield _record(served, name, method, targets, place, facts, CLIENTS, seconds, written)
        connection.close()


def _kinds() -> Sequence[tuple[str, str, Sequence[str], str, int]]:
    """Name, method, bodies or addresses, address of the bodies, and facts of a request."""
    rows = [(1000 * (n % CHAINS), 1000 * (n % CHAINS) + 1 + n % (LENGTH + 5)) for n in range(1_000)]
    one = [json.dumps({"facts": {"reach": [row]}}) for row in rows]
    keys = [f"/v1/views/reach?c1={x}&c2={y}" for x, y in rows]
    batch = [json.dumps({"facts": {"reach": [rows[n % len(rows)] for n in range(BATCH)]}})]
    return (
        ("checks of one fact", "POST", one, "/v1/check-facts", 1),
        ("look-ups of one row", "GET", keys, "", 1),
        (f"checks of {BATCH:,} facts", "POST", batch, "/v1/check-facts", BATCH),
    )


def _record(
    served: Served,
    name: str,
    method: str,
    targets: Sequence[str],
    place: str,
    facts: int,
    clients: int,
    seconds: float,
    written: list[int] | None = None,
) -> Record:
    wrk.run(served.url, served.token, method, targets, clients=clients, seconds=1, post_to=place)
    used, epochs = served.processor_seconds(), len(written or ())
    load = wrk.run(served.url, served.token, method, targets, clients=clients, seconds=seconds, post_to=place)
    used = served.processor_seconds() - used
    if load.refused:
        raise Disagreement(f"{load.refused} requests of {name} were refused")
    target = Target(200_000 if facts > 1 else 5_000, floor=True)
    rate = facts * load.requests / load.seconds
    what = "facts" if facts > 1 else "requests"
    values = [
        median_of(what, [rate], "a second", clock="wall", better="higher", target=target),
        median_of("99 of 100 take at most", [load.late], "ms", clock="wall", target=Target(20)),
    ]
    if written is None:
        values.append(median_of("processor time of the server", [1e6 * used / load.requests], "µs", clock="cpu"))
    else:
        rate = (len(written) - epochs) / load.seconds
        values.append(median_of("epochs beside them", [rate], "a second", clock="wall", better="higher"))
    title = name if written is None else f"{name} beside a writer"
    return Record("rates", title, tuple(values), {"clients": clients})


def _epochs(served: Served, seconds: float) -> Record:
    """Epochs of one fact each, with a state folder; afterwards every acknowledged one is there."""
    connection = served.connection()
    before = served.ask(connection, "/check-facts", {"facts": {}})["epoch"]
    bodies = [json.dumps({"insert": {"edge": [[-2 * n - 2, -2 * n - 1]]}, "rows": 0}) for n in range(20_000)]
    used = served.processor_seconds()
    load = wrk.run(served.url, served.token, "POST", bodies, clients=WRITERS, seconds=seconds, post_to="/v1/epochs")
    used = served.processor_seconds() - used
    done = served.ask(connection, "/check-facts", {"facts": {}})["epoch"] - before
    connection.close()
    if load.refused or not load.requests <= done <= load.requests + WRITERS:
        raise Disagreement(f"{load.requests} epochs were acknowledged and {done} committed")
    return Record(
        "rates",
        "epochs of one fact",
        (
            median_of(
                "epochs",
                [load.requests / load.seconds],
                "a second",
                clock="wall",
                better="higher",
                target=Target(1_000, floor=True),
            ),
            median_of("99 of 100 take at most", [load.late], "ms", clock="wall"),
            median_of("processor time of the server", [1e6 * used / load.requests], "µs", clock="cpu"),
        ),
        {"clients": WRITERS},
    )


@contextmanager
def _writer(served: Served, rate: int) -> Iterator[list[int]]:
    """A block beside which some connections together commit ``rate`` epochs a second, or as many as they can."""
    stop, written = threading.Event(), list[int]()
    clients = 8

    def write(first: int) -> None:
        connection, began, own = served.connection(), time.perf_counter(), 0
        while not stop.is_set():
            if (early := began + own * clients / rate - time.perf_counter()) > 0:
                stop.wait(early)
                continue
            change = "delete" if own % 2 else "insert"
            served.ask(connection, "/epochs", {change: {"edge": [[-first - 1, 0]]}, "rows": 0})
            own += 1
            written.append(first)
        connection.close()

    threads = [threading.Thread(target=write, args=(first,)) for first in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield written
    finally:
        stop.set()
        for thread in threads:
            thread.join()
