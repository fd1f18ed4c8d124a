"""`tidelog test FOLDER`: run cases that say what rules must do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import CaseFormat


@app.command("test")
def try_command(
    places: Annotated[list[Path], typer.Argument(help="Folders, or files, of cases.", metavar="FOLDER", exists=True)],
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Also tell which premises of the rules never failed.")
    ] = False,
    accept: Annotated[bool, typer.Option("--accept", help="Write golden views as they are now.")] = False,
    mutants: Annotated[
        bool, typer.Option("--mutants", help="Also tell which small mistakes in rules no case notices.")
    ] = False,
    most: Annotated[int, typer.Option("--most-mutants", metavar="N", min=1, help="Try so many mistakes.")] = 500,
    watch: Annotated[bool, typer.Option("--watch", help="Run again whenever a file changes, until Ctrl-C.")] = False,
    format_: Annotated[CaseFormat, typer.Option("--format", help="How to print the results.")] = CaseFormat.text,
) -> None:
    """Run the cases of a folder: given facts, when facts and rules change, then what views contain.

    Tells what does not hold, and which rules no case uses. The exit code is 1 if a case fails.
    """
    from tidelog.cli.act.try_rules import Wanted, try_rules, watch_rules
    from tidelog.cli.base.guard import guarded

    wanted = Wanted(tuple(places), coverage, accept, mutants, most, format_)
    with guarded():
        if watch:
            watch_rules(wanted)
        elif not try_rules(wanted):
            raise typer.Exit(1)
