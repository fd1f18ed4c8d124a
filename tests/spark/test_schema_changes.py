"""Columns of relations change in an engine on Spark, with a state folder and without."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.engine.test_schema_changes import AFTER, BEFORE, COLUMNS, MAPPED
from tidelog import Engine, ProgramError


# A state folder changes nothing of what comes before it is opened again.
@pytest.mark.parametrize("lasting", [True, pytest.param(False, marks=pytest.mark.long)])
def test_columns_change_on_spark(spark: SparkSession, tmp_path: Path, lasting: bool) -> None:
    path = tmp_path / "s" if lasting else None
    with Engine(BEFORE, path=path, spark=spark, partitions=2) as db:
        rows = spark.createDataFrame([("ann", "lee", 30), ("bob", "ray", 3)], "first string, last string, age long")
        with db.epoch() as e:
            e.insert("person", rows)
        with pytest.raises(ProgramError):
            db.epoch_to(AFTER.replace("person(n, a, c)", "person(n, a)"), COLUMNS)[0].commit()
        assert (len(db["person"]), sorted(db["adult"])) == (3, [("ann",), ("eve",)])
        epoch, _ = db.epoch_to(AFTER, COLUMNS)
        db.preview(epoch)
        epoch.commit()
        assert sorted(db["person"]) == MAPPED
        assert sorted(db["adult"]) == [("ann lee", "none"), ("eve text", "home")]
        with db.epoch() as e:
            e.insert("person", spark.createDataFrame([("cy", 50.0, "rome")], "name string, age double, city string"))
            e.delete("person", [("ann lee", 30.0, "none")])
        assert sorted(db["adult"]) == [("cy", "rome"), ("eve text", "home")]
        assert db.verify()
    if path is not None:
        with Engine(path=path, spark=spark) as db:
            assert sorted(db["adult"]) == [("cy", "rome"), ("eve text", "home")]
        with Engine(path=path, at=2) as db:
            assert sorted(db["adult"]) == [("ann",), ("eve",)]
