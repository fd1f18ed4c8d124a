"""Which runtime an engine gets: one partition in this process, several in it, or partitions resident on Spark.

Law: one embedded partition writes its epochs into the state folder itself; several, and any on Spark, keep a piece each
(`store.piece`). On Spark the pieces are also what lost partitions are restored from.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.errors import EngineError
from tidelog.partition.dictionary import Dictionary
from tidelog.plan.planner import Runtime
from tidelog.program.functions import Function, Functions
from tidelog.runtime.coordinator import Coordinator
from tidelog.runtime.embedded import EmbeddedRuntime
from tidelog.runtime.kept_desk import KeptDesk
from tidelog.runtime.local import LocalHosts
from tidelog.store.durable import Durable
from tidelog.store.fleeting import fleeting_store
from tidelog.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_PARTITIONS = 1 << 12


@dataclass(slots=True)
class Home:
    """A runtime with its state folder; on Spark there always is one, if need be for as long as the engine lives."""

    runtime: Runtime
    durable: Durable | None
    folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def lasting(self) -> str | None:
        """The state folder, if it outlives the engine."""
        return None if self.folder is not None or self.durable is None else self.durable.store.name

    def close(self) -> None:
        """End the partitions, let another writer in, and remove what nobody asked to keep."""
        try:
            self.runtime.close()
        finally:
            if self.durable is not None:
                self.durable.close()
            if self.folder is not None:
                self.folder.cleanup()


def open_home(
    path: str | Path | Store | None,
    at: int | None,
    history: int | None,
    spark: SparkSession | None,
    partitions: int | None,
    functions: Functions,
    own: Sequence[Function],
) -> Home:
    """The runtime that an engine asks for; ``own`` are the user's functions.

    A state that is read as it was at an epoch is read in this process. Without a number of partitions there are as many
    as the state has, or one.
    """
    if partitions is not None and not 1 <= partitions <= MOST_PARTITIONS:
        raise EngineError(f"partitions={partitions}: give a number from 1 to {MOST_PARTITIONS:,}")
    folder = None
    if path is None and spark is not None:
        folder = tempfile.TemporaryDirectory(prefix="tidelog-")
    place = fleeting_store(folder.name) if folder is not None else path
    pieces = partitions if partitions is None or partitions > 1 or spark is not None else 0
    durable = None if place is None else Durable.open(place, at, 0 if folder is not None else history, pieces)
    try:
        if at is not None:
            return Home(EmbeddedRuntime(functions), durable)
        count = partitions or (durable.partitions if durable is not None else 0) or 1
        runtime = _runtime(functions, count, spark, own, None if folder is not None else _folder(durable))
    except BaseException:
        if durable is not None:
            durable.close()
        if folder is not None:
            folder.cleanup()
        raise
    home = Home(runtime, durable, folder)
    if durable is not None and isinstance(runtime, Coordinator):
        try:
            runtime.open_pieces(durable.store)
        except BaseException:
            home.close()
            raise
    return home


def _runtime(
    functions: Functions, partitions: int, spark: SparkSession | None, own: Sequence[Function], folder: str | None
) -> Runtime:
    if spark is not None:
        from tidelog.spark.hosts import SparkHosts

        hosts = SparkHosts(spark, partitions, own, folder)
        runtime = Coordinator(functions, hosts, hosts.dictionary)
        hosts.repeat = runtime.repeat
        return runtime
    if partitions == 1:
        return EmbeddedRuntime(functions)
    dictionary = Dictionary()
    return Coordinator(functions, LocalHosts(functions, partitions, dictionary, KeptDesk), dictionary)


def _folder(durable: Durable | None) -> str | None:
    return None if durable is None else durable.store.name
