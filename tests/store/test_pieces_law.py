"""The central law on several partitions with restarts anywhere, and every epoch read again in one process.

It notices what a piece leaves out or brings back wrong on its partition: ranks, counts, strata, clocks, placements,
exposed values, symbols; and facts that a reader of all pieces loses or sees twice. It cannot notice a difference that
no later epoch and no invariant depends on.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.store.disks import MemoryDisk, MemoryStore
from tests.store.test_law import check, commit, rows_of
from tidelog import Engine
from tidelog.engine.base.location import EngineLocation, OpenedRuntime
from tidelog.engine.engine import core_of
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.runtime.many.coordinator import Coordinator
from tidelog.runtime.many.local import LocalNodes
from tidelog.runtime.node.node import RANK_LIMIT
from tidelog.store import Durable
from tidelog.testing import FEATURES, State, random_changes, random_program

SEEDS = int(os.environ.get("TIDELOG_RESTARTS", "6"))


def reopened(disk: MemoryDisk, db: Engine, rng: random.Random) -> tuple[MemoryDisk, Engine]:
    """The same engine after the process or the machine stopped."""
    left = disk.after_kill() if rng.random() < 0.5 else disk.after_power_loss()
    again = Engine(path=MemoryStore(left))
    before, after = db.state(), again.state()
    assert {n: f for n, f in after.facts.items() if f} == {n: f for n, f in before.facts.items() if f}
    for mine, other in zip(after.parts, before.parts, strict=True):
        assert {n: f for n, f in mine.items() if f} == {n: f for n, f in other.items() if f}
    return left, again


@pytest.mark.parametrize("seed", range(300, 300 + SEEDS))
def test_restarts_anywhere_make_no_difference_on_several_partitions(seed: int) -> None:
    rng = random.Random(seed)
    program = random_program(rng, FEATURES)
    disk, state = MemoryDisk(), State.start(program)
    db = Engine(program, path=MemoryStore(disk), partitions=2 + seed % 2)
    models = {db.epoch_number: state}
    for changes in random_changes(rng, program, 6, FEATURES):
        if rng.random() < 0.3:
            db.snapshot()
        if rng.random() < 0.6 and db.epoch_number:
            disk, db = reopened(disk, db, rng)
            check(db, state)
        state = state.after(changes)
        commit(db, changes)
        check(db, state)
        models[db.epoch_number] = state
    for number, then in models.items():
        if number:
            _check_reader(Engine(path=MemoryStore(disk), at=number), then, rng)


def _check_reader(reader: Engine, then: State, rng: random.Random) -> None:
    """Facts are those of the epoch, and every fact has a proof."""
    for name, rows in then.model().items():
        assert rows_of(reader, name) == set(rows), name
        for row in rng.sample(sorted(rows, key=repr), min(1, len(rows))):
            assert str(reader.why((name, row)))


@pytest.mark.parametrize("seed", range(400, 404))
def test_the_change_feed_of_several_partitions_adds_up_to_the_view_at_every_epoch(seed: int) -> None:
    rng = random.Random(seed)
    program = random_program(rng, FEATURES)
    disk = MemoryDisk()
    db = Engine(program, path=MemoryStore(disk), partitions=2)
    for changes in random_changes(rng, program, 5, FEATURES):
        commit(db, changes)
        if rng.random() < 0.5:
            disk, db = reopened(disk, db, rng)
    states = [Engine(path=MemoryStore(disk), at=number) for number in range(1, db.epoch_number + 1)]
    for name in db.relations:
        feed = db.changes(name)
        assert len(set(feed)) == len(feed)
        assert states[-1].changes(name) == feed
        rows: set[tuple[object, ...]] = set()
        for then in states:
            for change in feed:
                if change.epoch == then.epoch_number:
                    (rows.add if change.sign > 0 else rows.remove)(change.fact)
            assert rows == rows_of(then, name), (name, then.epoch_number)


@pytest.mark.parametrize("seed", range(500, 506))
def test_ranks_that_a_resident_partition_closes_up_are_the_same_after_a_restart(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidelog.engine.engine.open_runtime", _resident)
    rng = random.Random(seed)
    program = random_program(rng, FEATURES)
    disk, state = MemoryDisk(), State.start(program)
    db = Engine(program, path=MemoryStore(disk))
    for changes in random_changes(rng, program, 8, FEATURES):
        if rng.random() < 0.3 and db.epoch_number:
            db.snapshot()
        if rng.random() < 0.4 and db.epoch_number:
            disk = disk.after_kill()
            db = Engine(path=MemoryStore(disk))
            check(db, state)
        if rng.random() < 0.5:
            (service,) = core_of(db).runtime.nodes.services
            service.node.partition.raise_clock(
                service.node.partition.clock + RANK_LIMIT + 1
            )  # a commit closes ranks up
        state = state.after(changes)
        commit(db, changes)
        check(db, state)
    for name in [name for name in disk.files if "/snapshots/" in name]:
        del disk.files[name]  # the logs alone give the same
    check(Engine(path=MemoryStore(disk)), state)


def _resident(where: EngineLocation) -> OpenedRuntime:
    """One partition that keeps a piece, as on Spark, but in this process."""
    assert where.path is not None
    dictionary, durable = Dictionary(), Durable.open(where.path, where.at, None, lambda _: 1)
    nodes = LocalNodes(where.functions, 1, dictionary)
    runtime = Coordinator(where.functions, nodes, dictionary)
    runtime.open_state(durable)
    return OpenedRuntime(runtime, durable, None, durable.offsets, where.functions, where)
