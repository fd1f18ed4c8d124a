"""Views, answers and changed rows for `pickle` and `copy.deepcopy`: rows that need no engine.

Law: a copy shows what its original showed when it was made, in Python, Arrow and pandas alike, and does not change. It
holds its cells and the values behind them, but no engine, lock or file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.values.shape import Part, Shape, shapes_in
from tidelog.program.values.term import Value

TypeFields = Mapping[str, Mapping[str, Sequence[tuple[str, str, bool]]]]  # by type and constructor

RestoredParts: TypeAlias = tuple[str, tuple[str, ...], list[str | None], Dictionary, Cells, tuple[str, ...]]


class RowsState(NamedTuple):
    """The pickled form of rows: plain values and one array."""

    title: str
    columns: tuple[str, ...]
    types: tuple[tuple[str, bool] | None, ...]
    outside: tuple[str, ...]
    cells: Cells
    entries: list[tuple[int, Value]]
    declared: TypeFields


def rows_state(
    title: str,
    columns: tuple[str, ...],
    types: Sequence[str | None],
    dictionary: Dictionary,
    cells: Cells,
    outside: tuple[str, ...],
) -> RowsState:
    """Rows as they are now."""
    found = Dictionary()
    for place, type_ in enumerate(types):
        _carry(np.unique(cells[:, place]).tolist(), type_, dictionary, found)
    declared = {
        name: {made: [(part.name, *_named(part.type)) for part in parts] for made, parts in shape.constructors.items()}
        for name, shape in shapes_in(types).items()
    }
    named = tuple(None if type_ is None else _named(type_) for type_ in types)
    return RowsState(title, columns, named, outside, cells.copy(), found.entries.since(0), declared)


def _named(type_: str) -> tuple[str, bool]:
    """A type by its name, and whether it is declared."""
    return (type_.name, True) if isinstance(type_, Shape) else (type_, False)


def _carry(cells: Sequence[int], type_: str | None, source: Dictionary, target: Dictionary) -> None:
    """Copy the values behind some cells to another dictionary."""
    if isinstance(type_, Shape):
        for value in source.structures(cells, type_):
            target.encode(value, type_)
    elif type_ in ("symbol", "list"):
        target.enter(zip(cells, source.values_of(cells), strict=True))
    elif type_ is None:
        values = zip(cells, source.values_or_cells(cells), strict=True)
        target.enter((cell, value) for cell, value in values if not isinstance(value, int))


def restore_rows(*state: Any) -> RestoredParts:
    """The parts from which rows are restored."""
    kept = RowsState(*state)
    shapes = {name: Shape(name) for name in kept.declared}
    for name, constructors in kept.declared.items():
        for made, parts in constructors.items():
            fields = (Part(field, shapes[type_] if declared else type_) for field, type_, declared in parts)
            shapes[name].constructors[made] = tuple(fields)
    types = [None if type_ is None else shapes[type_[0]] if type_[1] else type_[0] for type_ in kept.types]
    dictionary = Dictionary()
    dictionary.enter(kept.entries)
    return kept.title, kept.columns, types, dictionary, kept.cells, kept.outside
