"""Partitions that live in Spark: a session, a check of it, and one resident stage served by Arrow Flight.

Law: nothing here knows Datalog. A resident is made by a factory in each of the P tasks of a stage, is called by the
driver, and exchanges rows with the others directly. This folder is the only one that imports pyspark, and names are
imported when they are asked for: the errors can be caught where there is no Spark.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.spark.data_source import register
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
    "register": "tidelog.spark.data_source",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module `tidelog.spark` has no attribute `{name}`")
    return getattr(import_module(_HOMES.get(name, "tidelog.spark.errors")), name)
