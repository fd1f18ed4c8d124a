"""Another number of partitions: what it costs beside one pass over the state, and what it does to uneven relations.

Law: *one pass* is a snapshot of the state and opening it, in the same process, just before. The rows are the same
before and after. A state that is moved keeps its records; one that is built again is derived from scratch, which costs
a build; `repartition` reports which of the two it was. *Fullest* is the relation's share on the fullest partition
beside the mean, as `explain` reports it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.cases.catalogue import Case, Group
from benchmarks.cases.java import results
from benchmarks.data import java
from benchmarks.data.graphs import Cells, random_graph
from benchmarks.measure import checksum, timed
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Value, clocked
from benchmarks.subject import kernel_ready
from tidelog import Engine

LINEAR = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."
DOUBLING = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), reach(Y, Z)."
PROGRAMS = {"closure, linear": (LINEAR, 1_000), "closure, joined with itself": (DOUBLING, 300)}
NUMBERS = ((1, 2), (2, 3), (3, 8), (8, 1))
STAR, QUICK = 20_000, 300


def repartition(options: Options) -> Iterator[Record]:
    """States with one number of partitions get another."""
    for title, (rules, nodes) in PROGRAMS.items():
        edges = random_graph(30 if options.quick else nodes, 10 / nodes)
        for before, after in NUMBERS:
            yield moved(title, rules, edges, before, after)


def moved(title: str, rules: str, edges: Cells, before: int, after: int) -> Record:
    """One state, moved once."""
    with tempfile.TemporaryDirectory(prefix="tidelog-") as folder, Engine(rules, path=folder, partitions=before) as db:
        _, build = timed(lambda: _load(db, edges))
        _, snapshot = timed(db.snapshot)
        rows, facts = checksum(db["reach"].to_numpy()), db.fact_count
        db.close()
        opened, opening = timed(lambda: Engine(path=folder))
        with opened:
            told, move = timed(lambda: opened.repartition(after))
            if checksum(opened["reach"].to_numpy()) != rows:
                raise Disagreement(f"{title}, {before} to {after}: other rows on other partitions")
    values = (
        *clocked("build", [build]),
        *clocked("one pass", [snapshot + opening]),
        *clocked("repartition", [move]),
        Value("passes", move.cpu / (snapshot + opening).cpu, "x"),
    )
    facts_of = {"from": before, "to": after, "facts": facts, "told": told}
    return Record("repartition", f"{title}, {before} to {after}", values, facts_of)


def _load(db: Engine, edges: Cells) -> None:
    with db.epoch() as e:
        e.insert("edge", edges)


def star(options: Options) -> Iterator[Record]:
    """A node from which half of all paths begin; the same edges before and after relations are placed again."""
    leaves = QUICK if options.quick else STAR
    spokes = np.arange(1, leaves, dtype=np.int64)
    edges = np.concatenate([np.stack([0 * spokes, spokes], 1), np.stack([spokes, leaves + spokes % 7], 1)])
    with (
        tempfile.TemporaryDirectory(prefix="tidelog-") as folder,
        Engine(LINEAR, path=Path(folder), partitions=4) as db,
    ):
        _load(db, edges)
        before, rows = fullest(db), len(db["reach"])
        told = db.repartition(4)
        values = (Value("before", before, "x the mean"), Value("after", fullest(db), "x the mean"))
        yield Record("star", f"a star of {leaves:,} edges", values, {"facts": rows, "told": told})


def java_program(options: Options) -> Iterator[Record]:
    """The relations of the Java analysis, as placed after a build and after they are placed again."""
    assert options.java is not None, "chosen only when it is given"
    with (
        tempfile.TemporaryDirectory(prefix="tidelog-") as folder,
        Engine(java.PROGRAM.read_text("utf-8"), path=Path(folder), partitions=4) as db,
    ):
        with db.epoch() as e:
            for name, rows in java.read_facts(options.java.resolve(), quick=options.quick).items():
                e.insert(name, rows)
        before, rows, uneven = fullest(db), results(db), _uneven(db)
        told, move = timed(lambda: db.repartition(4))
        if results(db) != rows:
            raise Disagreement("the Java analysis has other rows on other partitions")
        values = (Value("before", before, "x the mean"), Value("after", fullest(db), "x the mean"))
        facts = {"facts": db.fact_count, "told": f"{uneven} uneven relations before, {_uneven(db)} after; {told}"}
        yield Record("star", "the Java analysis", (*values, *clocked("repartition", [move])), facts)


def _uneven(db: Engine) -> int:
    return str(db.explain()).count("x the mean")


def fullest(db: Engine) -> float:
    """How much the fullest partition holds of the most uneven relation; 1 where nothing is reported."""
    found = re.findall(r"fullest partition has ([\d.]+) x the mean", str(db.explain()))
    return max(map(float, found), default=1.0)


GROUP = Group(
    {
        "repartition": Case("states that get another number of partitions, beside one pass over them", repartition),
        "star": Case("a star whose centre begins half of all paths, placed anew", star),
        "java": Case("the Java analysis, its uneven relations placed anew", java_program, needs="java"),
    },
    kernel_ready,
)
