"""Typer's runner of commands, which here assembles the commands of an app once in a process instead of for every call.

Law: a command keeps no state between two calls. Assembling all of them takes about 40 ms of processor time.
"""

from __future__ import annotations

from functools import cache

import typer.main
import typer.testing
from typer.testing import CliRunner, Result

__all__ = ["CliRunner", "Result"]

typer.testing._get_command = cache(typer.main.get_command)  # type: ignore[attr-defined]
