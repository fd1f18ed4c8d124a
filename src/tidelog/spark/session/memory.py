"""The memory of partitions, compared with what Spark reserves for it.

Law: partitions are Python processes outside the executor's heap, so that Spark does not see their memory. If the
session sets a budget for each (`spark.tidelog.memory`), YARN and Kubernetes must reserve the budgets of all partitions
that can run on one executor, and a partition that reaches its budget refuses the epoch while it can still be undone. A
limit that Spark sets for Python processes must leave a partition the addresses that it needs before its first fact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tidelog.spark.session.session_failures import MEMORY_SETTING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUDGET = "spark.tidelog.memory"
PYSPARK = "spark.executor.pyspark.memory"
OVERHEAD = "spark.executor.memoryOverhead"
MASTER = "spark.master"
MIB = 1 << 20
LEAST_ADDRESSES = 4096 * MIB  # of a process: numba, Arrow and Flight reserve half of it before the first fact
LEAST_OVERHEAD, OVERHEAD_SHARE, HEAP = 384 * MIB, "0.1", "1g"  # Spark's defaults
SIZE = re.compile(r"(\d+)([kmgt]?)b?$")
POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
Get = Callable[[str, str], str]  # a setting, or a default


def size_of(name: str, text: str, unit: int = 1) -> int:
    """The bytes of a setting; without a unit, a number of ``unit``.

    >>> size_of("spark.executor.memory", "2g"), size_of("spark.executor.memoryOverhead", "512", MIB)
    (2147483648, 536870912)
    """
    found = SIZE.match(text.strip().lower())
    if found is None or int(found[1]) == 0:
        raise MEMORY_SETTING.error(setting=name, value=text)
    return int(found[1]) * (1024 ** POWERS[found[2]] if found[2] else unit)


def memory_problems(get: Get) -> Iterator[str]:
    """What the settings of a session do not leave for partitions; ``get`` returns a setting or the default."""
    cores, cpus = int(get("spark.executor.cores", "1") or 1), int(get("spark.task.cpus", "1") or 1)
    residents = max(1, cores // max(1, cpus))
    python = get(PYSPARK, "")
    limit = size_of(PYSPARK, python, MIB) if python else 0
    if limit and limit // cores < LEAST_ADDRESSES:
        least = LEAST_ADDRESSES * cores // MIB
        advice = f"leave it unset, or at least {least}m"
        yield f"{PYSPARK}={python}: Spark limits the addresses of each Python process; {advice}"
    budget = get(BUDGET, "")
    if not budget or not get(MASTER, "").startswith(("yarn", "k8s")):
        return
    needed = size_of(BUDGET, budget) * residents
    if needed > (reserved := _overhead(get) + limit):
        yield (
            f"{BUDGET}={budget}: {residents} partitions on an executor may use {needed // MIB}m, but only "
            f"{reserved // MIB}m are reserved outside its heap; set {OVERHEAD}={needed // MIB}m"
        )


def _overhead(get: Get) -> int:
    """What is reserved for an executor outside its heap."""
    stated = get(OVERHEAD, "")
    if stated:
        return size_of(OVERHEAD, stated, MIB)
    heap = size_of("spark.executor.memory", get("spark.executor.memory", HEAP), MIB)
    share = float(get("spark.executor.memoryOverheadFactor", OVERHEAD_SHARE))
    return max(LEAST_OVERHEAD, int(heap * share))


def read_budget(spark: SparkSession) -> int | None:
    """The bytes that each partition may use, if the session limits them."""
    text = str(spark.conf.get(BUDGET, ""))
    return size_of(BUDGET, text) if text.strip() else None
