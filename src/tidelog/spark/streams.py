"""Structured Streaming: every micro-batch is one epoch.

Law: an epoch names its stream and batch, so that a batch that Spark gives again after a restart is not applied again,
and a batch whose epoch failed is given again. A checkpoint and a state folder that do not belong together are refused:
going on would lose batches or repeat them.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import fs

from tidelog.errors import EngineError, StateError, StateWarning
from tidelog.io.place import open_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from tidelog.engine.engine import Engine


def start_stream(
    engine: Engine,
    rows: DataFrame,
    relation: str,
    *,
    change: str | None,
    name: str,
    checkpoint: str | None,
    committed: int | None,
    trigger: dict[str, str | bool],
) -> StreamingQuery:
    """Start a query that makes every micro-batch an epoch; ``committed`` is the last batch that the state has."""
    if not rows.isStreaming:
        raise EngineError(f"stream of `{relation}`: the DataFrame is not a stream; insert it in an epoch instead")
    if checkpoint is not None:
        check_checkpoint(name, checkpoint, committed)

    def take(batch: DataFrame, number: int) -> None:
        with engine.epoch(source_of(name), number) as epoch:
            if change is None:
                epoch.insert(relation, batch)
            else:
                epoch.change(relation, batch, change)

    writer = rows.writeStream.foreachBatch(take).queryName(f"tidelog {name}")
    if checkpoint is not None:
        writer = writer.option("checkpointLocation", checkpoint)
    return (writer.trigger(**trigger) if trigger else writer).start()  # type: ignore[arg-type]  # as the user says


def source_of(name: str) -> str:
    """The source that a state folder knows a stream by.

    >>> source_of("clicks")
    'stream clicks'
    """
    return f"stream {name}"


def check_checkpoint(name: str, checkpoint: str, committed: int | None) -> None:
    """Refuse a checkpoint, a local path or a URI, that does not belong to the state; warn if it cannot be read here."""
    try:
        latest = max(_batches(checkpoint, "commits"), default=None)
        planned = _batches(checkpoint, "offsets")
    except (OSError, pa.ArrowException, StateError) as error:
        told = f"the checkpoint {checkpoint} of the stream `{name}` cannot be looked at from here ({error})"
        warnings.warn(f"{told}: see to it that it belongs to this state folder", StateWarning, stacklevel=4)
        return
    if committed is not None and not planned:
        raise EngineError(
            f"the state has batches of the stream `{name}` up to {committed}, but the checkpoint {checkpoint} is new: "
            "its batches would be taken for those and passed over; give the old checkpoint, or the stream another name"
        )
    if latest is not None and latest > (-1 if committed is None else committed):
        raise EngineError(
            f"the checkpoint {checkpoint} is at batch {latest}, the state has the stream `{name}` up to "
            f"{'none' if committed is None else committed}: those in between would be lost; give the checkpoint and "
            "the state folder that belong together"
        )


def _batches(checkpoint: str, kind: str) -> list[int]:
    """The batches of which a checkpoint has notes of a kind."""
    files, place = open_files(checkpoint)
    found = files.get_file_info(fs.FileSelector(f"{place.rstrip('/')}/{kind}", allow_not_found=True))
    return [int(info.base_name) for info in found if info.base_name.isdigit()]
