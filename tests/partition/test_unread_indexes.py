"""Indexes that are made over facts for plans that have not run yet.

Notices an index that is filled although it is not read, and one that misses rows that were added, removed or took the
place of others before it was first read.
"""

from __future__ import annotations

import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of

RULE = "new(K, G) :- visit(K, G), !known(G)."


def unread(db: Engine) -> int:
    """How many indexes have not been read."""
    relations = core_of(db).runtime.node.partition.relations
    return sum(map(relations.is_unread, relations.index_columns().values()))


@pytest.mark.parametrize("threads", [1, 3])
def test_index_is_filled_when_a_plan_first_reads_it(threads: int) -> None:
    visits = {(k, k % 10) for k in range(2000)}
    with Engine(threads=threads) as db:
        with db.epoch() as e:
            e.insert("visit", sorted(visits))
            e.insert("known", [(g,) for g in range(5)])
        with db.epoch() as e:
            e.add_rule(RULE)
        assert unread(db) == 1
        with db.epoch() as e:
            e.delete("visit", sorted(visits)[:100])
            e.insert("visit", [(k, 7) for k in range(5000, 5060)])
        assert unread(db) == 1
        visits = visits.difference(sorted(visits)[:100]) | {(k, 7) for k in range(5000, 5060)}
        with db.epoch() as e:
            e.insert("known", [(7,)])
            e.delete("known", [(2,)])
        assert unread(db) == 0
        assert set(db["new"]) == {(k, g) for k, g in visits if g not in {0, 1, 3, 4, 7}}
        assert db.verify()
