"""How long driver and partitions wait for each other, as settings of the session.

Law: a number of seconds greater than zero, or the default; anything else is refused, and the setting is named.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from tidelog.spark.session.session_failures import TIMEOUT_SETTING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

START = "spark.tidelog.startTimeout"  # until all partitions have started
HEARTBEAT = "spark.tidelog.heartbeatTimeout"  # until a silent partition is considered lost
DRIVER = "spark.tidelog.driverTimeout"  # until a partition whose driver is gone ends
VIEW_AGE = "spark.tidelog.viewAge"  # until the files behind a DataFrame of a view are removed
PATIENCE, SILENCE, SLOWEST_START, EACH_START = 10.0, 30.0, 120.0, 4.0


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds."""

    start: float
    heartbeat: float = SILENCE
    driver: float = PATIENCE


def read_timeouts(spark: SparkSession, partitions: int) -> Timeouts:
    """The values from the session's settings."""
    start = _seconds(spark, START, max(SLOWEST_START, EACH_START * partitions))
    return Timeouts(start, _seconds(spark, HEARTBEAT, SILENCE), _seconds(spark, DRIVER, PATIENCE))


def read_view_age(spark: SparkSession) -> float | None:
    """How long the files behind DataFrames of views are kept, if the session limits it."""
    return _seconds(spark, VIEW_AGE, 0.0) or None


def _seconds(spark: SparkSession, name: str, default: float) -> float:
    text = str(spark.conf.get(name, "")).strip()
    if not text:
        return default
    try:
        found = float(text.removesuffix("s"))
    except ValueError:
        found = 0.0
    if found <= 0 or not isfinite(found):
        raise TIMEOUT_SETTING.error(setting=name, value=text)
    return found
