"""Live from PostgreSQL: tables become relations that follow them, views become tables that follow those.

Law: every transaction of the database is one epoch, exactly once over restarts of either side; every epoch is one
transaction in the tables that views are published in. See docs/reference/postgresql.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tidelog.follow.errors import FollowError
from tidelog.follow.follower import Follower
from tidelog.follow.health import Health
from tidelog.follow.options import SLOT, make_options
from tidelog.follow.patience import Patience

if TYPE_CHECKING:
    from tidelog.engine.engine import Engine
    from tidelog.follow.options import OnBadRow
    from tidelog.follow.types import Numeric

__all__ = ["FollowError", "Follower", "Health", "follow"]


def follow(
    engine: Engine,
    dsn: str,
    *,
    tables: Mapping[str, str],
    publish: Mapping[str, str] | None = None,
    slot: str = SLOT,
    publication: str | None = None,
    numeric: Numeric = "text",
    group: int = 1,
    jdbc: bool = False,
    on_bad_row: OnBadRow = "quarantine",
    patience: Patience | None = None,
) -> Follower:
    """A follower of a database: ``start()`` it, or ``run()`` it in this thread; ``with`` stops it.

    ``tables`` says which relation follows which table: ``{"link": "public.link"}``, or some of its columns:
    ``{"link": "public.link(source, target)"}``. ``publish`` says which view goes into which table. ``slot`` is the name
    of the replication slot, and of the publication unless that is named too. With ``group`` transactions that wait
    already become one epoch, so many at most. With ``jdbc`` an engine on Spark reads the first snapshot in Spark's
    tasks; the session has the driver in its `spark.jars`. A row that cannot become a fact, for instance since it has a
    null, is kept in `Health.quarantine`; with ``on_bad_row="stop"`` it stops following instead.
    """
    options = make_options(dsn, tables, publish or {}, slot, publication, numeric, group, jdbc, on_bad_row)
    return Follower(engine, options, patience or Patience())
