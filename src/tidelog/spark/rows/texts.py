"""Values from the text of a cell, in Spark SQL.

Law: a text is read as the value that `io.texts.read_text` returns, and as null if that refuses it; spaces around
anything but a symbol do not matter. Lists are an exception: their parts may be of several kinds, which no Spark type
can hold, so a vectorised function creates cell and dictionary entry of each distinct text.
"""

from __future__ import annotations

import json

import pandas as pd
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.functions import pandas_udf

from tidelog.errors import DataError
from tidelog.io.texts import read_text
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.spark.rows.ids import ENCODED_LIST, UNSIGNED
from tidelog.spark.session.access import access
from tidelog.spark.session.active import active_session

SPACED = r"(?U)^\s*({})\s*\z"
WHOLE = SPACED.format(r"[+-]?[0-9]+")
DECIMAL = SPACED.format(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WORD = SPACED.format(r"(?i)[+-]?inf(?:inity)?|nan")
SWITCH = SPACED.format(r"(?i)0|1|true|false")
DATE = SPACED.format(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
TIME = SPACED.format(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,6})?)?)?")
ZONED = SPACED.format(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+(?:Z|[+-][0-9]{2}:?[0-9]{2})")


def text_value(text: Column, type_: str) -> Column:
    """The value of a text in a column of that type, null if there is none."""
    if type_ == "symbol":
        return text
    if type_ in ("number", "unsigned"):
        return _integer(text, T.LongType() if type_ == "number" else UNSIGNED)
    if type_ == "float":
        return _float(text)
    if type_ == "boolean":
        return _core(text, SWITCH).try_cast("boolean")
    if type_ == "date":
        return _core(text, DATE).try_cast("date")
    if type_ == "timestamp":
        return _timestamp(text)
    return _encoded_lists(text)


def _encoded_lists(text: Column) -> Column:
    with access(active_session()).interpreter():
        column: Column = pandas_udf(encode_lists, ENCODED_LIST)(text)  # type: ignore[call-overload]  # pandas is untyped
    return column


def _core(text: Column, pattern: str) -> Column:
    """The match of the pattern between spaces; without a match, a text that casts to null."""
    return F.regexp_extract(text, pattern, 1)


def _integer(text: Column, own: T.DataType) -> Column:
    """Decimal digits, or digits after 0x or 0b."""
    based = F.coalesce(_based(text, "0x0*([0-9a-fA-F]{1,16})", 16), _based(text, "0b0*([01]{1,64})", 2))
    return F.coalesce(_core(text, WHOLE).try_cast(own), based.try_cast(own))


def _based(text: Column, digits: str, base: int) -> Column:
    size = F.conv(F.nullif(_core(text, rf"(?U)^\s*[+-]?{digits}\s*\z"), F.lit("")), base, 10).cast("decimal(21,0)")
    return F.when(F.ltrim(text).startswith("-"), -size).otherwise(size)


def _float(text: Column) -> Column:
    return F.coalesce(_core(text, DECIMAL).try_cast("double"), _core(text, WORD).try_cast("double"))


def _timestamp(text: Column) -> Column:
    """A time without a zone is read as UTC, as in Python."""
    zoned, local = _core(text, ZONED), _core(text, TIME)
    in_utc = F.when(F.length(local) > 10, F.concat(local, F.lit("Z"))).otherwise(F.concat(local, F.lit("T00:00:00Z")))
    return F.when(zoned != "", zoned.try_cast("timestamp")).otherwise(in_utc.try_cast("timestamp"))


def encode_lists(texts: pd.Series) -> pd.DataFrame:
    """Cell and entry of each list; nulls if a text is not a list."""
    found = {text: _encoded_list(text) for text in texts.unique()}
    cells = pd.array([found[text][0] for text in texts], "Int64")  # a column with nulls must not become one of floats
    return pd.DataFrame({"__cell": cells, "__value": [found[text][1] for text in texts]})


def _encoded_list(text: str | None) -> tuple[int | None, bytes | None]:
    if text is None:
        return None, None
    try:
        value = read_text(text, "list")
    except DataError:
        return None, None
    return Dictionary().encode(value, "list"), json.dumps(value).encode()
