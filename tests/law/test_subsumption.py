"""Subsumption: under changes of facts and rules, on one and on three partitions, what stays is what no other fact
subsumes, as the naive evaluator finds it by comparing all pairs."""

from __future__ import annotations

from random import Random

import pytest

from tests.law.harness import check, check_feed, commit, labelled
from tests.law.share import share
from tidelog import ProgramError
from tidelog.engine.engine import Engine
from tidelog.syntax import parse_program, print_program
from tidelog.testing import EpochChanges, State
from tidelog.verify import Certificate, verify

CASES = share(80, 2)
DECLARED = ".decl e(x: number, y: number, c: number)\n.decl p(x: number, y: number, c: number)\n"
SHORTEST = "a1: p(x, y, c) :- e(x, y, c).\na2: p(x, z, c + d) :- p(x, y, c), e(y, z, d).\n"
COPY = "a1: p(x, y, c) :- e(x, y, c).\na2: p(y, x, c) :- e(x, y, c), c > 1.\n"
SHAPES = {
    "shortest": SHORTEST + "s1: p(x, y, a) <= p(x, y, b) :- b <= a.",
    "strictly": SHORTEST + "s1: p(x, y, a) <= p(x, y, b) :- a > b.",
    "greatest": COPY + "s1: p(x, y, a) <= p(x, y, b) :- a <= b.",
    "two clauses": COPY + "s1: p(x, _, a) <= p(x, _, b) :- a > b.\ns2: p(x, v, a) <= p(x, w, a) :- v > w.",
    "in order": COPY + "s1: p(x, v, a) <= p(x, w, b) :- b < a; b = a, v <= w.",
    "any one": COPY + "s1: p(_, x, a) <= p(_, x, b) :- b >= a.",
    "all of the best": COPY + "s1: p(x, _, a) <= p(x, _, b) :- b < a.",
    "both better": COPY + "s1: p(x, v, a) <= p(x, w, b) :- w <= v, b <= a.",
    "asked elsewhere": COPY + ".decl q(x: number)\nq(1).\ns1: p(x, v, a) <= p(x, w, b) :- q(w), b <= a, !q(v).",
    "each other": COPY + ".decl q(x: number)\nq(1). q(2).\ns1: p(x, v, a) <= p(x, w, a) :- q(v), q(w).",
    "read on": SHORTEST + "s1: p(x, y, a) <= p(x, y, b) :- b <= a.\n.decl n(x: number, c: number)\n"
    "n(x, c) :- p(x, _, c).\nt1: n(x, a) <= n(x, b) :- b < a.",
}


def verify_base(db: Engine, state: State) -> object:
    base: dict[str, list[tuple[object, ...]]] = {}
    for name, row in state.facts:
        base.setdefault(name, []).append(row)
    return verify(db.program, base, db.state())


def changes(rng: Random, state: State, names: str = "e") -> EpochChanges:
    inserts = {
        (rng.choice(names), (rng.randrange(4), rng.randrange(4), rng.choice([1, 1, 2, 3])))
        for _ in range(rng.choice([1, 2, 6]))
    }
    present = sorted(fact for fact in state.facts if fact[0] in names)
    gone = set(rng.sample(present, k=min(len(present), rng.choice([0, 1, 2, 4])))) - inserts
    return EpochChanges(tuple(sorted(inserts)), tuple(sorted(gone)))


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(CASES))
def test_what_no_other_fact_subsumes_stays(seed: int, shape: str, partitions: int) -> None:
    rng, parsed = Random(f"{seed} {shape}"), parse_program(DECLARED + SHAPES[shape])
    texts = {rule.label: rule for rule in parsed.rules}
    db, state, away = Engine(parsed, partitions=partitions), State.start(labelled(parsed)), None
    before = check(db, state)
    swapped = ["a1", "s1"] if SHORTEST not in SHAPES[shape] else ["a1", "a2"]  # without its end a walk never ends
    for _ in range(10):
        change = changes(rng, state)
        if rng.random() < 0.3 and away is None:
            away = rng.choice(swapped)
            change = EpochChanges(remove_labels=(away,))
        elif away is not None:
            change, away = EpochChanges(add_rules=(texts[away],)), None
        state = state.after(change)
        epoch = commit(db, change, parsed.convention)
        after = check(db, state)
        check_feed(epoch, before, after)
        before = after
    assert isinstance(db.verify(), Certificate)


