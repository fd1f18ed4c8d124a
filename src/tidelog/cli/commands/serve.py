"""`tidelog serve PROGRAM --state DIR`: an engine behind HTTP.

Law: the server listens on loopback by default, and requires a token from every client. The work is done in
`tidelog.serve`; a new state starts with the program and its facts, an existing state is resumed.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.config_file import ConfigOption
from tidelog.cli.base.options import AllowOption, FactsOption, FunctionsOption
from tidelog.cli.base.place import (
    MasterOption,
    PartitionsOption,
    Place,
    Runtime,
    RuntimeOption,
    SettingsOption,
    ThreadsOption,
    read_settings,
)
from tidelog.cli.input.follow_options import (
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

if TYPE_CHECKING:
    from tidelog.serve.sources import ServerSource

CertificateOption = Annotated[Path | None, typer.Option("--tls-cert", metavar="FILE", help="TLS certificate (PEM).")]
KeyOption = Annotated[
    Path | None, typer.Option("--tls-key", metavar="FILE", help="Private key of the TLS certificate.")
]
TokensOption = Annotated[
    Path | None, typer.Option("--tokens", metavar="DIR", help="Folder with the tokens.", show_default="DIR/tokens")
]
InsideOption = Annotated[
    bool, typer.Option("--sandbox/--no-sandbox", help="Deny the program access to files outside its folder and -F.")
]

HostNameOption = Annotated[
    list[str] | None,
    typer.Option(
        "--host-name", metavar="NAME", help="Additional host name to accept in requests. Use * for all names."
    ),
]


class LogLevel(enum.StrEnum):
    """The lowest level that is logged."""

    debug = "debug"
    info = "info"
    warning = "warning"
    error = "error"


class LogFormat(enum.StrEnum):
    """Lines for people, or JSON."""

    text = "text"
    json = "json"


@app.command("serve")
def serve_command(
    program: Annotated[
        str | None, typer.Argument(metavar="PROGRAM", help="Program. Ignored if the state folder already contains one.")
    ] = None,
    *,
    state: Annotated[str, typer.Option("--state", metavar="DIR", help="State folder or URI.")],
    facts: FactsOption = Path("."),
    host: Annotated[
        str, typer.Option(help="Address to listen on. Use 0.0.0.0 for all addresses of this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on. Use 0 for any free port.")] = 8117,
    tokens: TokensOption = None,
    tls_cert: CertificateOption = None,
    tls_key: KeyOption = None,
    host_name: HostNameOption = None,
    limit_body: Annotated[int, typer.Option(min=1, metavar="BYTES", help="Maximum size of a request.")] = 64 << 20,
    limit_rows: Annotated[int, typer.Option(min=1, help="Maximum rows in one response.")] = 1_000_000,
    limit_seconds: Annotated[float, typer.Option(min=0.001, help="Time limit of a query, in seconds.")] = 10.0,
    limit_memory: Annotated[
        int, typer.Option(min=1, metavar="BYTES", help="Maximum memory a query may allocate, texts included.")
    ] = 256 << 20,
    limit_check_seconds: Annotated[
        float, typer.Option(min=0.001, help="Time limit for parsing and checking a text, in seconds.")
    ] = 10.0,
    limit_check_memory: Annotated[
        int, typer.Option(min=1, metavar="BYTES", help="Maximum memory for parsing and checking a text.")
    ] = 512 << 20,
    limit_feeds: Annotated[int, typer.Option(min=1, help="Maximum number of open feeds.")] = 1_000,
    limit_connections: Annotated[int, typer.Option(min=1, help="Maximum number of connections.")] = 2_000,
    limit_idle_seconds: Annotated[
        float, typer.Option(min=0.001, help="Seconds after which an idle connection is closed.")
    ] = 30.0,
    limit_stop_seconds: Annotated[
        float, typer.Option(min=0.001, help="Maximum seconds to wait for running requests when the server stops.")
    ] = 10.0,
    limit_epoch_seconds: Annotated[
        float, typer.Option(min=0.001, help="Time limit of an epoch from a client, in seconds.")
    ] = 300.0,
    limit_epoch_memory: Annotated[
        int,
        typer.Option(
            min=1, metavar="BYTES", help="Maximum memory an epoch from a client may allocate, texts included."
        ),
    ] = 4 << 30,
    config: ConfigOption = None,
    audit_log: Annotated[
        Path | None,
        typer.Option("--audit-log", metavar="FILE", help="Log who changed and asked what to this file, as JSON lines."),
    ] = None,
    log_level: Annotated[LogLevel, typer.Option(help="Lowest level of log messages to print.")] = LogLevel.info,
    log_format: Annotated[LogFormat, typer.Option(help="Format of the log on standard error.")] = LogFormat.text,
    access_log: Annotated[bool, typer.Option("--access-log", help="Log every request.")] = False,
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
    watch: Annotated[
        Path | None,
        typer.Option("--watch", metavar="DIR", help="Apply edited programs and fact files of this folder as epochs."),
    ] = None,
    webhook: Annotated[
        list[str] | None,
        typer.Option("--webhook", metavar="VIEW=URL", help="Send the changes of VIEW to URL. May be repeated."),
    ] = None,
    webhook_secret: Annotated[
        Path | None,
        typer.Option("--webhook-secret", metavar="FILE", help="File with the secret that signs sent changes."),
    ] = None,
) -> None:
    """Serve a program over HTTP, with a console for the browser.

    Clients read and change facts and rules, and subscribe to changes. The first start creates two tokens, one for
    reading and one for writing, in files in the state folder that only the owner can read. Every request needs one:
    `Authorization: Bearer TOKEN`.
    """
    from tidelog.cli.base.guard import guarded
    from tidelog.serve.extra import check_extra

    with guarded():
        check_extra()
        from tidelog.cli.act.serve_program import ServeOptions, serve_program
        from tidelog.cli.base.sandbox import sandboxed
        from tidelog.serve.limits import ServerLimits
        from tidelog.serve.logs import start_logging
        from tidelog.serve.run import Address
        from tidelog.serve.webhooks import make_webhooks

        address = Address(host, port, tls_cert, tls_key, tuple(host_name or ()))
        limits = ServerLimits(
            body=limit_body,
            rows=limit_rows,
            seconds=limit_seconds,
            memory=limit_memory,
            check_seconds=limit_check_seconds,
            check_memory=limit_check_memory,
            epoch_seconds=limit_epoch_seconds,
            epoch_memory=limit_epoch_memory,
            feeds=limit_feeds,
            connections=limit_connections,
            header_seconds=min(limit_idle_seconds, ServerLimits().header_seconds),
            idle_seconds=limit_idle_seconds,
            body_seconds=limit_idle_seconds,
            stop_seconds=limit_stop_seconds,
        )
        place = Place(runtime, partitions, master, with_jar(read_settings(settings), jdbc_driver), threads)
        followed = follow_sources(follow, table, publish, slot, publication, numeric, group, jdbc_driver, on_bad_row)
        sources: tuple[ServerSource, ...] = (*followed, *make_webhooks(webhook or (), webhook_secret))
        own = (access_log, watch, audit_log)
        options = ServeOptions(program, state, facts, address, tokens, limits, functions, place, *own)
        with sandboxed(sandbox, allow, program, facts, watch), start_logging(log_level.value, log_format.value):
            serve_program(options, sources)
