"""Where a command runs: in this process, or on Spark, with the session that Spark needs.

Law (D2, D17, D23): `tidelog run` uses the given runtime, or the one that `choose` selects. A session created here has
room for the partitions and is stopped at the end; a session that already runs in this process is used and left running.
If Spark cannot start, one line says what to do.
"""

from __future__ import annotations

import enum
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from tidelog.cli.base.cli_failures import SPARK_OPTION, UNKNOWN_MASTER
from tidelog.cli.base.progress import progress
from tidelog.errors import DataError

if TYPE_CHECKING:
    from tidelog.spark.types import SparkSession

ON_SPARK, IN_PROCESS = 2, 1  # partitions by default


class Runtime(enum.StrEnum):
    """Where partitions live (D2)."""

    auto = "auto"
    embedded = "embedded"
    spark = "spark"


RuntimeOption = Annotated[
    Runtime, typer.Option("--runtime", envvar="TIDELOG_RUNTIME", help="Runtime to use.", case_sensitive=False)
]
ChosenRuntimeOption = Annotated[
    Runtime,
    typer.Option(
        "--runtime",
        envvar="TIDELOG_RUNTIME",
        help="Runtime to use. `auto` is embedded unless options, files or their size require Spark.",
        case_sensitive=False,
    ),
]
PartitionsOption = Annotated[
    int | None,
    typer.Option(
        "--partitions", metavar="N", min=1, help="Number of partitions.", show_default="2 on Spark, 1 embedded"
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "-j",
        "--threads",
        "--jobs",
        metavar="N",
        min=1,
        help="Number of threads of the embedded runtime.",
        show_default="all processors",
    ),
]
MasterOption = Annotated[
    str | None, typer.Option("--master", metavar="URL", help="Spark master URL.", show_default="local[N + 2]")
]
SettingsOption = Annotated[
    list[str] | None, typer.Option("--conf", metavar="NAME=VALUE", help="Spark setting. May be repeated.")
]


@dataclass(frozen=True, slots=True)
class Place:
    """What the command line specifies about where to run; None or auto where it specifies nothing."""

    runtime: Runtime = Runtime.auto
    partitions: int | None = None
    master: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    threads: int | None = None

    @property
    def is_spark(self) -> bool:
        """Whether it is on Spark."""
        return self.runtime is Runtime.spark

    @property
    def count(self) -> int:
        """The number of partitions."""
        return self.partitions or (ON_SPARK if self.is_spark else IN_PROCESS)


def read_settings(texts: list[str] | None) -> dict[str, str]:
    """Settings of Spark from texts such as `spark.executor.cores=4`.

    >>> read_settings(["spark.executor.cores=4", "a=b=c"])
    {'spark.executor.cores': '4', 'a': 'b=c'}
    """
    pairs = [text.partition("=") for text in texts or ()]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise typer.BadParameter(f"`{name}` is not a setting; write it as NAME=VALUE", param_hint="--conf")
    return {name.strip(): value for name, _, value in pairs}


def check_place(place: Place) -> None:
    """Refuse settings of Spark for a run that does not use it."""
    if place.runtime is Runtime.embedded and (place.master or place.settings):
        raise SPARK_OPTION.error(option="--master" if place.master else "--conf")


@contextmanager
def spark_session(place: Place) -> Iterator[SparkSession]:
    """A session with room for the partitions, for the duration of the block."""
    running = running_session()
    if running is not None:
        yield running
        return
    from tidelog.spark import open_session

    master = place.master or ""
    with progress("starting Spark"):
        spark = open_session(place.count, master=master, settings={**_address(master), **place.settings})
    try:
        yield spark
    finally:
        spark.stop()


def running_session() -> SparkSession | None:
    """The session of this process, if it has one; only possible if Spark has been imported."""
    if "pyspark" not in sys.modules:
        return None
    from tidelog.spark.session.active import active_session

    try:
        return active_session()
    except DataError:
        return None


def _address(master: str) -> dict[str, str]:
    """Settings with the address of this machine from which it reaches the master: executors call the driver there.

    >>> _address("spark://127.0.0.1:7077")["spark.driver.host"], _address("local[4]")
    ('127.0.0.1', {})
    """
    if not master or master.startswith("local"):
        return {}
    host = urlsplit(master).hostname or socket.gethostname()
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as towards:
            towards.connect((host, 9))  # on a datagram socket: nothing is sent
            own = str(towards.getsockname()[0])
    except OSError as error:
        raise UNKNOWN_MASTER.error(master=master, host=host, reason=error.strerror or error) from None
    return {"spark.driver.host": own, "spark.driver.bindAddress": own}
