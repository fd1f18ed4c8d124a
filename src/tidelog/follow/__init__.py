"""Live from PostgreSQL: relations follow tables, and tables follow views.

Law: every transaction of the database is one epoch, exactly once over restarts of either side; every epoch is one
transaction in the tables in which views are published. See docs/reference/postgresql.md.
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
    """A follower of a database: ``start()`` it, or ``run()`` it in this thread; a ``with`` block stops it at its end.

    ``tables`` maps relations to the tables they follow: ``{"link": "public.link"}``, or to some of their columns:
    ``{"link": "public.link(source, target)"}``. ``publish`` maps views to the tables they are published to. ``slot`` is
    the name of the replication slot, and of the publication unless ``publication`` is given. Up to ``group`` pending
    transactions are combined into one epoch. With ``jdbc``, an engine on Spark reads the first snapshot in Spark tasks;
    the session needs the driver in its `spark.jars`. A row that cannot be converted to a fact, for example because it
    contains a null, is kept in `Health.quarantine`; with ``on_bad_row="stop"`` it stops following instead.
    """
    options = make_options(dsn, tables, publish or {}, slot, publication, numeric, group, jdbc, on_bad_row)
    return Follower(engine, options, patience or Patience())
