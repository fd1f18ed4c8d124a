"""Messages between partitions: a closure that sends what it finds when it is joined with itself.

Law: every number of partitions is measured in a separate process, whose peak memory is that of one build and of
everything that a process with the engine needs. The facts are those that one partition finds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.apart import call_apart, peak
from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.graphs import Cells, rmat, sample
from benchmarks.measure import checksum, timed
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Target, Value
from benchmarks.subject import kernel_ready, warm_up
from tidelog import Engine
from tidelog.engine.write.epoch import Epoch

DOUBLING = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), reach(Y, Z)."
PARTITIONS = (1, 2, 4)
MOST_TIME, MOST_MEMORY = Target(3.0), Target(2.0)  # beside one partition, on two


def closure(options: Options) -> Iterator[Record]:
    """A closure that sends what it finds when it is joined with itself, on one partition and on several."""
    bits, edges = (6, 200) if options.quick else (10, 10_000)
    alone: dict[str, float] = {}
    for partitions in PARTITIONS:
        found = call_apart("benchmarks.cases.messages:built", partitions=partitions, bits=bits, edges=edges)
        alone = alone or found
        if (found["facts"], found["rows"]) != (alone["facts"], alone["rows"]):
            raise Disagreement(f"the closure has other rows on {partitions} partitions than on one")
        bounds = (MOST_TIME, MOST_MEMORY) if partitions == 2 else (None, None)
        values = (
            Value("build", found["build"], "s", "cpu"),
            Value("build beside one", found["build"] / alone["build"], "x", target=bounds[0]),
            Value("peak", found["peak"], "bytes"),
            Value("peak beside one", found["peak"] / alone["peak"], "x", target=bounds[1]),
            Value("1 % out", found["out"], "s", "cpu"),
        )
        names = ("facts", "supports", "messages", "suspended")
        facts = {"partitions": partitions, **{name: int(found[name]) for name in names}}
        yield Record("messages", f"closure joined with itself, {partitions} x", values, facts)


def built(partitions: int, bits: int, edges: int) -> dict[str, float]:
    """The build of a closure, and an epoch without 1 % of its edges, in this process."""
    warm_up()
    rows = rmat(bits, edges)
    with Engine(DOUBLING, partitions=partitions, threads=1) as db:
        epoch, build = timed(lambda: _changed(db, rows))
        found = {"facts": len(db["reach"]), "rows": checksum(db["reach"].to_numpy()) % sys.maxsize, "peak": peak()}
        out, without = timed(lambda: _changed(db, sample(rows, len(rows) // 100, 9), -1))
        supports = sum(epoch.statistics.supports.values())
        sent = {"supports": supports, "messages": epoch.statistics.messages, "suspended": out.statistics.suspended}
    return {**found, **sent, "build": build.cpu, "out": without.cpu}


def _changed(db: Engine, edges: Cells, sign: int = 1) -> Epoch:
    with db.epoch() as e:
        (e.insert if sign > 0 else e.delete)("edge", edges)
    return e


GROUP = Group({"closure": Case("a closure joined with itself, beside one partition", closure)}, kernel_ready)
