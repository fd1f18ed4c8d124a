"""A folder of fact files whose facts replace those of a state: which files it has, and their contents.

Law: a file belongs to the relation whose `.input` directive names it (`filename=`, with or without wildcards),
otherwise to the relation that has its name. A file for no relation is an error. A file that has a relation's name
although the program reads that relation from files with other names is not read, which is reported. Files that a
directive names outside of the folder are not part of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tidelog.cli.base.cli_failures import NO_FACT_FILES, UNKNOWN_FILE
from tidelog.cli.input.inputs import read_data
from tidelog.errors import TidelogWarning
from tidelog.errors.warn import warn
from tidelog.io.delimited import Data
from tidelog.io.files import InputFile, named_files
from tidelog.io.io_failures import UNREAD_FILE
from tidelog.io.parameters import TABLE, Layout, kind_of_file, layout_of
from tidelog.program import Program
from tidelog.program.check import check_program


def folder_files(program: Program, relations: Collection[str] | None, folder: Path) -> list[InputFile]:
    """The fact files of a folder, those named by directives first; if ``relations`` is None, nothing is refused yet."""
    layouts: dict[str, list[Layout]] = defaultdict(list)
    for directive in program.directives:
        if directive.kind == "input" and (layout := layout_of(directive)).kind != TABLE:
            layouts[directive.relation].append(layout)
    files = [
        InputFile(relation, path, layout)
        for relation, described in layouts.items()
        for layout in described
        if layout.filename is not None
        for path in named_files(layout, folder)
        if path.resolve().is_relative_to(folder.resolve())
    ]
    named = {file.path for file in files}
    for path in sorted(folder.iterdir()):
        if path not in named and kind_of_file(path.name):
            if relations is None:
                files.append(InputFile("", path, Layout()))
                continue
            relation = _relation_of(path, relations)
            unnamed = [layout for layout in layouts[relation] if layout.filename is None]
            if unnamed or not layouts[relation]:
                files.append(InputFile(relation, path, unnamed[0] if unnamed else Layout()))
            else:
                names = ", ".join(str(layout.filename) for layout in layouts[relation])
                error = UNREAD_FILE.error(path=path, reason=f"the program reads `{relation}` from {names}")
                warn(TidelogWarning(f"{error.code}: {error}"))
    return files


def must_have_files(files: Sequence[InputFile], folder: Path) -> None:
    """Refuse a folder without fact files."""
    if not files:
        raise NO_FACT_FILES.error(folder=folder)


def _relation_of(path: Path, relations: Collection[str]) -> str:
    """The relation that a file is named after; the names in instances contain periods."""
    parts = path.name.split(".")
    name = next((n for end in range(len(parts), 1, -1) if (n := ".".join(parts[:end])) in relations), parts[0])
    if name not in relations:
        raise UNKNOWN_FILE.error(path=path, name=name, known=", ".join(f"`{n}`" for n in relations))
    return name


def read_folder(
    program: Program, schema: Mapping[str, tuple[str | None, ...]], files: Sequence[InputFile]
) -> list[tuple[str, Data]]:
    """The facts of the files, with the types of the state's relations."""
    checked = replace(check_program(program, known={n: len(t) for n, t in schema.items()}), schema=dict(schema))
    return read_data(checked, files)
