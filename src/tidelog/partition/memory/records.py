"""Records in the terms of the theory: which facts are present, their ranks and counts, which are asserted.

Law: a record is the columns of a fact and two more cells, whose bits (`kernel.layout`) are known only to the kernel and
this package. All other code reads records through these functions, many at once: ``records`` is an array with one
record per row, as returned by `Relations.records`. What an epoch did to records is read through `journal`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells, address
from tidelog.kernel.index import collect
from tidelog.kernel.key_lookup import mark_old
from tidelog.kernel.relation import find, hash_cells
from tidelog.partition.memory.relations import BRIEF, Relations

Mask = npt.NDArray[np.bool_]
STATE, COUNTS = -2, -1  # the two cells behind the columns
AT_REST = at.OLD | at.NEW | at.VISIBLE | at.LIVE  # the flags of a fact between epochs
LONGEST_KEY = at.MAX_KEY  # columns of an index


def _with_flag(records: Cells, flag: int) -> Mask:
    found: Mask = (records[:, STATE] & flag) != 0
    return found


# Many records


def in_use(records: Cells) -> Mask:
    """Which records hold a fact, present or not."""
    return _with_flag(records, at.LIVE)


def present(records: Cells) -> Mask:
    """Which facts were present at the last committed epoch."""
    return _with_flag(records, at.OLD)


def present_now(records: Cells) -> Mask:
    """Which facts are present in the running epoch."""
    return _with_flag(records, at.NEW)


def asserted(records: Cells) -> Mask:
    """Which facts are asserted."""
    return _with_flag(records, at.BASE)


def exposed(records: Cells) -> Mask:
    """Which candidates of a min or max support the value that their group shows."""
    return _with_flag(records, at.EXPOSED)


def ranks(records: Cells, base: int) -> Cells:
    """The ranks of facts of a relation whose ranks count from ``base``."""
    found: Cells = (records[:, STATE] >> at.FLAG_BITS) + base
    return found


def all_counts(records: Cells) -> Cells:
    """How many supports each fact has."""
    found: Cells = records[:, COUNTS] >> 32
    return found


def low_counts(records: Cells) -> Cells:
    """How many supports of lower rank each fact has."""
    found: Cells = records[:, COUNTS] & at.LOW32
    return found


def counts_of(records: Cells, base: int) -> tuple[Cells, Cells, Cells, Cells, npt.NDArray[Any]]:
    """Columns, ranks, ``all``, ``low`` and assertion of facts of a relation whose ranks count from ``base``."""
    columns = records[:, :STATE].copy()
    return columns, ranks(records, base), all_counts(records), low_counts(records), asserted(records)


def lowest_of(parts: Sequence[tuple[Cells, ...]]) -> tuple[Cells, ...]:
    """Copies of the same facts, as returned by `counts_of`, as one: the counts of the first, the lowest rank."""
    cells, ranked = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    number = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    place = np.concatenate([np.arange(len(part[0])) for part in parts])
    order = np.lexsort([number, *(cells[:, column] for column in range(cells.shape[1]))])
    first = np.ones(len(order), bool)
    first[1:] = (cells[order[1:]] != cells[order[:-1]]).any(axis=1)
    lowest = np.minimum.reduceat(ranked[order], first.nonzero()[0])
    rows = place[order[first]]
    own = number[order[first]] == 0
    return parts[0][0][rows[own]], lowest[own], *(part[rows[own]] for part in parts[0][2:])


def state_cells(records: Cells) -> Cells:
    """The state cells of many records, as one array."""
    return np.ascontiguousarray(records[:, STATE])


def count_cells(records: Cells) -> Cells:
    """Their counts cells."""
    return np.ascontiguousarray(records[:, COUNTS])


def are_at_rest(states: Cells) -> bool:
    """Whether states are those of facts between epochs, with no other flags than those for asserted and exposed."""
    common, any_ = int(np.bitwise_and.reduce(states)), int(np.bitwise_or.reduce(states))
    return common & AT_REST == AT_REST and not any_ & at.FLAGS & ~(AT_REST | at.BASE | at.EXPOSED)


def rank_range(states: Cells, base: int) -> tuple[int, int]:
    """The lowest and the highest rank of some facts, of a relation whose ranks count from ``base``."""
    return (int(states.min()) >> at.FLAG_BITS) + base, (int(states.max()) >> at.FLAG_BITS) + base


def are_counts(counts: Cells) -> bool:
    """Whether every fact has at least one support of lower rank, and no more of these than supports in total."""
    low = counts & at.LOW32
    return int(low.min()) > 0 and int(((counts >> 32) - low).min()) >= 0


def release(records: Cells, rows: Cells | slice) -> None:
    """Mark these records as holding no fact."""
    records[rows, STATE] = 0


def raise_ranks(records: Cells, offset: int) -> None:
    """Raise the ranks of all these facts by ``offset``."""
    records[:, STATE] += offset << at.FLAG_BITS


def later(one: int, other: int) -> int:
    """The greater depth of two ranks with the later clock: neither is above it.

    >>> later(3 << at.CLOCK_BITS | 5, 2 << at.CLOCK_BITS | 9) == 3 << at.CLOCK_BITS | 9
    True
    """
    return (max(one, other) >> at.CLOCK_BITS << at.CLOCK_BITS) | max(one & at.CLOCKS, other & at.CLOCKS)


def rank_depth(rank: int) -> int:
    """The depth of a rank."""
    return rank >> at.CLOCK_BITS


def at_depth(depth: int) -> int:
    """A rank above all that are less deep."""
    return depth << at.CLOCK_BITS


def close_ranks(relations: Sequence[tuple[Cells, int]]) -> int:
    """Renumber the ranks of facts, in the same order: depths from 1, and the clock in each of them from 1.

    No count changes. Returns a clock that no rank is above. Each relation is given as its records and the base that
    their ranks count from, which is 0 afterwards.

    >>> state = lambda depth, clock: (at_depth(depth) + clock) << at.FLAG_BITS | at.LIVE
    >>> edge = np.array([[7, state(3, 9), 0]])
    >>> path = np.array([[7, state(5, 30), 0], [8, state(1, 5), 0]])
    >>> found = close_ranks([(edge, 0), (path, at_depth(2))])
    >>> [divmod(rank, 1 << at.CLOCK_BITS) for rank in (found, *ranks(edge, 0).tolist(), *ranks(path, 0).tolist())]
    [(2, 2), (1, 2), (2, 1), (1, 1)]
    """
    used = [in_use(records) for records, _ in relations]
    old = [ranks(records, base)[live] for (records, base), live in zip(relations, used, strict=True)]
    order = np.unique(np.concatenate(old))
    _, first, depths = np.unique(order >> at.CLOCK_BITS, return_index=True, return_inverse=True)
    clocks = np.arange(len(order)) - first[depths] + 1
    closed = ((depths + 1) << at.CLOCK_BITS) + clocks
    for (records, _), live, before in zip(relations, used, old, strict=True):
        state = records[:, STATE]
        state[live] = (closed[np.searchsorted(order, before)] << at.FLAG_BITS) | (state[live] & at.FLAGS)
    return (len(first) << at.CLOCK_BITS) + int(clocks.max(initial=0))


def rest_low(records: Cells) -> None:
    """Count all supports of these facts as of lower rank: nothing of their stratum is below them."""
    counts = records[:, COUNTS]
    counts[:] = (counts & ~at.LOW32) | (counts >> 32)


def copied_records(records: Cells) -> Cells:
    """Records of a copy of these facts: each has one support."""
    found = records.copy()
    found[:, STATE] = (found[:, STATE] & ~at.FLAGS) | AT_REST
    found[:, COUNTS] = at.ONE_SUPPORT | 1
    return found


def mark_exposed(records: Cells, marked: Mask) -> None:
    """Mark these candidates as exposed by a min or max, and the others as not exposed."""
    records[:, STATE] = (records[:, STATE] & ~at.EXPOSED) | np.where(marked, at.EXPOSED, 0)


def lowest_ranked(records: Cells) -> Cells:
    """The records of lowest rank among those with the same columns."""
    arity = records.shape[1] - 2
    order = np.lexsort([records[:, STATE], *(records[:, column] for column in range(arity))])
    ordered = records[order]
    first = np.ones(len(ordered), bool)
    first[1:] = (ordered[1:, :arity] != ordered[:-1, :arity]).any(axis=1)
    return ordered[first]


def shown_records(groups: Cells, rows: Cells) -> Cells:
    """Records of the groups of a min or max that show the candidates in these rows (`kernel.aggregate`)."""
    states = np.full((len(rows), 1), AT_REST, np.int64)
    return np.concatenate([groups, states, rows[:, None] + 1], axis=1)


# The records of a relation


def arity_of(relations: Relations, number: int) -> int:
    """The number of columns of a relation."""
    return int(relations.directory[number, at.ARITY])


def rank_base(relations: Relations, number: int) -> int:
    """The base from which the ranks of a relation's facts are counted."""
    return int(relations.directory[number, at.RANK_BASE])


