"""A follower: a thread that keeps the relations of an engine equal to tables of a database.

Law: it ends only when `stop` is called or the engine is closed. A broken connection is reopened, with increasing
delays; an error that needs attention is reported in `health` and retried anyway. An error in the middle of a
transaction is resolved when the follower is past that transaction, not when it has reconnected.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tidelog.engine.base.engine_failures import CLOSED
from tidelog.errors import TidelogError
from tidelog.follow.errors import BadRow, OutOfStep, Unreachable
from tidelog.follow.health import FOLLOWING, REFUSED, SNAPSHOT, STOPPED, WAITING, Health, trouble_of
from tidelog.follow.link import Link, inspect_tables
from tidelog.follow.lsn import lsn_text
from tidelog.follow.options import FollowOptions
from tidelog.follow.patience import Patience
from tidelog.follow.publisher import Publisher

if TYPE_CHECKING:
    from tidelog.engine.engine import Engine

LOG = logging.getLogger("tidelog.follow")
COUNTED = ("transactions", "snapshots", "reconnects")
SILENCE = 3.0  # seconds without confirmation that nothing is missing, after which the lag increases


class Follower:
    """Follows a database in the background; see `follow`."""

    def __init__(self, engine: Engine, options: FollowOptions, patience: Patience) -> None:
        self.options = options
        self._engine = engine
        self._patience = patience
        self._stop = threading.Event()
        self._moved = threading.Condition()
        self._health = Health()
        self._thread: threading.Thread | None = None
        self._why = ""  # why a new snapshot is needed, if it is
        self._failed_at = 0  # the end of the transaction in which the last error occurred, if any
        self._current = time.monotonic()  # when the follower was last known to be up to date
        self._publisher = Publisher(engine, options) if options.publish else None

    @property
    def health(self) -> Health:
        """The state of the follower."""
        now, late = self._health, time.monotonic() - self._current
        lag = now.lag + late if late > SILENCE and self.options.tables and now.state != STOPPED else now.lag
        published = 0 if self._publisher is None else self._publisher.epoch
        trouble = now.trouble or (None if self._publisher is None else self._publisher.trouble)
        return replace(now, lag=lag, published=published, trouble=trouble)

    def check(self) -> None:
        """Check the database, and raise an error for anything to be fixed before following; nothing is changed."""
        tables = inspect_tables(self._engine, self.options)
        if self._publisher is not None:
            self._publisher.check(tables)

    def start(self) -> Follower:
        """Check, then follow on a thread, which retries if the database cannot be reached."""
        try:
            self.check()
        except Unreachable as error:
            self._report(error, WAITING)
        return self.start_unchecked()

    def start_unchecked(self) -> Follower:
        """Follow on a thread; problems are reported by `health`."""
        self._thread = threading.Thread(target=self.run, name="tidelog follow", daemon=True)
        self._thread.start()
        return self

    def run(self) -> None:
        """Follow in the calling thread until `stop` is called."""
        if self._publisher is not None:
            self._publisher.start()
        try:
            while not self._stop.is_set():
                self._once() if self.options.tables else self._stop.wait()
        finally:
            if self._publisher is not None:
                self._publisher.stop()
            self._note(state=STOPPED)

    def stop(self) -> None:
        """Stop following; committed transactions are confirmed to the database."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def wait(self, place: int, seconds: float = 60.0) -> bool:
        """Wait until everything before a position in the database's log is in the engine; returns whether it is."""
        with self._moved:
            return self._moved.wait_for(lambda: self._health.place >= place, seconds)

    def wait_published(self, epoch: int, seconds: float = 60.0) -> bool:
        """Wait until the views of an epoch are in the database; returns whether they are."""
        return self._publisher is None or self._publisher.wait(epoch, seconds)

    def __enter__(self) -> Follower:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # The loop

    def _once(self) -> None:
        """Follow over one connection, until it ends."""
        link = Link(self._engine, self.options, self._note, self._stop.is_set, self._why)
        try:
            link.run()
        except Unreachable as error:
            self._rest(error, WAITING)
        except OutOfStep as error:
            self._why = str(error)
            self._rest(error, SNAPSHOT)
        except TidelogError as error:
            if error.code == CLOSED.code:
                self._stop.set()
            if isinstance(error, BadRow):
                self._why = "a row could not be converted to a fact"
            self._rest(error, REFUSED, link.reads_up_to)
        except Exception as error:  # a defect in Tidelog: log it; views are still served
            LOG.exception("unexpected exception in the follower")
            self._rest(error, REFUSED, link.reads_up_to)

    def _rest(self, error: Exception, state: str, failed_at: int = 0) -> None:
        """Report an error, and wait before the next attempt."""
        self._failed_at = max(self._failed_at, failed_at)
        self._report(error, state)
        self._note(reconnects=1)
        self._stop.wait(self._patience.next())

    def _report(self, error: Exception, state: str) -> None:
        trouble = trouble_of(error)
        LOG.warning("%s: %s", trouble.code, trouble.message)
        self._note(state=state, trouble=trouble)

    def _note(self, **changes: Any) -> None:
        """Record the progress that a link reports."""
        if why := changes.pop("why", ""):
            LOG.info("taking a snapshot: %s", why)
        if changes.get("snapshots"):
            self._why, self._failed_at = "", 0
        if self._failed_at and changes.get("place", 0) > self._failed_at:
            self._failed_at = 0
            changes["state"] = FOLLOWING
        if changes.pop("current", False):
            if self._failed_at:
                del changes["lag"]
            else:
                self._current = time.monotonic()
                self._patience.reset()
        if changes.get("state") == FOLLOWING:
            if self._failed_at:
                del changes["state"]
            else:
                LOG.info("following from %s", lsn_text(changes.get("place", self._health.place)))
                changes["trouble"] = None
        now = self._health
        counted = {name: getattr(now, name) + changes[name] for name in COUNTED if name in changes}
        with self._moved:
            self._health = replace(now, **{**changes, **counted})
            self._moved.notify_all()
