"""Encoded rows and dictionary entries from Spark tasks straight to the partitions.

Law: every row goes to the owner of its location (or to partition 0, or to all), every entry to the owner of its id, and
nothing to the driver but counts. A task that Spark runs twice delivers twice, under two attempt keys; the driver hears
of exactly one attempt per Spark partition, and only attempts that it heard of count. A bad row makes the whole batch
bad: the driver refuses it, and the partitions drop the stage.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException, PythonException
from pyspark.sql import DataFrame

from tidelog.errors import DataError
from tidelog.rewrite.place.placement import Placement
from tidelog.spark.rows.deliver import OWNER, REPORT, Delivery
from tidelog.spark.rows.encode import EncodedArrival
from tidelog.spark.rows.failures import ROWS_NOT_READ, ROWS_REFUSED
from tidelog.spark.rows.ids import owner_column
from tidelog.spark.rows.tables import Endpoint
from tidelog.spark.session.interpreter import map_in_arrow

RAISED = re.compile(r"[\w.]+(Error|Exception)\b")  # the last line of a traceback
SHOWN = 500
LITTLE = 32 << 20  # bytes for one task: more are better shared out by Spark's own rules


@dataclass(frozen=True, slots=True)
class Counts:
    """What one task attempt delivered."""

    rows: int
    entries: int


def send(
    encoded: EncodedArrival, placement: Placement, endpoints: Sequence[Endpoint], stage_id: str, tasks: int = 0
) -> list[tuple[str, Counts]]:
    """Deliver all rows; returns the attempts that count. After any error the partitions have to drop the stage.

    ``tasks`` is how many can run at once: little data is not spread over more. An error that an endpoint raised is
    raised here as it was; bad rows and a source that fails are a DataError.
    """
    frame = encoded.frame
    owned = placement.column >= 0
    if owned:
        frame = frame.selectExpr("*", f"{owner_column(f'c{placement.column}', len(endpoints))} AS `{OWNER}`")
    kinds = tuple((place, encoded.types[place] == "list") for place in encoded.hashed)
    delivery = Delivery(
        encoded.relation, len(encoded.types), kinds, tuple(endpoints), stage_id, owned, placement.is_mirrored
    )
    try:
        if tasks and estimated_size(encoded.source) < tasks * LITTLE:
            frame = frame.coalesce(tasks)
        reports = map_in_arrow(frame, delivery, REPORT).collect()
    except PySparkException as error:
        raise ROWS_NOT_READ.error(relation=encoded.relation, said=first_line(error)) from error
    for report in reports:
        if report.failure is not None:
            raise pickle.loads(report.failure)
    bad = sum(report.bad for report in reports)
    if bad:
        if encoded.exact is not None:
            encoded.exact()
        raise _refusal(encoded.relation, bad, next(r for r in reports if r.bad))
    return [(r.attempt, Counts(r.rows, r.entries)) for r in reports]


def estimated_size(df: DataFrame) -> int:
    """How many bytes Catalyst takes a DataFrame to have; nothing is read for it. Where it has no idea, very many."""
    return int(str(df._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))


def _refusal(relation: str, bad: int, report: Any) -> DataError:
    count = "1 row does" if bad == 1 else f"{bad:,} rows do"
    return ROWS_REFUSED.error(relation=relation, count=count, example=report.example, reason=report.reason)


def first_line(error: BaseException) -> str:
    """The line of a Spark error that says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    if not isinstance(error, PythonException):
        return lines[0][:SHOWN]
    raised = [line for line in lines if RAISED.match(line)] or lines
    return raised[-1][:SHOWN]
