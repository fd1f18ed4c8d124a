"""`tidelog format PATH...`: programs in their one layout."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from tidelog.cli.base.application import app


class Convention(enum.StrEnum):
    """How bare identifiers of a text are read."""

    souffle = "souffle"
    prolog = "prolog"


@app.command("format")
def format_command(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Programs, or folders of `.dl` files; - is the standard input."),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; the exit code is 1 if a layout differs.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Write nothing; show what a layout changes.")] = False,
    convention: Annotated[
        Convention | None,
        typer.Option("--convention", help="How a text is read that does not say it.", show_default="by its text"),
    ] = None,
) -> None:
    """Lay out programs in the one form that all have: spaces, line breaks and indentation, nothing else.

    Comments stay where they stand. Each layout is read again before it is written, and has to be the same program. A
    file that cannot be read as a program, or as a script of changes, is told and left alone; the exit code is then 1.
    """
    from tidelog.cli.act.format_files import Formatting, format_all
    from tidelog.cli.base.guard import guarded

    with guarded():
        asked = Formatting(check, diff, None if convention is None else str(convention))
        if not format_all(paths, asked):
            raise typer.Exit(1)
