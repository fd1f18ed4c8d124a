"""`tidelog mcp --server URL`: tools of an agent, on standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.input.server_options import CaFileOption, TokenFileOption


@app.command("mcp")
def mcp_command(
    server: Annotated[str, typer.Option("--server", metavar="URL", help="Address of the server.")],
    token_file: TokenFileOption = None,
    ca_file: CaFileOption = None,
) -> None:
    """Offer queries, explanations and previews of a server to an agent (Model Context Protocol).

    Agents start this command and use the protocol over standard input and output. The token decides what the tools may
    read. No tool changes anything.
    """
    from tidelog import __version__
    from tidelog.cli.base.guard import guarded
    from tidelog.serve.extra import check_extra

    with guarded():
        check_extra()
        from tidelog.cli.base.cli_failures import NO_MCP_EXTRA
        from tidelog.cli.base.show import console
        from tidelog.cli.input.server_place import ServerPlace

        try:
            from tidelog.client.agent_tools import make_server
        except ModuleNotFoundError as error:
            raise NO_MCP_EXTRA.error(missing=error.name) from None
        with ServerPlace(server, token_file, ca_file).connect() as client:
            console(stderr=True).print(f"connected to {server} at epoch {client.epoch_number}", soft_wrap=True)
            make_server(client, __version__).run("stdio")
