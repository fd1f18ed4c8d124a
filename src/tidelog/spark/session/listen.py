"""How the processes of a run listen: on sockets that no other user can reach, and for messages up to which size.

Law: in local mode no port is opened: driver and workers are processes of one user on one machine, and use sockets in a
folder of that user. If the path of the temporary folder is too long for a socket, they use the loopback address.
Elsewhere a process listens on the address from which it reaches the other side.
"""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING

from tidelog.spark.session.run_folder import RunFolder
from tidelog.spark.session.session_failures import MESSAGE_SETTING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTING = "spark.tidelog.messageLimit"
SMALLEST_LIMIT, LARGEST_LIMIT = 1 << 16, (1 << 31) - 1  # bytes; the upper one is gRPC's
PATH_LENGTH = 90  # of a folder: the path of a socket may have 108 bytes


def socket_folder() -> RunFolder | None:
    """A folder for sockets that only this user can access; None if its path is too long."""
    folder = RunFolder()
    if len(folder.name.encode()) <= PATH_LENGTH:
        return folder
    folder.cleanup()
    return None


def own_address(other: str, default: str) -> str:
    """The source address of this machine for packets to a host; nothing is sent."""
    try:
        found = socket.getaddrinfo(other, 9, type=socket.SOCK_DGRAM)
    except OSError:  # only a proxy knows the name
        return default
    for kind, _, _, _, address in found:
        with contextlib.suppress(OSError), socket.socket(kind, socket.SOCK_DGRAM) as probe:
            probe.connect(address)
            return str(probe.getsockname()[0])
    return default


def message_limit(spark: SparkSession) -> int:
    """The largest message in bytes, from the session's settings."""
    setting = str(spark.conf.get(SETTING, "")) or str(LARGEST_LIMIT)
    if not setting.isascii() or not setting.isdigit() or not SMALLEST_LIMIT <= int(setting) <= LARGEST_LIMIT:
        raise MESSAGE_SETTING.error(setting=SETTING, value=setting, least=SMALLEST_LIMIT, most=LARGEST_LIMIT)
    return int(setting)
