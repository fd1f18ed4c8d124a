"""`tidelog serve PROGRAM --state DIR`: an engine behind HTTP.

Law: the server listens on loopback unless told otherwise, and asks everybody for a token. What it does is
`tidelog.serve`; a new state begins with the program and its facts, one that is there goes on as it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.application import app
from tidelog.cli.follow_options import (
    SLOT,
    BadRowChoice,
    BadRowOption,
    FollowOption,
    GroupOption,
    JdbcOption,
    NumericChoice,
    NumericOption,
    PublicationOption,
    PublishOption,
    SlotOption,
    TableOption,
    follow_sources,
    with_jar,
)
from tidelog.cli.options import AllowOption, FactsOption, FunctionsOption
from tidelog.cli.place import (
    MasterOption,
    PartitionsOption,
    Place,
    Runtime,
    RuntimeOption,
    SettingsOption,
    ThreadsOption,
    read_settings,
)

CertificateOption = Annotated[
    Path | None, typer.Option("--tls-cert", metavar="FILE", help="The certificate (PEM) to speak TLS with.")
]
KeyOption = Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="The key of the certificate.")]
TokensOption = Annotated[
    Path | None, typer.Option("--tokens", metavar="DIR", help="The folder of tokens.", show_default="DIR/tokens")
]
InsideOption = Annotated[
    bool, typer.Option("--sandbox/--no-sandbox", help="Refuse files that the program names outside its folder and -F.")
]


@app.command("serve")
def serve_command(
    program: Annotated[
        str | None, typer.Argument(metavar="PROGRAM", help="The program; a state that is there has its own.")
    ] = None,
    *,
    state: Annotated[str, typer.Option("--state", metavar="DIR", help="The state folder, or a URI.")],
    facts: FactsOption = Path("."),
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 for all of this machine's.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8117,
    tokens: TokensOption = None,
    tls_cert: CertificateOption = None,
    tls_key: KeyOption = None,
    limit_body: Annotated[int, typer.Option(min=1, metavar="BYTES", help="Of one request.")] = 64 << 20,
    limit_rows: Annotated[int, typer.Option(min=1, help="Of one answer.")] = 1_000_000,
    limit_seconds: Annotated[float, typer.Option(min=0.001, help="Of one question.")] = 10.0,
    limit_feeds: Annotated[int, typer.Option(min=1, help="That are open at a time.")] = 1_000,
    limit_epoch_seconds: Annotated[float | None, typer.Option(min=0, help="Of one epoch.")] = None,
    sandbox: InsideOption = True,
    allow: AllowOption = None,
    functions: FunctionsOption = None,
    runtime: RuntimeOption = Runtime.embedded,
    partitions: PartitionsOption = None,
    threads: ThreadsOption = None,
    master: MasterOption = None,
    settings: SettingsOption = None,
    follow: FollowOption = None,
    table: TableOption = None,
    publish: PublishOption = None,
    slot: SlotOption = SLOT,
    publication: PublicationOption = None,
    numeric: NumericOption = NumericChoice.text,
    group: GroupOption = 1,
    jdbc_driver: JdbcOption = None,
    on_bad_row: BadRowOption = BadRowChoice.quarantine,
) -> None:
    """Serve a program over HTTP: read and change facts and rules, follow what changes, in the browser too.

    The first start makes two tokens, one for reading and one for writing, in files of the state folder that only their
    owner may read. Every request carries one: `Authorization: Bearer TOKEN`.
    """
    from tidelog.cli.guard import guarded
    from tidelog.serve.extra import check_extra

    with guarded():
        check_extra()
        from tidelog.cli.sandbox import sandboxed
        from tidelog.cli.serve_program import Options, serve_program
        from tidelog.partition.limits import Limits
        from tidelog.serve.limits import ServerLimits
        from tidelog.serve.run import Address

        address, epochs = Address(host, port, tls_cert, tls_key), Limits(seconds=limit_epoch_seconds)
        limits = ServerLimits(body=limit_body, rows=limit_rows, seconds=limit_seconds, feeds=limit_feeds)
        place = Place(runtime, partitions, master, with_jar(read_settings(settings), jdbc_driver), threads)
        sources = follow_sources(follow, table, publish, slot, publication, numeric, group, jdbc_driver, on_bad_row)
        options = Options(program, state, facts, address, tokens, limits, epochs, functions, place)
        with sandboxed(sandbox, allow, program, facts):
            serve_program(options, sources)
