"""Equivalence relations: under changes of edges and rules, on one and on three partitions, any two nodes that a walk
joins are equivalent and no others, as the naive evaluator has it; kept by least nodes and, in recursion, by walks."""

from __future__ import annotations

from random import Random

import pytest

from tests.law.harness import check, check_feed, commit, labelled
from tests.law.share import share
from tidelog.engine.engine import Engine
from tidelog.syntax import parse_program, print_program
from tidelog.testing import EpochChanges, State
from tidelog.verify import Certificate

CASES = share(40, 2)
KEPT = """
    .decl e(x: number, y: number)
    .decl same(x: number, y: number) eqrel
    .decl apart(x: number, y: number)
    a1: same(x, y) :- e(x, y), x != 3.
    a2: same(y + 10, x) :- e(x, y), y > 2.
    a3: apart(x, y) :- e(x, _), e(_, y), !same(x, y).
"""
WALKED = """
    .decl e(x: number, y: number)
    .decl same(x: number, y: number) eqrel
    .decl next(x: number, y: number)
    next(0, 1). next(1, 2). next(2, 3). next(3, 4).
    a1: same(x, y) :- e(x, y).
    a2: same(a, b) :- same(x, y), next(x, a), next(y, b).
"""
SHAPES = {"kept": KEPT, "walked": WALKED}


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(CASES))
def test_two_nodes_are_equivalent_if_a_walk_joins_them(seed: int, shape: str, partitions: int) -> None:
    rng, parsed = Random(f"{seed} {shape}"), parse_program(SHAPES[shape])
    texts = {rule.label: rule for rule in parsed.rules}
    db, state, away = Engine(parsed, partitions=partitions), State.start(labelled(parsed)), None
    before = check(db, state)
    for _ in range(12):
        inserts = {
            (rng.choice(["e", "e", "same"]), (rng.randrange(6), rng.randrange(6))) for _ in range(rng.choice([1, 1, 3]))
        }
        present = sorted(fact for fact in state.facts if fact[0] in ("e", "same"))
        gone = set(rng.sample(present, k=min(len(present), rng.choice([0, 1, 2, 3])))) - inserts
        change = EpochChanges(tuple(sorted(inserts)), tuple(sorted(gone)))
        if rng.random() < 0.25 and away is None:
            away = rng.choice(["a1", "a2"])
            change = EpochChanges(remove_labels=(away,))
        elif away is not None:
            change, away = EpochChanges(add_rules=(texts[away],)), None
        state = state.after(change)
        epoch = commit(db, change, parsed.convention)
        after = check(db, state)
        check_feed(epoch, before, after)
        before = after
    assert isinstance(db.verify(), Certificate)


def test_an_equivalence_relation_of_asserted_pairs_alone() -> None:
    db = Engine('.decl same(x: symbol, y: symbol) eqrel\nsame("a", "b"). same("b", "c").')
    assert len(db["same"]) == 9
    with db.epoch() as epoch:
        epoch.insert("same", [("x", "c")])
        epoch.delete("same", [("a", "b")])
    assert len(db["same"]) == 9
    assert sorted(db.asserted("same")) == [("b", "c"), ("x", "c")]
    assert isinstance(db.verify(), Certificate)


def test_why_two_nodes_are_equivalent_ends_at_what_is_asserted() -> None:
    db = Engine(".decl same(x: number, y: number) eqrel\nsame(1, 2). same(2, 9).")
    told = str(db.why("same(1, 9)"))
    assert "same(1, 2)  asserted" in told
    assert "same(2, 9)  asserted" in told
    assert "__" not in told


def test_the_word_is_printed_and_kept_in_a_state_folder(tmp_path: object) -> None:
    parsed = parse_program(KEPT)
    assert parse_program(print_program(parsed)) == parsed
    with Engine(parsed, path=str(tmp_path)) as db, db.epoch() as epoch:
        epoch.insert("e", [(1, 2), (2, 4)])
        epoch.insert("same", [(5, 6)])
    with Engine(path=str(tmp_path)) as db:
        assert (1, 4) in set(db["same"])
        with db.epoch() as epoch:
            epoch.delete("same", [(5, 6)])
        assert not [pair for pair in db["same"] if 5 in pair]


def test_values_without_an_order_have_classes_too() -> None:
    text = ".type T = A {x: number} | B {}\n.decl e(x: T, y: T)\n.decl p(x: T, y: T) eqrel\np(x, y) :- e(x, y).\n"
    assert len(Engine(text + "e($A(1), $B). e($B, $A(2)).")["p"]) == 9
    assert len(Engine(text.replace("p(x, y) :- e(x, y).\n", "p($A(1), $B)."))["p"]) == 4
