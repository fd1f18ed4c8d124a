"""Views and changes as Parquet files, written from rows held by this process.

Law: a file is written once and never changed, so that every reader sees its epoch (D5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tidelog.io.parquet import write_changes, write_rows
from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary

Kinds = Mapping[str, str]


Types = Sequence[str | None]


Write = Callable[[str], list[Kinds]]  # writes into a folder; returns the element types of the lists of each file


class FileColumns(NamedTuple):
    """Names and types of the columns of files; with ``signed`` there is one more column, +1 or -1.

    ``outside`` are the types of the original data (`program.values.source_types`); lists may be text.
    """

    names: tuple[str, ...]
    types: tuple[str | None, ...]
    signed: bool = False
    lists_as_text: bool = False
    outside: tuple[str, ...] = ()


def rows_writer(
    cells: Cells,
    names: Sequence[str],
    types: Types,
    dictionary: Dictionary,
    *,
    lists_as_text: bool = False,
    outside: Sequence[str] = (),
) -> Write:
    """Return a function that writes rows held by this process."""

    def write(folder: str) -> list[Kinds]:
        path = f"{folder}/part-0.parquet"
        written = write_rows(path, cells, types, names, dictionary, lists_as_text=lists_as_text, outside=outside)
        return [written]

    return write


def changes_writer(
    plus: Cells,
    minus: Cells,
    names: Sequence[str],
    types: Types,
    dictionary: Dictionary,
    outside: Sequence[str] = (),
) -> Write:
    """Return a function that writes changes held by this process."""

    def write(folder: str) -> list[Kinds]:
        return [write_changes(f"{folder}/part-0.parquet", plus, minus, types, names, dictionary, outside)]

    return write
