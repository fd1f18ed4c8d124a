"""Cells in Spark SQL: every value of a DataFrame column as one bigint.

Law (D15): for every value the expression gives what `partition.dictionary` gives. Spark's ``xxhash64`` starts with
seed 42 and takes the hash of what came before as the seed of what comes next, through columns, through the elements of
an array and through the fields of a struct alike; so the chain over (tag, length, parts) is one call. It passes over
nulls, so nulls have to be refused elsewhere (`check`).
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tidelog.partition.dictionary import TAGS

LONG = "bigint"
UNSIGNED = T.DecimalType(20, 0)
ENCODED_LIST = T.StructType([T.StructField("__cell", T.LongType()), T.StructField("__value", T.BinaryType())])
TWO63, TWO64 = str(1 << 63), str(1 << 64)
DAY, HOUR, MINUTE, SECOND = 86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000


def cell_column(value: Column, own: T.DataType, type_: str) -> Column:
    """The cell of a value of a Spark type in a relation's column of that type; the value is known to fit."""
    if type_ == "symbol":
        return symbol_cell(value)
    if type_ == "list":
        return list_cell(value, own) if isinstance(own, T.ArrayType) else value["__cell"]
    if type_ == "float":
        return float_cell(value)
    if type_ == "date" and isinstance(own, T.DateType):
        return F.unix_date(value).cast(LONG)
    if isinstance(own, T.TimestampType):
        return F.unix_micros(value)
    if isinstance(own, T.TimestampNTZType):
        return _local_micros(value)
    return unsigned_cell(value) if isinstance(own, T.DecimalType) else value.cast(LONG)


def symbol_cell(text: Column) -> Column:
    """The id of a symbol; over its bytes, so that collations do not matter."""
    raw = text.cast("binary")
    return F.xxhash64(_long(TAGS["symbol"]), F.octet_length(raw).cast(LONG), raw)


def list_cell(value: Column, own: T.ArrayType) -> Column:
    """The id of a list: its length, then tag and cell of every part."""
    parts = F.transform(value, lambda part: F.struct(*_tagged(part, own.elementType)))
    return F.xxhash64(_long(TAGS["list"]), F.size(value).cast(LONG), parts)


def _tagged(part: Column, own: T.DataType) -> tuple[Column, Column]:
    """Tag and cell of a part. A double is hashed by its bits, with one zero and one NaN, so it may stand as it is."""
    if isinstance(own, T.ArrayType):
        return _long(TAGS["list"]), list_cell(part, own)
    if isinstance(own, T.StringType):
        return _long(TAGS["symbol"]), symbol_cell(part)
    if isinstance(own, T.FractionalType) and not isinstance(own, T.DecimalType):
        return _long(TAGS["float"]), part.cast("double")
    if isinstance(own, T.DecimalType):
        large = part >= F.lit(TWO63).cast(UNSIGNED)
        return F.when(large, _long(TAGS["unsigned"])).otherwise(_long(TAGS["number"])), unsigned_cell(part)
    return _long(TAGS["number"]), part.cast(LONG)


def float_cell(value: Column) -> Column:
    """The bits of a float: one zero (a sum with 0.0 is never -0.0), one NaN (Java's own)."""
    plain = value.cast("double") + F.lit(0.0)
    return F.java_method(F.lit("java.lang.Double"), F.lit("doubleToLongBits"), plain).cast(LONG)


def unsigned_cell(value: Column) -> Column:
    """A decimal from 0 to 2^64 - 1 as 64 bits."""
    folded = value.cast("decimal(21,0)") - F.lit(TWO64).cast("decimal(21,0)")
    return F.when(value < F.lit(TWO63).cast(UNSIGNED), value.cast(LONG)).otherwise(folded.cast(LONG))


def _local_micros(value: Column) -> Column:
    """Microseconds of a time without zone, read as UTC; no expression of Spark's gives them without the session's."""
    seconds = F.date_part(F.lit("SECOND"), value) * SECOND
    clock = F.hour(value).cast(LONG) * HOUR + F.minute(value).cast(LONG) * MINUTE + seconds.cast(LONG)
    return F.unix_date(value.cast("date")).cast(LONG) * DAY + clock


def entry_value(value: Column, own: T.DataType, type_: str) -> Column:
    """What the dictionary keeps behind the id: the UTF-8 of a symbol, the JSON of a list."""
    if own == ENCODED_LIST:
        return value["__value"]
    return (value if type_ == "symbol" else list_json(value, own)).cast("binary")


def list_json(value: Column, own: T.DataType) -> Column:
    """A list as JSON, as `wire.entries_of` reads it back: whole numbers without a point, floats with one."""
    leaf = own
    while isinstance(leaf, T.ArrayType):
        leaf = leaf.elementType
    if isinstance(leaf, T.StringType | T.DecimalType | T.IntegralType):
        return F.to_json(value)
    return _json_parts(value, own)


def _json_parts(value: Column, own: T.DataType) -> Column:
    """JSON of lists of floats (Spark's own would put NaN into quotes) and of booleans, which in lists are numbers."""
    if isinstance(own, T.ArrayType):
        parts = F.transform(value, lambda part: _json_parts(part, own.elementType))
        return F.concat(F.lit("["), F.array_join(parts, ","), F.lit("]"))
    if isinstance(own, T.BooleanType):
        return value.cast("int").cast("string")
    return (value.cast("double") + F.lit(0.0)).cast("string")


def owner_column(cell: Column, partitions: int) -> Column:
    """The partition that owns a cell: the law of `partition.owner`."""
    return F.pmod(F.xxhash64(cell), F.lit(partitions).cast(LONG)).cast("int")


def _long(value: int) -> Column:
    return F.lit(value).cast(LONG)
