"""What Spark is refused for, and what goes wrong with it, by code.

Law: whatever Spark, Java or the network does is told by one of these: TL60xx a session that does not suit, TL61xx the
resident stage, TL15xx rows and files, TL47xx streams and calls, TL52xx tables.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, StateError
from tidelog.errors.entry import FailureEntry
from tidelog.spark.errors import NoAnswer, PartitionLost, PreflightError, ResidentError, SparkError, StageError

_JAVA = "Spark runs on Java 17 or later: that of `JAVA_HOME` if it is set, else `java` on the path."
_SESSION = "tests/spark/session/test_session.py"
_PREFLIGHT = "tests/spark/session/test_preflight.py"
_CLUSTER = "tests/spark/resident/test_cluster.py"
_RESIDENT = "tests/spark/resident/test_resident.py"
_FAILURE = "tests/spark/resident/test_failure.py"
_READ = "tests/spark/rows/test_read.py"
_ENCODE = "tests/spark/rows/test_encode.py"

# Sessions

JAVA_FAILS = FailureEntry(
    "TL6001",
    PreflightError,
    "Java that does not run",
    "Spark needs Java, and {program} does not run ({error}): {advice}",
    _JAVA,
    test=f"{_SESSION}::test_java_that_does_not_run_is_recognised",
)
JAVA_UNKNOWN = FailureEntry(
    "TL6002",
    PreflightError,
    "Java that does not tell its version",
    "Spark needs Java, and {program} does not tell its version: {advice}",
    _JAVA,
    test=f"{_SESSION}::test_unusable_java_is_recognised",
)
JAVA_OLD = FailureEntry(
    "TL6003",
    PreflightError,
    "Java that is too old",
    "Spark needs Java {oldest}, and {program} is Java {version}: {advice}",
    _JAVA,
    test=f"{_SESSION}::test_unusable_java_is_recognised",
)
JAVA_HOME = FailureEntry(
    "TL6004",
    PreflightError,
    "JAVA_HOME without Java",
    "JAVA_HOME is {home}, which has no bin/java: {advice}",
    _JAVA,
    test=f"{_SESSION}::test_java_home_without_java_is_named",
)
NO_JAVA = FailureEntry(
    "TL6005",
    PreflightError,
    "no Java",
    "Spark needs Java, and there is none on the path: {advice}",
    _JAVA,
    test=f"{_SESSION}::test_missing_java_says_what_to_install",
)
CONNECT = FailureEntry(
    "TL6006",
    PreflightError,
    "session of Spark Connect",
    "this is a Spark Connect session: the partitions and the driver must reach each other, which Connect does "
    "not offer; make the session with SparkSession.builder.master(...)",
    "Partitions are long tasks of a barrier stage that call each other and the driver.",
    test=f"{_PREFLIGHT}::test_connect_session_is_refused",
)
STOPPED = FailureEntry(
    "TL6007",
    PreflightError,
    "session that was stopped",
    "the Spark session was stopped; make a new one",
    "An engine uses its session until it is closed.",
    test=f"{_SESSION}::use_own_session",
)
DYNAMIC_ALLOCATION = FailureEntry(
    "TL6008",
    PreflightError,
    "session with dynamic allocation",
    "spark.dynamicAllocation.enabled is true: Spark refuses resident (barrier) stages with it; "
    "make the session with spark.dynamicAllocation.enabled=false",
    "All partitions run at the same time, so their executors are there from the beginning.",
    test=f"{_PREFLIGHT}::test_dynamic_allocation_is_refused",
)
IDLE_TIMEOUT = FailureEntry(
    "TL6009",
    PreflightError,
    "session that kills idle workers",
    "spark.python.worker.killOnIdleTimeout is true: Spark would kill resident partitions after {seconds} s; "
    "set it (and spark.sql.execution.pyspark.udf.killOnIdleTimeout) to false",
    "A partition waits between epochs for as long as its engine is open.",
    test=f"{_PREFLIGHT}::test_killing_of_idle_workers_is_refused",
)
NEEDS_FOLDER = FailureEntry(
    "TL6010",
    PreflightError,
    "cluster without a state folder",
    "the session runs on {master}: its partitions may live on other machines, so the engine needs a state "
    "folder that all of them can reach; give `path=` (command line: `--state`) with a shared "
    "folder or an object store",
    "A partition that is lost begins anew from the state folder.",
    test=f"{_CLUSTER}::refuse",
)
FOLDER = FailureEntry(
    "TL6011",
    PreflightError,
    "state folder that the driver cannot write",
    "the state folder {folder} cannot be written: {error}",
    "Driver and partitions write to the same state folder.",
    "Check the folder and its permissions.",
    test=f"{_CLUSTER}::refuse",
)
PROBE_LATE = FailureEntry(
    "TL6012",
    PreflightError,
    "session without a free slot",
    "a probe task did not end within {limit:g} s: other jobs may hold the slots of this session",
    "Before anything is started, one task for each partition looks round on the executors, all at the same time.",
    "Wait until the other jobs are done, or give the session more slots.",
    test=f"{_FAILURE}::test_start_that_finds_no_room_says_so",
)
OTHER_PYTHON = FailureEntry(
    "TL6013",
    PreflightError,
    "workers that run another Python, told by Spark",
    "the workers run another Python than this one ({version}): set spark.pyspark.python (or "
    "PYSPARK_PYTHON) to a Python {version} that has tidelog; Spark said: {said}",
    "Driver and workers exchange pickled values, so they run the same version of Python.",
    test=f"{_PREFLIGHT}::test_workers_with_another_python_are_refused",
)
PROBE_FAILED = FailureEntry(
    "TL6014",
    PreflightError,
    "workers whose Python does not run",
    "the workers' Python (spark.pyspark.python: {chosen}) did not run a probe task: it must be a "
    "Python {version} with tidelog, pyspark and pyarrow; Spark said: {said}",
    "Partitions run in the Python of Spark's workers.",
    test=f"{_PREFLIGHT}::test_workers_without_python_are_refused",
)
WORKER_PYTHON = FailureEntry(
    "TL6015",
    PreflightError,
    "workers that run another Python",
    "the workers on {host} run Python {found}, the driver {version}: set spark.pyspark.python",
    "Driver and workers exchange pickled values, so they run the same version of Python.",
    test="tests/spark/session/test_workers.py::test_worker_that_differs_is_refused",
)
WORKER_IMPORT = FailureEntry(
    "TL6016",
    PreflightError,
    "workers without Tidelog",
    "the workers on {host} cannot import tidelog ({error}): install tidelog "
    "{version} there, or set spark.executorEnv.PYTHONPATH (or PYTHONPATH before the session is "
    "made) to a folder that has it",
    "Partitions run Tidelog's own code on the executors.",
    test=f"{_PREFLIGHT}::test_workers_with_another_tidelog_are_refused",
)
WORKER_VERSION = FailureEntry(
    "TL6017",
    PreflightError,
    "workers with another version of Tidelog",
    "the workers on {host} have tidelog {found} ({home}), the driver "
    "{version}: install the same version, or set spark.executorEnv.PYTHONPATH",
    "Driver and partitions speak to each other in the words of one version.",
    test=f"{_PREFLIGHT}::test_workers_with_another_tidelog_are_refused",
)
WORKER_FOLDER = FailureEntry(
    "TL6018",
    PreflightError,
    "executor that does not reach the state folder",
    "the executor on {host} does not reach the state folder ({error}): use a folder that "
    "the driver and all executors share, or an object store",
    "Every partition writes its piece of an epoch into the state folder.",
    test=f"{_CLUSTER}::refuse",
)
TOO_FEW_SLOTS = FailureEntry(
    "TL6019",
    PreflightError,
    "too few task slots",
    "{partitions} resident partitions need {needed} task slots, one of them for the other jobs, and the "
    "session ({master}, spark.task.cpus={cpus}) has {there}{others}: "
    "{advice}, or ask for fewer partitions",
    "Each partition holds one slot for as long as the engine is open; reading and writing need one more.",
    test=f"{_PREFLIGHT}::test_too_few_slots_are_refused",
)
SECOND_SESSION = FailureEntry(
    "TL6020",
    PreflightError,
    "second Spark session of a process",
    "a Spark session runs in this process already; hand it over (`Engine(spark=session)`) or stop it first",
    "A process has one Spark context; Tidelog never changes a session that it did not make.",
    test=f"{_SESSION}::test_no_session_is_made_beside_a_running_one",
)
NOT_STARTED = FailureEntry(
    "TL6021",
    SparkError,
    "Spark that did not start",
    "Spark did not start: {error}",
    "The session is made with the master and the settings that were given.",
    "Check the master, and that its host and port can be reached.",
    test="tests/spark/session/test_workers.py::test_session_that_does_not_start_is_told",
)
NOT_INSTALLED = FailureEntry(
    "TL6022",
    PreflightError,
    "Python packages that are missing",
    "Spark needs {missing}: {advice}",
    "An install without the extra `spark` lacks nothing until Spark is asked for.",
    test="tests/engine/test_bare_install.py::test_commands_run_and_on_spark_they_say_in_one_line_what_to_install",
)

# Rows

CHANGE_COLUMN = FailureEntry(
    "TL1501",
    DataError,
    "DataFrame without its column of changes",
    "{relation}: no column `{change}` tells +1 or -1; the rows have {there}",
    "With `change=`, one column of the rows says which of them come and which go.",
    "Name a column that is there once.",
    test=f"{_ENCODE}::test_each_row_may_say_whether_it_comes_or_goes",
)
CHANGE_TYPE = FailureEntry(
    "TL1502",
    DataError,
    "column of changes that holds no integers",
    "{relation}: the column `{change}` holds +1 or -1, not {type}",
    "With `change=`, one column of the rows says which of them come (+1) and which go (-1).",
    "Cast the column to int.",
    test=f"{_ENCODE}::test_each_row_may_say_whether_it_comes_or_goes",
)
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
ROWS_REFUSED = FailureEntry(
    "TL1510",
    DataError,
    "rows of a DataFrame that do not fit",
    "{relation}: {count} not fit; for example {example}: {reason}; nothing of the batch was applied",
    "Every value fits the type of its column, and none is null.",
    "Filter or convert the rows before they are inserted.",
    test=f"{_ENCODE}::test_bad_rows_are_told_by_count_and_example_and_nothing_counts",
)
NO_SESSION = FailureEntry(
    "TL1511",
    DataError,
    "no Spark session",
    "no Spark session: make one, or give it (`to_spark(session)`)",
    "A view of an embedded engine becomes a DataFrame of the session that is active.",
    test="tests/spark/session/test_workers.py::test_view_without_a_session_is_told",
)
CHANGE_MISSING = FailureEntry(
    "TL1512",
    DataError,
    "collected DataFrame without its column of changes",
    "{relation}: no column `{change}` tells +1 or -1",
    "With `change=`, one column of the rows says which of them come and which go.",
    "Name a column that is there.",
    test="tests/spark/test_failures.py::test_collected_frame_without_its_column_of_changes_is_refused",
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

# The resident stage

TOKEN = FailureEntry(
    "TL6101",
    SparkError,
    "call with a foreign token",
    "partition {number} refused the token of this run",
    "Partitions answer only the run that started them.",
    "Start the engine again.",
    test=f"{_RESIDENT}::test_peer_with_a_wrong_token_is_told_so",
)
ANSWER = FailureEntry(
    "TL6102",
    SparkError,
    "call that failed in the transport",
    "partition {number}: {said}",
    "Driver and partitions call each other by Arrow Flight; these are its words.",
    "Open the engine again from its state folder; if it happens again, look into the logs of the executors.",
    test="tests/spark/test_failures.py::test_failure_of_the_transport_is_told",
)
NO_DELIVERY = FailureEntry(
    "TL6103",
    StageError,
    "rows sent to the driver",
    "the driver takes no rows; send them to a partition",
    "Rows go to and between partitions.",
    test="tests/spark/test_failures.py::test_driver_takes_and_gives_no_rows",
)
NO_FETCH = FailureEntry(
    "TL6104",
    StageError,
    "rows asked of the driver",
    "the driver has no rows; fetch them from a partition",
    "Rows are held by partitions.",
    test="tests/spark/test_failures.py::test_driver_takes_and_gives_no_rows",
)
RUNS_ALREADY = FailureEntry(
    "TL6105",
    StageError,
    "stage that is started twice",
    "the resident stage runs already",
    "A stage has one life from start to stop.",
    "Use the running stage, or stop it first.",
    test=f"{_RESIDENT}::test_stage_that_is_not_started_or_stopped_says_so",
)
EACH = FailureEntry(
    "TL6106",
    StageError,
    "arguments for another number of partitions",
    "`each` has {given} entries for {partitions} partitions",
    "`each` gives every partition arguments of its own.",
    "Give one entry for each partition.",
    test=f"{_RESIDENT}::test_calls_take_the_same_or_their_own_arguments",
)
NOT_RUNNING = FailureEntry(
    "TL6107",
    StageError,
    "stage that does not run",
    "the resident stage does not run: call start() first",
    "Partitions answer between start and stop.",
    test=f"{_RESIDENT}::test_stage_that_is_not_started_or_stopped_says_so",
)
ENDED = FailureEntry(
    "TL6108",
    StageError,
    "stage that ended before it began",
    "the resident stage ended before it began: {said}",
    "All tasks of the stage have to begin at the same time.",
    "Look at Spark's words in the message and at the logs of the executors.",
    test="tests/spark/test_failures.py::test_stage_that_ends_before_it_begins_is_told",
)
SILENT_START = FailureEntry(
    "TL6109",
    StageError,
    "partition that fell silent while it started",
    "partition {number} was not heard of for {seconds:g} s while it started",
    "A partition tells the driver from time to time that it is there.",
    "Check that the executors reach the driver; then start again.",
    test="tests/spark/test_failures.py::test_partition_that_falls_silent_while_it_starts_is_told",
)
NO_SLOTS = FailureEntry(
    "TL6110",
    StageError,
    "tasks that did not begin in time",
    "{began} of {partitions} tasks began within {limit:g} s: other jobs may hold the slots of "
    "this session; give it more, or a longer start limit",
    "All tasks of the stage have to begin at the same time.",
    test=f"{_FAILURE}::test_start_that_finds_no_room_says_so",
)
LOST = FailureEntry(
    "TL6111",
    PartitionLost,
    "partition that is lost",
    "partition {number} is lost: {reason}",
    "A partition lives as long as its task; the state folder holds what it committed.",
    "Open the engine again from its state folder.",
    test=f"{_FAILURE}::test_worker_that_stands_still_is_noticed_by_its_silence",
)
LATE = FailureEntry(
    "TL6112",
    NoAnswer,
    "partition that does not answer in time",
    "partition {number} did not answer `{what}` within {seconds:g} s",
    "Calls that have a limit do not wait longer.",
    "Repeat the call, or look into the logs of the executor.",
    test=f"{_RESIDENT}::test_call_over_its_limit_is_given_up",
)
FOREIGN = FailureEntry(
    "TL6113",
    ResidentError,
    "error of a partition that cannot be sent as it is",
    "{kind}: {error}",
    "Errors cross processes by pickle; one that cannot be pickled, or is too long, is told by its name and text.",
    "Read the note of the error, which has the traceback of the partition.",
    test=f"{_RESIDENT}::test_error_of_a_resident_is_raised_as_itself",
)

# Engines on Spark

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

ENTRIES = (
    JAVA_FAILS,
    JAVA_UNKNOWN,
    JAVA_OLD,
    JAVA_HOME,
    NO_JAVA,
    CONNECT,
    STOPPED,
    DYNAMIC_ALLOCATION,
    IDLE_TIMEOUT,
    NEEDS_FOLDER,
    FOLDER,
    PROBE_LATE,
    OTHER_PYTHON,
    PROBE_FAILED,
    WORKER_PYTHON,
    WORKER_IMPORT,
    WORKER_VERSION,
    WORKER_FOLDER,
    TOO_FEW_SLOTS,
    SECOND_SESSION,
    NOT_STARTED,
    NOT_INSTALLED,
    CHANGE_COLUMN,
    CHANGE_TYPE,
    FRAME_COLUMNS,
    FRAME_TYPE,
    SPARK_TYPE,
    NOT_READ,
    PACKING,
    JSON_FIELD,
    ROWS_NOT_READ,
    ROWS_REFUSED,
    NO_SESSION,
    CHANGE_MISSING,
    KEYED_JSON,
    TOKEN,
    ANSWER,
    NO_DELIVERY,
    NO_FETCH,
    RUNS_ALREADY,
    EACH,
    NOT_RUNNING,
    ENDED,
    SILENT_START,
    NO_SLOTS,
    LOST,
    LATE,
    FOREIGN,
    PARTITIONS_CLOSED,
    NOT_A_STREAM,
    NEW_CHECKPOINT,
    CHECKPOINT_AHEAD,
    TABLE_FEED,
)
