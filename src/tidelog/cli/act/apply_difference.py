"""The difference between a state and an edited program or a folder of facts, applied as one epoch.

Law: the difference is one epoch; it commits as a whole or changes nothing. A dry run reports what it would change and
the cost, and is rolled back; it needs no lock. A folder of facts replaces the base facts of the relations that it has
files for, and of no others.
"""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console

from tidelog.cli.base.cli_failures import DRY_RUN_OF_ONE
from tidelog.cli.base.options import LAST
from tidelog.cli.base.show import console
from tidelog.cli.input.columns import ApplyInput
from tidelog.cli.input.folder import folder_files, must_have_files, read_folder
from tidelog.cli.input.inputs import refuse_errors
from tidelog.cli.input.report import check_file
from tidelog.cli.input.state import opened
from tidelog.cli.output.view_change import change_lines, view_changes
from tidelog.engine.base.signature import Signature
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.write.epoch import Epoch
from tidelog.engine.write.script import take_script
from tidelog.explain.numbers import duration
from tidelog.program.values.rule import REFUSE
from tidelog.syntax import parse_changes_file
from tidelog.syntax.changes import is_preview


def apply_difference(inputs: ApplyInput, state: str, dry_run: bool, signature: Signature) -> None:
    """Make a state match a file or folder, or report what that would change."""
    file = inputs.file
    with opened(state, LAST if dry_run else None) as db:
        to = console()
        if inputs.is_script:
            _apply_script(db, file, dry_run, signature, to)
            return
        epoch = epoch_of_facts(db, file) if file.is_dir() else epoch_of_program(db, inputs, to)
        if epoch is None:
            to.print(f"{state} already matches {file}; nothing to do")
            return
        _finish(db, epoch, dry_run, signature, to)


def _apply_script(db: Engine, file: Path, dry_run: bool, signature: Signature, to: Console) -> None:
    """Commit the epochs of a change script in turn, or preview its only epoch."""
    scripts = parse_changes_file(file, convention=db.convention)
    if dry_run and len(scripts) > 1:
        raise DRY_RUN_OF_ONE.error(file=file, found=len(scripts))
    for script in scripts:
        epoch = db.epoch()
        take_script(epoch, script, core_of(db).opened.functions)
        _finish(db, epoch, dry_run or is_preview(script), signature, to)


def _finish(db: Engine, epoch: Epoch, dry_run: bool, signature: Signature, to: Console) -> None:
    epoch.signature = signature
    if dry_run:
        db.preview(epoch)
    else:
        epoch.commit()
    show_epoch(epoch, db.convention, dry_run, to)
    if dry_run and any(violated.severity == REFUSE for violated in epoch.violations):
        raise typer.Exit(1)  # a dry run of a change that would be refused


def epoch_of_program(db: Engine, inputs: ApplyInput, to: Console) -> Epoch | None:
    """The epoch that changes the state's program to that of the file; None if they are the same."""
    epoch, difference = db.epoch_to(refuse_errors(check_file(str(inputs.file))).program, inputs.columns)
    for line in difference.lines(db.program.convention):
        to.print(line)
    return epoch if difference else None


def epoch_of_facts(db: Engine, folder: Path) -> Epoch:
    """The epoch that replaces base facts by those of the files. The signs of an unchanged fact add up to 0 (D3)."""
    files = folder_files(db.program, db.relations, folder)
    must_have_files(files, folder)
    epoch = db.epoch()
    for name, data in read_folder(db.program, {name: db[name].types for name in db.relations}, files):
        epoch.insert(name, data)
    for name in {file.relation for file in files}:
        epoch.delete(name, db.asserted(name).rows())
    return epoch


def show_epoch(epoch: Epoch, convention: str, dry_run: bool, to: Console) -> None:
    """Print what the epoch changed, or would change, and what it cost."""
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
    if not found and not epoch.collected.columns:
        to.print("  no relation changes")
    if dry_run:
        for violated in epoch.violations:
            to.print(f"would be {'refused' if violated.severity == REFUSE else 'reported as a warning'}: {violated}")
