"""The result of an epoch: its net changes, and its end, committed or undone.

Law: after a commit every record is at rest, and present facts are old; after an undo every record is as in the journal.
Records of absent facts are free. A relation that was empty before the epoch is committed row by row, and undone by
emptying it.
"""

from __future__ import annotations

from tidelog.kernel.layout import (
    ARITY,
    BATCH,
    COUNTED,
    FRESH,
    JOURNAL,
    JROWS,
    LIVE_ROWS,
    NEW,
    OLD,
    REC,
    ROWS,
    TOUCHED,
    VISIBLE,
    WIDTH,
)
from tidelog.kernel.memory import compiled, inlined, load, store
from tidelog.kernel.relation import forget_rows, remove


@inlined
def gains_counted(directory, rel, entry, at, state):
    """Whether a fact of a counted relation stayed, with another number of supports than its journal entry has."""
    if directory[rel, COUNTED] == 0 or state & OLD == 0 or state & NEW == 0:
        return False
    return load(directory[rel, REC], at + 1) >> 32 != load(directory[rel, JOURNAL], 3 * entry + 2) >> 32


@compiled
def net_changes(directory, rel, first, inserted, deleted):
    """From journal entry ``first`` on: facts present now and not before, and the other way round; their numbers.

    In a counted relation, a fact that has more or fewer supports than before is among the inserted ones.
    """
    plus, minus = 0, 0
    for i in range(first, directory[rel, JROWS]):
        row = load(directory[rel, JOURNAL], 3 * i)
        at = row * directory[rel, WIDTH] + directory[rel, ARITY]
        state = load(directory[rel, REC], at)
        if gains_counted(directory, rel, i, at, state) or (state & OLD == 0 and state & NEW != 0):
            inserted[plus] = (rel << 32) | row
            plus += 1
        elif state & OLD != 0 and state & NEW == 0:
            deleted[minus] = (rel << 32) | row
            minus += 1
    return plus, minus


@compiled
def any_present(directory, rel):
    """1 if a relation has a fact that is present now, else 0."""
    for row in range(directory[rel, ROWS]):
        if load(directory[rel, REC], row * directory[rel, WIDTH] + directory[rel, ARITY]) & NEW != 0:
            return 1
    return 0


@compiled
def present_items(directory, rel, found):
    """All facts of a relation that are present now; their number."""
    count = 0
    for row in range(directory[rel, ROWS]):
        if load(directory[rel, REC], row * directory[rel, WIDTH] + directory[rel, ARITY]) & NEW != 0:
            found[count] = (rel << 32) | row
            count += 1
    return count


@compiled
def settle(directory, indexes, rel, row):
    """Settle a touched record at the end of its epoch: at rest if the fact is present, otherwise free."""
    at = row * directory[rel, WIDTH] + directory[rel, ARITY]
    state = load(directory[rel, REC], at)
    if state & NEW != 0:
        store(directory[rel, REC], at, (state & ~(TOUCHED | BATCH)) | OLD | VISIBLE)
    elif state != 0:
        remove(directory, indexes, rel, row)


@compiled
def commit(directory, indexes, rel):
    """Commit: new facts become old, records of absent facts are freed, the journal is emptied."""
    if directory[rel, FRESH] == 1:
        for row in range(directory[rel, ROWS]):
            settle(directory, indexes, rel, row)
    for i in range(directory[rel, JROWS]):
        settle(directory, indexes, rel, load(directory[rel, JOURNAL], 3 * i))
    directory[rel, JROWS] = directory[rel, FRESH] = 0
    if directory[rel, LIVE_ROWS] == 0:
        forget_rows(directory, indexes, rel)


@compiled
def undo(directory, indexes, rel):
    """Restore every touched record from the journal; records of facts that were absent are freed.

    Not for relations that were empty before: they are emptied.
    """
    for i in range(directory[rel, JROWS]):
        entry = 3 * i
        row = load(directory[rel, JOURNAL], entry)
        state = load(directory[rel, JOURNAL], entry + 1)
        if state == 0:
            remove(directory, indexes, rel, row)
        else:
            at = row * directory[rel, WIDTH] + directory[rel, ARITY]
            store(directory[rel, REC], at, state)
            store(directory[rel, REC], at + 1, load(directory[rel, JOURNAL], entry + 2))
    directory[rel, JROWS] = 0
