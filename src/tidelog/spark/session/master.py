"""What kind of place a session runs at, and how many tasks it can run at once.

Law: `slots` counts as Spark's scheduler does when it decides whether a barrier stage fits, so that it is right for
every master and for every number of cores per task.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tidelog.spark.session import session_failures as failures

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def is_local(master: str) -> bool:
    """Whether the tasks run in the driver's own process.

    >>> is_local("local[4]"), is_local("local-cluster[2,1,1024]"), is_local("spark://host:7077")
    (True, False, False)
    """
    return master == "local" or master.startswith("local[")


def is_connect(part: object) -> bool:
    """Whether a session, or a DataFrame, talks to a Spark Connect server."""
    return "connect" in type(part).__module__.split(".")


def is_session(spark: object) -> bool:
    """Whether something is a session of Spark, of either kind; one of Connect has no context."""
    return is_connect(spark) or hasattr(spark, "sparkContext")


def refuse_connect(part: object) -> None:
    """Refuse a session, or a DataFrame of one, of Spark Connect, with what works instead."""
    if is_connect(part):
        raise failures.CONNECT.error()


def setting(spark: SparkSession, name: str, default: str = "") -> str:
    """A setting of the session, with white space and case evened out."""
    return str(spark.conf.get(name, default)).strip().lower()


def context(spark: SparkSession) -> Any:
    """The running context of the session.

    Raises:
        PreflightError: the session has none: it was stopped, or it talks to a Spark Connect server.
    """
    refuse_connect(spark)
    running = spark.sparkContext
    if running._jsc is None or running._jsc.sc().isStopped():
        raise failures.STOPPED.error()
    return running


def own_version() -> str:
    """The version of Tidelog in this process; the package itself stands above this one."""
    return str(sys.modules["tidelog"].__version__)


def slots(spark: SparkSession) -> int:
    """How many tasks the executors that are there can run at once."""
    scala = context(spark)._jsc.sc()
    return int(scala.maxNumConcurrentTasks(scala.resourceProfileManager().defaultResourceProfile()))


def addresses(spark: SparkSession, loopback: str) -> tuple[str, str]:
    """Where the driver listens, and the name under which executors reach it."""
    if is_local(context(spark).master):
        return loopback, loopback
    host = str(spark.conf.get("spark.driver.host", loopback))
    return str(spark.conf.get("spark.driver.bindAddress", host)), host
