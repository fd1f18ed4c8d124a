"""What goes wrong with engines on Spark: streams, feeds and arrivals.

Law: one entry per way to fail; its text is that of every error with its code.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, StateError
from tidelog.errors.entry import FailureEntry

PARTITIONS_CLOSED = FailureEntry(
    "TL4701",
    EngineError,
    "rows of partitions that are gone",
    "the engine is closed; what its partitions hold has to be read before",
    "Views and changes of an engine on Spark are read from its partitions, while they run.",
    test="tests/spark/test_arrivals.py::test_a_view_as_dataframe_shows_its_epoch_for_ever",
)
NOT_A_STREAM = FailureEntry(
    "TL4702",
    EngineError,
    "stream of a DataFrame that is none",
    "stream of `{relation}`: the DataFrame is not a stream; insert it in an epoch instead",
    "A stream is made by `spark.readStream`.",
    test="tests/spark/test_failures.py::test_frame_that_is_no_stream_is_refused",
)
NEW_CHECKPOINT = FailureEntry(
    "TL4703",
    EngineError,
    "stream with a new checkpoint",
    "the state has batches of the stream `{name}` up to {committed}, but the checkpoint {checkpoint} is new: its "
    "batches would be taken for those and passed over; give the old checkpoint, or the stream another name",
    "A batch is applied once: the state remembers the number of the last one, and the checkpoint counts them.",
    test="tests/engine/test_feeds.py::test_a_checkpoint_that_is_ahead_of_the_state_or_new_is_refused",
)
CHECKPOINT_AHEAD = FailureEntry(
    "TL4704",
    EngineError,
    "stream with a checkpoint ahead of the state",
    "the checkpoint {checkpoint} is at batch {latest}, the state has the stream `{name}` up to {committed}: those in "
    "between would be lost; give the checkpoint and the state folder that belong together",
    "A batch is applied once: the state remembers the number of the last one, and the checkpoint counts them.",
    test="tests/engine/test_feeds.py::test_a_checkpoint_that_is_ahead_of_the_state_or_new_is_refused",
)
TABLE_FEED = FailureEntry(
    "TL5201",
    StateError,
    "feed into a table that fails",
    "the feed of `{view}` in table {table} was not {what}: {said}",
    "The epoch is committed; its changes come into the feed when the table can be written again.",
    "Check the table and the catalogue it is in.",
    test="tests/engine/test_feeds.py::test_a_table_that_spark_does_not_write_is_told_as_the_feed_that_it_is",
)
KEYED_JSON = FailureEntry(
    "TL1513",
    DataError,
    "JSON for a relation with a key",
    "{path}: `{relation}` has a key, and such relations are not read from JSON",
    "Rows of a relation with a key come through the driver, which reads text, Parquet and tables.",
    "Convert the file to Parquet.",
    test="tests/spark/test_failures.py::test_json_of_a_relation_with_a_key_is_refused",
)
SOURCE_OPTION = FailureEntry(
    "TL4705",
    EngineError,
    "missing option of the data source",
    "the data source `tidelog` needs the option `{name}`; given: {given}",
    "`path` is the state folder. `view` names what is read, `feed` the view whose changes are read, `relation` where "
    "rows are written.",
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
    KEYED_JSON,
)
