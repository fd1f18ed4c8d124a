"""`tidelog format PATH...`: rewrite programs in the standard layout."""

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
        typer.Argument(metavar="PATH", help="Programs or folders of `.dl` files, or - for standard input."),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Do not write files. Exit with code 1 if a file would change.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Do not write files. Show the changes.")] = False,
    convention: Annotated[
        Convention | None,
        typer.Option(
            "--convention", help="Convention for texts that do not declare one.", show_default="inferred from the text"
        ),
    ] = None,
) -> None:
    """Format programs. Only spaces, line breaks and indentation change.

    Comments keep their places. The result is parsed again before it is written, to make sure that it is the same
    program. Files that cannot be parsed are reported and left unchanged, and the exit code is 1.
    """
    from tidelog.cli.act.format_files import FormatOptions, format_all
    from tidelog.cli.base.guard import guarded

    with guarded():
        options = FormatOptions(check, diff, None if convention is None else str(convention))
        if not format_all(paths, options):
            raise typer.Exit(1)
