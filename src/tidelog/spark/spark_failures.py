"""What can go wrong with engines on Spark: streams, feeds and arrivals.

Law: one entry per kind of failure; its text is that of every error with its code.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, StateError
from tidelog.errors.entry import FailureEntry

PARTITIONS_CLOSED = FailureEntry(
    "TL4701",
    EngineError,
    "engine on Spark is closed",
    "the engine is closed; read its views and changes before closing it",
    "Views and changes of an engine on Spark are read from its running partitions.",
    test="tests/spark/test_arrivals.py::test_a_view_as_dataframe_shows_its_epoch_for_ever",
)
NOT_A_STREAM = FailureEntry(
    "TL4702",
    EngineError,
    "DataFrame is not a stream",
    "stream of `{relation}`: the DataFrame is not a stream; insert it in an epoch instead",
    "Streaming DataFrames are created with `spark.readStream`.",
    test="tests/spark/test_failures.py::test_frame_that_is_no_stream_is_refused",
)
NEW_CHECKPOINT = FailureEntry(
    "TL4703",
    EngineError,
    "checkpoint of the stream is new",
    "the state contains batches of the stream `{name}` up to {committed}, but the checkpoint {checkpoint} is new: its "
    "batches would be mistaken for these and skipped; use the old checkpoint, or give the stream another name",
    "Each batch is applied once: the checkpoint numbers the batches, and the state stores the last number.",
    test="tests/engine/test_feeds.py::test_a_checkpoint_that_is_ahead_of_the_state_or_new_is_refused",
)
CHECKPOINT_AHEAD = FailureEntry(
    "TL4704",
    EngineError,
    "checkpoint is ahead of the state",
    "the checkpoint {checkpoint} is at batch {latest}, but the state contains the stream `{name}` only up to "
    "{committed}: the batches in between would be lost; use the checkpoint and the state folder that belong together",
    "Each batch is applied once: the checkpoint numbers the batches, and the state stores the last number.",
    test="tests/engine/test_feeds.py::test_a_checkpoint_that_is_ahead_of_the_state_or_new_is_refused",
)
TABLE_FEED = FailureEntry(
    "TL5201",
    StateError,
    "cannot write the feed to the table or topic",
    "the feed of `{view}` in {target} was not {what}: {error}",
    "The epoch was committed. Its changes are added to the feed when the table or topic can be written again.",
    "Check the table and its catalogue, or the topic and its brokers.",
    test="tests/engine/test_feeds.py::test_a_table_that_spark_does_not_write_is_told_as_the_feed_that_it_is",
)
MERGED_COLUMNS = FailureEntry(
    "TL5202",
    StateError,
    "table for MERGE with other columns",
    "the feed of `{view}`: table {table} has the columns {there}, but the view has {names}",
    "With `merge=True` a table is kept equal to a view, so both must have the same number of columns. They are matched "
    "by name, or by position if no names are the same.",
    "Create a table with the columns of the view.",
    test="tests/spark/test_table_feeds.py::test_merged_table_has_the_columns_of_the_view",
)
FEED_AHEAD = FailureEntry(
    "TL5203",
    StateError,
    "feed is ahead of the state",
    "the feed of `{view}` contains epoch {last}, but the state folder is at epoch {number}",
    "Epochs number the parts of a feed. With the numbers of another state folder, parts would be skipped or repeated.",
    "Use the state folder that wrote the feed, or another target.",
    test="tests/engine/test_feeds.py::test_a_feed_of_another_state_is_refused",
)
TABLE_CHANGES = FailureEntry(
    "TL5204",
    StateError,
    "cannot read the changes of the table",
    "the changes of table {table} since snapshot {since} were not read: {error}; nothing was changed",
    "Changes are read between the snapshot that was read last and the current one. Both must exist, and the first must "
    "be an ancestor of the second.",
    "If the snapshots have expired, delete the facts of the relation and those of `iceberg_position`, and read the "
    "whole table.",
    test="tests/spark/test_iceberg.py::test_changes_that_cannot_be_read_change_nothing",
)
KEYED_JSON = FailureEntry(
    "TL1513",
    DataError,
    "JSON input for a relation with a key",
    "{path}: `{relation}` has a key, and relations with a key cannot be read from JSON on Spark",
    "The rows of a relation with a key are read by the driver, which reads text, Parquet and tables.",
    "Convert the file to Parquet.",
    test="tests/spark/test_failures.py::test_json_of_a_relation_with_a_key_is_refused",
)
SOURCE_OPTION = FailureEntry(
    "TL4705",
    EngineError,
    "missing option of the data source",
    "the data source `tidelog` needs the option `{name}`. Options given: {given}",
    "`path` is the state folder, `view` the view to read, `feed` the view whose changes are read, and `relation` the "
    "relation to write to.",
    'Add `.option("{name}", ...)`.',
    test="tests/spark/test_data_source.py::test_missing_option_is_refused",
)
ENTRIES = (
    SOURCE_OPTION,
    PARTITIONS_CLOSED,
    NOT_A_STREAM,
    NEW_CHECKPOINT,
    CHECKPOINT_AHEAD,
    TABLE_FEED,
    MERGED_COLUMNS,
    FEED_AHEAD,
    TABLE_CHANGES,
    KEYED_JSON,
)
