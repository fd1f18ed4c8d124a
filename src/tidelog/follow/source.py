"""A database that a server follows: a follower with the interface `serve.sources.Source`.

Law: it is created before the engine, started when the server is ready, and stopped before the engine is closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidelog.follow.connect import place_of
from tidelog.follow.errors import Unreachable
from tidelog.follow.follower import Follower
from tidelog.follow.health import STARTING
from tidelog.follow.options import FollowOptions
from tidelog.follow.patience import Patience

if TYPE_CHECKING:
    from tidelog.engine.engine import Engine


class DatabaseSource:
    """A database whose changes an engine applies in addition to requests."""

    def __init__(self, options: FollowOptions) -> None:
        self.name = f"postgresql {options.slot}"
        self._options = options
        self._follower: Follower | None = None

    def check(self, engine: Engine) -> None:
        """Raise an error for anything to be fixed before following; an unreachable database is retried later."""
        try:
            Follower(engine, self._options, Patience()).check()
        except Unreachable:
            return

    def start(self, engine: Engine) -> None:
        """Follow, on a thread."""
        self._follower = Follower(engine, self._options, Patience()).start_unchecked()

    def stop(self) -> None:
        """Stop following."""
        if self._follower is not None:
            self._follower.stop()

    def health(self) -> dict[str, Any]:
        """`state`, `detail`, the fields of `Health`, and the first rows in quarantine."""
        if self._follower is None:
            return {"state": STARTING, "detail": ""}
        health = self._follower.health
        trouble = health.trouble
        detail = place_of(self._options.dsn) if trouble is None else f"{trouble.code}: {trouble.message}"
        return {**health.as_json(), "detail": detail}

    def quarantine(self) -> list[dict[str, Any]]:
        """By table, the rows in quarantine that are kept in detail."""
        return [] if self._follower is None else [table.as_json() for table in self._follower.health.quarantine]
