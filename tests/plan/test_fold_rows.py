"""Which aggregates are folded over the rows that they come from.

Notices a min or max that is folded inside a recursion, and one that stays folded when another rule closes a cycle,
joins its pool or goes. The values are compared with evaluation from scratch; what they cost is not looked at.
"""

from __future__ import annotations

import pytest

from tests.store.disks import MemoryDisk, MemoryStore
from tidelog import Engine
from tidelog.engine.engine import core_of

OTHERS = {"b": "best(G, max<V>) :- offer(G, V).", "c": "sale(G, H, V) :- best(G, V), near(G, H)."}
ROWS = [(1, 1, 5), (2, 1, 7), (3, 2, 4), (4, 1, 7)]


def core(db: Engine) -> list[str]:
    """The labels of the rules as they run."""
    return sorted(core_of(db).rules.core)


@pytest.mark.parametrize("partitions", [1, 2])
def test_max_follows_rows_that_come_and_go(partitions: int) -> None:
    with Engine("best(G, max<V>) :- sale(_, G, V).", partitions=partitions) as db:
        for gone, best in ([], [(1, 7), (2, 4)]), ([ROWS[1]], [(1, 7), (2, 4)]), ([ROWS[3], ROWS[2]], [(1, 5)]):
            with db.epoch() as e:
                e.insert("sale", [] if gone else ROWS)
                e.delete("sale", gone)
            assert sorted(db["best"]) == best
        assert core(db) == ["best/max2"]
        assert db.verify()


def test_rules_that_join_a_pool_or_close_a_cycle_unfold_it_and_fold_it_when_they_go() -> None:
    with Engine("a: best(G, max<V>) :- sale(_, G, V).") as db:
        with db.epoch() as e:
            e.insert("sale", ROWS)
            e.insert("near", [(2, 3)])
        for label, rule in {
            "b": "best(G, max<V>) :- offer(G, V).",
            "c": "sale(G, H, V) :- best(G, V), near(G, H).",
        }.items():
            with db.epoch() as e:
                e.add_rule(f"{label}: {rule}")
                e.insert("offer", [(2, 9)])
            assert len(core(db)) > 1
            assert (2, 9 if label == "b" else 4) in db["best"]
            assert db.verify()
            with db.epoch() as e:
                e.remove_rule(label)
            assert core(db) == ["best/max2"]
            assert sorted(db["best"]) == [(1, 7), (2, 4)]
            assert db.verify()


def test_several_aggregates_of_one_head_share_the_rows() -> None:
    with Engine("all(G, sum<V>, max<V>, count<*>) :- sale(K, G, V).") as db:
        with db.epoch() as e:
            e.insert("sale", ROWS)
        assert sorted(db["all"]) == [(1, 19, 7, 3), (2, 4, 4, 1)]
        assert not any("val" in rule.head.predicate for rule in core_of(db).rules.core.values())


def test_values_that_are_texts_are_not_folded() -> None:
    with Engine("last(G, max<V>) :- name(G, V).") as db:
        with db.epoch() as e:
            e.insert("name", [(1, "b"), (1, "c")])
        assert core(db) == ["last/max2", "r1"]
        assert sorted(db["last"]) == [(1, "c")]


def test_state_is_opened_again_in_the_form_in_which_it_was_written() -> None:
    disk = MemoryDisk()
    with Engine("best(G, max<V>) :- sale(_, G, V).", path=MemoryStore(disk)) as db, db.epoch() as e:
        e.insert("sale", ROWS)
    with Engine(path=MemoryStore(disk)) as db:
        with db.epoch() as e:
            e.delete("sale", [ROWS[1], ROWS[3]])
        assert sorted(db["best"]) == [(1, 5), (2, 4)]
        assert db.verify()
