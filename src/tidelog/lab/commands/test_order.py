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
        typer.Option("-F", "--fact-dir", metavar="DIR", help="The folder of fact files; none are read without it."),
    ] = None,
    changes: Annotated[Path | None, typer.Option("--changes", metavar="FILE", help="A script of epochs.")] = None,
    tries: Annotated[int, typer.Option("--tries", metavar="N", min=1, help="Try so many ways.")] = 60,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="What the ways are drawn from.")] = 0,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Write a counter-example as a page that plays it.")
    ] = None,
    functions: FunctionsOption = None,
) -> None:
    """Run a program over the same facts and changes in many orders, and compare what they come to.

    Batches, partitions, orders and delays of messages, repetitions and restarts are drawn by a seed; on few changes all
    orders are tried, and all schedules of messages. The exit code is 1 if two ways differ.
    """
    from tidelog.cli.base.guard import guarded
    from tidelog.lab.try_order import Wanted, try_order

    with guarded():
        if not try_order(Wanted(program, facts, changes, tries, seed, page, functions)):
            raise typer.Exit(1)
