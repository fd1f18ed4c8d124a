"""Views on resident partitions beside the same views kept with Spark alone.

Law: both get the same cached DataFrames and the same changed rows, and must return the same view after each of them;
the peer's rows are changed once, since each change of it takes seconds. The engine has one partition per core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from benchmarks.data import graphs, workloads
from benchmarks.data.workloads import Workload
from benchmarks.measure import Duration, timed
from benchmarks.outcome import Outcome, must_agree
from benchmarks.peers import spark_loops
from benchmarks.peers.spark_loops import Peer, Row, frame
from benchmarks.record import Record, Target, Value, median_of
from tidelog import Engine

PARTITIONS = 2
BUILD, CHANGE = Target(10, floor=True), Target(100, floor=True)
Pair = tuple[Value, Value, Value]
MakePeer = Callable[[SparkSession, Mapping[str, DataFrame], str], Peer]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured."""

    quick: bool = False
    builds: int = 3
    rows: int = 30


@dataclass(frozen=True, slots=True)
class Contest:
    """A workload, the relation whose rows change, and who else keeps the view."""

    make: Callable[[bool], Workload]
    changing: str
    peer: MakePeer


def insert(db: Engine, facts: Mapping[str, object]) -> tuple[Any, float]:
    """One epoch that asserts facts, with its seconds from the call to the committed view."""
    epoch, took = timed(lambda: _epoch(db, facts, {}))
    return epoch, took.wall


def delete(db: Engine, facts: Mapping[str, object]) -> tuple[Any, float]:
    """One epoch that retracts facts."""
    epoch, took = timed(lambda: _epoch(db, {}, facts))
    return epoch, took.wall


def _epoch(db: Engine, plus: Mapping[str, object], minus: Mapping[str, object]) -> Any:
    with db.epoch() as epoch:
        for name, rows in plus.items():
            epoch.insert(name, rows)
        for name, rows in minus.items():
            epoch.delete(name, rows)
    return epoch


def beside(contest: Contest, spark: SparkSession, effort: Effort) -> Iterator[Record]:
    """Build a view and change single rows, with the peer and with Tidelog."""
    workload = contest.make(effort.quick)
    facts = {name: frame(spark, rows) for name, rows in workload.facts.items()}
    peer = contest.peer(spark, facts, contest.changing)
    _, built = timed(peer.build)
    turns, seconds = peer.turns, []
    for _ in range(effort.builds - 1):
        with Engine(workload.rules, spark=spark, partitions=PARTITIONS) as db:
            seconds.append(insert(db, facts)[1])
            _must_equal(db, peer, workload, "after a build")
    with Engine(workload.rules, spark=spark, partitions=PARTITIONS) as db:
        seconds.append(insert(db, facts)[1])
        _must_equal(db, peer, workload, "after a build")
        size = len(db[workload.view])
        out, into = _change(db, peer, workload, contest.changing, effort)
    values = (*pair("build", built.wall, seconds, BUILD), *out, *into)
    known = {"peer": peer.system, "facts": size, "turns": turns, "builds": len(seconds), "rows": effort.rows}
    yield Record("beside", workload.title, values, known)
    for rows in (*facts.values(), *peer.facts.values()):
        rows.unpersist()


def _change(db: Engine, peer: Peer, workload: Workload, name: str, effort: Effort) -> tuple[Pair, Pair]:
    """Rows out and in again: all of them with Tidelog, the first also with the peer."""
    first, *others = sampled(workload, name, effort.rows)
    out, into = [delete(db, {name: [first]})[1]], []
    _, peer_out = timed(lambda: peer.delete(first))
    _must_equal(db, peer, workload, f"without {first}")
    into.append(insert(db, {name: [first]})[1])
    _, peer_in = timed(lambda: peer.insert(first))
    _must_equal(db, peer, workload, f"with {first} again")
    for row in others:
        out.append(delete(db, {name: [row]})[1])
        into.append(insert(db, {name: [row]})[1])
    return pair("row out", peer_out.wall, out, CHANGE), pair("row in", peer_in.wall, into, CHANGE)


def pair(what: str, peer: float, own: list[float], target: Target) -> Pair:
    """The seconds that the peer and Tidelog need for the same, and how many times faster Tidelog is."""
    ours = median_of(f"{what}: Tidelog", own, "s", clock="wall")
    ratio = Value(f"{what}: ratio", peer / ours.value, "x", target=target, better="higher")
    return Value(f"{what}: peer", peer, "s", "wall"), ours, ratio


def sampled(workload: Workload, name: str, count: int) -> list[Row]:
    """Random rows of a relation as Python tuples."""
    return [tuple(row) for row in graphs.sample(workload.facts[name], count, seed=7).tolist()]


def _must_equal(db: Engine, peer: Peer, workload: Workload, when: str) -> None:
    nothing = Duration()
    ours = Outcome.of_rows("Tidelog", nothing, nothing, db[workload.view].to_numpy())
    theirs = Outcome.of_rows(peer.system, nothing, nothing, peer.rows())
    must_agree(ours, theirs, f"{workload.title}, {when}")


def _grid(quick: bool) -> Workload:
    """A grid whose loop of DataFrames ends within a minute: it takes a turn per step of the longest path."""
    squares = 3 if quick else 30
    return workloads.closure("grid", f"closure of the {squares} x {squares} grid", graphs.grid(squares))


def _rmat(quick: bool) -> Workload:
    bits, count = (6, 200) if quick else (10, 10_000)
    title = f"closure of R-MAT, {1 << bits:,} nodes, {count:,} edges"
    return workloads.closure("rmat", title, graphs.rmat(bits, count))


def _same_generation(quick: bool) -> Workload:
    depth = 4 if quick else 10
    facts = {"parent": graphs.tree(2, depth)}
    title = f"same generation, binary tree of depth {depth}"
    return Workload("same-generation", title, workloads.SAME_GENERATION, "same", facts, spark_loops.SAME_GENERATION_SQL)


CONTESTS: Mapping[str, Contest] = {
    "rmat": Contest(_rmat, "edge", spark_loops.Closure),
    "grid": Contest(_grid, "edge", spark_loops.Closure),
    "components": Contest(workloads.components, "edge", spark_loops.Components),
    "shortest": Contest(workloads.shortest_paths, "road", spark_loops.Shortest),
    "same-generation": Contest(_same_generation, "parent", spark_loops.SameGeneration),
}


def warm_up(spark: SparkSession) -> float:
    """Seconds until Spark's machine and the kernels are warm: every contest once with small data."""
    _, took = timed(lambda: [list(beside(contest, spark, Effort(True, 1, 2))) for contest in CONTESTS.values()])
    return took.wall
