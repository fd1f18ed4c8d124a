"""`tidelog apply FILE`: make a state, or that of a server, match an edited program or a folder of facts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.input.server_options import CaFileOption, TokenFileOption


@app.command("apply")
def apply_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Edited program, folder of fact files, or change script.")
    ],
    state: Annotated[str | None, typer.Option("--state", metavar="DIR", help="State folder or URI.")] = None,
    server: Annotated[
        str | None, typer.Option("--server", metavar="URL", help="Address of a server whose state to change instead.")
    ] = None,
    token_file: TokenFileOption = None,
    ca_file: CaFileOption = None,
    script: Annotated[
        bool, typer.Option("--script", help="FILE is a change script; each of its epochs is committed.")
    ] = False,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column", metavar="P.NEW=VALUE", help="Value of a column over the former columns. May be repeated."
        ),
    ] = None,
    drop_column: Annotated[
        list[str] | None,
        typer.Option("--drop-column", metavar="P.OLD", help="Drop a column with its values. May be repeated."),
    ] = None,
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

    Rules are compared by their text, and labelled rules also by their label. A folder of fact files replaces the base
    facts of the relations that it has files for. The state is a folder, or that of a running server.
    """
    from tidelog.cli.base.cli_failures import NOT_ONE_STATE
    from tidelog.cli.base.guard import guarded
    from tidelog.cli.input.columns import ApplyInput, read_columns
    from tidelog.engine.base.signature import Signature

    with guarded():
        columns = read_columns(column or (), drop_column or ())
    signature = Signature(author, note)
    inputs = ApplyInput(file, columns, script)
    if server is not None and state is None:
        with guarded():
            from tidelog.serve.extra import check_extra

            check_extra()
        from tidelog.cli.act.apply_remote import apply_to_server
        from tidelog.cli.input.server_place import ServerPlace

        apply_to_server(inputs, ServerPlace(server, token_file, ca_file), dry_run, signature)
        return
    if state is None or server is not None:
        with guarded():
            raise NOT_ONE_STATE.error()
    from tidelog.cli.act.apply_difference import apply_difference

    apply_difference(inputs, state, dry_run, signature)
