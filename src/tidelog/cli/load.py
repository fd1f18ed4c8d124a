"""An engine from a program file and a folder of facts, for the commands that ask instead of writing.

Law: what `tidelog run` would load is loaded, in one epoch, so that answers are about the same state.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tidelog.cli.check import check_file
from tidelog.cli.run import read_data
from tidelog.cli.show import console, show_diagnostics
from tidelog.engine.engine import Engine
from tidelog.engine.facts import program_facts
from tidelog.errors import ProgramError
from tidelog.io.delimited import Data
from tidelog.io.files import find_inputs
from tidelog.program import Program
from tidelog.program.functions import FUNCTIONS
from tidelog.rewrite.label_rules import label_rules


def load_engine(file: str, folder: Path | None) -> Engine:
    """The engine after its first epoch; without a folder the facts are those of the program's text."""
    report = check_file(file)
    if report.errors:
        raise ProgramError(report.findings)
    show_diagnostics(report.findings, console(stderr=True))
    checked = report.checked
    data = [] if folder is None else read_data(checked, find_inputs(checked.program, checked.schema, folder))
    return start_engine(checked.program, data)


def start_engine(program: Program, data: Iterable[tuple[str, Data]] = ()) -> Engine:
    """Rules and facts in one epoch, so that joins are ordered by the sizes of what comes."""
    db = Engine(replace(program, rules=(), facts=(), directives=()))
    with db.epoch() as epoch:
        epoch.collected.added.extend(label_rules(program.rules))
        epoch.collected.facts.extend(program_facts(program, FUNCTIONS))
        for name, rows in data:
            epoch.insert(name, rows)
    return db