def columns_of(relations: Relations, items: Cells, number: int) -> Cells:
    """The columns of some facts of one relation, present or just vanished; items are relation << 32 | row."""
    return relations.records(number)[items & at.LOW32, :STATE].copy()


def cells_of(relations: Relations, number: int, row: int) -> tuple[int, ...]:
    """The columns of one fact."""
    return tuple(relations.records(number)[row, :STATE].tolist())


def find_record(relations: Relations, number: int, cells: Sequence[int]) -> int:
    """The row of the record with these columns, whether the fact is present or not; -1 if there is none."""
    key: Cells = np.array(cells, np.int64)
    where = address(key)
    tag = hash_cells.when_brief(True)(where, len(key))
    return int(find.when_brief(True)(relations.directory, number, where, tag))


def find_fact(relations: Relations, number: int, cells: Sequence[int]) -> int:
    """The row of a fact that was present at the last committed epoch, -1 if it was not."""
    row = find_record(relations, number, cells)
    return row if row >= 0 and relations.records(number)[row, STATE] & at.OLD else -1


def find_fact_now(relations: Relations, number: int, cells: Sequence[int]) -> int:
    """The row of a fact that is present in the running epoch, -1 if it is not."""
    row = find_record(relations, number, cells)
    return row if row >= 0 and relations.records(number)[row, STATE] & at.NEW else -1


