"""The law with other numbers of partitions in between: in a running engine, and when a state folder is opened.

It notices facts that are lost or doubled on their way, ranks and counts that do not fit the rules as they run now, what
groups show, and history that is read with the wrong number. It cannot notice a difference that no invariant and no
later epoch depends on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random

import pytest

from tests.law.harness import Case, check, check_feed, commit
from tests.law.share import share
from tests.store.disks import MemoryDisk, MemoryStore
from tests.store.test_law import rows_of
from tidelog import Engine
from tidelog.engine.open import repartition as engine_repartition
from tidelog.rewrite.place.heavy import HeavyColumns
from tidelog.store.image import skew
from tidelog.store.image.reshare import MergedRecords
from tidelog.testing import State

CASES = share(20, 10)
BLOCK = min(6, CASES)
NUMBERS = (1, 2, 3, 5)


@pytest.mark.parametrize("kind", ["plain", "all", "structures"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_a_running_engine_gets_other_numbers_of_partitions(kind: str, first: int) -> None:
    for seed in range(first, first + BLOCK):
        rng, case = Random(seed), Case.random(seed, kind)
        with Engine(case.program, partitions=rng.choice(NUMBERS)) as db:
            state = State.start(case.program)
            before = check(db, state)
            for change in case.changes:
                number = db.epoch_number
                told = db.repartition(rng.choice(NUMBERS))
                assert db.epoch_number == number + (not told.startswith("there are"))
                check(db, state)
                state = state.after(change)
                epoch = commit(db, change, case.program.convention)
                after = check(db, state)
                check_feed(epoch, before, after)
                before = after


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_a_state_opens_with_any_number_of_partitions_and_keeps_its_history(kind: str, first: int) -> None:
    for seed in range(700 + first, 700 + first + BLOCK):
        rng, case = Random(seed), Case.random(seed, kind)
        disk, state = MemoryDisk(), State.start(case.program)
        db = Engine(case.program, path=MemoryStore(disk), partitions=rng.choice(NUMBERS))
        models = {}
        for change in case.changes:
            if rng.random() < 0.3:
                db.snapshot()
            if rng.random() < 0.7:
                disk = disk.after_kill() if rng.random() < 0.5 else disk.after_power_loss()
                db = Engine(path=MemoryStore(disk), partitions=rng.choice((None, *NUMBERS)))
                check(db, state)
                models[db.epoch_number] = state
            elif rng.random() < 0.5:
                db.repartition(rng.choice(NUMBERS))
                models[db.epoch_number] = state
            state = state.after(change)
            commit(db, change, case.program.convention)
            check(db, state)
            models[db.epoch_number] = state
        _check_history(db, disk, models)


@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_relations_that_lie_unevenly_are_placed_otherwise(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skew, "FEW", 2)
    again = 0
    for seed in range(900 + first, 900 + first + BLOCK):
        rng, case = Random(seed), Case.random(seed, "all")
        with Engine(case.program, partitions=3) as db:
            state = State.start(case.program)
            for change in case.changes:
                told = db.repartition(rng.choice((2, 3)))
                again += not told.startswith("there are")
                check(db, state)
                state = state.after(change)
                commit(db, change, case.program.convention)
                check(db, state)
    assert again > BLOCK


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_whatever_is_taken_for_heavy_or_small_the_facts_are_the_same(
    kind: str, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = 0
    for seed in range(1300 + first, 1300 + first + BLOCK):
        rng, case = Random(seed), Case.random(seed, kind)
        monkeypatch.setattr(engine_repartition, "heavy_columns", partial(taken_for_heavy, rng))
        with Engine(case.program, partitions=3) as db:
            state = State.start(case.program)
            for change in case.changes:
                told = db.repartition(3)
                again += not told.startswith("there are")
                check(db, state)
                state = state.after(change)
                commit(db, change, case.program.convention)
                check(db, state)
    assert again > BLOCK


def taken_for_heavy(rng: Random, whole: MergedRecords, names: Sequence[str], partitions: int) -> HeavyColumns:
    """Some columns of some relations, but never all of one, and some relations that are small beside others."""
    widths = {name: facts.shape[1] for name in names if (facts := whole.sample(name, 1, 1)) is not None}
    heavy = {name: rng.sample(range(n), rng.randrange(1, n)) for name, n in widths.items() if n > 1}
    return HeavyColumns(heavy, {name: [other for other in names if rng.random() < 0.7] for name in heavy})


def test_a_relation_that_no_rule_speaks_of_stays_where_it_is() -> None:
    rule = "p(Z) :- q(X, Y), r(Y), Z = X + 1, !s(Z)."
    with Engine(f"a: {rule}", partitions=3) as db:
        with db.epoch() as e:
            e.insert("q", [(i, i + 1) for i in range(20)])
            e.insert("r", [(i,) for i in range(20)])
        with db.epoch() as e:
            e.remove_rule("a")
        for count in (2, 1, 3):
            db.repartition(count)
            with db.epoch() as e:
                e.add_rule(rule, label=f"b{count}")
            assert len(db["p"]) == 19
            with db.epoch() as e:
                e.remove_rule(f"b{count}")


def _check_history(db: Engine, disk: MemoryDisk, models: dict[int, State]) -> None:
    """Every epoch is read as it was, and the feeds of all relations add up to it."""
    readers = {number: Engine(path=MemoryStore(disk), at=number) for number in models if number}
    for number, reader in readers.items():
        for name, rows in models[number].model().items():
            assert rows_of(reader, name) == set(rows), (number, name)
    for name in db.relations:
        rows: set[tuple[object, ...]] = set()
        feed = db.changes(name)
        assert len(set(feed)) == len(feed), name
        for number in range(1, db.epoch_number + 1):
            for change in feed:
                if change.epoch == number:
                    (rows.add if change.sign > 0 else rows.remove)(change.fact)
            if number in readers:
                assert rows == rows_of(readers[number], name), (name, number)
