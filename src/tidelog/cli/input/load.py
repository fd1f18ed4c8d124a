"""An engine that holds a program and the facts of its files.

Law: every command loads what `tidelog run` would load, so that answers are about the same state. Rules and facts are
added in one epoch, so that join orders can use the sizes of the new relations.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.cli.base.arrow import leave_pandas_out
from tidelog.cli.input.inputs import read_facts, read_valid
from tidelog.engine.base.facts import program_facts
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.write.epoch import Epoch
from tidelog.io.nulls import report_nulls
from tidelog.plan.modes import Plans
from tidelog.program import Program
from tidelog.program.types.functors import UserFunctions, function_table
from tidelog.program.values.pragmas import MAGIC, values_of
from tidelog.rewrite.label_rules import label_rules
from tidelog.spark.arrivals import Arrival

if TYPE_CHECKING:
    from tidelog.program.check import CheckedProgram
    from tidelog.spark.files import Input


def load_engine(file: str, folder: Path | None, plans: str = Plans.advice, functions: UserFunctions = ()) -> Engine:
    """The engine after its first epoch; without a folder, the facts are those of the program's text."""
    leave_pandas_out()
    checked = read_valid(file, functions, labelled=True)
    return start_engine(
        checked.program, () if folder is None else read_facts(checked, folder), plans, functions, checked
    )


def start_engine(
    program: Program,
    data: Iterable[tuple[str, Input]] = (),
    plans: str = Plans.advice,
    functions: UserFunctions = (),
    checked: CheckedProgram | None = None,
) -> Engine:
    """An engine with the rules and facts of a program and of its files."""
    _, own = function_table(functions, program)
    db = Engine(without_content(program), plans=plans, functions=own)
    load_program(db, program, data, checked=checked)
    return db


def without_content(program: Program) -> Program:
    """The program of a new engine before the epoch that adds rules and facts: how texts are read, and nothing else."""
    return Program(convention=program.convention)


def load_program(
    db: Engine,
    program: Program,
    data: Iterable[tuple[str, Input]] = (),
    *,
    kept: bool = False,
    checked: CheckedProgram | None = None,
) -> Epoch:
    """The epoch that adds rules and facts to an empty engine; ``kept``: its state folder stores the program.

    ``checked`` is the check of the program with labelled rules; with it, the rules are not checked again.
    """
    epoch = db.epoch_to(program)[0] if kept else _epoch_of(db, program)
    epoch.collected.checked = checked
    with epoch:
        for name, rows in data:
            if isinstance(rows, Arrival):
                epoch.collected.arrivals.append(rows)
            else:
                epoch.insert(name, rows)
    for name, counts in epoch.nulls.items():
        report_nulls(name, counts)
    return epoch


def _epoch_of(db: Engine, program: Program) -> Epoch:
    epoch = db.epoch()
    epoch.collected.added.extend(label_rules(program.rules))
    epoch.collected.facts.extend(program_facts(program, core_of(db).rules.functions))
    # What is evaluated on demand depends on the outputs of the program.
    epoch.collected.program = program if values_of(program, MAGIC) else replace(program, directives=())
    return epoch
