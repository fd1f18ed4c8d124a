"""Choose the runtime of an engine: one partition in this process, several in it, or partitions resident on Spark.

Law: one embedded partition writes its epochs into the state folder itself; each of several, and each on Spark, keeps a
separate piece (`store.piece`). On Spark, lost partitions are restored from these pieces.
"""

from __future__ import annotations

import os
import warnings
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.location import EngineLocation, OpenedRuntime
from tidelog.errors import TidelogWarning
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.types.functors import function_table
from tidelog.runtime.one.embedded import EmbeddedRuntime
from tidelog.syntax import parse_program

if TYPE_CHECKING:
    from tidelog.runtime.protocol.runtime import Runtime
    from tidelog.spark.session.run_folder import RunFolder
    from tidelog.store.folder.durable import Durable

MOST_PARTITIONS = 1 << 12
MOST_THREADS = 1 << 8


def open_runtime(where: EngineLocation) -> OpenedRuntime:
    """The requested runtime, ready to record epochs.

    A state at a past epoch is read in this process. The default number of partitions is that of the state, or one.
    """
    if where.partitions is not None and not 1 <= where.partitions <= MOST_PARTITIONS:
        raise failures.PARTITIONS.error(partitions=where.partitions, most=MOST_PARTITIONS)
    if where.threads is not None and not 1 <= where.threads <= MOST_THREADS:
        raise failures.THREADS.error(threads=where.threads, most=MOST_THREADS)
    if where.at is not None and where.path is None:
        raise failures.AT_WITHOUT_PATH.error()
    fitted = _fitted(where)
    with ExitStack() as undo:
        folder = None
        if fitted.path is None and fitted.spark is not None:
            from tidelog.spark.session.run_folder import RunFolder

            folder = RunFolder()
            undo.callback(folder.cleanup)
        durable = _open_state(fitted, folder)
        if durable is not None:
            undo.callback(durable.close)
        _warn_if_small(where, fitted, 0 if durable is None else durable.partitions)
        where = fitted
        if durable is not None:
            where = _with_types(where, durable)
            if folder is None and where.at is None:
                from tidelog.io.sweep import sweep_views  # and with it Arrow's file systems

                sweep_views(durable.store.name)
        runtime = make_runtime(where, durable, None if folder is not None or durable is None else durable.store.name)
        undo.callback(runtime.close)
        if durable is not None:
            runtime.open_state(durable)
        undo.pop_all()
    if durable is None:
        return OpenedRuntime(runtime, None, folder, {}, where.functions, where)
    return OpenedRuntime(runtime, durable, folder, durable.offsets, where.functions, where, durable.memos)


def _fitted(where: EngineLocation) -> EngineLocation:
    """For a small session in local mode, as many partitions as fit, or one in this process."""
    if where.spark is None or where.at is not None:
        return where
    from tidelog.spark.session.fit import local_room

    room = local_room(where.spark)
    return replace(where, room=room, spark=None if room == 0 else where.spark)


def _warn_if_small(where: EngineLocation, fitted: EngineLocation, pieces: int) -> None:
    """Warn if fewer partitions fit than were requested."""
    if where.spark is not None and fitted.room is not None and (count := where.count_if_all_fit(pieces)) > fitted.room:
        from tidelog.spark.session.fit import too_small

        warnings.warn(too_small(where.spark, count, fitted.room), TidelogWarning, stacklevel=4)


def _with_types(where: EngineLocation, durable: Durable) -> EngineLocation:
    """The functions with the types that the program of the state declares, if no other program was given."""
    if durable.is_new or durable.image.rules is None or where.user_functions == ():
        return where
    functions, own = function_table(where.user_functions, parse_program(durable.image.rules["program"]))
    return replace(where, functions=functions, own=own)


def _open_state(where: EngineLocation, folder: RunFolder | None) -> Durable | None:
    if folder is None and where.path is None:
        return None
    from tidelog.store.base.temporary_state import temporary_store
    from tidelog.store.folder.durable import Durable

    if folder is not None:
        return Durable.open(temporary_store(folder.name), where.at, 0, where.pieces)
    assert where.path is not None
    return Durable.open(where.path, where.at, where.history, where.pieces)


def all_cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_runtime(
    where: EngineLocation, durable: Durable | None, folder: str | None, dictionary: Dictionary | None = None
) -> Runtime:
    """Empty partitions; ``folder`` is the state folder that Spark's workers can reach.

    ``dictionary`` is that of the partitions to be replaced.
    """
    count = where.count(0 if durable is None else durable.partitions)
    if where.spark is not None and where.at is None:
        from tidelog.spark.nodes import spark_runtime

        return spark_runtime(
            where.spark, count, where.functions, where.own, folder, tls=where.tls, dictionary=dictionary
        )
    if count == 1 or where.at is not None:
        return EmbeddedRuntime(where.functions, dictionary=dictionary, threads=where.threads or all_cores())
    from tidelog.runtime.many.coordinator import Coordinator
    from tidelog.runtime.many.local import LocalNodes

    dictionary = Dictionary() if dictionary is None else dictionary
    return Coordinator(where.functions, LocalNodes(where.functions, count, dictionary), dictionary)
