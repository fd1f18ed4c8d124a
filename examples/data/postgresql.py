"""A PostgreSQL server for tests, benchmarks and the demo: a folder, a separate port, an unprivileged user.

Its data does not survive a crash of the machine (fsync is off), and it listens only on a socket in its folder.
"""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SETTINGS = {
    "wal_level": "logical",
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "''",
    "max_wal_senders": "16",
    "max_replication_slots": "32",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "wal_sender_timeout": "10s",
}
OWNER = "tidelog"


def programs() -> Path | None:
    """Where the newest PostgreSQL of this machine keeps its programs."""
    found = [Path(path).parent for path in glob.glob("/usr/lib/postgresql/*/bin/postgres")]
    on_path = shutil.which("postgres")
    newest = max(found, key=lambda path: float(path.parent.name), default=None)
    return newest or (Path(on_path).parent if on_path else None)


def why_not() -> str:
    """Why no server can be started here; empty if one can."""
    if programs() is None:
        return "PostgreSQL is not installed (Debian's package `postgresql`)"
    if os.geteuid() == 0 and unprivileged() is None:
        return "PostgreSQL does not run as root, and there is no user `postgres` or `nobody`"
    return ""


def unprivileged() -> str | None:
    """A user to run the server as if this process runs as root."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    return None


class Server:
    """A server in a folder; ``dsn`` returns a connection string for one of its databases."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.port = settings.get("port", "5432")  # names the socket too
        self.user = unprivileged() if os.geteuid() == 0 else None
        self._programs = programs()
        if self.user is not None:
            shutil.chown(folder, self.user)
        self._run("initdb", "-D", self.data, "-U", OWNER, "--auth=trust", "-E", "UTF8", "--no-sync", "--locale=C")
        told = "\n".join(f"{name} = {value}" for name, value in {**SETTINGS, **settings}.items())
        with (folder / "data" / "postgresql.conf").open("a") as conf:
            conf.write(f"{told}\nunix_socket_directories = '{folder}'\n")

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def dsn(self, database: str = "postgres", **more: str) -> str:
        """A connection string."""
        given = {"host": str(self.folder), "port": self.port, "user": OWNER, "dbname": database, **more}
        return " ".join(f"{name}={value}" for name, value in given.items())

    def start(self, **settings: str) -> None:
        """Start it, with additional settings for this run, and wait until it accepts connections."""
        given = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self._run("pg_ctl", "-D", self.data, "-l", str(self.folder / "log"), "-o", given, "-w", "-t", "60", "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; `immediate` is a crash."""
        self._run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def run(self, text: str, *values: object, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run statements."""
        import psycopg

        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            cursor = connection.execute(text.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *arguments: str) -> None:
        assert self._programs is not None
        # not in the working directory, which the unprivileged user may not be allowed to see
        subprocess.run(
            [str(self._programs / program), *arguments],
            check=True,
            cwd="/",
            user=self.user,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            extra_groups=[] if self.user else None,
        )


@contextmanager
def running(**settings: str) -> Iterator[Server]:
    """A temporary server. Its data is deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="tidelog-pg-", ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder), **settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()
