"""The command line: `tidelog COMMAND ...`.

Each command is a module of this package that registers itself with `application.app` when it is imported here; to add
one, write the module and add its name to the import below.
"""

from __future__ import annotations

import io
import sys

from tidelog.cli import apply, changes, check, explain, export, log, repl, run, simulate, snapshot, verify, why
from tidelog.cli.application import app

__all__ = [
    "app",
    "apply",
    "changes",
    "check",
    "explain",
    "export",
    "log",
    "main",
    "repl",
    "run",
    "simulate",
    "snapshot",
    "verify",
    "why",
]


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character of the program gets a replacement, never a traceback.
            stream.reconfigure(errors="replace")
    app()
