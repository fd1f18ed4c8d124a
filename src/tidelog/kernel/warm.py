"""The entries of the kernel, and how they are made ready: loaded, or compiled and kept.

Law: every kernel that Python calls is listed here, with its arguments; a test compares. Which kernel runs, and what it
computes, does not depend on when it was compiled. A wheel contains them compiled. Otherwise compilation takes a minute,
once per installation, and is reported on the screen; loading takes milliseconds and does not import the compiler.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from tidelog.kernel import (
    aggregate,
    batches,
    claim,
    empty_relation,
    fold,
    index,
    key_lookup,
    library,
    link_rows,
    maintain,
    ordered_index,
    relation,
    restore,
    route,
    settle,
    structures,
    support,
    team,
    texts,
    visit,
)
from tidelog.kernel.memory import LOADERS, Kernel
from tidelog.kernel.processor import runnable_sets

_CELL, _CELLS, _TABLE = "cell", "cells", "table"  # a 64-bit number; an array of them with one dimension, with two
_STATE = (_TABLE, _TABLE, _CELLS)
_RUN = (*_STATE, _CELLS, _CELLS, _CELLS, _CELLS, _CELLS, _CELLS, _TABLE, _CELLS, _CELL)
_PART = (_CELL, _CELL, _TABLE, _TABLE, *_STATE)
_TRIP = (_TABLE, _CELLS, _TABLE, _TABLE, _CELLS, _TABLE, _CELLS, _CELLS, _CELLS, _TABLE, _TABLE)
KERNELS: tuple[tuple[Kernel, tuple[str, ...]], ...] = (
    (batches.run_queue, _RUN),
    (batches.fire_batch, _RUN),
    (batches.change_facts, (*_STATE, _CELL, _CELL, _CELL, _CELL)),
    (support.revive, (_TABLE, _CELLS, _CELLS, _CELL)),
    (support.old_ranks, (_TABLE, _CELLS, _CELL, _CELLS)),
    (settle.net_changes, (_TABLE, _CELL, _CELL, _CELLS, _CELLS)),
    (settle.any_present, (_TABLE, _CELL)),
    (settle.present_items, (_TABLE, _CELL, _CELLS)),
    (batches.mark, (_TABLE, _CELLS, _CELL, _CELL, _CELL, _CELL)),
    (settle.commit, (_TABLE, _TABLE, _CELL)),
    (settle.undo, (_TABLE, _TABLE, _CELL)),
    (visit.begin_epoch, (_TABLE, *(_CELLS,) * 7)),
    (visit.visit_strata, (*_RUN[:9], _CELLS, *_TRIP)),
    (visit.commit_visited, (_TABLE, _TABLE, _CELLS, _TABLE, _CELL)),
    (support.remember, (_TABLE, _TABLE, _CELL, _CELL)),
    (support.remember_all, (_TABLE, _TABLE, _CELL, _CELL, _CELL, _CELL)),
    (support.reinstate, (_TABLE, _CELLS, _CELL, _CELLS)),
    (support.apply_arrived, (*_STATE, _CELL, _CELL, _CELL, _CELL)),
    (route.owners, (_CELLS, _CELL, _CELLS)),
    (route.find_again, (_TABLE, _CELLS)),
    (aggregate.reopen, (*_STATE, _CELL, _CELL, _CELL, _CELL, _CELL, _CELL, _CELL)),
    (index.collect, (_TABLE, _TABLE, _CELL, _CELL, _CELL, _CELLS)),
    (empty_relation.empty, (_TABLE, *(_CELL,) * 6)),
    (team.take_part, (*_PART, *_RUN[3:])),
    (team.change_shared, (*_PART, _CELLS, _CELLS, _CELL, _CELL, _CELL, _CELL)),
    (team.link_part, (*_PART, _CELLS, _CELLS)),
    (link_rows.make_readable_shared, (_CELL, _TABLE, _TABLE, _CELLS, _CELLS)),
    (team.settle_present, (_CELL, _TABLE, _CELL)),
    (team.only_walks, (_CELLS, _CELLS)),
    (claim.settle, (_CELL, _TABLE, _TABLE, _TABLE, _TABLE)),
    (maintain.move_entries, (_CELL, _CELL, _CELL, _CELL)),
    (maintain.spread, (_CELL, _CELL, _CELLS, _CELL, _CELL, _CELL, _CELL)),
    (maintain.gather, (_CELL, _CELL, _CELLS, _CELL, _CELL, _CELL, _CELL)),
    (maintain.put_all, (_CELL, _CELL, _CELLS, _CELL, _CELL)),
    (maintain.catch_up, (_TABLE, _TABLE, _CELL)),
    (ordered_index.string_rows, (_TABLE, _CELL, _CELLS, _CELL, _CELL, _CELLS, _CELL)),
    (texts.enter_texts, (_CELL, _CELLS, _CELL, _CELL, _CELLS, _CELLS, _CELLS, _CELL, _TABLE, _CELLS)),
    (texts.fill_table, (_CELLS, _CELL, _TABLE, _CELL)),
    (texts.find_texts, (_CELLS, _CELLS, _CELL, _TABLE, _CELLS)),
    (texts.measure_texts, (_CELLS, _TABLE, _CELLS)),
    (texts.copy_texts, (_CELLS, _TABLE, _CELL)),
    (structures.hash_structures, (_TABLE, _CELL, _CELLS)),
    (key_lookup.old_rows, (_TABLE, _TABLE, _CELL, _CELL, _CELL, _CELL, _CELL, _CELLS)),
    (key_lookup.mark_old, (_TABLE, _CELL, _CELL, _CELL, _CELLS)),
    (fold.fold_rows, (_CELLS, _CELL, _CELL, _CELL, _CELL, _CELLS, _CELLS, _CELL, _CELL, _CELL)),
    (fold.net_results, (_CELLS, _CELL, _CELL, _CELL, _CELL, _CELLS)),
    (fold.all_results, (_CELLS, _CELL, _CELL, _CELL, _CELLS)),
    (fold.look_again, (_TABLE, _TABLE, _CELL, _CELL, _CELLS, _CELL, _CELL)),
    (fold.end_epoch, (_CELLS, _CELL)),
    (relation.find, (_TABLE, _CELL, _CELL, _CELL)),
    (relation.hash_cells, (_CELL, _CELL)),
    (restore.enter_rows, (_TABLE, _CELL, _CELL, _CELL)),
)
_LOCK = Lock()


def make_ready() -> None:
    """Load or compile all kernels, once in a process."""
    if KERNELS[0][0].call is not None:
        return
    with _LOCK:
        functions = _functions()
        for kernel, _ in reversed(KERNELS):  # the first one marks all as ready
            kernel.brief_call, kernel.call = functions[kernel.brief_symbol], functions[kernel.symbol]


def _functions() -> library.Functions:
    names = library.runnable_names()
    symbols = [symbol for kernel, _ in KERNELS for symbol in (kernel.symbol, kernel.brief_symbol)]
    found = library.find(names, symbols)
    if found is not None:
        return found
    folder = library.writable_folder()
    if folder is None:
        return library.load_object(_compile(), symbols)
    with library.locked(folder):
        library.unpack(folder, names)
        return library.find(names, symbols) or _make(folder, names[0], symbols)


def _make(folder: Path, name: str, symbols: list[str]) -> library.Functions:
    content = _compile()
    library.keep(folder, name, content)
    return library.find([name], symbols) or library.load_object(content, symbols)


def _compile() -> bytes:
    from tidelog.kernel.compiler import compile_kernels  # only where nothing was found

    return compile_kernels(runnable_sets()[0])


LOADERS.append(make_ready)
