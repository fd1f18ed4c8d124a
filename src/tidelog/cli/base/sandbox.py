"""Files that programs name stay inside folders that the user has allowed.

Law: inside a sandbox no file is opened, listed or asked for that a program names and that lies outside of the allowed
folders: the program's own, those of facts and of outputs, and those allowed besides. Links count as what they lead to.
A refusal names the path and nothing that is in it, nor whether it is there. What the command line itself names is its
user's matter.
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
    """The folders that programs may name files in."""

    folders: tuple[Path, ...]

    def allows(self, path: Path) -> bool:
        """Whether a file lies in one of the folders, after all links."""
        try:
            found = path.resolve()
        except (OSError, RuntimeError, ValueError):  # links in a circle, names that are none
            return False
        return any(found.is_relative_to(folder) for folder in self.folders)

    def must_allow(self, path: Path) -> None:
        """Refuse a file that lies outside."""
        if not self.allows(path):
            raise failures.OUTSIDE.error(path=path, folders=", ".join(map(str, self.folders)))


_ACTIVE: ContextVar[Sandbox | None] = ContextVar("sandbox", default=None)


@contextmanager
def sandboxed(
    restrict: bool, allowed: Sequence[Path] | None, program: str | None, *folders: str | Path | None
) -> Iterator[None]:
    """Keep a program inside its own folder, those of facts and outputs, and those ``allowed``, if that is wanted."""
    if not restrict and not allowed:
        yield
        return
    found = [] if program is None else [Path(program).parent]  # of the standard input: the working folder
    found += [Path(folder) for folder in (*folders, *(allowed or ())) if folder is not None]
    before = _ACTIVE.set(Sandbox(tuple(dict.fromkeys(path.resolve() for path in found))))
    try:
        yield
    finally:
        _ACTIVE.reset(before)


def includes_of(folder: Path, others: Sequence[Path] = ()) -> Include:
    """How included texts are found: beside the including one, in a folder, or in one of the others."""
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
    """Before anybody asks whether such a file is there. A table of Spark's may be a path in disguise."""
    from tidelog.io.parameters import TABLE

    for layout in layouts:
        if layout.kind == TABLE and not _TABLE.fullmatch(layout.table or ""):
            raise failures.OUTSIDE.error(path=layout.table, folders=", ".join(map(str, sandbox.folders)))
        if layout.filename is not None:
            sandbox.must_allow(folder / layout.filename)
