"""Structured Streaming: every micro-batch is one epoch.

Law: an epoch names its stream and batch, so that a batch that Spark repeats after a restart is not applied again, and a
batch whose epoch failed is repeated. A checkpoint and a state folder that do not belong together are refused:
continuing would lose batches or repeat them.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
from pyarrow import fs

from tidelog.errors import StateError, StateWarning
from tidelog.io.nulls import Policy
from tidelog.io.place import open_files
from tidelog.spark.far_batches import far_batches
from tidelog.spark.session.master import is_connect
from tidelog.spark.spark_failures import CHECKPOINT_AHEAD, NEW_CHECKPOINT, NOT_A_STREAM

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

Columns = tuple[Sequence[str] | None, Sequence[str | None] | None]  # names and types
BEGIN = datetime.datetime(1970, 1, 1)


class BatchEpoch(Protocol):
    """An epoch for one micro-batch; leaving its ``with`` block commits."""

    def insert(self, relation: str, rows: DataFrame, *, nulls: Policy | None = ...) -> None:
        """Assert rows."""

    def change(self, relation: str, rows: DataFrame, change: str = ..., *, nulls: Policy | None = ...) -> None:
        """Assert or retract each row, as a column specifies."""

    def __enter__(self) -> BatchEpoch: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


Begin = Callable[[str, int, datetime.datetime | None], BatchEpoch]  # source, batch, and the time of its latest event


@dataclass(frozen=True, slots=True)
class Stream:
    """A Structured Streaming DataFrame whose rows are added to a relation; ``trigger`` is passed to Spark."""

    rows: DataFrame
    relation: str
    name: str
    change: str | None = None
    checkpoint: str | None = None
    trigger: Mapping[str, str | bool] = field(default_factory=dict)
    event_time: str | None = None
    also: Mapping[int, Callable[[Any], object]] = field(default_factory=dict)  # by batch, what else its epoch does
    nulls: Policy | None = None  # how nulls are handled
    output_mode: str | None = None  # of Spark; None: its default
    bad_rows: str | None = None  # a folder for rows that do not fit; None: they end the stream
    columns: Callable[[], Columns] = lambda: (None, None)  # those of the relation, if they are known

    def time_of(self, batch: DataFrame) -> datetime.datetime | None:
        """The time of the latest event of a micro-batch in UTC; None if it is empty or events have no time."""
        if self.event_time is None:
            return None
        from pyspark.sql import functions

        column = functions.col(self.event_time)
        if batch.schema[self.event_time].dataType.typeName() != "timestamp_ntz":  # an instant, whatever the zone
            column = column.cast("timestamp").cast("double")
        (latest,) = batch.agg(functions.max(column)).first() or (None,)
        if latest is None or isinstance(latest, datetime.datetime):
            return latest
        return BEGIN + datetime.timedelta(microseconds=round(latest * 1_000_000))

    def kept_in(self, folder: str) -> Stream:
        """The stream with its checkpoint in a folder."""
        return replace(self, checkpoint=folder)

    def take(self, epoch: BatchEpoch, batch: DataFrame, number: int) -> None:
        """Apply a micro-batch in an epoch, with the action that ``also`` has for its number."""
        with self._fitting(batch, number) as rows, epoch:
            if number in self.also:
                self.also[number](epoch)
            if self.change is None:
                epoch.insert(self.relation, rows, nulls=self.nulls)
            else:
                epoch.change(self.relation, rows, self.change, nulls=self.nulls)

    def _fitting(self, batch: DataFrame, number: int) -> AbstractContextManager[DataFrame]:
        """The rows of a batch, without those that are put aside."""
        if self.bad_rows is None:
            return nullcontext(batch)
        from tidelog.spark.rows.quarantine import fitting_rows

        folder = f"{self.bad_rows.rstrip('/')}/batch={number}"
        return fitting_rows(batch, self.relation, *self.columns(), self.change, folder)


def start_stream(stream: Stream, begin: Begin, committed: int | None) -> StreamingQuery:
    """Start a query that makes every micro-batch an epoch; ``committed`` is the last batch in the state."""
    if not stream.rows.isStreaming:
        raise NOT_A_STREAM.error(relation=stream.relation)
    if stream.checkpoint is not None:
        check_checkpoint(stream.name, stream.checkpoint, committed)

    def take(batch: DataFrame, number: int) -> None:
        stream.take(begin(source_of(stream.name), number, stream.time_of(batch)), batch, number)

    spark = stream.rows.sparkSession
    taken = far_batches(spark, take) if is_connect(spark) else take
    writer = stream.rows.writeStream.foreachBatch(taken).queryName(f"tidelog {stream.name}")
    if stream.checkpoint is not None:
        writer = writer.option("checkpointLocation", stream.checkpoint)
    if stream.output_mode is not None:
        writer = writer.outputMode(stream.output_mode)
    if stream.trigger:
        writer = writer.trigger(**stream.trigger)  # type: ignore[arg-type]  # as the user specifies
    return writer.start()


def source_of(name: str) -> str:
    """The name of a stream's source in a state folder.

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
        problem = f"the checkpoint {checkpoint} of the stream `{name}` cannot be read from here ({error})"
        warnings.warn(f"{problem}: make sure that it belongs to this state folder", StateWarning, stacklevel=4)
        return
    if committed is not None and not planned:
        raise NEW_CHECKPOINT.error(name=name, committed=committed, checkpoint=checkpoint)
    if latest is not None and latest > (-1 if committed is None else committed):
        known = "none" if committed is None else committed
        raise CHECKPOINT_AHEAD.error(checkpoint=checkpoint, latest=latest, name=name, committed=known)


def _batches(checkpoint: str, kind: str) -> list[int]:
    """The batches for which a checkpoint has files of a kind."""
    files, place = open_files(checkpoint)
    found = files.get_file_info(fs.FileSelector(f"{place.rstrip('/')}/{kind}", allow_not_found=True))
    return [int(info.base_name) for info in found if info.base_name.isdigit()]
