"""The journal of an epoch: the records that it touched, and what a commit will make of them.

Law: the journal of a relation names every record that the epoch touched, as it was before. A fact that was suspended
and revived, or lost one support and gained another, is no change; what is left is the net change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel import support
from tidelog.kernel.cells import Cells
from tidelog.partition.net import NetChange
from tidelog.partition.records import COUNTS, STATE, Mask, asserted, present_now
from tidelog.partition.relations import Relations

NOTHING: Cells = np.zeros(0, np.int64)


Items = NetChange[Cells]  # facts as relation << 32 | row


def net_changes(relations: Relations, names: Iterable[str]) -> dict[int, Items]:
    """The net changes in the epoch that runs of those relations that changed, by number."""
    found: dict[int, Items] = {}
    for name in names:
        number = relations.numbers.get(name)
        count = 0 if number is None else relations.directory.item(number, at.JROWS)
        if number is not None and count:
            inserted, deleted = np.empty(count, np.int64), np.empty(count, np.int64)
            plus, minus = support.net_changes(relations.directory, number, 0, inserted, deleted)
            if plus or minus:
                found[number] = NetChange(inserted[:plus], deleted[:minus])
    return found


def touched_relations(relations: Relations) -> list[int]:
    """The numbers of the relations of which the epoch touched records."""
    found: list[int] = relations.directory[: len(relations.names), at.JROWS].nonzero()[0].tolist()
    return found


@dataclass(frozen=True, slots=True)
class TouchedRecords:
    """The touched records of a relation, as the commit will leave them, and what happened to each."""

    rows: Cells
    records: Cells
    inserted: Mask
    deleted: Mask
    stayed: Mask  # present before and now
    differs: Mask  # in rank, flags or counts
    asserted: Mask
    retracted: Mask


def touched_records(relations: Relations, number: int) -> TouchedRecords:
    """What the epoch that ran last, and is not committed, made of the records of a relation."""
    journal = relations.journal(number)
    rows, state_before, counts_before = journal[:, 0], journal[:, 1], journal[:, 2]
    records = relations.records(number)[rows]
    now, before = present_now(records), state_before != 0
    based, based_before = now & asserted(records), before & ((state_before & at.BASE) != 0)
    records[:, STATE] = (records[:, STATE] & ~(at.TOUCHED | at.BATCH)) | at.OLD | at.VISIBLE
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


def untouched_rows(records: Cells) -> Cells:
    """The rows of the facts that the epoch did not touch."""
    found: Cells = ((records[:, STATE] & (at.LIVE | at.TOUCHED)) == at.LIVE).nonzero()[0]
    return found
