"""The ports on which the processes of an engine listen, as a setting of the session.

Law: without the setting a process listens on any free port. With a range, the driver and each partition try different
ports of it: gRPC lets two processes listen on one port, and would send the calls for one partition to another. A port
on which another process listens is skipped.
"""

from __future__ import annotations

import contextlib
import re
import socket
from typing import TYPE_CHECKING

from tidelog.spark.session.session_failures import NO_PORT, PORTS_SETTING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PORTS = "spark.tidelog.ports"
RANGE = re.compile(r"(\d+)-(\d+)$")
Ports = tuple[int, int]  # the first and the last


def read_ports(spark: SparkSession, partitions: int) -> Ports | None:
    """The range of the session, if it has one."""
    text = str(spark.conf.get(PORTS, "")).strip()
    if not text:
        return None
    found = RANGE.match(text)
    first, last = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1024 <= first <= last < 1 << 16 or last - first < partitions:
        raise PORTS_SETTING.error(setting=PORTS, value=text, least=partitions + 1)
    return first, last


def free_port(ports: Ports | None, host: str, place: int, processes: int) -> int:
    """A free port for one of the processes, 0 for any port; ``place`` is its number, from 0."""
    if ports is None or host.startswith("/"):
        return 0
    candidates = range(ports[0] + place, ports[1] + 1, processes)
    for port in candidates:
        if _is_free(host, port):
            return port
    raise NO_PORT.error(host=host, setting=PORTS, first=ports[0], last=ports[1])


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        return True
    return False
