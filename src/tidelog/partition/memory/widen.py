"""Room for several threads in a relation: a handful of facts and keys for each.

Law: arrays without enough room grow at least by as much as they do for one thread. Growing stops all threads, so that
a small relation grows fourfold, with all its arrays.
"""

from __future__ import annotations

from tidelog.kernel.layout import CAP, FREE, FRESH, JCAP, JROWS, LIVE_ROWS, ROWS
from tidelog.partition.memory.relations import Relations, grown

SMALL = 1 << 14  # rows
FASTER = 4


def widen(relations: Relations, number: int, more: int) -> None:
    """Make room for ``more`` facts of a relation, and for as many keys of its indexes, where necessary."""
    row = relations.directory[number]
    if row[CAP] < SMALL:
        more = max(more, (FASTER - 1) * int(row[ROWS]))
    rows, entries = int(row[ROWS]) + more, int(row[JROWS]) + more
    if rows > row[CAP] and row[FREE] == 0:
        relations.grow_records(number, max(rows, grown(int(row[CAP]))))
    if entries > row[JCAP] and not row[FRESH]:
        relations.grow_journal(number, max(entries, int(row[JCAP]) * 2))
    relations.grow_table(number, int(row[LIVE_ROWS]) + more)
    for index in relations.indexes_of(number):
        relations.grow_keys(index, more)  # those of an ordered index need no room
