"""Check that a DataFrame fits a relation: its columns by its schema, its rows by expressions that Spark evaluates.

Law (D14): a column contains values of one type and no nulls; values that do not fit are reported with the column, and
rows with their number and an example. Nothing is read here: an error in the schema is found before any job, an error in
a row by the job that sends the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from tidelog.io.io_failures import CHANGE_COLUMN, CHANGE_TYPE
from tidelog.io.match_names import match_names, other_names
from tidelog.io.signed import KINDS, NO_SIGN, aside_names
from tidelog.program.values.source_types import EXACT
from tidelog.spark.rows.ids import ENCODED_LIST, TWO64, UNSIGNED, Sql, literal
from tidelog.spark.rows.rows_failures import FRAME_COLUMNS, FRAME_TYPE, SPARK_TYPE
from tidelog.spark.rows.tables import LINE, SIGN, WRONG

Types = Sequence[str | None]
NO_COLUMNS = "present"  # the only column of a DataFrame for a relation without columns
ACCEPTED = {
    "number": ("number", "boolean", "unsigned"),
    "unsigned": ("unsigned", "number"),
    "float": ("float", "number", "unsigned"),
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
    (T.BinaryType, "symbol"),
    (T.DateType, "date"),
    (T.TimestampType, "timestamp"),
    (T.TimestampNTZType, "timestamp"),
)
IN_LISTS = ("number", "unsigned", "float", "symbol", "boolean", "list")


@dataclass(frozen=True, slots=True)
class MatchedColumns:
    """A DataFrame's columns in a relation's order, named s0, s1, ..., and their names in the DataFrame.

    There may be further columns: `sign`, whether each row is inserted or deleted, and what the reader of a file reports
    about a row; ``aside`` are their names. ``places`` are the positions of the columns in the original DataFrame.
    """

    make: Callable[[], DataFrame]
    names: tuple[str, ...]
    fields: tuple[T.StructField, ...]
    aside: tuple[str, ...]
    places: tuple[int, ...]
    ignored: tuple[str, ...] = ()  # columns that the relation does not have

    @property
    def frame(self) -> DataFrame:
        """The columns; selected on first use, because Spark needs milliseconds for each of them."""
        return self.make()


def match_columns(
    df: DataFrame, relation: str, names: Sequence[str] | None, change: str | None = None
) -> MatchedColumns:
    """Match columns by name or by position, as for any table (`io.match_names`).

    ``names`` is None for a relation that is not known yet: its columns are those of the DataFrame. The column
    ``change`` is not part of the relation: it contains +1 or -1, or kinds of change.
    """
    own = df.schema.fields
    hidden = (WRONG, LINE) if change is None else (WRONG, LINE, *aside_names(change))
    places = {place: field.name for place, field in enumerate(own) if field.name not in hidden}
    aside = [field.name for field in own if field.name in (WRONG, LINE)]
    outputs = [f"`{name}`" for name in aside]
    if change is not None:
        outputs.append(f"{_sign(own, relation, change)} AS `{SIGN}`")
        aside.append(SIGN)
    there = list(places.values())
    order = list(places)
    ignored: tuple[str, ...] = ()
    if names and (found := match_names(relation, names, there)) is not None:
        order = [order[place] for place in found]
        ignored = other_names(names, there)
    elif names is not None and not names and there in ([], [NO_COLUMNS]):
        order = []
    elif names is not None and len(places) != len(names):
        raise FRAME_COLUMNS.error(
            relation=relation,
            wanted=len(names),
            names=", ".join(names),
            found=len(places),
            there=", ".join(there),
        )
    numbered = [f.name if f.name in (WRONG, LINE) else f"s{place}" for place, f in enumerate(own)]
    columns = [f"s{place} AS s{i}" for i, place in enumerate(order)]
    fields = tuple(T.StructField(f"s{i}", own[place].dataType, own[place].nullable) for i, place in enumerate(order))
    called = tuple(own[place].name for place in order)

    def make() -> DataFrame:
        return df.toDF(*numbered).selectExpr(*columns, *outputs)

    return MatchedColumns(make, called, fields, tuple(aside), tuple(order), ignored)


def _sign(own: Sequence[T.StructField], relation: str, change: str) -> Sql:
    """An expression for the sign of a row, null or another number if it has none."""
    found = [place for place, field in enumerate(own) if field.name == change]
    if len(found) != 1:
        there = ", ".join(field.name for field in own)
        raise CHANGE_COLUMN.error(relation=relation, change=change, there=there)
    kind, place = own[found[0]].dataType, found[0]
    if isinstance(kind, T.IntegralType):
        return f"CAST(s{place} AS BIGINT)"
    if isinstance(kind, T.StringType):
        cases = " ".join(f"WHEN {literal(name)} THEN {sign}L" for name, sign in KINDS.items())
        return f"CASE lower(s{place}) {cases} END"
    raise CHANGE_TYPE.error(relation=relation, change=change, type=kind.simpleString())


def learn_types(matched: MatchedColumns, relation: str, types: Types | None) -> tuple[str, ...]:
    """The relation's types, with unknown ones set to those of the DataFrame; raises a DataError for a misfit."""
    found = []
    for number, field in enumerate(matched.fields, 1):
        where = f"{relation}, column {number}"
        type_ = None if types is None else types[number - 1]
        if type_ == "symbol" and isinstance(field.dataType, T.DecimalType):  # stored as its text
            found.append(type_)
            continue
        own = own_type(field.dataType, where)
        if type_ is not None and own not in ACCEPTED[type_]:
            raise FRAME_TYPE.error(where=where, found=field.dataType.simpleString(), type=type_)
        found.append(type_ or own)
    return tuple(found)


