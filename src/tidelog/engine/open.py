"""Which runtime an engine gets: one partition in this process, several in it, or partitions resident on Spark.

Law: one embedded partition writes its epochs into the state folder itself; several, and any on Spark, keep a piece each
(`store.piece`). On Spark the pieces are also what lost partitions are restored from.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.engine import failures
from tidelog.partition.dictionary import Dictionary
from tidelog.program.functors import Given, function_table
from tidelog.runtime.embedded import EmbeddedRuntime
from tidelog.syntax import parse_program

if TYPE_CHECKING:
    from tidelog.program.functions import Function, Functions
    from tidelog.runtime.runtime import Runtime
    from tidelog.spark.types import SparkSession
    from tidelog.store.durable import Durable
    from tidelog.store.store import Store

MOST_PARTITIONS = 1 << 12
MOST_THREADS = 1 << 8


@dataclass(frozen=True, slots=True)
class Where:
    """What a user says about where an engine lives; ``own`` are the user's functions, among all ``functions``."""

    functions: Functions
    own: Sequence[Function] = ()
    path: str | Path | Store | None = None
    at: int | None = None
    history: int | None = None
    spark: SparkSession | None = None
    partitions: int | None = None
    threads: int | None = None
    given: Given = ()  # functions whose types the program of the state tells

    @property
    def pieces(self) -> int | None:
        """How many partitions write pieces of their own: 0 for one embedded, None for as many as there are."""
        alone = self.partitions == 1 and self.spark is None
        return 0 if alone else self.partitions


@dataclass(slots=True)
class Opened:
    """A runtime with its state folder; on Spark there always is one, if need be for as long as the engine lives."""

    runtime: Runtime
    durable: Durable | None
    folder: tempfile.TemporaryDirectory[str] | None
    offsets: dict[str, int]
    functions: Functions

    @property
    def lasting(self) -> str | None:
        """The state folder, if it outlives the engine."""
        return None if self.folder is not None or self.durable is None else self.durable.store.name

    def close(self) -> None:
        """End the partitions, let another writer in, and remove what nobody asked to keep."""
        with ExitStack() as ends:
            if self.folder is not None:
                ends.callback(self.folder.cleanup)
            if self.durable is not None:
                ends.callback(self.durable.close)
            ends.callback(self.runtime.close)


def open_runtime(where: Where) -> Opened:
    """The runtime that an engine asks for, ready to keep epochs.

    A state that is read as it was at an epoch is read in this process. Without a number of partitions there are as many
    as the state has, or one.
    """
    if where.partitions is not None and not 1 <= where.partitions <= MOST_PARTITIONS:
        raise failures.PARTITIONS.error(partitions=where.partitions, most=MOST_PARTITIONS)
    if where.threads is not None and not 1 <= where.threads <= MOST_THREADS:
        raise failures.THREADS.error(threads=where.threads, most=MOST_THREADS)
    if where.at is not None and where.path is None:
        raise failures.AT_WITHOUT_PATH.error()
    with ExitStack() as undo:
        folder = None
        if where.path is None and where.spark is not None:
            folder = tempfile.TemporaryDirectory(prefix="tidelog-")
            undo.callback(folder.cleanup)
        durable = _open_state(where, folder)
        if durable is not None:
            undo.callback(durable.close)
            where = _with_types(where, durable)
        runtime = make_runtime(where, durable, None if folder is not None or durable is None else durable.store.name)
        undo.callback(runtime.close)
        if durable is not None:
            runtime.open_state(durable)
        undo.pop_all()
    return Opened(runtime, durable, folder, {} if durable is None else durable.offsets, where.functions)


def _with_types(where: Where, durable: Durable) -> Where:
    """The functions with the types that the program of the state tells, where no other program was given."""
    if durable.is_new or durable.image.rules is None or where.given == ():
        return where
    functions, own = function_table(where.given, parse_program(durable.image.rules["program"]))
    return replace(where, functions=functions, own=own)


def _open_state(where: Where, folder: tempfile.TemporaryDirectory[str] | None) -> Durable | None:
    if folder is None and where.path is None:
        return None
    from tidelog.store.durable import Durable
    from tidelog.store.fleeting import fleeting_store

    if folder is not None:
        return Durable.open(fleeting_store(folder.name), where.at, 0, where.pieces)
    assert where.path is not None
    return Durable.open(where.path, where.at, where.history, where.pieces)


def all_cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_runtime(where: Where, durable: Durable | None, folder: str | None) -> Runtime:
    """Empty partitions; ``folder`` is the state folder that Spark's workers can reach."""
    count = where.partitions or (durable.partitions if durable is not None else 0) or 1
    if where.spark is not None and where.at is None:
        from tidelog.spark.nodes import spark_runtime

        return spark_runtime(where.spark, count, where.functions, where.own, folder)
    if count == 1 or where.at is not None:
        return EmbeddedRuntime(where.functions, threads=where.threads or all_cores())
    from tidelog.runtime.coordinator import Coordinator
    from tidelog.runtime.local import LocalNodes

    dictionary = Dictionary()
    return Coordinator(where.functions, LocalNodes(where.functions, count, dictionary), dictionary)
