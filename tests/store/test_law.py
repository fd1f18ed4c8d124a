"""The central law with restarts anywhere: incremental equals from scratch, whatever was opened again in between.

It notices what a file leaves out or brings back wrong: ranks, counts, strata, the clock, exposed values, labels, types.
It cannot notice a difference that no later epoch and no invariant depends on.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.store.disks import MemoryDisk, MemoryStore
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.program.values.state import EngineState
from tidelog.testing import FEATURES, EpochChanges, State, random_changes, random_program
from tidelog.testing.invariants import violations

SEEDS = int(os.environ.get("TIDELOG_RESTARTS", "8"))


def commit(db: Engine, changes: EpochChanges) -> None:
    with db.epoch() as e:
        for relation, row in changes.inserts:
            e.insert(relation, [row])
        for relation, row in changes.deletes:
            e.delete(relation, [row])
        for label in changes.remove_labels:
            e.remove_rule(label)
        e.collected.added.extend(changes.add_rules)


def rows_of(db: Engine, name: str) -> set[tuple[object, ...]]:
    return set(db[name].rows() if name in db.relations else ())


def held(state: EngineState) -> dict[str, object]:
    """Facts with their ranks and counts, of the relations that have any."""
    return {name: facts for name, facts in state.facts.items() if facts}


def check(db: Engine, state: State) -> None:
    for name, rows in state.model().items():
        assert rows_of(db, name) == set(rows), name
    assert not violations(db.state())


@pytest.mark.parametrize("seed", range(SEEDS))
def test_restarts_anywhere_make_no_difference(seed: int) -> None:
    rng = random.Random(seed)
    program = random_program(rng, FEATURES)
    disk, state = MemoryDisk(), State.start(program)
    db = Engine(program, path=MemoryStore(disk))
    models = {db.epoch_number: state}
    for changes in random_changes(rng, program, 6, FEATURES):
        if rng.random() < 0.3:
            db.snapshot()
        if rng.random() < 0.6:
            disk = disk.after_kill() if rng.random() < 0.5 else disk.after_power_loss()
            before, db = db.state(), Engine(path=MemoryStore(disk))
            assert held(db.state()) == held(before)
            check(db, state)
        state = state.after(changes)
        commit(db, changes)
        check(db, state)
        models[db.epoch_number] = state
    for number, then in models.items():
        if number:
            check(Engine(path=MemoryStore(disk), at=number), then)


@pytest.mark.parametrize("seed", range(100, 104))
def test_the_change_feed_adds_up_to_the_view_at_every_epoch(seed: int) -> None:
    rng = random.Random(seed)
    program = random_program(rng, FEATURES)
    disk = MemoryDisk()
    db = Engine(program, path=MemoryStore(disk))
    for changes in random_changes(rng, program, 5, FEATURES):
        commit(db, changes)
        if rng.random() < 0.5:
            db = Engine(path=MemoryStore(disk.after_kill()))
            disk = core_of(db).durable.store.disk  # type: ignore[union-attr]  # the disk that this engine writes to
    last = Engine(path=MemoryStore(disk), at=-1)
    states = [Engine(path=MemoryStore(disk), at=number) for number in range(1, last.epoch_number + 1)]
    for name in last.relations:
        feed = last.changes(name)
        assert len(set(feed)) == len(feed)
        rows: set[tuple[object, ...]] = set()
        for then in states:
            for change in feed:
                if change.epoch == then.epoch_number:
                    (rows.add if change.sign > 0 else rows.remove)(change.fact)
            assert rows == rows_of(then, name), (name, then.epoch_number)


@pytest.mark.parametrize("seed", range(200, 204))
def test_ranks_that_are_closed_up_are_the_same_after_replay(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.runtime.node.node.RANK_LIMIT", 12)
    rng = random.Random(seed)
    program = random_program(rng, FEATURES)
    disk, state = MemoryDisk(), State.start(program)
    db = Engine(program, path=MemoryStore(disk))
    for changes in random_changes(rng, program, 6, FEATURES):
        state = state.after(changes)
        commit(db, changes)
        again = Engine(path=MemoryStore(disk), at=-1)
        assert held(again.state()) == held(db.state())
        check(again, state)
    assert core_of(db).runtime.node.partition.clock == core_of(again).runtime.node.partition.clock


def test_the_clock_survives_a_restart() -> None:
    """x1 :- x0, x2 :- x1, h :- x2, x1 :- h; +h; +x0; restart; -h; -x0: a clock that is lost keeps x1 alive for ever."""
    disk = MemoryDisk()
    db = Engine("x1(X) :- x0(X). x2(X) :- x1(X). h(X) :- x2(X). x1(X) :- h(X).", path=MemoryStore(disk))
    for name in ("h", "x0"):
        with db.epoch() as e:
            e.insert(name, [(1,)])
    for name in ("h", "x0"):
        db = Engine(path=MemoryStore(disk))
        with db.epoch() as e:
            e.delete(name, [(1,)])
    assert not any(len(db[name]) for name in db.relations)
