"""Views and changes as Parquet files, written from rows that this process holds.

Law: a file is written once and never changed, so that whoever reads it sees its epoch (D5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tidelog.io.parquet import write_changes, write_rows
from tidelog.kernel.cells import Cells
from tidelog.partition.dictionary import Dictionary

Kinds = Mapping[str, str]


Types = Sequence[str | None]


Write = Callable[[str], list[Kinds]]  # into a folder; tells what the lists of each file hold


def rows_writer(
    cells: Cells,
    names: Sequence[str],
    types: Types,
    dictionary: Dictionary,
    *,
    lists_as_text: bool = False,
) -> Write:
    """Writes rows that this process holds."""

    def write(folder: str) -> list[Kinds]:
        path = f"{folder}/part-0.parquet"
        return [write_rows(path, cells, types, names, dictionary, lists_as_text=lists_as_text)]

    return write


def changes_writer(plus: Cells, minus: Cells, names: Sequence[str], types: Types, dictionary: Dictionary) -> Write:
    """Writes changes that this process holds."""
    return lambda folder: [write_changes(f"{folder}/part-0.parquet", plus, minus, types, names, dictionary)]
