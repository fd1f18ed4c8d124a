"""The groups of a min or max in a state that was read: each must show one of its own candidates.

Law: the kernel uses the number that a group holds as a row of candidates, unchecked. So it is checked before: every
group shows a candidate that exists, that is exposed, and whose columns are the group's; every exposed candidate is
shown; and there are no groups of a rule that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from tidelog.partition.base import partition_failures as failures
from tidelog.partition.code.assemble import SHOWN, Choice
from tidelog.partition.memory.records import COUNTS, STATE, exposed, in_use, present

if TYPE_CHECKING:
    from tidelog.partition.memory.relations import Relations


def check_shown(relations: Relations, choices: Iterable[Choice]) -> None:
    """Raise StateError if a group shows a row that is not one of its candidates."""
    known = {choice.shown: choice for choice in choices}
    for name, number in relations.numbers.items():
        if name.startswith(SHOWN) and relations.live(number):
            found = _wrong(relations, known.get(number), number)
            if found:
                raise failures.NOT_SHOWN.error(rule=name.removeprefix(SHOWN), what=found)


def _wrong(relations: Relations, choice: Choice | None, number: int) -> str:
    """What is wrong with the groups of a rule; empty if nothing is."""
    if choice is None:
        return "no such rule takes a min or max"
    groups = relations.records(number)
    groups = groups[in_use(groups)]
    candidates = relations.records(choice.candidates)
    rows = groups[:, COUNTS] - 1
    if len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < len(candidates):
        return "a group shows a row that does not exist"
    chosen = candidates[rows]
    if not (exposed(chosen) & present(chosen)).all():
        return "a group shows a candidate that is not exposed"
    if len(choice.group) != groups.shape[1] + STATE or (chosen[:, list(choice.group)] != groups[:, :STATE]).any():
        return "a group shows a candidate of another group"
    if len(np.unique(rows)) != len(rows) or np.count_nonzero(exposed(candidates) & in_use(candidates)) != len(rows):
        return "a candidate is exposed that no group shows"
    return ""
