"""Builds: what is loaded into empty relations leaves no journal, and indexes are linked when they are read.

Random histories as in `test_law.py`, each from an empty state, in which facts come and go within one epoch and first
loads fail in the middle; after every epoch, committed or undone, tables, indexes and journals are looked at from
outside: every fact is found once by each way there is, and nothing else is.
What this cannot notice: an index that is read too early and happens to be complete.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.kernel.test_ordered_index import rows_in_order
from tests.law.harness import Case, check, check_feed, commit
from tests.law.sabotage import interrupt, tiny_slices
from tests.law.share import share
from tests.law.test_rollback import make_fail
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.partition.memory.records import find_record, in_use, rows_with_key
from tidelog.partition.phases.partition import Partition
from tidelog.plan.steps import is_ordered
from tidelog.testing import State

CASES = share(8, 10)
CLOSURE = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."
NONLINEAR = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- reach(X,Y), reach(Y,Z)."


def partition_of(db: Engine) -> Partition:
    partition: Partition = core_of(db).runtime.node.partition
    return partition


def check_memory(db: Engine) -> None:
    """Every record is found once in its table and in each index of its relation that was read; no journal is left."""
    partition = partition_of(db)
    relations = partition.relations
    for number in range(len(relations.names)):
        records = relations.records(number)
        rows = np.flatnonzero(in_use(records))
        assert len(rows) == relations.live(number)
        assert relations.directory[number, at.JROWS] == 0
        assert [find_record(relations, number, records[row, :-2]) for row in rows] == rows.tolist()
        entries = relations.tables[number].cells
        assert sorted((entries[entries != 0] & at.LOW32) - 1) == rows.tolist()
    for (number, columns), index in relations.index_columns().items():
        if relations.is_unread(index):
            continue  # the first plan that reads it fills it
        assert not in_use(relations.records(number)[relations.indexes[index, at.LINKED] :]).any()
        check_index(partition, number, columns, index)


def check_index(partition: Partition, number: int, columns: tuple[int, ...], index: int) -> None:
    relations = partition.relations
    records = relations.records(number)
    rows = np.flatnonzero(in_use(records))
    if is_ordered(columns):
        assert sorted(rows_in_order(relations, index)) == rows.tolist()
        return
    by_key: dict[tuple[int, ...], list[int]] = {}
    for row in rows.tolist():
        by_key.setdefault(tuple(records[row, list(columns)].tolist()), []).append(row)
    assert relations.indexes[index, at.KEYS] == len(by_key)
    for key, expected in by_key.items():
        cells: Cells = np.array(key, np.int64)
        assert sorted(rows_with_key(relations, number, index, cells).tolist()) == expected


@pytest.mark.parametrize("seed", range(CASES))
@pytest.mark.parametrize("kind", ["plain", "all"])
def test_tables_and_indexes_are_whole_after_every_epoch(seed: int, kind: str) -> None:
    case, rng = Case.random(5 * 10**6 + seed, kind, epochs=3), Random(seed)
    db, state = Engine(case.program), State.start(case.program)
    before = check(db, state)
    check_memory(db)
    for change in case.changes:
        if make_fail(db, change, case.program.convention, rng):
            check_memory(db)
            epoch = commit(db, change, case.program.convention)
            state = state.after(change)
            after = check(db, state)
            check_feed(epoch, before, after)
        else:
            state = state.after(change)
            after = check(db, state)
        check_memory(db)
        before = after


def edges(count: int, nodes: int, seed: int) -> list[tuple[int, int]]:
    rng = Random(seed)
    return [(rng.randrange(nodes), rng.randrange(nodes)) for _ in range(count)]


@pytest.mark.parametrize("rules", [CLOSURE, NONLINEAR])
@pytest.mark.parametrize("number", [1, 7, 40])
def test_first_load_that_fails_in_the_middle_is_emptied(rules: str, number: int) -> None:
    db = Engine(rules)
    empty = db.state()
    with interrupt(db, number), pytest.raises(KeyboardInterrupt), db.epoch() as e:
        e.insert("edge", edges(120, 40, 1))
    assert db.state() == empty
    check_memory(db)
    with db.epoch() as e:
        e.insert("edge", edges(120, 40, 2))
    check_memory(db)
    again = Engine(rules)
    with again.epoch() as e:
        e.insert("edge", edges(120, 40, 2))
    assert set(db["reach"]) == set(again["reach"])
    assert db.verify()


@pytest.mark.parametrize("rules", [CLOSURE, NONLINEAR])
def test_first_load_writes_no_journal(rules: str) -> None:
    db = Engine(rules)
    with db.epoch() as e:
        e.insert("edge", edges(400, 60, 3))
    relations = partition_of(db).relations
    assert (relations.directory[: len(relations.names), at.JCAP] <= 16).all()
    assert len(e.changes["reach"].inserted) == len(db["reach"])
    assert not len(e.changes["reach"].deleted)


def test_facts_that_come_and_go_in_the_first_epoch_leave_no_record() -> None:
    # 5 is improved upon by 3 in the same epoch: its candidate and what followed from it go again
    db = Engine(
        "distance(X, min<C>) :- source(X), C = 0.distance(Y, min<C>) :- distance(X, D), road(X, Y, W), C = D + W."
    )
    with tiny_slices(1), db.epoch() as e:
        e.insert("source", [(1,)])
        e.insert("road", [(1, 2, 5), (2, 3, 1), (1, 4, 1), (4, 2, 2), (3, 5, 7)])
    assert set(db["distance"]) == {(1, 0), (2, 3), (3, 4), (4, 1), (5, 11)}
    check_memory(db)
    assert db.verify()


def test_relation_that_was_emptied_is_built_as_one_that_never_held_anything() -> None:
    db = Engine(CLOSURE)
    for seed in range(3):
        rows = edges(100, 30, seed)
        with db.epoch() as e:
            e.insert("edge", rows)
        relations = partition_of(db).relations
        with db.epoch() as e:
            e.delete("edge", list(set(rows)))
        assert len(db["reach"]) == 0
        assert (relations.directory[: len(relations.names), at.ROWS] == 0).all()
        check_memory(db)


def test_index_that_no_plan_of_the_build_reads_is_linked_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from tidelog.kernel import maintain
    from tidelog.partition.memory import relations as module

    db, seen = Engine(CLOSURE, threads=1), list[tuple[int, int, int]]()

    def note(directory: Cells, indexes: Cells, index: int) -> int:
        number = int(indexes[index, at.REL])
        seen.append((number, int(indexes[index, at.LINKED]), int(directory[number, at.ROWS])))
        status: int = maintain.catch_up(directory, indexes, index)
        return status

    monkeypatch.setattr(module, "catch_up", note)
    with db.epoch() as e:
        e.insert("edge", [(i, i + 1) for i in range(50)])
    number = partition_of(db).relations.numbers["reach"]
    assert (number, (0,)) in partition_of(db).relations.index_columns()
    assert next(found for found in seen if found[0] == number) == (number, 0, 1275)  # all rows there, none linked
    with db.epoch() as e:
        e.delete("edge", [(25, 26)])
    assert len(db["reach"]) == 26 * 25 // 2 + 25 * 24 // 2
    check_memory(db)


def test_state_folder_of_a_first_load_is_read_back(tmp_path: Path) -> None:
    rows = edges(300, 50, 4)
    with Engine(CLOSURE, path=tmp_path) as db:
        with db.epoch() as e:
            e.insert("edge", rows)
        with db.epoch() as e:
            e.delete("edge", rows[:5])
        found = set(db["reach"])
    with Engine(path=tmp_path) as again:
        assert set(again["reach"]) == found
        assert again.verify()
