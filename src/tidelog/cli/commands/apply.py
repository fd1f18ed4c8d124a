"""`tidelog apply FILE --state DIR`: make a state say what an edited program, or a folder of facts, says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app


@app.command("apply")
def apply_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The edited program, or a folder of fact files.")],
    state: Annotated[str, typer.Option("--state", metavar="DIR", help="The state folder, or a URI.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would change and what it costs; change nothing.")
    ] = False,
    author: Annotated[str | None, typer.Option(metavar="NAME", help="Who makes the epoch, for its log.")] = None,
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="A note about the epoch, for its log.")] = None,
) -> None:
    """Compare a program, or a folder of facts, with a running state and apply the difference as one epoch.

    Rules are compared by what they say; rules with a label also by their label.
    """
    from tidelog.cli.act.apply_difference import apply_difference
    from tidelog.engine.base.signature import Signature

    apply_difference(file, state, dry_run, Signature(author, note))
