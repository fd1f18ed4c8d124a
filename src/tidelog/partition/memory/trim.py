"""Releasing memory: what a build left unused, the journal of a large epoch, a relation that is emptied.

Law: nothing here allocates memory, so that an epoch that has used it all can be undone, and a commit cannot fail.
"""

from __future__ import annotations

from tidelog.kernel.layout import CAP, FREE, JCAP, KEYS, LINKED, LIVE_ROWS, ROWS
from tidelog.partition.memory.arrays import SMALLEST
from tidelog.partition.memory.relations import Relations

LARGE_BUILD = 1 << 15  # rows; what a smaller one leaves unused is kept
LONG_JOURNAL = 1 << 16  # entries
SLACK = 1024  # rows per row that is kept unused
ROOM = 48  # entries of the table per free one: without them, the next change would move all entries


def trim(relations: Relations, number: int) -> None:
    """Release what a build left unused."""
    row = relations.directory[number]
    wanted = int(row[ROWS]) + int(row[ROWS]) // SLACK
    if row[ROWS] < LARGE_BUILD:
        return
    relations.tables[number].shrink(int(row[LIVE_ROWS]) + int(row[LIVE_ROWS]) // ROOM, relations.workers)
    relations.set_table(number, relations.tables[number])
    if wanted < row[CAP]:
        relations.shrink_records(number, wanted)


def trim_journal(relations: Relations, number: int) -> None:
    """Release the memory of a journal that one large epoch left behind."""
    if relations.directory[number, JCAP] > LONG_JOURNAL:
        relations.set_array(number, "journal", relations.block(number, "journal").shrink(SMALLEST))


def clear(relations: Relations, number: int) -> None:
    """Forget all records of a relation that was empty before the epoch or does not take part in epochs.

    Memory is released and none is allocated: this undoes an epoch that has used it all.
    """
    row = relations.directory[number]
    row[ROWS] = row[LIVE_ROWS] = row[FREE] = 0
    for index in relations.indexes_of(number):
        relations.indexes[index, KEYS] = relations.indexes[index, LINKED] = 0
        relations.key_tables[index].clear()
        relations.set_keys(index, relations.key_tables[index])
    relations.tables[number].clear()
    relations.set_table(number, relations.tables[number])
    relations.shrink_records(number, SMALLEST)
