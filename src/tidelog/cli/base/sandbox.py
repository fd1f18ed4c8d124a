"""Files that programs name stay inside folders that the user has allowed.

Law: inside a sandbox, a file that a program names is opened, listed or looked up only if it lies in one of the allowed
folders: the program's own, those of facts and of outputs, and those allowed in addition. A link counts as what it
points to. A refusal names the path, but reveals neither the file's contents nor whether it exists. Files named on the
command line itself are not restricted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.cli.base import cli_failures as failures
from tidelog.program.check import CheckedProgram
from tidelog.syntax.sources import Include, include_from

if TYPE_CHECKING:
    from tidelog.io.files import InputFile
    from tidelog.io.parameters import Layout

_TABLE = re.compile(r"\w+(?:\.\w+)*")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The folders in which programs may name files."""

    folders: tuple[Path, ...]

    def allows(self, path: Path) -> bool:
        """Whether a file lies in one of the folders after all links are resolved."""
        try:
            found = path.resolve()
        except (OSError, RuntimeError, ValueError):  # cyclic links, invalid names
            return False
        return any(found.is_relative_to(folder) for folder in self.folders)

    def must_allow(self, path: Path) -> None:
        """Refuse a file that lies outside of the folders."""
        if not self.allows(path):
            raise failures.OUTSIDE.error(path=path, folders=", ".join(map(str, self.folders)))


_ACTIVE: ContextVar[Sandbox | None] = ContextVar("sandbox", default=None)


@contextmanager
def sandboxed(
    restrict: bool, allowed: Sequence[Path] | None, program: str | None, *folders: str | Path | None
) -> Iterator[None]:
    """Confine a program to its own folder, those of facts and outputs, and those ``allowed``, if requested."""
    if not restrict and not allowed:
        yield
        return
    found = [] if program is None else [Path(program).parent]  # for the standard input: the working folder
    found += [Path(folder) for folder in (*folders, *(allowed or ())) if folder is not None]
    before = _ACTIVE.set(Sandbox(tuple(dict.fromkeys(path.resolve() for path in found))))
    try:
        yield
    finally:
        _ACTIVE.reset(before)


def includes_of(folder: Path, others: Sequence[Path] = ()) -> Include:
    """How included texts are found: beside the including text, in a folder, or in one of the others."""
    sandbox = _ACTIVE.get()
    return include_from(folder, *others, allows=(lambda path: True) if sandbox is None else sandbox.allows)


def input_files(checked: CheckedProgram, folder: Path) -> list[InputFile]:
    """The files of a program's base facts."""
    from tidelog.cli.base.show import shown_warnings
    from tidelog.io.files import find_inputs
    from tidelog.io.parameters import layout_of

    sandbox = _ACTIVE.get()
    if sandbox is not None:
        layouts = [layout_of(d) for d in checked.program.directives if d.kind == "input"]
        _check_names(sandbox, layouts, folder)
    with shown_warnings():
        files = find_inputs(checked.program, checked.schema, folder)
    if sandbox is not None:
        for file in files:
            sandbox.must_allow(file.path)
            for part in file.path.rglob("*") if file.path.is_dir() else ():  # a folder of Parquet files
                sandbox.must_allow(part)
    return files


def check_outputs(layouts: Iterable[Layout], folder: Path) -> None:
    """Refuse outputs that a program names outside of the folders."""
    sandbox = _ACTIVE.get()
    if sandbox is not None:
        _check_names(sandbox, layouts, folder)


def _check_names(sandbox: Sandbox, layouts: Iterable[Layout], folder: Path) -> None:
    """Refuse such names before anything checks whether the file exists. A Spark table may be a disguised path."""
    from tidelog.io.parameters import TABLE

    for layout in layouts:
        if layout.kind == TABLE and not _TABLE.fullmatch(layout.table or ""):
            raise failures.OUTSIDE.error(path=layout.table, folders=", ".join(map(str, sandbox.folders)))
        if layout.filename is not None:
            sandbox.must_allow(folder / layout.filename)
