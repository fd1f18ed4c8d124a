"""A real standalone cluster on this machine: one master and some workers, each a separate process.

    def body(cluster: Cluster) -> None:
        with cluster.session() as spark: ...

    with standalone_cluster(workers=2, cores=2) as cluster:
        run_apart(body, cluster)

There is one Spark context per process: so what uses the cluster runs apart (or in a process that has no other session).
Everything listens on loopback. `kill_executor` and `kill_worker` are SIGKILL.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

from tests.spark.processes import command_of, descendants, wait_for
from tidelog.spark.session.session import open_session, worker_path

HOST = "127.0.0.1"
ROOT = Path(__file__).parents[2]
HOME = Path(pyspark.__file__).parent


@dataclass(frozen=True)
class Cluster:
    """A running cluster, as its users see it; can be sent to another process."""

    master: str
    folder: Path
    workers: tuple[int, ...]

    @property
    def shared(self) -> str:
        """A folder that driver and executors reach."""
        return str(self.folder / "shared")

    @contextlib.contextmanager
    def session(self, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
        """A session on the cluster."""
        given = {
            "spark.executor.memory": "512m",
            "spark.executorEnv.PYTHONPATH": os.pathsep.join((worker_path(), str(ROOT))),
            **(settings or {}),
        }
        spark = open_session(2, master=self.master, settings=given)
        try:
            yield spark
        finally:
            spark.stop()

    def executors(self) -> list[int]:
        """The process numbers of the running executors."""
        below = [number for worker in self.workers for number in descendants(worker)]
        return [number for number in below if "CoarseGrainedExecutorBackend" in command_of(number)]

    def kill_executor(self, position: int = 0) -> int:
        """Kill an executor; its process number."""
        number = self.executors()[position]
        os.kill(number, signal.SIGKILL)
        return number

    def kill_worker(self, position: int = 0) -> None:
        """Kill a worker of the cluster; its executors then end, too."""
        os.kill(self.workers[position], signal.SIGKILL)


@contextlib.contextmanager
def standalone_cluster(workers: int = 2, cores: int = 2, memory: str = "1g") -> Iterator[Cluster]:
    """One master and this many workers, with this many cores each."""
    with tempfile.TemporaryDirectory(prefix="tidelog-cluster-", ignore_cleanup_errors=True) as name:
        folder, processes = Path(name), []
        try:
            processes.append(_start(folder, "master", "master.Master"))
            said = _await(folder, "master", r"Starting Spark master at (spark://[^:]+:\d+)")
            for number in range(workers):
                options = ("--work-dir", str(folder / f"work{number}"), "--cores", str(cores), "--memory", memory)
                processes.append(_start(folder, f"worker{number}", "worker.Worker", *options, said))
            for number in range(workers):
                _await(folder, f"worker{number}", r"(Successfully registered with master)")
            yield Cluster(said, folder, tuple(process.pid for process in processes[1:]))
        finally:
            _end(processes)


def _start(folder: Path, name: str, main: str, *options: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }
    place = ("--host", HOST, "--port", "0", "--webui-port", "0")
    command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{main}", *place, *options]
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)


def _await(folder: Path, name: str, pattern: str) -> str:
    """What the pattern finds in the log of the master or of a worker."""
    log = folder / f"{name}.log"

    def said() -> str:
        return log.read_text("utf-8", "replace")

    wait_for(lambda: re.search(pattern, said()) is not None, 120, lambda: f"{name} said: {said()[-2000:]}")
    found = re.search(pattern, said())
    assert found
    return found.group(1)


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    below = [number for process in processes for number in descendants(process.pid)]
    for process in reversed(processes):
        process.terminate()
    for process in processes:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
    for number in below:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
