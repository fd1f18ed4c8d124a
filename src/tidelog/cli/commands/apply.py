"""`tidelog apply FILE --state DIR`: make a state say what an edited program, or a folder of facts, says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app


@app.command("apply")
def apply_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Edited program, or a folder of fact files.")],
    state: Annotated[str, typer.Option("--state", metavar="DIR", help="State folder or URI.")],
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print what would change and what it would cost, without changing anything."),
    ] = False,
    author: Annotated[
        str | None, typer.Option(metavar="NAME", help="Author of the epoch, recorded in the log.")
    ] = None,
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="Note about the epoch, recorded in the log.")] = None,
) -> None:
    """Compare a program or a folder of facts with a state, and apply the difference as one epoch.

    Rules are compared by their text, and labelled rules also by their label.
    """
    from tidelog.cli.act.apply_difference import apply_difference
    from tidelog.engine.base.signature import Signature

    apply_difference(file, state, dry_run, Signature(author, note))
