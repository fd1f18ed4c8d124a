"""Whether a DataFrame fits a relation: its columns by its schema, its rows by expressions that Spark evaluates.

Law (D14): a column holds values of one type and no nulls; what does not fit is told with the column, and for rows with
their number and an example. Nothing is read here: a mistake in the schema is found before any job, one in a row by the
job that sends the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tidelog.errors import DataError
from tidelog.io.spark.ids import ENCODED_LIST, TWO64, UNSIGNED
from tidelog.io.spark.wire import ASIDE, LINE, SIGN, WRONG

Types = Sequence[str | None]
NO_COLUMNS = "present"  # the one column of a DataFrame for a relation that has none
ACCEPTED = {
    "number": ("number", "boolean", "unsigned"),
    "unsigned": ("unsigned", "number"),
    "float": ("float", "number"),
    "symbol": ("symbol",),
    "list": ("list",),
    "boolean": ("boolean", "number"),
    "date": ("date", "number"),
    "timestamp": ("timestamp", "number"),
}
OWN_TYPES: tuple[tuple[type[T.DataType], str], ...] = (
    (T.BooleanType, "boolean"),
    (T.IntegralType, "number"),
    (T.FloatType, "float"),
    (T.DoubleType, "float"),
    (T.StringType, "symbol"),
    (T.DateType, "date"),
    (T.TimestampType, "timestamp"),
    (T.TimestampNTZType, "timestamp"),
)
IN_LISTS = ("number", "unsigned", "float", "symbol", "boolean", "list")


@dataclass(frozen=True, slots=True)
class Matched:
    """A DataFrame's columns in a relation's order, named s0, s1, ..., and the names that errors tell.

    Beside them stand `sign`, where each row says whether it comes or goes, and what the reader of a file says of a row.
    """

    frame: DataFrame
    names: tuple[str, ...]

    @property
    def fields(self) -> list[T.StructField]:
        """Name, type and nullability of the relation's columns."""
        return [field for field in self.frame.schema.fields if field.name not in ASIDE]


def match_columns(df: DataFrame, relation: str, names: Sequence[str] | None, change: str | None = None) -> Matched:
    """Columns are matched by name where exactly the relation's names are there, else by position.

    ``names`` is None for a relation that is not known yet: its columns are those of the DataFrame. The column
    ``change`` belongs to no relation: it tells +1 or -1.
    """
    places = {place: name for place, name in enumerate(df.columns) if name not in (change, WRONG, LINE)}
    numbered = df.toDF(*(name if name in (WRONG, LINE) else f"s{place}" for place, name in enumerate(df.columns)))
    aside = [F.col(name) for name in df.columns if name in (WRONG, LINE)]
    aside += [] if change is None else [_sign_column(df, numbered, relation, change)]
    if names is not None and not names and list(places.values()) in ([], [NO_COLUMNS]):
        return Matched(numbered.select(*aside), ())
    if names is not None and len(places) != len(names):
        raise DataError(
            f"relation `{relation}` has {len(names)} columns ({', '.join(names)}), "
            f"these rows have {len(places)} ({', '.join(places.values())})"
        )
    order = list(places)
    if names is not None and len(set(names)) == len(names) and set(places.values()) == set(names):
        order.sort(key=lambda place: names.index(places[place]))
    columns = [F.col(f"s{place}").alias(f"s{i}") for i, place in enumerate(order)]
    return Matched(numbered.select(*columns, *aside), tuple(names or places.values()))


def _sign_column(df: DataFrame, numbered: DataFrame, relation: str, change: str) -> Column:
    found = [place for place, name in enumerate(df.columns) if name == change]
    if len(found) != 1:
        raise DataError(f"{relation}: no column `{change}` tells +1 or -1; the rows have {', '.join(df.columns)}")
    own = numbered.schema.fields[found[0]].dataType
    if not isinstance(own, T.IntegralType):
        raise DataError(f"{relation}: the column `{change}` holds +1 or -1, not {own.simpleString()}")
    return F.col(f"s{found[0]}").cast("bigint").alias(SIGN)


def learn_types(matched: Matched, relation: str, types: Types | None) -> tuple[str, ...]:
    """The relation's types, with those that were open as the DataFrame has them; a DataError for a misfit."""
    found = []
    for number, field in enumerate(matched.fields, 1):
        where = f"{relation}, column {number}"
        own, type_ = own_type(field.dataType, where), None if types is None else types[number - 1]
        if type_ is not None and own not in ACCEPTED[type_]:
            raise DataError(f"{where}: the DataFrame has {field.dataType.simpleString()}, but a {type_} is expected")
        found.append(type_ or own)
    return tuple(found)