def test_facts_of_the_text_are_compared_with_what_rules_give() -> None:
    db = Engine(DECLARED + "p(1, 1, 5). p(1, 1, 3). p(2, 1, 9)." + SHAPES["shortest"])
    assert sorted(db["p"]) == [(1, 1, 3), (2, 1, 9)]
    with db.epoch() as epoch:
        epoch.insert("e", [(1, 1, 2)])
    assert sorted(db["p"]) == [(1, 1, 2), (2, 1, 9)]


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(CASES))
def test_asserted_facts_are_compared_and_stay_asserted(seed: int, shape: str, partitions: int) -> None:
    """Facts of the relation itself come and go, with the clauses that compare them, also in the same epoch."""
    rng, parsed = Random(f"given {seed} {shape}"), parse_program(DECLARED + "p(1, 2, 2). p(1, 2, 1).\n" + SHAPES[shape])
    texts = {rule.label: rule for rule in parsed.rules}
    db, state = Engine(parsed, partitions=partitions), State.start(labelled(parsed))
    before, away = check(db, state), list[str]()
    swapped = [label for label in texts if label and (label[0] == "s" or SHORTEST not in SHAPES[shape])]
    if SHORTEST in SHAPES[shape]:  # a walk that is not compared never ends
        swapped = ["a1", "a2"]
    for _ in range(10):
        change = changes(rng, state, "epp")
        if rng.random() < 0.5:
            gone = tuple(label for label in swapped if label not in away and rng.random() < 0.7)
            back = tuple(texts[label] for label in away)
            change = EpochChanges(change.inserts, change.deletes, back, gone)
            away = list(gone)
        state = state.after(change)
        epoch = commit(db, change, parsed.convention)
        after = check(db, state)
        check_feed(epoch, before, after)
        assert sorted(db.asserted("p")) == sorted(row for name, row in state.facts if name == "p")
        before = after
    assert isinstance(db.verify(), Certificate)
    assert isinstance(verify_base(db, state), Certificate)


def test_a_walk_is_compared_from_the_epoch_in_which_its_clause_comes() -> None:
    """Rules and clause go and come together: inside recursion neither is without the other."""
    parsed = parse_program(DECLARED + SHAPES["shortest"])
    db, texts = Engine(parsed), {rule.label: rule for rule in parsed.rules}
    state = State.start(labelled(parsed))
    away = EpochChanges((("p", (1, 2, 5)), ("p", (1, 2, 4)), ("e", (2, 1, 1))), (), (), ("a2", "s1"))
    back = EpochChanges((("e", (1, 1, 3)),), (("p", (1, 2, 4)),), (texts["a2"], texts["s1"]), ())
    for change, rows in ((away, [(1, 2, 4), (1, 2, 5), (2, 1, 1)]), (back, [(1, 1, 3), (1, 2, 5), (2, 1, 1)])):
        state = state.after(change)
        commit(db, change, parsed.convention)
        check(db, state)
        assert sorted(db["p"]) == rows
    assert sorted(db.asserted("p")) == [(1, 2, 5)]


def test_what_is_no_best_row_is_refused_inside_recursion() -> None:
    with pytest.raises(ProgramError, match="`p` reads itself, and its subsumption is not a best row"):
        Engine(DECLARED + SHORTEST + "p(x, v, a) <= p(x, w, b) :- w <= v, b <= a.")


def test_a_subsumption_is_printed_as_it_was_read() -> None:
    parsed = parse_program(DECLARED + SHAPES["two clauses"])
    assert parse_program(print_program(parsed)) == parsed
    assert "s1: p(x, _l2, a) <= p(x, _m2, b) :- a > b." in print_program(parsed)


