"""Many partitions in local mode: far more tasks than cores, in a session that has slots for them.

Law: the session is separate, in a separate process. The view is compared with that of one embedded partition
after the build, after a row went and after it came back. Memory is that of all processes of the session together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.apart import call_apart, held_by_family
from benchmarks.cases.spark_beside import Effort, delete, insert
from benchmarks.data import graphs
from benchmarks.measure import checksum, percentile, timed
from benchmarks.outcome import Disagreement
from benchmarks.record import HEADLINE, Record, Value, median_of
from tidelog import Engine

RULES = """
reach(@X, Y) :- edge(@X, Y).
reach(@X, Z) :- edge(@X, Y), reach(@Y, Z).
"""
PARTITIONS, ROWS = 64, 10


def wide(_: object, effort: Effort) -> Iterator[Record]:
    """A closure whose rules send, on many partitions; the group's session stays idle meanwhile."""
    count, nodes = (3, 40) if effort.quick else (PARTITIONS, 600)
    found = call_apart("benchmarks.cases.spark_wide:measure", partitions=count, nodes=nodes)
    facts = {name: found[name] for name in ("facts", "messages")}
    title = f"{count} partitions"
    built = Value(HEADLINE, found["build"], "s", "wall")
    opened = Value("opening", found["opening"], "s", "wall")
    memory = Value("memory", found["memory"], "bytes")
    yield Record("wide", f"{title}, closure that sends", (built, opened, memory), facts)
    each = found["rows"]
    high = Value("95 % below", percentile(each, 0.95), "ms", "wall")
    yield Record("one-row", f"{title}, one edge", (median_of(HEADLINE, each, "ms", clock="wall"), high))


def measure(partitions: int, nodes: int) -> dict[str, Any]:
    """One build and some changed rows, in a session of this process."""
    from tidelog.spark import local_session

    edges = graphs.random_graph(nodes, 6 / nodes)
    chosen = graphs.sample(edges, ROWS, 9)
    expected = [_expected(rows) for rows in (edges, _without(edges, chosen[0]))]
    with local_session(partitions, memory="2g") as spark:
        db, opened = timed(lambda: Engine(RULES, spark=spark, partitions=partitions))
        with db:
            epoch, build = insert(db, {"edge": edges})
            _must_be(db, expected[0], "built")
            delete(db, {"edge": chosen[:1]})
            _must_be(db, expected[1], "without an edge")
            insert(db, {"edge": chosen[:1]})
            _must_be(db, expected[0], "after it came back")
            each = [change(db, {"edge": [tuple(row)]})[1] for row in chosen.tolist() for change in (delete, insert)]
            memory, facts = held_by_family(), db.fact_count
    times = {"opening": opened.wall, "build": build, "rows": [1e3 * seconds for seconds in each]}
    return {**times, "memory": memory, "facts": facts, "messages": epoch.statistics.messages}


def _expected(edges: graphs.Cells) -> int:
    with Engine(RULES) as db:
        insert(db, {"edge": edges})
        return checksum(db["reach"].to_numpy())


def _without(edges: graphs.Cells, row: graphs.Cells) -> graphs.Cells:
    left: graphs.Cells = edges[(edges != row).any(axis=1)]
    return left


def _must_be(db: Engine, expected: int, when: str) -> None:
    if checksum(db["reach"].to_numpy()) != expected:
        raise Disagreement(f"many partitions, {when}: another view than on one")
