"""Records and algebraic values on Spark: the same cells on every partition, in DataFrames both ways."""

from __future__ import annotations

from pyspark.sql import Row, SparkSession

from tests.law.harness import Case, run
from tests.spark.pool import Pool, engines_in
from tidelog import Engine, Variant
from tidelog.program import Program

PROGRAM = """
.type Pair = [x: number, name: symbol]
.type List = [head: number, tail: List]
.type Shape = Circle {r: float} | Box {p: Pair} | Nothing {}
.decl made(n: number, name: symbol)
.decl pair(p: Pair)
.decl list(l: List)
.decl given(p: Pair)
.decl shape(s: Shape)
.decl both(p: Pair)
.decl total(n: number)
pair([n, name]) :- made(n, name).
shape($Box(p)) :- pair(p).
shape($Circle(1.5)), shape($Nothing) :- pair(_).
list([n, nil]) :- made(n, _).
list([n, [m, nil]]) :- list([n, nil]), list([m, nil]), n < m.
both(p) :- pair(p), given(p).
total(n) :- n = count : { shape($Box([_, _])) }.
"""


def test_structures_are_equal_on_all_partitions_and_come_back_as_structs(spark: SparkSession) -> None:
    with Engine(PROGRAM, spark=spark, partitions=2) as db:
        with db.epoch() as epoch:
            epoch.insert("made", [(n, f"name {n}") for n in range(6)])
            epoch.insert("given", spark.createDataFrame([Row(p=Row(x=2, name="name 2")), Row(p=Row(x=2, name="b"))]))
        assert set(db["both"]) == {((2, "name 2"),)}
        assert set(db["total"]) == {(6,)}
        assert len(db["list"]) == 6 + 15
        assert (Variant("Box", (3, "name 3")),) in db["shape"]
        frame = db["pair"].to_spark()
        assert sorted((r.p.x, r.p.name) for r in frame.collect()) == [(n, f"name {n}") for n in range(6)]
        assert {r.l for r in db["list"].to_spark().collect()} >= {"[0, nil]", "[0, [5, nil]]"}
        shapes = db["shape"].to_spark().collect()
        assert {r.s.constructor for r in shapes} == {"Circle", "Box", "Nothing"}
        assert {r.s.Box.p.name for r in shapes if r.s.constructor == "Box"} == {f"name {n}" for n in range(6)}
        with db.epoch() as epoch:
            epoch.delete("made", [(2, "name 2")])
        assert not set(db["both"])
        assert str(db.why("total(5)"))


def test_the_law_holds_for_structures_on_spark(spark: SparkSession) -> None:
    pool = Pool(spark)
    try:
        for seed in range(3):

            def make(program: Program) -> Engine:
                with engines_in(pool, 2, None):
                    return Engine(program, spark=spark, partitions=2)

            run(Case.random(seed, "structures"), make).close()
    finally:
        pool.close()
