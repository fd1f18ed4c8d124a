"""Views out: every epoch of the engine is one transaction in the tables that views are published in.

Law: a table and its row of the control table change in the same transaction, so that the database always says of which
epoch a table is. What a crash or a broken connection leaves undone is done from the engine's history; where that does
not reach, the table is compared with the view. Epochs never wait for the database.
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
from tidelog.follow.options import Options, PublishOption
from tidelog.follow.patience import Patience
from tidelog.follow.rows_out import apply, as_sent, replace_all
from tidelog.follow.target import Published, Target, find_target, make_target, read_control, write_control
from tidelog.follow.transaction import out_of_step

if TYPE_CHECKING:
    from psycopg import Connection

    from tidelog.engine.engine import Engine
    from tidelog.engine.write.epoch import Epoch

LOG = logging.getLogger("tidelog.follow")
MOST_WAITING = 10_000  # epochs; beyond, the history has them
LISTEN = 0.2  # seconds


class Publisher:
    """Keeps tables at what views say."""

    def __init__(self, engine: Engine, options: Options) -> None:
        self._engine, self._options = engine, options
        self._core = core_of(engine)
        self._history = History(engine)
        self._waiting: deque[tuple[Published, dict[str, ViewChange]]] = deque()
        self._news = threading.Condition()
        self._overflowed = False
        self._stop = threading.Event()
        self._patience = Patience()
        self._thread: threading.Thread | None = None
        self._at: dict[str, Published] = {}
        self.epoch = 0
        self.trouble: Trouble | None = None

    def check(self, followed: Sequence[FollowedTable]) -> None:
        """Refuse what cannot be published; nothing is changed."""
        with connect(self._options.dsn) as connection, database_errors(self._options.dsn, "to inspect tables"):
            for option in self._options.publish:
                target = find_target(connection, option, self._engine[option.view])
                for table in followed:
                    if target is not None and (table.schema, table.name) == (target.schema, target.name):
                        raise failures.CIRCLE.error(table=table.title, relation=table.relation)

    def start(self) -> None:
        """Publish on a thread."""
        self._core.listeners.append(self._hear)
        self._thread = threading.Thread(target=self._run, name="tidelog publish", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it; what is not written yet is written at the next start."""
        self._stop.set()
        if self._hear in self._core.listeners:
            self._core.listeners.remove(self._hear)
        if self._thread is not None:
            self._thread.join()

    def wait(self, epoch: int, seconds: float) -> bool:
        """Wait until an epoch is published; whether it came to that."""
        with self._news:
            return self._news.wait_for(lambda: self.epoch >= epoch, seconds)

    def _hear(self, epoch: Epoch) -> None:
        """After every commit, in the thread that commits, which has the turn."""
        try:
            changes = self._changes(epoch)
        except TidelogError:  # a view was removed with its rules: the epoch is committed, and the thread reports it
            changes = None
        with self._news:
            if changes is None or len(self._waiting) >= MOST_WAITING:
                self._overflowed = True
            if changes is not None and not self._overflowed:
                self._waiting.append((Published(epoch.number or 0, self._history.mark), changes))
            self._news.notify_all()

    def _changes(self, epoch: Epoch) -> dict[str, ViewChange]:
        changes = {}
        for option in self._options.publish:
            view = self._engine[option.view]
            change = epoch.changes[option.view]
            if change:
                plus, minus = as_sent(view, change.inserted.rows()), as_sent(view, change.deleted.rows())
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
            # A crash of the database loses the last transactions whole: the control table says so afterwards.
            connection.execute("SET synchronous_commit = off")
            targets = [self._ready(connection, option) for option in self._options.publish]
        self._begin_anew()
        for target in targets:
            with self._storing(target):
                self._catch_up(connection, target)
        self.trouble = None
        self._patience.reset()
        self._reached()
        while not self._stop.is_set() and not self._overflowed:
            found = self._take()
            if found is not None:
                with self._storing():
                    self._write(connection, targets, *found)
                self._reached()

    def _ready(self, connection: Connection[tuple[Any, ...]], option: PublishOption) -> Target:
        view = self._engine[option.view]
        target = find_target(connection, option, view)
        if target is None:
            make_target(connection, option, view)
            target = find_target(connection, option, view)
        assert target is not None
        return target

    def _begin_anew(self) -> None:
        """From here on every epoch waits to be written."""
        with self._core.writing, self._news:
            self._waiting.clear()
            self._overflowed = False
            self._now = Published(self._core.number, self._history.mark)

    def _catch_up(self, connection: Connection[tuple[Any, ...]], target: Target) -> None:
        """Bring a table to the epoch after which others wait, or to a later one."""
        before = read_control(connection, target)
        if before is not None and self._history.has(before.epoch, before.mark):
            net = self._history.net(target.view, before.epoch, self._now.epoch)
            view = self._engine[target.view]
            sent = ViewChange(net.epoch, as_sent(view, net.plus), as_sent(view, net.minus))
            try:
                with connection.transaction():
                    self._change(connection, target, sent, before, self._now)
                return
            except OutOfStep as error:
                LOG.warning("%s", error)
        self._compare(connection, target, before)

    def _compare(self, connection: Connection[tuple[Any, ...]], target: Target, before: Published | None) -> None:
        """Make a table what its view is now."""
        with self._core.writing:
            now = Published(self._core.number, self._history.mark)
            view = self._engine[target.view]
            rows = as_sent(view, view.rows())
        LOG.info("comparing `%s` with `%s` at epoch %d", target.title, target.view, now.epoch)
        with connection.transaction():
            replace_all(connection, target, rows)
            self._note(connection, target, before, now)
        self._at[target.title] = now

    def _write(
        self,
        connection: Connection[tuple[Any, ...]],
        targets: Sequence[Target],
        now: Published,
        changes: dict[str, ViewChange],
    ) -> None:
        """An epoch is one transaction."""
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
        before: Published,
        now: Published,
    ) -> None:
        """Inside a transaction: the rows and the control table."""
        if not apply(connection, target, change):
            raise out_of_step(f"rows of `{target.title}` were changed by another client")
        self._note(connection, target, before, now)
        self._at[target.title] = now

    def _note(
        self, connection: Connection[tuple[Any, ...]], target: Target, before: Published | None, now: Published
    ) -> None:
        if before != now and not write_control(connection, target, before, now):
            raise out_of_step(f"another client publishes in `{target.title}`")

    def _take(self) -> tuple[Published, dict[str, ViewChange]] | None:
        """The next epoch to write; of several that change no view the last one stands for all."""
        with self._news:
            self._news.wait_for(lambda: self._waiting or self._stop.is_set(), LISTEN)
            while len(self._waiting) > 1 and not self._waiting[0][1]:
                self._waiting.popleft()
            return self._waiting.popleft() if self._waiting else None

    def _reached(self) -> None:
        with self._news:
            self.epoch = min(published.epoch for published in self._at.values())
            self._news.notify_all()

    @contextmanager
    def _storing(self, target: Target | None = None) -> Iterator[None]:
        """Report what the database does not store with the names of view and table."""
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
