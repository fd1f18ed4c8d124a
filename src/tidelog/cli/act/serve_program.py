"""A program that is served, with its engine, its tokens and its server.

Law: a new state begins with the program and the facts of its files, in one epoch. An existing state keeps its rules,
because these may have changed while it was served; if the program differs, that is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.cli.base.arrow import leave_pandas_out
from tidelog.cli.base.functions import functions_of
from tidelog.cli.base.place import Place, check_place, spark_session
from tidelog.cli.base.progress import progress
from tidelog.cli.base.sandbox import input_files
from tidelog.cli.base.show import console, shown_warnings
from tidelog.cli.input.inputs import read_inputs, read_valid
from tidelog.cli.input.load import load_program
from tidelog.cli.input.report import STANDARD_INPUT
from tidelog.cli.input.state import holds_state, partitions_of_state
from tidelog.engine.engine import Engine, core_of
from tidelog.program.types.functors import UserFunctions, function_table
from tidelog.serve import serve_failures as failures
from tidelog.serve.audit import AuditLog
from tidelog.serve.console_routes import console_routes
from tidelog.serve.grants import READ, WRITE
from tidelog.serve.limits import ServerLimits
from tidelog.serve.run import Address, serve
from tidelog.serve.service import Service
from tidelog.serve.sources import ServerSource
from tidelog.serve.tokens import TokenFolder
from tidelog.store.image.difference import compare_programs

if TYPE_CHECKING:
    from tidelog.spark.types import SparkSession


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of the command line."""

    program: str | None
    state: str
    facts: Path = Path(".")
    address: Address = field(default_factory=Address)
    tokens: Path | None = None
    limits: ServerLimits = field(default_factory=ServerLimits)
    functions: Path | None = None
    place: Place = field(default_factory=Place)
    access_log: bool = False
    watch: Path | None = None
    audit_log: Path | None = None


def serve_program(options: ServeOptions, sources: Sequence[ServerSource] = ()) -> None:
    """Serve until a signal arrives; ``sources`` feed the engine in addition to requests."""
    check_place(options.place)
    user_functions = functions_of(options.functions)
    sources = [*sources, *_watched(options, user_functions)]
    tokens = _tokens(options)
    if not options.place.is_spark:
        leave_pandas_out()
    with shown_warnings(), spark_session(options.place) if options.place.is_spark else nullcontext() as spark:
        engine = (
            _resume(options, user_functions, spark)
            if holds_state(options.state)
            else _new(options, user_functions, spark)
        )
        with closing(engine):
            for source in sources:
                source.check(engine)
            service = Service(engine, tokens, options.limits, sources, user_functions)
            service.logs_all = options.access_log
            service.audit = None if options.audit_log is None else AuditLog(options.audit_log)
            serve(service, options.address, lambda url: _print_address(url, options), console_routes())


def _watched(options: ServeOptions, functions: UserFunctions) -> Sequence[ServerSource]:
    """The folder to watch, if there is one."""
    if options.watch is None:
        return ()
    from tidelog.cli.act.watch_folder import FolderWatch

    named = options.program not in (None, STANDARD_INPUT)
    return (FolderWatch(options.watch, Path(str(options.program)) if named else None, functions),)


def _tokens(options: ServeOptions) -> TokenFolder:
    return TokenFolder(_token_folder(options))


def _token_folder(options: ServeOptions) -> Path:
    if options.tokens is None and "://" in options.state:
        raise failures.BAD_TOKEN_FILE.error(
            path=options.state, what="tokens are kept in a local folder: pass it with --tokens"
        )
    return options.tokens or Path(options.state) / "tokens"


def _print_address(url: str, options: ServeOptions) -> None:
    to, folder = console(stderr=True), _token_folder(options)
    to.print(f"serving {options.state} at {url}", soft_wrap=True)
    to.print(f"tokens: {folder / READ} (read-only), {folder / WRITE} (read and write)", soft_wrap=True)
    if not options.address.is_loopback and options.address.certificate is None:
        to.print("warning: connections are not encrypted; enable TLS with --tls-cert and --tls-key")


def _engine(options: ServeOptions, functions: UserFunctions, spark: SparkSession | None, partitions: int) -> Engine:
    return Engine(
        path=options.state,
        spark=spark,
        partitions=partitions,
        threads=options.place.threads,
        functions=functions,
        strict=True,
    )


def _new(options: ServeOptions, user_functions: UserFunctions, spark: SparkSession | None) -> Engine:
    """A new engine with the program and its facts."""
    if options.program is None:
        raise failures.NO_PROGRAM.error(state=options.state)
    checked = read_valid(options.program, user_functions, labelled=True)
    files = input_files(checked, options.facts)
    data = read_inputs(checked, files, spark)
    _, own = function_table(user_functions, checked.program)
    engine = _engine(options, own, spark, options.place.count)
    try:
        with progress("evaluating", lambda: engine.fact_count):
            load_program(engine, checked.program, data, kept=True, checked=checked)
    except BaseException:
        engine.close()
        raise
    return engine


def _resume(options: ServeOptions, user_functions: UserFunctions, spark: SparkSession | None) -> Engine:
    """The engine of an existing state."""
    partitions = options.place.partitions or partitions_of_state(options.state) or 1
    checked = None if options.program is None else read_valid(options.program, user_functions)
    engine = _engine(options, user_functions, spark, partitions)
    durable = core_of(engine).durable
    if checked and durable and compare_programs(engine.program, durable.facts, checked.program):
        message = (
            f"the rules in {options.state} differ from {options.program} and are kept; to change them, use "
            "`tidelog apply`"
        )
        console(stderr=True).print(message, soft_wrap=True)
    return engine
