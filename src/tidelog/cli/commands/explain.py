"""`tidelog explain PROGRAM`: strata, join orders, indexes, cross products and placement of a program.

Law: what is told are the plans that the engine uses, for the facts that it was given; sizes of relations decide join
orders, so that a program may be explained with its facts (`-F`) or without.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import AllowOption, FunctionsOption, ProgramArgument, SandboxOption
from tidelog.cli.base.place import ON_SPARK
from tidelog.plan.modes import Plans


@app.command("explain")
def explain_command(
    program: ProgramArgument,
    facts: Annotated[
        Path | None,
        typer.Option("-F", "--fact-dir", metavar="DIR", help="The folder of fact files; none are read without it."),
    ] = None,
    core: Annotated[bool, typer.Option("--core", help="Tell the rules as they were rewritten.")] = False,
    partitions: Annotated[
        int, typer.Option("--partitions", metavar="N", min=1, help="Tell the placement on so many partitions.")
    ] = ON_SPARK,
    analyze: Annotated[
        bool, typer.Option("--analyze", help="Tell how often each step was entered, its rows, and what was expected.")
    ] = False,
    plans: Annotated[Plans, typer.Option(help="Take a `.plan` as advice, as binding, or not at all.")] = Plans.advice,
    functions: FunctionsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    sandbox: SandboxOption = False,
    allow: AllowOption = None,
) -> None:
    """Show how a program is evaluated: its strata, the join order of every rule from every trigger, and the indexes.

    Cross products, where a join visits a whole relation again and again, are listed; at the end stands where each
    relation lives on several partitions, and which rules send messages. With `--analyze` every step is told with what
    it did while the program was evaluated over the facts: visits, rows, and the rows for one visit beside the number
    that the planner expected.
    """
    from tidelog.cli.base.functions import functions_of
    from tidelog.cli.base.guard import guarded
    from tidelog.cli.base.sandbox import sandboxed
    from tidelog.cli.input.load import load_engine

    with guarded(), sandboxed(sandbox, allow, program, facts):
        db = load_engine(program, facts, plans, functions_of(functions))
    with guarded(), db:
        told = db.explain(core=core, partitions=partitions, analyze=analyze)
        typer.echo(json.dumps(told.to_json(), indent=2) if as_json else str(told))
