"""`tidelog test-order PROGRAM`: does it matter in which order facts, rules and messages come?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import FunctionsOption, ProgramArgument


@app.command("test-order")
def try_order_command(
    program: ProgramArgument,
    facts: Annotated[
        Path | None,
        typer.Option(
            "-F", "--fact-dir", metavar="DIR", help="Folder with the fact files. Without it, no facts are read."
        ),
    ] = None,
    changes: Annotated[Path | None, typer.Option("--changes", metavar="FILE", help="Change script.")] = None,
    tries: Annotated[int, typer.Option("--tries", metavar="N", min=1, help="Number of orders to try.")] = 60,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Random seed.")] = 0,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page", metavar="FILE", help="Write a counter-example to this file, as an HTML page that replays it."
        ),
    ] = None,
    functions: FunctionsOption = None,
) -> None:
    """Run a program over the same facts and changes in many orders, and compare the results.

    Batches, partitions, message orders and delays, repetitions and restarts are chosen at random. For few changes, all
    orders and all message schedules are tried. The exit code is 1 if two results differ.
    """
    from tidelog.cli.base.guard import guarded
    from tidelog.lab.try_order import OrderRequest, try_order

    with guarded():
        if not try_order(OrderRequest(program, facts, changes, tries, seed, page, functions)):
            raise typer.Exit(1)
