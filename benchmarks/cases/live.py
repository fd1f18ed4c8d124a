"""From COMMIT in PostgreSQL to the row in a view, and to a client of its feed, under a load of small transactions.

Law: a separate process commits one row per transaction at a given rate, and records when each COMMIT returned; both
sides read the same clock. Every row must arrive exactly once, kills or not, or nothing is reported. Latency is that of
every row; rows that were committed while the load could not be kept up wait behind others, and count all the same.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from examples.data.postgresql import Server, running

from benchmarks.cases.catalogue import Case, Group
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Value
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.follow import Follower, follow

PROGRAM = """
.decl step(n: number, source: number, target: number)
.decl reach(n: number, target: number)
reach(n, t) :- step(n, _, t).
reach(n, t) :- reach(n, s), step(_, s, t).
"""
TABLE = "CREATE TABLE step (n bigint PRIMARY KEY, source bigint, target bigint)"
FOLLOWED = {"step": "public.step"}
SHARES = (0.5, 0.99, 1.0)
Times = dict[int, float]


def view(folder: bool, kills: bool, group: int, options: Options) -> Iterator[Record]:
    """To the row in the view of an engine in this process."""
    with running() as server, tempfile.TemporaryDirectory(prefix="tidelog-") as state:
        server.run(TABLE)
        arrived: Times = {}
        with Engine(PROGRAM, path=Path(state) / "state" if folder else None) as db:
            core_of(db).listeners.append(lambda epoch: _note(arrived, (r[0] for r in epoch.changes["step"].inserted)))
            with follow(db, server.dsn(), tables=FOLLOWED, group=group).start() as follower:
                _wait(follower)
                committed = _load(server, options, partial(_kill, server) if kills else None)
                _until(lambda: len(arrived) >= len(committed))
                found = sorted(row[0] for row in db["step"])
        if found != sorted(committed):
            raise Disagreement(f"{len(found)} rows arrived of {len(committed)}")
        where = f"with a state folder{f', up to {group} an epoch' if group > 1 else ''}" if folder else "in memory"
        yield _record(f"view, {where}{', with kills' if kills else ''}", options, committed, arrived, follower)


def feed(options: Options) -> Iterator[Record]:
    """To a client of the server's feed, over HTTP."""
    with running() as server, tempfile.TemporaryDirectory(prefix="tidelog-") as folder:
        server.run(TABLE)
        with _serving(server, Path(folder)) as (address, token):
            arrived: Times = {}
            reader = threading.Thread(target=_read_feed, args=(address, token, arrived), daemon=True)
            reader.start()
            committed = _load(server, options, None)
            _until(lambda: len(arrived) >= len(committed))
        yield _record("feed over HTTP, with a state folder", options, committed, arrived, None)


def _note(arrived: Times, numbers: Iterator[int]) -> None:
    now = time.time()
    for number in numbers:
        if number in arrived:
            raise Disagreement(f"row {number} arrived twice")
        arrived[number] = now


def _wait(follower: Follower) -> None:
    _until(lambda: follower.health.state == "following")


def _until(reached: Callable[[], bool], seconds: float = 600.0) -> None:
    end = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > end:
            raise Disagreement("rows are missing")
        time.sleep(0.01)


def _kill(server: Server, seconds: float) -> None:
    """The connection after a third of the time, the database after two thirds."""
    time.sleep(seconds / 3)
    server.run("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active")
    time.sleep(seconds / 3)
    server.stop("immediate")
    server.start()


def _load(server: Server, options: Options, beside: Callable[[float], None] | None) -> Times:
    """Commit rows from another process; returns when each COMMIT returned."""
    rate, seconds = options.chosen("limit", 1_000, 100), options.chosen("largest", 60, 3)
    command = [sys.executable, "-m", "benchmarks.cases.live_load", server.dsn(), str(rate), str(seconds)]
    killer = threading.Thread(target=beside, args=(seconds,)) if beside else None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        if killer is not None:
            killer.start()
        assert process.stdout is not None
        lines = [line.split() for line in process.stdout]
    if killer is not None:
        killer.join()
    return {int(number): float(moment) for number, moment in lines}


def _record(title: str, options: Options, committed: Times, arrived: Times, follower: Follower | None) -> Record:
    latencies = sorted(1_000 * (arrived[number] - moment) for number, moment in committed.items())
    took = max(arrived.values()) - min(committed.values())
    shares = [latencies[min(len(latencies) - 1, int(share * len(latencies)))] for share in SHARES]
    names = [f"{share:.0%} within" for share in SHARES]
    values = [Value(name, value, "ms", clock="wall") for name, value in zip(names, shares, strict=True)]
    rate = Value("rate", len(committed) / took, "transactions a second", better="higher")
    facts = {"transactions": len(committed), "asked": options.chosen("limit", 1_000, 100)}
    if follower is not None:
        facts["reconnects"] = follower.health.reconnects
    return Record("latency", title, (*values, rate), facts)


@contextmanager
def _serving(server: Server, folder: Path) -> Iterator[tuple[str, str]]:
    program = folder / "live.dl"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "tidelog.cli", "serve", str(program), "--state", str(folder / "state")]
    with subprocess.Popen(
        [*command, "--port", "0", "--table", "step=public.step"],
        env={**os.environ, "TIDELOG_FOLLOW": server.dsn()},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        address = next(line.split()[-1] for line in process.stderr if line.startswith("serving "))
        token = (folder / "state" / "tokens" / "read").read_text().strip()
        try:
            _until(lambda: _follows(address, token))
            yield address, token
        finally:
            process.send_signal(signal.SIGTERM)


def _ask(address: str, token: str, path: str, kind: str = "application/json") -> urllib.request.Request:
    return urllib.request.Request(f"{address}/v1{path}", headers={"Authorization": f"Bearer {token}", "Accept": kind})


def _follows(address: str, token: str) -> bool:
    try:
        with urllib.request.urlopen(_ask(address, token, "/statistics"), timeout=10) as answer:
            return bool(json.load(answer)["sources"][0]["state"] == "following")
    except OSError:
        return False


def _read_feed(address: str, token: str, arrived: Times) -> None:
    with urllib.request.urlopen(_ask(address, token, "/changes/step?since=0", "text/event-stream")) as answer:
        for line in answer:
            if line.startswith(b"data: "):
                _note(arrived, (row[0] for row in json.loads(line[6:]).get("plus", ())))


GROUP = Group(
    {
        "memory": Case("to the view of an engine in memory", partial(view, False, False, 1)),
        "folder": Case("to the view of an engine with a state folder", partial(view, True, False, 1)),
        "group": Case("the same, up to 100 transactions one epoch", partial(view, True, False, 100)),
        "kills": Case("the same with kills of connection and database", partial(view, True, True, 100)),
        "feed": Case("to a client of the server's feed", feed),
    }
)
