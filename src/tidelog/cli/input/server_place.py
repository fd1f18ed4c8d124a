"""The server that a command uses, and the token that it sends."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.cli.base.cli_failures import NO_SERVER_TOKEN

if TYPE_CHECKING:
    from tidelog.client import Client

TOKEN = "TIDELOG_TOKEN"  # the name of a variable


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """A server, the file with the token to send, and the certificates to trust in addition to those of the system."""

    url: str
    token_file: Path | None = None
    ca_file: Path | None = None

    def connect(self) -> Client:
        """A client of the server."""
        from tidelog.client import connect

        token = os.environ.get(TOKEN) if self.token_file is None else None
        if token is None and self.token_file is None:
            raise NO_SERVER_TOKEN.error(variable=TOKEN)
        verify = True if self.ca_file is None else str(self.ca_file)
        return connect(self.url, token, token_file=self.token_file, verify=verify)
