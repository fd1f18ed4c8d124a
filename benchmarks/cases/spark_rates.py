"""Resident partitions by themselves: rounds, epochs of one row, one and two partitions, messages, growth.

Law: what is divided by what stands beside each number. A round is an exchange: all partitions hand over their mail, the
driver hears of all and answers all. Programs that must send place facts with `@`, others are placed by Tidelog.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from pyspark.sql import SparkSession

from benchmarks import graphs, workloads
from benchmarks.graphs import Cells
from benchmarks.measure import checksum, percentile, timed
from benchmarks.outcome import Disagreement
from benchmarks.spark_beside import PARTITIONS, Effort, delete, insert, sampled
from benchmarks.spark_findings import Reading, Target
from tidelog import Engine

WALK = """
at(@X) :- start(@X).
at(@Y) :- at(@X), next(@X, Y).
"""
LOCATED = """
reach(@X, Y) :- edge(@X, Y).
reach(@X, Z) :- edge(@X, Y), reach(@Y, Z).
"""
ROUND, ROWS, FRAME = Target(5), Target(30), Target(1)
SPEED_UP, GROWTH = Target(1.6, floor=True), Target(3)


def rounds(spark: SparkSession, effort: Effort) -> Iterator[Reading]:
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
                each.append(1e3 * seconds / count)
    detail = f"epoch / exchanges; {count:,} rounds and {messages:,} messages per epoch along {length:,} nodes"
    yield Reading("a round with little data", statistics.median(each), "ms", ROUND, detail)


def messages(spark: SparkSession, effort: Effort) -> Iterator[Reading]:
    """Closure placed by its first column: every support whose head lives elsewhere is a message."""
    edges = graphs.random_graph(60 if effort.quick else 600, 0.1 if effort.quick else 10 / 600)
    found = []
    for _ in range(effort.builds):
        with Engine(LOCATED, spark=spark, partitions=PARTITIONS) as db:
            found.append(insert(db, {"edge": edges}))
            size = len(db["reach"])
    epoch, seconds = sorted(found, key=lambda pair: pair[1])[len(found) // 2]
    sent, exchanges = epoch.statistics.messages, epoch.statistics.exchanges
    detail = f"{sent:,} messages in {exchanges} rounds and {seconds:.2f} s; {size:,} facts placed by `@X`"
    yield Reading("messages, closure placed by its first column", sent / seconds, "a second", None, detail)


def one_row(spark: SparkSession, effort: Effort) -> Iterator[Reading]:
    """One old edge out and in again, as a Python tuple and as a DataFrame."""
    workload = workloads.random_closure(effort.quick)
    db, opened = timed(lambda: Engine(workload.rules, spark=spark, partitions=PARTITIONS))
    yield Reading("opening an engine", opened.wall, "s", None, "starts the resident stage; once per engine")
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
    high = f"95 % below {1e3 * percentile(given, 0.95):.1f} ms; {len(given)} epochs"
    yield Reading(f"{what}, as Python rows", 1e3 * statistics.median(given), "ms", ROWS, high)
    high = f"95 % below {percentile(sent, 0.95):.2f} s; {len(sent)} epochs"
    yield Reading(f"{what}, as a DataFrame", statistics.median(sent), "s", FRAME, high)


def partitions(spark: SparkSession, effort: Effort) -> Iterator[Reading]:
    """The same closure on one and on two partitions, in turn; placed by its pivot it sends nothing."""
    nodes = 200 if effort.quick else 2_000
    edges = graphs.random_graph(nodes, 10 / nodes)
    seconds: dict[int, list[float]] = {1: [], PARTITIONS: []}
    for _ in range(effort.builds):
        for count, found in seconds.items():
            with Engine(workloads.CLOSURE, spark=spark, partitions=count) as db:
                epoch, took = insert(db, {"edge": edges})
                size = len(db["reach"])
            if epoch.statistics.messages:
                raise Disagreement(
                    f"closure on {count} partitions sent {epoch.statistics.messages:,} messages, not none"
                )
            found.append(took)
    one, two = (statistics.median(found) for found in seconds.values())
    detail = f"{one:.2f} s beside {two:.2f} s; {size:,} facts, no messages"
    yield Reading("one partition beside two, closure", one / two, "x", SPEED_UP, detail)


def growth(spark: SparkSession, effort: Effort) -> Iterator[Reading]:
    """The same program over 1, 10 and 100 x the data: islands of one shape."""
    first = 20 if effort.quick else 400
    times, sizes = [], []
    for count in (first, 10 * first) if effort.quick else (first, 10 * first, 100 * first):
        edges = graphs.islands(count)
        repeats = 1 if effort.quick else max(1, 300 * first // (100 * count))
        facts, seconds, memory = _grown(spark, edges, repeats)
        times.append(1e9 * seconds / facts)
        sizes.append(memory / facts)
        detail = f"{seconds:.3f} s, {memory / (1 << 20):,.0f} MiB, {sizes[-1]:.0f} bytes a fact"
        yield Reading(f"closure of {count:,} islands, {facts:,} facts", times[-1], "ns a fact", None, detail)
    yield Reading("time a fact, highest beside lowest", max(times) / min(times), "x", GROWTH)
    yield Reading("memory a fact, highest beside lowest", max(sizes) / min(sizes), "x", GROWTH)


def _grown(spark: SparkSession, edges: Cells, repeats: int) -> tuple[int, float, int]:
    """Facts, median of seconds, bytes."""
    seconds = []
    for _ in range(repeats):
        with Engine(workloads.CLOSURE, spark=spark, partitions=PARTITIONS) as db:
            seconds.append(insert(db, {"edge": edges})[1])
            facts, memory = len(db["edge"]) + len(db["reach"]), db.memory
    return facts, statistics.median(seconds), memory


RATES: Mapping[str, Callable[[SparkSession, Effort], Iterator[Reading]]] = {
    "rounds": rounds,
    "one-row": one_row,
    "partitions": partitions,
    "messages": messages,
    "growth": growth,
}
