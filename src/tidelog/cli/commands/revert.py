"""`tidelog revert --state DIR`: undo epochs by committing the inverse of their changes.

Law: the inverse commits as a whole or nothing changes; what cannot be reverted is listed. A dry run needs no lock.
"""

from __future__ import annotations

from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import FunctionsOption


@app.command("revert")
def revert_command(
    state: Annotated[str, typer.Option("--state", metavar="DIR", help="State folder or URI.")],
    epoch: Annotated[
        int | None, typer.Argument(metavar="EPOCH", help="Epoch to undo.", show_default="the last one")
    ] = None,
    since: Annotated[
        int | None, typer.Option(metavar="EPOCH", help="Undo all epochs after this one, up to EPOCH.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print what would change and what it would cost, without changing anything."),
    ] = False,
    author: Annotated[
        str | None, typer.Option(metavar="NAME", help="Author of the epoch, recorded in the log.")
    ] = None,
    note: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Note about the epoch.", show_default="the number of the undone epoch"),
    ] = None,
    functions: FunctionsOption = None,
) -> None:
    """Undo an epoch, or several, by committing the inverse of their changes.

    Restores the base facts and rules, and updates the views. The command is refused if a later epoch changed one of
    these facts or rules again.
    """
    from tidelog.cli.act.apply_difference import show_epoch
    from tidelog.cli.base.functions import functions_of
    from tidelog.cli.base.options import LAST
    from tidelog.cli.base.show import console
    from tidelog.cli.input.state import opened

    with opened(state, LAST if dry_run else None, functions_of(functions)) as db:
        found = db.revert(epoch, since=since, dry_run=dry_run, author=author, note=note)
        show_epoch(found, db.convention, dry_run, console())
