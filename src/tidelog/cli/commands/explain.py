"""`tidelog explain PROGRAM`: strata, join orders, indexes, cross products and placement of a program.

Law: the plans shown are those that the engine uses for the given facts; sizes of relations decide join orders, so a
program can be explained with its facts (`-F`) or without.
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
        typer.Option(
            "-F", "--fact-dir", metavar="DIR", help="Folder with the fact files. Without it, no facts are read."
        ),
    ] = None,
    core: Annotated[bool, typer.Option("--core", help="Print the rewritten rules.")] = False,
    partitions: Annotated[
        int,
        typer.Option(
            "--partitions", metavar="N", min=1, help="Show the placement of relations for this number of partitions."
        ),
    ] = ON_SPARK,
    analyze: Annotated[
        bool, typer.Option("--analyze", help="Run the program and show visits, rows and estimates of each step.")
    ] = False,
    plans: Annotated[
        Plans, typer.Option(help="How to treat `.plan` directives: as advice, as binding, or ignored.")
    ] = Plans.advice,
    functions: FunctionsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    sandbox: SandboxOption = False,
    allow: AllowOption = None,
) -> None:
    """Show how a program is evaluated: its strata, the join order of every rule, and the indexes.

    Also lists cross products (joins that scan a whole relation repeatedly), the placement of relations on several
    partitions, and the rules that send messages. With `--analyze`, the program is evaluated over its facts and each
    step is shown with its visits, its rows, and the rows per visit next to the planner's estimate.
    """
    from tidelog.cli.base.functions import functions_of
    from tidelog.cli.base.guard import guarded
    from tidelog.cli.base.sandbox import sandboxed
    from tidelog.cli.input.load import load_engine

    with guarded(), sandboxed(sandbox, allow, program, facts):
        db = load_engine(program, facts, plans, functions_of(functions))
    with guarded(), db:
        explanation = db.explain(core=core, partitions=partitions, analyze=analyze)
        typer.echo(json.dumps(explanation.to_json(), indent=2) if as_json else str(explanation))
