"""Partitions in Spark: a session, a check of it, and one resident stage served by Arrow Flight.

Law: nothing here depends on Datalog. A factory creates a resident in each of the P tasks of a stage. The driver calls
residents, and they exchange rows with each other directly. This folder is the only one that imports pyspark, and names
are imported on first use, so that the errors can be caught without Spark.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.spark.data_source import register
    from tidelog.spark.errors import NoAnswer, PartitionLost, PreflightError, ResidentError, SparkError, StageError
    from tidelog.spark.iceberg import read_iceberg
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
    "read_iceberg",
    "register",
]

_HOMES = {
    "Endpoint": "tidelog.spark.resident.client",
    "Factory": "tidelog.spark.resident.resident",
    "Peer": "tidelog.spark.resident.client",
    "Resident": "tidelog.spark.resident.resident",
    "ResidentStage": "tidelog.spark.resident.stage",
    "local_session": "tidelog.spark.session.session",
    "open_session": "tidelog.spark.session.session",
    "preflight": "tidelog.spark.session.preflight",
    "read_iceberg": "tidelog.spark.iceberg",
    "register": "tidelog.spark.data_source",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module `tidelog.spark` has no attribute `{name}`")
    return getattr(import_module(_HOMES.get(name, "tidelog.spark.errors")), name)
