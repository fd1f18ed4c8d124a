"""Send encoded rows and dictionary entries from Spark tasks directly to the partitions.

Law: every row is sent to the owner of its location (or to partition 0, or to all), every entry to the owner of its id,
and nothing to the driver but counts, and rows that are plain and few (`plain`). A task that Spark runs twice delivers
twice, under two attempt keys; the driver receives the report of exactly one attempt per Spark partition, and only
reported attempts count. A bad row makes the whole batch bad: the driver refuses it, and the partitions discard the
staged rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException, PythonException

from tidelog.io.signed import refusal
from tidelog.rewrite.place.placement import Placement
from tidelog.spark.resident.wire import decode
from tidelog.spark.rows.deliver import OWNER, REPORT, Delivery
from tidelog.spark.rows.encode import EncodedArrival
from tidelog.spark.rows.ids import owner_column
from tidelog.spark.rows.plain import SignedCells, few_rows
from tidelog.spark.rows.rows_failures import ROWS_NOT_READ
from tidelog.spark.rows.tables import RowEndpoint
from tidelog.spark.session.access import access
from tidelog.spark.session.interpreter import map_in_arrow

RAISED = re.compile(r"[\w.]+(Error|Exception)\b")  # the last line of a traceback
SHOWN = 500
LITTLE = 32 << 20  # bytes for one task: larger data is better distributed by Spark's own rules


@dataclass(frozen=True, slots=True)
class Counts:
    """What one task attempt delivered."""

    rows: int
    entries: int


@dataclass(frozen=True, slots=True)
class SendResult:
    """The task attempts that count, or the rows themselves by sign, if there are few."""

    attempts: tuple[str, ...] = ()
    rows: SignedCells = field(default_factory=list)


def hand_over(
    encoded: EncodedArrival, placement: Placement, endpoints: Sequence[RowEndpoint], stage_id: str, tasks: int
) -> SendResult:
    """Read a few rows of integers here, or have tasks send the rows."""
    with suppress(PySparkException, Py4JJavaError):  # the tasks encounter the same error, and report it
        found = None if encoded.plain is None else few_rows(encoded.source, encoded.plain)
        if found is not None:
            return SendResult(rows=found)
    return SendResult(tuple(key for key, _ in send(encoded, placement, endpoints, stage_id, tasks)))


def send(
    encoded: EncodedArrival, placement: Placement, endpoints: Sequence[RowEndpoint], stage_id: str, tasks: int = 0
) -> list[tuple[str, Counts]]:
    """Deliver all rows; returns the attempts that count. After any error the partitions have to discard the staged
    rows.

    ``tasks`` is the number of tasks that can run at once: little data is not distributed over more. An error that an
    endpoint raised is raised here unchanged; bad rows and a failing source raise a DataError.
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
        if tasks and access(frame.sparkSession).estimated_size(encoded.source) < tasks * LITTLE:
            frame = frame.coalesce(tasks)
        reports = map_in_arrow(frame, delivery, REPORT).collect()
    except (PySparkException, Py4JJavaError) as error:
        raise ROWS_NOT_READ.error(relation=encoded.relation, error=first_line(error)) from error
    for report in reports:
        if report.failure is not None:
            decode(report.failure)
    bad = sum(report.bad for report in reports)
    if bad:
        if encoded.exact is not None:
            encoded.exact()
        first = next(r for r in reports if r.bad)
        raise refusal(encoded.relation, bad, first.example, first.reason)
    return [(r.attempt, Counts(r.rows, r.entries)) for r in reports]


def first_line(error: BaseException) -> str:
    """The line of a Spark error that describes the problem; for a Java error, the first line of its root cause."""
    if isinstance(error, Py4JJavaError):
        return _of_java(error)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    if not isinstance(error, PythonException):
        return lines[0][:SHOWN]
    raised = [line for line in lines if RAISED.match(line)] or lines
    return raised[-1][:SHOWN]


def _of_java(error: Py4JJavaError) -> str:
    """The root cause: Spark wraps it several times."""
    cause = error.java_exception
    while (deeper := cause.getCause()) is not None:
        cause = deeper
    message = str(cause.getMessage() or "").strip() or str(cause.toString())
    return message.splitlines()[0][:SHOWN]
