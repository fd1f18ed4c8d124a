"""Few rows of whole numbers pass through the driver, and are what the projection gives; all others go its way."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tidelog import Engine
from tidelog.errors import DataError
from tidelog.spark.rows import plain
from tidelog.spark.rows.encode import encode
from tidelog.spark.rows.plain import few_rows
from tidelog.spark.rows.tables import BAD, SIGN, cell_names
from tidelog.spark.session.access import access

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KINDS = {"byte": 7, "short": 15, "int": 31, "long": 63}
LOCAL = "SELECT * FROM VALUES {} AS t({})"  # rows whose size Catalyst knows


def local(spark: SparkSession, rows: list[tuple[int, ...]], kinds: tuple[str, ...]) -> DataFrame:
    names = ", ".join(f"f{i}" for i in range(len(kinds)))
    values = ", ".join(f"({', '.join(f'CAST({c} AS {k})' for c, k in zip(r, kinds, strict=True))})" for r in rows)
    return spark.sql(LOCAL.format(values, names))


def sorted_rows(parts: list[tuple[int, np.ndarray]]) -> list[tuple[int, ...]]:
    return sorted((sign, *row) for sign, rows in parts for row in rows.tolist())


@pytest.mark.parametrize("seed", range(3))
def test_few_rows_are_those_of_the_projection(spark: SparkSession, seed: int) -> None:
    rng = Random(seed)
    kinds = tuple(rng.choice(list(KINDS)) for _ in range(rng.randint(1, 3)))
    rows = [tuple(rng.randint(-(1 << KINDS[k]) + 1, (1 << KINDS[k]) - 1) for k in kinds) for _ in range(20)]
    signed = local(spark, [(*row, rng.choice((1, -1))) for row in rows], (*kinds, "int"))
    change = f"f{len(kinds)}"
    found = encode(signed, "r", tuple(f"f{i}" for i in range(len(kinds)))[::-1], None, change=change)
    assert found.plain is not None
    taken = few_rows(signed, found.plain)
    assert taken is not None
    output = [
        (r[SIGN], *(r[name] for name in cell_names(len(kinds)))) for r in found.frame.where(f"{BAD} IS NULL").collect()
    ]
    assert sorted_rows(taken) == sorted(output)


def test_rows_that_need_more_than_a_copy_go_the_other_way(spark: SparkSession) -> None:
    assert encode(local(spark, [(1,)], ("double",)), "r", None, None).plain is None
    assert encode(local(spark, [(1,)], ("string",)), "r", None, None).plain is None
    assert encode(local(spark, [(1,)], ("int",)), "r", None, ("float",)).plain is None
    nulls = spark.sql("SELECT * FROM VALUES (1), (NULL) AS t(a)")
    found = encode(nulls, "r", None, None)
    assert found.plain is not None
    assert few_rows(nulls, found.plain) is None
    odd = local(spark, [(1, 2)], ("int", "int"))
    found = encode(odd, "r", None, None, change="f1")
    assert found.plain is not None
    assert few_rows(odd, found.plain) is None


def test_rows_that_are_not_few_are_not_taken(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = spark.range(10)
    found = encode(rows, "r", None, None)
    assert found.plain is not None
    assert few_rows(rows, found.plain) is not None
    monkeypatch.setattr(plain, "FEW", 79)
    assert few_rows(rows, found.plain) is None


def test_rows_that_catalyst_takes_for_few_are_counted(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    made = spark.range(0, 10, 1, 2).selectExpr("id AS a", "explode(sequence(1, 30)) AS b")
    found = encode(made, "r", None, None)
    assert found.plain is not None
    assert access(spark).estimated_size(made) < 300 * 16  # a generator is taken for one row
    assert len(few_rows(made, found.plain)[0][1]) == 300
    monkeypatch.setattr(plain, "FEW", 299 * 16)
    assert few_rows(made, found.plain) is None
    with Engine("q(A) :- t(A, B), B > 29.", spark=spark, partitions=1) as db:
        with db.epoch() as epoch:
            epoch.insert("t", made)
        assert len(db["t"]) == 300
        assert sorted(db["q"]) == [(a,) for a in range(10)]


def test_no_more_than_few_rows_reach_the_driver(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    collect = type(spark.range(1)).toArrow

    def counted(df: DataFrame) -> object:
        table = collect(df)
        read.append(table.num_rows)
        return table

    monkeypatch.setattr(type(spark.range(1)), "toArrow", counted)
    monkeypatch.setattr(plain, "FEW", 1600)
    made = spark.range(0, 10, 1, 2).selectExpr("id AS a", "explode(sequence(1, 5000)) AS b")
    found = encode(made, "r", None, None)
    assert found.plain is not None
    assert few_rows(made, found.plain) is None
    assert read == [101]


def test_few_and_many_rows_of_one_epoch_are_summed(spark: SparkSession) -> None:
    few, many = spark.range(3), spark.createDataFrame([(1,), (7,)], "id long")
    with Engine("b(X) :- a(X).", spark=spark, partitions=2) as db:
        with db.epoch() as epoch:
            epoch.insert("a", few)
            epoch.insert("a", [(5,)])
            epoch.delete("a", many)
        assert sorted(db["b"]) == [(0,), (2,), (5,)]
        nulls = spark.sql("SELECT * FROM VALUES (1), (NULL) AS t(a)")
        with pytest.raises(DataError, match="1 row does not fit"), db.epoch() as epoch:
            epoch.insert("a", nulls)
        failing = spark.range(3).selectExpr("IF(id = 1, CAST(raise_error('gone') AS BIGINT), id) AS id")
        with pytest.raises(DataError, match="gone"), db.epoch() as epoch:
            epoch.insert("a", failing)
        assert sorted(db["b"]) == [(0,), (2,), (5,)]
