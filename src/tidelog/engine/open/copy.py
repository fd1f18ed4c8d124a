"""Separate engines for trials, from a state folder at an epoch.

Law: a copy has the base facts, rules and types of its original, and therefore its views; its changes are not visible
outside. A past epoch of several partitions is read into a single one, where its counts would be wrong: the copy is
rebuilt from the asserted facts, and its ranks are those of a new build.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.engine.base.committed_epoch import CommittedEpoch
from tidelog.engine.base.location import EngineLocation, OpenedRuntime
from tidelog.engine.core.core import Core
from tidelog.engine.open.open import open_runtime
from tidelog.engine.open.start import start
from tidelog.engine.read import members as read
from tidelog.engine.read.view import table_data
from tidelog.engine.write import commit
from tidelog.engine.write.epoch import CollectedChanges, Epoch
from tidelog.plan.plan_epoch import Planner
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Program
from tidelog.rewrite.names import is_auxiliary
from tidelog.runtime.one.embedded import EmbeddedRuntime

if TYPE_CHECKING:
    from tidelog.store.base.store import Store


@contextmanager
def alone(core: Core, relations: Iterable[str]) -> Iterator[Core]:
    """The engine itself, wherever its partitions are; a copy of some relations for a past epoch of several ones."""
    if core.durable is None or core.durable.writable or not core.durable.partitions:
        yield core
        return
    functions = core.opened.functions
    copy = _new(core, OpenedRuntime(EmbeddedRuntime(functions), None, None, {}, functions, EngineLocation(functions)))
    try:
        _fill(copy, core, relations)
        yield copy
    finally:
        copy.close()


@contextmanager
def at_epoch(core: Core, store: Store, epoch: int) -> Iterator[Core]:
    """The state folder of an engine as it was after an epoch."""
    found = _new(core, open_runtime(EngineLocation(core.opened.functions, path=store, at=epoch)))
    try:
        start(found, Program(convention=core.rules.program.convention))
        yield found
    finally:
        found.close()


def _new(core: Core, opened: OpenedRuntime) -> Core:
    """An empty engine with the convention of another."""
    runtime = opened.runtime
    planner = Planner(runtime.partitions, runtime.facts, lambda: runtime.node.groups)
    committed = CommittedEpoch(Ruleset(Program(convention=core.rules.program.convention), opened.functions), {}, 0, {})
    return Core(committed, (opened, planner), core.find_causes)


def _fill(copy: Core, core: Core, relations: Iterable[str]) -> None:
    """Commit one epoch with the rules of an engine and the base facts of some relations."""
    rules = core.rules
    bare = replace(rules.program, rules=(), facts=())
    copy.begin_with(Ruleset(bare, rules.functions, rules.used, rules.bound, rules.known, origins=rules.origins))
    epoch = Epoch(commit.Committer(copy))
    names = [name for name in relations if core.knows(name) and not is_auxiliary(name)]
    facts = [(1, name, table_data(read.asserted(core, name))) for name in names]
    epoch.collected = CollectedChanges(facts=facts, added=list(rules.program.rules), program=bare, timeless=True)
    commit.commit(copy, epoch, lawful=False)
