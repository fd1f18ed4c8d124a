"""A follower: a thread that keeps an engine at what a database says, whatever breaks.

Law: it ends only when it is told to, or when the engine is closed. A connection that breaks is made again, later and
later; an error that somebody has to mend is told in `health`, and tried again all the same.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tidelog.engine.failures import CLOSED
from tidelog.errors import TidelogError
from tidelog.follow.errors import OutOfStep, Unreachable
from tidelog.follow.health import FOLLOWING, REFUSED, SNAPSHOT, STARTING, STOPPED, WAITING, Health, trouble_of
from tidelog.follow.link import Link, look_at_tables
from tidelog.follow.lsn import lsn_text
from tidelog.follow.options import Options
from tidelog.follow.patience import Patience
from tidelog.follow.publisher import Publisher

if TYPE_CHECKING:
    from tidelog.engine.engine import Engine

LOG = logging.getLogger("tidelog.follow")
COUNTED = ("transactions", "snapshots", "reconnects", "left_out")


class Follower:
    """Follows a database in the background; see `follow`."""

    def __init__(self, engine: Engine, options: Options, patience: Patience) -> None:
        self.options = options
        self._engine = engine
        self._patience = patience
        self._stop = threading.Event()
        self._moved = threading.Condition()
        self._health = Health()
        self._thread: threading.Thread | None = None
        self._why = ""  # a new snapshot is needed
        self._publisher = Publisher(engine, options) if options.publish else None

    @property
    def health(self) -> Health:
        """How it fares."""
        published = 0 if self._publisher is None else self._publisher.epoch
        trouble = self._health.trouble or (None if self._publisher is None else self._publisher.trouble)
        return replace(self._health, published=published, trouble=trouble)

    def check(self) -> None:
        """Look at the database, and raise what has to be mended before it can be followed; nothing is changed."""
        tables = look_at_tables(self._engine, self.options)
        if self._publisher is not None:
            self._publisher.check(tables)

    def start(self) -> Follower:
        """Check, then follow on a thread; a database that cannot be reached now is tried again there."""
        try:
            self.check()
        except Unreachable as error:
            self._tell(error, WAITING)
        return self.start_unchecked()

    def start_unchecked(self) -> Follower:
        """Follow on a thread; what has to be mended is told by `health`."""
        self._thread = threading.Thread(target=self.run, name="tidelog follow", daemon=True)
        self._thread.start()
        return self

    def run(self) -> None:
        """Follow, in the thread that calls, until `stop`."""
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
        """End it; what was committed is confirmed to the database."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def wait(self, place: int, seconds: float = 60.0) -> bool:
        """Wait until everything before a place of the database's log is in the engine; whether it came to that."""
        with self._moved:
            return self._moved.wait_for(lambda: self._health.place >= place, seconds)

    def wait_published(self, epoch: int, seconds: float = 60.0) -> bool:
        """Wait until the views of an epoch are in the database; whether it came to that."""
        return self._publisher is None or self._publisher.wait(epoch, seconds)

    def __enter__(self) -> Follower:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # The loop

    def _once(self) -> None:
        """One connection, to its end."""
        why, self._why = self._why, ""
        try:
            self._note(state=STARTING)
            Link(self._engine, self.options, self._note, self._stop.is_set, why).run()
        except OutOfStep as error:
            self._why = str(error)
            self._tell(error, SNAPSHOT)
        except Unreachable as error:
            self._rest(error, WAITING, why)
        except TidelogError as error:
            if error.code == CLOSED.code:
                self._stop.set()
            self._rest(error, REFUSED, why)
        except Exception as error:  # a defect of ours; views are still served, and somebody has to see it
            LOG.exception("the follower failed")
            self._rest(error, REFUSED, why)

    def _rest(self, error: Exception, state: str, why: str) -> None:
        self._why = self._why or why
        self._tell(error, state)
        self._note(reconnects=1)
        self._stop.wait(self._patience.next())

    def _tell(self, error: Exception, state: str) -> None:
        trouble = trouble_of(error)
        LOG.warning("%s: %s", trouble.code, trouble.message)
        self._note(state=state, trouble=trouble)

    def _note(self, **changes: Any) -> None:
        """Take note of what a link says."""
        if why := changes.pop("why", ""):
            LOG.info("a snapshot is taken: %s", why)
        if changes.get("state") == FOLLOWING:
            LOG.info("following from %s on", lsn_text(self._health.place))
            changes["trouble"] = None
            self._patience.reset()
        now = self._health
        counted = {name: getattr(now, name) + changes[name] for name in COUNTED if name in changes}
        with self._moved:
            self._health = replace(now, **{**changes, **counted})
            self._moved.notify_all()
