"""Whether rows are facts, for many rows at once.

Law (D24): the answers hold at one committed epoch, and each is that of `row in view`. Texts are compared with those
behind the cells found, so a collision of hashes is not an answer; values that are looked for are not entered into the
dictionary.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from tidelog.engine.base.engine_failures import ROW_COLUMNS
from tidelog.engine.read.look_up import at_one_epoch, mark_facts
from tidelog.io.columns import decode_column
from tidelog.io.rows import data_types, encode_rows, order_columns, read_rows
from tidelog.partition.texts.dictionary import Dictionary

if TYPE_CHECKING:
    from tidelog.engine.core.core import Core
    from tidelog.kernel.cells import Cells

PLAIN = ("number", "unsigned", "float", "date", "timestamp", "boolean")  # the cell is the value


class EncodedRows(NamedTuple):
    """Rows that are looked for, as cells; ``scratch`` has their values."""

    cells: Cells
    types: Sequence[str]
    scratch: Dictionary


def contains_rows(core: Core, name: str, rows: object) -> npt.NDArray[np.bool_]:
    """For each row, in any form that an epoch accepts, whether it is a fact of a relation."""
    encoded = encode(core, name, rows)
    if not len(encoded.cells):
        return np.zeros(0, bool)
    marks, _ = at_one_epoch(core, partial(mark_facts, core, name, encoded.cells))
    return without_collisions(core, encoded, marks != 0)


def encode(core: Core, name: str, rows: object) -> EncodedRows:
    """Rows of a relation as cells, which are not entered into the engine's dictionary."""
    core.must_be_open()
    if name not in core.rules.schema:
        raise core.unknown_relation(name)
    types = core.rules.schema[name]
    data = order_columns(read_rows(name, rows), core.columns(name), name)
    scratch = Dictionary()
    if not data.length:
        return EncodedRows(np.zeros((0, len(types)), np.int64), (), scratch)
    if len(data.columns) != len(types):
        raise ROW_COLUMNS.error(name=name, wanted=len(types), found=len(data.columns))
    types = data_types(name, data, types)
    return EncodedRows(encode_rows(name, data, types, scratch), types, scratch)


def without_collisions(core: Core, rows: EncodedRows, found: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The rows found, without those whose texts are others with the same hash."""
    for place, type_ in enumerate(rows.types):
        if type_ not in PLAIN:
            cells = rows.cells[:, place]
            found = found & ~np.isin(cells, _collisions(core, cells[found], type_, rows.scratch))
    return found


def _collisions(core: Core, cells: Cells, type_: str, scratch: Dictionary) -> list[int]:
    """The cells for which the engine has a value other than the one looked for."""
    distinct = np.unique(cells)
    own, looked_for = (decode_column(distinct, type_, each) for each in (core.dictionary, scratch))
    return [cell for cell, one, other in zip(distinct.tolist(), own, looked_for, strict=True) if one != other]
