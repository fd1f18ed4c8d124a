"""The audit log: which client changed or queried what, one JSON object per line.

Law: every request with a valid token has a line, written before its response is sent, even if it is refused. A line
contains the texts of queries and rules, and how many facts of which relations were sent; facts themselves are in the
history. It never contains tokens. Only the owner can read the file; if it is moved away, a new one is started.
"""

from __future__ import annotations

import json
import logging.handlers
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

COUNTED = ("insert", "delete", "facts")  # rows by relation


class AuditLog:
    """A file to which one line per request is appended."""

    def __init__(self, file: Path) -> None:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        self._handler = _OwnersFile(file, encoding="utf-8")

    def note(
        self,
        request: Mapping[str, str],
        token: str | None,
        status: int,
        parameters: Mapping[str, Any] | None = None,
        body: object = None,
    ) -> None:
        """Write the line of a request: its method, path and client, and what it requested if it could be parsed."""
        entry = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "token": token,
            **request,
            "status": status,
            **({"parameters": dict(parameters)} if parameters else {}),
            **_summary(body),
        }
        line = json.dumps(entry, ensure_ascii=True)
        self._handler.handle(logging.LogRecord("tidelog.audit", logging.INFO, "", 0, line, None, None))

    def close(self) -> None:
        """Close the file."""
        self._handler.close()


class _OwnersFile(logging.handlers.WatchedFileHandler):
    """A file that is created for its owner only, also after it was moved away; a failed write is raised."""

    def _open(self) -> Any:
        return open(os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8")

    def handleError(self, record: logging.LogRecord) -> None:  # named by logging
        raise


def _summary(body: object) -> dict[str, Any]:
    """A body, with the number of rows instead of the rows."""
    if isinstance(body, pa.Table | list):
        return {"rows": len(body)}
    if not isinstance(body, Mapping):
        return {}
    return {
        name: {key: len(rows) for key, rows in value.items()} if name in COUNTED else value
        for name, value in body.items()
    }