def test_a_state_folder_keeps_subsumptions(tmp_path: object) -> None:
    text = DECLARED + "p(4, 4, 4).\n" + SHAPES["shortest"]
    with Engine(text, path=str(tmp_path)) as db, db.epoch() as epoch:
        epoch.insert("e", [(1, 2, 5), (1, 2, 3)])
    with Engine(text, path=str(tmp_path)) as db:
        assert sorted(db["p"]) == [(1, 2, 3), (4, 4, 4)]
        with db.epoch() as epoch:
            epoch.delete("e", [(1, 2, 3)])
        assert sorted(db["p"]) == [(1, 2, 5), (4, 4, 4)]


def test_a_relation_that_holds_facts_is_subsumed_later() -> None:
    db = Engine(".decl p(x: number)\np(1). p(2).")
    with db.epoch() as epoch:
        epoch.add_rule("best: p(x) <= p(y) :- x < y.")
        epoch.insert("p", [(3,)])
        epoch.delete("p", [(1,)])
    assert sorted(db["p"]) == [(3,)]
    assert (epoch.changes["p"].inserted.rows(), sorted(epoch.changes["p"].deleted)) == ([(3,)], [(1,), (2,)])
    assert db.relations == ("p",)
    with db.epoch() as epoch:
        epoch.remove_rule("best")
        epoch.insert("p", [(4,)])
    assert sorted(db["p"]) == [(2,), (3,), (4,)]


def test_facts_keep_the_types_they_brought() -> None:
    db = Engine("")
    with db.epoch() as epoch:
        epoch.insert("p", [("a", 1.5), ("a", 2.5)])
    with db.epoch() as epoch:
        epoch.add_rule("best: p(X, A) <= p(X, B) :- B <= A.")
    assert sorted(db["p"]) == [("a", 1.5)]
    with db.epoch() as epoch:
        epoch.remove_rule("best")
    assert sorted(db["p"]) == [("a", 1.5), ("a", 2.5)]


def test_a_refused_clause_moves_nothing() -> None:
    db = Engine(DECLARED + SHORTEST)
    with db.epoch() as epoch:
        epoch.insert("p", [(1, 1, 1), (1, 1, 2)])
    with pytest.raises(ProgramError, match="is not a best row"), db.epoch() as epoch:
        epoch.add_rule("p(x, v, a) <= p(x, w, b) :- w <= v, b <= a.")
    assert sorted(db["p"]) == sorted(db.asserted("p")) == [(1, 1, 1), (1, 1, 2)]


def test_what_is_asserted_is_its_own_reason() -> None:
    db = Engine(DECLARED + "p(1, 1, 3).\n" + SHAPES["shortest"])
    with db.epoch() as epoch:
        epoch.insert("e", [(1, 2, 4)])
        epoch.insert("p", [(1, 2, 2)])
    assert "asserted" in str(db.why("p(1, 2, 2)"))
    assert "__" not in str(db.why("p(1, 2, 2)")) + str(db.why_not("p(1, 2, 4)"))


def test_a_state_folder_keeps_asserted_facts_that_are_compared(tmp_path: object) -> None:
    text = ".decl p(x: number)\np(1).\n"
    with Engine(text, path=str(tmp_path)) as db:
        with db.epoch() as epoch:
            epoch.insert("p", [(2,)])
        difference = db.epoch_to(text + "best: p(x) <= p(y) :- x < y.")[0]
        with difference:
            pass
        assert sorted(db["p"]) == [(2,)]
    with Engine(text + "best: p(x) <= p(y) :- x < y.", path=str(tmp_path)) as db:
        with db.epoch() as epoch:
            epoch.delete("p", [(2,)])
        assert sorted(db["p"]) == [(1,)]


def test_a_relation_may_have_clauses_and_facts_alone() -> None:
    db = Engine(".decl p(a: unsigned, b: number)\np(1, -2). p(1, 9).\np(x, a) <= p(x, b) :- a < b.\n")
    assert list(db["p"]) == [(1, 9)]
