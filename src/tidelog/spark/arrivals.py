"""Add Spark DataFrames to an epoch.

Law: on Spark, the rows of a DataFrame are sent from Spark's tasks to the partitions that own them, and never pass
through this process unless there are few of them (`rows.plain`); they are checked while they are sent, and a batch with
a bad row is refused as a whole. The types of a relation's columns are the known ones, or those of the first data that
arrives. An engine that is not on Spark accepts a DataFrame as its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from tidelog.io.nulls import NullPolicy
from tidelog.io.rows import Data, read_rows
from tidelog.io.signed import by_sign

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.rows.encode import EncodedArrival

Types = Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A DataFrame of changes: all of one ``sign``, or with a column ``change`` that contains +1 or -1.

    ``encode``, if given, replaces the default encoding of rows as cells.
    """

    relation: str
    rows: DataFrame
    sign: int = 1
    change: str | None = None
    encode: Callable[[Sequence[str] | None, Types | None], EncodedArrival] | None = None
    nulls: NullPolicy | None = None

    def encoded(self, names: Sequence[str] | None, types: Types | None) -> EncodedArrival:
        """The rows as cells, for a relation of these columns (None: not known yet)."""
        if self.encode is not None:
            return self.encode(names, types)
        from tidelog.spark.rows.encode import encode

        with _refused(self.relation):  # over Spark Connect a DataFrame is analysed on first use
            return encode(self.rows, self.relation, names, types, sign=self.sign, change=self.change, nulls=self.nulls)

    def collected(self) -> list[tuple[int, str, Data]]:
        """Collect the rows in this process, by sign; they are read once."""
        found = self._read()
        parts = [(self.sign, found)] if self.change is None else by_sign(self.relation, found, self.change)
        return [(sign, self.relation, part) for sign, part in parts]

    def _read(self) -> Data:
        with _refused(self.relation):
            table = self.rows.toArrow()
        return read_rows(self.relation, table, self.nulls)


@contextmanager
def _refused(relation: str) -> Iterator[None]:
    """Convert an exception of Spark about the rows to a diagnostic with its first line."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    from tidelog.spark.rows.rows_failures import ROWS_NOT_READ
    from tidelog.spark.rows.send import first_line

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        raise ROWS_NOT_READ.error(relation=relation, error=first_line(error)) from error


def is_data_frame(rows: object) -> TypeGuard[DataFrame]:
    """Whether rows are a Spark DataFrame."""
    return type(rows).__module__.startswith("pyspark.sql") and hasattr(rows, "mapInArrow")


def learn_arrivals(
    arrivals: Sequence[Arrival],
    schema: Mapping[str, Types],
    names: Callable[[str], Sequence[str]],
    meet: Callable[[str, Sequence[str] | None], None] = lambda relation, names: None,
) -> tuple[list[EncodedArrival], dict[tuple[str, int], str], dict[str, int]]:
    """The arrivals as cells, with the types and relations that they add to the known ones.

    ``meet`` is called with the names in each arrival, before the next one is examined.
    """
    types: dict[str, Types] = dict(schema)
    encoded: list[EncodedArrival] = []
    bound: dict[tuple[str, int], str] = {}
    known: dict[str, int] = {}
    for arrival in arrivals:
        before = types.get(arrival.relation)
        columns = names(arrival.relation)  # none yet for a relation that the rules of the same epoch define
        found = arrival.encoded(columns if before is not None and len(columns) == len(before) else None, before)
        if before is None:
            known[arrival.relation] = len(found.types)
        for place, type_ in enumerate(found.types):
            if before is None or before[place] is None:
                bound[arrival.relation, place] = type_
        types[arrival.relation] = found.types
        meet(arrival.relation, found.names)
        encoded.append(found)
    return encoded, bound, known
