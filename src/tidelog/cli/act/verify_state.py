"""The certificate of a state, or of facts written by another engine, or the first violation found.

Law: the state folder or the files are read, and the engine evaluates nothing; the check is that of `tidelog.verify`.
The exit code is 0 for a certificate, 1 for a violation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tidelog.cli.base.arrow import leave_pandas_out
from tidelog.cli.base.cli_failures import FACTS_WITHOUT_PROGRAM, ONLY_FILES, PROVED_ALONE
from tidelog.cli.base.functions import functions_of
from tidelog.cli.base.guard import guarded
from tidelog.cli.base.options import Format
from tidelog.cli.base.place import Runtime
from tidelog.cli.base.progress import progress
from tidelog.cli.base.sandbox import input_files
from tidelog.cli.base.show import console
from tidelog.cli.input.inputs import read_data, read_facts, read_valid, refuse_errors
from tidelog.cli.input.load import start_engine
from tidelog.cli.input.report import check_file
from tidelog.cli.input.state import opened
from tidelog.engine.engine import Engine, core_of
from tidelog.io.files import find_views
from tidelog.program import Program
from tidelog.program.types.functors import UserFunctions
from tidelog.spark.verify import verify_with_spark
from tidelog.verify import Verdict, verify, verify_facts
from tidelog.verify.claim import Base
from tidelog.verify.proved_checker import ProvedVerdict, find_checker, verify_proved

if TYPE_CHECKING:
    from tidelog.io.delimited import Data
    from tidelog.spark.types import SparkSession


def verify_state(
    state: str,
    program: str | None,
    facts: Path | None,
    at: int,
    runtime: Runtime,
    format_: Format,
    functions: Path | None = None,
) -> None:
    """Check a state and print the verdict."""
    user_functions = functions_of(functions)
    with opened(state, at, user_functions) as db:
        rules, base = _claimed(db, program, facts, user_functions)
        with progress(f"verifying {state}"), _session(runtime) as spark:
            verdict = _verdict(db, rules, base, spark)
        _show_verdict(verdict, format_)


def verify_with_proofs(
    state: str, at: int, format_: Format, functions: Path | None = None, *, alone: bool = True
) -> None:
    """Check a state with the checker extracted from the proofs; ``alone``: without options that it does not support."""
    with guarded():
        if not alone:
            raise PROVED_ALONE.error()
        checker = find_checker()
        with opened(state, at, functions_of(functions)) as db, progress(f"verifying {state}"):
            verdict = verify_proved(db.state(), checker)
        _show_verdict(verdict, format_)


def verify_files(
    program: str,
    results: Path,
    folder: Path,
    format_: Format,
    functions: Path | None = None,
    *,
    with_state: bool = False,
) -> None:
    """Check facts that another engine has computed, one file for each relation with rules, and print the verdict.

    Options that only a state has (``with_state``) are refused.
    """
    with guarded():
        if with_state:
            raise ONLY_FILES.error()
        leave_pandas_out()
        user_functions = functions_of(functions)
        checked = read_valid(program, user_functions)
        inputs, views = input_files(checked, folder), find_views(checked.program, results)
        data = read_data(checked, [*inputs, *views])
        with progress(f"verifying {results}"):
            verdict = _verdict_on(checked.program, data[: len(inputs)], data[len(inputs) :], user_functions)
        _show_verdict(verdict, format_)


def _verdict_on(
    program: Program, base: Sequence[tuple[str, Data]], views: Sequence[tuple[str, Data]], functions: UserFunctions
) -> Verdict:
    """The verdict on the rows of views. Two engines without rules read the rows as any engine would."""
    bare = replace(program, rules=())
    with (
        start_engine(bare, base, functions=functions) as given_engine,
        start_engine(replace(bare, facts=()), views, functions=functions) as computed,
    ):
        asserted = {name: given_engine.asserted(name).rows() for name in given_engine.relations}
        facts = asserted | {name: computed.asserted(name).rows() for name, _ in views}
        schema = {**given_engine.state().schema, **computed.state().schema}
        return verify_facts(program, asserted, facts, schema, core_of(given_engine).rules.functions)


def _claimed(
    db: Engine, file: str | None, folder: Path | None, functions: UserFunctions
) -> tuple[Program, Base | None]:
    """The program to certify against, and the base facts if they are not those of the state."""
    if file is None:
        if folder is not None:
            raise FACTS_WITHOUT_PROGRAM.error()
        return db.program, None
    if folder is None:
        return refuse_errors(check_file(file, functions=functions)).program, None
    checked = read_valid(file, functions)
    with start_engine(checked.program, read_facts(checked, folder), functions=functions) as loaded:
        return checked.program, {name: loaded.asserted(name).rows() for name in loaded.relations}


@contextmanager
def _session(runtime: Runtime) -> Iterator[SparkSession | None]:
    """A Spark session while the check runs, or None."""
    if runtime is not Runtime.spark:
        yield None
        return
    from tidelog.spark import local_session  # importing Spark takes a second, and it may be absent

    with local_session(2) as spark:
        yield spark


def _verdict(db: Engine, program: Program, base: Base | None, spark: SparkSession | None) -> Verdict:
    if base is None and program is db.program:
        return db.verify(spark)
    if spark is None:
        return verify(program, base, db.state(), core_of(db).rules.functions)
    return verify_with_spark(program, base, db.state(), spark, core_of(db).rules.functions)


def _show_verdict(verdict: Verdict | ProvedVerdict, format_: Format) -> None:
    if format_ is Format.json:
        typer.echo(json.dumps({"certified": bool(verdict), **asdict(verdict)}, indent=2, default=str))
    else:
        console().print(str(verdict))
    if not verdict:
        raise typer.Exit(1)
