"""The log of a server: lines for people, or one JSON object a line.

Law: the log goes to the standard error. A line names what happened with its level and its logger; addresses stand there
without their parameters, and headers, tokens and bodies never. Control characters are escaped, so that nothing that a
client sends begins a line. Without `logging_started` the loggers below `tidelog` belong to the program that uses them.
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
FIELDS = ("method", "path", "status", "code", "seconds", "client")  # of a request


@contextmanager
def logging_started(level: str, form: str, to: TextIO | None = None) -> Iterator[None]:
    """Log while a block runs; epochs are logged one by one at level ``debug`` only."""
    handler = logging.StreamHandler(to or sys.stderr)
    handler.setFormatter(JsonLines() if form == JSON else Lines())
    quiet = level if level in ("debug", "error") else "warning"
    levels = {"tidelog": quiet, "uvicorn.error": quiet, "tidelog.serve": level, "tidelog.follow": level}
    loggers = [logging.getLogger(name) for name in levels]
    before = [(logger.level, logger.propagate) for logger in loggers]
    for logger, wanted in zip(loggers, levels.values(), strict=True):
        logger.setLevel(wanted.upper())
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


class Lines(logging.Formatter):
    """Time, level, logger, message; then the fields of a request, and a traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and those of a traceback."""
        told = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        line = f"{_time(record)} {record.levelname} {record.name}: {record.getMessage()}{' ' if told else ''}{told}"
        trace = _trace(record)
        return escaped(line) + (f"\n{trace}" if trace else "")


class JsonLines(logging.Formatter):
    """The same as one object of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        told: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        trace = _trace(record)
        return json.dumps({**told, "exception": trace} if trace else told)


def escaped(text: str) -> str:
    """A text without characters that control a terminal or begin a line.

    >>> escaped("a\\nb\\x1b")
    'a\\\\nb\\\\x1b'
    """
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    return {name: vars(record)[name] for name in FIELDS if vars(record).get(name) is not None}


def _time(record: logging.LogRecord) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"


def _trace(record: logging.LogRecord) -> str:
    return logging.Formatter().formatException(record.exc_info) if record.exc_info else ""
