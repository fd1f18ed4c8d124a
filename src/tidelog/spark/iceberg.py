"""The changes of an Iceberg table as epochs.

Law: the snapshot up to which a table was read is a fact of `iceberg_position`, changed in the same epoch as the rows.
So every change of the table is applied once, whatever fails in between. (Structured Streaming reads only the insertions
of an Iceberg table; all changes are read between two snapshots, by Iceberg's `create_changelog_view`.)
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tidelog.errors import TidelogError
from tidelog.io.nulls import Policy
from tidelog.io.signed import FEED_CHANGE
from tidelog.spark.merged_table import quoted
from tidelog.spark.rows.send import first_line
from tidelog.spark.spark_failures import TABLE_CHANGES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POSITION = "iceberg_position"
DECLARED = f".decl {POSITION}(table: symbol, snapshot: number)"


def read_iceberg(
    spark: SparkSession,
    db: Any,
    table: str,
    relation: str,
    *,
    columns: Sequence[str] | None = None,
    nulls: Policy | None = None,
) -> Any | None:
    """Commit what changed in an Iceberg table since the last call as one epoch: at first, all of its rows.

    ``table`` is the name with the catalogue, such as ``lake.db.flights``; ``columns`` are those to read, by default
    all: rows must differ in them. Returns the epoch, or None if the table has no new snapshot.

    Raises:
        StateError: Spark cannot read the changes, for example because Iceberg has expired the snapshots.
    """
    known = dict(iter(db.asserted(POSITION))) if POSITION in db.relations else {}
    since, view = known.get(table), f"tidelog_{uuid.uuid4().hex}"
    selected = ", ".join(map(quoted, columns)) if columns else "*"
    try:
        found = spark.sql(f"SELECT snapshot_id FROM {table}.refs WHERE name = 'main'").first()
        now = None if found is None else found[0]
        if now is None or now == since:
            return None
        if since is None:
            rows = spark.sql(f"SELECT {selected} FROM {table} VERSION AS OF {now}")
        elif _is_ancestor(spark, table, since):
            catalogue, _, name = table.partition(".")
            between = f"map('start-snapshot-id', '{since}', 'end-snapshot-id', '{now}')"
            spark.sql(
                f"CALL {catalogue}.system.create_changelog_view("
                f"table => '{name}', options => {between}, changelog_view => '{view}')"
            )
            rows = spark.table(view).select(*columns, FEED_CHANGE) if columns else spark.table(view)
        else:
            raise TABLE_CHANGES.error(table=table, since=since, error="the current snapshot does not descend from it")
    except TidelogError:
        raise
    except Exception as error:  # of Spark or of Java: they have no common base class
        raise TABLE_CHANGES.error(table=table, since=since, error=first_line(error)) from error
    try:
        with db.epoch() as epoch:
            if POSITION not in db.relations:
                epoch.declare(DECLARED)
            if since is None:
                epoch.insert(relation, rows, nulls=nulls)
            else:
                epoch.change(relation, rows, FEED_CHANGE, nulls=nulls)
                epoch.delete(POSITION, [(table, since)])
            epoch.insert(POSITION, [(table, now)])
    finally:
        spark.catalog.dropTempView(view)
    return epoch


def _is_ancestor(spark: SparkSession, table: str, snapshot: int) -> bool:
    """Whether a snapshot and all from it to the current one exist; Iceberg notices only when it reads the rows."""
    history = f"SELECT snapshot_id FROM {table}.history WHERE is_current_ancestor AND snapshot_id = {snapshot}"
    return spark.sql(f"{history} INTERSECT SELECT snapshot_id FROM {table}.snapshots").first() is not None
