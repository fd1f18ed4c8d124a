"""The part of an engine that is fed by streams and feeds others: micro-batches in, changes of views out.

Law: input is applied once and a feed has every epoch once, whatever fails in between. A feed that cannot be written
is told as a warning, since its epoch is committed, and is brought up to date with the next one: from the history of
the state folder, or from what the epochs changed, which is kept so long.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from tidelog.engine.open import Home
from tidelog.errors import EngineError, StateWarning, TidelogError
from tidelog.io.feed import Feed, FolderFeed
from tidelog.io.place import open_files
from tidelog.io.rows import encode_rows, read_rows
from tidelog.io.view_files import Write, changes_writer
from tidelog.kernel.cells import Cells
from tidelog.plan.planner import Runtime
from tidelog.spark.frames import on_spark
from tidelog.spark.streams import source_of, start_stream
from tidelog.spark.table_feed import TableFeed
from tidelog.spark.views import new_folder, partition_writer, session_of, to_frame
from tidelog.store.history import Change

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from tidelog.engine.engine import Engine
    from tidelog.engine.view import View
    from tidelog.partition.dictionary import Dictionary
    from tidelog.runtime.outcome import RowChanges


@dataclass(slots=True)
class Fed:
    """A feed with the epochs that it has not been given yet, and whether it could not be written last time."""

    feed: Feed
    waiting: list[tuple[int, RowChanges]] = field(default_factory=list)
    failed: bool = False


class Feeding:
    """What `Engine` inherits; the attributes are the engine's."""

    epoch_number: int
    _feeds: list[Fed]
    _home: Home
    _offsets: dict[str, int]
    _runtime: Runtime
    _writing: threading.RLock

    if TYPE_CHECKING:

        def __getitem__(self, name: str) -> View: ...

        def changes(self, view: str, since: int = 0) -> list[Change]: ...

        @property
        def _dictionary(self) -> Dictionary: ...

    def stream(
        self,
        rows: DataFrame,
        relation: str,
        *,
        change: str | None = None,
        name: str | None = None,
        checkpoint: str | None = None,
        **trigger: str | bool,
    ) -> StreamingQuery:
        """Make every micro-batch of a Structured Streaming DataFrame one epoch; gives the running query.

        All rows are insertions, or the column ``change`` says +1 or -1. With a state folder a restart under the same
        ``name`` (by itself the relation's) neither loses nor repeats a batch; Spark's own notes are kept in the folder
        too, or where ``checkpoint`` says. ``trigger`` is handed to Spark: ``availableNow=True`` takes what there is and
        ends.
        """
        known = name or relation
        if checkpoint is None and self._home.lasting is not None:
            checkpoint = f"{self._home.lasting}/streams/{known}"
        engine: Engine = self  # type: ignore[assignment]  # this is its part
        return start_stream(
            engine,
            rows,
            relation,
            change=change,
            name=known,
            checkpoint=checkpoint,
            committed=self._offsets.get(source_of(known)),
            trigger=trigger,
        )

    def write_feed(self, view: str, *, folder: str | None = None, table: str | None = None) -> None:
        """From now on write what every epoch changes in a view to a folder of Parquet files or to a Spark table.

        A column ``change`` says +1 or -1, a column ``epoch`` which epoch it was. What an earlier run has not written is
        written first, from the history of the state folder; without one the feed begins with the next epoch.
        """
        feed = make_feed(self[view].name, folder, table, lambda: session_of(self._runtime))
        with self._writing:
            last = feed.last()
            if self._home.lasting is not None:
                self._catch_up(feed, last)
            self._feeds.append(Fed(feed))

    def _feed(self, changes: RowChanges) -> None:
        """After a commit: every feed gets what the epoch changed."""
        for fed in self._feeds:
            if fed.feed.view in changes:
                fed.waiting.append((self.epoch_number, changes))
            try:
                self._write_waiting(fed)
            except (TidelogError, OSError) as error:
                fed.failed = True
                if self._home.lasting is not None:
                    fed.waiting.clear()  # the history has them
                warnings.warn(f"epoch {self.epoch_number} is committed, but {error}", StateWarning, stacklevel=4)

    def _write_waiting(self, fed: Fed) -> None:
        if fed.failed:
            last = fed.feed.last()
            fed.waiting = [(epoch, changes) for epoch, changes in fed.waiting if epoch > last]
            if self._home.lasting is not None:
                self._catch_up(fed.feed, last)
                fed.waiting.clear()
        while fed.waiting:
            self._put(fed.feed, *fed.waiting[0])
            fed.waiting.pop(0)
        fed.failed = False

    def _put(self, feed: Feed, epoch: int, changes: RowChanges) -> None:
        view, runtime = self[feed.view], self._runtime
        names, types = view.columns, view.types
        if on_spark(runtime):
            write = partition_writer(runtime, feed.view, names, types, runtime.run_of(changes))
        else:
            write = changes_writer(*changes[feed.view], names, types, self._dictionary)
        feed.put(epoch, write, partial(self._frame_of, write, names, types))

    def _catch_up(self, feed: Feed, last: int) -> None:
        """Write the epochs that a feed does not hold yet."""
        view = self[feed.view]
        types = [type_ or "number" for type_ in view.types]
        for epoch, found in groupby(self.changes(feed.view, last), key=lambda change: change.epoch):
            told = list(found)
            plus, minus = (self._cells_of(feed.view, [c.fact for c in told if c.sign == s], types) for s in (1, -1))
            write = changes_writer(plus, minus, view.columns, view.types, self._dictionary)
            feed.put(epoch, write, partial(self._frame_of, write, view.columns, view.types))

    def _cells_of(self, name: str, facts: list[tuple[object, ...]], types: Sequence[str]) -> Cells:
        if not facts:
            return np.zeros((0, len(types)), np.int64)
        return encode_rows(name, read_rows(name, facts), types, self._dictionary)

    @contextmanager
    def _frame_of(self, write: Write, names: Sequence[str], types: Sequence[str | None]) -> Iterator[DataFrame]:
        """Changes as a DataFrame, whose files are removed afterwards: nobody else reads them."""
        folder = new_folder(self._home.lasting)
        try:
            yield to_frame(session_of(self._runtime), folder, write, names, types, signed=True)
        finally:
            files, place = open_files(folder)
            with suppress(OSError):
                files.delete_dir(place)


def make_feed(view: str, folder: str | None, table: str | None, spark: Callable[[], SparkSession]) -> Feed:
    """The feed that a user asks for."""
    if (folder is None) == (table is None):
        raise EngineError(f"the feed of `{view}` goes to a folder or to a table: give one of `folder` and `table`")
    if folder is not None:
        return FolderFeed(view, folder.rstrip("/"))
    assert table is not None
    return TableFeed(view, table, spark())
