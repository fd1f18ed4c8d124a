"""What can go wrong in the resident stage and in calls to it.

Law: one entry per kind of failure; its text is that of every error with its code.
"""

from __future__ import annotations

from tidelog.errors.entry import FailureEntry
from tidelog.spark.errors import NoAnswer, PartitionLost, PreflightError, ResidentError, SparkError, StageError

_RESIDENT = "tests/spark/resident/test_resident.py"
_FAILURE = "tests/spark/resident/test_failure.py"

TOKEN = FailureEntry(
    "TL6101",
    SparkError,
    "invalid token of a partition",
    "partition {number} rejected the token of this run",
    "Partitions accept calls only from the run that started them.",
    "Start the engine again.",
    test=f"{_RESIDENT}::test_peer_with_a_wrong_token_is_refused",
)
ANSWER = FailureEntry(
    "TL6102",
    SparkError,
    "transport error",
    "partition {number}: {error}",
    "The driver and the partitions communicate through Arrow Flight, which reported this error.",
    "Open the engine again from its state folder. If the error recurs, check the logs of the executors.",
    test="tests/spark/test_failures.py::test_failure_of_the_transport_is_reported",
)
NO_DELIVERY = FailureEntry(
    "TL6103",
    StageError,
    "rows sent to the driver",
    "the driver does not accept rows; send them to a partition",
    "Tasks send rows only to partitions, and partitions only to each other.",
    test="tests/spark/test_failures.py::test_driver_takes_and_gives_no_rows",
)
NO_FETCH = FailureEntry(
    "TL6104",
    StageError,
    "rows requested from the driver",
    "the driver has no rows; fetch them from a partition",
    "Rows are stored in the partitions.",
    test="tests/spark/test_failures.py::test_driver_takes_and_gives_no_rows",
)
RUNS_ALREADY = FailureEntry(
    "TL6105",
    StageError,
    "stage is already running",
    "the resident stage is already running",
    "A stage can be started once.",
    "Use the running stage, or stop it first.",
    test=f"{_RESIDENT}::test_stage_that_is_not_started_or_stopped_says_so",
)
EACH = FailureEntry(
    "TL6106",
    StageError,
    "wrong number of arguments for the partitions",
    "`each` has {given:1 item}, but the engine has {partitions:1 partition}",
    "`each` contains the arguments of every partition.",
    "Pass one item for each partition.",
    test=f"{_RESIDENT}::test_calls_take_the_same_or_their_own_arguments",
)
NOT_RUNNING = FailureEntry(
    "TL6107",
    StageError,
    "stage is not running",
    "the resident stage is not running: call start() first",
    "Partitions can be called between start and stop.",
    test=f"{_RESIDENT}::test_stage_that_is_not_started_or_stopped_says_so",
)
ENDED = FailureEntry(
    "TL6108",
    StageError,
    "stage ended before it started",
    "the resident stage ended before all its tasks had started: {error}",
    "All tasks of the stage have to run at the same time.",
    "Check Spark's message above and the logs of the executors.",
    test="tests/spark/test_failures.py::test_stage_that_ends_before_it_begins_is_reported",
)
SILENT_START = FailureEntry(
    "TL6109",
    StageError,
    "partition stopped responding during startup",
    "partition {number} sent no heartbeat for {seconds:g} s during startup",
    "Every partition sends heartbeats to the driver.",
    "Check that the executors can reach the driver, then start again.",
    test="tests/spark/test_failures.py::test_partition_that_falls_silent_while_it_starts_is_reported",
)
NO_SLOTS = FailureEntry(
    "TL6110",
    StageError,
    "tasks did not start in time",
    "only {began} of {partitions} tasks started within {limit:g} s: other jobs may occupy the slots of "
    "this session; use a session with more slots, or raise spark.tidelog.startTimeout",
    "All tasks of the stage have to run at the same time.",
    test=f"{_FAILURE}::test_start_that_finds_no_room_says_so",
)
LOST = FailureEntry(
    "TL6111",
    PartitionLost,
    "partition lost",
    "partition {number} was lost: {reason}",
    "A partition is lost when its task ends. The state folder contains all committed epochs.",
    "Open the engine again from its state folder.",
    test=f"{_FAILURE}::test_worker_that_stands_still_is_noticed_by_its_silence",
)
LATE = FailureEntry(
    "TL6112",
    NoAnswer,
    "partition did not answer in time",
    "partition {number} did not answer `{what}` within {seconds:g} s",
    "The time of such calls is limited.",
    "Retry the call, or check the logs of the executor.",
    test=f"{_RESIDENT}::test_call_over_its_limit_is_given_up",
)
FOREIGN = FailureEntry(
    "TL6113",
    ResidentError,
    "error in a partition",
    "{kind}: {error}",
    "Errors of Tidelog and built-in exceptions are sent between processes unchanged. Of any other exception, only the "
    "name and the text are sent.",
    "Read the note of the error, which contains the traceback of the partition.",
    test=f"{_RESIDENT}::test_error_of_a_resident_is_raised_as_itself",
)
NOT_CARRIED = FailureEntry(
    "TL6175",
    ResidentError,
    "value cannot be sent",
    "a {kind} cannot be sent to or from a partition",
    "The driver and the partitions exchange plain values, arrays and objects of certain classes; nothing is pickled.",
    "Use a path, a URI or a file system of `pyarrow.fs` as the state folder.",
    test="tests/spark/resident/test_codec.py::test_value_that_nobody_named_is_refused",
)
NOT_READABLE = FailureEntry(
    "TL6176",
    ResidentError,
    "invalid message from the network",
    "received an invalid message: {what}",
    "The driver and the partitions run the same version of Tidelog and accept only messages written by it.",
    "Check whether other programs connect to the ports of this run, and start the engine again.",
    test="tests/spark/resident/test_codec.py::test_garbage_is_refused_and_runs_nothing",
)
TOO_LARGE = FailureEntry(
    "TL6177",
    ResidentError,
    "message is too large",
    "a message has at least {size:,} bytes, which exceeds the limit of {limit:,} bytes",
    "The size of calls, responses and batches of rows between the driver and the partitions is limited.",
    "Raise `spark.tidelog.messageLimit`, or change and read fewer rows at once.",
    test="tests/spark/resident/test_wire.py::test_message_larger_than_the_limit_is_refused",
)
NO_CRYPTOGRAPHY = FailureEntry(
    "TL6178",
    PreflightError,
    "TLS requires the package cryptography",
    "TLS between the driver and the partitions requires the package `cryptography`, which is not installed",
    "On a cluster, the driver creates the certificates of a run.",
    "Run `pip install 'tidelog[spark]'`, or pass `tls=False` to disable TLS.",
    test="tests/spark/resident/test_credentials.py::test_missing_library_is_reported",
)
ENTRIES = (
    NOT_CARRIED,
    NOT_READABLE,
    TOO_LARGE,
    NO_CRYPTOGRAPHY,
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
)
