"""Rules and base facts of a state as plain files.

Law: `tidelog run OUT/program.dl -F OUT` makes the same state: the same rules under the same labels, the same facts.
Relations are Parquet files, which keep the types of columns; what Parquet cannot hold (lists, atoms without columns) is
written as facts in the program. Directives that read files are replaced by directives that read the exported files.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from tidelog.cli.base.cli_failures import NOT_EMPTY, NOT_EXPORTED
from tidelog.cli.base.show import console
from tidelog.cli.input.state import opened
from tidelog.engine.engine import Engine
from tidelog.engine.read.view import Rows
from tidelog.errors.counts import counted
from tidelog.io.fact_text import with_zone
from tidelog.program import Atom, Column, Const, Declaration, Directive, Fact, Program
from tidelog.program.values.term import Value
from tidelog.syntax import print_program

PROGRAM = "program.dl"


def export_state(state: str, out: Path, at: int) -> None:
    """Write the files of a state into a new or empty folder."""
    with opened(state, at) as db:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise NOT_EMPTY.error(out=out)
        count = export(db, out)
        console().print(
            f"{out}: {counted(len(db.program.rules), 'rule')}, {counted(count, 'base fact')} of epoch {db.epoch_number}"
        )


def export(db: Engine, out: Path) -> int:
    """Write the files and return the number of base facts."""
    based = {name: rows for name in db.relations if len(rows := db.asserted(name))}
    try:
        out.mkdir(parents=True, exist_ok=True)
        files = {name: rows for name, rows in based.items() if _fits_parquet(rows)}
        for name, rows in files.items():
            pyarrow.parquet.write_table(rows.to_arrow(), out / f"{name}.parquet")
        program = exported_program(db.program, files, {n: r for n, r in based.items() if n not in files})
        (out / PROGRAM).write_text(print_program(program), "utf-8")
    except (OSError, pa.ArrowException) as error:
        raise NOT_EXPORTED.error(out=out, error=error) from error
    return sum(map(len, based.values()))


def _fits_parquet(rows: Rows) -> bool:
    return bool(rows.types) and not {"list", "record"}.intersection(t or "number" for t in rows.types)


def exported_program(program: Program, files: dict[str, Rows], texts: dict[str, Rows]) -> Program:
    """The program that reads some relations from files and has the facts of others in its text."""
    others = tuple(d for d in program.directives if d.kind != "input")
    inputs = (Directive("input", name, (("IO", "parquet"), ("filename", f"{name}.parquet"))) for name in files)
    declared = {d.relation for d in program.declarations}
    more = (_declaration(name, rows) for name, rows in {**files, **texts}.items() if name not in declared)
    facts = (
        Fact(Atom(name, tuple(map(_constant, row, rows.types, rows.outside))))
        for name, rows in texts.items()
        for row in rows
    )
    return replace(
        program,
        directives=(*others, *inputs),
        declarations=(*program.declarations, *more),
        facts=tuple(facts),
    )


def _declaration(name: str, rows: Rows) -> Declaration:
    columns = zip(rows.columns, rows.types, strict=True)
    return Declaration(name, tuple(Column(column, type_ or "number") for column, type_ in columns))


def _constant(value: Value, type_: str | None, outside: str) -> Const:
    return Const(with_zone(value, type_, outside), type_ or "number")
