"""Keys (D9): replacement on base relations, a constraint on relations with rules, and what they cost."""

from random import Random

import numpy as np
import pytest

from tidelog import DataError, Engine, EvaluationError
from tidelog.partition.memory.keys import clashing_rows

LINKS = "materialize(link, infinity, infinity, keys(1,2)).\ncost(X,Y,C) :- link(X,Y,C).\n"
ROUTES = """
materialize(best, infinity, infinity, keys(1)).
near: best(X, C) :- offer(X, C).
"""


@pytest.fixture
def links():
    with Engine(LINKS) as db:
        with db.epoch() as epoch:
            epoch.insert("link", [("a", "b", 1), ("b", "c", 2)])
        yield db


def change(db, insert=(), delete=(), relation="link"):
    with db.epoch() as epoch:
        epoch.insert(relation, list(insert))
        epoch.delete(relation, list(delete))
    return epoch


def test_insertion_with_a_present_key_replaces_the_old_row(links):
    epoch = change(links, [("a", "b", 7)])
    assert sorted(links["link"]) == [("a", "b", 7), ("b", "c", 2)]
    assert sorted(epoch.changes["cost"].signed) == [(-1, ("a", "b", 1)), (1, ("a", "b", 7))]


def test_insertion_of_the_row_that_is_there_changes_nothing(links):
    assert not change(links, [("a", "b", 1)]).changes["link"]


def test_insertion_with_a_new_key_only_adds(links):
    change(links, [("a", "c", 1)])
    assert len(links["link"]) == 3


def test_two_rows_with_one_key_in_an_epoch_are_refused(links):
    with pytest.raises(DataError, match=r"key of `link` is column 1, 2, but link\(a, b, 5\) and link\(a, b, 6\)"):
        change(links, [("a", "b", 5), ("a", "b", 6)])
    assert sorted(links["cost"]) == [("a", "b", 1), ("b", "c", 2)]


def test_the_same_row_twice_is_one_row(links):
    change(links, [("a", "b", 5), ("a", "b", 5)])
    assert ("a", "b", 5) in links["link"]


def test_deleting_the_old_row_beside_inserting_the_new_one_is_the_same(links):
    change(links, [("a", "b", 7)], [("a", "b", 1)])
    assert sorted(links["link"]) == [("a", "b", 7), ("b", "c", 2)]


def test_row_inserted_and_deleted_in_one_epoch_replaces_nothing(links):
    change(links, [("a", "b", 7)], [("a", "b", 7)])
    assert ("a", "b", 1) in links["link"]


def test_deleted_key_can_come_back(links):
    change(links, delete=[("a", "b", 1)])
    change(links, [("a", "b", 3)])
    assert sorted(links["link"]) == [("a", "b", 3), ("b", "c", 2)]


def test_two_facts_of_the_text_with_one_key_are_refused():
    with pytest.raises(DataError, match="inserted in one epoch"):
        Engine(LINKS + "link(a, b, 1). link(a, b, 2).")


def test_derived_rows_with_one_key_roll_the_epoch_back():
    with Engine(ROUTES) as db:
        change(db, [("x", 1)], relation="offer")
        with pytest.raises(EvaluationError, match=r"best\(x, 1\) and best\(x, 2\) would both hold .*`near`"):
            change(db, [("x", 2), ("y", 3)], relation="offer")
        assert list(db["offer"]) == [("x", 1)]
        assert list(db["best"]) == [("x", 1)]
        change(db, [("x", 2)], [("x", 1)], "offer")
        assert list(db["best"]) == [("x", 2)]


def test_derived_key_is_checked_within_one_epoch():
    with Engine(ROUTES) as db, pytest.raises(EvaluationError, match="would both hold"):
        change(db, [("x", 1), ("x", 2)], relation="offer")


def test_rule_that_breaks_a_key_is_not_added():
    with Engine(ROUTES) as db:
        change(db, [("x", 1)], relation="offer")
        with pytest.raises(EvaluationError, match="would both hold"), db.epoch() as epoch:
            epoch.add_rule("best(X, 9) :- offer(X, _).", "far")
        assert list(db.rules) == ["near"]
        assert list(db["best"]) == [("x", 1)]
        change(db, [("y", 2)], relation="offer")
        assert sorted(db["best"]) == [("x", 1), ("y", 2)]


def test_replacement_follows_a_model_over_many_epochs():
    rng, model = Random(4), {}
    with Engine("materialize(p, infinity, infinity, keys(2)).\nq(X) :- p(X, _).") as db:
        for _ in range(40):
            rows = {rng.randrange(5): rng.randrange(4) for _ in range(rng.randrange(1, 4))}
            gone = [(v, k) for k, v in model.items() if rng.random() < 0.2 and k not in rows]
            change(db, [(v, k) for k, v in rows.items()], gone, "p")
            model = {k: v for k, v in model.items() if (v, k) not in gone} | rows
            assert sorted(db["p"]) == sorted((v, k) for k, v in model.items())
            assert set(db["q"]) == {(v,) for v in model.values()}


def test_replacements_in_a_large_relation_touch_only_their_keys():
    rows = np.arange(400_000, dtype=np.int64).reshape(-1, 2)
    with Engine("materialize(p, infinity, infinity, keys(1)).\nq(X) :- p(X, -1).") as db:
        change(db, [(2, 0)], relation="p")
        with db.epoch() as epoch:
            epoch.insert("p", rows)
        change(db, [(0, 5)], relation="p")
        for i in range(20):
            epoch = change(db, [(4 * i, -1)], relation="p")
            assert sum(epoch.statistics.supports.values()) <= 2
        assert len(db["q"]) == 20
        assert len(db["p"]) == len(rows)


def test_clash_is_found_among_many_rows():
    rows = np.array([[i, i % 7, 0] for i in range(100)] + [[50, 1, 1]])
    found = clashing_rows(rows, (0, 1))
    assert found is not None
    assert [row.tolist() for row in found] == [[50, 1, 0], [50, 1, 1]]
    assert clashing_rows(rows[:100], (0, 1)) is None
