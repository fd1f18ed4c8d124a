"""`tidelog backup DIR TO`: a checked copy of a state that may be in use."""

from __future__ import annotations

from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import LAST, Format, FunctionsOption, StateArgument
from tidelog.cli.base.place import Runtime


@app.command("backup")
def backup_command(
    state: StateArgument,
    to: Annotated[str, typer.Argument(metavar="TO", help="New or empty folder for the copy, or a URI.")],
    functions: FunctionsOption = None,
    verify: Annotated[bool, typer.Option("--verify/--no-verify", help="Certify the copy.")] = True,
) -> None:
    """Copy a state folder, also while a server writes it, and certify the copy.

    The copy has every epoch that was committed when the command began. Each file of the copy is read and checked, and
    its facts are certified to be what its rules derive.
    """
    from tidelog.cli.act.verify_state import verify_state
    from tidelog.cli.base.guard import guarded
    from tidelog.errors.counts import counted
    from tidelog.store.folder.backup import back_up

    with guarded():
        report = back_up(state, to)
    typer.echo(f"{to}: copy of {state} at epoch {report.epoch}, {counted(report.files, 'file')}")
    if verify:
        verify_state(to, None, None, LAST, Runtime.embedded, Format.text, functions)
