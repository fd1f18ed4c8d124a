"""`tidelog token add|list|revoke`: the named tokens of a server."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app


class TokenAction(enum.StrEnum):
    """What to do with the list of named tokens."""

    add = "add"
    list = "list"
    revoke = "revoke"


class TokenScope(enum.StrEnum):
    """What a token may allow."""

    read = "read"
    write = "write"
    rules = "rules"
    admin = "admin"


PatternOption = list[str] | None


@app.command("token")
def token_command(
    action: Annotated[TokenAction, typer.Argument(metavar="ACTION", help="`add`, `list` or `revoke`.")],
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Name of the token. Not used by `list`.")] = None,
    *,
    tokens: Annotated[Path, typer.Option("--tokens", metavar="DIR", help="Folder with the tokens of the server.")],
    scope: Annotated[
        list[TokenScope] | None,
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help="What the token allows: read, write, rules or admin. May be repeated.",
            show_default="read",
        ),
    ] = None,
    read: Annotated[
        PatternOption,
        typer.Option(metavar="PATTERN", help="Relations it may read, such as may*. May be repeated.", show_default="*"),
    ] = None,
    write: Annotated[
        PatternOption,
        typer.Option(metavar="PATTERN", help="Relations whose facts it may change. May be repeated.", show_default="*"),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="A date, a time with a zone, or a number of days such as 30d."),
    ] = None,
    rate: Annotated[float | None, typer.Option(min=0.001, help="Maximum requests per second.")] = None,
) -> None:
    """Add, list or revoke named tokens of a server.

    A new token is printed once; the file `tokens.toml` in the folder keeps only its digest. A running server notices
    the change within a second.
    """
    from tidelog.cli.base.guard import guarded
    from tidelog.serve.extra import check_extra

    with guarded():
        check_extra()
        from tidelog.cli.act.manage_tokens import TokenOptions, add_token, list_tokens, revoke_token

        if action is TokenAction.list:
            list_tokens(tokens)
        elif action is TokenAction.revoke:
            revoke_token(tokens, name)
        else:
            scopes = tuple(each.value for each in scope or (TokenScope.read,))
            add_token(tokens, name, TokenOptions(scopes, tuple(read or ("*",)), tuple(write or ("*",)), expires, rate))
