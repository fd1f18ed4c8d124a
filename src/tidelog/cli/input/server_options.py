"""The options of commands that use a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

TokenFileOption = Annotated[
    Path | None,
    typer.Option("--token-file", metavar="FILE", help="File with the server's token, instead of TIDELOG_TOKEN."),
]
CaFileOption = Annotated[
    Path | None, typer.Option("--ca-file", metavar="FILE", help="Certificates to trust, for a server with TLS.")
]
