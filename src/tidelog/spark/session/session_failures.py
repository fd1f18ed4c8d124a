"""Why a Spark session is refused before the partitions are started.

Law: one entry per kind of failure; its text is that of every error with its code.
"""

from __future__ import annotations

from tidelog.errors import DataError
from tidelog.errors.entry import FailureEntry
from tidelog.spark.errors import PreflightError, SparkError

_JAVA = "Spark needs Java 17 or later. It uses the Java in `JAVA_HOME` if that is set, otherwise `java` on the path."
_SESSION = "tests/spark/session/test_session.py"
_PREFLIGHT = "tests/spark/session/test_preflight.py"
_CLUSTER = "tests/spark/resident/test_cluster.py"
_FAILURE = "tests/spark/resident/test_failure.py"

JAVA_FAILS = FailureEntry(
    "TL6001",
    PreflightError,
    "cannot run Java",
    "Spark needs Java, but {program} could not be run ({error}): {advice}",
    _JAVA,
    test=f"{_SESSION}::test_java_that_does_not_run_is_recognised",
)
JAVA_UNKNOWN = FailureEntry(
    "TL6002",
    PreflightError,
    "unknown Java version",
    "Spark needs Java, but {program} does not report its version: {advice}",
    _JAVA,
    test=f"{_SESSION}::test_unusable_java_is_recognised",
)
JAVA_OLD = FailureEntry(
    "TL6003",
    PreflightError,
    "Java is too old",
    "Spark needs Java {oldest}, but {program} is Java {version}: {advice}",
    _JAVA,
    test=f"{_SESSION}::test_unusable_java_is_recognised",
)
JAVA_HOME = FailureEntry(
    "TL6004",
    PreflightError,
    "invalid JAVA_HOME",
    "JAVA_HOME is {home}, which does not contain bin/java: {advice}",
    _JAVA,
    test=f"{_SESSION}::test_java_home_without_java_is_named",
)
NO_JAVA = FailureEntry(
    "TL6005",
    PreflightError,
    "Java not found",
    "Spark needs Java, but `java` is not on the path: {advice}",
    _JAVA,
    test=f"{_SESSION}::test_missing_java_says_what_to_install",
)
UNREACHED = FailureEntry(
    "TL6006",
    PreflightError,
    "tasks cannot reach this process",
    "the tasks on {host} cannot connect to this process at {own} ({error}): set `{setting}` to an address of this "
    "machine that they can reach, or use an embedded engine: `Engine(...)` without `spark=`, "
    "`epoch.insert(relation, df)`, `db[view].to_spark(spark)`",
    "Partitions are long-running tasks that call each other and the process that created the engine.",
    test="tests/spark/connect/test_engine.py::test_client_that_tasks_cannot_reach_is_refused",
)
STOPPED = FailureEntry(
    "TL6007",
    PreflightError,
    "Spark session was stopped",
    "the Spark session was stopped; create a new one",
    "An engine uses its session until it is closed.",
    test=f"{_SESSION}::use_own_session",
)
SPECULATION = FailureEntry(
    "TL6008",
    PreflightError,
    "speculative execution is enabled",
    "spark.speculation is true and {setting} is {threshold}: Spark would start a copy of every resident partition, "
    "which occupies a slot; set spark.speculation to false, or leave {setting} unset",
    "Resident partitions run as long as their engine, which is longer than any threshold.",
    test=f"{_PREFLIGHT}::test_speculation_by_duration_is_refused",
)
IDLE_TIMEOUT = FailureEntry(
    "TL6009",
    PreflightError,
    "session kills idle workers",
    "spark.python.worker.killOnIdleTimeout is true: Spark would kill resident partitions after {seconds} s; "
    "set it (and spark.sql.execution.pyspark.udf.killOnIdleTimeout) to false",
    "Between epochs, partitions are idle, for as long as the engine is open.",
    test=f"{_PREFLIGHT}::test_killing_of_idle_workers_is_refused",
)
NEEDS_FOLDER = FailureEntry(
    "TL6010",
    PreflightError,
    "cluster requires a state folder",
    "the session runs on {master}: its partitions may run on other machines, so the engine needs a state "
    "folder that all of them can access; pass a shared folder or an object store as `path=` "
    "(command line: `--state`)",
    "A lost partition is restored from the state folder.",
    test=f"{_CLUSTER}::refuse",
)
FOLDER = FailureEntry(
    "TL6011",
    PreflightError,
    "driver cannot write to the state folder",
    "the state folder {folder} cannot be written: {error}",
    "The driver and the partitions write to the same state folder.",
    "Check the folder and its permissions.",
    test=f"{_CLUSTER}::refuse",
)
PROBE_LATE = FailureEntry(
    "TL6012",
    PreflightError,
    "no free task slot",
    "a probe task did not finish within {limit:g} s: other jobs may occupy the slots of this session",
    "Before the partitions are started, one probe task per partition checks the executors, all at the same time.",
    "Wait until the other jobs are finished, or use a session with more slots.",
    test=f"{_FAILURE}::test_start_that_finds_no_room_says_so",
)
OTHER_PYTHON = FailureEntry(
    "TL6013",
    PreflightError,
    "Python version mismatch reported by Spark",
    "the workers do not run the Python version of the driver ({version}): set spark.pyspark.python (or "
    "PYSPARK_PYTHON) to a Python {version} with tidelog installed. Spark reported: {error}",
    "Spark sends tasks as bytecode of the driver's Python, so the workers must run the same version.",
    test=f"{_PREFLIGHT}::test_workers_with_another_python_are_refused",
)
PROBE_FAILED = FailureEntry(
    "TL6014",
    PreflightError,
    "Python of the workers failed",
    "the Python of the workers (spark.pyspark.python: {chosen}) could not run a probe task: it must be "
    "Python {version} with tidelog, pyspark and pyarrow installed. Spark reported: {error}",
    "Partitions run in the Python of Spark's workers.",
    test=f"{_PREFLIGHT}::test_workers_without_python_are_refused",
)
WORKER_PYTHON = FailureEntry(
    "TL6015",
    PreflightError,
    "Python version mismatch",
    "the workers on {host} run Python {found}, but the driver runs Python {version}: set spark.pyspark.python",
    "Spark sends tasks as bytecode of the driver's Python, so the workers must run the same version.",
    test="tests/spark/session/test_workers.py::test_worker_that_differs_is_refused",
)
WORKER_IMPORT = FailureEntry(
    "TL6016",
    PreflightError,
    "Tidelog is not installed on the workers",
    "the workers on {host} cannot import tidelog ({error}): install tidelog "
    "{version} there, or set spark.executorEnv.PYTHONPATH (or PYTHONPATH before the session is "
    "created) to a folder that contains it",
    "Partitions run Tidelog on the executors.",
    test=f"{_PREFLIGHT}::test_workers_with_another_tidelog_are_refused",
)
WORKER_VERSION = FailureEntry(
    "TL6017",
    PreflightError,
    "Tidelog version mismatch",
    "the workers on {host} have tidelog {found} ({home}), but the driver has "
    "{version}: install the same version, or set spark.executorEnv.PYTHONPATH",
    "The driver and the partitions must run the same version of Tidelog.",
    test=f"{_PREFLIGHT}::test_workers_with_another_tidelog_are_refused",
)
WORKER_FOLDER = FailureEntry(
    "TL6018",
    PreflightError,
    "executor cannot access the state folder",
    "the executor on {host} cannot access the state folder ({error}): use a folder that "
    "the driver and all executors share, or an object store",
    "Every partition writes its part of an epoch to the state folder.",
    test=f"{_CLUSTER}::refuse",
)
TOO_FEW_SLOTS = FailureEntry(
    "TL6019",
    PreflightError,
    "too few task slots",
    "{partitions} resident partitions need {needed} task slots, one of them for other jobs, but the "
    "session ({master}, spark.task.cpus={cpus}) has {there}{others}: "
    "{advice}, or use fewer partitions",
    "Each partition occupies one slot for as long as the engine is open. Reading and writing need one more.",
    test=f"{_PREFLIGHT}::test_too_few_slots_are_refused",
)
SECOND_SESSION = FailureEntry(
    "TL6020",
    PreflightError,
    "a Spark session is already running",
    "a Spark session is already running in this process; pass it (`Engine(spark=session)`) or stop it first",
    "A process has one Spark context, and Tidelog does not change a session that it did not create.",
    test=f"{_SESSION}::test_no_session_is_made_beside_a_running_one",
)
NOT_STARTED = FailureEntry(
    "TL6021",
    SparkError,
    "Spark did not start",
    "Spark did not start: {error}",
    "The session is created with the given master and settings.",
    "Check the master, and that its host and port can be reached.",
    test="tests/spark/session/test_workers.py::test_session_that_does_not_start_is_reported",
)
NOT_INSTALLED = FailureEntry(
    "TL6022",
    PreflightError,
    "missing Python packages for Spark",
    "Spark needs {missing}: {advice}",
    "The packages are installed with the extra `spark`.",
    test="tests/engine/test_bare_install.py::test_commands_run_and_on_spark_they_say_in_one_line_what_to_install",
)
NO_SESSION = FailureEntry(
    "TL1511",
    DataError,
    "no Spark session",
    "no Spark session is active: create one, or pass a session (`to_spark(session)`)",
    "A view of an embedded engine is converted to a DataFrame of the active session.",
    test="tests/spark/session/test_workers.py::test_view_without_a_session_is_reported",
)
MESSAGE_SETTING = FailureEntry(
    "TL6075",
    PreflightError,
    "invalid message size limit",
    "`{setting}` is {value!r}: it must be a number of bytes from {least:,} to {most:,}",
    "The setting limits the size of calls, responses and batches of rows between the driver and the partitions.",
    test="tests/spark/resident/test_wire.py::test_limit_of_messages_is_a_setting_of_the_session",
)
TIMEOUT_SETTING = FailureEntry(
    "TL6076",
    PreflightError,
    "invalid timeout",
    "`{setting}` is {value!r}: it must be a number of seconds greater than zero",
    "The timeouts of an engine are settings of its Spark session.",
    test="tests/spark/session/test_timeouts.py::test_invalid_time_out_is_refused",
)
PORTS_SETTING = FailureEntry(
    "TL6079",
    PreflightError,
    "invalid range of ports",
    "`{setting}` is {value!r}: it must be a range from 1024 to 65535 with at least {least} ports, such as 40000-40063",
    "The driver and every partition listen on a port of the range.",
    test="tests/spark/session/test_ports.py::test_range_of_ports_is_checked",
)
NO_PORT = FailureEntry(
    "TL6080",
    PreflightError,
    "no free port",
    "on {host}, other processes listen on all ports that this process may use of `{setting}` ({first}-{last})",
    "The driver and each partition use different ports of the range, also on different machines.",
    "Use a larger range.",
    test="tests/spark/session/test_ports.py::test_ports_in_use_are_skipped",
)
MEMORY_SETTING = FailureEntry(
    "TL6077",
    PreflightError,
    "invalid memory size",
    "`{setting}` is {value!r}: it must be a size greater than zero, such as 512m or 2g",
    "Sizes are written as in Spark's own settings.",
    test="tests/spark/session/test_memory.py::test_sizes_are_those_of_spark",
)
MEMORY = FailureEntry(
    "TL6078",
    PreflightError,
    "too little memory for partitions",
    "{problem}",
    "Partitions are Python processes outside the heap of their executor. A container that uses more memory than it has "
    "reserved is killed.",
    "Change the setting that the message names.",
    test="tests/spark/session/test_memory.py::test_session_that_leaves_partitions_no_memory_is_refused",
)
ENTRIES = (
    PORTS_SETTING,
    NO_PORT,
    MEMORY_SETTING,
    MEMORY,
    TIMEOUT_SETTING,
    MESSAGE_SETTING,
    JAVA_FAILS,
    JAVA_UNKNOWN,
    JAVA_OLD,
    JAVA_HOME,
    NO_JAVA,
    UNREACHED,
    STOPPED,
    SPECULATION,
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
    NO_SESSION,
)
