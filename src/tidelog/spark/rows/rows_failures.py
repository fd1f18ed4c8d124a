"""What goes wrong with rows between Spark and the partitions.

Law: one entry per way to fail; its text is that of every error with its code.
"""

from __future__ import annotations

from tidelog.errors import DataError
from tidelog.errors.entry import FailureEntry

_READ = "tests/spark/rows/test_read.py"
_ENCODE = "tests/spark/rows/test_encode.py"

FRAME_COLUMNS = FailureEntry(
    "TL1503",
    DataError,
    "DataFrame with another number of columns",
    "relation `{relation}` has {wanted} columns ({names}), these rows have {found} ({there})",
    "Columns are taken by name if the names agree, else in their order; none is left over.",
    "Select the columns of the relation.",
    test=f"{_ENCODE}::test_columns_are_matched_by_name_or_by_position",
)
FRAME_TYPE = FailureEntry(
    "TL1504",
    DataError,
    "DataFrame column of another type",
    "{where}: the DataFrame has {found}, but a {type} is expected",
    "A column is read as the type it has, and nothing is converted that could lose something.",
    "Cast the column, or declare the relation with that type.",
    test=f"{_ENCODE}::test_columns_are_matched_by_name_or_by_position",
)
SPARK_TYPE = FailureEntry(
    "TL1505",
    DataError,
    "DataFrame column of a type that has no counterpart",
    "{where}: Spark type {type} is not supported; {advice}",
    "Columns of integers, doubles, strings, booleans, dates, timestamps and arrays have values of the language.",
    test=f"{_ENCODE}::test_types_that_cannot_be_facts_are_refused_with_a_hint",
)
NOT_READ = FailureEntry(
    "TL1506",
    DataError,
    "source that Spark cannot read or write",
    "{where}: {said}",
    "Spark reads and writes files and tables for the engines that run on it; these are its words.",
    "Check the name of the table or file, and that all executors reach it.",
    test=f"{_READ}::test_parquet_and_tables_are_read_by_name",
)
PACKING = FailureEntry(
    "TL1507",
    DataError,
    "packed file with another name",
    "{path}: {told}; Spark needs files that gzip packed to be named .gz",
    "Spark goes by the name of a file where the embedded engine looks into it.",
    "Rename the file.",
    test=f"{_READ}::test_a_packed_file_with_another_name_is_refused",
)
JSON_FIELD = FailureEntry(
    "TL1508",
    DataError,
    "JSON without a field for a column",
    "{where}: no object has a field `{field}`",
    "Objects of a JSON file have a field for each column of the relation, by its name.",
    "Name the columns as the fields are named, or give the column a type in `.decl`.",
    test=f"{_READ}::test_json_is_read_by_the_types_of_the_relation",
)
ROWS_NOT_READ = FailureEntry(
    "TL1509",
    DataError,
    "DataFrame that Spark cannot compute",
    "{relation}: Spark could not read the rows: {said}",
    "The rows of a DataFrame are computed when the epoch commits.",
    "Compute the DataFrame by itself (`count()`) to see Spark's whole message.",
    test=f"{_ENCODE}::test_a_source_that_fails_is_told_in_one_line",
)
ENTRIES = (
    FRAME_COLUMNS,
    FRAME_TYPE,
    SPARK_TYPE,
    NOT_READ,
    PACKING,
    JSON_FIELD,
    ROWS_NOT_READ,
)
