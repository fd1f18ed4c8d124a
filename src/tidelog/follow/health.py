"""How a follower fares, as a value to show.

Law: reading it waits for nobody, and no text in it has a password.
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
    """What a follower does, how far it is, and what went wrong last.

    ``state``: `starting`, `snapshot` (reading whole tables), `following`, `waiting` (for the database, to try again),
    `refused` (an error that somebody has to mend; it is tried again all the same), `stopped`. A state that reports an
    error lasts until the follower is past the place where it failed. ``place``: everything before it in the database's
    log is in the engine. ``lag``: seconds that the engine is behind the database: from the commit of the last
    transaction to its epoch, by the two clocks, then 0 when the database says that there is no more; it grows while the
    follower does not hear from the database, or gets nowhere. ``quarantine``: by table, the rows that cannot become
    facts now; ``left_out`` is how many they are.
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
        """As a server tells it, with so many rows of each table in quarantine."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        trouble = None if self.trouble is None else asdict(self.trouble)
        tables = [table.as_json(limit) for table in self.quarantine]
        return {**plain, "place": lsn_text(self.place), "quarantine": tables, "trouble": trouble}


def trouble_of(error: Exception) -> Trouble:
    """An error as health tells it; of one that is not ours, its kind alone."""
    if isinstance(error, TidelogError):
        return Trouble(error.code or "", str(error), error.hint or "")
    return Trouble("", f"unexpected exception: {type(error).__name__}", "See the log, and please report this.")
