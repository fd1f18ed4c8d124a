"""Cells in Spark SQL: every value of a DataFrame column as one bigint.

Law (D15): for every value, the expression evaluates to the result of `partition.dictionary`. Spark's ``xxhash64``
starts with seed 42 and uses the hash of the previous part as the seed of the next one, for columns, the elements of an
array and the fields of a struct alike; so the chain over (tag, length, parts) is one call. It skips nulls, so nulls
have to be refused elsewhere (`check`).

Expressions are SQL texts: a text costs one call to the JVM, however long it is; a `Column` costs one for each part.
"""

from __future__ import annotations

from pyspark.sql import types as T

from tidelog.partition.texts.ids import TAGS

Sql = str
UNSIGNED = T.DecimalType(20, 0)
ENCODED_LIST = T.StructType([T.StructField("__cell", T.LongType()), T.StructField("__value", T.BinaryType())])
TWO63, TWO64 = (f"CAST('{1 << bits}' AS DECIMAL(21,0))" for bits in (63, 64))
DAY, HOUR, MINUTE, SECOND = 86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000


def literal(text: str) -> Sql:
    """A text as a literal, whatever the session's settings for backslashes and quotes.

    >>> literal("it's")
    "CAST(X'69742773' AS STRING)"
    """
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def long(value: Sql) -> Sql:
    """A value as a 64-bit number."""
    return f"CAST({value} AS BIGINT)"


def cell_column(value: Sql, own: T.DataType, type_: str) -> Sql:
    """The cell of a value of a Spark type in a relation's column of that type; the value is known to fit."""
    if type_ == "symbol":
        return symbol_cell(symbol_text(value, own))
    if type_ == "list":
        return list_cell(value, own) if isinstance(own, T.ArrayType) else f"{value}.__cell"
    if type_ == "float":
        return float_cell(value)
    if type_ == "date" and isinstance(own, T.DateType):
        return long(f"unix_date({value})")
    if isinstance(own, T.TimestampType):
        return f"unix_micros({value})"
    if isinstance(own, T.TimestampNTZType):
        return _local_micros(value)
    return unsigned_cell(value) if isinstance(own, T.DecimalType) and type_ == "unsigned" else long(value)


def symbol_text(value: Sql, own: T.DataType) -> Sql:
    """The text of a symbol: the hexadecimal digits of a binary value, the decimal digits of a decimal."""
    if isinstance(own, T.BinaryType):
        return f"lower(hex({value}))"
    return f"CAST({value} AS STRING)" if isinstance(own, T.DecimalType) else value


def symbol_cell(text: Sql) -> Sql:
    """The id of a symbol, computed from its bytes, so that collations do not matter."""
    raw = f"CAST({text} AS BINARY)"
    return f"xxhash64({TAGS['symbol']}L, {long(f'octet_length({raw})')}, {raw})"


def list_cell(value: Sql, own: T.ArrayType, depth: int = 0) -> Sql:
    """The id of a list: its length, then tag and cell of every part."""
    part = f"p{depth}"
    tag, cell = _tagged(part, own.elementType, depth + 1)
    parts = f"transform({value}, {part} -> struct({tag} AS t, {cell} AS c))"
    return f"xxhash64({TAGS['list']}L, {long(f'size({value})')}, {parts})"


def _tagged(part: Sql, own: T.DataType, depth: int) -> tuple[Sql, Sql]:
    """Tag and cell of a part. A double is hashed by its bits, with one zero and one NaN, so it is used unchanged."""
    if isinstance(own, T.ArrayType):
        return f"{TAGS['list']}L", list_cell(part, own, depth)
    if isinstance(own, T.StringType):
        return f"{TAGS['symbol']}L", symbol_cell(part)
    if isinstance(own, T.FractionalType) and not isinstance(own, T.DecimalType):
        return f"{TAGS['float']}L", f"CAST({part} AS DOUBLE)"
    if isinstance(own, T.DecimalType):
        return f"IF({part} >= {TWO63}, {TAGS['unsigned']}L, {TAGS['number']}L)", unsigned_cell(part)
    return f"{TAGS['number']}L", long(part)


def float_cell(value: Sql) -> Sql:
    """The bits of a float: one zero (a sum with 0.0 is never -0.0), one NaN (Java's own)."""
    return long(f"java_method('java.lang.Double', 'doubleToLongBits', CAST({value} AS DOUBLE) + 0.0D)")


def unsigned_cell(value: Sql) -> Sql:
    """A decimal from 0 to 2^64 - 1 as 64 bits."""
    folded = long(f"CAST({value} AS DECIMAL(21,0)) - {TWO64}")
    return f"CASE WHEN {value} < {TWO63} THEN {long(value)} ELSE {folded} END"


def _local_micros(value: Sql) -> Sql:
    """Microseconds of a time without zone, read as UTC; no Spark expression yields them without the session's zone."""
    seconds = long(f"date_part('SECOND', {value}) * {SECOND}")
    clock = f"{long(f'hour({value})')} * {HOUR}L + {long(f'minute({value})')} * {MINUTE}L + {seconds}"
    return f"({long(f'unix_date(CAST({value} AS DATE))')} * {DAY}L + {clock})"


def entry_value(value: Sql, own: T.DataType, type_: str) -> Sql:
    """The value that the dictionary stores for the id: the UTF-8 of a symbol, the JSON of a list."""
    if own == ENCODED_LIST:
        return f"{value}.__value"
    return f"CAST({symbol_text(value, own) if type_ == 'symbol' else list_json(value, own)} AS BINARY)"


def list_json(value: Sql, own: T.DataType) -> Sql:
    """A list as JSON, as `wire.entries_of` reads it back: whole numbers without a point, floats with one."""
    leaf = own
    while isinstance(leaf, T.ArrayType):
        leaf = leaf.elementType
    if isinstance(leaf, T.StringType | T.DecimalType | T.IntegralType):
        return f"to_json({value})"
    return _json_parts(value, own, 0)


def _json_parts(value: Sql, own: T.DataType, depth: int) -> Sql:
    """The JSON of lists of floats (Spark would put NaN into quotes) and of booleans, which are numbers in lists."""
    if isinstance(own, T.ArrayType):
        part = f"p{depth}"
        parts = f"transform({value}, {part} -> {_json_parts(part, own.elementType, depth + 1)})"
        return f"concat('[', array_join({parts}, ','), ']')"
    if isinstance(own, T.BooleanType):
        return f"CAST(CAST({value} AS INT) AS STRING)"
    return f"CAST(CAST({value} AS DOUBLE) + 0.0D AS STRING)"


def owner_column(cell: Sql, partitions: int) -> Sql:
    """The partition that owns a cell: the law of `partition.owner`."""
    return f"CAST(pmod(xxhash64({cell}), {partitions}L) AS INT)"
