"""Emptying a relation in place, so that its stratum can be built again: nothing is present, every record stays.

Law: the journal holds every record as it was before the epoch, so that an undo restores it; a commit frees the records
of facts that did not become present again. Assertions stay flagged: the caller restores their support.
"""

from __future__ import annotations

from tidelog.kernel.layout import ARITY, JCAP, JROWS, LIVE, REC, TOUCHED, WIDTH
from tidelog.kernel.memory import compiled, load, store
from tidelog.kernel.relation import touch


@compiled
def empty(directory, rel, first, end, only, cleared, uncounted):
    """Clear flags of the records [first, end) in use that have a flag of ``only``; ``uncounted`` (1): no supports.

    Returns the first row that was not processed, because the journal has no room, or ``end``.
    """
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    for row in range(first, end):
        at = row * width + arity
        state = load(records, at)
        if state & LIVE == 0 or state & only == 0:
            continue
        if state & TOUCHED == 0:
            if directory[rel, JROWS] >= directory[rel, JCAP]:
                return row
            state = touch(directory, rel, row, state, load(records, at + 1))
        store(records, at, state & ~cleared)
        if uncounted == 1:
            store(records, at + 1, 0)
    return end
