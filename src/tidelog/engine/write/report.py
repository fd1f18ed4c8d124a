"""Report to the user what an epoch did: its number, its changes and its cost.

Law: rows are read on request.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from tidelog.engine.core.core import Core
from tidelog.engine.read.report import Changes, EpochStatistics, fixed_rows, no_change, shown_types
from tidelog.engine.read.view import ChangeSet, data_frame_maker
from tidelog.engine.write.epoch import Epoch
from tidelog.kernel.cells import Cells
from tidelog.partition.base.net_changes import NetChange
from tidelog.plan.ruleset import Ruleset, Schema
from tidelog.rewrite.names import is_auxiliary
from tidelog.runtime.base.outcome import EpochOutcome


def report(
    core: Core,
    epoch: Epoch,
    outcome: EpochOutcome,
    schema: Schema,
    before: Schema,
    rules: Ruleset | None = None,
    *,
    hidden: Collection[str] = (),
) -> None:
    """Set the number, the changes and the cost of an epoch; ``schema`` is that of every relation it knows.

    ``before`` are the types of deleted rows where the epoch changed them, ``rules`` those of an epoch that is only
    tried: the column names of new relations come from there. The changes of ``hidden`` relations are not reported:
    these have other columns than before.
    """
    epoch.number = core.number
    old = {**schema, **before}

    def read(name: str) -> NetChange[Cells]:
        with core.serving():
            return outcome.changes[name]

    def change_of(name: str) -> Callable[[], ChangeSet]:
        def change() -> ChangeSet:
            inserted = fixed_rows(core, name, lambda: read(name)[0], schema, rules)
            deleted = fixed_rows(core, name, lambda: read(name)[1], old, rules)
            types = shown_types(inserted.types, deleted.types)
            frame = data_frame_maker(core, name, inserted.columns, types, outcome.changes)
            return ChangeSet(inserted, deleted, frame)

        return change

    in_force = core.rules

    def build() -> tuple[Changes, EpochStatistics]:
        changed = [name for name in sorted(outcome.changes) if not is_auxiliary(name) and name not in hidden]
        changes = Changes({name: change_of(name) for name in changed}, lambda name: no_change(core, name))
        statistics = EpochStatistics(
            outcome.seconds,
            _supports_by_label(outcome.supports, in_force),
            outcome.suspended,
            outcome.revived,
            tuple(outcome.strata),
            outcome.messages,
            outcome.exchanges,
            outcome.replans,
        )
        return changes, statistics

    epoch.report(build)


def _supports_by_label(counted: Mapping[str, int], rules: Ruleset) -> dict[str, int]:
    """The supports of core rules, added up by the labels of the user's rules."""
    supports: dict[str, int] = {}
    for label, count in counted.items():
        rule = rules.core.get(label)
        if rule is None and is_auxiliary(label):  # a copy that several rules may share
            continue
        name = label if rule is None else rule.users_label or label
        supports[name] = supports.get(name, 0) + count
    return supports
