"""The state of a follower, as a value.

Law: reading it never waits, and no text in it contains a password.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from tidelog.errors import TidelogError
from tidelog.follow.lsn import lsn_text
from tidelog.follow.quarantine import TableQuarantine

STARTING, SNAPSHOT, FOLLOWING = "starting", "snapshot", "following"
WAITING, REFUSED, STOPPED = "waiting", "refused", "stopped"
SHOWN = 10  # rows of a table's quarantine in a report


@dataclass(frozen=True, slots=True)
class Trouble:
    """The last error of a follower."""

    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Health:
    """The state of a follower, its progress, and its last error.

    ``state``: `starting`, `snapshot` (reading whole tables), `following`, `waiting` (to reconnect to the database),
    `refused` (an error that needs attention; the follower retries anyway), `stopped`. A state that reports an error
    lasts until the follower is past the position where it failed. ``place``: everything before this position in the
    database's log is in the engine. ``lag``: the delay in seconds from the commit of the last transaction to its epoch,
    by the two clocks, then 0 when the database reports that there is no more; it increases while the follower does not
    hear from the database or makes no progress. ``quarantine``: by table, the rows that currently cannot be converted
    to facts; ``left_out`` is their number.
    """

    state: str = STARTING
    place: int = 0
    lag: float = 0.0
    epoch: int = 0
    transactions: int = 0
    snapshots: int = 0
    reconnects: int = 0
    left_out: int = 0
    published: int = 0
    quarantine: tuple[TableQuarantine, ...] = ()
    trouble: Trouble | None = None

    def as_json(self, limit: int = SHOWN) -> dict[str, Any]:
        """As JSON values, with at most ``limit`` rows of each table in quarantine."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        trouble = None if self.trouble is None else asdict(self.trouble)
        tables = [table.as_json(limit) for table in self.quarantine]
        return {**plain, "place": lsn_text(self.place), "quarantine": tables, "trouble": trouble}


def trouble_of(error: Exception) -> Trouble:
    """An error as health reports it; of an unexpected exception, only its class."""
    if isinstance(error, TidelogError):
        return Trouble(error.code or "", str(error), error.hint or "")
    return Trouble("", f"unexpected exception: {type(error).__name__}", "See the log, and please report this.")
