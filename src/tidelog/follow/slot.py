"""The replication slot: the position in the database's log up to which a follower has received everything.

Law: the slot is never beyond the offset in the state folder. If it is, the folder is an older copy, and the changes
between the two are no longer in the stream. Without a state folder, the slot lasts as long as its connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidelog.follow.connect import database_errors
from tidelog.follow.lsn import read_lsn
from tidelog.follow.options import FollowOptions

if TYPE_CHECKING:
    from psycopg import Connection

SLOT = """
SELECT plugin, database, active, confirmed_flush_lsn::text, wal_status, slot_type
FROM pg_replication_slots WHERE slot_name = %s
"""


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot as the database describes it."""

    plugin: str | None
    database: str | None
    active: bool
    confirmed: int
    lost: bool
    logical: bool


@dataclass(frozen=True, slots=True)
class NewSlot:
    """A newly created slot; ``snapshot`` names the state of the database from which it streams all changes."""

    place: int
    snapshot: str


@dataclass(frozen=True, slots=True)
class System:
    """The identity of a database, and where its log ends."""

    name: str
    end: int


def look(connection: Connection[tuple[Any, ...]], options: FollowOptions) -> Slot | None:
    """The slot with this name, or None."""
    with database_errors(options.dsn, "to inspect replication slots"):
        row = connection.execute(SLOT, (options.slot,)).fetchone()
    if row is None:
        return None
    plugin, database, active, confirmed, status, kind = row
    place = read_lsn(confirmed) if confirmed else 0
    return Slot(plugin, database, active, place, status == "lost", kind == "logical")


def create(connection: Connection[tuple[Any, ...]], options: FollowOptions, *, temporary: bool) -> NewSlot:
    """Create the slot over a replication connection, which keeps its snapshot until its next command."""
    kind = "TEMPORARY " if temporary else ""
    with database_errors(options.dsn, f"to create the replication slot `{options.slot}`"):
        command = f'CREATE_REPLICATION_SLOT "{options.slot}" {kind}LOGICAL pgoutput EXPORT_SNAPSHOT'
        row = connection.execute(command.encode()).fetchone()
    assert row is not None
    return NewSlot(read_lsn(row[1]), row[2])


def drop(connection: Connection[tuple[Any, ...]], options: FollowOptions) -> None:
    """Remove the slot."""
    with database_errors(options.dsn, f"to drop the replication slot `{options.slot}`"):
        connection.execute("SELECT pg_drop_replication_slot(%s)", (options.slot,))


def identify(connection: Connection[tuple[Any, ...]], options: FollowOptions) -> System:
    """The identity of the database and the end of its log, over a replication connection."""
    with database_errors(options.dsn, "to identify the system"):
        row = connection.execute("IDENTIFY_SYSTEM").fetchone()
    assert row is not None
    return System(f"{row[0]}/{row[3]}", read_lsn(row[2]))
