"""A data source of Spark, `tidelog`: views and change feeds of a state folder as DataFrames, and DataFrames as epochs.

Law: a read shows one epoch, chosen when the query is planned. The offsets of a stream are epochs: a batch holds the
changes of the epochs after its start up to its end, each once. A write is one epoch: tasks write their rows to files
next to the state, and the driver commits all of them or none; an epoch of a stream records the number of its batch, so
that a batch that Spark repeats after a failure is skipped. No partitions need to run: a reader opens the folder as of
an epoch, even while an engine writes to it, and a writer is the folder's only writer during its commit.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
    InputPartition,
    WriterCommitMessage,
)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from tidelog.io.place import open_files
from tidelog.spark.spark_failures import SOURCE_OPTION
from tidelog.spark.streams import source_of

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession
    from pyspark.sql.types import StructType

START = "startingepoch"  # Spark passes the names of options in lower case
LAST = -1  # the last committed epoch
CHANGE, EPOCH = "change", "epoch"  # columns of a feed in addition to those of its view
BATCH = 1 << 14  # rows of a task that are written together
Options = Mapping[str, str]


def register(spark: SparkSession) -> None:
    """Register the format `tidelog` with a session."""
    spark.dataSource.register(TidelogSource)


def option(options: Options, name: str) -> str:
    """The value of a required option."""
    if not options.get(name):
        raise SOURCE_OPTION.error(name=name, given=", ".join(sorted(options)) or "none")
    return options[name]


def open_state(options: Options, at: int | None = None) -> Any:
    """An engine of the state folder, at one epoch or for writing; `tidelog` itself imports this package."""
    return import_module("tidelog").Engine(path=option(options, "path"), at=at)


class TidelogSource(DataSource):
    """`spark.read.format("tidelog").option("path", folder).option("view", name)`, and so on."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "tidelog"

    def schema(self) -> StructType:
        """The columns of the view; a feed has two more."""
        with open_state(self.options, _epoch(self.options)) as db:
            return from_arrow_schema(_columns(db, self.options), prefer_timestamp_ntz=True)

    def reader(self, schema: StructType) -> DataSourceReader:
        """The reader of a view, or of the part of a feed that is kept."""
        with open_state(self.options, _epoch(self.options)) as db:
            return StateReader(_small(self.options), schema, db.epoch_number)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """The reader of a feed."""
        option(self.options, "feed")
        return FeedReader(_small(self.options), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """The writer of one epoch."""
        return EpochWriter(_staging(self.options, schema, overwrite))

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:
        """The writer of one epoch per batch."""
        return StreamEpochWriter(_staging(self.options, schema, False))


def _small(options: Options) -> dict[str, str]:
    return {name.lower(): value for name, value in options.items()}


def _epoch(options: Options) -> int:
    return int(options.get("epoch", LAST))


def _columns(db: Any, options: Options) -> pa.Schema:
    """The columns of the result, with types that Spark supports."""
    feed = options.get("feed")
    found = db[feed or option(options, "view")].to_arrow().schema
    fields = [pa.field(f.name, pa.decimal128(20, 0) if f.type == pa.uint64() else f.type) for f in found]
    return pa.schema([*fields, *([(CHANGE, pa.int8()), (EPOCH, pa.int64())] if feed else [])])


@dataclass
class Epochs(InputPartition):
    """The input of one task: the changes after one epoch up to another, or a view at the second."""

    start: int
    end: int


class StateReader(DataSourceReader):
    """Reads a view or a feed, in one task: the folder is opened once."""

    def __init__(self, options: dict[str, str], schema: StructType, epoch: int) -> None:
        self.options, self.types, self.epoch = options, schema, epoch

    def partitions(self) -> Sequence[InputPartition]:
        """One partition."""
        return [Epochs(int(self.options.get(START, 0)), self.epoch)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows."""
        assert isinstance(partition, Epochs)
        return iter(_read(self.options, self.types, partition))


class FeedReader(DataSourceStreamReader):
    """Reads a feed, epoch by epoch."""

    def __init__(self, options: dict[str, str], schema: StructType) -> None:
        self.options, self.types = options, schema

    def initialOffset(self) -> dict[str, int]:
        """Everything after the given epoch, or after the first."""
        return {EPOCH: int(self.options.get(START, 0))}

    def latestOffset(self, start: object = None, limit: object = None) -> dict[str, int]:
        """The last committed epoch; before Spark 4.2 only this method is called."""
        with open_state(self.options, LAST) as db:
            return {EPOCH: db.epoch_number}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        """One partition."""
        return [Epochs(start[EPOCH], end[EPOCH])]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The changes."""
        assert isinstance(partition, Epochs)
        return iter(_read(self.options, self.types, partition))


def _read(options: Options, schema: StructType, epochs: Epochs) -> list[pa.RecordBatch]:
    types = to_arrow_schema(schema)
    if epochs.start >= epochs.end and options.get("feed"):
        return []
    with open_state(options, epochs.end) as db:
        feed = options.get("feed")
        table = _changes(db, feed, epochs, types) if feed else db[options["view"]].to_arrow()
    return table.cast(types).to_batches()  # type: ignore[no-any-return]  # pyarrow has no types


def _changes(db: Any, feed: str, epochs: Epochs, types: pa.Schema) -> pa.Table:
    found = db.changes(feed, since=epochs.start)
    width = len(types) - 2
    columns = [pa.array([change.fact[place] for change in found], types.field(place).type) for place in range(width)]
    signs = pa.array([change.sign for change in found], pa.int8())
    return pa.table([*columns, signs, pa.array([change.epoch for change in found], pa.int64())], schema=types)


@dataclass(frozen=True)
class Part(WriterCommitMessage):
    """The rows of one task, in a file next to the state; no file if there are none."""

    file: str | None


@dataclass(frozen=True)
class StagingArea:
    """Where the rows of a write are stored until they are committed; a value that is sent to the tasks."""

    options: dict[str, str]
    types: pa.Schema
    overwrite: bool
    folder: str

    def put(self, rows: Iterator[Row]) -> Part:
        """Write the rows of one task."""
        batch: list[Row] = []
        tables: list[pa.Table] = []
        for row in rows:
            batch.append(row)
            if len(batch) == BATCH:
                tables.append(self._table(batch))
                batch = []
        tables += [self._table(batch)] if batch else []
        if not tables:
            return Part(None)
        files, place = open_files(self.folder)
        files.create_dir(place, recursive=True)
        file = f"{place}/{uuid.uuid4().hex}.parquet"
        pq.write_table(pa.concat_tables(tables), file, filesystem=files)
        return Part(file)

    def _table(self, rows: Sequence[Row]) -> pa.Table:
        columns = [pa.array([row[i] for row in rows], kind) for i, kind in enumerate(self.types.types)]
        return pa.table(columns, schema=self.types)

    def commit(self, parts: Sequence[WriterCommitMessage | None], source: str | None, offset: int | None) -> None:
        """Commit one epoch of all rows."""
        files, _ = open_files(self.folder)
        named = [part.file for part in parts if isinstance(part, Part) and part.file is not None]
        tables = [pq.read_table(file, filesystem=files) for file in named]
        rows = pa.concat_tables([self.types.empty_table(), *tables])
        relation, change = option(self.options, "relation"), self.options.get(CHANGE)
        with open_state(self.options) as db, db.epoch(source, offset, note=self.options.get("note")) as epoch:
            if change is not None:
                epoch.change(relation, rows, change)
            else:
                if self.overwrite and relation in db:
                    epoch.delete(relation, db.asserted(relation).to_arrow())  # rows that are inserted again stay
                epoch.insert(relation, rows)
        self.drop()

    def drop(self) -> None:
        """Remove the files."""
        files, place = open_files(self.folder)
        with suppress(OSError):
            files.delete_dir(place)


def _staging(options: Options, schema: StructType, overwrite: bool) -> StagingArea:
    option(options, "relation")
    folder = f"{option(options, 'path').rstrip('/')}/incoming/{uuid.uuid4().hex}"
    return StagingArea(_small(options), to_arrow_schema(schema), overwrite, folder)


class EpochWriter(DataSourceWriter):
    """Commits the rows of a DataFrame as one epoch."""

    def __init__(self, staging: StagingArea) -> None:
        self.staging = staging

    def write(self, iterator: Iterator[Row]) -> Part:
        """Write the rows of a task; called in the task."""
        return self.staging.put(iterator)

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Commit in the driver; a write that names its source and offset is not repeated."""
        offset = self.staging.options.get("offset")
        self.staging.commit(messages, self.staging.options.get("source"), None if offset is None else int(offset))

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Remove all files."""
        self.staging.drop()


class StreamEpochWriter(DataSourceStreamWriter):
    """Commits every batch of a stream as one epoch."""

    def __init__(self, staging: StagingArea) -> None:
        self.staging = staging

    def write(self, iterator: Iterator[Row]) -> Part:
        """Write the rows of a task; called in the task."""
        return self.staging.put(iterator)

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:
        """Commit in the driver; a batch that was committed before is skipped."""
        options = self.staging.options
        self.staging.commit(messages, source_of(options.get("source", options["relation"])), batchId)

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:
        """Remove all files."""
        self.staging.drop()
