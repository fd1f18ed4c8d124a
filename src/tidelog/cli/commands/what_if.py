"""`tidelog what-if --state DIR SCRIPT...`: what change scripts would do to a state, side by side.

Law: the folder is read without its lock; nothing is changed. A script that would be refused is reported beside the
others; the exit code is 1 if all are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import FunctionsOption


@app.command("what-if")
def what_if_command(
    scripts: Annotated[
        list[Path], typer.Argument(metavar="SCRIPT", help="Change scripts, one epoch each.", show_default=False)
    ],
    state: Annotated[str, typer.Option("--state", metavar="DIR", help="State folder or URI.")],
    blame: Annotated[
        str | None, typer.Option(metavar="FACT", help="For each script, show why this fact or view would change.")
    ] = None,
    functions: FunctionsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Try change scripts on a state, side by side, and report what each would change and cost.

    Nothing is committed.
    """
    from tidelog.cli.act.try_scripts import show_alternatives
    from tidelog.cli.base.functions import functions_of
    from tidelog.cli.input.state import opened

    with opened(state, functions=functions_of(functions)) as db:
        show_alternatives(db, scripts, blame, as_json)
