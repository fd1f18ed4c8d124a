"""What a command reads: a program and the facts of its files.

Law: a program with errors is refused, and all errors are reported; warnings are printed to the standard error. All
facts are read, with a type for every column, before anything is evaluated.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.cli.base.progress import progress
from tidelog.cli.base.sandbox import input_files
from tidelog.cli.base.show import console, show_first_warnings, shown_warnings
from tidelog.cli.input.report import AS_WRITTEN, Reading, Report, check_file
from tidelog.errors import ProgramError
from tidelog.io.budget import Budget
from tidelog.io.files import InputFile, read_input, unread_input
from tidelog.io.open_columns import Bound, settle_types
from tidelog.io.unread import UnreadRows
from tidelog.program.check import CheckedProgram, learn_types
from tidelog.program.types.functors import UserFunctions
from tidelog.program.values.column_names import column_names

if TYPE_CHECKING:
    from tidelog.io.delimited import Data
    from tidelog.partition.base.limits import Limits
    from tidelog.spark.files import Input
    from tidelog.spark.types import SparkSession


def read_valid(
    file: str, functions: UserFunctions = (), *, labelled: bool = False, reading: Reading = AS_WRITTEN
) -> CheckedProgram:
    """Read a program, refuse it if it has errors, and print the first of its warnings; ``functions`` are those it may
    call.

    An engine reuses the check if the rules were ``labelled`` before.
    """
    checked = refuse_errors(report := check_file(file, functions=functions, labelled=labelled, reading=reading))
    if report.findings and reading.warns:
        show_first_warnings(report.findings, file, console(stderr=True))
    return checked


def refuse_errors(report: Report) -> CheckedProgram:
    """The program of a report; refused if it has errors."""
    if report.errors:
        raise ProgramError(report.findings)
    return report.checked


def read_inputs(
    checked: CheckedProgram,
    files: Sequence[InputFile],
    spark: SparkSession | None,
    limits: Limits | None = None,
    hidden: Collection[str] = (),
    *,
    whole: bool = False,
) -> list[tuple[str, Input]]:
    """All facts of all files, with types for all columns: on Spark as DataFrames, else as tables.

    In this process, no more is read than ``limits`` allow, in bytes and in seconds. For ``hidden`` relations, whose
    rows are never visible, Spark reads only what rules can use. Large files are read by the epoch that inserts their
    rows, piece by piece, except if ``whole`` tables are needed.
    """
    if spark is None:
        return read_data(checked, files, limits, whole=whole)
    from tidelog.spark.files import read_frames

    with shown_warnings(), progress("reading"):
        names, types = partial(_columns, checked), partial(_schema_after, checked)
        return read_frames(spark, checked, files, names, types, hidden)


def read_facts(checked: CheckedProgram, folder: Path) -> list[tuple[str, Data | UnreadRows]]:
    """All facts of the files of a program in a folder."""
    return read_data(checked, input_files(checked, folder), whole=False)


def read_data(
    checked: CheckedProgram, files: Sequence[InputFile], limits: Limits | None = None, *, whole: bool = True
) -> list[tuple[str, Data | UnreadRows]]:
    """All facts of all files, with types for all columns; unless needed ``whole``, large files are read later."""
    budget = Budget() if limits is None else Budget(limits.memory, limits.seconds)
    read: list[tuple[str, Data | UnreadRows]] = []
    with shown_warnings(), progress("reading"):
        for file in files:
            names, types = _columns(checked, file.relation), checked.schema[file.relation]
            unread = None if whole else unread_input(file, names, types, budget)
            read.append((file.relation, read_input(file, names, types, budget) if unread is None else unread))
    return settle_types(read, checked.schema, partial(_schema_after, checked))


def _columns(checked: CheckedProgram, relation: str) -> tuple[str, ...]:
    return column_names(checked.program, relation, len(checked.schema[relation]))


def _schema_after(checked: CheckedProgram, bound: Bound) -> dict[str, tuple[str | None, ...]]:
    """The types of all columns, once those of some are known."""
    known = {name: len(checked.schema[name]) for name, _ in bound}
    return dict(learn_types(checked, checked.program, None, bound, known).schema)
