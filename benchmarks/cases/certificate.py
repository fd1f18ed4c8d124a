"""What a certificate costs beside a build: transitive closures, and LUBM-1 under RDFS if its path is given.

Law: both speak of the same state; reading the state out of the engine counts as part of the certificate. The Python
checker runs on the smaller graph and on LUBM-1, Spark SQL on the larger one, in a session that is started before.
Run as ``python -m benchmarks.certificate``; prints a table, and with ``--write`` keeps it in benchmarks/results.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.graphs import random_graph
from benchmarks.lubm import read_triples, text_rules
from tidelog import Engine
from tidelog.verify import Certificate

RESULTS = Path(__file__).parent / "results" / "certificate.md"
CLOSURE = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- edge(X, Y), reach(Y, Z)."
SMALL, LARGE, QUICK = 400, 1_000, 60
DEGREE = 10


@dataclass(frozen=True, slots=True)
class Cost:
    """A build and its certificate."""

    name: str
    build: float
    certificate: Certificate
    wall: float

    def row(self) -> str:
        """The line of the table."""
        c = self.certificate
        size = f"{self.name} | {c.facts:,} | {c.supports:,}"
        return f"| {size} | {self.build:.2f} | {c.checker} | {self.wall:.2f} | {self.wall / self.build:.1f} |"


def closure(nodes: int) -> tuple[Engine, float]:
    """The closure of a random graph, and the seconds of its build."""
    edges = random_graph(nodes, DEGREE / nodes)
    db = Engine(CLOSURE)
    return db, _seconds(lambda: _insert(db, "edge", pa.table([edges[:, 0], edges[:, 1]], names=["c1", "c2"])))


def lubm(path: Path, limit: int | None) -> tuple[Engine, float]:
    """LUBM-1 under the rules of RDFS, and the seconds of its build."""
    columns = list(zip(*read_triples(path, limit), strict=True))
    db = Engine(text_rules())
    return db, _seconds(lambda: _insert(db, "t", pa.table([pa.array(c) for c in columns], names=["c1", "c2", "c3"])))


def _insert(db: Engine, name: str, rows: pa.Table) -> None:
    with db.epoch() as epoch:
        epoch.insert(name, rows)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def certified(name: str, built: tuple[Engine, float], spark: Any = None) -> Cost:
    """The cost of the certificate of an engine; a violation ends the benchmark."""
    db, build = built
    began = time.perf_counter()
    verdict = db.verify(spark)
    wall = time.perf_counter() - began
    if not isinstance(verdict, Certificate):
        raise SystemExit(f"{name}: {verdict}")
    return Cost(name, build, verdict, wall)


def costs(quick: bool, data: Path | None, with_spark: bool) -> Iterator[Cost]:
    """All of them."""
    closure(QUICK)  # compiles the kernel
    small, large = (QUICK, QUICK) if quick else (SMALL, LARGE)
    yield certified(f"closure of {small} nodes", closure(small))
    if data is not None:
        yield certified("LUBM-1 under RDFS", lubm(data, 5_000 if quick else None))
    if with_spark:
        from tidelog.runtime.spark import local_session  # slow to import, and needs Java

        with local_session(2, memory="2g") as spark:
            certified("first use", closure(QUICK), spark)
            yield certified(f"closure of {large} nodes", closure(large), spark)


def table(found: list[Cost]) -> str:
    """The results as a page."""
    head = "| state | facts | supports | build (s) | checker | certificate (s) | beside the build |"
    return "\n".join(["# Cost of a certificate", "", head, "|---" * 7 + "|", *(cost.row() for cost in found), ""])


def main() -> None:
    """Measure, print, and write if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--data", type=Path, help="the N-Triples file of LUBM-1")
    parser.add_argument("--no-spark", action="store_true", help="the Python checker only")
    parser.add_argument("--write", action="store_true", help=f"write the table to {RESULTS.name}")
    options = parser.parse_args()
    page = table(list(costs(options.quick, options.data, not options.no_spark)))
    print(page)
    if options.write:
        RESULTS.write_text(page)


if __name__ == "__main__":
    main()
