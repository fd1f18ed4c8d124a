"""The journal of an epoch: the records that it touched, and their state after a commit.

Law: the journal of a relation has every record that the epoch touched, as it was before; in a relation that was empty
before, every record is touched, and no journal is kept. A fact that was suspended and revived, or lost one support and
gained another, is not a change; the remaining changes are the net change. In a counted relation, whose only readers are
folds, a fact with more or fewer supports is one, too: it is among the inserted items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tidelog.errors import EvaluationError
from tidelog.kernel import layout as at
from tidelog.kernel import settle
from tidelog.kernel.cells import Cells
from tidelog.partition.base.net_changes import NetChange
from tidelog.partition.base.partition_failures import TOO_MANY_SUPPORTS
from tidelog.partition.memory.records import COUNTS, STATE, Mask, asserted, present, present_now
from tidelog.partition.memory.relations import BRIEF, Relations
from tidelog.rewrite.names import in_words, is_auxiliary

NOTHING: Cells = np.zeros(0, np.int64)


class Items:
    """The net change of a relation, as items: relation << 32 | row.

    Facts inserted into a relation that was empty are searched on request, until the next epoch begins.
    """

    __slots__ = ("_find", "_inserted", "deleted")

    def __init__(self, inserted: Cells, deleted: Cells, find: Callable[[], Cells] | None = None) -> None:
        self._inserted, self.deleted, self._find = inserted, deleted, find

    @property
    def inserted(self) -> Cells:
        """The inserted facts."""
        if self._find is not None:
            self._inserted, self._find = self._find(), None
        return self._inserted


def net_changes(relations: Relations, names: Iterable[str]) -> dict[int, Items]:
    """The net changes of the relations that changed in the running epoch, by number."""
    found: dict[int, Items] = {}
    for name in names:
        number = relations.numbers.get(name)
        if number is None:
            continue
        if relations.directory.item(number, at.FRESH):
            if settle.any_present(relations.directory, number):
                found[number] = Items(NOTHING, NOTHING, partial(_present_items, relations, number))
        elif count := relations.directory.item(number, at.JROWS):
            inserted, deleted = np.empty(count, np.int64), np.empty(count, np.int64)
            find = settle.net_changes.when_brief(count <= BRIEF)
            plus, minus = find(relations.directory, number, 0, inserted, deleted)
            if plus or minus:
                found[number] = Items(inserted[:plus], deleted[:minus])
    return found


def _present_items(relations: Relations, number: int) -> Cells:
    """All facts of a relation that are present now."""
    found = np.empty(relations.directory.item(number, at.ROWS), np.int64)
    return found[: settle.present_items(relations.directory, number, found)]


def too_many_supports(name: str) -> EvaluationError:
    """The error for a fact of a relation whose supports are too many to be counted."""
    return TOO_MANY_SUPPORTS.error(what=in_words(name) if is_auxiliary(name) else f"`{name}`")


def count_changes(relations: Relations, number: int) -> tuple[Cells, Cells]:
    """The rows of facts that have more or fewer supports than before the epoch, and how many more."""
    entries = _entries(relations, number)
    rows, now = entries[:, 0], _counts_now(relations, number, entries)
    if (now < 0).any():
        raise too_many_supports(relations.names[number])
    more = now - _counts_before(entries)
    changed = more != 0
    return rows[changed], more[changed]


def counts_before(relations: Relations, number: int) -> tuple[Cells, Cells]:
    """The rows of facts that were present before the epoch and have lost supports or gained some, and how many less."""
    entries = _entries(relations, number)
    entries = entries[entries[:, 1] != 0]
    less = _counts_before(entries) - (relations.records(number)[entries[:, 0], COUNTS] >> 32)
    changed = less != 0
    return entries[changed, 0], less[changed]


def _counts_before(entries: Cells) -> Cells:
    """The supports of facts before the epoch, by journal entry."""
    return np.where(entries[:, 1] != 0, entries[:, 2] >> 32, 0)


def _counts_now(relations: Relations, number: int, entries: Cells) -> Cells:
    """The supports of present facts, by journal entry."""
    records = relations.records(number)[entries[:, 0]]
    return np.where(present_now(records), records[:, COUNTS] >> 32, 0)


def touched_relations(relations: Relations) -> list[int]:
    """The numbers of the relations in which the epoch touched records."""
    directory = relations.directory[: len(relations.names)]
    touched = directory[:, at.JROWS] + directory[:, at.FRESH] * directory[:, at.ROWS]
    found: list[int] = touched.nonzero()[0].tolist()
    return found


def _entries(relations: Relations, number: int) -> Cells:
    """The touched records of a relation before the epoch: row, state, counts."""
    if not relations.directory[number, at.FRESH]:
        return relations.journal(number)
    rows = relations.records(number)[:, STATE].nonzero()[0]
    return np.stack([rows, np.zeros_like(rows), np.zeros_like(rows)], axis=1)


@dataclass(frozen=True, slots=True)
class TouchedRecords:
    """The touched records of a relation, as a commit will leave them, and what happened to each."""

    rows: Cells
    records: Cells
    inserted: Mask
    deleted: Mask
    stayed: Mask  # present before and now
    differs: Mask  # in rank, flags or counts
    asserted: Mask
    retracted: Mask


def touched_records(relations: Relations, number: int) -> TouchedRecords:
    """How the epoch that ran last, and is not committed, changed the records of a relation."""
    journal = _entries(relations, number)
    rows, state_before, counts_before = journal[:, 0], journal[:, 1], journal[:, 2]
    records = relations.records(number)[rows]
    now, before = present_now(records), state_before != 0
    based, based_before = now & asserted(records), before & ((state_before & at.BASE) != 0)
    settle_states(records)
    return TouchedRecords(
        rows,
        records,
        inserted=now & ~before,
        deleted=~now & before,
        stayed=now & before,
        differs=(records[:, STATE] != state_before) | (records[:, COUNTS] != counts_before),
        asserted=based & ~based_before,
        retracted=based_before & ~based,
    )


def assertions(relations: Relations, name: str) -> NetChange[Cells]:
    """The facts of a relation that the epoch that ran last, and is not committed, has asserted and has retracted."""
    touched = touched_records(relations, relations.numbers[name])
    columns = touched.records[:, :STATE]
    return NetChange(columns[touched.asserted], columns[touched.retracted])


def unmark(relations: Relations, items: Cells) -> None:
    """Remove the marks that batches set in records without a journal: those of old candidates to be shown next.

    ``items`` are those of the queue. A record that was touched while it was marked has the mark in its journal.
    """
    for number in np.unique(items >> 32).tolist():
        records, rows = relations.records(number), items[items >> 32 == number] & at.LOW32
        old = rows[present(records[rows])]
        records[old, STATE] = _unmarked(records[old, STATE])
    for number in relations.directory[: len(relations.names), at.JROWS].nonzero()[0].tolist():
        states = relations.journal(number)[:, 1]
        states[:] = np.where(states == 0, 0, _unmarked(states))


def _unmarked(states: Cells) -> Cells:
    """States of facts that were present before the epoch, as they are between epochs."""
    found: Cells = (states & ~at.BATCH) | at.VISIBLE
    return found


def settle_states(records: Cells) -> None:
    """Settle copies of records of present facts as the commit will."""
    records[:, STATE] = (records[:, STATE] & ~(at.TOUCHED | at.BATCH)) | at.OLD | at.VISIBLE


def new_rows(relations: Relations, number: int) -> Cells:
    """The rows of the facts that the epoch that ran last, and is not committed, has made present."""
    rows = _entries(relations, number)[:, 0]
    states = relations.records(number)[rows, STATE]
    found: Cells = rows[(states & (at.OLD | at.NEW)) == at.NEW]
    return found


def untouched_rows(records: Cells) -> Cells:
    """The rows of the facts that the epoch did not touch."""
    found: Cells = ((records[:, STATE] & (at.LIVE | at.TOUCHED)) == at.LIVE).nonzero()[0]
    return found