def mark_facts(relations: Relations, name: str, rows: Cells) -> Cells:
    """1 for each of some rows that was a fact of a relation at the last committed epoch, otherwise 0."""
    number = relations.numbers.get(name)
    marks: Cells = np.zeros(len(rows), np.int64)
    if number is not None and len(rows) and relations.live(number):
        rows = np.ascontiguousarray(rows)
        mark_old.when_brief(len(rows) <= BRIEF)(relations.directory, number, address(rows), len(rows), marks)
    return marks


def rows_with_key(relations: Relations, number: int, index: int, key: Cells) -> Cells:
    """The rows of the facts, present at the last committed epoch, whose columns in an index are ``key``."""
    found: Cells = np.empty(64, np.int64)
    tables = relations.directory, relations.indexes
    look_up = collect.when_brief(True)
    while (count := look_up(*tables, index, number, address(key), found)) < 0:
        found, look_up = np.empty(4 * len(found), np.int64), collect
    return found[:count]


def rank(relations: Relations, number: int, row: int) -> int:
    """The rank of one fact."""
    return (int(relations.records(number)[row, STATE]) >> at.FLAG_BITS) + rank_base(relations, number)


def is_asserted(relations: Relations, number: int, row: int) -> bool:
    """Whether one fact is asserted."""
    return bool(relations.records(number)[row, STATE] & at.BASE)


def shown_row(relations: Relations, number: int, group: Sequence[int]) -> int:
    """The row of the candidate that a group of a min or max shows, -1 for none; ``number``: the relation of groups."""
    row = find_record(relations, number, group)
    return -1 if row < 0 else int(relations.records(number)[row, COUNTS]) - 1


def facts_held(relations: Relations, number: int) -> int:
    """The number of facts of a relation in the running epoch: records of others are freed when it is committed."""
    records = relations.records(number)
    if relations.directory.item(number, at.FRESH):
        return int(np.count_nonzero(present_now(records)))
    touched = records[relations.journal(number)[:, 0]]
    return relations.live(number) - int(np.count_nonzero(in_use(touched) & ~present_now(touched)))


def cells_in_use(relations: Relations) -> int:
    """The cells of all records that hold facts, each with its row."""
    directory = relations.directory[: len(relations.names)]
    return int((directory[:, at.LIVE_ROWS] * (directory[:, at.WIDTH] + 1)).sum())
