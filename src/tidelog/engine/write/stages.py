"""The road of an epoch: the stages that the rules in force need, chosen when the rules change.

Law: a stage that is left out would have done nothing. An epoch is plain if it changes only rows of Python, of relations
whose columns are known, at no particular time; it passes through the stages of `Road.stages`. Any other epoch passes
through `EVERY_STAGE`. Which checks an epoch needs after it ran depends on the rules after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.core.core import Core
from tidelog.engine.read.report import row_text
from tidelog.engine.write.epoch import CollectedChanges
from tidelog.engine.write.prepare import (
    EVERY_STAGE,
    PreparedEpoch,
    Stage,
    encode,
    plan_rows,
    replace_keys,
    sum_signs,
    take_rows,
)
from tidelog.io.rows import Data
from tidelog.kernel.cells import Cells
from tidelog.partition.base.partition_failures import UNORDERED
from tidelog.partition.memory.keys import base_keys, check_keys, check_new_keys
from tidelog.plan.plan_epoch import Planner
from tidelog.plan.ruleset import Ruleset
from tidelog.program.checks.order import expected_step
from tidelog.program.graph.asserted_facts import users_name
from tidelog.program.graph.constraint import is_hidden
from tidelog.program.graph.well_founded import UNDEFINED
from tidelog.runtime.base.outcome import EpochOutcome

Check = Callable[[Core, PreparedEpoch, EpochOutcome], None]


@dataclass(frozen=True, slots=True)
class Road:
    """The stages and checks of epochs under some rules."""

    rules: Ruleset
    planner: Planner
    is_ready: bool  # whether the partitions have all relations
    stages: tuple[Stage, ...] | None  # of plain epochs; None: no epoch is plain
    checks: tuple[Check, ...]  # after the run
    admitted: set[str] = field(default_factory=set)  # relations that users may change
    settled: dict[str, int] = field(default_factory=dict)  # by relation the number of its columns; -1: not settled

    def stages_for(self, core: Core, collected: CollectedChanges) -> tuple[Stage, ...]:
        """The stages that an epoch passes through."""
        is_plain = (
            self.stages is not None
            and not collected.arrivals
            and not collected.changes_rules
            and collected.at is None
            and not core.times.governed
            and all(self._is_plain(name, data) for _, name, data in collected.facts)
        )
        return self.stages if is_plain and self.stages is not None else EVERY_STAGE

    def _is_plain(self, name: str, data: Data) -> bool:
        width = self.settled.get(name)
        if width is None:
            width = self.settled[name] = _settled_width(self.rules, name)
        return (
            len(data.columns) == width
            and data.names is None
            and data.nulls is None
            and data.until is None
            and all(type(column) is list for column in data.columns)
        )


def road_of(core: Core, rules: Ruleset) -> Road:
    """The road of epochs that result in these rules; that of the rules in force is kept."""
    road: Road | None = core.road
    planner = core.planner
    is_kept = road is not None and road.rules is rules and road.planner is planner
    if road is not None and is_kept and (road.is_ready or not planner.has_relations(rules)):
        return road
    is_ready = rules is core.rules and planner.has_relations(rules)
    road = Road(rules, planner, is_ready, _stages(core, rules) if is_ready else None, _checks(rules))
    if rules is core.rules:
        core.road = road
    return road


def _stages(core: Core, rules: Ruleset) -> tuple[Stage, ...] | None:
    """The stages of plain epochs; None if relations have lifetimes or the engine has a clock."""
    if rules.retentions or core.times.clock is not None:
        return None
    keys = (replace_keys,) if base_keys(rules.program) else ()
    return (take_rows, encode, sum_signs, *keys, plan_rows)


def _settled_width(rules: Ruleset, name: str) -> int:
    """The number of columns of a relation about which rows of Python add no information, or -1."""
    types = rules.schema.get(name)
    if types is None or name not in rules.known or name in rules.asserted_elsewhere or name in rules.origins:
        return -1
    is_bound = all((name, place) in rules.bound for place in range(len(types)))
    return -1 if not is_bound or None in types or "timestamp" in types else len(types)


def _checks(rules: Ruleset) -> tuple[Check, ...]:
    keys = (_check_keys,) if rules.program.keys else ()
    orders = (_check_orders,) if rules.orders else ()
    readers = (_check_undefined,) if rules.cycle_readers else ()
    return (*keys, *orders, *readers)


def _check_keys(core: Core, prepared: PreparedEpoch, outcome: EpochOutcome) -> None:
    """Refuse an epoch that violates the key of a relation with rules (D9), or a key that the epoch adds."""
    program = prepared.rules.program
    text = row_text(core, prepared.rules)
    check_keys(program, core.runtime.facts.rows_with_keys, outcome.changes, text)
    check_new_keys(core.rules.program, program, lambda name: _held(core, prepared, name), outcome.changes, text)


def _held(core: Core, prepared: PreparedEpoch, name: str) -> Cells:
    """The rows of a relation before the epoch; none if it is new."""
    if name in core.schema and name not in prepared.work.renewed:
        return core.runtime.facts.rows(name)
    return np.zeros((0, len(prepared.rules.schema.get(name, ()))), np.int64)


def _check_orders(core: Core, prepared: PreparedEpoch, outcome: EpochOutcome) -> None:
    """Refuse an epoch in which a step of a recursion with witnesses does not make the value worse."""
    for name, rule in prepared.rules.orders.items():
        if name in outcome.changes and len(outcome.changes[name][0]):
            step = core.dictionary.decode(int(outcome.changes[name][0][0][-1]), prepared.rules.schema[name][-1])
            raise UNORDERED.error(label=rule.users_label, step=step, wanted=expected_step(rule))


def _check_undefined(core: Core, prepared: PreparedEpoch, outcome: EpochOutcome) -> None:
    """Refuse an epoch after which a rule would read a relation with undefined facts."""
    rules = prepared.rules
    for relation, reader in sorted(rules.cycle_readers.items()):
        name = f"{UNDEFINED}{relation}"
        none: Cells = np.zeros((0, len(rules.schema[name])), np.int64)
        inserted, deleted = outcome.changes.get(name, (none, none))
        rows = list(map(tuple, inserted.tolist()))
        if relation not in core.rules.cycle_readers:
            gone = set(map(tuple, deleted.tolist()))
            rows += [row for row in map(tuple, _held(core, prepared, name).tolist()) if row not in gone]
        if rows:
            fact = row_text(core, rules)(relation, np.array(rows[0], np.int64))
            shown = "a constraint" if is_hidden(reader) else f"`{users_name(reader) or reader}`"
            raise failures.UNDEFINED_READ.error(relation=relation, count=len(rows), fact=fact, reader=shown)
