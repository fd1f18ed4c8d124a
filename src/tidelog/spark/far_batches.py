"""Micro-batches of Spark Connect: the function of `foreachBatch` runs in a process next to the server, the engine here.

Law: that process reports each batch to this one and waits; here the batch is a DataFrame of the session that it belongs
to, and is processed as on a classic session. An error of the engine ends the query, as there. Only calls with the token
of this process are answered.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidelog.spark.resident.client import DRIVER, Descriptor, Endpoint
from tidelog.spark.resident.credentials import new_credentials
from tidelog.spark.resident.resident_failures import NO_DELIVERY, NO_FETCH
from tidelog.spark.resident.server import Server
from tidelog.spark.resident.wire import CALL, LOOPBACK
from tidelog.spark.session.access import access
from tidelog.spark.session.connect import other_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Take = Callable[["DataFrame", int], None]


@dataclass(frozen=True, slots=True)
class FarBatches:
    """The function that Spark calls with a batch; a value that is sent to the server."""

    endpoint: Endpoint
    key: str

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Pass a batch to the engine, and wait until it has been processed."""
        given: Any = batch  # DataFrames of Connect know their session and their plan
        session_id, relation_id = given.sparkSession.session_id, given._plan._relation_id
        self.endpoint.open().call(self.key, (session_id, relation_id, number))


class BatchEndpoint:
    """Receives batches until this process ends; queries may outlive the code that started them."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._takes: dict[str, Take] = {}
        bind, host = access(spark).addresses(LOOPBACK)
        own, others = new_credentials(tls=True)
        self._server = Server(DRIVER, bind, own, {CALL: self.call}, self)
        self._endpoint = replace(self._server.endpoint, host=host, credentials=others)

    def add(self, take: Take) -> FarBatches:
        """Register a function for the batches of another stream."""
        key = uuid.uuid4().hex
        self._takes[key] = take
        return FarBatches(self._endpoint, key)

    def call(self, key: str, args: tuple[str, str, int]) -> None:
        """Process a batch that arrived."""
        session_id, relation_id, number = args
        with other_session(self._spark, session_id) as session:
            self._takes[key](session._create_remote_dataframe(relation_id), number)

    def deliver(self, descriptor: Descriptor, table: pa.Table) -> None:
        """Not supported: rows are delivered to partitions."""
        raise NO_DELIVERY.error()

    def fetch(self, descriptor: Descriptor) -> pa.Table:
        """Not supported: rows are fetched from partitions."""
        raise NO_FETCH.error()


_ENDPOINTS: dict[int, BatchEndpoint] = {}  # by session


def far_batches(spark: SparkSession, take: Take) -> FarBatches:
    """The function of `foreachBatch` whose batches are processed by ``take``."""
    if id(spark) not in _ENDPOINTS:
        _ENDPOINTS[id(spark)] = BatchEndpoint(spark)
    return _ENDPOINTS[id(spark)].add(take)
