"""Partitions that live in Spark: a session, a check of it, and one resident stage served by Arrow Flight.

Law: nothing here knows Datalog. A resident is made by a factory in each of P barrier tasks, is called by the driver,
and exchanges rows with the others directly. This folder and `io/spark` are the only ones that import pyspark.
"""

from tidelog.runtime.spark.client import Endpoint, Peer
from tidelog.runtime.spark.errors import (
    NoAnswer,
    PartitionLost,
    PreflightError,
    ResidentError,
    SparkError,
    StageError,
)
from tidelog.runtime.spark.preflight import preflight
from tidelog.runtime.spark.resident import Factory, Resident
from tidelog.runtime.spark.session import local_session, open_session
from tidelog.runtime.spark.stage import ResidentStage

__all__ = [
    "Endpoint",
    "Factory",
    "NoAnswer",
    "PartitionLost",
    "Peer",
    "PreflightError",
    "Resident",
    "ResidentError",
    "ResidentStage",
    "SparkError",
    "StageError",
    "local_session",
    "open_session",
    "preflight",
]
