"""Check before submitting the resident stage that this session can hold it (D17, D20).

Law: a session that passes can start the stage, and one that does not is refused at once with the responsible setting;
Spark itself would wait silently. Nothing in the session is changed. Workers on other machines, and those of a Spark
Connect server, are probed before the stage is submitted; in local mode the stage itself is the probe, and a failure is
examined afterwards, so that an engine opens with one job instead of two.
"""

from __future__ import annotations

import contextlib
import secrets
import sys
import time
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from pyarrow import fs

from tidelog.spark.errors import PreflightError
from tidelog.spark.resident.job import reason
from tidelog.spark.resident.waiters import Answer, Waiters
from tidelog.spark.session import session_failures as failures
from tidelog.spark.session.access import access
from tidelog.spark.session.advice import THRESHOLD
from tidelog.spark.session.connect import HOST_SETTING
from tidelog.spark.session.interpreter import OnBatches, map_in_arrow
from tidelog.spark.session.master import is_local, own_version, setting
from tidelog.spark.session.memory import MASTER, memory_problems
from tidelog.spark.session.probe import SCHEMA, make_probe
from tidelog.spark.session.run_folder import RunFolder

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

REGISTRATION = 60.0  # seconds that executors of a new session get to register


Place = tuple[str, int]  # host and port


def preflight(
    spark: SparkSession,
    partitions: int,
    *,
    held: int = 0,
    folder: str | None = None,
    driver: Place | None = None,
    limit: float = 120.0,
) -> None:
    """Refuse a session that has no room for the resident partitions, with ``folder`` as their state folder.

    ``held`` is the number of slots that other resident stages occupy while they run; ``driver`` is the address under
    which tasks must reach this process.

    Raises:
        PreflightError: names the setting and what to do.
    """
    check_session(spark, partitions, held=held, folder=folder, limit=limit)
    probe_workers(spark, partitions, folder=folder, driver=driver, limit=limit)


def check_session(
    spark: SparkSession, partitions: int, *, held: int = 0, folder: str | None = None, limit: float = 120.0
) -> None:
    """Check what can be checked without a task: settings, folder, slots."""
    _check_settings(spark)
    _check_folder(spark, folder)
    await_slots(spark, partitions, held=held, limit=min(limit, REGISTRATION))


def probe_workers(
    spark: SparkSession,
    partitions: int,
    *,
    folder: str | None = None,
    driver: Place | None = None,
    limit: float = 120.0,
) -> None:
    """Check what only workers know: their Python, their Tidelog, whether they reach the folder and this process."""
    with contextlib.ExitStack() as open_:
        shared = None
        if not access(spark).is_here:
            shared = open_.enter_context(RunFolder()) if folder is None else folder
        mark = open_.enter_context(_marked(shared))
        rows = _probe(spark, partitions, make_probe(shared, mark, driver), mark, limit)
    for row in rows:
        _check_worker(row, mark, driver)


def await_slots(spark: SparkSession, partitions: int, *, held: int = 0, limit: float) -> None:
    """Wait until the session can run one task more than there are partitions; executors may still be starting."""
    session = access(spark)
    local = is_local(session.master)
    deadline = time.monotonic() + limit
    while (there := session.slots()) < held + partitions + 1:
        if local or time.monotonic() > deadline:
            raise _too_few(spark, partitions, held, there)
        time.sleep(0.1)


def _too_few(spark: SparkSession, partitions: int, held: int, there: int) -> PreflightError:
    master = access(spark).master
    if is_local(master):
        advice = f"create it with master local[{held + partitions + 2}]"
    else:
        settings = (
            "spark.executor.instances, spark.dynamicAllocation.maxExecutors, spark.executor.cores, spark.cores.max"
        )
        advice = f"use more executors or cores ({settings})"
    if held:
        advice = f"close another engine of this session, or {advice}"
    others = f", of which other engines occupy {held}" if held else ""
    return failures.TOO_FEW_SLOTS.error(
        partitions=partitions,
        needed=partitions + 1,
        master=master,
        cpus=setting(spark, "spark.task.cpus", "1"),
        there=there,
        others=others,
        advice=advice,
    )


