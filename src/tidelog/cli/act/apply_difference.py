"""The difference between a state and an edited program or a folder of facts, applied as one epoch.

Law: the difference is one epoch; it commits as a whole or changes nothing. A dry run reports what it would change and
the cost, and is rolled back; it needs no lock. A folder of facts replaces the base facts of the relations that it has
files for, and of no other.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer
from rich.console import Console

from tidelog.cli.base.cli_failures import NO_FACT_FILES, UNKNOWN_FILE
from tidelog.cli.base.options import LAST
from tidelog.cli.base.show import console
from tidelog.cli.input.inputs import read_data, refuse_errors
from tidelog.cli.input.report import check_file
from tidelog.cli.input.state import opened
from tidelog.cli.output.view_change import change_lines, view_changes
from tidelog.engine.base.signature import Signature
from tidelog.engine.engine import Engine
from tidelog.engine.write.epoch import Epoch
from tidelog.explain.numbers import duration
from tidelog.io.files import InputFile
from tidelog.io.parameters import Layout, kind_of_file, layout_of
from tidelog.program.check import check_program
from tidelog.program.values.rule import REFUSE


def apply_difference(file: Path, state: str, dry_run: bool, signature: Signature) -> None:
    """Make a state match a file or folder, or report what that would change."""
    with opened(state, LAST if dry_run else None) as db:
        to = console()
        epoch = epoch_of_facts(db, file) if file.is_dir() else epoch_of_program(db, file, to)
        if epoch is None:
            to.print(f"{state} already matches {file}; nothing to do")
            return
        epoch.signature = signature
        if dry_run:
            db.preview(epoch)
        else:
            epoch.commit()
        show_epoch(epoch, db.convention, dry_run, to)
        if any(violated.severity == REFUSE for violated in epoch.violations):
            raise typer.Exit(1)  # a dry run of what would be refused


def epoch_of_program(db: Engine, file: Path, to: Console) -> Epoch | None:
    """The epoch that makes the state's program say what the file says; None if it does."""
    epoch, difference = db.epoch_to(refuse_errors(check_file(str(file))).program)
    for line in difference.lines(db.program.convention):
        to.print(line)
    return epoch if difference else None


def epoch_of_facts(db: Engine, folder: Path) -> Epoch:
    """The epoch that makes base facts those of the files. Signs of a fact that stays sum up to 0 (D3)."""
    files = [_input_file(db, path) for path in sorted(folder.iterdir()) if kind_of_file(path.name)]
    if not files:
        raise NO_FACT_FILES.error(folder=folder)
    schema = {name: db[name].types for name in db.relations}
    checked = replace(check_program(db.program, known={n: len(t) for n, t in schema.items()}), schema=schema)
    epoch = db.epoch()
    for name, data in read_data(checked, files):
        epoch.insert(name, data)
    for name in {file.relation for file in files}:
        epoch.delete(name, db.asserted(name).rows())
    return epoch


def _input_file(db: Engine, path: Path) -> InputFile:
    """The file of a relation, laid out as the program's directive says."""
    parts = path.name.split(".")
    name = next((n for end in range(len(parts), 1, -1) if (n := ".".join(parts[:end])) in db), parts[0])
    if name not in db:
        raise UNKNOWN_FILE.error(path=path, name=name, known=", ".join(f"`{n}`" for n in db.relations))
    layouts = (layout_of(d) for d in db.program.directives if d.kind == "input" and d.relation == name)
    return InputFile(name, path, next(layouts, Layout()))


def show_epoch(epoch: Epoch, convention: str, dry_run: bool, to: Console) -> None:
    """What the epoch changed, or would change, and what it cost."""
    cost = epoch.statistics
    supports = sum(cost.supports.values())
    what = "dry run, nothing was changed" if dry_run else f"epoch {epoch.number} committed"
    to.print(
        f"{what}: {duration(cost.seconds)}, {supports:,} supports, "
        f"{cost.suspended:,} facts suspended, {cost.revived:,} revived"
    )
    found = view_changes(epoch, convention)
    for line in change_lines(found):
        to.print(line)
    if not found:
        to.print("  no relation changes")
    if dry_run:
        for violated in epoch.violations:
            to.print(f"would be {'refused' if violated.severity == REFUSE else 'reported as a warning'}: {violated}")
