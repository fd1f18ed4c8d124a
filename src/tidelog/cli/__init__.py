"""The command line: `tidelog COMMAND ...`.

Each command is a module of `commands`, thin: it names its options and calls what lies beside, the library of the
commands. Where a command runs is `place`, what it reads `inputs`, how it ends `guard`, what it prints `show`.
"""

from __future__ import annotations

import io
import sys

from tidelog.cli import commands
from tidelog.cli.application import app

__all__ = ["app", "commands", "main"]


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character of the program gets a replacement, never a traceback.
            stream.reconfigure(errors="replace")
    app()