def own_type(own: T.DataType, where: str) -> str:
    """The type of a column that comes with a Spark type.

    >>> own_type(T.ShortType(), "edge"), own_type(T.ArrayType(T.StringType()), "edge")
    ('number', 'list')
    """
    for kind, name in OWN_TYPES:
        if isinstance(own, kind):
            return name
    if own == UNSIGNED:
        return "unsigned"
    if own == ENCODED_LIST:
        return "list"
    if isinstance(own, T.ArrayType) and _fits_list(own.elementType, where):
        return "list"
    hint = "give its parts as columns of their own"
    if isinstance(own, T.DecimalType):
        hint = "cast it to double, to string, or to decimal(20,0) for unsigned numbers"
    elif not isinstance(own, T.StructType | T.MapType | T.ArrayType):
        hint = "cast it to a string"
    raise DataError(f"{where}: Spark type {own.simpleString()} is not supported; {hint}")


def _fits_list(element: T.DataType, where: str) -> bool:
    return isinstance(element, T.NullType) or own_type(element, where) in IN_LISTS


def bad_row(matched: Matched, types: Sequence[str]) -> Column:
    """What is wrong with a row, null where nothing is."""
    found: list[Column] = [F.col(WRONG)] if WRONG in matched.frame.columns else []
    for place, (field, type_) in enumerate(zip(matched.fields, types, strict=True)):
        value, where = F.col(field.name), f"column {place + 1} (`{matched.names[place]}`)"
        found += [F.when(test, F.lit(f"{where} {told}")) for test, told in _tests(value, field, type_)]
    if SIGN in matched.frame.columns:
        wrong = F.coalesce(~F.col(SIGN).isin(1, -1), F.lit(True))
        found.append(F.when(wrong, F.lit("the column of signs holds neither +1 nor -1")))
    return F.coalesce(*found, F.lit(None).cast("string"))


def _tests(value: Column, field: T.StructField, type_: str) -> list[tuple[Column, str]]:
    own = field.dataType
    value = value["__cell"] if own == ENCODED_LIST else value
    tests = [(value.isNull(), "is null; nulls are refused, leave such rows out")] if field.nullable else []
    if isinstance(own, T.StringType):
        tests.append((~F.is_valid_utf8(value), "is not UTF-8 text"))
    if isinstance(own, T.ArrayType):
        tests += [(test, "holds a null; nulls are refused, leave such rows out") for test in _holds_null(value, own)]
        tests += [(test, "holds a number out of range") for test in _leaf_out_of_range(value, own)]
    misfit = _out_of_range(value, own, type_)
    if misfit is not None:
        tests.append((misfit, f"is not a value of type {type_}"))
    return tests


def _holds_null(value: Column, own: T.ArrayType) -> list[Column]:
    tests = [F.exists(value, lambda part: part.isNull())] if own.containsNull else []
    element = own.elementType
    if isinstance(element, T.ArrayType) and _holds_null(F.lit(None), element):
        tests.append(F.exists(value, lambda part: reduce(Column.__or__, _holds_null(part, element))))
    return tests


def _leaf_out_of_range(value: Column, own: T.ArrayType) -> list[Column]:
    """Decimals in lists have to be unsigned numbers."""
    element = own.elementType
    if isinstance(element, T.ArrayType):
        if not _leaf_out_of_range(F.lit(None), element):
            return []
        return [F.exists(value, lambda part: _leaf_out_of_range(part, element)[0])]
    if isinstance(element, T.DecimalType):
        return [F.exists(value, lambda part: (part < 0) | (part >= F.lit(TWO64).cast("decimal(21,0)")))]
    return []


def _out_of_range(value: Column, own: T.DataType, type_: str) -> Column | None:
    decimal = isinstance(own, T.DecimalType)
    if type_ == "unsigned" and decimal:
        return (value < 0) | (value >= F.lit(TWO64).cast("decimal(21,0)"))
    if type_ == "unsigned":
        return value < 0
    if type_ == "number" and decimal:
        return value.try_cast("bigint").isNull()
    if type_ == "boolean" and isinstance(own, T.IntegralType):
        return ~value.isin(0, 1)
    if type_ == "date" and isinstance(own, T.IntegralType):
        return value.try_cast("int").isNull()
    return None
