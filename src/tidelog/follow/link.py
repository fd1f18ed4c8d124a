"""One connection to a database: look at the tables, take a snapshot if need be, then epoch after epoch.

Law: a transaction of the database is one epoch, whose source and offset are those of `progress`: what the database
sends again after a break is not applied again, and what was not applied is sent again. Rows that cannot become facts
enter the quarantine in the same epoch. Only what the engine keeps is confirmed to the database.
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
from tidelog.follow.facts import Facts
from tidelog.follow.frames import TIME_OF_2000, Alive, Data
from tidelog.follow.jdbc import is_possible, read_frame
from tidelog.follow.options import Options
from tidelog.follow.pgoutput import Begin, Beside, Commit, decode
from tidelog.follow.progress import BEGUN, Progress, find, print_of, was_followed
from tidelog.follow.publication import ensure
from tidelog.follow.quarantine import Changes, Quarantine, is_known, key_names, known_memo, read_memos
from tidelog.follow.snapshot import difference, has_any_bytes, read_suspects, read_tables
from tidelog.follow.stream import Stream
from tidelog.follow.transaction import Layout, Transaction

if TYPE_CHECKING:
    from psycopg import Connection

    from tidelog.engine.engine import Engine

LOG = logging.getLogger("tidelog.follow")
CONFIRM_AFTER = 1.0  # seconds
MOVE_AFTER = 1 << 24  # bytes of the log without a change of ours, after which an empty epoch takes note of the place
LISTEN = 0.1  # seconds to wait for a frame before looking whether to stop
Note = Callable[..., None]


def look_at_tables(engine: Engine, options: Options) -> list[FollowedTable]:
    """The tables to follow, checked; nothing is changed in the database."""
    facts = Facts(engine)
    with connect(options.dsn) as connection:
        return _look(connection, facts, options)


def _look(connection: Connection[tuple[Any, ...]], facts: Facts, options: Options) -> list[FollowedTable]:
    with database_errors(options.dsn, "to read its settings"):
        row = connection.execute("SHOW wal_level").fetchone()
    if row is None or row[0] != "logical":
        raise failures.WAL_LEVEL.error(found=row[0] if row else "unknown")
    tables = [inspect(connection, options, option, facts.known(option.relation)) for option in options.tables]
    for table in tables:
        facts.check_identity(table)
    return tables


class Link:
    """A connection and what was found out over it."""

    def __init__(self, engine: Engine, options: Options, note: Note, stopping: Callable[[], bool], why: str) -> None:
        self._engine, self._options, self._note, self._stopping = engine, options, note, stopping
        self._facts = Facts(engine)
        passing = replace(options, slot=f"{options.slot[:54]}_{token_hex(4)}")
        self._own = options if self._facts.lasts else passing  # with the name of the slot as the database has it
        self._closing = ExitStack()
        self._why = why  # a snapshot is needed, or nothing
        self._layouts: dict[int, Layout] = {}
        self._confirmed = self._asked = 0.0
        self._quarantine: Quarantine = {}
        self.reads_up_to = 0  # the commit of the transaction that is read or waits to be an epoch, 0 for none

    def run(self) -> None:
        """Follow until somebody stops it or something breaks."""
        with self._closing:
            self._sql = self._closing.enter_context(closing(connect(self._options.dsn)))
            self._tables = _look(self._sql, self._facts, self._options)
            missed = ensure(self._sql, self._options, self._tables)
            self._wire = self._closing.enter_context(closing(replication(self._options.dsn)))
            self._system = slot.identify(self._wire, self._options)
            print_ = print_of(self._system.name, self._tables)
            self._progress = find(self._facts.offsets, self._options.slot, print_)
            self._take_over(read_memos(self._facts.memos, self._options.slot))
            self._join(missed)
            if has_any_bytes(self._sql):
                self._wire.execute(b"SET client_encoding = 'SQL_ASCII'")
            self._sql.close()
            self._follow()

    def _join(self, missed: bool) -> None:
        """See to it that the slot goes on where the engine ends, by a new snapshot where it does not."""
        found = slot.look(self._sql, self._options) if self._facts.lasts else None
        self._must_be_ours(found)
        why = self._why or self._why_snapshot(found, missed)
        if why:
            self._take_snapshot(found, why)
        else:
            offset = self._progress.offset
            assert offset is not None
            self._note(place=offset)

    def _must_be_ours(self, found: slot.Slot | None) -> None:
        if found is None:
            return
        name = self._options.slot
        database = self._system.name.partition("/")[2]
        if not found.logical or found.plugin != "pgoutput" or found.database != database:
            raise failures.SLOT_TAKEN.error(slot=name, why="has another type or belongs to another database")
        if not was_followed(self._facts.offsets, name):
            raise failures.SLOT_TAKEN.error(slot=name, why="already exists, but this engine has never used it")
        if found.active:
            raise failures.SLOT_TAKEN.error(slot=name, why="is in use by another connection")

    def _why_snapshot(self, found: slot.Slot | None, missed: bool) -> str:
        """What makes a snapshot necessary, or nothing."""
        progress = self._progress
        if not progress.follows:
            return "nothing was followed before" if progress.generation == 0 else "the followed tables have changed"
        if found is None:
            return f"the slot `{self._options.slot}` was dropped"
        offset = progress.offset or 0
        if found.lost:
            return f"the database has discarded the log that the slot `{self._options.slot}` needs"
        if found.confirmed > offset:
            return "the state is older than the position confirmed to the database"
        if self._system.end < offset:
            return "the database is older than the state"
        for table in self._tables:
            found_rows = self._quarantine.get(table.relation)
            if found_rows is not None and found_rows.key != key_names(table):
                return f"the key of `{table.title}` was changed"
        if self._quarantine and self._stops_at_bad_rows:
            return "some rows are in quarantine"
        if not is_known(self._facts.memos, self._options.slot):
            return "the state does not record which rows are in quarantine"
        return "the publication did not include all tables" if missed else ""

    @property
    def _stops_at_bad_rows(self) -> bool:
        return self._options.on_bad_row == "stop"

    def _take_snapshot(self, found: slot.Slot | None, why: str) -> None:
        if self._stops_at_bad_rows:  # before anything is given up
            changes = Changes({})
            for table in self._tables:
                read_suspects(self._options, table, None, changes)
            self._check(changes)
        first = not was_followed(self._facts.offsets, self._options.slot)
        if first:
            self._must_be_empty()
        self._note(state="snapshot", why=why)
        progress = self._progress.anew()
        if self._facts.lasts:
            with self._engine.epoch(progress.source, BEGUN):
                pass
            if found is not None:
                slot.drop(self._sql, self._own)
        made = slot.create(self._wire, self._own, temporary=not self._facts.lasts)
        self._read(progress, made)
        self._note(snapshots=1)

    def _must_be_empty(self) -> None:
        for table in self._tables:
            count = sum(1 for _ in self._facts.asserted(table))
            if count:
                raise failures.FILLED.error(relation=table.relation, table=table.title, count=count)

    def _read(self, progress: Progress, made: slot.NewSlot) -> None:
        """The epoch of a snapshot."""
        changes = Changes(self._quarantine)
        changes.replace_all()
        with self._engine.epoch(progress.source, made.place) as epoch:
            by_tasks = self._tables_for_tasks()
            for table in by_tasks:
                epoch.insert(table.relation, read_frame(self._engine, self._options, table, made.snapshot))
                if rows := read_suspects(self._options, table, made.snapshot, changes):
                    epoch.insert(table.relation, rows)
            here = [table for table in self._tables if table not in by_tasks]
            for table, rows in read_tables(self._options, here, made.snapshot, changes):
                plus, minus = difference(self._facts.asserted(table), rows)
                if plus:
                    epoch.insert(table.relation, plus)
                if minus:
                    epoch.delete(table.relation, minus)
            self._check(changes)
            epoch.memos.update(changes.memos(self._options.slot) | known_memo(self._options.slot))
        self._progress = progress.at(made.place)
        self._committed(changes)
        self._note(place=made.place, epoch=epoch.number)

    def _tables_for_tasks(self) -> list[FollowedTable]:
        """The tables that Spark's tasks read: those of which there are no facts yet to compare them with."""
        if not is_possible(self._engine, self._options):
            return []
        return [table for table in self._tables if not any(True for _ in self._facts.asserted(table))]

    # The quarantine

    def _check(self, changes: Changes) -> None:
        """Refuse rows that cannot become facts, where following stops at them."""
        for found in changes.after.values() if self._stops_at_bad_rows else ():
            raise failures.BAD_ROW.error(row=found.example, count=found.count)

    def _committed(self, changes: Changes) -> None:
        """The epoch of these changes was committed: report them."""
        for found, more, row in changes.news():
            if row is not None:
                LOG.warning(
                    "quarantine of `%s`: %+d rows, %d now: %s", found.table, more, found.count, found.describe(row)
                )
            else:
                LOG.info("quarantine of `%s`: %+d rows, %d now", found.table, more, found.count)
        self._take_over(changes.after)

    def _take_over(self, quarantine: Quarantine) -> None:
        self._quarantine = quarantine
        tables = tuple(quarantine[relation] for relation in sorted(quarantine))
        self._note(quarantine=tables, left_out=sum(table.count for table in tables))

    # The stream

    def _follow(self) -> None:
        assert self._progress.offset is not None
        self._stream = Stream(self._wire, self._own, self._progress.offset)
        self._note(state="following")
        self._begin()
        self._confirm()
        while not self._stopping():
            whole = self._ended is not None and not self._open  # between transactions
            frame = self._stream.read(0 if whole else LISTEN)
            if isinstance(frame, Data):
                self._take(frame)
            elif self._ended is not None and not self._open:  # nothing more waits
                self._commit(self._ended)
            if isinstance(frame, Alive):
                self._take_sign(frame)
            if frame is None or time.monotonic() - self._confirmed > CONFIRM_AFTER:
                self._confirm()
        self._confirm()

    def _begin(self) -> None:
        self._open, self._waiting, self.reads_up_to = False, 0, 0
        self._ended: Commit | None = None
        by_oid = {table.oid: table for table in self._tables}
        changes = Changes(self._quarantine)
        self._transaction = Transaction(by_oid, self._layouts, self._facts.find, self._facts.asserted, changes)

    def _take(self, frame: Data) -> None:
        message = decode(frame.message)
        if isinstance(message, Begin):
            self._open, self.reads_up_to = True, message.commit
        elif isinstance(message, Commit):
            self._end(message)
        elif not isinstance(message, Beside):
            self._transaction.take(message)

    def _end(self, message: Commit) -> None:
        """A transaction is whole; with others that wait it may be one epoch."""
        self._open, self._ended = False, message
        self._waiting += 1
        if self._waiting >= self._options.group:
            self._commit(message)

    def _commit(self, message: Commit) -> None:
        """The epoch of a transaction, or of several that waited; the last one's place is its offset."""
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
        applied = {} if epoch.number is None else {"epoch": epoch.number, "transactions": self._waiting}
        if applied:
            self._committed(changes)
        lag = time.time() - TIME_OF_2000 - message.time / 1_000_000
        self._note(place=message.end, lag=lag, current=True, **applied)
        self._begin()

    def _take_sign(self, sign: Alive) -> None:
        """The server is alive, and between transactions it has said all up to a place."""
        if not self._open and not self._waiting:
            if sign.end > (self._progress.offset or 0):
                self._move(sign.end)
            if sign.end >= self._system.end:  # else there is more to come from before this connection
                self._note(current=True, lag=0.0)
        if sign.wants_answer:
            self._confirm()

    def _move(self, place: int) -> None:
        """Nothing of ours happened up to a place; a state folder takes note of that only now and then."""
        if self._facts.lasts and place - (self._progress.offset or 0) > MOVE_AFTER:
            with self._engine.epoch(self._progress.source, place):
                pass
            self._progress = self._progress.at(place)
        elif not self._facts.lasts:
            self._progress = self._progress.at(place)
        self._note(place=place)

    def _confirm(self) -> None:
        self._confirmed = time.monotonic()
        asks = self._confirmed - self._asked > CONFIRM_AFTER
        self._stream.confirm(self._progress.offset or 0, wants_answer=asks)
        if asks:
            self._asked = self._confirmed