def _check_settings(spark: SparkSession) -> None:
    threshold = setting(spark, THRESHOLD)
    if threshold and setting(spark, "spark.speculation") == "true":
        raise failures.SPECULATION.error(setting=THRESHOLD, threshold=threshold)
    seconds, kill = (_udf_setting(spark, name) for name in ("idleTimeoutSeconds", "killOnIdleTimeout"))
    if seconds not in ("", "0") and kill == "true":
        raise failures.IDLE_TIMEOUT.error(seconds=seconds)
    master = access(spark).master
    for problem in memory_problems(lambda name, default: master if name == MASTER else setting(spark, name, default)):
        raise failures.MEMORY.error(problem=problem)


def _udf_setting(spark: SparkSession, name: str) -> str:
    """A setting of the workers: the session's, otherwise the one that it was created with."""
    made_with = setting(spark, f"spark.python.worker.{name}")
    return setting(spark, f"spark.sql.execution.pyspark.udf.{name}", made_with)


def _check_folder(spark: SparkSession, folder: str | None) -> None:
    master = access(spark).master
    if folder is None and not is_local(master):
        raise failures.NEEDS_FOLDER.error(master=master or "a cluster")


@contextlib.contextmanager
def _marked(folder: str | None) -> Iterator[str]:
    """Create a small file in the folder for the duration of the block; yields its name."""
    mark = f"preflight-{secrets.token_hex(8)}"
    if folder is None:
        yield mark
        return
    try:
        place, path = fs.FileSystem.from_uri(folder) if "://" in folder else (fs.LocalFileSystem(), folder)
        place.create_dir(path, recursive=True)
        with place.open_output_stream(f"{path}/{mark}") as stream:
            stream.write(mark.encode())
    except (OSError, ValueError) as error:  # errors of Arrow are of both classes
        raise failures.FOLDER.error(folder=folder, error=error) from error
    try:
        yield mark
    finally:
        with contextlib.suppress(OSError):
            place.delete_file(f"{path}/{mark}")


def _probe(spark: SparkSession, partitions: int, probe: OnBatches, mark: str, limit: float) -> list[Row]:
    """Run one probe task per partition, where the tasks of the stage would run."""
    tag, session = f"tidelog-{mark}", access(spark)

    def run() -> Any:
        session.tag_jobs(tag, "tidelog: preflight")
        return map_in_arrow(spark.range(0, partitions, 1, partitions), probe, SCHEMA).collect()

    answers: SimpleQueue[Answer] = SimpleQueue()
    waiters = Waiters()
    waiters.submit(0, run, answers)
    waiters.close()
    try:
        answer = _patiently(answers, limit)
    except BaseException:
        session.cancel_jobs(tag)
        raise
    if answer.error is not None:
        raise _why_no_probe(spark, answer.error) from answer.error
    return list(answer.value)


def _patiently(answers: SimpleQueue[Answer], limit: float) -> Answer:
    try:
        return answers.get(timeout=limit)
    except Empty:
        raise failures.PROBE_LATE.error(limit=limit) from None


def _why_no_probe(spark: SparkSession, error: BaseException) -> PreflightError:
    message = reason(error)
    if "PYTHON_VERSION_MISMATCH" in message:
        return failures.OTHER_PYTHON.error(version=_version(), error=message)
    chosen = spark.conf.get("spark.pyspark.python", "") or "not set, so PYSPARK_PYTHON or python3 is used"
    return failures.PROBE_FAILED.error(chosen=chosen, version=_version(), error=message)


def _check_worker(row: Row, mark: str, driver: Place | None) -> None:
    own = own_version()
    if row.python != _version():
        raise failures.WORKER_PYTHON.error(host=row.host, found=row.python, version=_version())
    if row.tidelog.startswith("!"):
        raise failures.WORKER_IMPORT.error(host=row.host, error=row.tidelog[1:], version=own)
    if row.tidelog != own:
        raise failures.WORKER_VERSION.error(host=row.host, found=row.tidelog, home=row.home, version=own)
    if row.folder not in ("", mark):
        raise failures.WORKER_FOLDER.error(host=row.host, error=row.folder.lstrip("!"))
    if row.driver:
        assert driver is not None
        raise failures.UNREACHED.error(host=row.host, own=driver[0], error=row.driver, setting=HOST_SETTING)


def _version() -> str:
    return ".".join(map(str, sys.version_info[:2]))
