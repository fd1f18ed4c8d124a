"""Views and changes as DataFrames: files that partitions wrote, read with the types that a user expects.

Law (D5, D14): a DataFrame reads files that never change, so it shows its epoch for ever; every column has the Spark
type of its values (unsigned: decimal(20,0)), also where there are no rows. Nothing here knows partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tidelog.io.parquet import MIXED, NO_COLUMNS, change_name, stored_names, widest
from tidelog.io.structures import CONSTRUCTOR
from tidelog.program.shape import Part, Shape

SPARK_TYPES: Mapping[str | None, T.DataType] = {
    "number": T.LongType(),
    "unsigned": T.DecimalType(20, 0),
    "float": T.DoubleType(),
    "symbol": T.StringType(),
    "list": T.StringType(),  # as it stands in the file
    "boolean": T.BooleanType(),
    "date": T.DateType(),
    "timestamp": T.TimestampType(),
    None: T.LongType(),
}


def structure_type(shape: Shape) -> T.DataType:
    """The Spark type of records or variants: that of their Arrow form."""
    if shape.holds_recursion:
        return T.StringType()
    if shape.is_record:
        return _struct(shape.fields)
    parts = [T.StructField(name, _struct(fields)) for name, fields in shape.constructors.items() if fields]
    return T.StructType([T.StructField(CONSTRUCTOR, T.StringType()), *parts])


def _struct(fields: Iterable[Part]) -> T.StructType:
    return T.StructType([T.StructField(field.name, _part(field.type)) for field in fields])


def _part(type_: str) -> T.DataType:
    return structure_type(type_) if isinstance(type_, Shape) else SPARK_TYPES[type_]


@dataclass(frozen=True, slots=True)
class ViewSchema:
    """Names and types of a view's columns; ``kinds`` are what `write_rows` told of each partition's lists.

    ``signed`` views have one more column, +1 or -1. Lists of one kind of parts become arrays, others JSON text.
    """

    names: tuple[str, ...]
    types: tuple[str | None, ...]
    kinds: Sequence[Mapping[str, str]] = field(default_factory=tuple)
    signed: bool = False
    lists_as_text: bool = False

    @property
    def stored(self) -> T.StructType:
        """The schema of the files."""
        stored = stored_names(self.names)
        fields = [T.StructField(n, self._stored(t)) for n, t in zip(stored, self.types, strict=True)]
        fields = fields or [T.StructField(NO_COLUMNS, T.BooleanType())]
        return T.StructType([*fields, *([T.StructField(change_name(self.names), T.ByteType())] if self.signed else [])])

    def _stored(self, type_: str | None) -> T.DataType:
        if not isinstance(type_, Shape):
            return SPARK_TYPES[type_]
        return T.StringType() if self.lists_as_text else structure_type(type_)

    def array_type(self, name: str) -> str | None:
        """The type of a column of lists, None where it stays text."""
        kind = widest(kinds[name] for kinds in self.kinds if name in kinds) or "array<>"
        return None if kind == MIXED or self.lists_as_text else kind.replace("<>", "<bigint>")


def read_view(spark: SparkSession, files: str | Iterable[str], schema: ViewSchema) -> DataFrame:
    """The rows of a view from its files, or from the folder that holds them and nothing else."""
    paths = [files] if isinstance(files, str) else list(files)
    if not paths:
        return _typed(spark.createDataFrame([], schema.stored), schema)
    return _typed(spark.read.schema(schema.stored).parquet(*paths), schema)


def _typed(df: DataFrame, schema: ViewSchema) -> DataFrame:
    names = [*(schema.names or (NO_COLUMNS,)), *([change_name(schema.names)] if schema.signed else [])]
    if "list" in schema.types:
        types = [*schema.types, *([None] if schema.signed else [])]
        df = df.select(*map(partial(_column, schema), df.columns, names, types))
    return df if df.columns == names else df.toDF(*names)


def _column(schema: ViewSchema, stored: str, name: str, type_: str | None) -> Column:
    column = F.col(_quoted(stored))
    array = schema.array_type(name) if type_ == "list" else None
    return column if array is None else F.from_json(column, array).alias(stored)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
