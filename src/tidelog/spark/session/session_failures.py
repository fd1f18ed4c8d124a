"""What a Spark session is refused for, before partitions move in.

Law: one entry per way to fail; its text is that of every error with its code.
"""

from __future__ import annotations

from tidelog.errors import DataError
from tidelog.errors.entry import FailureEntry
from tidelog.spark.errors import PreflightError, SparkError

_JAVA = "Spark runs on Java 17 or later: that of `JAVA_HOME` if it is set, else `java` on the path."
_SESSION = "tests/spark/session/test_session.py"
_PREFLIGHT = "tests/spark/session/test_preflight.py"
_CLUSTER = "tests/spark/resident/test_cluster.py"
_FAILURE = "tests/spark/resident/test_failure.py"

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
UNREACHED = FailureEntry(
    "TL6006",
    PreflightError,
    "driver or Spark Connect client that tasks cannot reach",
    "the tasks on {host} cannot connect to this process at {own} ({error}): name an address of this machine that "
    "they can reach (`{setting}`), or use an embedded engine: `Engine(...)` without `spark=`, "
    "`epoch.insert(relation, df)`, `db[view].to_spark(spark)`",
    "Partitions are long tasks that call each other and the process that made the engine.",
    test="tests/spark/connect/test_engine.py::test_client_that_tasks_cannot_reach_is_refused",
)
STOPPED = FailureEntry(
    "TL6007",
    PreflightError,
    "session that was stopped",
    "the Spark session was stopped; make a new one",
    "An engine uses its session until it is closed.",
    test=f"{_SESSION}::use_own_session",
)
SPECULATION = FailureEntry(
    "TL6008",
    PreflightError,
    "session that copies long tasks",
    "spark.speculation is true and {setting} is {threshold}: Spark would start a copy of every resident partition, "
    "which takes a slot; set spark.speculation to false, or leave {setting} unset",
    "Resident partitions run as long as their engine, which is longer than any threshold.",
    test=f"{_PREFLIGHT}::test_speculation_by_duration_is_refused",
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
    "Spark sends the tasks of the partitions as code of the driver's Python, so that workers run the same version.",
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
    "Spark sends the tasks of the partitions as code of the driver's Python, so that workers run the same version.",
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
NO_SESSION = FailureEntry(
    "TL1511",
    DataError,
    "no Spark session",
    "no Spark session: make one, or give it (`to_spark(session)`)",
    "A view of an embedded engine becomes a DataFrame of the session that is active.",
    test="tests/spark/session/test_workers.py::test_view_without_a_session_is_told",
)
MESSAGE_SETTING = FailureEntry(
    "TL6075",
    PreflightError,
    "limit of messages that is none",
    "`{setting}` is {said!r}: it is a number of bytes from {least:,} to {most:,}",
    "The setting bounds the calls, answers and batches of rows between driver and partitions.",
    test="tests/spark/resident/test_wire.py::test_limit_of_messages_is_a_setting_of_the_session",
)
TIMEOUT_SETTING = FailureEntry(
    "TL6076",
    PreflightError,
    "invalid time-out",
    "`{setting}` is {said!r}: it must be a number of seconds greater than zero",
    "The time-outs of an engine are settings of its Spark session.",
    test="tests/spark/session/test_timeouts.py::test_invalid_time_out_is_refused",
)
ENTRIES = (
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
