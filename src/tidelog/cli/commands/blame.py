"""`tidelog blame --state DIR FACT`: which changes of an epoch added, removed or changed a fact.

Law: the folder is read without its lock; nothing is changed. Exit code 1 if the fact did not change.
"""

from __future__ import annotations

from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import FunctionsOption


@app.command("blame")
def blame_command(
    fact: Annotated[
        str,
        typer.Argument(metavar="FACT", help="A fact such as 'reach(1, 3)', or a relation, to explain all its changes."),
    ],
    state: Annotated[str, typer.Option("--state", metavar="DIR", help="State folder or URI.")],
    epoch: Annotated[
        int | None,
        typer.Option(metavar="EPOCH", help="Epoch to explain.", show_default="the last one that changed the fact"),
    ] = None,
    since: Annotated[
        int | None, typer.Option(metavar="EPOCH", help="Explain all epochs after this one together.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Maximum number of sets of changes to try.")] = 1000,
    functions: FunctionsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show which changes to facts and rules caused a fact or a view to change in an epoch.

    Undoing exactly the listed changes would undo the effect. None of them can be left out.
    """
    from tidelog.cli.base.functions import functions_of
    from tidelog.cli.input.state import opened

    with opened(state, functions=functions_of(functions)) as db:
        found = db.blame(fact, epoch, since=since, trials=trials)
        typer.echo(found.json() if as_json else str(found))
