"""`tidelog log DIR`: the epochs of a state, with time, duration and what changed."""

from __future__ import annotations

from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import Format, StateArgument


@app.command("log")
def log_command(
    state: StateArgument,
    format_: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.text,
) -> None:
    """List the epochs of a state: time, duration, changed rules and base facts, and changed views."""
    from tidelog.cli.output.show_log import show_log

    show_log(state, format_)
