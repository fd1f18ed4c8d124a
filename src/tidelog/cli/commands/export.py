"""`tidelog export DIR OUT`: rules and base facts as plain files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import LAST, AtOption, StateArgument


@app.command("export")
def export_command(
    state: StateArgument,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="New or empty folder for the files.")],
    at: AtOption = LAST,
) -> None:
    """Write the rules and base facts of a state as plain files that `tidelog run` can load."""
    from tidelog.cli.act.export_state import export_state

    export_state(state, out, at)
