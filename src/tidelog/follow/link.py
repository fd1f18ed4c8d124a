"""One connection to a database: check the tables, take a snapshot if necessary, then apply transactions as epochs.

Law: a transaction of the database is one epoch, whose source and offset are those of `progress`: transactions that the
database sends again after a disconnect are not applied again, and those that were not applied are sent again. Rows that
cannot be converted to facts go into quarantine in the same epoch. Only what the engine has stored is confirmed to the
database.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from tidelog.follow import follow_failures as failures
from tidelog.follow import slot
from tidelog.follow.catalog import FollowedTable, inspect
from tidelog.follow.connect import connect, database_errors, replication
from tidelog.follow.facts import FactLookup
from tidelog.follow.frames import TIME_OF_2000, Keepalive, StreamData
from tidelog.follow.jdbc import can_read_in_tasks, read_frame
from tidelog.follow.options import FollowOptions
from tidelog.follow.pgoutput import Begin, Commit, OtherMessage, decode
from tidelog.follow.progress import SNAPSHOT_STARTED, SourceProgress, find, fingerprint_of, was_followed
from tidelog.follow.publication import ensure
from tidelog.follow.quarantine import Quarantine, QuarantineChanges, is_recorded, key_names, read_memos, recording_memo
from tidelog.follow.snapshot import difference, has_any_bytes, read_suspects, read_tables
from tidelog.follow.stream import ReplicationStream
from tidelog.follow.transaction import RowLayout, Transaction

if TYPE_CHECKING:
    from psycopg import Connection

    from tidelog.engine.engine import Engine

LOG = logging.getLogger("tidelog.follow")
CONFIRM_AFTER = 1.0  # seconds
MOVE_AFTER = 1 << 24  # bytes of the log without a followed change, after which an empty epoch stores the position
LISTEN = 0.1  # seconds to wait for a frame before checking whether to stop
Note = Callable[..., None]


def inspect_tables(engine: Engine, options: FollowOptions) -> list[FollowedTable]:
    """The tables to follow, checked; nothing is changed in the database."""
    facts = FactLookup(engine)
    with connect(options.dsn) as connection:
        return _look(connection, facts, options)


def _look(connection: Connection[tuple[Any, ...]], facts: FactLookup, options: FollowOptions) -> list[FollowedTable]:
    with database_errors(options.dsn, "to read its settings"):
        row = connection.execute("SHOW wal_level").fetchone()
    if row is None or row[0] != "logical":
        raise failures.WAL_LEVEL.error(found=row[0] if row else "unknown")
    tables = [inspect(connection, options, option, facts.columns_of(option.relation)) for option in options.tables]
    for table in tables:
        facts.check_identity(table)
    return tables


class Link:
    """A connection and the state of following over it."""

    def __init__(
        self, engine: Engine, options: FollowOptions, note: Note, stopping: Callable[[], bool], why: str
    ) -> None:
        self._engine, self._options, self._note, self._stopping = engine, options, note, stopping
        self._facts = FactLookup(engine)
        passing = replace(options, slot=f"{options.slot[:54]}_{token_hex(4)}")
        self._own = options if self._facts.is_durable else passing  # with the name of the slot in the database
        self._closing = ExitStack()
        self._why = why  # why a snapshot is needed, or ""
        self._layouts: dict[int, RowLayout] = {}
        self._confirmed = self._requested_reply = 0.0
        self._quarantine: Quarantine = {}
        self.reads_up_to = 0  # the commit of the transaction being read or pending, 0 for none

    def run(self) -> None:
        """Follow until it is stopped or an error occurs."""
        with self._closing:
            self._sql = self._closing.enter_context(closing(connect(self._options.dsn)))
            self._tables = _look(self._sql, self._facts, self._options)
            was_incomplete = ensure(self._sql, self._options, self._tables)
            self._wire = self._closing.enter_context(closing(replication(self._options.dsn)))
            self._system = slot.identify(self._wire, self._options)
            fingerprint = fingerprint_of(self._system.name, self._tables)
            self._progress = find(self._facts.offsets, self._options.slot, fingerprint)
            self._use_quarantine(read_memos(self._facts.memos, self._options.slot))
            self._join(was_incomplete)
            if has_any_bytes(self._sql):
                self._wire.execute(b"SET client_encoding = 'SQL_ASCII'")
            self._sql.close()
            self._follow()

    def _join(self, was_incomplete: bool) -> None:
        """Make sure that the slot continues at the engine's position; if not, take a snapshot."""
        current = slot.look(self._sql, self._options) if self._facts.is_durable else None
        self._check_slot(current)
        why = self._why or self._why_snapshot(current, was_incomplete)
        if why:
            self._take_snapshot(current, why)
        else:
            offset = self._progress.offset
            assert offset is not None
            self._note(place=offset)

    def _check_slot(self, current: slot.Slot | None) -> None:
        if current is None:
            return
        name = self._options.slot
        database = self._system.name.partition("/")[2]
        if not current.logical or current.plugin != "pgoutput" or current.database != database:
            raise failures.SLOT_TAKEN.error(slot=name, why="has another type or belongs to another database")
        if not was_followed(self._facts.offsets, name):
            raise failures.SLOT_TAKEN.error(slot=name, why="already exists, but this engine has never used it")
        if current.active:
            raise failures.SLOT_TAKEN.error(slot=name, why="is in use by another connection")

    def _why_snapshot(self, current: slot.Slot | None, was_incomplete: bool) -> str:
        """Why a snapshot is necessary; "" if it is not."""
        progress = self._progress
        if not progress.follows:
            return "nothing was followed before" if progress.generation == 0 else "the followed tables have changed"
        if current is None:
            return f"the slot `{self._options.slot}` was dropped"
        offset = progress.offset or 0
        if current.lost:
            return f"the database has discarded the log that the slot `{self._options.slot}` needs"
        if current.confirmed > offset:
            return "the state is older than the position confirmed to the database"
        if self._system.end < offset:
            return "the database is older than the state"
        for table in self._tables:
            rows = self._quarantine.get(table.relation)
            if rows is not None and rows.key != key_names(table):
                return f"the key of `{table.title}` was changed"
        if self._quarantine and self._stops_at_bad_rows:
            return "some rows are in quarantine"
        if not is_recorded(self._facts.memos, self._options.slot):
            return "the state does not record which rows are in quarantine"
        return "the publication did not include all tables" if was_incomplete else ""

    @property
    def _stops_at_bad_rows(self) -> bool:
        return self._options.on_bad_row == "stop"

    def _take_snapshot(self, current: slot.Slot | None, why: str) -> None:
        if self._stops_at_bad_rows:  # before anything is discarded
            changes = QuarantineChanges({})
            for table in self._tables:
                read_suspects(self._options, table, None, changes)
            self._check(changes)
        first = not was_followed(self._facts.offsets, self._options.slot)
        if first:
            self._check_empty()
        self._note(state="snapshot", why=why)
        progress = self._progress.next_generation()
        if self._facts.is_durable:
            with self._engine.epoch(progress.source, SNAPSHOT_STARTED):
                pass
            if current is not None:
                slot.drop(self._sql, self._own)
        new_slot = slot.create(self._wire, self._own, temporary=not self._facts.is_durable)
        self._apply_snapshot(progress, new_slot)
        self._note(snapshots=1)

    def _check_empty(self) -> None:
        for table in self._tables:
            count = sum(1 for _ in self._facts.asserted(table))
            if count:
                raise failures.FILLED.error(relation=table.relation, table=table.title, count=count)

    def _apply_snapshot(self, progress: SourceProgress, new_slot: slot.NewSlot) -> None:
        """Apply a snapshot as one epoch."""
        changes = QuarantineChanges(self._quarantine)
        changes.replace_all()
        with self._engine.epoch(progress.source, new_slot.place) as epoch:
            by_tasks = self._tables_for_tasks()
            for table in by_tasks:
                epoch.insert(table.relation, read_frame(self._engine, self._options, table, new_slot.snapshot))
                if rows := read_suspects(self._options, table, new_slot.snapshot, changes):
                    epoch.insert(table.relation, rows)
            here = [table for table in self._tables if table not in by_tasks]
            for table, rows in read_tables(self._options, here, new_slot.snapshot, changes):
                plus, minus = difference(self._facts.asserted(table), rows)
                if plus:
                    epoch.insert(table.relation, plus)
                if minus:
                    epoch.delete(table.relation, minus)
            self._check(changes)
            epoch.memos.update(changes.memos(self._options.slot) | recording_memo(self._options.slot))
        self._progress = progress.at(new_slot.place)
        self._report_quarantine(changes)
        self._note(place=new_slot.place, epoch=epoch.number)

    def _tables_for_tasks(self) -> list[FollowedTable]:
        """The tables that Spark tasks read: those without facts, so there is nothing to compare."""
        if not can_read_in_tasks(self._engine, self._options):
            return []
        return [table for table in self._tables if not any(True for _ in self._facts.asserted(table))]

    # The quarantine

    def _check(self, changes: QuarantineChanges) -> None:
        """Raise for rows in quarantine, if following stops at them."""
        for table in changes.after.values() if self._stops_at_bad_rows else ():
            raise failures.BAD_ROW.error(row=table.example, count=table.count)

    def _report_quarantine(self, changes: QuarantineChanges) -> None:
        """Report the quarantine after its epoch has been committed."""
        for table, more, row in changes.news():
            if row is not None:
                LOG.warning(
                    "quarantine of `%s` changed by %+d, rows in quarantine: %d. New: %s",
                    table.table,
                    more,
                    table.count,
                    table.describe(row),
                )
            else:
                LOG.info("quarantine of `%s` changed by %+d, rows in quarantine: %d", table.table, more, table.count)
        self._use_quarantine(changes.after)

    def _use_quarantine(self, quarantine: Quarantine) -> None:
        self._quarantine = quarantine
        tables = tuple(quarantine[relation] for relation in sorted(quarantine))
        self._note(quarantine=tables, left_out=sum(table.count for table in tables))

    # The stream

    def _follow(self) -> None:
        assert self._progress.offset is not None
        self._stream = ReplicationStream(self._wire, self._own, self._progress.offset)
        self._note(state="following")
        self._begin()
        self._confirm()
        while not self._stopping():
            whole = self._ended is not None and not self._open  # between transactions
            frame = self._stream.read(0 if whole else LISTEN)
            if isinstance(frame, StreamData):
                self._take(frame)
            elif self._ended is not None and not self._open:  # nothing more is pending
                self._commit(self._ended)
            if isinstance(frame, Keepalive):
                self._take_keepalive(frame)
            if frame is None or time.monotonic() - self._confirmed > CONFIRM_AFTER:
                self._confirm()
        self._confirm()

    def _begin(self) -> None:
        self._open, self._pending, self.reads_up_to = False, 0, 0
        self._ended: Commit | None = None
        by_oid = {table.oid: table for table in self._tables}
        changes = QuarantineChanges(self._quarantine)
        self._transaction = Transaction(by_oid, self._layouts, self._facts.find, self._facts.asserted, changes)

    def _take(self, frame: StreamData) -> None:
        message = decode(frame.message)
        if isinstance(message, Begin):
            self._open, self.reads_up_to = True, message.commit
        elif isinstance(message, Commit):
            self._end(message)
        elif not isinstance(message, OtherMessage):
            self._transaction.take(message)

    def _end(self, message: Commit) -> None:
        """Finish a transaction; it may be combined with other pending ones."""
        self._open, self._ended = False, message
        self._pending += 1
        if self._pending >= self._options.group:
            self._commit(message)

    def _commit(self, message: Commit) -> None:
        """Apply the pending transactions as one epoch, whose offset is the position of the last one."""
        changes = self._transaction.quarantine
        self._check(changes)
        with self._engine.epoch(self._progress.source, message.end) as epoch:
            epoch.memos.update(changes.memos(self._options.slot))
            for relation, plus, minus in self._transaction.changes():
                if plus:
                    epoch.insert(relation, plus)
                if minus:
                    epoch.delete(relation, minus)
        self._progress = self._progress.at(message.end)
        applied = {} if epoch.number is None else {"epoch": epoch.number, "transactions": self._pending}
        if applied:
            self._report_quarantine(changes)
        lag = time.time() - TIME_OF_2000 - message.time / 1_000_000
        self._note(place=message.end, lag=lag, current=True, **applied)
        self._begin()

    def _take_keepalive(self, sign: Keepalive) -> None:
        """Process a keepalive between transactions: the server has sent everything up to a position."""
        if not self._open and not self._pending:
            if sign.end > (self._progress.offset or 0):
                self._move(sign.end)
            if sign.end >= self._system.end:  # otherwise transactions from before this connection are still to come
                self._note(current=True, lag=0.0)
        if sign.wants_reply:
            self._confirm()

    def _move(self, place: int) -> None:
        """Advance to a position without followed changes; a state folder stores it only from time to time."""
        if self._facts.is_durable and place - (self._progress.offset or 0) > MOVE_AFTER:
            with self._engine.epoch(self._progress.source, place):
                pass
            self._progress = self._progress.at(place)
        elif not self._facts.is_durable:
            self._progress = self._progress.at(place)
        self._note(place=place)

    def _confirm(self) -> None:
        self._confirmed = time.monotonic()
        asks = self._confirmed - self._requested_reply > CONFIRM_AFTER
        self._stream.confirm(self._progress.offset or 0, wants_reply=asks)
        if asks:
            self._requested_reply = self._confirmed
