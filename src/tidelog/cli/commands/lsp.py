"""`tidelog lsp`: the language server, on standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from tidelog.cli.base.application import app


@app.command("lsp")
def lsp_command(
    state: Annotated[
        str | None, typer.Option("--state", metavar="DIR", help="Show the sizes of relations in this state folder.")
    ] = None,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Use standard input and output, the only supported transport.")
    ] = True,
) -> None:
    """Start the language server for editors.

    Editors start this command and use the language server protocol over standard input and output. The server reports
    errors as you type and offers completion, definitions, renaming and formatting.
    """
    from tidelog.cli.base.guard import guarded

    with guarded():
        from tidelog.cli.base.cli_failures import NO_EDITOR_EXTRA

        try:
            from tidelog.editor.server import make_server
        except ModuleNotFoundError as error:
            raise NO_EDITOR_EXTRA.error(missing=error.name) from None
        server = make_server(state)
    server.start_io()
