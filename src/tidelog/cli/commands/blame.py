"""`tidelog blame --state DIR FACT`: which changes of an epoch caused that a fact came, went or changed its value.

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
        str, typer.Argument(metavar="FACT", help="A fact, such as 'reach(1, 3)', or a relation for all its changes.")
    ],
    state: Annotated[str, typer.Option("--state", metavar="DIR", help="The state folder, or a URI.")],
    epoch: Annotated[
        int | None,
        typer.Option(metavar="EPOCH", help="The epoch to ask about.", show_default="the last that changed the fact"),
    ] = None,
    since: Annotated[
        int | None, typer.Option(metavar="EPOCH", help="Ask about all epochs after this one together.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How many sets of changes to try.")] = 1000,
    functions: FunctionsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show why a fact or a view changed in an epoch of a state: the changes that caused it, and how.

    Undoing the changes that are named, and nothing else, undoes the change; none of them can be left out.
    """
    from tidelog.cli.base.functions import functions_of
    from tidelog.cli.input.state import opened

    with opened(state, functions=functions_of(functions)) as db:
        found = db.blame(fact, epoch, since=since, trials=trials)
        typer.echo(found.json() if as_json else str(found))
