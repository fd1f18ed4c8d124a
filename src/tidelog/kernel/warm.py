"""Kernels made ready before their first use: loaded from the cache, or compiled and cached.

Law: which kernel runs, and what it computes, does not depend on when it was compiled. Compiling takes seconds, once per
installation, and is said on the screen; loading takes a fraction of a second.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from numba import types

from tidelog.kernel import aggregate, empty, index, maintain, route, support, texts
from tidelog.kernel.memory import is_cached

_CELL = types.int64
_CELLS = types.Array(_CELL, 1, "C")
_TABLE = types.Array(_CELL, 2, "C")
_STATE = (_TABLE, _TABLE, _CELLS)
_RUN = (*_STATE, _CELLS, _CELLS, _CELLS, _CELLS, _CELLS, _CELLS, _TABLE, _CELLS, _CELL)
KERNELS: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (support.run_queue, _RUN),
    (support.fire_batch, _RUN),
    (support.change_facts, (*_STATE, _CELL, _CELL, _CELL, _CELL)),
    (support.revive, (_TABLE, _CELLS, _CELLS, _CELL)),
    (support.old_ranks, (_TABLE, _CELLS, _CELL, _CELLS)),
    (support.net_changes, (_TABLE, _CELL, _CELL, _CELLS, _CELLS)),
    (support.mark, (_TABLE, _CELLS, _CELL, _CELL, _CELL, _CELL)),
    (support.commit, (_TABLE, _TABLE, _CELL)),
    (support.undo, (_TABLE, _TABLE, _CELL)),
    (support.remember, (_TABLE, _TABLE, _CELL, _CELL)),
    (support.reinstate, (_TABLE, _CELLS, _CELL, _CELLS)),
    (support.apply_messages, (*_STATE, _CELL)),
    (route.owners, (_CELLS, _CELL, _CELLS)),
    (route.combine, (_TABLE, _TABLE, _CELL, _CELLS)),
    (route.unpack, (_CELL, _CELL, _TABLE, _CELL, _CELL)),
    (aggregate.reopen, (*_STATE, _CELL, _CELL, _CELL, _CELL, _CELL, _CELL)),
    (index.collect, (_TABLE, _TABLE, _CELL, _CELL, _CELL, _CELLS)),
    (empty.empty, (_TABLE, *(_CELL,) * 6)),
    (maintain.move_entries, (_CELL, _CELL, _CELL, _CELL)),
    (maintain.fill_index, (_TABLE, _TABLE, _CELL, _CELL, _CELL)),
    (texts.enter_texts, (_CELL, _CELLS, _CELL, _CELL, _CELLS, _CELLS, _CELLS, _TABLE, _CELLS)),
    (texts.fill_table, (_CELLS, _TABLE, _CELL)),
    (texts.find_texts, (_CELLS, _CELLS, _TABLE, _CELLS)),
    (texts.copy_texts, (_CELLS, _TABLE, _CELL)),
)


@cache
def make_ready() -> None:
    """Load or compile all kernels, once in a process."""
    if not all(is_cached(kernel) for kernel, _ in KERNELS):
        print("tidelog: compiling the kernel; this happens once and takes some seconds", file=sys.stderr, flush=True)
    for kernel, signature in KERNELS:
        kernel.compile(signature)
