"""What can go wrong with rows between Spark and the partitions.

Law: one entry per kind of failure; its text is that of every error with its code.
"""

from __future__ import annotations

from tidelog.errors import DataError
from tidelog.errors.entry import FailureEntry

_READ = "tests/spark/rows/test_read.py"
_ENCODE = "tests/spark/rows/test_encode.py"

FRAME_COLUMNS = FailureEntry(
    "TL1503",
    DataError,
    "wrong number of columns in the DataFrame",
    "relation `{relation}` has {wanted:1 column} ({names}), but the DataFrame has {found} ({there})",
    "Columns are matched by name if the names agree. Otherwise they are matched by position, and their numbers must "
    "be equal.",
    "Select the columns of the relation.",
    test=f"{_ENCODE}::test_columns_are_matched_by_name_or_by_position",
)
FRAME_TYPE = FailureEntry(
    "TL1504",
    DataError,
    "DataFrame column type mismatch",
    "{where}: the DataFrame has {found}, but {type} is expected",
    "A column is never converted in a way that could lose information.",
    "Cast the column, or declare the relation with its type.",
    test=f"{_ENCODE}::test_columns_are_matched_by_name_or_by_position",
)
SPARK_TYPE = FailureEntry(
    "TL1505",
    DataError,
    "unsupported DataFrame column type",
    "{where}: Spark type {type} is not supported; {advice}",
    "Supported columns are integers, doubles, strings, booleans, dates, timestamps and arrays.",
    test=f"{_ENCODE}::test_types_that_cannot_be_facts_are_refused_with_a_hint",
)
NOT_READ = FailureEntry(
    "TL1506",
    DataError,
    "Spark cannot read or write a source",
    "{where}: {error}",
    "Spark reads and writes the files and tables of engines on Spark, and reported this error.",
    "Check the name of the table or file, and that all executors can access it.",
    test=f"{_READ}::test_parquet_and_tables_are_read_by_name",
)
PACKING = FailureEntry(
    "TL1507",
    DataError,
    "compressed file without .gz",
    "{path}: {problem}; Spark requires the name of a gzip file to end in .gz",
    "Spark detects compression by the file name, while the embedded engine detects it by the content.",
    "Rename the file.",
    test=f"{_READ}::test_a_packed_file_with_another_name_is_refused",
)
JSON_FIELD = FailureEntry(
    "TL1508",
    DataError,
    "missing JSON field",
    "{where}: no object has a field `{field}`",
    "The objects of a JSON file have one field for each column of the relation, with the same name.",
    "Rename the columns to match the fields, or declare the type of the column in `.decl`.",
    test=f"{_READ}::test_json_is_read_by_the_types_of_the_relation",
)
ROWS_NOT_READ = FailureEntry(
    "TL1509",
    DataError,
    "Spark cannot compute the DataFrame",
    "{relation}: Spark could not read the rows: {error}",
    "The rows of a DataFrame are computed when the epoch is committed.",
    "Compute the DataFrame separately, for example with `count()`, to see Spark's full message.",
    test=f"{_ENCODE}::test_a_source_that_fails_is_reported_in_one_line",
)
TURTLE_PARTS = FailureEntry(
    "TL1514",
    DataError,
    "Turtle and TriG are not written on Spark",
    "{path}: IO={kind} cannot be written on Spark; use `IO={other}`, or run with `--runtime embedded`",
    "On Spark, tasks write parts of a file, which are joined. Turtle and TriG abbreviate across statements.",
    "Write N-Triples or N-Quads, which have one statement per line.",
    test="tests/spark/test_run_spark.py::test_rdf_is_read_and_written",
)
ENTRIES = (
    FRAME_COLUMNS,
    FRAME_TYPE,
    SPARK_TYPE,
    NOT_READ,
    PACKING,
    JSON_FIELD,
    ROWS_NOT_READ,
    TURTLE_PARTS,
)