def own_type(own: T.DataType, where: str) -> str:
    """The type of a column for data of a Spark type.

    >>> own_type(T.ShortType(), "edge"), own_type(T.ArrayType(T.StringType()), "edge")
    ('number', 'list')
    """
    for kind, name in OWN_TYPES:
        if isinstance(own, kind):
            return name
    if own == UNSIGNED:
        return "unsigned"
    if isinstance(own, T.DecimalType) and (own.scale == 0 or own.precision <= EXACT):
        return "number" if own.scale == 0 else "float"
    if own == ENCODED_LIST:
        return "list"
    if isinstance(own, T.ArrayType) and _fits_list(own.elementType, where):
        return "list"
    advice = "select its fields as separate columns"
    if isinstance(own, T.DecimalType):
        advice = "declare the column as symbol, which keeps its text, or cast it to double, which rounds"
    elif isinstance(own, T.StructType):
        advice = f"declare the column with a record type: {_record(own)}"
    elif not isinstance(own, T.StructType | T.MapType | T.ArrayType):
        advice = "cast it to a string"
    raise SPARK_TYPE.error(where=where, type=own.simpleString(), advice=advice)


def _record(own: T.StructType) -> str:
    """A declaration whose values are those of a struct, as far as they have counterparts."""
    kinds = ((T.StringType, "symbol"), (T.FractionalType, "float"), *OWN_TYPES)
    fields = [f"{f.name}: {next((n for k, n in kinds if isinstance(f.dataType, k)), 'number')}" for f in own.fields]
    return f"`.type T = [{', '.join(fields)}]`"


def _fits_list(element: T.DataType, where: str) -> bool:
    if isinstance(element, T.BinaryType | T.DecimalType | T.StructType) and element != UNSIGNED:
        return False
    return isinstance(element, T.NullType) or own_type(element, where) in IN_LISTS


def bad_row(matched: MatchedColumns, types: Sequence[str]) -> Sql:
    """An expression for the problem with a row, null if there is none."""
    found = [f"`{WRONG}`"] if WRONG in matched.aside else []
    for place, (field, type_) in enumerate(zip(matched.fields, types, strict=True)):
        where = f"column {place + 1} (`{matched.names[place]}`)"
        found += [_reason_if(test, f"{where} {reason}") for test, reason in _tests(field, type_)]
    if SIGN in matched.aside:
        wrong = f"coalesce(`{SIGN}` NOT IN (1L, -1L), true)"
        found.append(_reason_if(wrong, NO_SIGN))
    return f"coalesce({', '.join(found)})" if found else "CAST(NULL AS STRING)"


def _reason_if(test: Sql, what: str) -> Sql:
    return f"CASE WHEN {test} THEN {literal(what)} END"


def _tests(field: T.StructField, type_: str) -> list[tuple[Sql, str]]:
    own = field.dataType
    value = f"{field.name}.__cell" if own == ENCODED_LIST else field.name
    tests = [(f"{value} IS NULL", "is null; nulls are refused")] if field.nullable else []
    if isinstance(own, T.StringType):
        tests.append((f"NOT is_valid_utf8({value})", "is not UTF-8 text"))
    if isinstance(own, T.ArrayType):
        tests += [(test, "contains a null; nulls are refused") for test in _holds_null(value, own)]
        tests += [(test, "contains a number out of range") for test in _leaf_out_of_range(value, own)]
    misfit = _out_of_range(value, own, type_)
    if misfit is not None:
        tests.append((misfit, f"is not a value of type {type_}"))
    return tests


def _holds_null(value: Sql, own: T.ArrayType, depth: int = 0) -> list[Sql]:
    part, element = f"p{depth}", own.elementType
    tests = [f"exists({value}, {part} -> {part} IS NULL)"] if own.containsNull else []
    inner = _holds_null(part, element, depth + 1) if isinstance(element, T.ArrayType) else []
    return [*tests, f"exists({value}, {part} -> {' OR '.join(inner)})"] if inner else tests


def _leaf_out_of_range(value: Sql, own: T.ArrayType, depth: int = 0) -> list[Sql]:
    """Conditions that decimals in lists are not unsigned numbers."""
    part, element = f"p{depth}", own.elementType
    if isinstance(element, T.ArrayType):
        return [f"exists({value}, {part} -> {inner})" for inner in _leaf_out_of_range(part, element, depth + 1)]
    return [f"exists({value}, {part} -> {_not_unsigned(part)})"] if isinstance(element, T.DecimalType) else []


def _not_unsigned(value: Sql) -> Sql:
    return f"({value} < 0 OR {value} >= {TWO64})"


def _out_of_range(value: Sql, own: T.DataType, type_: str) -> Sql | None:
    decimal = isinstance(own, T.DecimalType)
    if type_ in ("symbol", "float"):
        return None
    if type_ == "unsigned":
        return _not_unsigned(value) if decimal else f"{value} < 0"
    if type_ == "number" and decimal:
        return f"try_cast({value} AS BIGINT) IS NULL"
    if type_ == "boolean" and isinstance(own, T.IntegralType):
        return f"{value} NOT IN (0, 1)"
    if type_ == "date" and isinstance(own, T.IntegralType):
        return f"try_cast({value} AS INT) IS NULL"
    return None
