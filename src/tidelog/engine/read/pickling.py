"""Views, answers and changed rows for `pickle` and `copy.deepcopy`: rows that need no engine.

Law: a copy shows what its original showed when it was made, in Python, Arrow and pandas alike, and stays so. It holds
its cells and the values behind them, no engine, no lock and no file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.structures import decode_structures
from tidelog.program.values.shape import Part, Shape, shapes_in

if TYPE_CHECKING:
    from tidelog.engine.read.report import Changes
    from tidelog.engine.read.view import ChangeSet, Rows, Table
    from tidelog.kernel.cells import Cells
    from tidelog.program.values.term import Value

Declared = Mapping[str, Mapping[str, Sequence[tuple[str, str, bool]]]]  # by type and constructor


class RowsState(NamedTuple):
    """What is kept of rows: plain values and one array."""

    title: str
    columns: tuple[str, ...]
    types: tuple[tuple[str, bool] | None, ...]
    outside: tuple[str, ...]
    cells: Cells
    entries: list[tuple[int, Value]]
    declared: Declared


def rows_state(table: Table) -> RowsState:
    """The rows of a table as they are now."""
    cells = table._cells()
    found = Dictionary()
    for place, type_ in enumerate(table.types):
        _carry(np.unique(cells[:, place]).tolist(), type_, table._dictionary, found)
    declared = {
        name: {made: [(part.name, *_named(part.type)) for part in parts] for made, parts in shape.constructors.items()}
        for name, shape in shapes_in(table.types).items()
    }
    types = tuple(None if type_ is None else _named(type_) for type_ in table.types)
    entries = found.entries.since(0)
    return RowsState(table._title(), table.columns, types, table.outside, cells.copy(), entries, declared)


def _named(type_: str) -> tuple[str, bool]:
    """A type by its name, and whether it is declared."""
    return (type_.name, True) if isinstance(type_, Shape) else (type_, False)


def _carry(cells: Sequence[int], type_: str | None, known: Dictionary, found: Dictionary) -> None:
    """Enter what stands behind some cells into another dictionary."""
    if isinstance(type_, Shape):
        for value in decode_structures(cells, type_, known):
            found.encode(value, type_)
    elif type_ in ("symbol", "list"):
        found.enter(zip(cells, known.values_of(cells), strict=True))
    elif type_ is None:
        values = zip(cells, known.values_or_cells(cells), strict=True)
        found.enter((cell, value) for cell, value in values if not isinstance(value, int))


def rows_from_state(*state: Any) -> Rows:
    """The rows that were kept."""
    from tidelog.engine.read.view import Rows  # which pickles by this module

    kept = RowsState(*state)
    shapes = {name: Shape(name) for name in kept.declared}
    for name, constructors in kept.declared.items():
        for made, parts in constructors.items():
            fields = (Part(field, shapes[type_] if declared else type_) for field, type_, declared in parts)
            shapes[name].constructors[made] = tuple(fields)
    types = [None if type_ is None else shapes[type_[0]] if type_[1] else type_[0] for type_ in kept.types]
    dictionary = Dictionary()
    dictionary.enter(kept.entries)
    return Rows(kept.title, kept.columns, types, dictionary, kept.cells, kept.outside)


def changes_of(found: Mapping[str, ChangeSet]) -> Changes:
    """The changes of an epoch, as they were kept."""
    from tidelog.engine.read.report import Changes

    return Changes({name: _giving(change) for name, change in found.items()}, _not_kept)


def _giving(change: ChangeSet) -> Callable[[], ChangeSet]:
    return lambda: change


def _not_kept(name: str) -> ChangeSet:
    raise KeyError(name)
