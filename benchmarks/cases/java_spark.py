"""The analysis of a whole Java program on Spark, with two resident partitions.

Law: Spark reads the files; a build is timed from the first row read to the committed epoch. The result must be the one
that an embedded engine builds, text by text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.apart import call_apart
from benchmarks.cases.java import BUILD, must_agree, pair, results
from benchmarks.cases.spark import session
from benchmarks.cases.spark_beside import PARTITIONS, delete, insert
from benchmarks.data import java
from benchmarks.measure import percentile, timed
from benchmarks.options import Options
from benchmarks.record import HEADLINE, Record, Target, Value, median_of
from tidelog import Engine

WITHIN = Target(2 * BUILD.limit)
SINGLES = 10


def analysis(options: Options) -> Iterator[Record]:
    """A build, and statements that change one by one."""
    assert options.java is not None, "chosen only when it is given"
    folder = options.java.resolve()
    with session(options) as prepared, Engine(text(), spark=prepared.session, partitions=PARTITIONS) as db:
        frames = read_frames(prepared.session, folder, quick=options.quick)
        (epoch, _), whole = timed(lambda: insert(db, frames))
        built = results(db)
        chosen = java.drawn(java.statements(java.read_facts(folder, quick=options.quick)), SINGLES, 51)
        each = [1e3 * change(db, {name: [row]})[1] for name, row in chosen for change in (delete, insert)]
        must_agree({"built": built}, {"built": results(db)}, "built", "first", "after all changes")
        memory = db.memory / 1e9
    alone = call_apart("benchmarks.cases.java_spark:embedded", folder=str(folder), quick=options.quick)
    must_agree({"built": built}, alone, "built", "Spark", "embedded")
    statistics = epoch.statistics
    facts = {
        "supports": sum(statistics.supports.values()), "messages": statistics.messages, "rounds": statistics.exchanges,
    }  # fmt: skip
    where = f"Spark, {PARTITIONS} partitions"
    headline = Value(HEADLINE, whole.wall, "s", "wall", target=WITHIN)
    yield Record("java-spark", f"build, reading included, {where}", (headline, Value("memory", memory, "GB")), facts)
    single = median_of(HEADLINE, each, "ms", clock="wall"), Value("95 % below", percentile(each, 0.95), "ms", "wall")
    yield Record("java-spark", f"one statement out or in, median, {where}", single, {"statements": SINGLES})


def text() -> str:
    """The program."""
    return java.PROGRAM.read_text("utf-8")


def read_frames(spark: Any, folder: Path, *, quick: bool) -> dict[str, Any]:
    """A DataFrame per relation: read by Spark, or made of the cut of a quick run."""
    given = java.base_relations(java.program())
    if quick:
        return {name: _made(spark, table) for name, table in java.read_facts(folder, quick=True).items()}
    return {name: _read(spark, java.file_of(folder, name), declared) for name, declared in given.items()}


def _schema(columns: Any) -> str:
    return ", ".join(f"`{c.name}` {'long' if c.type == 'number' else 'string'}" for c in columns)


def _read(spark: Any, path: Path, declared: Any) -> Any:
    reader = spark.read.option("sep", "\t").option("quote", "").option("escape", "\0").option("mode", "FAILFAST")
    return reader.schema(_schema(declared.columns)).csv(str(path))


def _made(spark: Any, table: Any) -> Any:
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    types = ", ".join(f"`{f.name}` {'long' if str(f.type) == 'int64' else 'string'}" for f in table.schema)
    return spark.createDataFrame(rows, types)


def embedded(folder: str, quick: bool) -> dict[str, Any]:
    """The same in this process, without Spark."""
    with Engine(text()) as db:
        _, took = timed(lambda: insert(db, java.read_facts(Path(folder), quick=quick)))
        return {"built": results(db), "build": pair(took)}
