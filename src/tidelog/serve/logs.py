"""The log of a server: plain text, or one JSON object per line.

Law: the log goes to standard error. A line has a time, a level, a logger and a message; addresses are logged
without their parameters, and headers, tokens and bodies never. Control characters are escaped, so that nothing a
client sends can start a line. Without `start_logging`, the loggers below `tidelog` belong to the embedding program.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

JSON = "json"
FIELDS = ("method", "path", "status", "code", "seconds", "client", "token")  # of a request


@contextmanager
def start_logging(level: str, form: str, to: TextIO | None = None) -> Iterator[None]:
    """Log while a block runs; epochs are logged one by one at level ``debug`` only."""
    handler = logging.StreamHandler(to or sys.stderr)
    handler.setFormatter(JsonLogLines() if form == JSON else LogLines())
    quiet = level if level in ("debug", "error") else "warning"
    levels = {"tidelog": quiet, "uvicorn.error": quiet, "tidelog.serve": level, "tidelog.follow": level}
    loggers = [logging.getLogger(name) for name in levels]
    before = [(logger.level, logger.propagate) for logger in loggers]
    for logger, new_level in zip(loggers, levels.values(), strict=True):
        logger.setLevel(new_level.upper())
    for logger in loggers[:2]:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, (old, propagates) in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(old)
            logger.propagate = propagates


class LogLines(logging.Formatter):
    """Time, level, logger, message; then the fields of a request, and a traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and those of a traceback."""
        fields = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        line = f"{_time(record)} {record.levelname} {record.name}: {record.getMessage()}{' ' if fields else ''}{fields}"
        trace = _trace(record)
        return escape_control(line) + (f"\n{trace}" if trace else "")


class JsonLogLines(logging.Formatter):
    """The same as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        entry: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        trace = _trace(record)
        return json.dumps({**entry, "exception": trace} if trace else entry)


def escape_control(text: str) -> str:
    """A text with control characters escaped, including line breaks.

    >>> escape_control("a\\nb\\x1b")
    'a\\\\nb\\\\x1b'
    """
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    return {name: vars(record)[name] for name in FIELDS if vars(record).get(name) is not None}


def _time(record: logging.LogRecord) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"


def _trace(record: logging.LogRecord) -> str:
    return logging.Formatter().formatException(record.exc_info) if record.exc_info else ""
