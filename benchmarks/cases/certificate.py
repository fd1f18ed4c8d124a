"""What a certificate costs beside a build: transitive closures, and LUBM-1 under RDFS if its path is given.

Law: both speak of the same state; reading the state out of the engine counts as part of the certificate. The Python
checker runs on the smaller graph and on LUBM-1, Spark SQL on the larger one, in a session that is started before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.graphs import random_graph
from benchmarks.data.lubm import QUICK as QUICK_TRIPLES
from benchmarks.data.lubm import arrow, read_triples, text_rules
from benchmarks.data.workloads import CLOSURE
from benchmarks.inner import local_session
from benchmarks.measure import Duration, timed
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Value, clocked
from benchmarks.subject import kernel_ready
from tidelog import Engine
from tidelog.verify import Certificate

SMALL, LARGE, QUICK = 400, 1_000, 60
DEGREE = 10


def closure(nodes: int) -> tuple[Engine, Duration]:
    """The closure of a random graph, and the time of its build."""
    edges = random_graph(nodes, DEGREE / nodes)
    return loaded(CLOSURE, "edge", pa.table([edges[:, 0], edges[:, 1]], names=["c1", "c2"]))


def loaded(rules: str, relation: str, rows: pa.Table) -> tuple[Engine, Duration]:
    """An engine with some facts, and the time of the epoch."""
    db = Engine(rules)

    def insert() -> None:
        with db.epoch() as epoch:
            epoch.insert(relation, rows)

    return db, timed(insert)[1]


def certified(title: str, built: tuple[Engine, Duration], spark: Any = None) -> Record:
    """The cost of the certificate of an engine; a violation ends the benchmark."""
    db, build = built
    verdict, took = timed(lambda: db.verify(spark))
    if not isinstance(verdict, Certificate):
        raise Disagreement(f"{title}: {verdict}")
    ratio = Value("beside the build", took.wall / build.wall, "x")
    values = (*clocked("build", [build]), *clocked("certificate", [took]), ratio)
    return Record("certificate", title, values, {
        "facts": verdict.facts, "supports": verdict.supports, "checker": verdict.checker,
    })  # fmt: skip


def by_python(options: Options) -> Iterator[Record]:
    """The Python checker on a closure."""
    nodes = QUICK if options.quick else SMALL
    yield certified(f"closure of {nodes} nodes", closure(nodes))


def of_lubm(options: Options) -> Iterator[Record]:
    """The Python checker on LUBM-1."""
    assert options.data is not None, "chosen only when it is given"
    triples = read_triples(options.data, QUICK_TRIPLES if options.quick else None)
    yield certified("LUBM-1 under RDFS", loaded(text_rules(), "t", arrow(triples)))


def by_spark(options: Options) -> Iterator[Record]:
    """Spark SQL on a larger closure; the session is warm."""
    nodes = QUICK if options.quick else LARGE
    with local_session(2, memory="2g") as spark:
        certified("first use", closure(QUICK), spark)
        yield certified(f"closure of {nodes} nodes, on Spark", closure(nodes), spark)


GROUP = Group(
    {
        "closure": Case("a closure, checked in Python", by_python),
        "lubm": Case("LUBM-1 under RDFS, checked in Python", of_lubm, needs="data"),
        "spark": Case("a larger closure, checked by Spark SQL", by_spark, needs="spark"),
    },
    kernel_ready,
)
