"""Firing: plans are run for the facts that trigger them, and the messages that they send are applied.

Law: a fact of relation R fires ``plans[first:last]`` where ``spans[R] = (first, last)``; the spans of relations that
trigger nothing are empty, before and after. The error for a value that cannot be computed names the rule that needs it;
the error for an abandoned epoch names the rule that ran.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from tidelog.errors import EpochInterrupted, EvaluationError, LimitError
from tidelog.kernel.cells import Cells
from tidelog.partition.code.stratum import RuleCode, Triggers
from tidelog.partition.memory.journal import NOTHING
from tidelog.partition.phases.partition import Partition
from tidelog.partition.phases.running_rule import OutOfMemory, running_rule

WHOLE_ITEM: Cells = np.full(1, -1, np.int64)
WHOLE_SPAN: Cells = np.array([[0, 1]], np.int64)


def fire(partition: Partition, phase: int, triggers: Triggers, items: list[Cells], sign: int) -> bool:
    """Fire the plans that some changed facts trigger; False if that was abandoned (`rebuild_cost`)."""
    batch = joined(items) if items else NOTHING
    if not len(batch):
        return True
    spans = _fill_spans(partition, triggers)
    partition.machine.firing = True
    try:
        return partition.machine.fire(phase, batch, spans, triggers.plans, sign)
    except BaseException as error:
        _raise_with_rule(partition, error)
    finally:
        partition.machine.firing = False
        _empty_spans(spans, triggers)


def fire_queue(partition: Partition, phase: int, triggers: Triggers, sign: int) -> bool:
    """Fire the queue, including facts added meanwhile, until it is empty; False if that was abandoned."""
    if not partition.machine.has_work:
        return True
    spans = _fill_spans(partition, triggers)
    partition.machine.firing = True
    try:
        return partition.machine.run_queue(phase, spans, triggers.plans, sign)
    except BaseException as error:
        _raise_with_rule(partition, error)
    finally:
        partition.machine.firing = False
        _empty_spans(spans, triggers)


def fire_whole(partition: Partition, code: RuleCode, phase: int, sign: int) -> None:
    """Fire a rule over all facts that its body sees in this phase."""
    plans: Cells = np.array([partition.replanner.place_whole(code)], np.int64)
    partition.machine.firing = True
    try:
        partition.machine.fire(phase, WHOLE_ITEM, WHOLE_SPAN, plans, sign)
    except BaseException as error:
        _raise_with_rule(partition, error)
    finally:
        partition.machine.firing = False


def joined(parts: list[Cells]) -> Cells:
    """The items of all parts."""
    full = [p for p in parts if len(p)]
    if len(full) == 1:
        return full[0]
    return np.concatenate(full) if full else NOTHING


def _fill_spans(partition: Partition, triggers: Triggers) -> Cells:
    relations = len(partition.relations.names)
    if relations > len(partition.spans):
        partition.spans = np.zeros((2 * relations, 2), np.int64)
    for number, first, last in triggers.ranges:
        partition.spans[number] = (first, last)
    return partition.spans


def _empty_spans(spans: Cells, triggers: Triggers) -> None:
    for number, _, _ in triggers.ranges:
        spans[number] = 0


def _raise_with_rule(partition: Partition, error: BaseException) -> NoReturn:
    """Raise an error again, with the rule of a value that cannot be computed, or the position of an abandoned epoch."""
    if isinstance(error, LimitError | EpochInterrupted):
        raise error.reworded(f"{error}{running_rule(partition) or ''}") from None
    if isinstance(error, KeyboardInterrupt):
        raise KeyboardInterrupt(str(running_rule(partition) or "")) from None
    if isinstance(error, MemoryError):
        raise OutOfMemory(str(running_rule(partition) or "")) from error
    if isinstance(error, EvaluationError):
        raise _with_rule(partition, error) from error
    raise error


def _with_rule(partition: Partition, error: EvaluationError) -> EvaluationError:
    code = partition.rules.numbered(partition.machine.current_rule())
    assert code is not None
    return error.reworded(f"rule {code.rule.users_label}: {error}; nothing was changed")
