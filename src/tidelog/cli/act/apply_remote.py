"""The difference between the state of a server and an edited program, a folder of facts or a change script.

Law: the server finds and commits the difference, one request for each epoch, so that other clients cannot interfere.
Files are read here, with the types of the server's relations; the server never sees their names.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import typer

from tidelog.cli.base.cli_failures import DRY_RUN_OF_ONE
from tidelog.cli.base.guard import guarded
from tidelog.cli.base.show import console, shown_warnings
from tidelog.cli.input.columns import ApplyInput
from tidelog.cli.input.folder import folder_files, must_have_files, read_folder
from tidelog.cli.input.inputs import refuse_errors
from tidelog.cli.input.report import check_file
from tidelog.cli.input.server_place import ServerPlace
from tidelog.cli.output.view_change import ViewChange, change_lines
from tidelog.engine.base.signature import Signature
from tidelog.explain.numbers import duration
from tidelog.program.values.rule import REFUSE
from tidelog.syntax import parse_changes_file, parse_program, print_changes, print_program
from tidelog.syntax.changes import is_preview

if TYPE_CHECKING:
    from rich.console import Console

    from tidelog.client import Client
    from tidelog.client.epoch import RemoteEpoch


def apply_to_server(inputs: ApplyInput, place: ServerPlace, dry_run: bool, signature: Signature) -> None:
    """Make the state of a server match a file or folder, or report what that would change."""
    with guarded(), shown_warnings(), place.connect() as client:
        to = console()
        for number, (given, is_dry) in enumerate(_requests(client, inputs, dry_run)):
            if number:
                to.print("")
            epoch = client.apply(**given, author=signature.author, note=signature.note, dry_run=is_dry)
            if epoch.matches:
                to.print(f"{place.url} already matches {inputs.file}; nothing to do")
            else:
                _show(epoch, is_dry, to)
            if is_dry and any(violated.severity == REFUSE for violated in epoch.violations):
                raise typer.Exit(1)  # a dry run of a change that would be refused


def _requests(client: Client, inputs: ApplyInput, dry_run: bool) -> list[tuple[dict[str, Any], bool]]:
    """The requests to send, each with whether it is a dry run."""
    file = inputs.file
    if inputs.is_script:
        convention = client.program()["convention"]
        epochs = parse_changes_file(file, convention=convention)
        if dry_run and len(epochs) > 1:
            raise DRY_RUN_OF_ONE.error(file=file, found=len(epochs))
        return [({"script": print_changes((e,), convention)}, dry_run or is_preview(e)) for e in epochs]
    if file.is_dir():
        return [({"facts": _facts(client, file)}, dry_run)]
    program = refuse_errors(check_file(str(file))).program
    return [({"program": print_program(program), "columns": inputs.columns}, dry_run)]


def _facts(client: Client, folder: Path) -> dict[str, list[Any]]:
    """The rows of the files of a folder, by relation."""
    about = client.program()
    program = parse_program(about["text"])
    schema = {
        relation["name"]: tuple(None if c["type"] == "any" else c["type"] for c in relation["columns"])
        for relation in about["relations"]
    }
    files = folder_files(program, schema, folder)
    must_have_files(files, folder)
    found: dict[str, list[Any]] = defaultdict(list)
    for name, data in read_folder(replace(program, facts=()), schema, files):
        found[name] += zip(*data.to_pydict().values(), strict=True) if isinstance(data, pa.Table) else data
    return {file.relation: found[file.relation] for file in files}


def _show(epoch: RemoteEpoch, dry_run: bool, to: Console) -> None:
    """Print what the epoch changed, or would change."""
    for line in epoch.difference:
        to.print(line)
    what = "dry run, nothing was changed" if dry_run else f"epoch {epoch.number} committed"
    to.print(f"{what}: {duration(epoch.seconds)}, {sum(epoch.statistics['supports'].values()):,} supports")
    lines = {
        name: ViewChange(
            changed.inserted_count,
            changed.deleted_count,
            tuple(epoch.examples[name]["plus"]),
            tuple(epoch.examples[name]["minus"]),
        )
        for name, changed in epoch.changes.items()
        if changed
    }
    for line in change_lines(lines):
        to.print(line)
    if not lines:
        to.print("  no relation changes")
    for violated in epoch.violations if dry_run else ():
        to.print(f"would be {'refused' if violated.severity == REFUSE else 'reported as a warning'}: {violated}")
