"""What goes wrong in the resident stage and in calls to it.

Law: one entry per way to fail; its text is that of every error with its code.
"""

from __future__ import annotations

from tidelog.errors.entry import FailureEntry
from tidelog.spark.errors import NoAnswer, PartitionLost, PreflightError, ResidentError, SparkError, StageError

_RESIDENT = "tests/spark/resident/test_resident.py"
_FAILURE = "tests/spark/resident/test_failure.py"

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
    "this session; give it more, or raise spark.tidelog.startTimeout",
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
    "Errors of Tidelog and of Python itself cross processes as themselves; any other is told by its name and text.",
    "Read the note of the error, which has the traceback of the partition.",
    test=f"{_RESIDENT}::test_error_of_a_resident_is_raised_as_itself",
)
NOT_CARRIED = FailureEntry(
    "TL6175",
    ResidentError,
    "value that calls do not carry",
    "a {kind} cannot be sent to or from a partition",
    "Driver and partitions exchange plain values, arrays and objects of named classes; nothing is pickled.",
    "State folders on Spark are paths, URIs or file systems of `pyarrow.fs`.",
    test="tests/spark/resident/test_codec.py::test_value_that_nobody_named_is_refused",
)
NOT_READABLE = FailureEntry(
    "TL6176",
    ResidentError,
    "bytes that are no value",
    "what came over the network is no value: {what}",
    "Driver and partitions run the same version of Tidelog and read nothing but what it writes.",
    "Look for what else connects to the ports of this run; start the engine again.",
    test="tests/spark/resident/test_codec.py::test_garbage_is_refused_and_runs_nothing",
)
TOO_LARGE = FailureEntry(
    "TL6177",
    ResidentError,
    "message that is too large",
    "a message of {size:,} bytes or more is larger than {limit:,} bytes",
    "Calls, answers and batches of rows between driver and partitions have a largest size.",
    "Raise `spark.tidelog.messageLimit`, or change and read less at once.",
    test="tests/spark/resident/test_wire.py::test_message_larger_than_the_limit_is_refused",
)
NO_CRYPTOGRAPHY = FailureEntry(
    "TL6178",
    PreflightError,
    "no library for certificates",
    "TLS between driver and partitions needs the package `cryptography`",
    "On a cluster the certificates of a run are made by the driver.",
    "`pip install 'tidelog[spark]'` brings it; `Engine(..., tls=False)` does without TLS.",
    test="tests/spark/resident/test_credentials.py::test_missing_library_is_told",
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
