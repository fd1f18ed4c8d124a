"""Resident partitions alone: rounds, epochs of one row, one and two partitions, messages, growth.

Law: what is divided by what is stated next to each number. A round is a message to a partition that waits, and what
that partition does with it. Programs that must send place facts with `@`, others are placed by Tidelog.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from pyspark.sql import SparkSession

from benchmarks.cases.spark_beside import PARTITIONS, Effort, delete, insert, sampled
from benchmarks.data import graphs, workloads
from benchmarks.data.graphs import Cells
from benchmarks.measure import checksum, percentile, timed
from benchmarks.outcome import Disagreement
from benchmarks.record import HEADLINE, Record, Target, Value, median_of
from tidelog import Engine

WALK = """
at(@X) :- start(@X).
at(@Y) :- at(@X), next(@X, Y).
"""
LOCATED = """
reach(@X, Y) :- edge(@X, Y).
reach(@X, Z) :- edge(@X, Y), reach(@Y, Z).
"""
ROUND, ROWS, FRAME = Target(1.5), Target(30), Target(1)
SPEED_UP, GROWTH = Target(1.6, floor=True), Target(3)


def rounds(spark: SparkSession, effort: Effort) -> Iterator[Record]:
    """A walk along a chain whose nodes lie on both partitions: nearly every other step is a message and a round."""
    length = 20 if effort.quick else 400
    chain = np.stack([np.arange(length), np.arange(1, length + 1)], axis=1).astype(np.int64)
    with Engine(WALK, spark=spark, partitions=PARTITIONS) as db:
        insert(db, {"next": chain})
        each, count, messages = [], 0, 0
        for _ in range(2 if effort.quick else 6):
            for change in (insert, delete):
                epoch, seconds = change(db, {"start": [(0,)]})
                count, messages = epoch.statistics.exchanges, epoch.statistics.messages
                each.append(1e3 * seconds / messages)
    facts = {"messages": messages, "reports": count, "nodes": length}
    value = median_of(HEADLINE, each, "ms", clock="wall", target=ROUND)
    yield Record("round", "a round with little data", (value,), facts)


def messages(spark: SparkSession, effort: Effort) -> Iterator[Record]:
    """Closure placed by its first column: every support whose head lives elsewhere is a message."""
    edges = graphs.random_graph(60 if effort.quick else 600, 0.1 if effort.quick else 10 / 600)
    found = []
    for _ in range(effort.builds):
        with Engine(LOCATED, spark=spark, partitions=PARTITIONS) as db:
            found.append(insert(db, {"edge": edges}))
            size = len(db["reach"])
    sent, exchanges = found[0][0].statistics.messages, found[0][0].statistics.exchanges
    seconds = median_of("build", (took for _, took in found), "s", clock="wall")
    rate = Value(HEADLINE, sent / seconds.value, "a second", better="higher")
    facts = {"messages": sent, "rounds": exchanges, "facts": size}
    yield Record("messages", "messages, closure placed by its first column", (rate, seconds), facts)


def one_row(spark: SparkSession, effort: Effort) -> Iterator[Record]:
    """One old edge out and in again, as a Python tuple and as a DataFrame."""
    workload = workloads.random_closure(effort.quick)
    db, opened = timed(lambda: Engine(workload.rules, spark=spark, partitions=PARTITIONS))
    yield Record("opening", "opening an engine", (Value(HEADLINE, opened.wall, "s", "wall"),))
    with db:
        insert(db, workload.facts)
        size, before = len(db["reach"]), checksum(db["reach"].to_numpy())
        rows = sampled(workload, "edge", 4 if effort.quick else 60)
        given = [change(db, {"edge": [row]})[1] for row in rows for change in (delete, insert)]
        frames = [spark.createDataFrame([row], "a long, b long") for row in rows[: 2 if effort.quick else 10]]
        sent = [change(db, {"edge": one})[1] for one in frames for change in (delete, insert)]
        if checksum(db["reach"].to_numpy()) != before:
            raise Disagreement(f"{workload.title}: the view is another after edges went and came back")
    what = f"one edge, closure of {size:,} facts"
    yield _epochs(f"{what}, as Python rows", [1e3 * seconds for seconds in given], "ms", ROWS)
    yield _epochs(f"{what}, as a DataFrame", sent, "s", FRAME)


def _epochs(title: str, each: list[float], unit: str, target: Target) -> Record:
    high = Value("95 % below", percentile(each, 0.95), unit, "wall")
    return Record("one-row", title, (median_of(HEADLINE, each, unit, clock="wall", target=target), high))


def partitions(spark: SparkSession, effort: Effort) -> Iterator[Record]:
    """The same closure on one and on two partitions, in turn; placed by its pivot it sends nothing."""
    nodes = 200 if effort.quick else 2_000
    edges = graphs.random_graph(nodes, 10 / nodes)
    seconds: dict[int, list[float]] = {1: [], PARTITIONS: []}
    for _ in range(effort.builds):
        for count, found in seconds.items():
            with Engine(workloads.CLOSURE, spark=spark, partitions=count) as db:
                epoch, took = insert(db, {"edge": edges})
                size = len(db["reach"])
            if sent := epoch.statistics.messages:
                raise Disagreement(f"closure on {count} partitions sent {sent:,} messages, not none")
            found.append(took)
    one, two = (median_of(f"on {count}", found, "s", clock="wall") for count, found in seconds.items())
    ratio = Value(HEADLINE, one.value / two.value, "x", target=SPEED_UP, better="higher")
    yield Record("partitions", "one partition beside two, closure", (ratio, one, two), {"facts": size})


def growth(spark: SparkSession, effort: Effort) -> Iterator[Record]:
    """The same program over 1 to 700 x the data, 10^8 facts: islands of one shape."""
    first = 20 if effort.quick else 400
    times, sizes = [], []
    for count in (first, 10 * first) if effort.quick else (first, 10 * first, 100 * first, 700 * first):
        edges = graphs.islands(count)
        repeats = 1 if effort.quick else max(1, 300 * first // (100 * count))
        facts, seconds, memory = _grown(spark, edges, repeats)
        took = median_of("build", seconds, "s", clock="wall")
        times.append(1e9 * took.value / facts)
        sizes.append(memory / facts)
        each = Value(HEADLINE, times[-1], "ns a fact", "wall"), took, Value("memory", memory, "bytes")
        yield Record("growth", f"closure of {count:,} islands", each, {"facts": facts})
    for what, found in (("time", times), ("memory", sizes)):
        factor = Value(HEADLINE, max(found) / min(found), "x", target=GROWTH)
        yield Record("growth-factor", f"{what} a fact, highest beside lowest", (factor,))


def _grown(spark: SparkSession, edges: Cells, repeats: int) -> tuple[int, list[float], int]:
    """Facts, seconds of every build, bytes."""
    seconds = []
    for _ in range(repeats):
        with Engine(workloads.CLOSURE, spark=spark, partitions=PARTITIONS) as db:
            seconds.append(insert(db, {"edge": edges})[1])
            facts, memory = len(db["edge"]) + len(db["reach"]), db.memory
    return facts, seconds, memory


RATES: Mapping[str, Callable[[SparkSession, Effort], Iterator[Record]]] = {
    "rounds": rounds,
    "one-row": one_row,
    "partitions": partitions,
    "messages": messages,
    "growth": growth,
}
