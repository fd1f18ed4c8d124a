"""Whether rows are facts, for many rows at once.

Law (D24): the answers hold at one committed epoch, and each is that of `row in view`. Texts are compared with those
behind the cells found, so a collision of hashes is not an answer; values that are looked for are not entered into the
dictionary.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

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


def contains_rows(core: Core, name: str, rows: object) -> npt.NDArray[np.bool_]:
    """For each row, in any form that an epoch accepts, whether it is a fact of a relation."""
    core.must_be_open()
    if name not in core.rules.schema:
        raise core.unknown_relation(name)
    types = core.rules.schema[name]
    data = order_columns(read_rows(name, rows), core.columns(name), name)
    if not data.length:
        return np.zeros(0, bool)
    if len(data.columns) != len(types):
        raise ROW_COLUMNS.error(name=name, wanted=len(types), found=len(data.columns))
    scratch = Dictionary()
    types = data_types(name, data, types)
    cells = encode_rows(name, data, types, scratch)
    marks, _ = at_one_epoch(core, partial(mark_facts, core, name, cells))
    found: npt.NDArray[np.bool_] = marks != 0
    for place, type_ in enumerate(types):
        if type_ not in PLAIN:
            found &= ~np.isin(cells[:, place], _collisions(core, cells[found, place], type_, scratch))
    return found


def _collisions(core: Core, cells: Cells, type_: str, scratch: Dictionary) -> list[int]:
    """The cells for which the engine has a value other than the one looked for."""
    distinct = np.unique(cells)
    own, looked_for = (decode_column(distinct, type_, each) for each in (core.dictionary, scratch))
    return [cell for cell, one, other in zip(distinct.tolist(), own, looked_for, strict=True) if one != other]
