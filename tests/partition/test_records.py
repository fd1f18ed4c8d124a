"""Records: what is asked of them by name is what the kernel's layout says; closing ranks keeps their order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.partition.memory.journal import net_changes, touched_records, touched_relations
from tidelog.partition.memory.records import (
    arity_of,
    asserted,
    cells_of,
    close_ranks,
    find_fact,
    in_use,
    is_asserted,
    low_counts,
    lowest_ranked,
    present,
    raise_ranks,
    rank,
    rank_base,
    rank_depth,
    ranks,
    rows_with_key,
    shown_records,
)
from tidelog.partition.phases.partition import Partition
from tidelog.runtime.one.embedded import EmbeddedRuntime

REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."


def partition_of(db: Engine) -> Partition:
    runtime = core_of(db).runtime
    assert isinstance(runtime, EmbeddedRuntime)
    return runtime.partition


def chain(length: int) -> Partition:
    db = Engine(REACH)
    with db.epoch() as e:
        e.insert("edge", [(i, i + 1) for i in range(length)])
    return partition_of(db)


def test_one_fact_and_many_are_told_alike() -> None:
    relations = chain(5).relations
    number = relations.numbers["reach"]
    records, base = relations.records(number), rank_base(relations, number)
    for row in np.flatnonzero(present(records)).tolist():
        assert find_fact(relations, number, cells_of(relations, number, row)) == row
        assert rank(relations, number, row) == ranks(records, base)[row]
        assert is_asserted(relations, number, row) == asserted(records)[row]
    assert arity_of(relations, number) == 2
    assert find_fact(relations, number, (4, 0)) == -1


def test_rows_with_a_key_are_all_of_them_however_many() -> None:
    db = Engine("p(X,Z) :- e(X,Y), f(Y,Z).")
    with db.epoch() as e:
        e.insert("f", [(i % 2, i) for i in range(300)])
        e.insert("e", [(7, 0)])
    relations = partition_of(db).relations
    number = relations.numbers["f"]
    rows = rows_with_key(relations, number, relations.index(number, (0,)), np.zeros(1, np.int64))
    assert sorted(cells_of(relations, number, row) for row in rows.tolist()) == [(0, i) for i in range(0, 300, 2)]


def test_closing_ranks_keeps_their_order_and_all_counts() -> None:
    partition = chain(6)
    number = partition.relations.numbers["reach"]
    records = partition.relations.records(number)
    before, low = ranks(records, rank_base(partition.relations, number)), low_counts(records)
    highest = close_ranks([(records, rank_base(partition.relations, number))])
    after = ranks(records, 0)
    assert in_use(records).all()
    assert np.array_equal(np.argsort(before, kind="stable"), np.argsort(after, kind="stable"))
    assert sorted({rank_depth(rank) for rank in after.tolist()}) == list(range(1, rank_depth(highest) + 1))
    assert after.max() <= highest
    assert np.array_equal(low, low_counts(records))


def test_of_several_copies_of_a_fact_the_lowest_ranked_is_kept() -> None:
    groups = np.array([[1, 1], [2, 1], [1, 1]], np.int64)
    records = shown_records(groups, np.array([5, 6, 7], np.int64))
    raise_ranks(records[:1], 3)
    assert lowest_ranked(records)[:, [0, 1, 3]].tolist() == [[1, 1, 8], [2, 1, 7]]


def test_the_journal_tells_what_inserted_deleted_and_was_asserted() -> None:
    db = Engine("p(X) :- q(X).")
    with db.epoch() as e:
        e.insert("q", [(1,), (2,)])
        e.insert("p", [(2,)])
    with db.epoch() as e:
        e.insert("q", [(3,)])
        e.delete("q", [(2,)])
        partition = partition_of(db)
        told = {}
        commit = partition.commit

        def look(shown: Callable[[], None]) -> None:
            for number in touched_relations(partition.relations):
                found = touched_records(partition.relations, number)
                told[partition.relations.names[number]] = [
                    sorted(found.records[mask, 0].tolist())
                    for mask in (found.inserted, found.deleted, found.stayed, found.asserted, found.retracted)
                ]
                changes = net_changes(partition.relations, [partition.relations.names[number]])[number]
                assert len(changes.inserted) == found.inserted.sum()
                assert len(changes.deleted) == found.deleted.sum()
            commit(shown)

        partition.commit = look  # type: ignore[method-assign]  # the journal is empty once an epoch is committed
    assert told == {"q": [[3], [2], [], [3], [2]], "p": [[3], [], [2], [], []]}
