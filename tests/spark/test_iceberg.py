"""Changes of Iceberg tables: what is refused without Iceberg. `tests/spark/outside` reads tables."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tidelog import Engine
from tidelog.errors import StateError
from tidelog.spark import read_iceberg

pytestmark = pytest.mark.spark


def test_changes_that_cannot_be_read_change_nothing(spark: SparkSession) -> None:
    with Engine("p(X) :- q(X).") as db:
        with pytest.raises(
            StateError, match=r"the changes of table lake.db.q since snapshot None were not read"
        ) as refused:
            read_iceberg(spark, db, "lake.db.q", "q")
        assert refused.value.code == "TL5204"
        assert db.epoch_number == 1
