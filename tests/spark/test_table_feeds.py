"""Views that are merged into tables: what is refused before anything is written. `tests/spark/outside` merges."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tidelog import Engine
from tidelog.errors import StateError

pytestmark = pytest.mark.spark


def test_merged_table_has_the_columns_of_the_view(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE narrow (a BIGINT) USING parquet")
    try:
        with Engine("p(X, Y) :- q(X, Y). q(1, 2).") as db:
            with pytest.raises(StateError, match=r"table narrow has the columns a, but the view has X, Y") as refused:
                db.write_feed("p", table="narrow", merge=True)
            assert refused.value.code == "TL5202"
            with pytest.raises(StateError, match=r"was not read: .*TABLE_OR_VIEW_NOT_FOUND"):
                db.write_feed("p", table="missing", merge=True)
    finally:
        spark.sql("DROP TABLE narrow")


def test_table_of_a_format_without_merge_is_refused_by_spark(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE parquet_pairs (X BIGINT, Y BIGINT) USING parquet")
    try:
        with Engine("p(X, Y) :- q(X, Y). q(1, 2).") as db, pytest.raises(StateError, match=r"was not written: .*MERGE"):
            db.write_feed("p", table="parquet_pairs", merge=True)
    finally:
        spark.sql("DROP TABLE parquet_pairs")
