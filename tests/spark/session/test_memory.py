"""The memory of partitions: what Spark reserves, what a session allows, and an epoch that would exceed it."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.spark.session.test_preflight import Pretending
from tidelog import Engine
from tidelog.errors import LimitError
from tidelog.spark import PreflightError
from tidelog.spark.budget import left_of
from tidelog.spark.session.advice import advise
from tidelog.spark.session.memory import MIB, memory_problems, read_budget, size_of
from tidelog.spark.session.preflight import preflight

pytestmark = pytest.mark.spark
YARN = {"spark.master": "yarn", "spark.executor.cores": "4", "spark.task.cpus": "2", "spark.tidelog.memory": "2g"}


def problems(settings: dict[str, str]) -> list[str]:
    return list(memory_problems(lambda name, default: settings.get(name, default)))


@pytest.mark.parametrize(
    ("text", "unit", "size"),
    [("2g", 1, 2048 * MIB), ("2GB", 1, 2048 * MIB), ("300", MIB, 300 * MIB), ("64", 1, 64), (" 1t ", 1, 1 << 40)],
)
def test_sizes_are_those_of_spark(text: str, unit: int, size: int) -> None:
    assert size_of("spark.tidelog.memory", text, unit) == size
    for wrong in ("", "0", "2 g", "-1g", "much", "1.5g"):
        with pytest.raises(PreflightError, match=r"`spark\.tidelog\.memory` is '.*': it must be a size") as refused:
            size_of("spark.tidelog.memory", wrong)
        assert refused.value.code == "TL6077"


def test_budgets_of_all_partitions_of_an_executor_must_be_reserved() -> None:
    (problem,) = problems(YARN)  # two partitions, and Spark's least overhead
    assert problem == (
        "spark.tidelog.memory=2g: 2 partitions on an executor may use 4096m, but only 384m are reserved outside its "
        "heap; set spark.executor.memoryOverhead=4096m"
    )
    assert problems({**YARN, "spark.executor.memoryOverhead": "4096"}) == []
    assert problems({**YARN, "spark.executor.memory": "40g"}) == []
    assert len(problems({**YARN, "spark.executor.memory": "40g", "spark.executor.memoryOverheadFactor": "0.05"})) == 1
    assert problems({**YARN, "spark.executor.pyspark.memory": "32g"}) == []
    assert problems({**YARN, "spark.master": "spark://head:7077"}) == []  # its workers reserve no overhead
    assert problem in advise({**YARN, "spark.executor.instances": "4", "spark.archives": "e"}, 3, "s3://b/s")


def test_limit_of_addresses_is_shared_by_the_cores() -> None:
    limited = {"spark.executor.pyspark.memory": "6g"}
    assert problems(limited) == []
    (problem,) = problems({**limited, "spark.executor.cores": "2"})
    assert "leave it unset, or at least 8192m" in problem


def test_session_that_leaves_partitions_no_memory_is_refused(spark: SparkSession) -> None:
    pretending: Any = Pretending(spark, {"spark.executor.pyspark.memory": "2g"})
    with pytest.raises(PreflightError, match=r"spark\.executor\.pyspark\.memory=2g: .* at least 4096m") as refused:
        preflight(pretending, 1)
    assert refused.value.code == "TL6078"


def test_budget_counts_if_it_is_smaller_than_what_the_machine_has() -> None:
    assert left_of(None) is not None
    assert left_of(100, lambda: 40) == 60
    assert left_of(1 << 60, lambda: 0) == pytest.approx(left_of(None), rel=0.2)
    assert left_of(100, lambda: None) == pytest.approx(left_of(None), rel=0.2)


def test_epoch_that_exceeds_the_budget_of_its_partition_is_undone(spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("spark.tidelog.memory", "600m")
    assert read_budget(session) == 600 * MIB
    with Engine("pair(X, Y) :- n(X), n(Y).", spark=session, partitions=1) as db:
        with db.epoch() as epoch:
            epoch.insert("n", [(n,) for n in range(100)])
        with pytest.raises(LimitError) as refused, db.epoch() as epoch:
            epoch.insert("n", [(n,) for n in range(100, 6000)])
        assert refused.value.code == "TL3170"
        assert len(db["pair"]) == 10_000
