"""Partitions that live in Spark: a session, a check of it, and one resident stage served by Arrow Flight.

Law: nothing here knows Datalog. A resident is made by a factory in each of P barrier tasks, is called by the driver,
and exchanges rows with the others directly. Only this package imports pyspark, and only once Spark is asked for.
"""

from tidelog.spark.errors import NoAnswer, PartitionLost, PreflightError, ResidentError, SparkError, StageError
from tidelog.spark.resident.client import Endpoint, Peer
from tidelog.spark.resident.resident import Factory, Resident
from tidelog.spark.resident.stage import ResidentStage
from tidelog.spark.session.preflight import preflight
from tidelog.spark.session.session import local_session, open_session

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
