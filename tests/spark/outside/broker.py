"""A broker of Kafka from its own Maven packages: one process, KRaft, loopback, a fresh folder."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.spark.outside.kits import LIMIT, jars

CLUSTER = "AAAAAAAAAAAAAAAAAAAAAA"  # an id in the form that Kafka wants


def _free_ports(count: int) -> list[int]:
    found = [socket.socket() for _ in range(count)]
    try:
        for each in found:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in found]
    finally:
        for each in found:
            each.close()


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """The address of a running broker."""
    folder.mkdir()
    port, controller = _free_ports(2)
    settings = {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": folder / "logs",
        "num.partitions": 3,
        "offsets.topic.replication.factor": 1,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
    }
    properties = folder / "server.properties"
    properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    java = ["java", "-Xmx512m", "-cp", os.pathsep.join(jars("broker"))]
    with (folder / "log.txt").open("w") as log:
        format_ = [*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(properties)]
        subprocess.run(format_, check=True, stdout=log, stderr=log, timeout=LIMIT)
        process = subprocess.Popen([*java, "kafka.Kafka", str(properties)], stdout=log, stderr=log)
        try:
            until = time.monotonic() + LIMIT
            while not _answers(port):
                is_well = process.poll() is None and time.monotonic() < until
                assert is_well, (folder / "log.txt").read_text()[-3000:]
                time.sleep(0.2)
            yield f"127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait(LIMIT)


def _answers(port: int) -> bool:
    with socket.socket() as found:
        found.settimeout(1)
        return found.connect_ex(("127.0.0.1", port)) == 0
