"""Publish views: every epoch of the engine is one transaction in the tables of the published views.

Law: a table and its row in the control table change in the same transaction, so that the control table always has the
epoch of the table. After a crash or a broken connection, the missing changes come from the engine's history; if it does
not go back far enough, the table is compared with the view. Epochs never wait for the database.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidelog.engine.engine import core_of
from tidelog.errors import TidelogError
from tidelog.follow import follow_failures as failures
from tidelog.follow.catalog import FollowedTable
from tidelog.follow.connect import connect, database_errors, driver, without_secrets
from tidelog.follow.errors import OutOfStep
from tidelog.follow.health import Trouble, trouble_of
from tidelog.follow.history import History, ViewChange
from tidelog.follow.options import FollowOptions, PublishOption
from tidelog.follow.patience import Patience
from tidelog.follow.rows_out import apply, replace_all, to_wire_rows
from tidelog.follow.target import PublishedEpoch, Target, find_target, make_target, read_control, write_control
from tidelog.follow.transaction import out_of_step

if TYPE_CHECKING:
    from psycopg import Connection

    from tidelog.engine.engine import Engine
    from tidelog.engine.write.epoch import Epoch

LOG = logging.getLogger("tidelog.follow")
QUEUE_LIMIT = 10_000  # epochs; later ones are read from the history
LISTEN = 0.2  # seconds


class Publisher:
    """Keeps tables equal to views."""

    def __init__(self, engine: Engine, options: FollowOptions) -> None:
        self._engine, self._options = engine, options
        self._core = core_of(engine)
        self._history = History(engine)
        self._queue: deque[tuple[PublishedEpoch, dict[str, ViewChange]]] = deque()
        self._news = threading.Condition()
        self._overflowed = False
        self._stop = threading.Event()
        self._patience = Patience()
        self._thread: threading.Thread | None = None
        self._at: dict[str, PublishedEpoch] = {}
        self.epoch = 0
        self.trouble: Trouble | None = None

    def check(self, followed: Sequence[FollowedTable]) -> None:
        """Raise if a view cannot be published; nothing is changed."""
        with connect(self._options.dsn) as connection, database_errors(self._options.dsn, "to inspect tables"):
            for option in self._options.publish:
                target = find_target(connection, option, self._engine[option.view])
                for table in followed:
                    if target is not None and (table.schema, table.name) == (target.schema, target.name):
                        raise failures.CIRCLE.error(table=table.title, relation=table.relation)

    def start(self) -> None:
        """Publish on a thread."""
        self._core.listeners.append(self._on_commit)
        self._thread = threading.Thread(target=self._run, name="tidelog publish", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop publishing; pending epochs are written after the next start."""
        self._stop.set()
        if self._on_commit in self._core.listeners:
            self._core.listeners.remove(self._on_commit)
        if self._thread is not None:
            self._thread.join()

    def wait(self, epoch: int, seconds: float) -> bool:
        """Wait until an epoch is published; returns whether it is."""
        with self._news:
            return self._news.wait_for(lambda: self.epoch >= epoch, seconds)

    def _on_commit(self, epoch: Epoch) -> None:
        """Called after every commit, in the committing thread, which has the turn."""
        try:
            changes = None if epoch.breaks_feeds else self._changes(epoch)
        except TidelogError:  # a view was removed with its rules: the epoch is committed, and the thread reports it
            changes = None
        with self._news:
            if changes is None or len(self._queue) >= QUEUE_LIMIT:
                self._overflowed = True
            if changes is not None and not self._overflowed:
                self._queue.append((PublishedEpoch(epoch.number or 0, self._history.mark), changes))
            self._news.notify_all()

    def _changes(self, epoch: Epoch) -> dict[str, ViewChange]:
        changes = {}
        for option in self._options.publish:
            view = self._engine[option.view]
            change = epoch.changes[option.view]
            if change:
                plus, minus = to_wire_rows(view, change.inserted.rows()), to_wire_rows(view, change.deleted.rows())
                changes[option.view] = ViewChange(epoch.number or 0, plus, minus)
        return changes

    # The thread

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with connect(self._options.dsn) as connection:
                    self._publish(connection)
            except TidelogError as error:
                self._rest(error)
            except Exception as error:  # a defect of ours, as in `follower`
                LOG.exception("unexpected exception in the publisher")
                self._rest(error)

    def _rest(self, error: Exception) -> None:
        self.trouble = trouble_of(error)
        LOG.warning("%s: %s", self.trouble.code, self.trouble.message)
        self._stop.wait(self._patience.next())

    def _publish(self, connection: Connection[tuple[Any, ...]]) -> None:
        with self._storing():
            # If the database crashes, it loses whole transactions, and the control table has the epoch before them.
            connection.execute("SET synchronous_commit = off")
            targets = [self._ready(connection, option) for option in self._options.publish]
        self._reset_queue()
        for target in targets:
            with self._storing(target):
                self._catch_up(connection, target)
        self.trouble = None
        self._patience.reset()
        self._report_epoch()
        while not self._stop.is_set() and not self._overflowed:
            item = self._take()
            if item is not None:
                with self._storing():
                    self._write(connection, targets, *item)
                self._report_epoch()

    def _ready(self, connection: Connection[tuple[Any, ...]], option: PublishOption) -> Target:
        view = self._engine[option.view]
        target = find_target(connection, option, view)
        if target is None:
            make_target(connection, option, view)
            target = find_target(connection, option, view)
        assert target is not None
        return target

    def _reset_queue(self) -> None:
        """Discard the queue; every epoch from now on is added to it."""
        with self._core.writing, self._news:
            self._queue.clear()
            self._overflowed = False
            self._now = PublishedEpoch(self._core.number, self._history.mark)

    def _catch_up(self, connection: Connection[tuple[Any, ...]], target: Target) -> None:
        """Bring a table to the epoch before the first one in the queue, or to a later epoch."""
        before = read_control(connection, target)
        if before is not None and self._history.has(before.epoch, before.mark):
            net = self._history.net(target.view, before.epoch, self._now.epoch)
            view = self._engine[target.view]
            change = ViewChange(net.epoch, to_wire_rows(view, net.plus), to_wire_rows(view, net.minus))
            try:
                with connection.transaction():
                    self._change(connection, target, change, before, self._now)
                return
            except OutOfStep as error:
                LOG.warning("%s", error)
        self._compare(connection, target, before)

    def _compare(self, connection: Connection[tuple[Any, ...]], target: Target, before: PublishedEpoch | None) -> None:
        """Make a table equal to its view."""
        with self._core.writing:
            now = PublishedEpoch(self._core.number, self._history.mark)
            view = self._engine[target.view]
            rows = to_wire_rows(view, view.rows())
        LOG.info("comparing `%s` with `%s` at epoch %d", target.title, target.view, now.epoch)
        with connection.transaction():
            replace_all(connection, target, rows)
            self._note(connection, target, before, now)
        self._at[target.title] = now

    def _write(
        self,
        connection: Connection[tuple[Any, ...]],
        targets: Sequence[Target],
        now: PublishedEpoch,
        changes: dict[str, ViewChange],
    ) -> None:
        """Write an epoch in one transaction."""
        late = [target for target in targets if self._at[target.title].epoch < now.epoch]
        with connection.transaction():
            for target in late:
                change = changes.get(target.view, ViewChange(now.epoch, [], []))
                self._change(connection, target, change, self._at[target.title], now)
        for target in late:
            self._at[target.title] = now

    def _change(
        self,
        connection: Connection[tuple[Any, ...]],
        target: Target,
        change: ViewChange,
        before: PublishedEpoch,
        now: PublishedEpoch,
    ) -> None:
        """Within a transaction, change the rows and the control table."""
        if not apply(connection, target, change):
            raise out_of_step(f"rows of `{target.title}` were changed by another client")
        self._note(connection, target, before, now)
        self._at[target.title] = now

    def _note(
        self,
        connection: Connection[tuple[Any, ...]],
        target: Target,
        before: PublishedEpoch | None,
        now: PublishedEpoch,
    ) -> None:
        if before != now and not write_control(connection, target, before, now):
            raise out_of_step(f"another client publishes in `{target.title}`")

    def _take(self) -> tuple[PublishedEpoch, dict[str, ViewChange]] | None:
        """The next epoch to write; of several that change no view, only the last one."""
        with self._news:
            self._news.wait_for(lambda: self._queue or self._stop.is_set(), LISTEN)
            while len(self._queue) > 1 and not self._queue[0][1]:
                self._queue.popleft()
            return self._queue.popleft() if self._queue else None

    def _report_epoch(self) -> None:
        with self._news:
            self.epoch = min(published.epoch for published in self._at.values())
            self._news.notify_all()

    @contextmanager
    def _storing(self, target: Target | None = None) -> Iterator[None]:
        """Convert errors of rows that the database cannot store, with the names of view and table."""
        postgres = driver()
        names = ", ".join(option.view for option in self._options.publish), "the database"
        view, table = names if target is None else (target.view, target.title)
        too_large = postgres.errors.ProgramLimitExceeded
        with database_errors(self._options.dsn, "to publish"):
            try:
                yield
            except (postgres.DataError, postgres.IntegrityError, too_large, UnicodeEncodeError) as error:
                why = without_secrets(str(error), self._options.dsn)
                raise failures.NOT_STORED.error(view=view, table=table, why=why) from None
