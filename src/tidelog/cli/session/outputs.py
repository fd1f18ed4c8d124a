"""The outputs of a program: views as files, as tables, or printed as Soufflé prints them; sizes of relations.

Law (D8, D46): `.output` and `.printsize` mean what they mean to Soufflé: a program with declarations writes the
relations named by `.output` to the given folder. A program without declarations and `.output` writes its derived views;
without a folder, views are printed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from tidelog.cli.base.show import console
from tidelog.cli.output.tables import ordered_rows
from tidelog.cli.session.session import ProgramSession
from tidelog.engine.read.view import fact_writer
from tidelog.errors.counts import counted
from tidelog.errors.render import visible
from tidelog.io.files import output_bytes, output_path
from tidelog.io.parameters import CSV, SCREEN, TABLE, TERMS, TEXT, Layout, layout_of
from tidelog.program import SOUFFLE, Program

TERMINAL = "-"
LINE = "-" * 15
DOUBLE_LINE = "=" * 15
UNDEFINED_SHOWN = 8  # facts of a relation
Outputs = list[tuple[str, Layout]]


def on_screen(text: str) -> str:
    r"""Escape the characters that would act on a terminal; output that other programs read stays as it is.

    >>> on_screen("\u202ea\tb\n") == "\\u202ea\tb\n"
    True
    """
    return "".join(piece if piece in "\t\n" else visible(piece) for piece in re.split(r"([\t\n])", text))


def find_outputs(program: Program) -> Outputs | None:
    """The outputs requested by the program's `.output` directives; None if it has none."""
    found = [(d.relation, _layout(program, layout_of(d))) for d in program.directives if d.kind == "output"]
    for directive in program.directives:
        if directive.kind == "printsize":
            layout_of(directive)
    return found or None


def write_views(session: ProgramSession, program: Program, outputs: Outputs | None, out: str | None) -> None:
    """Write or print the outputs of the program; without `.output` and `-D`, print every view."""
    sizes = [d.relation for d in program.directives if d.kind == "printsize"]
    if outputs is None and out is not None and program.declarations:
        if not sizes:
            console(stderr=True).print("warning: no output was written, because the program has no `.output` directive")
        outputs = []
    named = out == TERMINAL and bool(program.declarations)
    if outputs is None:
        outputs = [] if sizes and out is None else [(name, _layout(program, Layout())) for name in session.views]
        out = TERMINAL if out is None else out
    for name, layout in outputs:
        if out == TERMINAL or layout.kind == SCREEN:
            printed_layout = layout if layout.kind in (TEXT, CSV, *TERMS) else replace(layout, kind=TEXT)
            table = session.table(name, lists_as_text=True)
            heading = [name, "\t".join(table.column_names)] if named and layout.kind != SCREEN else [name]
            text = relation_text(heading, table, session.types(name), printed_layout)
            sys.stdout.write(on_screen(text) if sys.stdout.isatty() else text)
        else:
            folder = Path(out or ".")
            session.write(name, layout, folder / name if layout.kind == TABLE else output_path(name, layout, folder))
    for name in sizes:
        sys.stdout.write(f"{name}\t{session.size(name)}\n")
    for name in dict.fromkeys([*(name for name, _ in outputs), *sizes]):
        _report_undefined(session, name, program.convention)


def _report_undefined(session: ProgramSession, name: str, convention: str) -> None:
    """Report the facts of a written or printed relation that are neither true nor false: they are in no output."""
    rows = session.undefined(name)
    if rows is None:
        return
    facts = ", ".join(map(fact_writer(rows, name, convention), ordered_rows(rows)[:UNDEFINED_SHOWN]))
    more = f" and {len(rows) - UNDEFINED_SHOWN:,} more" if len(rows) > UNDEFINED_SHOWN else ""
    hint = " (list them with `tidelog query --undefined`)" if more else ""
    what = f"{counted(len(rows), 'undefined fact')}, neither true nor false and not in the output"
    console(stderr=True).print(on_screen(f"warning: `{name}` has {what}: {facts}{more}{hint}"))


def _layout(program: Program, layout: Layout) -> Layout:
    """The layout with floats written as in the program's convention, and with its prefixes."""
    return replace(layout, souffle=program.convention == SOUFFLE, prefixes=program.prefixes)


def relation_text(heading: Sequence[str], table: pa.Table, types: Sequence[str | None], layout: Layout) -> str:
    """A relation as Soufflé prints it to the terminal; with `-D-`, its columns are named below its name."""
    rows = output_bytes(heading[0], table, types, layout, f"`{heading[0]}`").decode("utf-8", "replace")
    return "\n".join([LINE, *heading, DOUBLE_LINE, f"{rows}{DOUBLE_LINE}\n"])
