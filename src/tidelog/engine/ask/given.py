"""Facts that are not stored: they are inserted or deleted, the result is read, and all is rolled back.

Law: the answers are those after a commit of the given changes (`what_if`), except that constraints are not checked.
Other readers see nothing of it and nothing remains, not even texts. It takes the turn between two epochs, for as long
as these changes take.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tidelog.engine.ask.what_if import trial_epoch
from tidelog.engine.base.own_limits import within
from tidelog.engine.read.look_up import at_one_epoch
from tidelog.engine.read.membership import contains_rows, encode, without_collisions
from tidelog.engine.write.commit import previewed

if TYPE_CHECKING:
    from tidelog.engine.ask.what_if import Trial
    from tidelog.engine.core.core import Core
    from tidelog.engine.write.epoch import Epoch
    from tidelog.kernel.cells import Cells
    from tidelog.partition.base.limits import Limits

Answers = dict[str, npt.NDArray[np.bool_]]


def contains(core: Core, facts: Mapping[str, object], given: Trial | None) -> Answers:
    """For each row of some relations, whether it is a fact, or would be one after some changes."""
    if given is not None:
        return contains_given(core, facts, trial_epoch(core, given))[0]
    return at_one_epoch(core, lambda: {name: contains_rows(core, name, rows) for name, rows in facts.items()})[0]


def contains_given(
    core: Core, facts: Mapping[str, object], given: Epoch, limits: Limits | None = None
) -> tuple[Answers, int]:
    """For each row of some relations, whether it would be a fact after the changes of an epoch; and the epoch before.

    The epoch is neither committed nor changed. ``limits`` apply to what it causes.
    """
    core.must_be_open()
    if core.durable is not None:
        core.durable.must_be_exact()
    with core.writing, within(lambda: core.runtime, limits):
        asked = {name: encode(core, name, rows) for name, rows in facts.items()}
        before = {name: core.runtime.facts.mark_facts(name, rows.cells) for name, rows in asked.items()}
        with previewed(core, given.collected, keeps_texts=False) as (_, outcome):
            answers: Answers = {}
            for name, rows in asked.items():
                found = before[name] != 0
                if name in outcome.changes:
                    plus, minus = outcome.changes[name]
                    found = (found | _among(rows.cells, plus)) & ~_among(rows.cells, minus)
                answers[name] = without_collisions(core, rows, found)
        return answers, core.number


def _among(rows: Cells, some: Cells) -> npt.NDArray[np.bool_]:
    """For each row, whether it is one of some rows."""
    if not len(some) or not len(rows):
        return np.zeros(len(rows), bool)
    if not rows.shape[1]:
        return np.ones(len(rows), bool)
    row_type = np.dtype((np.void, rows.itemsize * rows.shape[1]))
    own, others = (np.ascontiguousarray(each).view(row_type).ravel() for each in (rows, some))
    found: npt.NDArray[np.bool_] = np.isin(own, others)
    return found
