"""`tidelog test FOLDER`: run cases that specify what rules must do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import CaseFormat


@app.command("test")
def try_command(
    places: Annotated[list[Path], typer.Argument(help="Folders or files with cases.", metavar="FOLDER", exists=True)],
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Also report premises of rules that never failed.")
    ] = False,
    accept: Annotated[bool, typer.Option("--accept", help="Overwrite golden files with the current views.")] = False,
    mutants: Annotated[
        bool, typer.Option("--mutants", help="Also report small mistakes in rules that no case detects.")
    ] = False,
    most: Annotated[
        int, typer.Option("--most-mutants", metavar="N", min=1, help="Maximum number of mistakes to try.")
    ] = 500,
    watch: Annotated[bool, typer.Option("--watch", help="Run again whenever a file changes, until Ctrl-C.")] = False,
    format_: Annotated[CaseFormat, typer.Option("--format", help="Output format.")] = CaseFormat.text,
) -> None:
    """Run the test cases in a folder. A case has facts, changes and expected views.

    Reports failed expectations and rules that no case uses. The exit code is 1 if a case fails.
    """
    from tidelog.cli.act.try_rules import TrialRequest, try_rules, watch_rules
    from tidelog.cli.base.guard import guarded

    request = TrialRequest(tuple(places), coverage, accept, mutants, most, format_)
    with guarded():
        if watch:
            watch_rules(request)
        elif not try_rules(request):
            raise typer.Exit(1)
