"""Views and changes as DataFrames: files that partitions wrote, read with the types that a user expects.

Law (D5, D14): a DataFrame reads files that never change, so it always shows its epoch; every column has the Spark
type of its values (unsigned: decimal(20,0)), even if there are no rows. Nothing here depends on partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from pyarrow.dataset import dataset
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tidelog.io.outside import is_own, spark_face
from tidelog.io.parquet import MIXED, NO_COLUMNS, change_name, stored_names, widest
from tidelog.io.place import open_files
from tidelog.program.values.shape import Part, Shape
from tidelog.program.values.source_types import CONSTRUCTOR, NATURAL, digits_of, element_of, fields_of, zone_of

SPARK_TYPES: Mapping[str | None, T.DataType] = {
    "number": T.LongType(),
    "unsigned": T.DecimalType(20, 0),
    "float": T.DoubleType(),
    "symbol": T.StringType(),
    "list": T.StringType(),  # as written in the file
    "boolean": T.BooleanType(),
    "date": T.DateType(),
    "timestamp": T.TimestampType(),
    None: T.LongType(),
}


_PLAIN: Mapping[str, T.DataType] = {
    "int8": T.ByteType(),
    "int16": T.ShortType(),
    "int32": T.IntegerType(),
    "int64": T.LongType(),
    "float32": T.FloatType(),
    "float64": T.DoubleType(),
    "binary": T.BinaryType(),
    "string": T.StringType(),
    "boolean": T.BooleanType(),
    "date": T.DateType(),
}


def spark_type(outside: str) -> T.DataType:
    """The Spark type for the original type of data.

    >>> spark_type("array<uint8>").simpleString(), spark_type("timestamp(ns)").simpleString()
    ('array<smallint>', 'timestamp_ntz')
    """
    face = spark_face(outside)
    if face in _PLAIN:
        return _PLAIN[face]
    if (element := element_of(face)) is not None:
        return T.ArrayType(spark_type(element))
    if (fields := fields_of(face)) is not None:
        return T.StructType([T.StructField(name, spark_type(inner)) for name, inner in fields.items()])
    if (digits := digits_of(face)) is not None:
        return T.DecimalType(*digits)
    zone = zone_of(face)
    return T.TimestampNTZType() if zone is not None and zone[1] is None else T.TimestampType()


def outside_of(own: T.DataType) -> str:
    """The text by which the original Spark type of a column is remembered.

    >>> outside_of(T.ShortType()), outside_of(T.ArrayType(T.BooleanType())), outside_of(T.TimestampNTZType())
    ('int16', 'array<boolean>', 'timestamp(us)')
    """
    if isinstance(own, T.ArrayType):
        inner = outside_of(own.elementType)
        return NATURAL if inner == NATURAL else f"array<{inner}>"
    if isinstance(own, T.DecimalType):
        return f"decimal({own.precision},{own.scale})"
    if isinstance(own, T.TimestampType | T.TimestampNTZType):
        return "timestamp(us,UTC)" if isinstance(own, T.TimestampType) else "timestamp(us)"
    return next((name for name, type_ in _PLAIN.items() if isinstance(own, type(type_))), NATURAL)


def structure_type(shape: Shape, outside: str = NATURAL) -> T.DataType:
    """The Spark type of records or variants: that of their Arrow form, with the original types of their parts."""
    if shape.holds_recursion:
        return T.StringType()
    given = fields_of(outside) or {}
    if shape.is_record:
        return _struct(shape.fields, given)
    parts = [
        T.StructField(name, _struct(fields, fields_of(given.get(name, NATURAL)) or {}))
        for name, fields in shape.constructors.items()
        if fields
    ]
    return T.StructType([T.StructField(CONSTRUCTOR, T.StringType()), *parts])


def _struct(fields: Iterable[Part], outside_fields: Mapping[str, str]) -> T.StructType:
    return T.StructType([T.StructField(f.name, _typed_as(f.type, outside_fields.get(f.name, NATURAL))) for f in fields])


def _typed_as(type_: str | None, outside: str) -> T.DataType:
    """The Spark type of a column, or of a part of one, whose original type is known."""
    if isinstance(type_, Shape):
        return structure_type(type_, outside)
    return spark_type(outside) if type_ != "list" and is_own(type_, spark_face(outside)) else SPARK_TYPES[type_]


@dataclass(frozen=True, slots=True)
class ViewSchema:
    """Names and types of a view's columns; ``kinds`` are what `write_rows` returned about each partition's lists.

    ``signed`` views have one more column, +1 or -1. Lists of one kind of parts become arrays, others JSON text.
    """

    names: tuple[str, ...]
    types: tuple[str | None, ...]
    kinds: Sequence[Mapping[str, str]] = field(default_factory=tuple)
    signed: bool = False
    lists_as_text: bool = False
    outside: tuple[str, ...] = ()

    @property
    def stored(self) -> T.StructType:
        """The schema of the files."""
        stored = stored_names(self.names)
        given = self.outside or (NATURAL,) * len(self.types)
        fields = [T.StructField(n, self._stored(t, own)) for n, t, own in zip(stored, self.types, given, strict=True)]
        fields = fields or [T.StructField(NO_COLUMNS, T.BooleanType())]
        return T.StructType([*fields, *([T.StructField(change_name(self.names), T.ByteType())] if self.signed else [])])

    def _stored(self, type_: str | None, outside: str) -> T.DataType:
        if self.lists_as_text and isinstance(type_, Shape):
            return T.StringType()
        return _typed_as(type_, outside)

    def array_type(self, name: str) -> str | None:
        """The type of a column of lists; None if it stays text."""
        kind = widest(kinds[name] for kinds in self.kinds if name in kinds) or "array<>"
        return None if kind == MIXED or self.lists_as_text else kind.replace("<>", "<bigint>")

    def own_array(self, name: str) -> str | None:
        """The original type of a column of lists, if known."""
        given = dict(zip(self.names, self.outside, strict=False)).get(name, NATURAL)
        return None if element_of(given) is None or self.lists_as_text else spark_type(given).simpleString()


def read_view(spark: SparkSession, files: str | Iterable[str], schema: ViewSchema) -> DataFrame:
    """The rows of a view from its files, or from the folder that contains them and nothing else."""
    paths = [files] if isinstance(files, str) else list(files)
    if not paths:
        return _typed(spark.createDataFrame([], schema.stored), schema)
    return _typed(spark.read.schema(schema.stored).parquet(*paths), schema)


def send_view(spark: SparkSession, folder: str, schema: ViewSchema) -> DataFrame:
    """The same from files of this process that Spark may be unable to reach: their rows are sent."""
    files, place = open_files(folder)
    table = dataset(place, format="parquet", filesystem=files).to_table()
    return _typed(spark.createDataFrame(table, schema.stored), schema)


def _typed(df: DataFrame, schema: ViewSchema) -> DataFrame:
    names = [*(schema.names or (NO_COLUMNS,)), *([change_name(schema.names)] if schema.signed else [])]
    if "list" in schema.types:
        types = [*schema.types, *([None] if schema.signed else [])]
        df = df.select(*map(partial(_column, schema), df.columns, names, types))
    return df if df.columns == names else df.toDF(*names)


def _column(schema: ViewSchema, stored: str, name: str, type_: str | None) -> Column:
    column = F.col(_quoted(stored))
    array = schema.array_type(name) if type_ == "list" else None
    if array is None:
        return column
    own = schema.own_array(name)
    parsed = F.from_json(column, array)
    return (parsed if own is None else parsed.cast(own)).alias(stored)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
