"""Micro-batches of streams in, changes of views out.

Law: input is applied once and a feed contains every epoch once, whatever fails in between. A feed that cannot be
written causes a warning, since its epoch is committed, and catches up with the next one: from the history of the state
folder, or from the changes of the pending epochs, which are kept until then. All parts of a feed have the same column
names, also when a change of rules gives others to an undeclared view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.meter import LOG
from tidelog.engine.core.core import Core
from tidelog.engine.read.report import Types, shown_types
from tidelog.engine.read.view import View, open_view
from tidelog.engine.write.durable import changes_since, state_folder
from tidelog.errors import TidelogError
from tidelog.io.feed import Feed, FolderFeed
from tidelog.io.place import open_files
from tidelog.io.rows import data_types, encode_rows, read_rows
from tidelog.io.view_files import FileColumns, Kinds, Write, changes_writer
from tidelog.program.functions.arguments import argument_error, must_be
from tidelog.program.values.shape import Shape
from tidelog.program.values.source_types import NATURAL, merge
from tidelog.spark.merged_table import MergedTable
from tidelog.spark.spark_failures import FEED_AHEAD
from tidelog.spark.streams import Begin, Columns, Stream, source_of, start_stream
from tidelog.spark.table_feed import TableFeed
from tidelog.spark.topic_feed import TopicFeed
from tidelog.spark.views import new_folder, session_or_active, to_data_frame

if TYPE_CHECKING:
    from tidelog.kernel.cells import Cells
    from tidelog.plan.ruleset import Schema
    from tidelog.runtime.base.outcome import RowChanges
    from tidelog.spark.types import DataFrame, SparkSession, StreamingQuery

OUTPUT_MODES = ("append", "update", "complete")
TRIGGERS = ("processingTime", "once", "continuous", "availableNow", "realTime")  # as Spark calls them


@dataclass(slots=True)
class PendingFeed:
    """A feed with the epochs that are not written yet, and whether the last attempt to write failed.

    ``view`` describes the relation; it is kept when the relation is dropped, for the changes not yet written. ``names``
    are those of the columns in the feed.
    """

    feed: Feed
    view: View
    names: tuple[str, ...]
    pending: list[tuple[int, RowChanges, tuple[str | None, ...]]] = field(default_factory=list)
    failed: bool = False


def stream(core: Core, stream: Stream, begin: Begin) -> StreamingQuery:
    """Commit every micro-batch of a stream as one epoch, which ``begin`` begins for a source and an offset."""
    if not hasattr(stream.rows, "isStreaming"):
        raise argument_error(stream.rows, "rows", "a streaming DataFrame of Spark")
    if stream.event_time is not None and stream.event_time not in stream.rows.columns:
        raise argument_error(stream.event_time, "event_time", "a column of the DataFrame, or None")
    if not isinstance(stream.also, Mapping) or not all(map(_is_act, stream.also.items())):
        raise argument_error(stream.also, "also", "a function of an epoch for every number of a batch")
    for name in stream.trigger:
        if name not in TRIGGERS:
            raise argument_error(name, "trigger", f"one of {', '.join(TRIGGERS)}")
    if stream.output_mode not in (None, *OUTPUT_MODES):
        raise argument_error(stream.output_mode, "output_mode", f"one of {', '.join(OUTPUT_MODES)}, or None")
    if stream.bad_rows is not None:
        if any(isinstance(type_, Shape) for type_ in core.rules.schema.get(stream.relation, ())):
            raise argument_error(stream.bad_rows, "bad_rows", "None for a relation with records")
        stream = replace(stream, columns=partial(_known_columns, core, stream.relation))
    if stream.checkpoint is None and core.opened.lasting is not None:
        stream = stream.kept_in(f"{core.opened.lasting}/streams/{stream.name}")
    return start_stream(stream, begin, core.offsets.get(source_of(stream.name)))


def _known_columns(core: Core, relation: str) -> Columns:
    """The names and types of a relation; None if it has no facts yet."""
    types = core.rules.schema.get(relation)
    return (None, None) if types is None else (core.columns(relation), types)


def _is_act(item: tuple[object, object]) -> bool:
    """Whether an item maps the number of a batch to a function of its epoch."""
    batch, act = item
    return isinstance(batch, int) and not isinstance(batch, bool) and batch >= 0 and callable(act)


@dataclass(frozen=True, slots=True)
class FeedTarget:
    """Where a user wants a feed: one of ``folder``, ``table`` and ``topic``; ``merge``: the table shows the view."""

    folder: str | Path | None
    table: str | None = None
    merge: bool = False
    topic: str | None = None
    options: Mapping[str, str] | None = None  # of a topic

    def check(self, view: str) -> None:
        """Refuse what a user may not ask for."""
        must_be(self.folder, (str, Path, type(None)), "folder", "a folder, or None")
        must_be(self.table, (str, type(None)), "table", "the name of a table, or None")
        must_be(self.merge, bool, "merge", "whether a table is kept equal to the view")
        must_be(self.topic, (str, type(None)), "topic", "the name of a topic, or None")
        must_be(self.options, (Mapping, type(None)), "options", "Spark's options for Kafka, or None")
        targets = (self.folder, self.table, self.topic).count(None)
        if targets != 2 or (self.merge and self.table is None) or (self.options and self.topic is None):
            raise failures.FEED_PLACE.error(view=view)

    def open(self, core: Core, view: str, spark: Callable[[], SparkSession]) -> Feed:
        """The feed."""
        if self.folder is not None:
            return FolderFeed(view, str(self.folder).rstrip("/"))
        if self.topic is not None:
            state_folder(core, "a feed to a topic")  # epochs number the messages, also those of earlier runs
            return TopicFeed(view, self.topic, self.options or {}, spark())
        assert self.table is not None
        return (MergedTable if self.merge else TableFeed)(view, self.table, spark())


def write_feed(core: Core, view: str, target: FeedTarget) -> None:
    """From now on, write what every epoch changes in a view."""
    shown = open_view(core, view)
    target.check(shown.name)
    found = target.open(core, shown.name, lambda: session_or_active(core.runtime.session))
    with core.writing:
        last = found.last()
        fed = PendingFeed(found, shown, (found.names(last) if last else ()) or shown.columns)
        lasting = core.opened.lasting is not None
        if isinstance(found, MergedTable) and not (lasting and 0 < last <= core.number):
            found.replace(open_view(core, shown.name).to_spark(found.spark), core.number)
        elif lasting:
            if last > core.number:
                raise FEED_AHEAD.error(view=view, last=last, number=core.number)
            _catch_up(core, fed, last)
        core.feeds.append(fed)


def feed(core: Core, changes: RowChanges, before: Schema) -> list[str]:
    """After a commit, write the changes to every feed; ``before``: former types of deleted rows, where changed.

    Returns one text for each feed that could not be written, whatever the reason: the epoch is committed.
    """
    problems = []
    for fed in core.feeds:
        if (view := fed.feed.view) in changes:
            fed.pending.append((core.number, changes, before.get(view, core.schema[view])))
        try:
            _write_waiting(core, fed)
        except Exception as error:
            fed.failed = True
            if core.opened.lasting is not None:
                fed.pending.clear()  # the history has them
            problems.append(f"epoch {core.number} was committed, but {_problem(core, view, error)}")
    return problems


def _problem(core: Core, view: str, error: Exception) -> str:
    """Why a feed was not written; the log also has the traceback of an unexpected exception."""
    if isinstance(error, (TidelogError, OSError)):
        return str(error)
    LOG.error("epoch %d was committed, but the feed of `%s` failed", core.number, view, exc_info=error)
    return f"the feed of `{view}` failed: {type(error).__name__}: {error}"


def _write_waiting(core: Core, fed: PendingFeed) -> None:
    if fed.failed:
        last = fed.feed.last()
        fed.pending = [waiting for waiting in fed.pending if waiting[0] > last]
        if core.opened.lasting is not None:
            _catch_up(core, fed, last)
            fed.pending.clear()
    while fed.pending:
        _put(core, fed, *fed.pending[0])
        fed.pending.pop(0)
    fed.failed = False


def _shown(core: Core, fed: PendingFeed) -> View:
    """The view of a feed; if its relation was dropped, as it was before."""
    if core.knows(fed.feed.view):
        fed.view = open_view(core, fed.feed.view)
    if len(fed.names) != len(fed.view.columns) or fed.feed.view in core.rules.declared:
        fed.names = fed.view.columns
    return fed.view


def _put(core: Core, fed: PendingFeed, epoch: int, changes: RowChanges, before: Types) -> None:
    view, feed = _shown(core, fed), fed.feed
    names, types, outside = fed.names, shown_types(view.types, before), _lasting_types(view)

    def write(folder: str) -> list[Kinds]:
        return core.runtime.facts.write_view(folder, feed.view, names, types, changes, outside=outside)

    feed.put(epoch, write, partial(_signed_data_frame, core, write, FileColumns(names, types, True, outside=outside)))


def _lasting_types(view: View) -> tuple[str, ...]:
    """The types of a feed, the same for all epochs: natural types, and times without a zone where values have none."""
    return tuple(merge(type_, NATURAL) for type_ in view.outside)


def _catch_up(core: Core, fed: PendingFeed, last: int) -> None:
    """Write the epochs that a feed does not hold yet."""
    view, feed = _shown(core, fed), fed.feed
    names, outside = fed.names, _lasting_types(view)
    for epoch, found in groupby(changes_since(core, feed.view, last), key=lambda change: change.epoch):
        changes = list(found)
        types = data_types(feed.view, read_rows(feed.view, [c.fact for c in changes]), view.types)
        plus, minus = (_cells_of(core, feed.view, [c.fact for c in changes if c.sign == s], types) for s in (1, -1))
        write = changes_writer(plus, minus, names, types, core.dictionary, outside)
        shown = FileColumns(names, types, True, outside=outside)
        feed.put(epoch, write, partial(_signed_data_frame, core, write, shown))


def _cells_of(core: Core, name: str, facts: list[tuple[object, ...]], types: Sequence[str]) -> Cells:
    if not facts:
        return np.zeros((0, len(types)), np.int64)
    return encode_rows(name, read_rows(name, facts), types, core.dictionary)


@contextmanager
def _signed_data_frame(core: Core, write: Write, shown: FileColumns) -> Iterator[DataFrame]:
    """Changes as a DataFrame, whose files are removed afterwards: they have no other reader."""
    folder = new_folder(core.opened.lasting)
    try:
        session, on_spark = session_or_active(core.runtime.session), core.runtime.session is not None
        yield to_data_frame(session, folder, write, shown, by_partitions=on_spark)
    finally:
        files, place = open_files(folder)
        with suppress(OSError):
            files.delete_dir(place)
